"""The reasons for no journey: requirements across versions that cannot hold together, each of which is needed.

A search that demands fewer rules may find a journey. So rules are dropped one by one, as long as there is still none::

    ledger works at 4.21, ledger works at 4.22, shop resolves at 4.20     none
    ledger works at 4.21,                       shop resolves at 4.20     still none: the second is not needed
                                                shop resolves at 4.20     a journey: the first is needed
    ledger works at 4.21                                                  none: this is the reason
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from olmsolve.lifecycle.journey.requirements import (
    Demands,
    JourneyRequirement,
    JourneyRule,
    only,
)
from olmsolve.lifecycle.journey.searching import Found, JourneySearch

S = TypeVar("S")


def core_of(search: JourneySearch[S], found: Found[S], free: Iterable[str]) -> tuple[JourneyRequirement, ...]:
    """Return requirements that cannot hold together, of subjects that are not *free*; none where nobody knows.

    *found* is the outcome of the search without the rules of the *free* subjects, which has no journey.
    """
    return _core(search, found, set(_subjects(search, found)).difference(free))


def without_subjects(subjects: Iterable[str]) -> Demands:
    """Return the demands of everything, except for these *subjects*."""
    free = frozenset(subjects)
    return lambda stage, subject, rule: subject not in free


def _subjects(search: JourneySearch[S], found: Found[S]) -> Mapping[str, None]:
    """Return the subjects, those first that broke a rule on some way."""
    broken = dict.fromkeys(requirement.subject for requirement in sorted(found.broken))
    return broken | dict.fromkeys(search.subjects())


def _core(search: JourneySearch[S], found: Found[S], subjects: set[str]) -> tuple[JourneyRequirement, ...]:
    """Return requirements of *subjects* that cannot hold together, none where they can, or nobody knows."""
    everything = {
        JourneyRequirement(stage, subject, rule)
        for subject in subjects
        for rule in search.subjects().get(subject, tuple(JourneyRule))
        for stage in range(search.last + 1)
    }
    if not _impossible(search, everything):
        return ()
    for subject in _subjects(search, found):
        alone = {requirement for requirement in everything if requirement.subject == subject}
        if alone and _impossible(search, alone):
            return _smallest(search, alone)
    kept = everything
    for subject in [listed_subject for listed_subject in _subjects(search, found) if listed_subject in subjects]:
        fewer = {requirement for requirement in kept if requirement.subject != subject}
        if _impossible(search, fewer):
            kept = fewer
    return _smallest(search, kept)


def _smallest(search: JourneySearch[S], requirements: set[JourneyRequirement]) -> tuple[JourneyRequirement, ...]:
    """Return *requirements* without those that are not needed; the later versions are dropped first."""
    kept = set(requirements)
    for requirement in sorted(requirements, key=lambda each: (-each.stage, each.subject, each.rule.value)):
        if _impossible(search, kept - {requirement}):
            kept.discard(requirement)
    return tuple(sorted(kept, key=lambda each: (each.stage, each.subject, each.rule.value)))


def _impossible(search: JourneySearch[S], requirements: Iterable[JourneyRequirement]) -> bool:
    """Return whether no journey keeps *requirements*; False where the search gave up."""
    found = search.run(only(requirements))
    return found.legs is None and not found.gave_up


def counterexample(
    search: JourneySearch[S], core: Sequence[JourneyRequirement], left_out: JourneyRequirement
) -> Found[S]:
    """Return a journey to the version of the requirement *left_out*, by which one sees how that is broken.

    It keeps every other rule if it can, else all rules of the versions before, and else what *core* has besides.
    """
    exempt = left_out.stage, left_out.subject, left_out.rule
    shorter = search.until(left_out.stage)
    found = shorter.run(lambda *requirement: requirement != exempt)
    if found.legs is not None and _breaks(found, left_out):
        return found
    if found.legs is None:
        # Others have conflicts at this version, too: until then, all rules can be kept.
        found = shorter.run(lambda stage, subject, rule: stage < left_out.stage)
        if found.legs is not None and _breaks(found, left_out):
            return found
    # What breaks the rule may serve a later version only.
    longer = search.run(only(each for each in core if each != left_out))
    return found if longer.legs is None else longer


def _breaks(found: Found[S], requirement: JourneyRequirement) -> bool:
    """Return whether the journey that was *found* breaks *requirement*."""
    subject, rule = requirement.subject, requirement.rule
    if rule is JourneyRule.SUPPORTS:
        return any(requirement.stage in leg.state.unsupported.get(subject, ()) for leg in found.legs or ())
    here = (leg.state for leg in found.legs or () if leg.stage == requirement.stage)
    return any((subject, rule) in state.unmet for state in here)
