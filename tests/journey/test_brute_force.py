"""The search against brute force: the same verdict, the same preferred plan. The whole run has 2,000 cases.

OLMSOLVE_TESTS=long tries all of them; otherwise one in fifty, and fewer where each costs many searches.
"""

from __future__ import annotations

from collections.abc import Iterable

import attrs

import olmsolve
from olmsolve import Journey
from olmsolve.lifecycle.journey import (
    ExtensionChannelChange,
    JourneyPlanner,
    JourneyWayOut,
    ManualApproval,
    OperatorAdoption,
    OperatorRemoval,
    PlanApproval,
    SubscriptionChannelChange,
    UpgradeableOverride,
    stages_between,
)
from olmsolve.solver.backends import DEFAULT
from tests.journey.brute_force import Act, Case, Demands, best, best_of_extension
from tests.journey.small_cases import (
    FIRST,
    drawn,
    drawn_extension,
    extension_catalog,
    extension_situation,
    later,
    situation,
)
from tests.scale import sampled

CASES = 2000


def planned(case: Case) -> Journey:
    """The journey of the cluster that *case* stands for."""
    given = situation(case)
    assert given.cluster is not None
    last = f"4.{FIRST + len(case.stages) - 1}"
    stages = stages_between(f"4.{FIRST}", last, given.cluster.contents, later(case), olmsolve.load, eus=False)
    chosen = [attrs.evolve(stage, is_passed=number in case.passed) for number, stage in enumerate(stages)]
    return JourneyPlanner(chosen, most=3000, backend=DEFAULT).journey(given.cluster)


def acts(journey: Journey) -> tuple[Act, ...]:
    """The acts of a journey as the brute force writes them."""
    result: list[Act] = []
    for number, stage in enumerate(journey.stages):
        result += [()] if number else []
        for made in stage.changes:
            change = made.change
            if isinstance(change, PlanApproval):
                result.append(("1", change.namespace))
            elif isinstance(change, ExtensionChannelChange):
                result.append(("2", change.channel))
            else:
                assert isinstance(change, SubscriptionChannelChange)
                result.append(("2", change.namespace, change.subscription, change.channel))
    return tuple(result)


def test_small_cases_have_the_plan_that_brute_force_finds() -> None:
    """One namespace is one part of the cluster: the whole sequence is defined, and has to be the same."""
    for seed in sampled(range(CASES), 50, offset=21):
        case = drawn(seed)
        want, journey = best(case), planned(case)
        assert not journey.undecided
        if want is None:
            assert not journey.is_reached, seed
            assert journey.conflicts, seed
        else:
            assert (acts(journey), journey.changes, journey.updates) == want, seed


def test_hard_cases_have_the_plan_that_brute_force_finds() -> None:
    """Operators that nothing updates, and operators that refuse to be replaced, stand in the way and are passed by.

    In one of the 2,000, three packages with three channels each wait for one approval, and the search gives up.
    """
    given_up = 0
    for seed in sampled(range(10000, 10000 + CASES), 50, offset=7):
        case = drawn(seed, hard=True)
        want, journey = best(case), planned(case)
        given_up += bool(journey.undecided)
        assert given_up <= 1
        if journey.undecided:
            assert not journey.is_reached
        elif want is None:
            assert not journey.is_reached, seed
            assert journey.conflicts, seed
        else:
            assert (acts(journey), journey.changes, journey.updates) == want, seed


def test_extensions_have_the_plan_that_brute_force_finds() -> None:
    """OLM v1 takes the newest version that follows; a range holds it, and a catalog can lose its package."""
    for seed in sampled(range(CASES), 20, offset=9):
        case = drawn_extension(seed)
        given = extension_situation(case)
        assert given.cluster is not None
        numbers = range(1, len(case.stages))
        content = {f"4.{FIRST + number}": {"main": extension_catalog(case, number)} for number in numbers}
        last = f"4.{FIRST + len(case.stages) - 1}"
        stages = stages_between(f"4.{FIRST}", last, given.cluster.contents, content, olmsolve.load, eus=False)
        chosen = [attrs.evolve(stage, is_passed=number in case.passed) for number, stage in enumerate(stages)]
        planned_journey = JourneyPlanner(chosen, most=3000, backend=DEFAULT).journey(given.cluster)
        want = best_of_extension(case)
        assert planned_journey.is_reached == (want is not None), seed
        if want is not None:
            assert (acts(planned_journey), planned_journey.changes, planned_journey.updates) == want, seed


def test_a_conflict_is_minimal_and_each_of_its_ways_ends_it() -> None:
    """Brute force finds no journey that keeps all reasons, one without any of them, and one after each way out."""
    tried = 0
    for seed in sampled(range(20000, 20000 + CASES), 200, offset=3):
        case = drawn(seed, hard=True)
        journey = planned(case)
        if not journey.conflicts:
            continue
        core = [
            (int(reason.version[2:]) - FIRST, reason.subject, reason.rule.value)
            for reason in journey.conflicts[0].reasons
        ]
        assert best(case, _only(core)) is None, seed
        for demand in core:
            assert best(case, _only(other for other in core if other != demand)) is not None, (seed, demand)
        for way in journey.conflicts[0].ways:
            assert best(_after(case, way), _only(core)) is not None, (seed, way)
            tried += 1
    assert tried > 3


def _only(core: Iterable[tuple[int, str, str]]) -> Demands:
    wanted = frozenset(core)
    return lambda stage, subject, rule: (stage, subject, rule) in wanted


def _after(case: Case, way: JourneyWayOut) -> Case:
    """The case once *way* is made: on plain data, with code of its own."""
    wishes = []
    for wish in case.wishes:
        name = f"{wish.package}.v{wish.version}.0.0"
        if isinstance(way, OperatorRemoval) and name == way.operator:
            continue
        if isinstance(way, OperatorAdoption) and name == way.operator:
            # The update of an operator that was a subscription's from the start.
            wish = wish._replace(is_orphan=False, is_manual=False, channel=way.channel)
        if isinstance(way, UpgradeableOverride) and name == way.operator:
            wish = wish._replace(refuses=False)
        if isinstance(way, ManualApproval) and wish.package == way.subscription:
            wish = wish._replace(is_manual=True)
        wishes.append(wish)
    return case._replace(wishes=tuple(wishes))


def test_several_namespaces_cost_what_brute_force_finds() -> None:
    """The order of changes in different namespaces is a matter of names; what they cost is not."""
    for seed in sampled(range(5000, 5500), 25):
        case = drawn(seed, namespaces=2)
        want, journey = best(case), planned(case)
        assert journey.is_reached == (want is not None), seed
        if want is not None:
            assert (journey.changes, journey.updates) == (want.changes, want.updates), seed


def test_ways_out_lead_to_the_wanted_version() -> None:
    """A way out of everything is made on the case itself: brute force then finds a journey, too."""
    freed = 0
    for seed in sampled(range(CASES), 160, offset=4):
        case = drawn(seed)
        journey = planned(case)
        removed = {way.subscription for way in journey.ways if hasattr(way, "subscription")}
        if not journey.is_reached and removed and len(removed) == len(journey.ways):
            rest_of_case = case._replace(wishes=tuple(wish for wish in case.wishes if wish.package not in removed))
            assert best(rest_of_case) is not None, seed
            freed += 1
    assert freed > 1
