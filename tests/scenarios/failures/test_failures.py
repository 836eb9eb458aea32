"""Failures that administrators meet: the first lines name the cause and a way out, and the way leads out."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cli.commands import Run
from tests.scenarios.dumps.files import cluster_arguments, operators_at_the_end
from tests.yaml_files import yaml_documents

FILE: Final = Path(__file__).with_name("failures.yaml")
FIRST_LINES: Final = 10


@cache
def failures() -> dict[str, dict[str, Any]]:
    """Every failure, in the notation of dumps (README.md beside them), by name."""
    return {document["name"]: document for document in yaml_documents(FILE)}


@pytest.fixture(params=list(failures()))
def failure(request: pytest.FixtureRequest) -> dict[str, Any]:
    """One failure after the other."""
    return failures()[request.param]


def test_the_first_lines_name_the_cause_and_a_way_out(olmsolve: Run, tmp_path: Path, failure: dict[str, Any]) -> None:
    """Nobody should have to scroll; ``says`` holds words of both."""
    outcome = olmsolve("resolve", *cluster_arguments(failure, tmp_path), *failure.get("ask", ()))
    first = " ".join(" ".join(outcome.out.splitlines()[:FIRST_LINES]).split())
    assert (outcome.code, outcome.err) == (1, "")
    assert [words for words in failure["says"] if words not in first] == [], outcome.out


def test_the_way_leads_out(olmsolve: Run, tmp_path: Path, failure: dict[str, Any]) -> None:
    """The cluster after the change (``then``) comes to rest, with nothing left and the operators that were wanted."""
    changed = {**failure, **failure["then"]}
    changed["catalogs"] = {**failure["catalogs"], **failure["then"].get("catalogs", {})}
    arguments = cluster_arguments(changed, tmp_path)
    outcome = olmsolve("simulate", *arguments, *failure.get("ask", ()), "-o", "json")
    simulated = json.loads(outcome.out)
    assert (outcome.code, simulated["ended"], simulated["left"]) == (0, "rest", [])
    assert operators_at_the_end(changed, simulated) == failure["ends"], failure["learn"]


def test_all_commands_fail_alike(
    answered: Run, written: Callable[[Mapping[str, Any]], tuple[str, ...]], failure: dict[str, Any]
) -> None:
    """``explain`` and ``plan`` end as ``resolve`` does, and the simulation leaves the namespace over."""
    arguments = (*written(failure), *failure.get("ask", ()))
    assert {verb: answered(verb, *arguments).code for verb in ("explain", "plan")} == {"explain": 1, "plan": 1}
    outcome = answered("simulate", *arguments, "-o", "json")
    assert outcome.code == 1
    assert "namespaceUnresolved" in {report["kind"] for report in json.loads(outcome.out)["left"]}
