"""The scenarios of OLM's documentation, simulated to rest; snapshots hold how they are told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from olmsolve import Policy
from olmsolve.cluster import ClusterState, PlanWaits
from olmsolve.cluster.objects import ClusterServiceVersion, CustomResourceDefinition, SubscriptionObject
from olmsolve.lifecycle.simulation import Ending, Simulation
from olmsolve.render import simulation_text
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

Snapshot = Callable[[str, str], None]


def names(state: ClusterState, namespace: str = "ns") -> list[str]:
    return [csv.name for csv in state.all(ClusterServiceVersion, namespace)]


def steps(simulation: Simulation) -> list[list[str]]:
    """What is new in each step."""
    return [[change.name for change in step.operators if change.phases[0] == ""] for step in simulation.steps]


def confirmed(simulation: Simulation) -> Simulation:
    assert all(pass_.verdict is not None and pass_.verdict.valid for pass_ in simulation.passes if pass_.resolution)
    return simulation


# The provider of A needs B. The provider of B has an update, which provides C and gives B up.
B1, B2 = Version("1.0.0", owns=("B.v1",)), Version("2.0.0", owns=("C.v1",), replaces="1.0.0")
A1 = Version("1.0.0", owns=("A.v1",), requires=("B.v1",))
DEPRECATING = catalog(a=[A1], b=[B1, B2])


def test_an_update_that_gives_up_a_needed_api_is_not_taken(snapshot: Snapshot) -> None:
    """Deprecating a dependency's API: B must keep a provider while A's needs it, so the update is passed over."""
    state = cluster(group("ns"), installed("ns", "b", B1), subscription("ns", "a"))
    simulation = confirmed(simulate(state, {"olm/main": DEPRECATING}, verify=True))
    assert names(simulation.state) == ["a.v1.0.0", "b.v1.0.0"]
    assert simulation.is_settled
    snapshot("simulations/deprecated-dependency.txt", simulation_text(simulation))


def test_the_same_update_is_taken_where_nobody_needs_the_api() -> None:
    """It is the need that holds it back, not the update itself."""
    simulation = confirmed(
        simulate(cluster(group("ns"), installed("ns", "b", B1)), {"olm/main": DEPRECATING}, verify=True)
    )
    assert names(simulation.state) == ["b.v2.0.0"]


OLD_A, OLD_B = Version("1.0.0", ("A.v1",), ("B.v1",)), Version("1.0.0", ("B.v1",), ("A.v1",))
NEW_A = Version("2.0.0", ("A.v2",), ("B.v2",), replaces="1.0.0")
NEW_B = Version("2.0.0", ("B.v2",), ("A.v2",), replaces="1.0.0")


def test_two_that_need_each_other_are_updated_at_once(snapshot: Snapshot) -> None:
    """Version deadlock: neither new version can be installed beside the other's old one, but both can together."""
    state = cluster(group("ns"), installed("ns", "a", OLD_A), installed("ns", "b", OLD_B))
    simulation = confirmed(simulate(state, {"olm/main": catalog(a=[OLD_A, NEW_A], b=[OLD_B, NEW_B])}, verify=True))
    assert steps(simulation) == [["a.v2.0.0", "b.v2.0.0"]]
    assert simulation.is_settled
    snapshot("simulations/version-deadlock.txt", simulation_text(simulation))


def test_one_of_two_that_need_each_other_is_not_updated_alone() -> None:
    """While the catalog has only one of the two updates, nothing is broken: both stay."""
    state = cluster(group("ns"), installed("ns", "a", OLD_A), installed("ns", "b", OLD_B))
    simulation = confirmed(simulate(state, {"olm/main": catalog(a=[OLD_A, NEW_A], b=[OLD_B])}, verify=True))
    assert simulation.steps == ()
    assert names(simulation.state) == ["a.v1.0.0", "b.v1.0.0"]


def test_colocated_operators_are_updated_by_one_plan(snapshot: Snapshot) -> None:
    """All subscriptions of a namespace are resolved at once, though their operators are strangers to each other."""
    one, two = Version("1.0.0", ("A.v1",)), Version("1.1.0", ("A.v1",), replaces="1.0.0")
    three, four = Version("3.0.0", ("B.v1",)), Version("4.0.0", ("B.v1",), replaces="3.0.0")
    state = cluster(group("ns"), installed("ns", "a", one), installed("ns", "b", three, approval="Manual"))
    content = {"olm/main": catalog(a=[one, two], b=[three, four])}
    waiting = confirmed(simulate(state, content, verify=True))
    assert names(waiting.state) == ["a.v1.0.0", "b.v3.0.0"], "one manual subscription makes the whole plan manual"
    assert waiting.left == (PlanWaits("ns", "install-1", ("a.v1.1.0", "b.v4.0.0")),)
    approved = confirmed(simulate(waiting.state, content, verify=True, approve=True))
    assert steps(approved) == [["a.v1.1.0", "b.v4.0.0"]]
    snapshot(
        "simulations/manual-beside-automatic.txt",
        f"{simulation_text(waiting)}\n\nApproved:\n\n{simulation_text(approved)}",
    )


# The old catalog's head is bad; the new one's skips it.
GOOD, BAD = Version("0.9.0", ("E.v1",)), Version("0.9.1", ("E.v1",), replaces="0.9.0")
FIXED = Version("0.9.2", ("E.v1",), replaces="0.9.0", skips=("0.9.1",))
OLD, NEW = catalog(etcd=[GOOD, BAD]), catalog(etcd=[GOOD, BAD, FIXED])


def test_whoever_has_the_skipped_release_leaves_it(snapshot: Snapshot) -> None:
    """The old catalog led to the bad release; from there the new one leads on."""
    old = confirmed(simulate(cluster(group("ns"), installed("ns", "etcd", GOOD)), {"olm/main": OLD}, verify=True))
    assert names(old.state) == ["etcd.v0.9.1"]
    new = confirmed(simulate(old.state, {"olm/main": NEW}, verify=True))
    assert steps(new) == [["etcd.v0.9.2"]]
    snapshot(
        "simulations/skipped-release.txt",
        f"Old catalog:\n\n{simulation_text(old)}\n\nNew catalog:\n\n{simulation_text(new)}",
    )


def test_whoever_has_not_seen_the_skipped_release_never_will() -> None:
    """The same new catalog, from the release before: the bad one is on no way."""
    simulation = confirmed(
        simulate(cluster(group("ns"), installed("ns", "etcd", GOOD)), {"olm/main": NEW}, verify=True)
    )
    assert steps(simulation) == [["etcd.v0.9.2"]]


def test_versions_are_walked_one_by_one_to_the_head(snapshot: Snapshot) -> None:
    """Each release that nothing skips is installed on the way."""
    chain = [
        Version(f"1.{minor}.0", (f"E.v{minor}",), replaces=f"1.{minor - 1}.0" if minor else "") for minor in range(4)
    ]
    state = cluster(group("ns"), installed("ns", "e", chain[0]))
    simulation = confirmed(simulate(state, {"olm/main": catalog(e=chain)}, verify=True))
    assert steps(simulation) == [["e.v1.1.0"], ["e.v1.2.0"], ["e.v1.3.0"]]
    snapshot("simulations/one-by-one.txt", simulation_text(simulation))


def test_the_head_comes_before_the_next_where_its_range_has_the_installed_version() -> None:
    """skipRange precedence within the subscription's catalog: the head first, then what replaces the installed one."""
    first, second = Version("1.0.0", ("E.v1",)), Version("1.1.0", ("E.v1",), replaces="1.0.0")
    head = Version("1.2.0", ("E.v1",), replaces="1.1.0", skip_range=">=1.0.0 <1.2.0")
    late = Version("1.2.0", ("E.v1",), replaces="1.1.0", skip_range=">=1.1.0 <1.2.0")
    state = cluster(group("ns"), installed("ns", "e", first))
    jump = confirmed(simulate(state, {"olm/main": catalog(e=[first, second, head])}, verify=True))
    assert steps(jump) == [["e.v1.2.0"]]
    walk = confirmed(simulate(state, {"olm/main": catalog(e=[first, second, late])}, verify=True))
    assert steps(walk) == [["e.v1.1.0"], ["e.v1.2.0"]]


@pytest.mark.parametrize("patch", ["1.1.0", "1.1.1", "1.1.2"])
def test_each_patch_release_leads_to_the_latest_one(patch: str) -> None:
    """Z-stream: the new catalog's latest patch replaces every earlier one of its minor version, seen or not."""
    versions = [Version("1.1.0", ("E.v1",))]
    versions += [Version(f"1.1.{z}", ("E.v1",), replaces=f"1.1.{z - 1}") for z in (1, 2)]
    latest = Version("1.1.3", ("E.v1",), replaces="1.0.0", skips=("1.1.0", "1.1.1", "1.1.2"))
    have = next(version for version in versions if version.number == patch)
    state = cluster(group("ns"), installed("ns", "e", have))
    # What is not available any more is a virtual node: the new catalog has only the latest.
    simulation = confirmed(simulate(state, {"olm/main": catalog(e=[latest])}, verify=True))
    assert steps(simulation) == [["e.v1.1.3"]]


ONE, TWO = Version("1.0.0", ("E.v1",)), Version("2.0.0", ("E.v1",), replaces="1.0.0")


def test_an_operator_that_is_not_upgradeable_keeps_the_new_one_pending(snapshot: Snapshot) -> None:
    """OLM resolves and plans, but the new operator waits; while both are there, nothing can be resolved."""
    condition = {
        "apiVersion": "operators.coreos.com/v2",
        "kind": "OperatorCondition",
        "metadata": {"name": "e.v1.0.0", "namespace": "ns"},
        "status": {"conditions": [{"type": "Upgradeable", "status": "False", "message": "migrating"}]},
    }
    state = cluster(group("ns"), installed("ns", "e", ONE), condition)
    simulation = confirmed(simulate(state, {"olm/main": catalog(e=[ONE, TWO])}, verify=True))
    csvs = simulation.state.all(ClusterServiceVersion, "ns")
    assert [(csv.name, csv.phase, csv.reason) for csv in csvs] == [
        ("e.v1.0.0", "Replacing", "BeingReplaced"),
        ("e.v2.0.0", "Pending", "OperatorConditionNotUpgradeable"),
    ]
    snapshot("simulations/not-upgradeable.txt", simulation_text(simulation))


@pytest.mark.parametrize(("strategy", "end"), [("Default", "e.v2.0.0"), ("TechPreviewUnsafeFailForward", "e.v3.0.0")])
def test_a_failed_upgrade_is_left_behind_only_where_that_is_allowed(strategy: str, end: str) -> None:
    """The second version fails; a third that replaces it comes with a new catalog."""
    state = cluster(group("ns", strategy=strategy), installed("ns", "e", ONE))
    assumed: dict[str, Any] = {"verify": True, "failing": ["ns/e.v2.0.0"]}
    failed = confirmed(simulate(state, {"olm/main": catalog(e=[ONE, TWO])}, **assumed))
    assert [(csv.name, csv.phase) for csv in failed.state.all(ClusterServiceVersion)] == [
        ("e.v1.0.0", "Replacing"),
        ("e.v2.0.0", "Failed"),
    ]
    three = Version("3.0.0", ("E.v1",), replaces="2.0.0")
    simulation = confirmed(simulate(failed.state, {"olm/main": catalog(e=[ONE, TWO, three])}, **assumed))
    assert names(simulation.state)[-1] == end
    assert (len(names(simulation.state)) == 1) is (end == "e.v3.0.0")


def test_a_bound_ends_it_earlier() -> None:
    """A chain of updates may be longer than anybody wants to see."""
    chain = [Version(f"1.{n}.0", ("E.v1",), replaces=f"1.{n - 1}.0" if n else "") for n in range(5)]
    state = cluster(group("ns"), installed("ns", "e", chain[0]))
    simulation = simulate(state, {"olm/main": catalog(e=chain)}, most_steps=2)
    assert (simulation.ended, len(simulation.steps), names(simulation.state)) == (Ending.LIMIT, 2, ["e.v1.2.0"])


def test_dependencies_bring_subscriptions_that_keep_them_up_to_date() -> None:
    """A generated subscription owns what it brought, so that the next catalog's update is taken."""
    provider = Version("1.0.0", ("B.v1",))
    state = cluster(group("ns"), subscription("ns", "a"))
    first = confirmed(simulate(state, {"olm/main": catalog(a=[A1], b=[provider])}, verify=True))
    generated = first.state.get(SubscriptionObject, "ns", "b-stable-main-olm")
    assert generated is not None
    assert (generated.installed_csv, generated.state) == ("b.v1.0.0", "AtLatestKnown")
    newer = Version("1.1.0", ("B.v1",), replaces="1.0.0")
    second = confirmed(simulate(first.state, {"olm/main": catalog(a=[A1], b=[provider, newer])}, verify=True))
    assert names(second.state) == ["a.v1.0.0", "b.v1.1.0"]


def test_definitions_appear_and_are_never_taken_away() -> None:
    """OLM deletes no CRD: what an update gives up stays on the cluster without an owner."""
    state = cluster(group("ns"), installed("ns", "b", B1), _crd("bs.example.com", "B", ["v1"], stored=[]))
    simulation = simulate(state, {"olm/main": DEPRECATING})
    assert [(crd.name, [v.name for v in crd.versions]) for crd in simulation.state.all(CustomResourceDefinition)] == [
        ("bs.example.com", ["v1"]),
        ("cs.example.com", ["v1"]),
    ]


def _crd(name: str, kind: str, versions: list[str], *, stored: list[str]) -> dict[str, object]:
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": name},
        "spec": {
            "group": "example.com",
            "names": {"kind": kind, "plural": name.partition(".")[0]},
            "scope": "Namespaced",
            "versions": [{"name": version, "served": True, "storage": not n} for n, version in enumerate(versions)],
        },
        "status": {"storedVersions": stored},
    }


def test_a_namespace_that_cannot_be_resolved_keeps_no_other_from_going_on(snapshot: Snapshot) -> None:
    """One asks for an API that nothing has, one has no operator group, one is fine."""
    lonely = Version("1.0.0", ("L.v1",), ("Nothing.v1",))
    state = cluster(
        group("fine"),
        subscription("fine", "e"),
        group("lonely"),
        subscription("lonely", "l"),
        subscription("groupless", "e"),
    )
    simulation = confirmed(simulate(state, {"olm/main": catalog(e=[ONE, TWO], l=[lonely])}, verify=True))
    assert names(simulation.state, "fine") == ["e.v2.0.0"]
    assert (names(simulation.state, "lonely"), names(simulation.state, "groupless")) == ([], [])
    snapshot("simulations/one-of-three.txt", simulation_text(simulation))


def test_what_its_group_would_not_let_act_is_not_installed_where_that_is_asked() -> None:
    """Two groups serve one namespace, and the first has the API: OLM installs the second all the same, and it fails."""
    first = group("one", targets=["one", "two"])
    first["metadata"]["annotations"] = {"olm.providedAPIs": "E.v1.example.com"}
    state = cluster(first, installed("one", "e", ONE), group("two"), subscription("two", "e"))
    content = {"olm/main": catalog(e=[ONE])}
    plain = simulate(state, content)
    csv = plain.state.get(ClusterServiceVersion, "two", "e.v1.0.0")
    assert csv is not None
    assert (csv.phase, csv.reason) == ("Failed", "InterOperatorGroupOwnerConflict")
    heeding = simulate(state, content, policy=Policy(operator_groups=True), verify=True)
    assert names(heeding.state, "two") == []
    assert "InterOperatorGroupOwnerConflict" in " ".join(map(str, heeding.left))


def test_an_operator_nobody_subscribed_to_stays() -> None:
    """It was installed by hand; neither updates nor the subscriptions of others touch it."""
    state = cluster(group("ns"), operator("ns", "e", ONE), subscription("ns", "a"))
    simulation = simulate(state, {"olm/main": catalog(e=[ONE, TWO], a=[Version("1.0.0", ("A.v1",), ("E.v1",))])})
    assert names(simulation.state) == ["a.v1.0.0", "e.v1.0.0"]
