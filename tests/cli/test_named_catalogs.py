"""Catalogs on the command line: by path, or by NAME=PATH, wherever a command takes one."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

import pytest

from olmsolve.cli.catalogs import name_of_path
from tests.cli.commands import Run, runner


@pytest.fixture
def olmsolve(capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(capsys)


def test_catalogs_are_given_by_path_or_by_name(olmsolve: Run) -> None:
    """A path alone names the catalog after its file, with the dots that a version has; both ways may be mixed."""
    example = Path("olmsolve/examples/catalogs")
    outcome = olmsolve("audit", example / "orchard", f"commons={example / 'commons'}:3")
    assert outcome.code == 0
    assert "of olm/commons, olm/orchard" in outcome.out
    assert "a catalog is needed: its path, or NAME=PATH" in olmsolve("audit").err
    twice = olmsolve("audit", f"a={example / 'orchard'}", f"a={example / 'commons'}")
    assert "is given twice" in twice.err


def test_a_name_keeps_the_dots_of_a_version(tmp_path: Path) -> None:
    """``fbc-v4.20.jsonl`` was called fbc-v4."""
    for name, called in {
        "fbc-v4.20.jsonl": "fbc-v4.20",
        "c.tar.gz": "c",
        "community": "community",
        "example.com/index:v4.20": "index",
        "example.com/index@sha256:00": "index",
        ".json": "json",
    }.items():
        assert name_of_path(Path(name)) == called
    folder = tmp_path / "catalog.v1.json"
    folder.mkdir()
    assert name_of_path(folder) == "catalog.v1.json"


def test_commands_that_need_no_name_take_one(olmsolve: Run) -> None:
    """``lint``, ``validate`` and ``bench`` take what ``audit`` takes."""
    path = Path("olmsolve/examples/catalogs/commons")
    assert olmsolve("lint", f"commons={path}").out == olmsolve("lint", path).out
    assert olmsolve("validate", f"commons={path}").code == 0
    assert olmsolve("resolve", "--catalog", path, "--subscribe", "keyring").code == 0


ORCHARD: Final = "olmsolve/examples/catalogs/orchard"
ONE: Final = {
    "graph": (),
    "catalog list": ("bundles",),
    "catalog edges": (),
    "catalog v1": ("--package", "storefront"),
    "catalog subset": ("--heads-only",),
    "catalog remove": ("--package", "parcels"),
    "catalog set-default": ("--package", "storefront", "--channel", "1.x"),
    "catalog deprecate": ("--package", "storefront", "--message", "gone"),
    "catalog convert-template": (),
    "path": ("storefront", "--from", "storefront.v1.4.1"),
    "migrate": ("storefront",),
    "render": (),
}
SEVERAL: Final = {
    "validate": (),
    "lint": (),
    "audit": (),
    "fuzz": ("--cases", "1"),
    "catalog merge": (),
}


def _answers(olmsolve: Run, command: str, more: tuple[str, ...], *catalog: str) -> object:
    """What *command* answers about *catalog*; the last word of ``list`` and ``path`` stands on its own side of it."""
    first = (more, ()) if command == "catalog list" else ((), more)
    return olmsolve(*command.split(), *first[0], *catalog, *first[1])


@pytest.mark.parametrize("command", [*ONE, *SEVERAL])
def test_one_shape_for_all_commands(olmsolve: Run, command: str) -> None:
    """PATH, NAME=PATH, with namespace and priority, as an argument or by --catalog: the same catalog, everywhere."""
    more = {**ONE, **SEVERAL}[command]
    answer = _answers(olmsolve, command, more, ORCHARD)
    assert getattr(answer, "code") in (0, 1)  # noqa: B009
    for catalog in (
        (f"orchard={ORCHARD}",),
        (f"olm/orchard={ORCHARD}:7",),
        ("--catalog", ORCHARD),
        ("--catalog", f"orchard={ORCHARD}"),
        ("--catalog", f"orchard={ORCHARD}:7"),
    ):
        assert _answers(olmsolve, command, more, *catalog) == answer, catalog


@pytest.mark.parametrize("command", [command for command in (*ONE, *SEVERAL) if command != "render"])
def test_the_project_names_it_for_all_commands(
    olmsolve: Run, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever works on one catalog all day names it once."""
    shutil.copytree(ORCHARD, tmp_path / "orchard")
    monkeypatch.chdir(tmp_path)
    more = {**ONE, **SEVERAL}[command]
    answer = _answers(olmsolve, command, more, "orchard")
    (tmp_path / ".git").mkdir()
    (tmp_path / "olmsolve.toml").write_text("[catalogs]\norchard = 'orchard'\n", "utf-8")
    assert _answers(olmsolve, command, more) == answer


def test_one_catalog_is_chosen_of_several(olmsolve: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command about one catalog guesses none of two, whoever names them."""
    both = f"olmsolve graph: error: one catalog is needed: {ORCHARD}, b={ORCHARD}"
    assert olmsolve("graph", ORCHARD, "--catalog", f"b={ORCHARD}").err.splitlines()[0] == both
    (tmp_path / ".git").mkdir()
    (tmp_path / "olmsolve.toml").write_text("[catalogs]\na = 'x'\nb = 'y'\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    assert "a catalog is needed, and the project file has several: a, b" in olmsolve("graph").err
    assert "a catalog or a bundle is needed: its path" in olmsolve("render").err


def test_the_cluster_s_catalog_by_its_file_or_name_alone(olmsolve: Run) -> None:
    """A file that is called as the catalog needs no name, and a catalog whose name is unique needs no namespace."""
    examples = "olmsolve/examples"
    cluster = ("plan", "--cluster", f"{examples}/cluster.yaml")
    full = [part for name in ("orchard", "commons") for part in ("--catalog", f"olm/{name}={examples}/catalogs/{name}")]
    outcome = olmsolve(*cluster, *full)
    assert outcome.code in (0, 1)
    assert olmsolve(*cluster, *(part.replace("olm/", "") for part in full)) == outcome
    assert olmsolve(*cluster, *(part.rpartition("=")[2] for part in full)) == outcome


def test_an_option_may_stand_before_the_last_argument(olmsolve: Run) -> None:
    """Python 3.11 took the catalog behind ``--package`` for one too many."""
    listed = olmsolve("catalog", "list", "bundles", "--package", "storefront", ORCHARD)
    assert listed == olmsolve("catalog", "list", "bundles", ORCHARD, "--package", "storefront")
    assert listed.code == 0
