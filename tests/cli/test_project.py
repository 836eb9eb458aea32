"""The project file: what it names stands for options that are not given."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import pytest
import yaml

import olmsolve as library
from olmsolve._paths import project_files
from olmsolve.cli import main
from olmsolve.requests import project
from tests.cli.commands import Run
from tests.schemas import faults

EXAMPLES: Final = Path(library.__file__).parent / "examples"
FILE: Final = """\
cluster = "cluster.yaml"

[catalogs]
"olm/orchard" = { path = "catalogs/orchard", priority = 10 }
"olm/commons" = "catalogs/commons"
"olm/of-another-cluster" = "catalogs/commons"
"""
GIVEN: Final = (
    *("--cluster", "cluster.yaml"),
    *("--catalog", "olm/orchard=catalogs/orchard"),
    *("--catalog", "olm/commons=catalogs/commons"),
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with the example and a project file, as the working folder."""
    shutil.copytree(EXAMPLES, tmp_path / "example")
    (tmp_path / "example" / ".git").mkdir()
    (tmp_path / "example" / "olmsolve.toml").write_text(FILE, "utf-8")
    monkeypatch.chdir(tmp_path / "example")
    return tmp_path / "example"


@pytest.mark.parametrize("command", ["resolve", "plan", "simulate", "explain"])
def test_a_command_without_options_answers_about_the_project(olmsolve: Run, folder: Path, command: str) -> None:
    """The same answer as with all that is named; a catalog of another cluster does not matter."""
    answer = olmsolve(command)
    (folder / "olmsolve.toml").unlink()
    assert answer == olmsolve(command, *GIVEN)
    assert answer.out


@pytest.mark.parametrize("command", ["groups", "metrics"])
def test_a_command_without_catalogs_answers_about_the_project(olmsolve: Run, folder: Path, command: str) -> None:
    """They look at the objects alone, and the project's catalogs are no contradiction."""
    answer = olmsolve(command)
    (folder / "olmsolve.toml").unlink()
    assert answer == olmsolve(command, "--cluster", "cluster.yaml")


def test_the_project_holds_below_its_folder(olmsolve: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths lead from the file, wherever somebody works in the repository."""
    above = olmsolve("plan").out
    monkeypatch.chdir(folder / "catalogs")
    assert olmsolve("plan").out == above


def test_a_repository_ends_the_search(olmsolve: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file in a folder that everybody may write must not decide what a command in a repository reads."""
    (folder.parent / "olmsolve.toml").write_text("semantics = 'nonsense'", "utf-8")
    (folder / "olmsolve.toml").unlink()
    assert olmsolve("plan").code == 2
    assert olmsolve("where").out.startswith("No project file: ")
    (folder / ".git").rmdir()
    assert "semantics" in olmsolve("plan").err


def test_a_file_of_another_user_counts_for_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Anybody can write a file into a shared folder; in a container, a repository may be another user's as a whole."""
    below = folder / "below"
    below.mkdir(exist_ok=True)
    assert [path.name for path in project_files(below)] == ["olmsolve.toml"]
    monkeypatch.setattr(os, "geteuid", lambda: 4711)
    real, owners = Path.stat, {folder / "olmsolve.toml": 815, below: 4711}

    def stat(path: Path, **settings: Any) -> Any:
        status = real(path, **settings)
        return SimpleNamespace(st_uid=owners[path], st_mode=status.st_mode) if path in owners else status

    monkeypatch.setattr(Path, "stat", stat)
    assert list(project_files(below)) == []
    owners[below] = 815
    assert len(list(project_files(below))) == 1


def test_subscriptions_are_resolved_over_the_catalogs_of_the_project(olmsolve: Run, folder: Path) -> None:
    """Only the wish is typed, and the cluster has nothing to do with it."""
    wished = olmsolve("resolve", "--subscribe", "storefront@2.x")
    (folder / "olmsolve.toml").unlink()
    catalogs = ("--catalog", "orchard=catalogs/orchard:10", "--catalog", "commons=catalogs/commons")
    assert wished == olmsolve("resolve", "--subscribe", "storefront@2.x", *catalogs)
    assert "storefront.v2.1.0" in wished.out


def test_given_options_win(olmsolve: Run, folder: Path) -> None:
    """What is typed is what counts: another cluster, another version, another document."""
    (folder / "olmsolve.toml").write_text('openshift = "4.5"\nsemantics = "controller"\n' + FILE, "utf-8")
    assert olmsolve("resolve", "install.yaml", "--openshift", "4.18").out.startswith("5 bundles to install:")
    assert olmsolve("resolve", "--cluster", "stuck.yaml").out != olmsolve("resolve").out
    only = olmsolve("resolve", "--subscribe", "storefront", "--catalog", "orchard=catalogs/orchard")
    assert only.code == 1  # the catalog of the requirements is not among the given ones


def test_a_setting_that_cannot_matter_is_passed_over(olmsolve: Run, folder: Path) -> None:
    """``--semantics`` beside an extension is refused; the project names it for whatever it matters to."""
    (folder / "olmsolve.toml").write_text('semantics = "controller"\n', "utf-8")
    extension = folder / "extension.yaml"
    catalog = "{name: commons, file: catalogs/commons}"
    extension.write_text(f"extension: {{packageName: keyring}}\ncatalogs: [{catalog}]\n", "utf-8")
    assert olmsolve("resolve", "extension.yaml").code == 0
    assert "--semantics is for subscriptions" in olmsolve("resolve", "extension.yaml", "--semantics", "controller").err


def test_pyproject_has_a_table_for_it(olmsolve: Run, folder: Path) -> None:
    """Who has one file for all tools keeps it; the tables of others are theirs."""
    answer = olmsolve("plan")
    text = FILE.replace("[catalogs]", "[tool.olmsolve.catalogs]")
    (folder / "olmsolve.toml").unlink()
    (folder / "pyproject.toml").write_text(f"[project]\nname = 'shop'\n[tool.olmsolve]\n{text}", "utf-8")
    assert olmsolve("plan") == answer
    for text in ("[tool.other]\nx = '[tool.olmsolve]'\n", "tool = '[tool.olmsolve]'\n"):
        (folder / "pyproject.toml").write_text(text, "utf-8")
        assert olmsolve("plan").code == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("semantic = 'controller'", "olmsolve.toml: semantic: unknown field (did you mean semantics?)"),
        (
            "semantics = 'contoller'",
            "olmsolve.toml: semantics: there is no 'contoller' (known: documented, controller)",
        ),
        ("openshift = 4.2", "olmsolve.toml: openshift: must be a string, not the number 4.2 (put it in quotes)"),
        ("openshift = 'x'", "olmsolve.toml: openshift x: not a version (for example 4.18.0)"),
        ("cluster = 5", "olmsolve.toml: cluster: must be a list, not the number 5"),
        ("cluster = 'nowhere.yaml'", "nowhere.yaml: cannot be read: No such file or directory"),
        ("catalogs = []", "olmsolve.toml: catalogs: must be an object, not a list"),
        ("[catalogs]\na = 5", "olmsolve.toml: catalogs.a: must be an object, not the number 5"),
        ("[catalogs]\na = ''", "olmsolve.toml: catalogs.a: must not be empty"),
        ("[catalogs.a]\nprority = 1", "olmsolve.toml: catalogs.a.prority: unknown field (did you mean priority?)"),
        ("[catalogs.a]\npriority = 1", "olmsolve.toml: catalogs.a.path: is missing"),
        ("a = ", "olmsolve.toml: is not TOML: "),
        ("a = " + "[" * 5000, "olmsolve.toml: is nested too deeply"),
        ("# " + "x" * 1_000_000, "olmsolve.toml: is larger than 1000000 bytes"),
        ("\udcff", "olmsolve.toml: is not UTF-8"),
        ("a." * 300_000 + "b = 1", "olmsolve.toml: is not TOML: a key of more than 50 parts"),
        ("[" + "a." * 30_000 + "b]", "olmsolve.toml: is not TOML: a key of more than 50 parts"),
        ("a = {" + "a . " * 100 + "b = 1}", "olmsolve.toml: is not TOML: a key of more than 50 parts"),
        ("semantics = 'a" + ".a" * 100 + "'", "olmsolve.toml: semantics: there is no 'a.a.a"),
        ("# a" + ".a" * 100 + '\na = """x\n' + "." * 100 + '"""', "olmsolve.toml: a: unknown field"),
        ("a = " + "1" * 5000, "olmsolve.toml: is not TOML: Exceeds the limit"),
    ],
)
def test_faults_of_the_file_are_told(olmsolve: Run, folder: Path, text: str, message: str) -> None:
    """The file and the field are named: nobody typed them."""
    (folder / "olmsolve.toml").write_bytes(text.encode("utf-8", "surrogateescape"))
    outcome = olmsolve("plan")
    assert (outcome.code, outcome.out) == (2, "")
    assert message in outcome.err


def test_a_file_that_may_not_be_read(olmsolve: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is there, so passing over it would answer another question."""

    def refuse(path: Path, *_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    assert olmsolve("where").err == "olmsolve: olmsolve.toml: cannot be read: Permission denied\n"


def test_where_shows_what_is_taken(
    olmsolve: Run, folder: Path, snapshot: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first question when a command answers about something else than was meant."""
    for name in ("REQUESTS_CA_BUNDLE", "REGISTRY_AUTH_FILE", "DOCKER_CONFIG", "KUBECONFIG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OLMSOLVE_INDEX_CACHE", "indexes")
    more = 'semantics = "controller"\nopenshift = "4.20"\nhouse-rules = "rules.yaml"\n'
    image = 'mirror = "registry.example.com/catalog:v1"\n'
    (folder / "olmsolve.toml").write_text(more + FILE + image, "utf-8")
    assert callable(snapshot)
    snapshot("where.txt", olmsolve("where").out.rstrip())


def test_python_reads_the_same_file(folder: Path) -> None:
    """A program and the command line answer alike."""
    project_file = project()
    assert project_file is not None
    situation = project_file.situation()
    assert [question.name for question in situation.questions] == ["shop", "warehouse"]
    assert project(folder / "catalogs") is not None
    (folder / "olmsolve.toml").write_text("semantics = 'x'", "utf-8")
    with pytest.raises(library.RequestError, match=r"^olmsolve\.toml: semantics: there is no 'x'"):
        project()
    (folder / "olmsolve.toml").write_text("semantics = 'controller'", "utf-8")
    aimless = project()
    assert aimless is not None
    with pytest.raises(library.RequestError, match="the project names no cluster"):
        aimless.situation()
    (folder / "olmsolve.toml").write_text("cluster = 'live'", "utf-8")
    live = project()
    assert live is not None
    with pytest.raises(library.RequestError, match="a running cluster is read by"):
        live.situation()


def test_help_needs_no_project_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever has a broken file reads in the help how it should be."""
    (folder / "olmsolve.toml").write_text("x", "utf-8")
    with pytest.raises(SystemExit):
        main(["plan", "--help"])
    assert "usage: olmsolve plan" in capsys.readouterr().out


def test_where_answers_programs(olmsolve: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A script reads the catalogs of the project as people do."""
    monkeypatch.setenv("OLMSOLVE_INDEX_CACHE", "/cache")
    data = json.loads(olmsolve("where", "--output", "json").out)
    assert faults("where", data) == []
    assert data["settings"][0] == {"name": "cluster", "value": "cluster.yaml", "file": "olmsolve.toml"}
    assert data["variables"]["OLMSOLVE_INDEX_CACHE"] == "/cache"
    (folder / "olmsolve.toml").unlink()
    assert json.loads(olmsolve("where", "--output", "json").out)["settings"] == []


DIGEST: Final = f"quay.example.com/orchard@sha256:{'a' * 64}"


def _with_pod_and_cluster_catalog(folder: Path) -> None:
    """Put the pod that serves olm/orchard into the dump, a catalog of OLM v1, and a file of olm/commons."""
    dump = yaml.safe_load((folder / "cluster.yaml").read_text("utf-8"))
    orchard, commons = dump["items"][:2]
    assert orchard["metadata"]["name"] == "orchard"
    commons["metadata"]["annotations"] = {"olmsolve/file": "catalogs/commons"}
    status = {"containerStatuses": [{"imageID": f"docker-pullable://{DIGEST}"}]}
    metadata = {"name": "orchard-x", "namespace": "olm", "labels": {"olm.catalogSource": "orchard"}}
    dump["items"].append({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "status": status})
    resolved = {"resolvedSource": {"image": {"ref": f"quay.example.com/main@sha256:{'b' * 64}"}}}
    spec = {"source": {"type": "Image", "image": {"ref": "quay.example.com/main:latest"}}, "priority": 5}
    main = {"kind": "ClusterCatalog", "metadata": {"name": "main"}, "spec": spec, "status": resolved}
    dump["items"].append({"apiVersion": "olm.operatorframework.io/v1", **main})
    (folder / "cluster.yaml").write_text(yaml.safe_dump(dump), "utf-8")


def test_catalogs_are_taken_from_the_cluster(olmsolve: Run, folder: Path) -> None:
    """A project that names a cluster names its catalogs: with priorities, and with digests where they are known."""
    _with_pod_and_cluster_catalog(folder)
    (folder / "olmsolve.toml").write_text('cluster = "cluster.yaml"\n', "utf-8")
    rows = [" ".join(line.split()) for line in olmsolve("where").out.splitlines()]
    assert rows[1] == "cluster cluster.yaml olmsolve.toml"
    assert f"catalog olm/orchard = {DIGEST}, priority 10 cluster.yaml" in rows
    assert "catalog olm/commons = catalogs/commons cluster.yaml" in rows
    assert f"catalog main = quay.example.com/main@sha256:{'b' * 64}, priority 5 cluster.yaml" in rows
    project_file = project()
    assert project_file is not None
    assert project_file.catalogs_of_cluster()["olm/orchard"].path == DIGEST
    assert project_file.catalogs_of_cluster()["olm/commons"].priority == 0


def test_a_subscription_is_resolved_over_the_catalogs_of_the_cluster(olmsolve: Run, folder: Path) -> None:
    """What is typed is the wish; the cluster says which catalogs there are, and which comes first."""
    dump = yaml.safe_load((folder / "cluster.yaml").read_text("utf-8"))
    for catalog in dump["items"][:2]:
        catalog["metadata"]["annotations"] = {"olmsolve/file": f"catalogs/{catalog['metadata']['name']}"}
    (folder / "cluster.yaml").write_text(yaml.safe_dump(dump), "utf-8")
    (folder / "olmsolve.toml").write_text('cluster = "cluster.yaml"\n', "utf-8")
    wished = olmsolve("resolve", "--subscribe", "storefront@2.x")
    given = ("--catalog", "olm/orchard=catalogs/orchard:10", "--catalog", "olm/commons=catalogs/commons")
    assert wished == olmsolve("resolve", "--subscribe", "storefront@2.x", *given)
    assert "storefront.v2.1.0" in wished.out


def test_a_project_file_is_written_of_a_cluster(olmsolve: Run, folder: Path) -> None:
    """Names, digests and priorities of today, so that tomorrow's answers are about the same catalogs."""
    _with_pod_and_cluster_catalog(folder)
    (folder / "below").mkdir()
    outcome = olmsolve("where", "--cluster", "cluster.yaml", "--to", "below/olmsolve.toml")
    assert (outcome.code, outcome.out, outcome.err) == (0, "", "")
    written = project(folder / "below")
    assert written is not None
    assert written.cluster == ("../cluster.yaml",)
    assert {name: (catalog.path, catalog.priority) for name, catalog in written.catalogs.items()} == {
        "olm/orchard": (DIGEST, 10),
        "olm/commons": ("../catalogs/commons", 0),
        "main": (f"quay.example.com/main@sha256:{'b' * 64}", 5),
    }
    assert "there is a file already" in olmsolve("where", "--cluster", "cluster.yaml", "--to", "olmsolve.toml").err
    assert "--to writes a project file about a cluster" in olmsolve("where", "--to", "x.toml").err
    assert olmsolve("where", "--cluster", "nowhere.yaml").code == 2
    (folder / "olmsolve.toml").write_text('cluster = "nowhere.yaml"\n', "utf-8")
    where = olmsolve("where")
    assert where.code == 0
    assert "the catalogs of the cluster are not known: nowhere.yaml: cannot be read" in where.err


def test_a_catalog_of_the_project_takes_several_clusters_in(olmsolve: Run, folder: Path) -> None:
    """Two dumps are a list in the written file."""
    (folder / "more.yaml").write_text("apiVersion: v1\nkind: Namespace\nmetadata: {name: more}\n", "utf-8")
    assert olmsolve("where", "--cluster", "cluster.yaml", "more.yaml", "--to", "two.toml").code == 0
    assert (folder / "two.toml").read_text("utf-8").startswith('cluster = ["cluster.yaml", "more.yaml"]\n')
