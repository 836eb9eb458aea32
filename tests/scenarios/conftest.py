"""Fixtures for tests that ask about dumps on the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from tests.cli.commands import Outcome, Run, runner
from tests.scenarios.dumps.files import cluster_arguments


@pytest.fixture
def olmsolve(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command line in this process."""
    return runner(capsys)


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Mapping[str, Any]], tuple[str, ...]]:
    """Write each scenario's cluster once; return the options that name its files, which no test changes."""
    known: dict[str, tuple[Mapping[str, Any], tuple[str, ...]]] = {}

    def arguments(scenario: Mapping[str, Any]) -> tuple[str, ...]:
        name = scenario["name"]
        if name not in known:
            known[name] = scenario, cluster_arguments(scenario, tmp_path_factory.mktemp("cluster"))
        same, known_arguments = known[name]
        assert same == scenario, name
        return known_arguments

    return arguments


@pytest.fixture(scope="session")
def outcomes() -> dict[tuple[str, ...], Outcome]:
    """What commands said of the clusters of *written*, by their arguments."""
    return {}


@pytest.fixture
def answered(olmsolve: Run, outcomes: dict[tuple[str, ...], Outcome]) -> Run:
    """Run each command once for all tests that look at its answer: only for the clusters of *written*.

    A command takes ten times as long as a look at its answer.
    """

    def run(*arguments: object) -> Outcome:
        key = tuple(map(str, arguments))
        if key not in outcomes:
            outcomes[key] = olmsolve(*key)
        return outcomes[key]

    return run
