"""The state of each operator and the timeline of each subscription, for the dumps of tests/scenarios.

What is expected follows from the sentence that each dump teaches.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

import olmsolve
from olmsolve.lifecycle.planning import explained_failures
from olmsolve.render.simulations import TimelineRow, extension_rows, subscription_rows
from olmsolve.render.situation_items import Item, ItemState, planned_group
from tests.scenarios.dumps.files import cluster_arguments
from tests.yaml_files import yaml_documents

DUMPS: Final = Path(__file__).parents[1] / "scenarios/dumps"


@cache
def scenarios() -> dict[str, dict[str, Any]]:
    return {document["name"]: document for file in sorted(DUMPS.glob("*.yaml")) for document in yaml_documents(file)}


def situation(name: str, folder: Path) -> olmsolve.Situation:
    _, dump, *rest = cluster_arguments(scenarios()[name], folder)
    return olmsolve.read_situation(dump, catalogs=dict(argument.split("=", 1) for argument in rest[1::2]))


def items(name: str, folder: Path) -> list[Item]:
    plan = olmsolve.plan(situation(name, folder))
    return [item for namespace in plan.namespaces for item in planned_group(namespace).items]


STATES: Final = {
    "at rest": [ItemState.REST, ItemState.REST],
    "one edge at a time": [ItemState.UPDATE],
    "bad release skipped": [ItemState.UPDATE],
    "plan waits for approval": [ItemState.WAITS],
    "one manual subscription": [ItemState.WAITS, ItemState.WAITS],
    "plan has failed": [ItemState.BROKEN],
    "operator has failed": [ItemState.UNRESOLVED, ItemState.BROKEN],
}


@pytest.mark.parametrize("name", STATES)
def test_states(name: str, tmp_path: Path) -> None:
    """Each operator is in the state that the dump is about."""
    assert [item.state for item in items(name, tmp_path)] == STATES[name]


def test_updates_say_from_where_to_where(tmp_path: Path) -> None:
    """The next update only: OLM moves along one edge at a time, which the story says of the others."""
    (item,) = items("one edge at a time", tmp_path)
    assert (item.current, item.following) == ("ledger.v1.0.0", "ledger.v1.1.0")
    assert (item.title, item.where) == ("subscription ledger", "stable, olm/community")
    assert len(item.story) == 1
    assert item.story[0].startswith("held back: ledger.v1.3.0 ")


def test_what_blocks_is_told_with_the_operator(tmp_path: Path) -> None:
    """The plan that waits, the plan that failed and the operator that refuses are part of the operator's story."""
    for name, words in (
        ("plan waits for approval", "install-8xk2p waits for approval"),
        ("plan has failed", "exceeded quota"),
        ("operator refuses the update", "accounts are moved"),
    ):
        (item,) = items(name, tmp_path)
        assert any(words in line for line in item.story), name


def test_an_orphan_has_an_item_of_its_own(tmp_path: Path) -> None:
    """It belongs to no subscription, and is what blocks the others."""
    orphans = [item for item in items("orphan", tmp_path) if item.title == "no subscription"]
    assert len(orphans) == 1
    assert any("belongs to no subscription" in line for line in orphans[0].story)


def test_deprecations_are_remarks(tmp_path: Path) -> None:
    """A deprecated operator works and may be at rest; the mark stands beside the state."""
    assert [item.remarks for item in items("deprecated", tmp_path) if item.remarks] == [("deprecated",)]


def test_faults_of_the_objects_are_failures_without_explanation(tmp_path: Path) -> None:
    """The number of operator groups says all there is; nothing was resolved that could be explained."""
    dumped = situation("number of operator groups", tmp_path)
    plan = olmsolve.plan(dumped)
    failing = [planned_group(namespace) for namespace in plan.namespaces if namespace.failures]
    assert failing
    assert all("operator group" in group.failures[0] for group in failing)
    explained = explained_failures(plan, dumped)
    assert {answer.question.name for answer in explained}.isdisjoint(group.namespace for group in failing)


def test_each_failure_that_was_resolved_is_explained(tmp_path: Path) -> None:
    """One wish blocks its namespace, and no other: there is one explanation, with a way out."""
    dumped = situation("one wish blocks its namespace", tmp_path)
    (answer,) = explained_failures(olmsolve.plan(dumped), dumped)
    assert answer.question.name == "bank"
    assert answer.value is not None
    assert len(answer.value.conflicts) == 1
    assert answer.value.fixes


def spans(rows: tuple[TimelineRow, ...]) -> dict[str, list[tuple[int, int, str, str]]]:
    return {
        "/".join(filter(None, (row.group, row.name))): [
            (span.first, span.last, span.moment.label, span.moment.kind) for span in row.spans
        ]
        for row in rows
    }


def test_a_timeline_has_each_operator_from_step_to_step(tmp_path: Path) -> None:
    """Three steps, three updates; a bound on the columns cuts the rows as well."""
    simulation = olmsolve.simulate(situation("one edge at a time", tmp_path))
    rows = spans(subscription_rows(simulation, 100))
    assert rows == {
        "bank/ledger": [
            (0, 0, "ledger.v1.0.0", "good"),
            (1, 1, "ledger.v1.1.0", "good"),
            (2, 2, "ledger.v1.2.0", "good"),
            (3, 3, "ledger.v1.3.0", "good"),
        ]
    }
    assert spans(subscription_rows(simulation, 1)) == {"bank/ledger": rows["bank/ledger"][:2]}


def test_a_timeline_marks_what_waits_and_what_does_not_work(tmp_path: Path) -> None:
    """A plan that waits stays so to the end, and rows at rest are still."""
    waiting = olmsolve.simulate(situation("plan waits for approval", tmp_path))
    assert {span[3] for row in spans(subscription_rows(waiting, 9)).values() for span in row} == {"waits"}
    resting = subscription_rows(olmsolve.simulate(situation("at rest", tmp_path)), 9)
    assert [row.is_still for row in resting] == [True, True]


def test_extensions_have_a_timeline_of_rounds(tmp_path: Path) -> None:
    """Updates in turn; one that fails is marked from the beginning."""
    extensions = olmsolve.simulate(situation("extensions alone", tmp_path)).extensions
    assert extensions is not None
    rows = spans(extension_rows(extensions, 100))
    last = len(extensions.rounds)
    assert all(row[0][0] == 0 and row[-1][1] == last for row in rows.values())
    for update in extensions.rounds[0].updates if extensions.rounds else ():
        assert rows[update.extension][1][:3][0::2] == (1, update.bundle)
    assert {name for name, row in rows.items() if row[-1][3] == "bad"} == {
        extension.extension for extension in extensions.failed
    }
