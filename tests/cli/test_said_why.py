"""Every command that ends with 2 or more says why on standard error, whatever is wrong with its files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest

from olmsolve.cli import COMMANDS
from tests.cli.commands import Run
from tests.cli.small_cluster import CONTENTS, blobs, catalog_source, cluster_catalog, extension, namespace, write

CLUSTER: Final = ("--cluster", "dump.yaml", *CONTENTS)
CALLS: Final[dict[str, tuple[str, ...]]] = {
    "resolve": CLUSTER,
    "explain": CLUSTER,
    "why": ("etcd.v2", *CLUSTER),
    "why-not": ("etcd", "--version", "3.0.0", *CLUSTER),
    "diff": ("--compare-semantics", *CLUSTER),
    "lint": ("catalog.json",),
    "validate": ("catalog.json",),
    "path": ("--cluster", "dump.yaml", *CONTENTS),
    "graph": ("catalog.json",),
    "render": ("catalog.json",),
    "catalog": ("merge", "catalog.json"),
    "template": ("template.yaml", "--catalog", "catalog.json"),
    "index": ("catalog.json",),
    "audit": ("--catalog", "main=catalog.json"),
    "plan": CLUSTER,
    "simulate": CLUSTER,
    "blocking": ("--openshift", "4.18.3", *CLUSTER),
    "journey": ("--openshift", "4.18", "--to", "4.19", *CLUSTER),
    "groups": ("--cluster", "dump.yaml"),
    "metrics": ("--simulated", *CLUSTER),
    "migrate": CLUSTER,
    "crd-check": ("--old", "dump.yaml", "--new", "dump.yaml"),
    "certify": (*CLUSTER, "--namespace", "shop"),
    "verify": ("certificate.json", *CLUSTER, "--namespace", "shop"),
}
"""A call of each command about clusters and catalogs that works while its files are whole."""
WITHOUT_FILES: Final = frozenset({"backends", "completion", "demo", "help", "schema"})
"""Commands that read no files of their users."""
OTHERS: Final = frozenset(COMMANDS) - CALLS.keys() - WITHOUT_FILES
"""Commands whose files are others: their own tests hold them to the same."""

TWO_HEADS: Final = [
    {**blob, "entries": [{"name": blob["entries"][0]["name"]}, {"name": blob["entries"][-1]["name"]}]}
    if blob["schema"] == "olm.channel"
    else blob
    for blob in blobs()
]
BROKEN: Final[dict[str, str | bytes | None]] = {
    "no file": None,
    "empty": "",
    "white space": " \n ",
    "no JSON": "{ nothing",
    "no YAML": "a: [1, 2",
    "another document": "[1, 2]",
    "a text": '"text"',
    "binary": b"\x00\x01\x02",
    "no UTF-8": b"a: \xff\xfe",
    "an object without a kind": '{"apiVersion": "v1"}',
    "a List without items": '{"apiVersion": "v1", "kind": "List"}',
    "a List of numbers": '{"apiVersion": "v1", "kind": "List", "items": [1]}',
    "a blob without a schema": '{"name": "x"}',
    "two heads": "\n".join(map(json.dumps, TWO_HEADS)),
}


@pytest.fixture(autouse=True)
def _whole_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, olmsolve: Run) -> None:
    monkeypatch.chdir(tmp_path)
    write(*namespace(), catalog_source(), extension(), cluster_catalog())
    Path("template.yaml").write_text("schema: olm.template.basic\nentries: []\n", "utf-8")
    assert olmsolve(*("certify", *CALLS["certify"], "--to", "certificate.json")).code == 0


@pytest.mark.parametrize("fault", BROKEN)
def test_every_end_with_two_or_more_is_explained(olmsolve: Run, fault: str) -> None:
    """A code alone leaves people with nothing to look at, and scripts with nothing to log."""
    content = BROKEN[fault]
    for name in ("dump.yaml", "catalog.json", "template.yaml", "certificate.json"):
        whole = Path(name).read_bytes()
        if content is None:
            Path(name).unlink()
        else:
            Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
        for command, call in CALLS.items():
            if not any(name in argument for argument in call):
                continue
            outcome = olmsolve(command, *call)
            assert outcome.code <= 3, (command, name, outcome.err)
            is_told = any(line.startswith("olmsolve") and ": " in line for line in outcome.err.splitlines())
            assert is_told or outcome.code < 2, (command, name, outcome)
        Path(name).write_bytes(whole)


def test_files_whose_reading_fails_are_told(olmsolve: Run) -> None:
    """A folder in place of a file, and a file that nobody may read."""
    Path("folder").mkdir()
    for command, call in CALLS.items():
        arguments = [argument.replace("dump.yaml", "folder").replace("catalog.json", "folder") for argument in call]
        outcome = olmsolve(command, *arguments)
        assert outcome.code <= 3, (command, outcome.err)
        assert "olmsolve" in outcome.err or outcome.code < 2, (command, outcome)


def test_the_calls_are_those_of_all_commands() -> None:
    """A command that is added later is called here, or tests its own files."""
    assert {"template", "verify", "resolve"} <= CALLS.keys()
    # `serve` answers until it is told to end (tests/serving), `bundle` reads images alone (tests/images), and `where`
    # nothing but the project file (tests/cli/test_project.py).
    assert len(OTHERS - {"serve", "bundle", "where"}) <= 6, OTHERS
