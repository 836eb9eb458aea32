"""Laws of changes: a change of the request that cannot matter leaves the answer as it is.

Each law says where it is true. A plan takes the first candidate of each choice that some selection allows. So what
comes later in every choice, and what no selection holds, cannot matter.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Final

import olmsolve._attrs as attrs
from olmsolve.answers import followed
from olmsolve.answers.reducing import anonymised, requirement_leaves, without_entries
from olmsolve.catalog import Catalog, Package, Source
from olmsolve.catalog.update_graph import ClassicChannel
from olmsolve.classic import Bundles, Never, Request, Semantics, Unsatisfiable
from olmsolve.errors import CatalogError, ConstraintError, RequestError
from olmsolve.predicates import Predicate, Property, published, requirements
from olmsolve.requests import catalog_of, package
from olmsolve.resolution import Resolution
from olmsolve.solver.backends import DEFAULT
from olmsolve.testing.laws.outcomes import (
    Outcome,
    broken,
    bundles_of,
    compare,
    outcome_of,
    outcome_text,
    statements_of,
    with_catalogs,
    with_packages,
)

_UNRELATED: Final = ("0-unrelated", "zz-unrelated")
"""Names for packages that sort before and after all others."""
_PLANS: Final = 20
"""The most plans that are followed to rest."""


def check_unrelated(request: Request, semantics: Semantics = Semantics.DOCUMENTED) -> None:
    """Check that packages which nobody names change nothing, in whichever catalog they are.

    A CEL rule names nothing: where one holds for any bundle at all, the law says nothing. Neither does it where the
    shipped controller looks for a bundle that lacks something, which is what it makes of ``not``, nor where a house
    rule speaks of these packages too.

    Raises:
        AssertionError: the answers differ.
    """
    extra = catalog_of(*(package(name).channel("stable", "1.0.0").provides(f"{name}/v1/Any") for name in _UNRELATED))
    added = [
        (bundle.name, published(package.name, bundle.properties))
        for package in extra
        for bundle in package.bundles.values()
    ]
    if any(predicate.test(fact) for predicate in _open_predicates(request, semantics) for _, fact in added):
        return
    if any(name in source.catalog.packages for name in _UNRELATED for source in request.sources):
        return
    keys = [source.key for source in request.sources]
    if any(bundles.include(name, keys, fact) for bundles in _ruled_bundles(request) for name, fact in added):
        return
    changed = with_catalogs(
        request, lambda source: Catalog({**source.catalog.packages, **extra.packages}, scheme=source.catalog.scheme)
    )
    before = "as it is", outcome_text(outcome_of(request, semantics))
    after = "with unrelated packages", outcome_text(outcome_of(changed, semantics))
    compare("an unrelated package changes the answer", request, before, after)


def _ruled_bundles(request: Request) -> Iterator[Bundles]:
    """Yield the bundles that the house rules of *request* speak of."""
    for rule in request.house_rules:
        yield rule.bundles
        if isinstance(rule, Never) and rule.beside is not None:
            yield rule.beside


def _open_predicates(request: Request, semantics: Semantics) -> Iterator[Predicate]:
    """Yield the predicates of *request* that a bundle may meet without a fact in common: CEL rules (``Satisfies``)."""
    for properties in statements_of(request):
        yield from (leaf for leaf in requirement_leaves(properties) if leaf.cel_rule is not None)
        if semantics is Semantics.CONTROLLER:
            with suppress(ConstraintError):
                yield from (requirement.predicate for requirement in requirements(properties))


def check_unselected(request: Request, semantics: Semantics = Semantics.DOCUMENTED) -> None:
    """Check that bundles that a plan does not select can go without changing it, and that a failure stays one.

    All other bundles, and then every second one, are declared deprecated, which lets nothing select them and leaves
    the channels as they are. Where nothing is installed the bundles are taken out of the channels as well: what
    replaces one replaces what it replaced. That matters to an installed operator, whose updates are edges, and to an
    entry that skips others, which come back without it; such entries stay. So do the first bundle of a wish and what
    replaces it, which keeps it in the channel where a ``skipRange`` would remove it.

    Raises:
        AssertionError: the answers differ.
    """
    outcome = outcome_of(request, semantics)
    if isinstance(outcome, CatalogError):
        return
    installs = (*outcome.installs, *outcome.up_to_date) if isinstance(outcome, Resolution) else ()
    selected = {(install.catalog, install.package, install.name) for install in installs}
    others = [
        (source.key, bundle.package, bundle.name)
        for source, bundle in bundles_of(request)
        if (source.key, bundle.package, bundle.name) not in selected
    ]
    for part in (frozenset(others), frozenset(others[::2])):
        _check_same_answer(request, _forbidden(request, part), outcome, "forbidden", semantics)
        if not request.installed:
            _check_same_answer(request, _without(request, part), outcome, "taken out", semantics)


def _check_same_answer(request: Request, changed: Request, outcome: Outcome, how: str, semantics: Semantics) -> None:
    """Raise AssertionError unless *changed* has the answer *outcome*; *how* ("taken out") says what was changed."""
    after = outcome_of(changed, semantics)
    if isinstance(outcome, Resolution) or isinstance(after, Resolution):
        first, second = ("as it is", _bundles_text(outcome)), (f"unselected bundles {how}", _bundles_text(after))
        compare("a bundle that is not selected matters", request, first, second)


def _bundles_text(outcome: Outcome) -> str:
    return outcome_text(outcome) if isinstance(outcome, Resolution) else "no plan"


Key = tuple[str, str, str]


def _forbidden(request: Request, keys: frozenset[Key]) -> Request:
    """Return *request* in which the bundles *keys* declare themselves deprecated."""
    mark = Property("olm.deprecated", {})

    def marked(source: Source, package: Package) -> Package:
        bundles = {
            name: attrs.evolve(bundle, properties=(*bundle.properties, mark))
            if (source.key, bundle.package, name) in keys
            else bundle
            for name, bundle in package.bundles.items()
        }
        return attrs.evolve(package, bundles=bundles)

    return with_packages(request, marked)


def _without(request: Request, keys: frozenset[Key]) -> Request:
    """Return *request* without the bundles *keys*, where their channels have an order and keep it."""
    first = {subscription.starting_csv for subscription in request.subscriptions if subscription.starting_csv}

    def smaller(source: Source, package: Package) -> Package:
        if any(ClassicChannel(channel, package.bundles).order.fault for channel in package.channels.values()):
            return package
        entries = [entry for channel in package.channels.values() for entry in channel.entries]
        kept = {entry.name for entry in entries if entry.skips or entry.replaces in first} | first
        gone = [name for name in package.bundles if (source.key, package.name, name) in keys and name not in kept]
        channels = {name: without_entries(channel, gone) for name, channel in package.channels.items()}
        bundles = {name: bundle for name, bundle in package.bundles.items() if name not in gone}
        # An entry that a skipped entry replaces is a second head of the channel without it.
        if any(ClassicChannel(channel, bundles).order.fault for channel in channels.values()):
            return package
        return attrs.evolve(package, channels=channels, bundles=bundles)

    return with_packages(request, smaller)


def check_rest(request: Request, semantics: Semantics = Semantics.DOCUMENTED) -> None:
    """Check that the request has a plan again after its plan is carried out, and so on until nothing changes.

    At most twenty plans are followed, because a ``skipRange`` that contains its own or a later version leads in a
    circle. The law does not judge requests with installed operators, for which the catalogs may have no update, nor
    requests that end in a broken catalog: a channel without an order serves the first bundle that a wish names, and
    nothing after it.

    Raises:
        AssertionError: a request after the plan has none.
    """
    plan = outcome_of(request, semantics)
    if request.installed or not isinstance(plan, Resolution):
        return
    following = followed(request, plan, semantics=semantics, backend=DEFAULT, most=_PLANS)
    if following.failure is not None and not isinstance(following.failure, CatalogError):
        plans = [f"plan {number}: {outcome_text(plan)}" for number, plan in enumerate(following.plans, start=1)]
        raise broken("a plan leads to a request without one", request, [*plans, str(following.failure)])


def check_priority(request: Request, semantics: Semantics = Semantics.DOCUMENTED) -> None:
    """Check that a plan whose bundles are all from one catalog stays if that catalog gets the highest priority.

    Raises:
        AssertionError: the answers differ.
    """
    plan = outcome_of(request, semantics)
    if not isinstance(plan, Resolution) or len(request.sources) == 1:
        return
    chosen = {install.catalog for install in plan.installs}
    if len(chosen) != 1:
        return
    highest = max(source.priority for source in request.sources) + 1
    sources = [attrs.evolve(source, priority=highest) if source.key in chosen else source for source in request.sources]
    changed = attrs.evolve(request, sources=sources)
    before, after = (
        ("as it is", outcome_text(plan)),
        (f"priority {highest}", outcome_text(outcome_of(changed, semantics))),
    )
    compare("a higher priority for the chosen catalog changes the choice", request, before, after)


def check_repeated(request: Request, semantics: Semantics = Semantics.DOCUMENTED) -> None:
    """Check that catalogs, repeated under other names at a priority below all others, change nothing.

    A selection with a bundle of the copy is one with the same bundle of the original, which comes first. Where a house
    rule names a catalog, the copy is not the same, and the law says nothing.

    Raises:
        AssertionError: the answers differ.
    """
    outcome = outcome_of(request, semantics)
    if isinstance(outcome, CatalogError) or any(bundles.catalog for bundles in _ruled_bundles(request)):
        return
    lowest = min((source.priority for source in request.sources), default=0) - 1
    taken = {source.key for source in request.sources}
    copies = [
        attrs.evolve(source, name=f"{source.name}-repeated", priority=lowest)
        for source in request.sources
        if f"{source.key}-repeated" not in taken
    ]
    changed = attrs.evolve(request, sources=[*request.sources, *copies])
    before, after = _bundles_text(outcome), _bundles_text(outcome_of(changed, semantics))
    compare("a repeated catalog changes the answer", request, ("once", before), ("twice", after))


def check_renamed(request: Request, semantics: Semantics = Semantics.DOCUMENTED) -> None:
    """Check that other names, in the same order, rename the answer and change nothing else.

    A rule may look into names: a request with rules that cannot be renamed for that reason passes.

    Raises:
        AssertionError: the plan has bundles in other positions, or the core constraints of other kinds.
    """
    outcome = outcome_of(request, semantics)
    if isinstance(outcome, CatalogError):
        return
    try:
        renamed = anonymised(request, semantics)
    except RequestError as error:
        leaves = (leaf for properties in statements_of(request) for leaf in requirement_leaves(properties))
        if any(leaf.cel_rule is not None for leaf in leaves):
            return
        raise broken("other names change the answer", request, [str(error)]) from None
    assert isinstance(renamed, Request)
    before, after = _positions(request, outcome), _positions(renamed, outcome_of(renamed, semantics))
    compare("other names change the answer", request, ("as it is", before), ("renamed", after))


def _positions(request: Request, outcome: Outcome) -> str:
    """Return *outcome* without names: the positions of a plan's bundles in the catalogs, or the kinds of the core."""
    if isinstance(outcome, Unsatisfiable):
        return f"no plan: {', '.join(sorted(reason.kind for reason in outcome.core))}"
    if not isinstance(outcome, Resolution):
        return "a broken catalog"
    keys = [source.key for source in request.sources]
    positions = []
    for install in outcome.installs:
        number = keys.index(install.catalog)
        packages = request.sources[number].catalog.packages
        bundles, channels = packages[install.package].bundles, packages[install.package].channels
        position = list(packages).index(install.package), list(bundles).index(install.name)
        positions.append((number, *position, list(channels).index(install.channel)))
    return f"catalog, package, bundle, channel: {positions}"
