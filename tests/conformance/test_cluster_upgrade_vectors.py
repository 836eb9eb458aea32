"""Recorded verdicts on upgrades: conditions of operators, fail forward, and what blocks the cluster's own update."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from olmsolve.cluster.conditions import not_upgradeable
from olmsolve.cluster.fail_forward import (
    FailForwardError,
    chain_ends_in_failure,
    fail_forward_enabled,
    last_of_chain,
    replacements,
)
from olmsolve.cluster.objects import ClusterServiceVersion, Condition, Metadata, OperatorCondition, OperatorGroup
from tests.recorded import Record
from tests.recorded_rules import rule_records


def accepted(record: Record) -> list[Any]:
    return [record["out"], *record.get("alternatives", ())]


def conditions(given: list[Mapping[str, Any]] | None) -> tuple[Condition, ...]:
    return tuple(
        Condition(
            type=item["type"],
            status=item["status"],
            message=item["message"],
            observed_generation=item.get("observedGeneration", 0),
        )
        for item in given or ()
    )


def test_operators_may_be_replaced_as_recorded() -> None:
    """Overrides, outdated conditions and unknown ones, in the product's words."""
    for record in rule_records("operator_upgradeable"):
        given = record["in"]["operatorCondition"]
        condition = given and OperatorCondition(
            metadata=Metadata(record["in"]["csv"], "ns", generation=given["generation"]),
            conditions=conditions(given["conditions"]),
            overrides=conditions(given["overrides"]),
        )
        refused = not_upgradeable(condition)
        answer = {"upgradeable": not refused, "error": refused or None}
        assert answer in accepted(record), record["id"]


def test_fail_forward_is_switched_on_as_recorded() -> None:
    """One group, and exactly the one strategy."""
    for record in rule_records("fail_forward_enabled"):
        groups = [
            OperatorGroup(metadata=Metadata(given["name"], "ns"), upgrade_strategy=given["upgradeStrategy"])
            for given in record["in"]["operatorGroups"] or ()
        ]
        answer: dict[str, Any]
        try:
            answer = {"enabled": fail_forward_enabled(groups), "error": None}
        except FailForwardError as error:
            answer = {"enabled": False, "error": str(error)}
        assert answer in accepted(record), record["id"]


def csv(given: Mapping[str, str]) -> ClusterServiceVersion:
    return ClusterServiceVersion(
        metadata=Metadata(given["name"], given["namespace"]), phase=given["phase"], replaces=given["replaces"]
    )


def test_who_replaces_whom_is_as_recorded() -> None:
    """Of several that replace the same operator the last one counts."""
    for record in rule_records("replacement_mapping"):
        answer = {old: new.name for old, new in replacements(map(csv, record["in"] or ())).items()}
        assert answer in accepted(record), record["id"]


@pytest.mark.parametrize("rule", ["fail_forward_chain", "walk_chain_unique"])
def test_chains_end_as_recorded(rule: str) -> None:
    """In failure or not, or they are no chains; no operator at all cannot be asked about, so it is left out."""
    for record in rule_records(rule):
        if record["in"]["csv"] is None:
            continue
        start = csv(record["in"]["csv"])
        by = {old: csv(new) for old, new in (record["in"]["replacements"] or {}).items()}
        answer: dict[str, Any]
        try:
            if rule == "walk_chain_unique":
                answer = {"last": last_of_chain(start, by).name, "error": None}
            else:
                answer = {"endsInFailure": chain_ends_in_failure(start, by), "error": None}
        except FailForwardError as error:
            answer = {"error": str(error)}
            answer |= {"last": None} if rule == "walk_chain_unique" else {"endsInFailure": False}
        assert answer in accepted(record), record["id"]
