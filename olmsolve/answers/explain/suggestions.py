"""Single changes that could resolve a conflict, read off the members of its core.

A core stays a core until a change touches one of its members, so no other changes are worth a try. Priorities of
catalogs are never suggested: they decide which plan is preferred, not whether there is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from olmsolve.answers.explain.changes import (
    ChangeCatalog,
    ChangeChannel,
    ChangePackage,
    ChangeStart,
    DropSubscription,
    RemoveOperator,
    RepairCatalog,
)
from olmsolve.catalog import Source
from olmsolve.catalog.index import index_of
from olmsolve.classic import (
    ClassicProblem,
    IsDeprecated,
    IsNotEligible,
    Reason,
    Request,
    Subscription,
    UnknownCatalog,
    UnknownChannel,
    UnknownName,
    UnknownPackage,
    UnknownStartingCSV,
    Wish,
)
from olmsolve.eligibility import remedy_of
from olmsolve.errors import CatalogError
from olmsolve.predicates import Predicate, Requirement
from olmsolve.resolution import Candidate
from olmsolve.solver import Constraint, Identifier, Mandatory

if TYPE_CHECKING:
    # The functions that make any other change import it: most conflicts need none.
    from olmsolve.answers.explain.rare_changes import RequestChange
    from olmsolve.classic import HouseRule

# A package may have dozens of channels, and each change that is suggested is a request to resolve.
_CHANNELS: Final = 8


def suggestions(
    problem: ClassicProblem, core: Sequence[Constraint], offered: Sequence[Source]
) -> tuple[RequestChange, ...]:
    """Return the changes, smallest kind first; within a kind in the order of the core, the catalogs and the channels.

    *offered* are catalogs that could be added. The core is empty when unreadable catalogs block resolution.
    """
    suggested = dict.fromkeys(_suggested(problem, core, offered))
    return tuple(sorted(suggested, key=lambda change: change.rank))


def _suggested(
    problem: ClassicProblem, core: Sequence[Constraint], offered: Sequence[Source]
) -> Iterator[RequestChange]:
    """Yield the changes, constraint by constraint; catalogs come last, chosen by all that the core needs."""
    needed: list[Predicate] = []
    packages: list[str] = []
    for constraint in core:
        if isinstance(constraint, Mandatory):
            yield from operator_changes(problem, problem.candidate(constraint.subject))
        elif isinstance(constraint.origin, Wish):
            packages.append(constraint.origin.subscription.package)
            yield from _subscription_changes(problem, constraint.origin)
        elif problem.request.house_rules and (rule := _house_rule(constraint)) is not None:
            needed.extend(rule.bundles.as_predicates() if rule.kind == "atLeastOne" else ())
            from olmsolve.answers.explain.rare_changes import LiftRule

            yield LiftRule(rule.name)
        elif isinstance(constraint.origin, Requirement):
            needed.extend(_leaves(constraint.origin.predicate))
        elif isinstance(constraint.origin, IsDeprecated):
            from olmsolve.answers.explain.rare_changes import AcceptDeprecated

            candidate = problem.candidate(constraint.subject)
            yield AcceptDeprecated(candidate.catalog, candidate.package, candidate.name)
        elif isinstance(constraint.origin, IsNotEligible):
            yield from cluster_changes(problem, constraint.subject)
    if not core:
        from olmsolve.classic import visible_unreadable

        target = problem.request.namespaces[0]
        failing = visible_unreadable(problem.request)
        for unreadable in failing:
            yield RepairCatalog(unreadable.name, unreadable.namespace)
        # Where no subscription takes anything from a global catalog, none of them is missed.
        is_target_alone = all(wish.source_namespace == target for wish in problem.request.subscriptions)
        if is_target_alone and any(unreadable.namespace != target for unreadable in failing):
            from olmsolve.answers.explain.rare_changes import ExcludeGlobalCatalogs

            yield ExcludeGlobalCatalogs(target)
    yield from _catalog_changes(problem, offered, packages, needed)


def changes_of_served(problem: ClassicProblem, fault: CatalogError) -> tuple[RequestChange, ...]:
    """Return the changes to subscriptions that the channel with *fault* serves, the smallest kind first.

    A ``startingCSV`` can be installed from a channel without an order, and afterwards nothing is resolved.
    """
    wishes = [root.origin for root in problem.roots if isinstance(root.origin, Wish)]
    served = [
        change
        for wish in wishes
        if wish.subscription.package == fault.package and wish.subscription.channel in ("", fault.channel)
        for change in _subscription_changes(problem, wish)
    ]
    return tuple(sorted(served, key=lambda change: change.rank))


def cluster_changes(problem: ClassicProblem, number: Identifier) -> Iterator[RequestChange]:
    """Yield the change of the cluster after which the candidate *number* is no longer refused, if one is known."""
    assert isinstance(number, int)
    remedied = remedy_of(problem.eligibility_facts(number), problem.request.eligibility)
    if remedied is not None:
        from olmsolve.answers.explain.rare_changes import ChangeCluster

        constraint, remedy = remedied
        yield ChangeCluster(remedy.text, constraint, remedy.constraint)


def _house_rule(constraint: Constraint) -> HouseRule | None:
    """Return the house rule that *constraint* comes from, else None."""
    from olmsolve.classic import HouseRule  # whoever made the rules has loaded it

    return constraint.origin if isinstance(constraint.origin, HouseRule) else None


def _subscription_changes(problem: ClassicProblem, wish: Wish) -> Iterator[RequestChange]:
    """Yield the changes to one subscription, to the operator that it owns, and its removal.

    A misspelt name is corrected to the nearest one. It is no reason to take another package, or to delete anything.
    """
    request = problem.request
    subscription = wish.subscription
    name = subscription.name
    owned = [operator for operator, owner in request.owners().items() if owner.name == name]
    unknown = wish.unknown() if wish.unknown is not None else None
    if isinstance(unknown, UnknownStartingCSV) and unknown.near and not _is_elsewhere(problem, subscription):
        from olmsolve._near_names import nearest_names  # most names are not misspelt

        # Another channel would only lead on to no startingCSV at all.
        for start in nearest_names(subscription.starting_csv, unknown.near) or unknown.near:
            yield ChangeStart(name, start)
        return
    if subscription.starting_csv and not owned:
        yield ChangeStart(name, "")
    for channel in _channels(problem, subscription, unknown):
        if channel != subscription.channel:
            yield ChangeChannel(name, channel)
    if isinstance(unknown, UnknownPackage):
        from olmsolve._near_names import nearest_names

        packages = {package for source in _sources(problem, subscription) for package in source.catalog.packages}
        for package in nearest_names(subscription.package, sorted(packages)):
            yield ChangePackage(name, package)
    for source in _other_sources(problem, subscription, unknown):
        yield ChangeCatalog(name, source.name, source.namespace)
    # Without the newer operator there would be nothing left that its predecessor gives way to.
    if not any(present.gives_way or present.replaced_by or present.stalled_by for present in request.installed):
        for operator in owned:
            yield RemoveOperator(operator)
    if unknown is None or owned or not _is_misspelt(unknown, request):
        yield DropSubscription(name)


def _is_misspelt(unknown: UnknownName, request: Request) -> bool:
    """Return whether the *unknown* name is probably misspelt, so that deleting its subscription is no fix.

    A name that is similar to no other may be of a package that the catalog had before. Deleting its subscription then
    lets the others of the namespace be served; where there are no others, it helps nobody.
    """
    if isinstance(unknown, UnknownStartingCSV) and unknown.removed_by:
        return False
    return bool(unknown.near) or len(request.subscriptions) == 1


def _other_sources(problem: ClassicProblem, subscription: Subscription, unknown: Reason | None) -> list[Source]:
    """Return the other catalogs that have the package; where the catalog is *unknown*, only similar ones if any."""
    if not subscription.source:
        return []
    having = {
        source.key: source
        for source in problem.visible.sources
        if source.key != subscription.catalog and subscription.package in source.catalog.packages
    }
    near: Iterable[str] = ()
    if isinstance(unknown, UnknownCatalog):
        from olmsolve._near_names import similar_keys

        near = similar_keys(subscription.catalog, having)
    return [having[key] for key in near or having]


def _is_elsewhere(problem: ClassicProblem, subscription: Subscription) -> bool:
    """Return whether the ``startingCSV`` exists in another channel or catalog, so that it is not a spelling mistake."""
    packages = (source.catalog.packages.get(subscription.package) for source in problem.visible.sources)
    return any(package is not None and subscription.starting_csv in package.bundles for package in packages)


def _sources(problem: ClassicProblem, subscription: Subscription) -> list[Source]:
    """Return the catalogs that a subscription considers."""
    here = subscription.source, subscription.source_namespace
    return [s for s in problem.visible.sources if not subscription.source or (s.name, s.namespace) == here]


def _channels(problem: ClassicProblem, subscription: Subscription, unknown: Reason | None) -> list[str]:
    """Return the channels to switch to, default ones first; none if the subscription names no channel.

    Where the channel is *unknown*, only similar ones count if there are any.
    """
    if not subscription.channel:
        return []
    names: dict[str, None] = {}
    for source in _sources(problem, subscription):
        names.update(dict.fromkeys(index_of(source.catalog).channel_names(subscription.package)))
    near: Iterable[str] = ()
    if isinstance(unknown, UnknownChannel):
        from olmsolve._near_names import similar_names

        near = similar_names(subscription.channel, names)
    return list(near or names)[:_CHANNELS]


def operator_changes(problem: ClassicProblem, operator: Candidate) -> Iterator[RequestChange]:
    """Yield the changes after which an installed *operator* need not stay: a subscription owns it, or it is removed.

    An operator that gives way is still needed by its failed successor: only failing forward leaves it behind. One whose
    successor is being installed goes by itself, and one whose successor is pending works until that can take its place.
    """
    from olmsolve.answers.explain.rare_changes import AwaitUpdate, FailForward, LetOwn, SettleUpdate

    request = problem.request
    coming = next((present.replaced_by for present in request.installed if present.name == operator.name), "")
    if coming:
        yield AwaitUpdate(operator.name, coming)
        return
    stalled = next(
        (present for present in request.installed if present.name == operator.name and present.stalled_by), None
    )
    if stalled is not None:
        yield SettleUpdate(operator.name, stalled.stalled_by, stalled.stall)
        return
    if any(present.gives_way and present.name == operator.name for present in request.installed):
        yield FailForward(request.namespaces[0])
        return
    owning = {owner.name for owner in request.owners().values()}
    wishes = [wish for wish in request.subscriptions if wish.package == operator.package]
    for wish in wishes:
        if wish.name not in owning:
            yield LetOwn(operator.name, wish.name, operator.package)
    offered = any(operator.package in source.catalog.packages for source in problem.visible.sources)
    if offered and not wishes and all(wish.name != operator.package for wish in request.subscriptions):
        yield LetOwn(operator.name, operator.package, operator.package, new=True)
    yield RemoveOperator(operator.name)


def _catalog_changes(
    problem: ClassicProblem, offered: Sequence[Source], packages: Sequence[str], needed: Sequence[Predicate]
) -> Iterator[RequestChange]:
    """Yield changes that bring in a catalog with one of *packages*, or with a bundle that one of *needed* matches."""
    request = problem.request
    visible = {source.key for source in problem.visible.sources}

    def useful(source: Source) -> bool:
        if any(package in source.catalog.packages for package in packages):
            return True
        index = index_of(source.catalog)
        return any(index.candidates(predicate) for predicate in needed)

    for source in sorted(request.sources, key=lambda source: source.key):
        if source.key not in visible and useful(source):
            from olmsolve.answers.explain.rare_changes import ShowCatalog

            yield ShowCatalog(source.name, source.namespace, request.namespaces[-1])
    taken = {source.key for source in request.sources}
    for source in sorted(offered, key=lambda source: source.key):
        if source.key not in taken and useful(source):
            from olmsolve.answers.explain.rare_changes import AddCatalog

            yield AddCatalog(source)


def _leaves(predicate: Predicate) -> Iterable[Predicate]:
    """Return the parts that a catalog could be lacking: everything but negations."""
    if predicate.none_of:
        return ()
    return [leaf for part in predicate.parts for leaf in _leaves(part)] if predicate.parts else (predicate,)
