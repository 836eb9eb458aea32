"""Which operators may act in their groups, how groups report on them, and passes one after another."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from olmsolve import evolve
from olmsolve.cluster import Api, annotation_text
from olmsolve.cluster.objects import OperatorGroup
from olmsolve.cluster.operator_groups import (
    ApiChange,
    GroupReason,
    check_operator_groups,
    csv_transition,
    reconcile,
    surface,
)
from tests.cluster.api_sets import SETS
from tests.cluster.manifests import csv, group, namespace, state, the_csv

# -- which operators may act


def groups_and_operators() -> st.SearchStrategy[list[tuple[tuple[str, ...], frozenset[Api], frozenset[Api], bool]]]:
    """Draw namespaces: the targets and annotated APIs of the group, whether it is static, and the operator's APIs."""
    selected = st.lists(st.sampled_from(["", "a", "b", "n0", "n1"]), max_size=3).map(tuple)
    return st.lists(st.tuples(selected, SETS, SETS, st.booleans()), min_size=1, max_size=5)


@given(groups_and_operators())
def test_the_report_decides_as_the_recorded_rule_does(
    given_groups: list[tuple[tuple[str, ...], frozenset[Api], frozenset[Api], bool]],
) -> None:
    """The report looks groups up by API and target; the rule compares a group with every other one."""
    documents: list[dict[str, Any]] = []
    for number, (selected, provided, owned, static) in enumerate(given_groups):
        where = f"n{number}"
        documents.append(group(where, selected, provided=annotation_text(provided), staticProvidedAPIs=static))
        documents.append(csv(where, owns=map(str, owned)))
    cluster = state(*documents)
    # Groups whose status is empty get the targets that they ask for, which are all namespaces.
    settled = [
        surface(group if group.namespaces else evolve(group, namespaces=("",))) for group in cluster.all(OperatorGroup)
    ]
    for operator, (_, _, owned, static) in zip(check_operator_groups(cluster).operators, given_groups, strict=True):
        if operator.change is None:
            assert operator.refusal is not None
            assert operator.refusal.reason is GroupReason.UNSUPPORTED
            continue
        own = next(group for group in settled if group.namespace == operator.namespace)
        expected = reconcile(owned, own, settled)
        assert operator.change is expected.change
        contested = {(api, other.key) for other in expected.intersecting for api in owned & other.provided_apis}
        assert set(operator.contested) == (set() if operator.change is ApiChange.NONE else contested)
        refused = operator.change is ApiChange.CONFLICT or (static and operator.change is not ApiChange.NONE)
        assert (operator.refusal is not None) is refused


def outcome(*documents: Any, where: str = "ns") -> str:
    """Return the reason why the operator in *where* may not act, "" if it may."""
    report = check_operator_groups(state(*documents))
    (check,) = [operator for operator in report.operators if operator.namespace == where]
    return check.refusal.reason.value if check.refusal else ""


def test_an_operator_needs_exactly_one_group() -> None:
    """No group is as bad as two; with one group again, the operator is judged anew."""
    assert outcome(csv("ns")) == "NoOperatorGroup"
    assert outcome(csv("ns"), group("ns", ["ns"]), group("ns", [""], name="og2")) == "TooManyOperatorGroups"
    one = state(csv("ns", targets="ns", phase="Failed", reason="TooManyOperatorGroups"), group("ns", ["ns"]))
    passed = csv_transition(the_csv(one, "ns"), one)
    assert (passed.status.phase, passed.status.reason) == ("Pending", "RequirementsUnknown")


@pytest.mark.parametrize(
    ("modes", "selected", "expected"),
    [
        (["OwnNamespace"], ["ns"], ""),
        (["OwnNamespace"], ["a"], "UnsupportedOperatorGroup"),
        (["SingleNamespace"], ["a"], ""),
        (["SingleNamespace"], ["a", "b"], "UnsupportedOperatorGroup"),
        (["MultiNamespace"], ["a", "b"], ""),
        (["MultiNamespace"], ["a", "ns"], "UnsupportedOperatorGroup"),
        (["MultiNamespace", "OwnNamespace"], ["a", "ns"], ""),
        (["AllNamespaces"], [""], ""),
        (["AllNamespaces"], ["ns"], "UnsupportedOperatorGroup"),
        ([], [""], "UnsupportedOperatorGroup"),
        (["OwnNamespace", "OwnNamespace"], ["ns"], "InvalidInstallModes"),
    ],
)
def test_install_modes_must_support_the_targets(modes: list[str], selected: list[str], expected: str) -> None:
    """The documentation's table; a mode that is not declared is not supported, as recorded."""
    assert outcome(csv("ns", modes=modes), group("ns", selected)) == expected


@pytest.mark.parametrize("selected", [["", "ns"], ["ns", ""]])
def test_targets_are_judged_in_the_order_of_the_annotation(selected: list[str]) -> None:
    """Operators are annotated with their group's targets sorted, and are judged by that text."""
    cluster = state(csv("ns", targets=",ns", modes=["MultiNamespace"]), group("ns", selected))
    message = csv_transition(the_csv(cluster, "ns"), cluster).status.message
    assert message == "operatorgroup has invalid selected namespaces, NamespaceAll found when |selected namespaces| > 1"


@pytest.mark.parametrize(
    ("reason", "groups"),
    [
        ("NoOperatorGroup", []),
        ("TooManyOperatorGroups", [group("ns", ["ns"]), group("ns", [""], name="og2")]),
        ("NoTargetNamespaces", [group("ns", None, selector={"matchLabels": {"no": "match"}})]),
    ],
)
def test_a_failure_is_told_in_the_words_of_today(reason: str, groups: list[dict[str, Any]]) -> None:
    """The status may hold a message of the same failure from another program, or from another time."""
    failed = csv("ns", phase="Failed", reason=reason)
    failed["status"]["message"] = "earlier"
    cluster = state(failed, *groups)
    status = csv_transition(the_csv(cluster, "ns"), cluster).status
    assert (status.phase, status.reason) == ("Failed", reason)
    assert status.message != "earlier"


PROMETHEUS = "Prometheus.v1.monitoring.coreos.com"
ALERTS = "Alertmanager.v1.monitoring.coreos.com"


def test_a_static_group_keeps_its_annotation() -> None:
    """The documentation's example protects APIs that no operator of the group provides."""
    static = group("ns", ["a"], provided=f"{ALERTS},{PROMETHEUS}", staticProvidedAPIs=True)
    assert outcome(csv("ns", owns=[PROMETHEUS]), static) == ""
    assert outcome(csv("ns", owns=["Probe.v1.monitoring.coreos.com"]), static) == (
        "CannotModifyStaticOperatorGroupProvidedAPIs"
    )
    protects = csv("other", owns=[PROMETHEUS])
    assert outcome(protects, static, group("other", ["a"]), where="other") == "InterOperatorGroupOwnerConflict"
    assert outcome(protects, static, group("other", ["b"]), where="other") == ""


def test_a_group_learns_what_its_operators_provide() -> None:
    """First the group is annotated, in the next pass the operator goes on."""
    cluster = state(csv("ns", targets="ns", owns=[PROMETHEUS]), group("ns", ["ns"], provided=ALERTS))
    passed = csv_transition(the_csv(cluster, "ns"), cluster)
    assert passed.group_annotation == f"{ALERTS},{PROMETHEUS}"
    assert passed.status.phase == ""
    later = state(csv("ns", targets="ns", owns=[PROMETHEUS]), group("ns", ["ns"], provided=passed.group_annotation))
    assert csv_transition(the_csv(later, "ns"), later).status.phase == "Pending"


def test_the_report_names_who_provides_a_contested_api() -> None:
    """The one place where an administrator can change something is the other group."""
    report = check_operator_groups(
        state(
            csv("ns", owns=[PROMETHEUS, ALERTS]),
            group("ns", ["a", "b"]),
            group("other", ["b"], provided=PROMETHEUS),
            csv("other", owns=[PROMETHEUS]),
            namespace("a"),
        )
    )
    assert [operator.namespace for operator in report.refused] == ["ns"]
    assert str(report) == (
        "group ns/og: its status targets a, b, but its specification asks for all namespaces\n"
        "group other/og: its status targets b, but its specification asks for all namespaces\n"
        "ns/op.v1 may not act: InterOperatorGroupOwnerConflict: intersecting operatorgroups provide the same apis "
        f"(group other/og provides {PROMETHEUS})"
    )
    assert not report.is_clean
    (refused,) = report.refused
    assert refused.to_dict()["contested"] == [{"api": PROMETHEUS, "group": "other/og"}]


def test_what_is_wrong_with_a_group_is_said_once_for_all_its_operators() -> None:
    """A fault of a group is not the fault of its operators."""
    selector = {"matchLabels": {"no": "match"}}
    report = check_operator_groups(
        state(
            group("one", None, selector=selector),
            csv("one"),
            group("two", None, targetNamespaces=["a", ""]),
            group("three", None, name="x"),
            group("three", None, name="y"),
            group("four", [""], provided=f"{PROMETHEUS},{ALERTS}"),
            csv("four", owns=[ALERTS]),
            namespace("one"),
        )
    )
    faults = {(group.namespace, group.name): group.faults for group in report.groups}
    assert faults["one", "og"] == ("its selector matches no namespace",)
    assert faults["two", "og"] == (
        (
            "spec.targetNamespaces: TargetNamespaces cannot contain NamespaceAll: [a ]"
            " (a group without targets is for all namespaces)"
        ),
    )
    assert faults["three", "x"] == faults["three", "y"] == ("it shares its namespace with 1 other group",)
    assert {group.namespace: group.unprovided for group in report.groups}["four"] == PROMETHEUS
    assert [str(operator.refusal.reason) for operator in report.refused if operator.refusal] == [GroupReason.NO_TARGETS]


def test_a_selector_is_not_guessed_without_namespaces() -> None:
    """A dump without namespaces says nothing about labels."""
    report = check_operator_groups(state(group("ns", None, selector={"matchLabels": {"a": "b"}})))
    assert report.groups[0].faults == ("its selector cannot be judged: no Namespace is among the objects",)


def test_copies_are_not_judged() -> None:
    """A copy stands where its operator acts; the operator itself is judged in its own namespace."""
    copy = csv("a", reason="Copied")
    assert check_operator_groups(state(copy)).operators == ()
    cluster = state(copy)
    assert csv_transition(the_csv(cluster, "a"), cluster).status.reason == "Copied"


def test_the_report_does_not_depend_on_the_order_of_the_objects() -> None:
    """A dump has no order."""
    documents = [
        csv("ns", owns=[PROMETHEUS]),
        group("ns", ["a"]),
        group("b", ["a"], provided=PROMETHEUS),
        namespace("a"),
    ]
    assert check_operator_groups(state(*documents)) == check_operator_groups(state(*reversed(documents)))


# -- one pass after another


def condition(name: str, status: str, **more: Any) -> dict[str, Any]:
    upgradeable = {"type": "Upgradeable", "status": status, "message": "The Operator is performing a migration."}
    return {
        "apiVersion": "operators.coreos.com/v2",
        "kind": "OperatorCondition",
        "metadata": {"name": name, "namespace": "ns"},
        "spec": {"overrides": more.get("overrides")},
        "status": {"conditions": [upgradeable]},
    }


@pytest.mark.parametrize(
    ("documents", "phase", "reason"),
    [
        ([], "InstallReady", "AllRequirementsMet"),
        ([condition("op.v1", "False")], "Pending", "OperatorConditionNotUpgradeable"),
        ([condition("op.v1", "Unknown")], "InstallReady", "AllRequirementsMet"),
        (
            [condition("op.v1", "False", overrides=[{"type": "Upgradeable", "status": "True"}])],
            "InstallReady",
            "AllRequirementsMet",
        ),
        (
            [condition("op.v1", "True", overrides=[{"type": "Upgradeable", "status": "False"}])],
            "Pending",
            "OperatorConditionNotUpgradeable",
        ),
        ([condition("op.v0", "False")], "InstallReady", "AllRequirementsMet"),
    ],
)
def test_an_operator_that_is_not_upgradeable_keeps_the_new_one_waiting(
    documents: list[dict[str, Any]], phase: str, reason: str
) -> None:
    """The documentation's example of a migration, and an administrator who knows better."""
    old = csv("ns", targets="ns", phase="Replacing")
    new = csv("ns", name="op.v2", targets="ns", phase="Pending", replaces="op.v1")
    cluster = state(old, new, group("ns", ["ns"]), *documents)
    passed = csv_transition(the_csv(cluster, "ns", "op.v2"), cluster)
    assert (passed.status.phase, passed.status.reason) == (phase, reason)


def test_operators_that_replace_each_other_in_a_circle_stay_where_they_are() -> None:
    """A circle of replacements, which OLM never makes, must not hang the check."""
    circle = [
        csv("ns", name=f"op.v{n}", targets="ns", phase="Replacing", replaces=f"op.v{(n + 1) % 3}") for n in range(3)
    ]
    cluster = state(
        *circle, csv("ns", name="self", targets="ns", phase="Replacing", replaces="self"), group("ns", ["ns"])
    )
    for name in ("op.v0", "op.v1", "op.v2", "self"):
        assert csv_transition(the_csv(cluster, "ns", name), cluster).status.phase == "Replacing"


def test_a_chain_of_thousands_of_operators_is_walked_once() -> None:
    """The last operator works, so the first may go; no recursion, no walk for each link."""
    chain = [
        csv("ns", name=f"op.v{n}", targets="ns", phase="Replacing", replaces=f"op.v{n - 1}" if n else "")
        for n in range(3_000)
    ]
    chain.append(csv("ns", name="last", targets="ns", phase="Succeeded", replaces="op.v2999"))
    cluster = state(*chain, group("ns", ["ns"]))
    passed = csv_transition(the_csv(cluster, "ns", "op.v0"), cluster)
    assert passed.status.phase == "Deleting"
    assert len(check_operator_groups(cluster).operators) == 3_001
