"""Minimal correction sets: the smallest sets of changes that give a request a plan, each resolved to prove it.

Sets are tried best first: fewer changes before more, then smaller kinds (see :mod:`olmsolve.answers.explain.changes`),
then in the order of suggestion. A set that fails has a core of its own, and grows only by changes that this core
suggests.

Independent conflicts must not multiply each other's attempts. With two conflicts and ten suggestions for each, there
are a hundred pairs to try on the whole request, but only twenty single changes on its parts. So each conflict is first
resolved alone, with the roots of the others set aside, and the results are put together and tried on the whole. If
there are too many conflicts for that, all are changed at once, round by round, and one set is found.

A set is a fix if its plan leads to a good rest: carried out, and resolved again until nothing changes, it neither ends
without a plan nor goes back to a lower version. It is reported if no set with one change less gives a plan that lasts.
A set whose plan strands the namespace later grows by suggestions of the later request. Sets whose plans pass through a
lower version are reported only if there is no other; so are sets that delete a subscription and remove an operator.
"""

from __future__ import annotations

import itertools
from bisect import insort  # a heap would be no faster for so few, and takes 0.3 ms to load
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from olmsolve._limits import check
from olmsolve.answers.explain.changes import DropSubscription, RemoveOperator, RepairCatalog
from olmsolve.answers.explain.conflicts import conflicting, root_key, without
from olmsolve.answers.explain.model import Fix
from olmsolve.answers.explain.suggestions import changes_of_served, suggestions
from olmsolve.answers.resting import Rest, followed
from olmsolve.catalog import Source
from olmsolve.classic import (
    ClassicProblem,
    Request,
    RequestContext,
    Unsatisfiable,
    resolution_of,
)
from olmsolve.errors import CatalogError, Incomplete, RequestError
from olmsolve.solver import Core, Solution, solve

if TYPE_CHECKING:
    from olmsolve.answers.explain.rare_changes import RequestChange
    from olmsolve.solver.backends import BackendLike

FIXES: Final = 5
"""How many fixes are looked for where nobody says."""

_LARGEST: Final = 3
"""The most changes for one conflict, or added to a set that resolves each conflict alone."""

_PLANS: Final = 20
"""The most plans that are followed to see where a fix leads to."""

_FEWEST: Final = 2
"""The fewest tries for a part of the request that are of any use."""

_Set: TypeAlias = "tuple[RequestChange, ...]"
_Order: TypeAlias = tuple[int, tuple[int, ...], int]


class FixSearch:
    """A search for fixes of *problem*, which may add *offered* catalogs and resolves at most *tries* requests.

    It ends early, with the fixes found until then, when a limit is met.
    """

    def __init__(self, problem: ClassicProblem, backend: BackendLike, offered: Sequence[Source], tries: int) -> None:
        self._original = problem
        self._backend = backend
        self._offered = offered
        self._tries_left = tries
        self._counter = itertools.count()
        self._problems: dict[frozenset[RequestChange], ClassicProblem | None] = {}
        self._rests: dict[frozenset[RequestChange], Rest] = {}
        # By changes and the roots set aside: what was tried once is never solved again, and costs no further try.
        self._outcomes: dict[tuple[frozenset[RequestChange], frozenset[tuple[str, str]]], Solution | Core | None] = {}

    def fixes(self, cores: Sequence[Core], most: int) -> tuple[tuple[Fix, ...], bool]:
        """Return up to *most* fixes, the smallest change first, and whether *tries* or a limit ended the search.

        The search goes on to :data:`FIXES` sets even where *most* is less: a set that is found late may be reduced to a
        smaller one than the sets before it, so a shorter search could put another fix first.
        """
        sets: list[_Set] = []
        is_limited = is_cut = False
        try:
            is_cut = self._gather(cores, max(most, FIXES), sets)
        except Incomplete:
            is_limited = True
        # Nobody gives an operator up altogether where less gets there: its data may go with it.
        sets = [fix for fix in sets if not _gives_up(fix)] or sets
        # The content of a catalog that is to be repaired is unknown: it may serve every subscription.
        sets = [fix for fix in sets if not _deletes_before_repair(fix)]
        # A set that is left of a larger one may come after sets that are larger than itself.
        fixes = tuple(map(self._fix, sorted(sets, key=_size)[:most]))
        # Where the tries ran out, *most* fixes are all that was asked for. After a limit, a nearer one may be missing.
        return fixes, is_limited or (is_cut and len(fixes) < most)

    def _gather(self, cores: Sequence[Core], most: int, sets: list[_Set]) -> bool:
        """Append up to *most* sets to *sets*; return whether there may be more, because the tries ran out."""
        roots = [self._roots(core) for core in cores]
        if cores:
            self._outcomes[frozenset(), frozenset()] = cores[0]
        everything = frozenset(name for names in roots for name in names)
        if len(cores) < 2:
            self._search([()], frozenset(), most, sets)
        else:
            # Half of the tries for the parts, so that enough are left for the whole.
            share = self._tries_left // (2 * len(cores))
            if share < _FEWEST:
                sets += self._in_rounds(cores, roots)
                return True
            for core, names in zip(cores, roots, strict=True):
                self._outcomes[frozenset(), everything - names] = core
            parts = [self._apart(everything - names, most, share) for names in roots]
            self._search(_combined(parts), frozenset(), most, sets)
        return self._tries_left <= 0

    def _in_rounds(self, cores: Sequence[Core], roots: Sequence[frozenset[tuple[str, str]]]) -> list[_Set]:
        """Return a set with one change for each of many conflicts; none if single changes do not help them all.

        All conflicts are changed at once, and the conflicts that are left try their next suggestion in the next round::

            conflicts 1, 2 and 3; each tries its suggestion   a b c   conflict 2 is left
            so it tries its next one                          a d c   a plan

        The conflicts share no root, so each of the changes is needed.
        """
        suggested = [suggestions(self._original, core.constraints, self._offered) for core in cores]
        chosen = [0] * len(cores)
        while True:
            changes = tuple(
                dict.fromkeys(
                    options[number] for options, number in zip(suggested, chosen, strict=True) if number < len(options)
                )
            )
            key = frozenset(changes)
            if self._outcome(key, frozenset()) is None:
                return []
            if self._lasts(key, frozenset()):
                return [changes]
            problem = self._problem(key)
            assert problem is not None, "it has an outcome"
            remaining_cores = conflicting(problem, (), backend=self._backend)
            names = {root_key(problem, constraint) for core in remaining_cores for constraint in core.constraints}
            unhelped = [position for position, root in enumerate(roots) if root & names]
            if not unhelped or any(chosen[position] + 1 >= len(suggested[position]) for position in unhelped):
                return []
            for position in unhelped:
                chosen[position] += 1

    def _roots(self, core: Core) -> frozenset[tuple[str, str]]:
        names = (root_key(self._original, constraint) for constraint in core.constraints)
        return frozenset(name for name in names if name is not None)

    def _apart(self, aside: frozenset[tuple[str, str]], most: int, share: int) -> list[_Set]:
        """Return the sets that resolve one conflict, with the other roots *aside*, in at most *share* tries."""
        kept = self._tries_left - share
        self._tries_left = share
        sets: list[_Set] = []
        self._search([()], aside, most, sets)
        self._tries_left += kept
        return sets

    def _search(self, starts: Sequence[_Set], aside: frozenset[tuple[str, str]], most: int, sets: list[_Set]) -> None:
        """Append to *sets* up to *most* minimal sets that grow from *starts*: each gives a plan without *aside*."""
        leading_back: list[_Set] = []
        seen: set[frozenset[RequestChange]] = set()
        queue: list[tuple[_Order, _Set]] = []

        def push(changes: _Set) -> None:
            key = frozenset(changes)
            if key not in seen:
                seen.add(key)
                insort(queue, (self._order(changes), changes))

        for start in starts:
            push(start)
        smallest = min(map(len, starts), default=0)
        while queue and len(sets) < most:
            check()
            _, changes = queue.pop(0)
            key = frozenset(changes)
            # Whatever holds a fix is larger than needed.
            if any(key.issuperset(fix) for fix in sets):
                continue
            outcome = self._outcome(key, aside)
            if outcome is None:
                if self._tries_left <= 0:
                    break
                continue
            if self._lasts(key, aside):
                # Sets grow along cores, so a later change may have made an earlier one needless.
                smaller = self._reduced(changes, aside)
                if smaller == changes:
                    leads_back = not aside and not self._rests[key].is_sound
                    (leading_back if leads_back else sets).append(changes)
                elif smaller is not None:
                    push(smaller)
                continue
            if len(changes) < smallest + _LARGEST:
                for change in self._next_changes(key, outcome):
                    if not any(_clash(change, other) for other in changes):
                        push((*changes, change))
        # Some catalogs lead back to lower versions whatever is done, and fixes are worth offering all the same.
        sets.extend([] if sets else leading_back[:most])

    def _next_changes(self, changes: frozenset[RequestChange], outcome: Solution | Core) -> tuple[RequestChange, ...]:
        """Return what could make a fix of *changes*: suggestions of their core, or of the later request that strands.

        A change to what only a later request has, such as a generated subscription, makes an invalid set.
        """
        if isinstance(outcome, Core):
            problem = self._problem(changes)
            assert problem is not None, "it has a core"
            return suggestions(problem, outcome.constraints, self._offered)
        rest = self._rests[changes]
        if isinstance(rest.failure, CatalogError):
            problem = self._problem(changes)
            assert problem is not None, "it has a plan"
            return changes_of_served(problem, rest.failure)
        if not isinstance(rest.failure, Unsatisfiable):
            return ()
        try:
            problem = ClassicProblem.of_request(rest.request, self._original.semantics, self._original.visible)
            stranded = solve(problem, backend=self._backend)
        except (RequestError, CatalogError):
            return ()
        return suggestions(problem, stranded.constraints, self._offered) if isinstance(stranded, Core) else ()

    def _lasts(self, changes: frozenset[RequestChange], aside: frozenset[tuple[str, str]]) -> bool:
        """Return whether *changes* give a plan that strands the namespace neither at once nor later.

        Part of a request (some roots *aside*) does not show where the whole of it leads to, so a plan is enough there.
        """
        outcome = self._outcome(changes, aside)
        return isinstance(outcome, Solution) and (bool(aside) or self._end_of(changes, outcome).failure is None)

    def _end_of(self, changes: frozenset[RequestChange], solution: Solution) -> Rest:
        """Return the state in which updates after *solution*, the plan with *changes*, come to an end."""
        if changes not in self._rests:
            problem = self._problem(changes)
            assert problem is not None, "it has a solution"
            plan = resolution_of(problem, solution, self._backend)
            self._rests[changes] = followed(
                problem.request,
                plan,
                semantics=problem.semantics,
                backend=self._backend,
                most=_PLANS,
            )
        return self._rests[changes]

    def _fix(self, changes: _Set) -> Fix:
        problem = self._problem(frozenset(changes))
        assert problem is not None, "it has a plan"
        return Fix(changes, self._rests[frozenset(changes)].plans[0], problem.request)

    def _order(self, changes: _Set) -> _Order:
        # The counter keeps sets of one size in the order of suggestion; changes themselves have no order.
        return *_size(changes), next(self._counter)

    def _reduced(self, changes: _Set, aside: frozenset[tuple[str, str]]) -> _Set | None:
        """Return *changes* if each is needed, else a part of them that lasts, too; None if the tries ran out."""
        if len(changes) < 2:
            return changes
        for change in changes:
            fewer = tuple(other for other in changes if other != change)
            if self._lasts(frozenset(fewer), aside):
                return fewer
            if (frozenset(fewer), aside) not in self._outcomes:
                return None
        return changes

    def _outcome(self, changes: frozenset[RequestChange], aside: frozenset[tuple[str, str]]) -> Solution | Core | None:
        """Return the outcome with *changes*, without the roots *aside*; None if invalid, or if the tries ran out."""
        key = changes, aside
        if key not in self._outcomes:
            if self._tries_left <= 0:
                return None
            self._tries_left -= 1
            problem = self._problem(changes)
            self._outcomes[key] = None if problem is None else self._solved(problem, aside)
        return self._outcomes[key]

    def _solved(self, problem: ClassicProblem, aside: frozenset[tuple[str, str]]) -> Solution | Core:
        """Solve *problem* as :func:`olmsolve.resolve` does; return an empty core if unreadable catalogs block it."""
        if aside:
            return solve(without(problem, aside), backend=self._backend)
        if not problem.request.unreadable:
            return solve(problem, backend=self._backend)
        from olmsolve.classic import check_catalogs_after_solving, check_catalogs_before_solving

        context = RequestContext(problem.request, problem.semantics, self._backend)
        try:
            check_catalogs_before_solving(problem.request, context)
            outcome = solve(problem, backend=self._backend)
            if isinstance(outcome, Solution):
                check_catalogs_after_solving(problem, outcome, context)
        except Unsatisfiable:
            return Core(())
        return outcome

    def _problem(self, changes: frozenset[RequestChange]) -> ClassicProblem | None:
        """Return the problem of the changed request; None if it is invalid or its channel is broken."""
        if not changes:
            return self._original
        if changes not in self._problems:
            self._problems[changes] = self._changed(changes)
        return self._problems[changes]

    def _changed(self, changes: Collection[RequestChange]) -> ClassicProblem | None:
        """Apply *changes*, smallest kind first, so that the result does not depend on the order of a set."""
        request: Request = self._original.request
        try:
            for change in sorted(changes, key=lambda change: (change.rank, str(change))):
                request = change.apply(request)
            return ClassicProblem.of_request(request, self._original.semantics, self._original.visible)
        except (RequestError, CatalogError):
            return None


def _gives_up(changes: _Set) -> bool:
    """Return whether *changes* uninstall the operator whose subscription they delete."""
    kinds = {type(change) for change in changes}
    return {DropSubscription, RemoveOperator} <= kinds


def _deletes_before_repair(changes: _Set) -> bool:
    """Return whether *changes* delete something because a catalog that they repair cannot be read."""
    kinds = {type(change) for change in changes}
    return RepairCatalog in kinds and not kinds.isdisjoint((DropSubscription, RemoveOperator))


def _clash(one: RequestChange, other: RequestChange) -> bool:
    """Return whether two changes concern the same field, so that one would undo or repeat the other."""
    if one == other:
        return True
    subject = getattr(one, "subscription", None)
    if subject is None or subject != getattr(other, "subscription", None):
        return False
    return type(one) is type(other) or DropSubscription in (type(one), type(other))


def _size(changes: _Set) -> tuple[int, tuple[int, ...]]:
    """Return the key that sorts sets of changes: fewer changes first, then smaller kinds."""
    return len(changes), tuple(sorted((change.rank for change in changes), reverse=True))


def _combined(parts: Sequence[Sequence[_Set]]) -> list[_Set]:
    """Return every union of one set from each part; the search itself must resolve a part without sets."""
    ways = list(_product(parts))
    return ways or [()]


def _product(parts: Sequence[Sequence[_Set]]) -> Iterator[_Set]:
    usable = [part for part in parts if part]
    # Five sets for each of five conflicts make 3,125 unions, and the tries end after a few of them.
    for chosen in itertools.islice(itertools.product(*usable), 1000):
        yield tuple(dict.fromkeys(change for changes in chosen for change in changes))
