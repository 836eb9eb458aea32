"""``olmsolve lint``: what it prints, and the exit code that scripts decide by."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import Run

PACKAGE = {"schema": "olm.package", "name": "p", "defaultChannel": "stable"}
CHANNEL = {"schema": "olm.channel", "package": "p", "name": "stable", "entries": [{"name": "p.v1.0.0"}]}
OWN = {"type": "olm.package", "value": {"packageName": "p", "version": "1.0.0"}}
NEAR = {"type": "olm.gvk.require", "value": {}}
BAD = {"type": "olm.constraint", "value": {"cel": {"rule": "\x1b[31m"}}}


def bundle(*properties: dict[str, Any]) -> dict[str, Any]:
    return {"schema": "olm.bundle", "package": "p", "name": "p.v1.0.0", "properties": [OWN, *properties]}


@pytest.mark.parametrize(
    ("properties", "code", "last"),
    [([], 0, "Nothing found."), ([NEAR], 0, "1 warning"), ([NEAR, BAD, NEAR], 1, "1 error, 2 warnings")],
    ids=["clean", "warning", "error"],
)
def test_errors_alone_fail(
    olmsolve: Run, written: Callable[..., str], properties: list[dict[str, Any]], code: int, last: str
) -> None:
    """A pipeline must not stop for what only looks odd."""
    outcome = olmsolve("lint", written("catalog", PACKAGE, CHANNEL, bundle(*properties)))
    assert (outcome.code, outcome.err) == (code, "")
    assert outcome.out.splitlines()[-1] == last
    assert len(outcome.out.splitlines()) == len(properties) + 1
    assert "\x1b" not in outcome.out


def test_several_catalogs_are_read_one_by_one(olmsolve: Run, written: Callable[..., str]) -> None:
    """A hook that runs before a commit names all files that have changed."""
    clean, odd = written("clean", PACKAGE, CHANNEL, bundle()), written("odd", PACKAGE, CHANNEL, bundle(NEAR))
    outcome = olmsolve("lint", clean, odd, clean)
    assert outcome.code == 0
    first, finding, second = outcome.out.splitlines()
    assert (first, second) == (f"{clean}: nothing found.", f"{odd}: 1 warning.")
    assert finding.startswith(odd)
    assert len(json.loads(olmsolve("lint", clean, odd, "--output", "json").out)["findings"]) == 1
    assert olmsolve("lint", clean, odd, "--output", "junit").out.count("<testsuite ") == 2


def test_json_holds_every_finding(olmsolve: Run, written: Callable[..., str]) -> None:
    """Programs get the fields instead of the sentence."""
    path = written("catalog", PACKAGE, CHANNEL, bundle(NEAR))
    outcome = olmsolve("lint", path, "--output", "json")
    report = json.loads(outcome.out)
    assert (report["schema"], report["schemaVersion"]) == ("olmsolve.findings", 1)
    (finding,) = report["findings"]
    column = Path(path).read_text().splitlines()[2].index(json.dumps(NEAR)) + len("{") + 1
    where = f"catalog:3:{column}"
    assert (finding["code"], finding["bundle"], finding["origin"]) == ("property-type", "p.v1.0.0", where)


def test_findings_point_at_the_field(olmsolve: Run, tmp_path: Path) -> None:
    """A bundle has hundreds of lines; the column is left out only where several documents share a line."""
    head = "schema: olm.package\nname: p\ndefaultChannel: c\n---\n"
    channel = 'schema: olm.channel\npackage: p\nname: c\nentries:\n- name: p.v1.0.0\n  skipRange: "<1.0.0 >2.0.0"\n'
    (tmp_path / "text.yaml").write_text(head + channel)
    blobs = [PACKAGE, CHANNEL | {"entries": [{"name": "p.v1.0.0", "skipRange": "<1.0.0 >2.0.0"}]}]
    (tmp_path / "crowd.json").write_text(" ".join(map(json.dumps, blobs)))
    assert olmsolve("lint", str(tmp_path / "text.yaml")).out.startswith(f"{tmp_path}/text.yaml:10:3: package p")
    assert olmsolve("lint", str(tmp_path / "crowd.json")).out.startswith(f"{tmp_path}/crowd.json:1: package p")


def test_what_is_no_catalog_is_bad_input(olmsolve: Run, written: Callable[..., str]) -> None:
    """That nothing could be checked must not look like nothing found."""
    outcome = olmsolve("lint", written("catalog", {"hello": "world"}))
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("olmsolve: catalog")


def test_second_opinions_are_counted(olmsolve: Run, written: Callable[..., str]) -> None:
    """The last line says how much was judged; JSON has findings alone."""
    needs = {"type": "olm.package.required", "value": {"packageName": "p", "versionRange": ">=1.0.0"}}
    path = written("catalog", PACKAGE, CHANNEL, bundle(needs))
    outcome = olmsolve("lint", path, "--second-opinion")
    assert (outcome.code, outcome.err) == (0, "")
    nothing, counts = outcome.out.splitlines()
    assert nothing == "Nothing found."
    assert counts.startswith("Second opinions: 1 of 1 range and 0 of 0 rules judged; 1 answer, 0 differ for")
    assert json.loads(olmsolve("lint", path, "--second-opinion", "--output", "json").out)["findings"] == []
