"""Without the content of catalogs: what the objects alone tell is told, and what is missing is named once."""

from __future__ import annotations

import json
import shutil
import tarfile
from pathlib import Path
from typing import Final

import pytest

from tests.cli.commands import Run

EXAMPLES: Final = Path(__file__).parents[2] / "olmsolve" / "examples"
COMMANDS: Final = [["plan"], ["resolve"], ["explain"], ["simulate"], ["path"], ["why", "ember"], ["why-not", "ember"]]
MISSING: Final = "CatalogSource olm/commons: its content was not given"


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """The stuck cluster, packed as somebody sends it."""
    path = tmp_path / "stuck.tgz"
    with tarfile.open(path, "w:gz") as packed:
        packed.add(EXAMPLES / "stuck.yaml", "dump/stuck.yaml")
    return path


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_what_the_objects_say_is_told(olmsolve: Run, archive: Path, command: list[str]) -> None:
    """Whoever has an archive and no catalog hears at once that a plan waits; the catalog of both namespaces is one."""
    outcome = olmsolve(*command, "--cluster", archive)
    text = " ".join(outcome.out.split())
    assert outcome.code == 2
    assert "install plan lab/install-7x2kd waits for approval: ember.v1.2.0" in text
    assert "operator tools/ember.v1.1.0 is Failed (InterOperatorGroupOwnerConflict:" in text
    assert text.count("depends on catalog olm/commons: its content was not given.") == 2
    assert outcome.err.count(MISSING) == 1
    assert "--catalog olm/commons=PATH" in outcome.err


def test_one_namespace_alone(olmsolve: Run, archive: Path) -> None:
    """The chosen question is answered in the same words, as text and as data."""
    for command in (["resolve"], ["plan"]):
        outcome = olmsolve(*command, "--cluster", archive, "--namespace", "lab")
        assert "waits for approval" in outcome.out
        assert outcome.err.count(MISSING) == 1
    document = json.loads(olmsolve("resolve", "--cluster", archive, "--namespace", "lab", "-o", "json").out)
    assert [hindrance["kind"] for hindrance in document["hindrances"]] == ["planWaits"]
    assert MISSING in document["error"]


def test_documents_for_programs_have_no_half_of_an_answer(olmsolve: Run, archive: Path) -> None:
    """`plan -o yaml` writes objects to apply: an empty list would look like "nothing to do"."""
    for form in ("yaml", "json", "html"):
        outcome = olmsolve("plan", "--cluster", archive, "-o", form)
        assert (outcome.code, outcome.out) == (2, "")
        assert outcome.err.count(MISSING) == 1


def test_some_namespaces_have_their_content(olmsolve: Run, tmp_path: Path) -> None:
    """The others are planned for as ever."""
    outcome = olmsolve("plan", "--cluster", EXAMPLES / "stuck.yaml", *_lab_catalog(tmp_path))
    assert outcome.code == 2
    # What is planned comes first.
    tools, lab = outcome.out.split("Namespace lab")
    assert "install plan 1: Installing" in tools
    assert "waits for approval" in lab
    assert "depends on catalog lab/own: its content was not given" in " ".join(lab.split())
    assert outcome.err.count("CatalogSource lab/own: its content was not given") == 1


def _lab_catalog(folder: Path) -> list[str]:
    """A catalog that only the namespace lab sees, and the content of the other one."""
    metadata = {"name": "own", "namespace": "lab"}
    api = "operators.coreos.com/v1alpha1"
    own = {"apiVersion": api, "kind": "CatalogSource", "metadata": metadata, "spec": {"sourceType": "grpc"}}
    (folder / "own.json").write_text(json.dumps(own), "utf-8")
    shutil.copytree(EXAMPLES / "catalogs", folder / "catalogs")
    return ["--cluster", str(folder / "own.json"), "--catalog", f"olm/commons={folder / 'catalogs' / 'commons'}"]


def test_objects_that_say_nothing(olmsolve: Run, tmp_path: Path) -> None:
    """Nothing is guessed: not even that all is well."""
    shutil.copy(EXAMPLES / "cluster.yaml", tmp_path)
    outcome = olmsolve("plan", "--cluster", tmp_path / "cluster.yaml", "--namespace", "warehouse")
    assert outcome.code == 2
    assert "The cluster's objects report nothing that holds it back." in outcome.out
    assert "depends on the content of catalogs olm/commons and olm/orchard, which is missing." in " ".join(
        outcome.out.split()
    )


def test_a_broken_file_is_a_warning(olmsolve: Run, tmp_path: Path) -> None:
    """Its name is told, and that the answer lacks its objects."""
    shutil.copy(EXAMPLES / "stuck.yaml", tmp_path)
    (tmp_path / "cut.yaml").write_text("kind: [", "utf-8")
    outcome = olmsolve("groups", "--cluster", tmp_path)
    assert "left out, so its objects are missing from the answer:" in outcome.err
    assert "cut.yaml" in outcome.err
    assert "lab" in outcome.out
