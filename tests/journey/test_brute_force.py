"""The search against brute force: the same verdict, the same preferred plan. The whole run has 2,000 cases.

OLMSOLVE_TESTS=long tries all of them; otherwise one in fifty.
"""

from __future__ import annotations

import attrs

import olmsolve
from olmsolve import Journey
from olmsolve.lifecycle.journey import JourneyPlanner, PlanApproval, SubscriptionChannelChange, stages_between
from olmsolve.solver.backends import DEFAULT
from tests.journey.brute_force import Act, Case, best
from tests.journey.small_cases import FIRST, drawn, later, situation
from tests.scale import sampled

CASES = 2000


def planned(case: Case) -> Journey:
    """The journey of the cluster that *case* stands for."""
    given = situation(case)
    assert given.cluster is not None
    last = f"4.{FIRST + len(case.stages) - 1}"
    stages = stages_between(f"4.{FIRST}", last, given.cluster.contents, later(case), olmsolve.load, eus=False)
    chosen = [attrs.evolve(each, is_passed=number in case.passed) for number, each in enumerate(stages)]
    return JourneyPlanner(chosen, most=3000, backend=DEFAULT).journey(given.cluster)


def acts(found: Journey) -> tuple[Act, ...]:
    """The acts of a journey as the brute force writes them."""
    result: list[Act] = []
    for number, stage in enumerate(found.stages):
        result += [()] if number else []
        for each in stage.changes:
            change = each.change
            if isinstance(change, PlanApproval):
                result.append(("1", change.namespace))
            else:
                assert isinstance(change, SubscriptionChannelChange)
                result.append(("2", change.namespace, change.subscription, change.channel))
    return tuple(result)


def test_small_cases_have_the_plan_that_brute_force_finds() -> None:
    """One namespace is one part of the cluster: the whole sequence is defined, and has to be the same."""
    for seed in sampled(range(CASES), 50, offset=21):
        case = drawn(seed)
        want, found = best(case), planned(case)
        assert not found.undecided
        if want is None:
            assert not found.is_reached, seed
            assert found.conflicts, seed
        else:
            assert (acts(found), found.changes, found.updates) == want, seed


def test_several_namespaces_cost_what_brute_force_finds() -> None:
    """The order of changes in different namespaces is a matter of names; what they cost is not."""
    for seed in sampled(range(5000, 5500), 25):
        case = drawn(seed, namespaces=2)
        want, found = best(case), planned(case)
        assert found.is_reached == (want is not None), seed
        if want is not None:
            assert (found.changes, found.updates) == (want.changes, want.updates), seed


def test_ways_out_lead_to_the_wanted_version() -> None:
    """A way out of everything is made on the case itself: brute force then finds a journey, too."""
    freed = 0
    for seed in sampled(range(CASES), 80, offset=4):
        case = drawn(seed)
        found = planned(case)
        removed = {way.subscription for way in found.ways if hasattr(way, "subscription")}
        if not found.is_reached and removed and len(removed) == len(found.ways):
            left = case._replace(wishes=tuple(wish for wish in case.wishes if wish.package not in removed))
            assert best(left) is not None, seed
            freed += 1
    assert freed > 3
