"""Laws of plans: what is selected meets every constraint, is preferred, and depends on no order of writing."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import TypeVar

import olmsolve._attrs as attrs
from olmsolve.answers.verification import (
    AllParts,
    AnyCandidate,
    NoCandidate,
    PlainCandidate,
    Wish,
    World,
    roots_of,
    wishes_of,
)
from olmsolve.catalog import Catalog, Package
from olmsolve.classic import Request, Semantics
from olmsolve.errors import CatalogError
from olmsolve.resolution import EXISTING, Candidate, Resolution
from olmsolve.testing import reference
from olmsolve.testing.laws.outcomes import broken, bundles_text, compare, outcome_of, outcome_text

T = TypeVar("T")


def check_constraints(request: Request, semantics: Semantics = Semantics.DOCUMENTED) -> None:
    """Check that the plan for *request* meets every wish, every requirement, and every limit to one bundle.

    Raises:
        AssertionError: it does not; the message lists the constraints that it breaks.
    """
    plan = outcome_of(request, semantics)
    if isinstance(plan, Resolution):
        faults = broken_constraints(request, plan.selected, semantics)
        if faults:
            raise broken("the plan breaks constraints", request, faults)


def broken_constraints(
    request: Request, selected: Iterable[Candidate], semantics: Semantics = Semantics.DOCUMENTED
) -> list[str]:
    """Return a sentence for each constraint of *request* that the candidates *selected* break, [] for none.

    Installed operators that stay are among the candidates. Preferences do not matter here.
    """
    world = World(request, semantics)
    roots = [root for root in roots_of(request, world) if root is not None]
    chosen: dict[PlainCandidate, Candidate] = {}
    faults: list[str] = []
    for candidate in selected:
        package = "" if candidate.catalog == EXISTING else candidate.package
        stated = world.find(candidate.catalog, package, candidate.channel, candidate.name)
        if stated is None:
            faults.append(f"{candidate} is in no catalog")
            continue
        chosen[stated] = candidate
        if not stated.selectable:
            why = stated.fault or (
                f"house rule {stated.forbidden_by!r} forbids it" if stated.forbidden_by else "it is deprecated"
            )
            faults.append(f"{candidate} can never be selected: {why}")
    for one, other in itertools.combinations(chosen, 2):
        pairs = world.excluded_pairs
        if one.excludes(other) or (one, other) in pairs or (other, one) in pairs:
            faults.append(f"{chosen[one]} and {chosen[other]} exclude each other")
    faults.extend(
        f"nothing is selected of {', '.join(option.name for option in root.candidates) or 'no candidates'}"
        for root in roots
        if not is_granted(root, chosen)
    )
    for plain, candidate in chosen.items():
        # After the wishes of its requirements come those of house rules.
        for requirement, wish in itertools.zip_longest(plain.requirements, wishes_of(world, plain, semantics)):
            if not is_granted(wish, chosen):
                lack = (
                    f"lacks {requirement}"
                    if requirement
                    else "is selected together with a bundle that a house rule keeps apart from it"
                )
                faults.append(f"{candidate} {lack}")
    return faults


def is_granted(wish: Wish, selected: Mapping[PlainCandidate, object] | frozenset[PlainCandidate]) -> bool:
    """Return whether the candidates *selected*, and no others, grant *wish*."""
    match wish:
        case AnyCandidate():
            return any(candidate in selected for candidate in wish.candidates)
        case NoCandidate():
            return not any(candidate in selected for candidate in wish.candidates)
        case AllParts():
            return all(is_granted(part, selected) for part in wish.parts)
        case _:
            return any(is_granted(part, selected) for part in wish.parts)


def check_preferred(request: Request, semantics: Semantics = Semantics.DOCUMENTED, *, max_steps: int = 20_000) -> None:
    """Check that the answer to *request* is the defined one: brute force finds the same bundles in the same order.

    A request that takes brute force more than *max_steps* steps passes.

    Raises:
        AssertionError: the answers differ.
    """
    try:
        defined = reference.resolve(request, semantics, max_steps=max_steps)
    except reference.TooLarge:
        return
    except CatalogError:
        defined = None
    outcome = outcome_of(request, semantics)
    installed = [install.name for install in outcome.installs] if isinstance(outcome, Resolution) else None
    # An entry that updates the operator of its own name is chosen, and installed already (docs/semantics.md).
    up_to_date = {entry.name for entry in outcome.up_to_date} if isinstance(outcome, Resolution) else set()
    chosen = (
        None if defined is None else [candidate for candidate in defined if candidate.catalog != reference.EXISTING]
    )
    same = {candidate.name for candidate in chosen or () if candidate.replaces == candidate.name}
    expected = (
        None if chosen is None else [candidate.name for candidate in chosen if candidate.name not in up_to_date & same]
    )
    if installed != expected or not up_to_date <= same:
        faults = [f"by definition {bundles_text(expected)}", f"resolved     {bundles_text(installed)}"]
        raise broken("the answer is not the preferred one", request, faults)


def check_order(request: Request, semantics: Semantics = Semantics.DOCUMENTED) -> None:
    """Check that the answer does not change when catalogs, packages, channels, bundles and entries are turned around.

    The order of subscriptions, and of the properties of a bundle, has a meaning, and stays.

    Raises:
        AssertionError: the answers differ.
    """
    first = "as written", outcome_text(outcome_of(request, semantics))
    second = "turned", outcome_text(outcome_of(turned(request), semantics))
    compare("the answer depends on the order of writing", request, first, second)


def turned(request: Request) -> Request:
    """Return *request* with every meaningless order turned around."""
    sources = [attrs.evolve(source, catalog=turned_catalog(source.catalog)) for source in reversed(request.sources)]
    return attrs.evolve(request, sources=sources, installed=tuple(reversed(request.installed)))


def turned_catalog(catalog: Catalog) -> Catalog:
    """Return *catalog* with its packages, channels, bundles and entries turned around."""
    packages = {name: _turned_package(package) for name, package in _reversed(catalog.packages).items()}
    return attrs.evolve(catalog, packages=packages)


def _turned_package(package: Package) -> Package:
    channels = {
        name: attrs.evolve(channel, entries=tuple(reversed(channel.entries)))
        for name, channel in _reversed(package.channels).items()
    }
    return attrs.evolve(package, channels=channels, bundles=_reversed(package.bundles))


def _reversed(values: Mapping[str, T]) -> dict[str, T]:
    return dict(reversed(list(values.items())))
