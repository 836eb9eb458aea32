"""No two commands contradict each other: all dumps and failures, and mutants of them, asked by every command.

OLMSOLVE_TESTS=long tries 18 mutants of each, and the short run one of every third; a fault of a mutant is repeated by
its seed, which the test's name has.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.cli.commands import Outcome, Run
from tests.scale import sampled, scaled
from tests.scenarios.agreement.comparing import Asked
from tests.scenarios.agreement.mutants import Cluster, cluster_of, mutants
from tests.scenarios.dumps.test_dumps import scenarios
from tests.scenarios.failures.test_failures import failures
from tests.schemas import bundles_of, faults

SEED = 2026
MUTANTS = scaled(18, 18)


@cache
def clusters() -> dict[str, dict[str, Any]]:
    """Every dump and every failure, in short notation, by name."""
    return {**scenarios(), **failures()}


def contradictions(cluster: Cluster, olmsolve: Run, arguments: Sequence[str]) -> list[str]:
    """What the commands contradict each other about; *arguments* name the files of *cluster*."""
    packages: dict[str, str] = {}
    for item in cluster.items:
        if item.get("kind") == "ClusterExtension":
            package = _inside(item, "spec", "source", "catalog", "packageName")
            packages[str(_inside(item, "metadata", "name"))] = (
                package if isinstance(package, str) and package else "etcd"
            )
    return list(Asked(olmsolve, arguments, packages).contradictions())


def _inside(value: Any, *fields: str) -> Any:
    """The value below *fields*, None where a mutant has none."""
    for field in fields:
        value = value.get(field) if isinstance(value, dict) else None
    return value


@pytest.mark.parametrize("name", clusters())
def test_all_commands_agree(answered: Run, written: Callable[[Mapping[str, Any]], tuple[str, ...]], name: str) -> None:
    """About the small clusters as they are."""
    scenario = clusters()[name]
    assert contradictions(cluster_of(scenario), answered, written(scenario)) == []


@pytest.mark.parametrize("name", clusters())
def test_every_answer_has_its_schema(
    answered: Run, written: Callable[[Mapping[str, Any]], tuple[str, ...]], name: str
) -> None:
    """Programs read what the commands print about a cluster: all its questions at once, and each alone."""
    documents: list[tuple[str, Any]] = []

    def noting(*arguments: object) -> Outcome:
        outcome = answered(*arguments)
        if "json" in arguments and outcome.out:
            documents.append((str(arguments[0]), json.loads(outcome.out)))
        return outcome

    scenario = clusters()[name]
    contradictions(cluster_of(scenario), noting, written(scenario))
    alone = [document for verb, document in documents if verb == "resolve"][-1]
    for bundle in list(bundles_of(alone))[:2]:
        noting("why", bundle, *written(scenario), "-o", "json")
        noting("why-not", bundle.partition(".")[0], "--version", "9.9.9", *written(scenario), "-o", "json")
    assert documents
    assert [(verb, schema_faults) for verb, document in documents if (schema_faults := faults(verb, document))] == []


@pytest.mark.parametrize("name", sampled(list(clusters()), 3))
def test_all_commands_agree_about_mutants(olmsolve: Run, tmp_path: Path, name: str) -> None:
    """About clusters with something gone, doubled or broken, which nobody has thought of."""
    for cluster in mutants(clusters()[name], Random(f"{SEED}/{name}"), MUTANTS):
        differences = contradictions(cluster, olmsolve, cluster.arguments(tmp_path))
        assert differences == [], cluster.mutation
