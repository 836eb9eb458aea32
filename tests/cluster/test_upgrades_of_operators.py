"""Upgrades of operators and of clusters: chains that fail forward, and the message about blocking operators."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from olmsolve.cluster import Chains, blocking_message, left_behind, not_upgradeable, operators_blocking_update
from olmsolve.cluster.objects import ClusterServiceVersion, Metadata, OperatorCondition, read_manifest
from olmsolve.errors import OlmsolveError

PHASES = ("Replacing", "Replacing", "Replacing", "Failed", "Succeeded")


def operator(name: str, phase: str, replaces: str = "", *, copied: bool = False) -> ClusterServiceVersion:
    return ClusterServiceVersion(
        metadata=Metadata(name, "ns", labels={"olm.copiedFrom": "other"} if copied else {}),
        phase=phase,
        replaces=replaces,
    )


def test_everything_that_gave_way_to_a_failure_is_left_behind() -> None:
    """A third version may then replace the second, which never worked."""
    chain = [operator("v1", "Replacing"), operator("v2", "Replacing", "v1"), operator("v3", "Failed", "v2")]
    assert left_behind(chain) == {"v1", "v2"}
    assert left_behind([*chain[:2], operator("v3", "Succeeded", "v2")]) == frozenset()
    assert left_behind([operator("v1", "Failed")]) == frozenset()


def test_a_bad_chain_fails_the_namespace() -> None:
    """Even where another chain is fine: as recorded."""
    good = [operator("a1", "Replacing"), operator("a2", "Failed", "a1")]
    with pytest.raises(OlmsolveError, match="csv ns/b1 in phase Succeeded instead of Replacing"):
        left_behind([*good, operator("b1", "Succeeded"), operator("b2", "Failed", "b1")])
    with pytest.raises(OlmsolveError, match="csv ns/c1 has already been seen"):
        left_behind([*good, operator("c1", "Replacing", "c2"), operator("c2", "Replacing", "c1")])


def test_copies_have_no_chain_of_their_own() -> None:
    """Their faults belong to another namespace."""
    assert left_behind([operator("c", "Succeeded", "c", copied=True)]) == frozenset()


@given(
    st.lists(st.tuples(st.sampled_from(PHASES), st.sampled_from(["", "op0", "op1", "op2", "op3", "op4"])), max_size=5)
)
def test_chains_are_judged_as_one_by_one(links: Sequence[tuple[str, str]]) -> None:
    """Remembered ends of chains change neither who is left behind nor which fault is named."""
    csvs = [operator(f"op{n}", phase, replaces) for n, (phase, replaces) in enumerate(links)]

    def one_by_one() -> frozenset[str]:
        return frozenset(csv.name for csv in csvs if Chains(csvs).leave_behind(csv))

    assert judged(lambda: left_behind(csvs)) == judged(one_by_one)


def judged(judge: Callable[[], frozenset[str]]) -> frozenset[str] | str:
    try:
        return judge()
    except OlmsolveError as error:
        return str(error)


def test_a_chain_of_ten_thousand_is_judged_at_once() -> None:
    """Walked from each of its operators it would take fifty million steps."""
    chain = [operator(f"v{n}", "Replacing", f"v{n - 1}" if n else "") for n in range(10_000)]
    assert len(left_behind([*chain, operator("last", "Failed", "v9999")])) == 10_000


def limited(name: str, maximum: str, *, copied: bool = False) -> ClusterServiceVersion:
    annotation = f'{{"properties":[{{"type":"olm.maxOpenShiftVersion","value":{maximum}}}]}}'
    return ClusterServiceVersion(
        metadata=Metadata(
            name,
            "ns",
            annotations={"operatorframework.io/properties": annotation},
            labels={"olm.copiedFrom": "other"} if copied else {},
        )
    )


def test_the_cluster_says_which_operators_block_its_update() -> None:
    """Unreadable properties come first, a number keeps its written zero, and copies are passed over."""
    operators = [limited("a", "4.10"), limited("b", '"4.9"'), limited("c", "{"), limited("d", '"4.1"', copied=True)]
    blocking = operators_blocking_update(operators, "4.10.3")
    assert [(operator.name, operator.maximum) for operator in blocking] == [("a", "4.10"), ("b", "4.9"), ("c", "")]
    lines = blocking_message(blocking).splitlines()
    assert lines[1].startswith("- ns/c has invalid olm.maxOpenShiftVersion properties: failed to unmarshal")
    assert lines[2:] == [
        "- maximum supported OCP version for ns/b is 4.9",
        "- maximum supported OCP version for ns/a is 4.10",
    ]
    assert str(blocking[0]) == "ns/a works up to OpenShift 4.10, and blocks the update to 4.11"
    assert blocking[0].to_dict() == {"name": "a", "namespace": "ns", "update": "4.11", "maximum": "4.10"}
    assert blocking_message(operators_blocking_update(operators[:1], "4.9.0")) == ""


def reported(spec: str = "", status: str = "", *, observed: int = 3, version: str = "v2") -> OperatorCondition:
    """An OperatorCondition of generation 3 whose spec and status report Upgradeable (or nothing, for "")."""
    manifest = {
        "apiVersion": f"operators.coreos.com/{version}",
        "kind": "OperatorCondition",
        "metadata": {"name": "e.v1", "namespace": "ns", "generation": 3},
        "spec": {"conditions": [{"type": "Upgradeable", "status": spec, "message": "by spec"}] if spec else []},
        "status": {
            "conditions": [
                {"type": "Upgradeable", "status": status, "message": "by status", "observedGeneration": observed}
            ]
            if status
            else []
        },
    }
    (condition,) = read_manifest(manifest)
    assert isinstance(condition, OperatorCondition)
    return condition


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_an_operator_reports_in_the_spec_of_its_condition(version: str) -> None:
    """The documentation has operators write spec.conditions, which OLM then copies into the status."""
    assert not_upgradeable(reported("False", version=version)) == "the operator is not upgradeable: by spec"
    assert not_upgradeable(reported("True", version=version)) == ""
    assert not_upgradeable(reported("Unknown", version=version)) == ""


def test_the_spec_wins_over_a_status_that_lags_behind() -> None:
    """OLM overwrites the status from the spec before it looks at it, with the generation that the object has."""
    assert not_upgradeable(reported("False", "True")) == "the operator is not upgradeable: by spec"
    assert not_upgradeable(reported("True", "False")) == ""
    assert not_upgradeable(reported("True", "False", observed=1)) == ""


def test_a_status_alone_must_be_about_the_present_object() -> None:
    """Operators that write the status themselves must look at the object again after each change."""
    assert not_upgradeable(reported(status="False")) == "the operator is not upgradeable: by status"
    assert "outdated" in not_upgradeable(reported(status="True", observed=2))
