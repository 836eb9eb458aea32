"""Laws of simulation, on random clusters that are full of conflicts."""

from __future__ import annotations

import functools
import random
from typing import Any

import attrs
import pytest

from olmsolve import Policy, evolve
from olmsolve.catalog import Catalog
from olmsolve.classic import Semantics
from olmsolve.cluster import ClusterState
from olmsolve.cluster.objects import ClusterServiceVersion, OperatorGroup, SubscriptionObject
from olmsolve.cluster.operator_groups import GroupReason, check_operator_groups
from olmsolve.errors import RequestError
from olmsolve.lifecycle.effects import as_found
from olmsolve.lifecycle.planning import namespace_plan
from olmsolve.lifecycle.simulation import Circle, Ending, Simulation
from olmsolve.testing import DENSE, SMALL
from tests.scale import scaled
from tests.simulation.generated import Contents, random_cluster, state_of
from tests.simulation.small_clusters import cluster_situation, simulate

PER_SHAPE = scaled(120, 4)
SHAPES = {
    "small": SMALL,
    "dense": DENSE,
    "long": attrs.evolve(DENSE, bundles=5, requirement=0.2, odd=0.0),
}


def _settings(seed: str, manifests: list[dict[str, Any]], contents: Contents) -> dict[str, Any]:
    generator = random.Random(f"rules {seed}")
    wished = {item["metadata"]["namespace"] for item in manifests if item["kind"] == "Subscription"}
    bundles = {
        name
        for content in contents.values()
        if isinstance(content, Catalog)
        for package in content.packages.values()
        for name in package.bundles
        if name.endswith((".v1.1.0", ".v2.0.0"))
    }
    approve = generator.random() < 0.6
    policy = Policy(semantics=generator.choice(list(Semantics)), operator_groups=generator.random() < 0.3)
    failing = [f"{namespace}/{name}" for namespace in wished for name in bundles] if generator.random() < 0.3 else ()
    return {"approve": approve, "policy": policy, "failing": failing, "verify": True}


@functools.cache
def _simulated(name: str, seed: int) -> tuple[Simulation, dict[str, Any]]:
    key = f"{name} {seed}"
    manifests, contents = random_cluster(key, SHAPES[name])
    settings = _settings(key, manifests, contents)
    return simulate(state_of(manifests), contents, most_steps=200, **settings), settings


@pytest.mark.parametrize("name", SHAPES)
def test_it_always_ends_and_no_state_repeats(name: str) -> None:
    """At rest, or in a circle that is recognised at its first closing; every answer on the way is confirmed.

    A circle that stands still ends in a state of its own, in which only its subscriptions are as they were.
    """
    planned = settled = circles = 0
    for seed in range(PER_SHAPE):
        simulation, _ = _simulated(name, seed)
        assert simulation.ended is not Ending.LIMIT, seed
        digests = [step.digest for step in simulation.steps]
        if simulation.ended is Ending.CYCLE:
            circles += 1
            assert simulation.repeats is not None
            turning = [trouble for trouble in simulation.left if isinstance(trouble, Circle)]
            assert turning, seed
            stands = any(circle.stands for circle in turning)
            if simulation.repeats and not stands:
                assert digests[-1] == digests[simulation.repeats - 1], seed
            for circle in turning:
                assert circle.states[0] == circle.states[-1], seed
                assert len(set(circle.states)) > 1, seed
                before = simulation.steps[simulation.repeats - 1].state if simulation.repeats else simulation.start
                if circle.object == "Subscription":
                    then, now = (_current(state, circle) for state in (before, simulation.state))
                    assert then == now == circle.states[0], seed
            if not stands:
                digests.pop()
        assert len(set(digests)) == len(digests), seed
        for pass_ in simulation.passes:
            answered = pass_.resolution is not None or pass_.failure is not None
            assert (pass_.verdict is not None) == answered, seed
            assert pass_.verdict is None or pass_.verdict.valid, (seed, pass_.verdict)
        planned += any(pass_.sync.plan is not None for pass_ in simulation.passes)
        settled += simulation.is_settled
    assert planned > PER_SHAPE // 3, "too few clusters in which anything happens"
    assert settled > 0
    assert circles < PER_SHAPE // 3


def _current(state: ClusterState, circle: Circle) -> str | None:
    subscription = state.get(SubscriptionObject, circle.namespace, circle.name)
    return None if subscription is None else subscription.current_csv


@pytest.mark.parametrize("name", SHAPES)
def test_at_rest_nothing_more_is_to_be_done(name: str) -> None:
    """Begun where another ended, a simulation has no steps, and says the same of what is left."""
    for seed in range(PER_SHAPE // 2):
        simulation, settings = _simulated(name, seed)
        if simulation.ended is not Ending.REST:
            continue
        _, contents = random_cluster(f"{name} {seed}", SHAPES[name])
        second = simulate(simulation.state, contents, most_steps=200, **settings)
        assert (second.ended, len(second.steps)) == (Ending.REST, 0), seed
        assert [trouble.to_dict() for trouble in second.left] == [trouble.to_dict() for trouble in simulation.left], (
            seed
        )


def test_the_order_of_objects_does_not_matter() -> None:
    """A dump is in whatever order the tool wrote it in."""
    for seed in range(PER_SHAPE // 2):
        manifests, contents = random_cluster(f"order {seed}")
        settings = {**_settings(f"order {seed}", manifests, contents), "verify": False}
        mixed = random.Random(seed).sample(manifests, len(manifests))
        one, other = (simulate(state_of(given), contents, **settings) for given in (manifests, mixed))
        assert one.to_dict() == other.to_dict(), seed


def test_what_works_stays_or_is_replaced() -> None:
    """Nothing disappears from a cluster but what gave way to something that works."""
    for seed in range(PER_SHAPE // 2):
        manifests, contents = random_cluster(f"stays {seed}")
        before = state_of(manifests)
        simulation = simulate(before, contents, **_settings(f"stays {seed}", manifests, contents))
        replaced = {
            (pass_.namespace, old.name)
            for pass_ in simulation.passes
            if pass_.resolution
            for old, _ in pass_.resolution.replaced
        }
        for csv in before.all(ClusterServiceVersion):
            if simulation.state.get(ClusterServiceVersion, csv.namespace, csv.name) is None:
                assert (csv.namespace, csv.name) in replaced, seed


def test_the_first_step_is_what_would_be_planned() -> None:
    """``olmsolve plan`` says what OLM would write now; a simulation begins with just that."""
    compared = 0
    for seed in range(PER_SHAPE):
        manifests, contents = random_cluster(f"planned {seed}")
        state = as_found(state_of(manifests))
        step = simulate(state, contents, most_steps=1)
        passes = {pass_.namespace: pass_ for pass_ in (step.steps[0].passes if step.steps else step.last)}
        for namespace, pass_ in passes.items():
            try:
                planned = namespace_plan(cluster_situation(state, contents), namespace)
            except RequestError:
                assert pass_.error, seed
                continue
            written, planned_first = pass_.sync.plan, planned.plan
            assert (planned_first is None) == (written is None), seed
            if planned_first is not None and written is not None:
                named = evolve(written, metadata=planned_first.metadata)
                assert named == planned_first, seed
                compared += 1
            statuses = [(item.name, item.current_csv, item.state) for item in pass_.sync.subscriptions]
            assert statuses == [(item.name, item.current_csv, item.state) for item in planned.subscriptions], seed
    assert compared > PER_SHAPE // 5


def _regrouped(state: ClusterState, seed: str) -> ClusterState:
    """The cluster after administrators changed groups, and with operators that support few kinds of targets."""
    generator = random.Random(f"groups {seed}")
    names = state.namespaces()
    changed: list[OperatorGroup | ClusterServiceVersion] = []
    for group in state.all(OperatorGroup):
        targets = tuple(generator.sample(names, generator.randint(0, min(2, len(names)))))
        changed.append(evolve(group, target_namespaces=targets))
    for csv in state.all(ClusterServiceVersion):
        modes = tuple(evolve(mode, supported=generator.random() < 0.7) for mode in csv.install_modes)
        changed.append(evolve(csv, install_modes=modes))
    return state.having(*changed)


def test_at_rest_exactly_the_operators_fail_that_their_groups_do_not_let_act() -> None:
    """The report on operator groups judges the same state by itself, and finds the same operators."""
    refused = 0
    for seed in range(PER_SHAPE):
        manifests, contents = random_cluster(f"judged {seed}")
        simulation = simulate(_regrouped(state_of(manifests), str(seed)), contents, approve=True, most_steps=200)
        if simulation.ended is not Ending.REST:
            continue
        expected = {(check.namespace, check.name) for check in check_operator_groups(simulation.state).refused}
        failed = {
            (csv.namespace, csv.name)
            for csv in simulation.state.all(ClusterServiceVersion)
            if csv.phase == "Failed" and csv.reason in set(GroupReason)
        }
        assert failed == expected, seed
        refused += len(failed)
    assert refused > PER_SHAPE // 4, "too few operators are refused"
