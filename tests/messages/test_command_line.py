"""Messages of the command line that no other test produces."""

from __future__ import annotations

import io
import json
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import pytest

import olmsolve
from tests.cli.commands import Run, runner
from tests.cli.small_cluster import blobs, catalog_source, cluster_catalog, extension, namespace

ADD: Final = ["catalog", "add", "catalogs/orchard", "--channel", "stable", "--bundle"]
DEFAULT: Final = ["--package", "etcd", "--channel", "stable"]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the bundled example, with dumps of small clusters."""
    folder = tmp_path_factory.mktemp("example") / "shop"
    shutil.copytree(Path(olmsolve.__file__).parent / "examples", folder)
    files: dict[str, list[dict[str, Any]]] = {
        "empty.json": [namespace()[0]],
        "one.json": namespace(),
        "extension.json": [cluster_catalog(), extension()],
        "sourced.json": [*namespace("shop"), catalog_source()],
        "both.json": [*namespace("shop"), *namespace("till"), catalog_source()],
    }
    for name, objects in files.items():
        (folder / name).write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}), "utf-8")
    (folder / "etcd.json").write_text("\n".join(map(json.dumps, blobs())), "utf-8")
    request = {"catalogs": [{"name": "main", "file": "etcd.json"}], "extension": {"packageName": "etcd"}}
    (folder / "extension.yaml").write_text(json.dumps(request), "utf-8")
    return folder


@pytest.fixture
def example(shop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command line, in the folder of the bundled example."""
    monkeypatch.chdir(shop)
    return runner(capsys)


# What is typed, and the message without the name of the program.
REFUSED: Final = [
    (
        [*ADD, "a", "--bundle", "b", "--image", "c"],
        "--image is for one bundle: give several their own images (--bundle FOLDER=IMAGE)",
    ),
    ([*ADD, "etcd.json=x"], "etcd.json: only a bundle's folder takes an image here: a blob has its own"),
    (["catalog", "dockerfile", "catalogs", "--label", "x"], "argument --label: not of the form NAME=VALUE: 'x'"),
    (["catalog", "dockerfile", "catalogs", "--to", "install.yaml"], "install.yaml: there is a file already"),
    (["crd-check", "-", "-"], "standard input can be read only once"),
    (["crd-check", "-", "install.yaml"], "standard input: holds no CustomResourceDefinition"),
    (["groups", "--cluster", "one.json", "--namespace", "nowhere"], "there are: shop"),
    (
        ["plan", "--cluster", "empty.json"],
        "--cluster: no subscriptions and no extensions (there is nothing to plan for)",
    ),
    (["reduce", "--cluster", "empty.json"], "no subscriptions and no extensions (there is nothing to ask)"),
    (
        ["catalog", "set-default", "etcd.json", *DEFAULT, "--write", "--output", "yaml"],
        "--write changes files in their own form, --output prints a new catalog",
    ),
    (
        ["catalog", "set-default", "-", *DEFAULT],
        "standard input has no files to change: --output prints the new catalog",
    ),
    (["resolve", "-", "--cluster", "-"], "standard input (-) can be read once only"),
    (
        ["resolve", "--cluster", "one.json", "--feature-gates", "SyntheticPermissions=true"],
        "--feature-gates is for extensions: classic OLM has no such gates",
    ),
    (
        ["resolve", "extension.yaml", "--backend", "x"],
        "--backend is for subscriptions: OLM v1 has no dependencies to solve",
    ),
    (
        ["diff", "install.yaml", "extension.yaml"],
        "one request is for subscriptions, the other for OLM v1 (olmsolve migrate compares classic OLM with OLM v1)",
    ),
]


@pytest.mark.parametrize(("arguments", "message"), REFUSED, ids=[message for _, message in REFUSED])
def test_what_is_refused(example: Run, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str) -> None:
    """A message says what was typed and why that cannot be meant."""
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(b'{"kind": "List", "items": []}')))
    outcome = example(*arguments)
    assert outcome.code == 2
    assert message in outcome.err


@pytest.mark.parametrize(
    ("module", "arguments", "message"),
    [
        (
            "distributed",
            ["impact", "--clusters", "one.json", "--catalog", "olm/cat=etcd.json", "--dask", "x"],
            '--dask: Dask is not installed (pip install "olmsolve[dask]")',
        ),
        (
            "olmsolve.lifecycle.metrics.exposition",
            ["metrics", "--cluster", "one.json", "--output", "prometheus"],
            "--output prometheus: needs prometheus-client (pip install 'olmsolve[metrics]')",
        ),
    ],
)
def test_extras_that_are_missing(
    example: Run, monkeypatch: pytest.MonkeyPatch, module: str, arguments: list[str], message: str
) -> None:
    """Whoever has not installed an extra learns its name."""
    monkeypatch.setitem(sys.modules, module, None)
    assert message in example(*arguments).err


def test_a_requirement_that_is_not_installed(example: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--version` is for reports of faults, and a broken installation is a fault too."""
    from importlib import metadata

    monkeypatch.setattr(metadata, "requires", lambda _: ["no-such-package>=1"])
    assert "no-such-package is not installed\n" in example("--version").out


def test_a_question_of_one_side(example: Run) -> None:
    """A namespace that came later has nothing to compare with."""
    outcome = example("diff", "sourced.json", "both.json", "--catalog", "olm/cat=etcd.json")
    assert "It is only there afterwards." in outcome.out


def test_extensions_that_cannot_be_planned_together(example: Run, shop: Path) -> None:
    """Both have what belongs to one owner, so each is planned by itself."""
    api = [{"type": "olm.gvk", "value": {"group": "etcd.example.com", "version": "v1", "kind": "Etcd"}}]
    catalog = [*blobs("etcd", 2, v1=api, v2=api), *blobs("vault", 2, v1=api, v2=api)]
    (shop / "owners.json").write_text("\n".join(map(json.dumps, catalog)), "utf-8")
    objects = [cluster_catalog(), extension("etcd"), extension("vault")]
    (shop / "owners.yaml").write_text(json.dumps({"kind": "List", "items": objects}), "utf-8")
    outcome = example("plan", "--cluster", "owners.yaml", "--catalog", "main=owners.json")
    assert "Each planned separately, because the extensions cannot be installed together: " in outcome.out


def test_an_answer_that_is_not_confirmed(example: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The checker's word counts: it is a fault of olmsolve, whatever the simulation says."""
    verdict = SimpleNamespace(valid=False, reason="its steps do not lead to a contradiction")
    simulation = SimpleNamespace(passes=[SimpleNamespace(namespace="shop", verdict=verdict)], to_dict=dict)
    monkeypatch.setattr(olmsolve, "simulate", lambda *_, **__: simulation)
    outcome = example("simulate", "--cluster", "one.json", "--verify", "--output", "json")
    assert outcome.code == 70
    assert "an answer for namespace shop is not confirmed: its steps do not lead to a contradiction" in outcome.err
