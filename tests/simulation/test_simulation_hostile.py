"""Clusters that nobody has: thousands of operators, contradicting owners, wrong kinds. One clear error, or a result."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from olmsolve import Policy
from olmsolve.authoring import merge_catalogs
from olmsolve.catalog.fbc import from_blobs
from olmsolve.cluster import NamespaceUnresolvable, OperatorNotWorking, PlanFailed
from olmsolve.cluster.objects import ClusterServiceVersion, SubscriptionObject
from olmsolve.errors import CatalogError, ManifestError, RequestError
from olmsolve.lifecycle.effects import operators
from olmsolve.lifecycle.simulation import Ending, NamespaceUnresolved, OperatorsUnsettled
from tests.scale import LONG
from tests.simulation.small_clusters import (
    Version,
    catalog,
    cluster,
    group,
    installed,
    operator,
    simulate,
    subscription,
)

ONE, TWO = Version("1.0.0", ("E.v1",)), Version("2.0.0", ("E.v1",), replaces="1.0.0")
CONTENT = {"olm/main": catalog(e=[ONE, TWO])}


def test_ten_thousand_operators_are_no_hindrance() -> None:
    """One of them is updated; the others stay. The short run has a thousand of them."""
    count = 10_000 if LONG else 1_000
    strangers = [operator("ns", f"o{n}", Version("1.0.0", (f"K{n}.v1",))) for n in range(count)]
    simulation = simulate(cluster(group("ns"), installed("ns", "e", ONE), strangers), CONTENT)
    assert (simulation.ended, len(simulation.steps), simulation.left) == (Ending.REST, 1, ())
    assert [change.name for change in simulation.steps[0].operators] == ["e.v1.0.0", "e.v2.0.0"]


def _chain(length: int, phase: str) -> list[dict[str, Any]]:
    chain = []
    for n in range(length):
        manifest = operator("ns", "c", Version(f"{n}.0.0", ("C.v1",)), phase=phase)
        if n:
            manifest["spec"]["replaces"] = f"c.v{n - 1}.0.0"
        chain.append(manifest)
    return chain


def test_a_long_chain_of_replaced_operators_goes_at_once() -> None:
    """All but the last were replaced and never deleted: 600 operators, 200 in the short run."""
    length = 600 if LONG else 200
    last = f"{length - 1}.0.0"
    chain = [*_chain(length, "Replacing")]
    chain[-1]["status"]["phase"] = "Succeeded"
    state = cluster(group("ns"), subscription("ns", "c", has=last), chain)
    simulation = simulate(state, {"olm/main": catalog(c=[Version(last, ("C.v1",))])})
    assert simulation.ended is Ending.REST
    assert [csv.name for csv in simulation.state.all(ClusterServiceVersion)] == [f"c.v{last}"]


def test_a_chain_that_would_take_for_ever_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hundreds of operators that replace each other, of which none was ever installed; that is said.

    The short run has a hundred of them, and a bound that is as much lower.
    """
    length = 500 if LONG else 100
    monkeypatch.setattr(operators, "_MOST_LOOKS", operators._MOST_LOOKS * length**2 // 500**2)
    last = f"{length - 1}.0.0"
    state = cluster(group("ns"), subscription("ns", "c", has=last), _chain(length, "Pending"))
    simulation = simulate(state, {"olm/main": catalog(c=[Version(last, ("C.v1",))])})
    assert (simulation.ended, len(simulation.steps)) == (Ending.LIMIT, 1)
    assert isinstance(simulation.left[0], OperatorsUnsettled)


def test_operators_that_replace_each_other_in_a_ring_stand_still() -> None:
    """No chain of theirs has an end."""
    ring = _chain(5, "Succeeded")
    ring[0]["spec"]["replaces"] = "c.v4.0.0"
    simulation = simulate(cluster(group("ns"), installed("ns", "e", ONE), ring), CONTENT)
    assert simulation.ended is Ending.REST
    assert len(simulation.state.all(ClusterServiceVersion)) == 6


def test_contradicting_owners_are_told_of_their_namespace() -> None:
    """Two subscriptions have one operator, and want it from two channels. The other namespace goes on."""
    second = subscription("ns", "e", has="1.0.0")
    second["metadata"]["name"] = "again"
    second["spec"]["channel"] = "elsewhere"
    state = cluster(group("ns"), installed("ns", "e", ONE), second, group("fine"), subscription("fine", "e"))
    simulation = simulate(state, CONTENT)
    (fault,) = (trouble for trouble in simulation.left if isinstance(trouble, NamespaceUnresolvable))
    reason = "subscriptions again and e both have e.v1.0.0 installed, and want different things"
    assert (fault.namespace, fault.reason) == ("ns", reason)
    assert str(fault).startswith("nobody can say what OLM does in namespace ns: ")
    assert "OLM follows either of them: delete one" in str(fault.error())
    assert simulation.state.get(ClusterServiceVersion, "fine", "e.v2.0.0") is not None


def test_two_subscriptions_that_want_the_same_are_updated_together() -> None:
    """As recorded: each of them gets the update, and the operator is installed once."""
    second = subscription("ns", "e", has="1.0.0")
    second["metadata"]["name"] = "again"
    simulation = simulate(cluster(group("ns"), installed("ns", "e", ONE), second), CONTENT)
    assert simulation.is_settled
    assert [(wish.name, wish.installed_csv) for wish in simulation.state.all(SubscriptionObject)] == [
        ("again", "e.v2.0.0"),
        ("e", "e.v2.0.0"),
    ]


def test_a_bundle_that_cannot_be_read_is_told_of_its_namespace() -> None:
    """Its manifest names no kind, so there are no steps for its namespace. The other namespace goes on."""
    manifest = base64.b64encode(b'{"apiVersion": "v1", "metadata": {"name": "x"}}').decode()
    broken = from_blobs(
        [
            {"schema": "olm.package", "name": "p", "defaultChannel": "stable"},
            {"schema": "olm.channel", "package": "p", "name": "stable", "entries": [{"name": "p.v1"}]},
            {
                "schema": "olm.bundle",
                "package": "p",
                "name": "p.v1",
                "properties": [
                    {"type": "olm.package", "value": {"packageName": "p", "version": "1.0.0"}},
                    {"type": "olm.bundle.object", "value": {"data": manifest}},
                ],
            },
        ]
    )
    state = cluster(group("ns"), subscription("ns", "p"), group("fine"), subscription("fine", "e"))
    contents = {"olm/main": merge_catalogs(catalog(e=[ONE, TWO]), broken)}
    simulation = simulate(state, contents)
    assert [trouble.namespace for trouble in simulation.left if isinstance(trouble, NamespaceUnresolved)] == ["ns"]
    assert simulation.state.get(ClusterServiceVersion, "fine", "e.v2.0.0") is not None


def test_many_operators_that_own_one_definition_fail_and_are_told() -> None:
    """None of them is in the chain of another: 300 operators, 100 in the short run."""
    count = 300 if LONG else 100
    owners = [operator("ns", f"o{n}", Version("1.0.0", ("K.v1",)), phase="Pending") for n in range(count)]
    simulation = simulate(cluster(group("ns"), installed("ns", "e", ONE), owners), CONTENT)
    assert simulation.ended is Ending.REST
    assert (
        sum(
            isinstance(trouble, OperatorNotWorking) and trouble.reason == "OwnerConflict" for trouble in simulation.left
        )
        == count
    )


def test_many_namespaces_with_one_operator_are_settled_together() -> None:
    """Each group serves its own namespace, so that none is in another's way."""
    objects = [object_ for n in range(300) for object_ in (group(f"n{n}"), subscription(f"n{n}", "e"))]
    simulation = simulate(cluster(objects), CONTENT)
    assert (simulation.ended, len(simulation.steps), simulation.left) == (Ending.REST, 1, ())


@pytest.mark.parametrize(
    "spoilt",
    [
        {"metadata": {"annotations": {"operatorframework.io/properties": "{"}}},
        {"spec": {"customresourcedefinitions": {"owned": [{"name": "plural", "kind": "E", "version": "v1"}]}}},
    ],
    ids=["annotation", "name of a definition"],
)
def test_an_operator_that_cannot_be_read_is_told_of_its_namespace(spoilt: dict[str, Any]) -> None:
    """It fails the namespace, and is named."""
    manifest = operator("ns", "x", ONE)
    for part, fields in spoilt.items():
        if part == "spec":
            del manifest["metadata"]["annotations"]
        manifest[part] = {**manifest[part], **fields}
    simulation = simulate(cluster(group("ns"), subscription("ns", "e"), manifest), CONTENT)
    assert simulation.ended is Ending.REST
    (fault,) = (trouble for trouble in simulation.left if isinstance(trouble, NamespaceUnresolvable))
    assert "ns/x.v1.0.0" in fault.reason


def _plan(manifest: str, kind: str = "ClusterServiceVersion") -> dict[str, Any]:
    resource = {"kind": kind, "name": "x", "group": "operators.coreos.com", "version": "v1alpha1"}
    return {
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "InstallPlan",
        "metadata": {"name": "install-x", "namespace": "ns"},
        "spec": {"approval": "Automatic", "approved": True, "clusterServiceVersionNames": ["x"]},
        "status": {"phase": "Installing", "plan": [{"resolving": "x", "resource": {**resource, "manifest": manifest}}]},
    }


@pytest.mark.parametrize(
    "manifest",
    ["", "{", "[]", "null", '{"spec": {}}', '{"metadata": {"name": 5}}', '{"metadata": [], "spec": {}}', "[" * 100_000],
    ids=["empty", "cut off", "list", "null", "nameless", "number", "no mapping", "deep"],
)
def test_a_plan_whose_manifests_are_none_fails(manifest: str) -> None:
    """Plans of a dump hold whatever somebody wrote there."""
    simulation = simulate(cluster(group("ns"), installed("ns", "e", ONE), _plan(manifest)), CONTENT)
    assert simulation.ended is Ending.REST
    failed = [trouble.plan for step in simulation.steps for trouble in step.troubles if isinstance(trouble, PlanFailed)]
    assert failed == ["install-x"]
    assert simulation.is_settled, "the plan that came after has done all that was asked for"
    assert [csv.name for csv in simulation.state.all(ClusterServiceVersion)] == ["e.v2.0.0"]


def test_kinds_that_are_not_simulated_are_passed_over() -> None:
    """Rights, secrets and what nobody knows: they come with plans, and change nothing here."""
    simulation = simulate(
        cluster(group("ns"), installed("ns", "e", ONE), _plan('{"metadata": {"name": "x"}, "spec": 7}', "Strange")),
        CONTENT,
    )
    assert simulation.is_settled


def test_catalogs_that_cannot_be_read_follow_the_policy() -> None:
    """Strict as OLM, or left out where that is asked."""
    state = cluster(group("ns"), installed("ns", "e", ONE))
    broken = {"olm/main": CatalogError("cannot be opened")}
    strict = simulate(state, broken)
    assert any("cannot be opened" in str(trouble) for trouble in strict.left)
    assert simulate(state, broken, policy=Policy(health_policy="ignore")).ended is Ending.REST
    with pytest.raises(ManifestError, match="its content was not given"):
        simulate(state, {})
    with pytest.raises(RequestError, match="no catalog among the cluster"):
        simulate(state, {**CONTENT, "olm/other": CONTENT["olm/main"]})
    with pytest.raises(RequestError, match="no subscription is in this namespace"):
        simulate(state, CONTENT, namespaces=["other"])
