"""What ``groups`` and ``metrics`` say of a cluster, compared with what the other commands do there."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from tests.cli.commands import Outcome, Run


def reports_of(olmsolve: Run, arguments: Sequence[str], answers: dict[str, Outcome]) -> Iterator[str]:
    """Yield how the reports on the cluster that *arguments* name contradict the *answers* of the other commands."""
    objects = ("--cluster", arguments[arguments.index("--cluster") + 1])
    groups = olmsolve("groups", *objects, "-o", "json")
    present = olmsolve("metrics", *objects, "-o", "json")
    if groups.code > 1 or present.code:
        # Who reads the objects for their groups alone needs no content of catalogs; a broken object breaks all.
        if (groups.err, present.err) != (answers["resolve"].err,) * 2:
            yield f"groups says {groups.err!r}, metrics {present.err!r}, and resolve {answers['resolve'].err!r}"
        return
    report = json.loads(groups.out)
    if groups.code != bool(faults_of(report)):
        yield f"groups ends with {groups.code}, and reports {faults_of(report)}"
    yield from _groups_decide(report, answers)
    counted = _counts(present)
    if counted["csv_count"] != len(report["operators"]):
        yield f"metrics counts {counted['csv_count']} operators, and groups has {len(report['operators'])}"
    yield from _rest_is_counted(report, counted, olmsolve("metrics", *arguments, "--simulated", "-o", "json"), answers)


def faults_of(report: dict[str, Any]) -> list[Any]:
    """The faults of groups and the refusals of operators in *report*."""
    groups = [fault for group in report["groups"] for fault in group["faults"]]
    return groups + [operator["name"] for operator in report["operators"] if operator["reason"]]


def _groups_decide(report: dict[str, Any], answers: dict[str, Outcome]) -> Iterator[str]:
    """Yield where another command does not act on the number of groups, or on the refusal of an operator."""
    resolved = json.loads(answers["resolve"].out or "{}").get("namespaces", {})
    explained = json.loads(answers["explain"].out or "{}").get("namespaces", {})
    for namespace, answer in resolved.items():
        count = sum(group["namespace"] == namespace for group in report["groups"])
        wrong = "" if count == 1 else "no operator group" if not count else f"{count} operator groups"
        error = answer.get("error", "")
        if wrong not in error or (not wrong and ("no operator group" in error or "operator groups (" in error)):
            yield f"groups has {count} in namespace {namespace}, and resolve says {error!r}"
        for operator in report["operators"]:
            is_refused = operator["namespace"] == namespace and operator["reason"]
            words = answers["simulate"].out
            is_said = operator["reason"] in words or '"groupWithoutTargets"' in words
            if is_refused and words and not is_said:
                named = f"{operator['name']} ({operator['reason']})"
                yield f"groups refuses operator {named}, and simulate does not name it"
            if (
                is_refused
                and "hindrances" in explained.get(namespace, {})
                and not _is_told(operator, explained[namespace])
            ):
                yield f"groups refuses operator {operator['name']} ({operator['reason']}), and explain does not name it"


def _is_told(refused: dict[str, Any], answer: dict[str, Any]) -> bool:
    """Whether the *answer* of ``explain`` names the operator *refused*, or what is wrong with all of its group."""
    words = [hindrance["text"] for hindrance in answer["hindrances"]]
    whole = any(
        hindrance["kind"] in ("groupWithoutTargets", "namespaceUnresolvable") for hindrance in answer["hindrances"]
    )
    return whole or any(refused["name"] in word for word in words)


def _rest_is_counted(
    report: dict[str, Any], present: dict[str, float], simulated: Outcome, answers: dict[str, Outcome]
) -> Iterator[str]:
    """Yield where the counts at rest are not those of now and what ``simulate`` did; its first plans are ``plan``'s."""
    if not answers["simulate"].out:
        return
    if simulated.code:
        # Extensions are no part of the metrics: a namespace with bad input may be the only question left.
        if simulated.code == answers["simulate"].code:
            return
        yield f"simulate ends with {answers['simulate'].code}, and metrics --simulated with {simulated.err!r}"
        return
    story = json.loads(answers["simulate"].out)
    steps = story.get("steps", [])
    plans = [sum("plan" in namespace for namespace in step["namespaces"]) for step in steps]
    operators = {(operator["namespace"], operator["name"]) for operator in report["operators"]}
    gone = 0
    for operator in (reported for step in steps for reported in step.get("operators", ())):
        is_gone = operator["phases"][-1] == "gone"
        gone += is_gone
        key = operator["namespace"], operator["name"]
        operators = operators - {key} if is_gone else operators | {key}
    counted = _counts(simulated)
    expected = {
        "install_plan_count": present["install_plan_count"] + sum(plans),
        "csv_count": len(operators),
        "csv_upgrade_count": gone,
        "catalog_source_count": present["catalog_source_count"],
    }
    for name, value in expected.items():
        if counted[name] != value:
            yield f"metrics --simulated has {name} {counted[name]}, and simulate makes it {value}"
    if answers["plan"].out:
        written = [object_ for object_ in json.loads(answers["plan"].out)["items"] if object_["kind"] == "InstallPlan"]
        if len(written) != (plans[0] if plans else 0):
            yield f"plan writes {len(written)} install plans, and the first step of simulate {plans[:1]}"


def _counts(outcome: Outcome) -> dict[str, float]:
    families = json.loads(outcome.out)["families"]
    return {family["name"]: family["samples"][0]["value"] for family in families if family["name"].endswith("_count")}
