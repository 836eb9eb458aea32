"""Updates that lead round: what turns for ever, what stands still, and what only looks like it."""

from __future__ import annotations

from collections.abc import Callable

import attrs
import pytest

from olmsolve import evolve
from olmsolve.cluster.objects import ClusterServiceVersion, SubscriptionObject
from olmsolve.lifecycle.planning import namespace_plan
from olmsolve.lifecycle.simulation import Circle, Ending
from olmsolve.render import simulation_text
from tests.simulation.small_clusters import (
    OLM,
    Version,
    catalog,
    cluster,
    cluster_situation,
    group,
    installed,
    operator,
    simulate,
    subscription,
)
from tests.simulation.test_simulated_scenarios import confirmed, names, steps

Snapshot = Callable[[str, str], None]
ONE, TWO = Version("1.0.0", ("E.v1",)), Version("2.0.0", ("E.v1",), replaces="1.0.0")


def _circle(length: int) -> list[Version]:
    """A channel whose last entry can be updated to its first, by a range that nobody meant so."""
    first = Version("1.0.0", ("E.v1",), skip_range=f">={length}.0.0")
    return [first, *(Version(f"{n}.0.0", ("E.v1",), replaces=f"{n - 1}.0.0") for n in range(2, length + 1))]


def test_a_circle_of_updates_is_recognised(snapshot: Snapshot) -> None:
    """Ranges can send a cluster round for ever; OLM would not tell."""
    circle = _circle(3)
    state = cluster(group("ns"), installed("ns", "e", circle[0]))
    simulation = confirmed(simulate(state, {"olm/main": catalog(e=circle)}, verify=True))
    # The definition of E is new in the first step, and that state does not come back.
    assert (simulation.ended, simulation.repeats) == (Ending.CYCLE, 1)
    assert steps(simulation) == [["e.v2.0.0"], ["e.v3.0.0"], ["e.v1.0.0"], ["e.v2.0.0"]]
    snapshot("simulations/circle.txt", simulation_text(simulation))


def test_what_turns_is_told() -> None:
    """Whoever reads that a cluster never rests needs to know which subscription to change, and what it goes through."""
    circle = _circle(3)
    state = cluster(group("ns"), installed("ns", "e", circle[0]), group("other"), installed("other", "f", ONE))
    simulation = confirmed(simulate(state, {"olm/main": catalog(e=circle, f=[ONE])}, verify=True))
    assert simulation.left == (Circle("ns", "Subscription", "e", ("e.v2.0.0", "e.v3.0.0", "e.v1.0.0", "e.v2.0.0")),)
    assert simulation.to_dict()["left"][0]["object"] == {"kind": "Subscription", "name": "e"}


@pytest.mark.parametrize("start", [0, 1])
def test_two_that_replace_each_other_stand_still(start: int, snapshot: Snapshot) -> None:
    """An operator is only deleted when what it replaced is gone: here each waits for the other to go first.

    The real OLM ends like this, with ConstraintsNotSatisfiable. Its objects rest, but it is no rest that anybody wants.
    """
    circle = _circle(2)
    state = cluster(group("ns"), installed("ns", "e", circle[start]))
    simulation = confirmed(simulate(state, {"olm/main": catalog(e=circle)}, verify=True))
    assert (simulation.ended, simulation.repeats) == (Ending.CYCLE, 0)
    assert [csv.phase for csv in simulation.state.all(ClusterServiceVersion)] == ["Replacing", "Replacing"]
    names_ = [f"e.v{circle[index].number}" for index in (start, 1 - start, start)]
    assert simulation.left[0] == Circle("ns", "Subscription", "e", tuple(names_), stands=True)
    assert not simulation.is_settled
    snapshot(f"simulations/circle-of-two-{start}.txt", simulation_text(simulation))


def test_a_circle_that_stands_still_ends_no_other_namespace() -> None:
    """The others go on until they rest; what came back is told all the same, with its own step."""
    circle = _circle(2)
    chain = [Version(f"1.{n}.0", ("F.v1",), replaces=f"1.{n - 1}.0" if n else "") for n in range(6)]
    state = cluster(group("ns"), installed("ns", "e", circle[0]), group("other"), installed("other", "f", chain[0]))
    simulation = confirmed(simulate(state, {"olm/main": catalog(e=circle, f=chain)}, verify=True))
    assert names(simulation.state, "other") == ["f.v1.5.0"]
    assert (simulation.ended, [trouble.namespace for trouble in simulation.left if isinstance(trouble, Circle)]) == (
        Ending.CYCLE,
        ["ns"],
    )


def test_a_circle_beside_an_update_is_told() -> None:
    """The other operator of the namespace is newer than before, so that the namespace as a whole did not come back."""
    circle = _circle(2)
    other = [Version("1.0.0", ("F.v1",)), Version("1.1.0", ("F.v1",), replaces="1.0.0")]
    state = cluster(group("ns"), installed("ns", "e", circle[1]), installed("ns", "f", other[0]))
    simulation = confirmed(simulate(state, {"olm/main": catalog(e=circle, f=other)}, verify=True))
    assert simulation.ended is Ending.CYCLE
    assert [trouble.name for trouble in simulation.left if isinstance(trouble, Circle)] == ["e"]


def test_a_circle_of_failures_is_told() -> None:
    """Failing forward, a subscription goes back to the operator that is still there, and gets no further."""
    circle = _circle(2)
    state = cluster(group("ns", strategy="TechPreviewUnsafeFailForward"), installed("ns", "e", circle[1]))
    simulation = confirmed(simulate(state, {"olm/main": catalog(e=circle)}, verify=True, failing=["ns/e.v1.0.0"]))
    assert simulation.ended is Ending.CYCLE
    assert simulation.left[0] == Circle("ns", "Subscription", "e", ("e.v2.0.0", "e.v1.0.0", "e.v2.0.0"), stands=True)


def test_two_catalogs_that_take_turns_are_a_circle() -> None:
    """Without a source, the second catalog updates what the first one brought, and the first one that."""
    one, two = Version("1.0.0", ("E.v1",), skip_range=">=2.0.0"), Version("2.0.0", ("E.v1",), replaces="1.0.0")
    three = Version("3.0.0", ("E.v1",), replaces="2.0.0")
    catalogs = {"olm/first": catalog(e=[one, two]), "olm/second": catalog(e=[three])}
    wish = subscription("ns", "e", has="1.0.0")
    del wish["spec"]["source"], wish["spec"]["sourceNamespace"]
    sources = [
        {"apiVersion": OLM, "kind": "CatalogSource", "metadata": {"name": name, "namespace": "olm"}}
        for name in ("first", "second")
    ]
    state = cluster(group("ns"), wish, operator("ns", "e", one), sources)
    simulation = confirmed(simulate(state, catalogs | {"olm/main": catalog()}, verify=True))
    assert simulation.ended is Ending.CYCLE
    assert [trouble.name for trouble in simulation.left if isinstance(trouble, Circle)] == ["e"]


def test_a_way_back_that_ends_well_is_no_circle() -> None:
    """A second operator comes to need what only the older version has: that one comes back and stays, which is rest."""
    circle = [
        attrs.evolve(version, owns=("E.v1", "Old.v1") if index == 0 else ("E.v1",))
        for index, version in enumerate(_circle(3))
    ]
    needing = [Version(f"1.{n}.0", ("F.v1",), replaces=f"1.{n - 1}.0" if n else "") for n in range(3)]
    needing.append(Version("1.3.0", ("F.v1",), requires=("Old.v1",), replaces="1.2.0"))
    state = cluster(group("ns"), installed("ns", "e", circle[0]), installed("ns", "f", needing[0]))
    simulation = confirmed(simulate(state, {"olm/main": catalog(e=circle, f=needing)}, verify=True))
    assert steps(simulation) == [["e.v2.0.0", "f.v1.1.0"], ["e.v3.0.0", "f.v1.2.0"], ["e.v1.0.0", "f.v1.3.0"]]
    assert (simulation.ended, simulation.left) == (Ending.REST, ())


def test_where_a_failed_plan_left_its_operator_the_failure_is_noted_once() -> None:
    """The operator is there, so it counts and the failed plan does not: the two took turns for ever."""
    state = cluster(
        group("ns", strategy="TechPreviewUnsafeFailForward"),
        installed("ns", "e", ONE),
        {
            "apiVersion": OLM,
            "kind": "InstallPlan",
            "metadata": {"name": "install-bad", "namespace": "ns"},
            "spec": {"clusterServiceVersionNames": ["e.v1.0.0"], "approval": "Automatic", "approved": True},
            "status": {"phase": "Failed", "plan": []},
        },
    )
    (wish,) = state.all(SubscriptionObject)
    state = state.having(evolve(wish, install_plan="install-bad"))
    contents = {"olm/main": catalog(e=[ONE, TWO])}
    simulation = confirmed(simulate(state, contents, verify=True))
    assert names(simulation.state) == ["e.v2.0.0"]
    assert namespace_plan(cluster_situation(state, contents), "ns").plan is not None
