"""An operator's APIs in its group: the report, the controller's pass and the constraint on bundles judge alike."""

from __future__ import annotations

from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

import olmsolve._attrs as attrs
from olmsolve import group_eligibility
from olmsolve.cluster import Api, annotation_text
from olmsolve.cluster.objects import ClusterServiceVersion, OperatorGroup
from olmsolve.cluster.operator_groups import ClusterGroups, check_operator_groups, csv_transition, surface
from olmsolve.eligibility import CandidateFacts
from olmsolve.predicates import Property
from tests.cluster.manifests import csv, group, state
from tests.scale import scaled

A, B, C = Api("g.io", "v1", "A"), Api("g.io", "v1", "B"), Api("", "v2", "A")

# Few, so that groups often have the same.
SETS = st.frozensets(st.sampled_from([A, B, C]))

GROUPS = st.lists(
    st.tuples(
        st.lists(st.sampled_from(["", "a", "n0", "n1"]), min_size=1, max_size=2).map(tuple),
        SETS,
        SETS,
        st.booleans(),
        st.sampled_from(["", "InterOperatorGroupOwnerConflict", "CannotModifyStaticOperatorGroupProvidedAPIs"]),
    ),
    min_size=1,
    max_size=4,
)
"""Namespaces: the targets of the group, its APIs, the operator's, whether the group is static, the operator's fault."""

CONFLICT = "InterOperatorGroupOwnerConflict: intersecting operatorgroups provide the same apis"
STATIC = (
    "CannotModifyStaticOperatorGroupProvidedAPIs: static provided api operatorgroup cannot be modified by these apis"
)


@attrs.frozen
class Expected:
    """What OLM makes of an operator's APIs, as its rules say: the change, who contests, and what is written."""

    change: str
    contested: list[tuple[Api, str]]
    refusal: str
    listed: str
    annotation: str | None


def expected_of(own: OperatorGroup, groups: tuple[OperatorGroup, ...], apis: frozenset[Api]) -> Expected:
    """Judge *apis* in the group *own* of *groups*, one rule after the other (docs/operator-groups.md)."""
    mine = surface(own)
    others = [surface(group) for group in groups if group is not own]
    meeting = [other for other in others if len(other.targets & mine.targets)]
    contested = sorted(
        ((api, other.key) for other in meeting for api in apis & other.provided_apis),
        key=lambda pair: (str(pair[0]), pair[1]),
    )
    has_all = apis <= mine.provided_apis
    if not has_all and contested:
        listed = ", ".join(sorted(f"{api} (group {key})" for api, key in contested))
        return Expected("APIConflict", contested, CONFLICT, listed, None)
    if has_all and not contested:
        return Expected("NoAPIConflict", [], "", "", None)
    change = "RemoveAPIs" if has_all else "AddAPIs"
    after = annotation_text(mine.provided_apis - apis if has_all else mine.provided_apis | apis)
    if own.static_provided_apis:
        # Those that the group would get, or else lose.
        listed = ", ".join(sorted(map(str, apis if has_all else apis - mine.provided_apis)))
        return Expected(change, contested, STATIC, listed, None)
    return Expected(change, contested, "", "", after)


@given(GROUPS)
@example([(("a",), frozenset({A, B}), frozenset({A}), True, ""), (("",), frozenset({A}), frozenset(), False, "")])
@example([(("a",), frozenset({A}), frozenset({A, B, C}), True, "")])
@settings(max_examples=scaled(300, part=2))
def test_all_three_judge_by_the_recorded_rules(
    drawn: list[tuple[tuple[str, ...], frozenset[Api], frozenset[Api], bool, str]],
) -> None:
    """The report and the pass look groups up by API and target, and the constraint compares a list of groups."""
    documents: list[dict[str, Any]] = []
    for number, (targets, provided, owned, static, reason) in enumerate(drawn):
        where = f"n{number}"
        documents.append(group(where, targets, provided=annotation_text(provided), staticProvidedAPIs=static))
        joined = ",".join(sorted(targets))
        phase = "Failed" if reason else ""
        documents.append(csv(where, targets=joined, owns=map(str, owned), phase=phase, reason=reason))
    cluster = state(*documents)
    groups = cluster.all(OperatorGroup)
    for own, operator, (_, _, owned, _, reason) in zip(groups, cluster.all(ClusterServiceVersion), drawn, strict=True):
        expected = expected_of(own, groups, owned)
        (checked,) = [check for check in check_operator_groups(cluster).operators if check.namespace == own.namespace]
        if checked.change is None:
            assert checked.reason == "UnsupportedOperatorGroup"
            continue
        assert checked.change.value == expected.change
        assert list(checked.contested) == expected.contested
        assert (str(checked.refusal) if checked.refusal else "") == expected.refusal

        passed = csv_transition(operator, cluster)
        assert passed.group_annotation == expected.annotation
        if expected.refusal and reason != "InterOperatorGroupOwnerConflict":
            assert f"{passed.status.reason}: {passed.status.message}" == expected.refusal

        properties = tuple(
            Property("olm.gvk", {"group": api.group, "version": api.version, "kind": api.kind}) for api in owned
        )
        _, fits = group_eligibility(ClusterGroups(cluster), own.namespace)
        refusal = fits(CandidateFacts("op.v1", "op", "1.0.0", "ns/cs", properties))
        assert refusal == (f"{expected.refusal}: {expected.listed}" if expected.refusal else "")
