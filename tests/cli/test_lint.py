"""``olmsolve lint``: what it prints, and the exit code that scripts decide by."""

from __future__ import annotations

import json
from collections.abc import Callable
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


def test_json_holds_every_finding(olmsolve: Run, written: Callable[..., str]) -> None:
    """Programs get the fields instead of the sentence."""
    outcome = olmsolve("lint", written("catalog", PACKAGE, CHANNEL, bundle(NEAR)), "--output", "json")
    report = json.loads(outcome.out)
    assert (report["schema"], report["schemaVersion"]) == ("olmsolve.findings", 1)
    (finding,) = report["findings"]
    assert (finding["code"], finding["bundle"], finding["origin"]) == ("property-type", "p.v1.0.0", "catalog:3")


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
    assert counts.startswith("Second opinions: 1 of 1 ranges and 0 of 0 rules judged; 1 answers, 0 differing for")
    assert json.loads(olmsolve("lint", path, "--second-opinion", "--output", "json").out)["findings"] == []
