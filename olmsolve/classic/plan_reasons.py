"""The reasons of a plan: who wants a bundle. Over a dense catalog they are texts until somebody reads them.

A search through sets of bits (:mod:`olmsolve.classic.families`) parses no requirement. The plan of the hard dense
problem of 20,000 bundles installs 417 of them for 1,245 requirements, and few of these are written alike. To parse all
was a tenth of the answer's time, for the easy problem a fifth, and many callers only read what is installed.

So the origin of a choice is the number of its requirement, and an install has the texts until somebody reads them::

    Chosen(identifier=7, subject=3, origin=0, ...)      by number: the first requirement of candidate 3
    ("app.v1.2.0", UnparsedRequirements([("cache", ">=1.2.0 <2.0.0"), ...]), 0)
    WantedBy("", "app.v1.2.0", InPackage("cache", ...))     when it is read

The texts are read from the index at once: they need it no more, so a plan keeps no catalog alive, and damage in an
index file is an error of the resolving. They parse, because the index has read their ranges to make bits of them; a
file that was made to lie may hold others, and then the bundle gives no reasons, as ever.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, TypeAlias

from olmsolve.catalog.index import UnparsedRequirements
from olmsolve.classic.problem import ClassicProblem, Wish
from olmsolve.predicates import Requirement
from olmsolve.resolution import WantedBy
from olmsolve.solver import Identifier, Solution

_Reason: TypeAlias = WantedBy | tuple[str, UnparsedRequirements, int]
"""A reason, or what makes one: the name of a bundle, its requirements, and the number of one of them."""


def unparsed_requirements(problem: ClassicProblem, solution: Solution) -> Mapping[Identifier, UnparsedRequirements]:
    """Return the requirements of the candidates in *solution* whose numbers are origins of choices.

    Candidates whose requirements are parsed already, or must be, are left out.
    """
    subjects = [choice.subject for choice in solution.choices if type(choice.origin) is int] if problem.dense else []
    return problem.families.unparsed(dict.fromkeys(subjects)) if subjects else {}


def reasons_by_candidate(
    problem: ClassicProblem, solution: Solution, unparsed: Mapping[Identifier, UnparsedRequirements]
) -> dict[Identifier, Any]:
    """Map each selected candidate to the subscriptions, bundles and rules that wanted it; the first selected it.

    They are a tuple, or where one is in *unparsed* a function that returns the tuple: an :class:`.Install` takes both.
    """
    # By candidate, then by a key of the reason, since a list of the many who want one bundle takes long to search.
    wanted_by: dict[Identifier, dict[object, _Reason]] = {}
    deferred: set[Identifier] = set()
    key: object
    who: _Reason
    for identifier, subject, origin, _ in solution.choices:
        if isinstance(origin, int) and subject not in unparsed:
            requires = problem.requirements(subject)
            origin = requires[origin] if requires else None
        if isinstance(origin, int):
            key = who = problem.candidate(subject).name, unparsed[subject], origin
            deferred.add(identifier)
        elif isinstance(origin, Requirement) and subject is not None:
            bundle, predicate = problem.candidate(subject).name, origin.predicate
            key, who = ("", bundle, str(predicate)), WantedBy("", bundle, predicate)
        elif isinstance(origin, Wish):
            subscription = origin.subscription.name
            key, who = (subscription, "", ""), WantedBy(subscription)
        elif problem.ruled is not None and (demand := problem.ruled.demand(origin)) is not None:
            key, who = ("", "", demand.name), WantedBy(house_rule=demand.name)
        else:
            continue
        # A bundle that meets its own requirement is wanted by others, or by a subscription.
        if identifier != subject:
            wanted_by.setdefault(identifier, {}).setdefault(key, who)
    return {
        identifier: partial(_parsed, tuple(reasons.values())) if identifier in deferred else tuple(reasons.values())
        for identifier, reasons in wanted_by.items()
    }


def _parsed(reasons: Iterable[_Reason]) -> tuple[WantedBy, ...]:
    """Return *reasons*, each once, with their requirements parsed."""
    parsed: dict[WantedBy, None] = {}
    for reason in reasons:
        if isinstance(reason, WantedBy):
            parsed[reason] = None
            continue
        bundle, requirements, number = reason
        if requirements.predicates:
            # Catalogs write one requirement in several ways, and the first one counts.
            parsed.setdefault(WantedBy("", bundle, requirements.predicates[number]))
    return tuple(parsed)
