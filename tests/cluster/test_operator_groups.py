"""Operator groups as the documentation of OLM tells them: which namespaces they target, and which APIs they provide."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from olmsolve import evolve
from olmsolve.cluster import Api, ClusterState, annotation_text, apis_of_annotation
from olmsolve.cluster.objects import Metadata, Namespace, OperatorGroup
from olmsolve.cluster.operator_groups import (
    ApiChange,
    ClusterGroups,
    GroupSurface,
    NamespaceSet,
    check_operator_groups,
    reconcile,
    surface,
    target_namespaces,
)
from olmsolve.errors import ManifestError
from tests.cluster.api_sets import SETS
from tests.cluster.manifests import group, namespace, state

THE_GROUP = """
apiVersion: operators.coreos.com/v1
kind: OperatorGroup
metadata:
  name: my-group
  namespace: my-namespace
"""


def the_group(cluster: ClusterState) -> OperatorGroup:
    (group,) = cluster.all(OperatorGroup)
    return group


def targets_of(*documents: str) -> list[str]:
    """Return the targets of the one group in *documents*, on a cluster where namespaces a and b are for production."""
    prod = {"cool.io/prod": "true"}
    cluster = state(*documents, namespace("a", **prod), namespace("b", **prod), namespace("c"))
    return list(target_namespaces(the_group(cluster), cluster.all(Namespace)))


# -- which namespaces a group targets


def test_labels_that_do_not_stand_below_match_labels_are_a_fault() -> None:
    """The documentation writes them straight into the selector; Kubernetes drops them, and all namespaces are left."""
    wrong = OperatorGroup(metadata=Metadata("og", "ns"), selector={"cool.io/prod": "true"})
    assert list(target_namespaces(wrong, ())) == [""]
    (checked,) = check_operator_groups(ClusterState.of([wrong])).groups
    assert checked.faults == ("its selector has cool.io/prod outside of matchLabels, which Kubernetes drops",)
    listed = evolve(wrong, target_namespaces=("ns",))
    assert check_operator_groups(ClusterState.of([listed])).groups[0].faults == (), (
        "a list of targets stands above the selector"
    )


def test_a_selector_selects_by_labels() -> None:
    """The documentation's first example."""
    assert targets_of(THE_GROUP + 'spec: {selector: {matchLabels: {cool.io/prod: "true"}}}') == ["a", "b"]


def test_named_targets_stand_above_a_selector() -> None:
    """The documentation's second example; the namespaces need not be there."""
    spec = "spec: {targetNamespaces: [my-namespace, my-other-namespace], selector: {matchLabels: {x: y}}}"
    assert targets_of(THE_GROUP + spec) == ["my-namespace", "my-other-namespace"]


def test_a_group_that_says_nothing_is_for_all_namespaces() -> None:
    """The documentation's global group."""
    assert targets_of(THE_GROUP) == [""]
    assert targets_of(THE_GROUP + "spec: {selector: {}}") == [""]


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("{matchExpressions: [{key: cool.io/prod, operator: In, values: ['true', maybe]}]}", ["a", "b"]),
        ("{matchExpressions: [{key: cool.io/prod, operator: NotIn, values: ['true']}]}", ["c"]),
        ("{matchExpressions: [{key: cool.io/prod, operator: Exists}]}", ["a", "b"]),
        ("{matchExpressions: [{key: cool.io/prod, operator: DoesNotExist}]}", ["c"]),
        ("{matchLabels: {cool.io/prod: 'true'}, matchExpressions: [{key: cool.io/prod, operator: DoesNotExist}]}", []),
    ],
)
def test_selectors_are_those_of_kubernetes(selector: str, expected: list[str]) -> None:
    """Everything in a selector must hold together."""
    assert targets_of(THE_GROUP + f"spec: {{selector: {selector}}}") == expected


@pytest.mark.parametrize(
    ("spec", "field", "reason"),
    [
        ("{targetNamespaces: ['']}", "spec.targetNamespaces", "TargetNamespaces cannot contain NamespaceAll: []"),
        (
            "{selector: {matchExpressions: [{key: a, operator: Near}]}}",
            "spec.selector.matchExpressions[0]",
            '"Near" is not a valid label selector operator',
        ),
        (
            "{selector: {matchExpressions: [{operator: Exists}]}}",
            "spec.selector.matchExpressions[0].key",
            "is missing",
        ),
        ("{selector: {matchLabels: [a]}}", "spec.selector.matchLabels", "must be an object, not a list"),
        (
            "{selector: {matchLabels: {/a: x}}}",
            "spec.selector.matchLabels",
            'key: Invalid value: "/a": prefix part must be non-empty',
        ),
        (
            "{selector: {matchExpressions: [{key: a, operator: Exists, values: [b]}]}}",
            "spec.selector.matchExpressions[0]",
            'values: Invalid value: ["b"]: values set must be empty for exists and does not exist',
        ),
    ],
)
def test_a_specification_that_cannot_be_read_is_named(spec: str, field: str, reason: str) -> None:
    """File, object and field: the mistake is in somebody's manifest."""
    with pytest.raises(ManifestError) as refused:
        targets_of(THE_GROUP + f"spec: {spec}")
    assert (refused.value.field, refused.value.reason) == (field, reason)
    assert str(refused.value).startswith("cluster.yaml")
    assert "OperatorGroup my-namespace/my-group" in str(refused.value)


# -- what a group provides


def test_the_documented_annotation_is_read_and_written() -> None:
    """The documentation's example of provided APIs, which has a group with dots."""
    text = "PackageManifest.v1alpha1.packages.apps.redhat.com"
    apis = apis_of_annotation(text)
    assert apis == {Api("packages.apps.redhat.com", "v1alpha1", "PackageManifest")}
    assert annotation_text(apis) == text


NAMES = st.sets(st.sampled_from(["", "a", "b", "c"]), max_size=3).map(NamespaceSet)
# All namespaces, or some: what a status should have. The empty name beside others is recorded to be a name like any
# other, so that two such sets may meet in it, and thereby in all namespaces.
PROPER_NAMES = NAMES.filter(lambda names: names.is_all or "" not in names.names)


@given(SETS)
def test_an_annotation_that_was_written_reads_back(apis: frozenset[Api]) -> None:
    """Otherwise a group would lose APIs each time that it is looked at."""
    assert apis_of_annotation(annotation_text(apis)) == apis


@given(NAMES, NAMES)
def test_two_sets_of_namespaces_are_equals(one: NamespaceSet, other: NamespaceSet) -> None:
    """Whether two groups intersect must not depend on their order."""
    assert one & other == other & one
    assert one | other == other | one


@given(PROPER_NAMES, PROPER_NAMES, PROPER_NAMES)
def test_proper_sets_of_namespaces_obey_the_laws_of_sets(
    one: NamespaceSet, other: NamespaceSet, third: NamespaceSet
) -> None:
    """All namespaces take part in them as the greatest set."""
    assert (one & other) & third == one & (other & third)
    assert one & (one | other) == one
    assert one | (one & other) == one
    everything = NamespaceSet([""])
    assert one & everything == one
    assert one | everything == everything


@given(SETS, SETS, st.lists(st.tuples(NAMES, SETS), max_size=3), NAMES)
def test_the_matrix_of_intersection_is_the_recorded_one(
    apis: frozenset[Api],
    provided: frozenset[Api],
    others: list[tuple[NamespaceSet, frozenset[Api]]],
    where: NamespaceSet,
) -> None:
    """Two yes-or-no questions give four answers; here name by name and API by API, without sets of namespaces."""
    surfaces = [GroupSurface(f"og{n}", "other", names, given_apis) for n, (names, given_apis) in enumerate(others)]
    reconciliation = reconcile(apis, GroupSurface("og", "ns", where, provided), surfaces)

    def meets(names: NamespaceSet) -> bool:
        if names.names == {""} or where.names == {""}:
            return bool(names.names) and bool(where.names)
        return any(name in where.names for name in names.names)

    contested = any(meets(names) and any(api in theirs for api in apis) for names, theirs in others)
    known = all(api in provided for api in apis)
    expected = {
        (True, True): ApiChange.REMOVE,
        (True, False): ApiChange.NONE,
        (False, True): ApiChange.CONFLICT,
        (False, False): ApiChange.ADD,
    }[known, contested]
    assert reconciliation.change is expected


@given(st.lists(st.lists(st.sampled_from(["", "a", "b", "n0", "n1"]), max_size=3), max_size=5))
def test_groups_that_meet_are_found_as_they_are_defined(selected: list[list[str]]) -> None:
    """Looked up by target, where the rule compares every group with every other."""
    cluster = state(*(group(f"n{number}", chosen) for number, chosen in enumerate(selected)))
    groups = ClusterGroups(cluster)
    surfaces = [surface(group) for group in cluster.all(OperatorGroup)]
    for own in surfaces:
        expected = reconcile(frozenset(), own, surfaces).intersecting
        assert groups.intersecting(own) == expected


def test_a_groups_own_namespace_is_a_target_beside_others_only() -> None:
    """As recorded; the documentation says always."""

    def targets_by_status(*names: str) -> list[str]:
        return list(surface(the_group(state(group("own", names)))).targets)

    assert targets_by_status("a") == ["a", "own"]
    assert targets_by_status("") == [""]
    assert targets_by_status() == []
