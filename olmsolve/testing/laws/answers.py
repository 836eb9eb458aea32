"""Laws of single answers: a plan meets every constraint and is the preferred one, a core is minimal, each fix works.

A SAT solver of another house judges the constraints of a core: minisat, with clauses of the textbook. Some cores say
that at most one of two thousand bundles is selected. As a clause for each two of them these would be two million; so
each group counts along its members instead::

    at most one of x, y, z     s: x is selected     t: x or y is selected

    not x or s,   not s or not y,   not s or t,   not y or t,   not t or not z
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, TypeVar, assert_never

import olmsolve._attrs as attrs
from olmsolve._arguments import type_with_article
from olmsolve.answers import followed
from olmsolve.answers.explain import (
    ChangePackage,
    DropSubscription,
    Explanation,
    Fix,
    Misnamed,
    RequestChange,
    explanation,
)
from olmsolve.answers.verification import (
    PlainCandidate,
    World,
    holds,
    roots_of,
    wishes_of,
)
from olmsolve.catalog import Catalog, Package
from olmsolve.classic import ClassicProblem, Request, Semantics, Unsatisfiable
from olmsolve.errors import CatalogError
from olmsolve.resolution import EXISTING, Candidate, Resolution
from olmsolve.solver import (
    AtMost,
    Budget,
    Choice,
    Constraint,
    Core,
    Dependency,
    Every,
    Exclusion,
    FirstOf,
    Formula,
    Incompatible,
    Mandatory,
    Prohibited,
    Session,
    Tree,
    solve,
)
from olmsolve.solver.backends import DEFAULT, PORTABLE, find
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
        if not holds(root, chosen)
    )
    for plain, candidate in chosen.items():
        # After the wishes of its requirements come the wishes of house rules.
        for requirement, wish in itertools.zip_longest(plain.requirements, wishes_of(world, plain, semantics)):
            if not holds(wish, chosen):
                lack = (
                    f"lacks {requirement}"
                    if requirement
                    else "is selected together with a bundle that a house rule keeps apart from it"
                )
                faults.append(f"{candidate} {lack}")
    return faults


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


Clause = list[int]


def clauses_of(constraints: Sequence[Constraint]) -> list[Clause]:
    """Return *constraints* of a core as clauses over numbers from 1.

    Raises:
        TypeError: a constraint is of another kind than cores have.
    """
    return _Translation(constraints).clauses


def can_hold(clauses: Iterable[Clause]) -> bool:
    """Return whether some assignment meets all *clauses*.

    Raises:
        Incomplete: a limit of the scope was met.
    """
    session = Session(find(PORTABLE), Budget())
    try:
        session.add_clauses(list(clauses))
        return session.solve()
    finally:
        session.close()


class _Translation:
    """Constraints on their way to clauses."""

    def __init__(self, constraints: Sequence[Constraint]) -> None:
        self.clauses: list[Clause] = []
        self._numbers: dict[object, int] = {}
        self._mentioned = {mention for constraint in constraints for mention in constraint.mentions()}
        for constraint in constraints:
            self._add(constraint)

    def _variable(self, identifier: object) -> int:
        return self._numbers.setdefault(identifier, len(self._numbers) + 1)

    def _add(self, constraint: Constraint) -> None:
        match constraint:
            case Mandatory():
                self.clauses.append([self._variable(constraint.subject)])
            case Prohibited():
                self.clauses.append([-self._variable(constraint.subject)])
            case Dependency():
                guard = [] if constraint.subject is None else [-self._variable(constraint.subject)]
                self.clauses.append(guard + [self._variable(candidate) for candidate in constraint.candidates])
            case Incompatible():
                self.clauses.append([-self._variable(constraint.subject), -self._variable(constraint.other)])
            case AtMost(limit=1):
                self._at_most_one([self._variable(identifier) for identifier in constraint.identifiers])
            case Formula():
                self._tree(constraint.tree, -self._variable(constraint.subject))
            case _:
                raise TypeError(f"no core has {type_with_article(constraint)}: {constraint}")

    def _at_most_one(self, members: Sequence[int]) -> None:
        """Add the clauses of a group of *members*; a variable for each says whether one was selected so far."""
        before = 0
        for member in members:
            # An object is equal to itself alone, so each variable is a new one.
            so_far = self._variable(object())
            if before:
                self.clauses += [-before, -member], [-before, so_far]
            self.clauses.append([-member, so_far])
            before = so_far

    def _tree(self, tree: Tree, guard: int) -> None:
        match tree:
            case Choice():
                self.clauses.append([guard, *(self._variable(candidate) for candidate in tree.candidates)])
            case Exclusion():
                others = (other for other in self._mentioned if other in tree.excluded)
                self.clauses.extend([guard, -self._variable(other)] for other in others)
            case Every():
                for part in tree.parts:
                    self._tree(part, guard)
            case FirstOf():
                self.clauses.append([guard, *map(self._variable, tree.branches)])
                for branch in tree.branches:
                    self._tree(branch.tree, -self._variable(branch))
            case _:
                assert_never(tree)


_PLANS: Final = 20
"""The most plans that are followed to see where a fix leads to."""


def check_core(request: Request, semantics: Semantics = Semantics.DOCUMENTED) -> None:
    """Check that the core of *request* cannot hold together, and can without any one of its constraints.

    Raises:
        AssertionError: it can, or a constraint is not needed.
    """
    if not isinstance(outcome_of(request, semantics), Unsatisfiable):
        return
    answer = solve(ClassicProblem.of_request(request, semantics))
    # A request that names something unknown fails before the search.
    if isinstance(answer, Core):
        faults = core_faults(answer.constraints)
        if faults:
            raise broken("the core is not minimal", request, faults)


def core_faults(core: Sequence[Constraint]) -> list[str]:
    """Return a sentence for each fault of *core*: that it can hold, or that a constraint is not needed."""
    if can_hold(clauses_of(core)):
        return ["its constraints can hold together"]
    rests = [([*core[:position], *core[position + 1 :]], constraint) for position, constraint in enumerate(core)]
    return [f"not needed: {constraint}" for others, constraint in rests if not can_hold(clauses_of(others))]


def check_fixes(
    request: Request, semantics: Semantics = Semantics.DOCUMENTED, *, explained: Explanation | None = None
) -> None:
    """Check that a failing *request* has fixes, that each gives its plan, and that none of its changes can be left out.

    A request that fails because a name does not exist may have none: whoever wrote it has to correct the name, and
    nobody knows to which one. *explained* is the explanation to check, by default a new one.

    Raises:
        AssertionError: there is no fix, or one does not work, or does without one of its changes; or a fix deletes a
            subscription, or takes another package, where a similar name was meant.
    """
    outcome = outcome_of(request, semantics)
    if explained is None:
        if not isinstance(outcome, Unsatisfiable):
            return
        explained = explanation(outcome)
    fixes = explained.fixes or ()
    misnamed = [conflict.summary.reason for conflict in explained.conflicts if isinstance(conflict.summary, Misnamed)]
    faults = [] if fixes or misnamed else ["there is no fix"]
    owning = {owner.name for owner in request.owners().values()}
    slips = {misnaming.subscription.name: misnaming.near for misnaming in misnamed if misnaming.near}
    faults += [f"corrects no name: {fix}" for fix in fixes if _gives_up(fix, slips, owning)]
    sizes = [len(fix.changes) for fix in fixes]
    if sizes != sorted(sizes):
        faults.append("the fixes do not begin with the smallest")
    for fix in fixes:
        changed = _after(request, fix.changes)
        if changed != fix.request or outcome_of(changed, semantics) != fix.resolution:
            faults.append(f"does not give its plan: {fix}")
        elif not _lasts(changed, fix.resolution, semantics):
            faults.append(f"its plan leads to a request without a plan: {fix}")
        for omitted in fix.changes:
            smaller = _after(request, (change for change in fix.changes if change != omitted))
            plan = outcome_of(smaller, semantics)
            if isinstance(plan, Resolution) and _lasts(smaller, plan, semantics):
                faults.append(f"works without {omitted}: {fix}")
    if faults:
        raise broken("the fixes are wrong", request, faults)


def _gives_up(fix: Fix, slips: Mapping[str, Collection[str]], owning: Collection[str]) -> bool:
    """Return whether *fix* deletes a subscription with a misspelt name, or lets it take what is no similar package.

    *slips* are the names similar to the misspelt one, by subscription. Subscriptions of *owning* own an operator, so
    that their names were right once.
    """
    return any(
        (isinstance(change, DropSubscription) and change.subscription in slips and change.subscription not in owning)
        or (isinstance(change, ChangePackage) and change.package not in slips.get(change.subscription, ()))
        for change in fix.changes
    )


def _after(request: Request, changes: Iterable[RequestChange]) -> Request:
    for change in sorted(changes, key=lambda change: (change.rank, str(change))):
        request = change.apply(request)
    return request


def _lasts(request: Request, plan: Resolution, semantics: Semantics) -> bool:
    """Return whether the requests after *plan* was carried out have plans too, until nothing changes."""
    try:
        return followed(request, plan, semantics=semantics, backend=DEFAULT, most=_PLANS).failure is None
    except CatalogError:
        return False
