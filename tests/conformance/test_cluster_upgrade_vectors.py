"""Recorded verdicts on upgrades: conditions of operators, fail forward, and what blocks the cluster's own update."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest

from olmsolve import evolve
from olmsolve.cluster import (
    Chains,
    FailForwardError,
    blocking_message,
    fail_forward_enabled,
    next_minor,
    normalised,
    not_upgradeable,
    operators_blocking_update,
    replacements,
)
from olmsolve.cluster.objects import ClusterServiceVersion, Condition, Metadata, OperatorCondition, OperatorGroup
from olmsolve.errors import VersionError
from olmsolve.semver import Version
from tests.recorded import Record
from tests.recorded_rules import rule_records

ANNOTATION = "operatorframework.io/properties"


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


def test_chains_end_as_recorded() -> None:
    """In failure or not, or they are broken; a recording without a first operator is left out."""
    for record in rule_records("fail_forward_chain"):
        if record["in"]["csv"] is None:
            continue
        replacing = (record["in"]["replacements"] or {}).items()
        chains = Chains([evolve(csv(new), replaces=old) for old, new in replacing])
        answer: dict[str, Any]
        try:
            answer = {"endsInFailure": chains.ends_in_failure(csv(record["in"]["csv"])), "error": None}
        except FailForwardError as error:
            answer = {"endsInFailure": False, "error": str(error)}
        assert answer in accepted(record), record["id"]


def test_walks_end_as_recorded() -> None:
    """The recorded walk ignores phases: here all operators give way but the last, which alone decides."""
    walks = 0
    for record in rule_records("walk_chain_unique"):
        if record["in"]["csv"] is None:
            continue
        (answer,) = accepted(record)
        replacing = (record["in"]["replacements"] or {}).items()
        for phase in ("Failed", "Succeeded"):
            phases = {answer["last"]: phase}
            operators = [evolve(csv(new), replaces=old) for old, new in replacing]
            chains = Chains([evolve(operator, phase=phases.get(operator.name, "Replacing")) for operator in operators])
            start = csv(record["in"]["csv"])
            start = evolve(start, phase=phases.get(start.name, "Replacing"))
            if answer["error"]:
                with pytest.raises(FailForwardError, match=re.escape(answer["error"])):
                    chains.ends_in_failure(start)
            else:
                assert chains.ends_in_failure(start) == (phase == "Failed"), record["id"]
            walks += 1
    assert walks


# -- updates of the cluster itself

GO_TEXTS = ("strconv.", "unexpected end of JSON", "invalid character", "json:")


def without_go_texts(text: str | None) -> str:
    """*text* up to where Go's standard library speaks: its words change between its releases."""
    lines = []
    for line in (text or "").splitlines():
        beginnings = [line.index(words) for words in GO_TEXTS if words in line]
        lines.append(line[: min(beginnings)] if beginnings else line)
    return "\n".join(lines)


def operators(given: list[Mapping[str, Any]]) -> list[ClusterServiceVersion]:
    return [
        ClusterServiceVersion(
            metadata=Metadata(
                item["name"],
                item["namespace"],
                annotations=item["annotations"] or {},
                labels=item["labels"] or {},
            ),
            reason=item["reason"],
        )
        for item in given
    ]


def test_operators_block_the_clusters_update_as_recorded() -> None:
    """Which operators, why, and the message of the condition, line by line."""
    for record in rule_records("openshift_compat"):
        current, csvs, out = record["in"]["current"], operators(record["in"]["csvs"]), record["out"]
        if isinstance(current, dict):
            # The cluster's version is not known, or none: what is no version is refused in the same words.
            _, _, reason = out["error"].partition("invalid desired release version: ")
            if reason:
                with pytest.raises(VersionError) as refused:
                    operators_blocking_update(csvs, "junk")
                assert refused.value.reason == reason, record["id"]
            continue
        blocking = operators_blocking_update(csvs, current)
        assert [(operator.namespace, operator.name, operator.maximum) for operator in blocking] == [
            (recorded["namespace"], recorded["name"], recorded["max"]) for recorded in out["incompatible"]
        ], record["id"]
        lines = blocking_message(blocking).splitlines()
        recorded = without_go_texts(out.get("message")).splitlines()
        assert len(lines) == len(recorded), record["id"]
        for line, right in zip(lines, recorded, strict=True):
            assert line.startswith(right) if right.endswith(": ") else line == right, record["id"]


def test_minor_versions_are_normalised_as_recorded() -> None:
    """4.23 and 5.0 are one."""
    for record in rule_records("openshift_next_minor"):
        current = Version.parse(record["in"]["current"])
        answer = {"next": str(next_minor(current)), "normalized": str(normalised(current))}
        assert answer in accepted(record), record["id"]


def test_the_last_version_of_openshift_is_read_from_the_annotation_as_recorded() -> None:
    """The same text, by way of the operator on a cluster: it blocks every update past its maximum, or says why not."""
    for record in rule_records("max_openshift_version"):
        annotation, out = record["in"]["annotation"], record["out"]
        csv = ClusterServiceVersion(
            metadata=Metadata("op", "ns", annotations={} if annotation is None else {ANNOTATION: annotation})
        )
        blocking = operators_blocking_update([csv], "99.0.0")
        if out["error"] is not None:
            right = without_go_texts(out["error"])
            assert blocking[0].reason.startswith(right) if right != out["error"] else blocking[0].reason == right, (
                record["id"]
            )
        elif out["version"] is None:
            assert blocking == (), record["id"]
        else:
            assert f"{blocking[0].maximum}.0" == out["version"], record["id"]
