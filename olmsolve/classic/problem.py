"""A classic request as a Boolean problem: candidates are variables, wishes are roots, rules are constraints.

Identifiers are numbers: first the slots of the visible catalogs, as :class:`~olmsolve.catalog.index.Visible` counts
them, then the installed operators by name (the virtual catalog ``@existing``). With 40 slots and two operators::

    0 ... 39   slots            visible.locate(12) returns the catalog and the slot in it
    40, 41     operators        number - visible.size is the position in ``installed``

The solver asks for the constraints of one number at a time, so only what a search reaches is ever read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Final

import olmsolve._attrs as attrs
from olmsolve._named_tuples import NamedTuple
from olmsolve.catalog.index import Fault, Group, InstalledIndex, Visible
from olmsolve.classic.families import PackageFamilies
from olmsolve.classic.request import Request, Semantics
from olmsolve.classic.request_parts import Subscription
from olmsolve.classic.subscriptions import serve
from olmsolve.eligibility import CandidateFacts, refusal
from olmsolve.errors import CatalogError
from olmsolve.predicates import (
    AnyOf,
    Conjunction,
    Disjunction,
    Negative,
    NormalForm,
    Positive,
    Predicate,
    Published,
    Requirement,
    normalise,
)
from olmsolve.resolution import EXISTING, Candidate
from olmsolve.solver import (
    Branch,
    Choice,
    Constraint,
    Dependency,
    Every,
    Exclusion,
    Exclusive,
    FirstOf,
    Formula,
    Identifier,
    Incompatible,
    Mandatory,
    Prohibited,
    Root,
    Tree,
    reachable,
)

if TYPE_CHECKING:
    from olmsolve.classic.reasons import UnknownName
    from olmsolve.classic.ruled import RuledCandidates


class Wish(NamedTuple):
    """The origin of a subscription's root; *unknown* returns which name it gives that does not exist, if any."""

    subscription: Subscription
    unknown: Callable[[], UnknownName] | None


_INDEXED_FIELDS: Final = attrgetter("name", "version", "properties")


@attrs.frozen
class IsDeprecated:
    """The origin of a Prohibited: the bundle has an ``olm.deprecated`` property."""


@attrs.frozen
class IsNotEligible:
    """The origin of a Prohibited: a system constraint of the request refuses the bundle; *refusal* says why."""

    refusal: str

    def __str__(self) -> str:
        return self.refusal


class ClassicProblem:
    """The lazy :class:`~olmsolve.solver.Problem` of one *request* over the catalogs that it sees.

    Candidates stand in the order of the section "Which plan" of docs/semantics.md. With *numbered*, :attr:`families`
    give the number of a requirement as its origin, and parse none.

    Raises:
        CatalogError: a subscription names a channel without an order, or the requirements of an installed
            operator that must stay do not parse.
    """

    def __init__(self, request: Request, visible: Visible, semantics: Semantics, *, numbered: bool = False) -> None:
        self.request = request
        self.visible = visible
        self.dense: bool = visible.dense
        self.semantics = semantics
        self.installed: InstalledIndex = InstalledIndex(map(_INDEXED_FIELDS, request.installed), visible.scheme)
        self._incompatible: dict[int, list[Constraint]] = {}
        # For each candidate that updates installed operators, the numbers of these operators.
        self._updates: dict[int, list[int]] = {}
        # By the position of the requiring bundle's catalog (-1: it is installed), since its own catalog comes first.
        self._meeting: dict[int, dict[Predicate, tuple[int, ...]]] = {}
        # By the position of a catalog, the package and the bundle: channels share a bundle, and its refusal.
        self._refusals: dict[tuple[int, str, str], str] = {}
        self._families: PackageFamilies | None = None
        self._numbered = numbered
        self._candidates: dict[Identifier, Candidate] = {}
        self.ruled: RuledCandidates | None = None
        """What the house rules of the request say of the candidates; None without any."""
        if request.house_rules:
            # Most requests have none, and do not wait for their classes to load.
            from olmsolve.classic.ruled import RuledCandidates

            self.ruled = RuledCandidates(visible, self.installed, request)
        self.roots: Sequence[Root] = self._make_roots()
        """Installed operators without an owner, by name; subscriptions and house rules, in the order given."""
        if self.ruled is not None and self.ruled.limiting:
            # A limit is about all candidates that the other roots reach.
            reached = [_number(identifier) for identifier, _ in reachable(self)]
            self.roots = [*self.roots, *self.ruled.limits(reached)]

    @classmethod
    def of_request(cls, request: Request, semantics: Semantics, like: Visible | None = None) -> ClassicProblem:
        """Return the problem of *request*; the view *like* is used if it shows the catalogs that the request sees."""
        if like is None or not like.shows(request.sources, request.namespaces):
            like = Visible(request.sources, request.namespaces)
        return cls(request, like, semantics)

    # -- the problem

    def constraints(self, identifier: Identifier) -> Sequence[Constraint]:
        """Return the constraints of one candidate; one whose requirements do not parse is prohibited, and no more."""
        assert isinstance(identifier, int)
        number = identifier
        size = self.visible.size
        choices: Sequence[tuple[tuple[int, ...], Group]] | None = None
        if number >= size:
            operator = number - size
            deprecated = self.installed.published[operator].deprecated
            requires, groups, position = self.installed.requires(operator), self.installed.groups(operator), -1
            if isinstance(requires, Fault):
                return (Prohibited(number, requires),)
        else:
            position, index, slot = self.visible.locate(number)
            requires, deprecated, groups = index.rules(slot)
            if isinstance(requires, Fault):
                return (Prohibited(number, requires),)
            if self._families is not None:
                # Families, where a search has asked for them, know most candidates without testing a predicate.
                choices = self._families.choices(position, index, slot)
        constraints: list[Constraint] = []
        if deprecated:
            constraints.append(Prohibited(number, IsDeprecated()))
        if self.request.eligibility and (reason := self.refusal(number)):
            constraints.append(Prohibited(number, IsNotEligible(reason)))
        if groups:
            constraints.append(Exclusive(number, groups))
        if number in self._incompatible:
            constraints += self._incompatible[number]
        if choices is None:
            constraints += [self._constraint(number, requirement, position) for requirement in requires]
        else:
            constraints += [
                Dependency(number, candidates, requirement, group)
                for requirement, (candidates, group) in zip(requires, choices, strict=True)
            ]
        if self.ruled is not None:
            constraints.extend(self.ruled.constraints(number))
        return constraints

    def block(self, identifier: Identifier) -> str:
        """Return the package of a candidate; an installed operator names its own, else its name stands for one."""
        assert isinstance(identifier, int)
        number = identifier
        if number >= self.visible.size:
            facts = self.installed.published[number - self.visible.size]
            return facts.packages[0][0] if facts.packages else self.installed.names[number - self.visible.size]
        _, index, slot = self.visible.locate(number)
        return index.package(slot)

    @property
    def families(self) -> PackageFamilies:
        """The same problem in sets of bits, as far as packages allow; made on first use, as most requests need none."""
        if self._families is None:
            self._families = PackageFamilies(
                self.visible,
                self.installed,
                plain=not self.request.eligibility,
                updates=self._updates,
                ruled=self.ruled,
                numbered=self._numbered,
            )
        return self._families

    def contradict(self, check: Callable[[], object]) -> bool:
        """Return True if the roots contradict each other at a look; False proves nothing. *check* may end the look."""
        # Functions of the program may raise where a search calls them, and a look does not.
        if self.request.house_rules or self.request.eligibility:
            return False
        return self.families.contradict(self.roots, check)

    # -- what identifiers stand for

    def is_installed(self, identifier: Identifier) -> bool:
        """Return True for an installed operator, False for a slot of a catalog."""
        assert isinstance(identifier, int)
        return identifier >= self.visible.size

    def candidate(self, identifier: Identifier) -> Candidate:
        """Return what *identifier* stands for, in names; a channel without an order is named by its package."""
        # 1.1 µs to put together, 0.04 to look up: the messages and cores of one answer name a candidate several times.
        candidate = self._candidates.get(identifier)
        if candidate is None:
            assert isinstance(identifier, int)
            candidate = self._candidates[identifier] = self._candidate(identifier)
        return candidate

    def _candidate(self, number: int) -> Candidate:
        if number >= self.visible.size:
            operator = number - self.visible.size
            facts = self.installed.published[operator]
            package = facts.packages[0][0] if facts.packages else ""
            version = self.installed.versions[operator] or str(facts.version or "")
            return Candidate(self.installed.names[operator], package, "", EXISTING, version)
        position, index, slot = self.visible.locate(number)
        package = index.package(slot)
        name, version = index.bundle(slot) or package, index.version_text(slot)
        return Candidate(name, package, index.channel_name(slot), self.visible.sources[position].key, version)

    def replaces(self, identifier: Identifier) -> str:
        """Return the name of the operator that *identifier* updates, else the ``replaces`` of its channel entry.

        If it updates several, the operator with the candidate's own name counts, if that is installed.
        """
        assert isinstance(identifier, int)
        number = identifier
        _, index, slot = self.visible.locate(number)
        if number in self._updates:
            names = [self.installed.names[operator - self.visible.size] for operator in self._updates[number]]
            return names[0] if index.bundle(slot) not in names else index.bundle(slot)
        return index.replaces(slot)

    def updated_by(self, identifier: Identifier) -> Sequence[int]:
        """Return the installed operators, by number, that *identifier* updates and which then cannot stay."""
        assert isinstance(identifier, int)
        return self._updates.get(identifier, ())

    def requirements(self, identifier: Identifier) -> Sequence[Requirement]:
        """Return the requirements of the bundle of candidate *identifier*; none if they do not parse."""
        assert isinstance(identifier, int)
        number = identifier
        if number >= self.visible.size:
            requires = self.installed.requires(number - self.visible.size)
        else:
            _, index, slot = self.visible.locate(number)
            requires = index.requires(slot)
        return () if isinstance(requires, Fault) else requires

    # -- roots

    def _make_roots(self) -> list[Root]:
        owners = self.request.owners()
        size = self.visible.size
        roots: list[Root] = []
        owned: dict[str, int] = {}
        for operator, name in enumerate(self.installed.names):
            owner = owners.get(name)
            if owner is not None:
                owned[owner.name] = operator
                continue
            requires = self.installed.requires(operator)
            if isinstance(requires, Fault):
                raise CatalogError(
                    f"an installed operator that must stay has requirements that do not parse: {requires.reason}",
                    bundle=name,
                    property=requires.property,
                    excerpt=requires.excerpt,
                )
            roots.append(Mandatory(size + operator))
        roots += [self._wish(subscription, owned.get(subscription.name)) for subscription in self.request.subscriptions]
        if self.ruled is not None:
            roots += self.ruled.roots()
        return roots

    def _wish(self, subscription: Subscription, current: int | None) -> Root:
        """Return the root of *subscription*, which owns the installed operator *current* (a position), if any.

        Each update excludes the operator that it updates, and the operator itself is the last candidate::

            candidates of the channel: 7 (2.0.0), 9 (1.1.0);  operator 40 (1.0.0)
            root: 7 or 9 or 40;  7 and 40 exclude each other, 9 and 40 as well
        """
        if current is None:
            served = serve(subscription, None, self.visible, self.semantics)
            group = self.visible.package_group(subscription.package)
            return Dependency(None, self._ordered(served.candidates), Wish(subscription, served.unknown), group)
        name = self.installed.names[current]
        served = serve(subscription, (name, self.installed.published[current]), self.visible, self.semantics)
        if served.unknown is not None:
            return Dependency(None, (), Wish(subscription, served.unknown))
        staying = self.visible.size + current
        for number in served.candidates:
            self._incompatible.setdefault(number, []).append(Incompatible(number, staying))
            self._updates.setdefault(number, []).append(staying)
        return Dependency(None, self._ordered((*served.candidates, staying)), Wish(subscription, None))

    def _ordered(self, candidates: tuple[int, ...]) -> tuple[int, ...]:
        """Return *candidates* with the ones first that a house rule prefers."""
        return candidates if self.ruled is None else self.ruled.ordered(candidates)

    # -- requirements

    def _constraint(self, number: int, requirement: Requirement, position: int) -> Constraint:
        predicate = requirement.predicate
        if self.semantics is Semantics.CONTROLLER or not predicate.parts:
            # Leaves need no normalising, and nearly all requirements are leaves.
            return self._dependency(number, predicate, requirement, position)
        form = normalise(predicate)
        choice = _single_choice(form)
        if choice is not None:
            return self._dependency(number, choice, requirement, position)
        return Formula(number, self._tree(form, position), requirement)

    def _dependency(self, number: int, predicate: Predicate, requirement: Requirement, position: int) -> Dependency:
        group = self.visible.group(predicate)
        return Dependency(number, self._candidates_meeting(predicate, position), requirement, group)

    def _tree(self, form: NormalForm, position: int) -> Tree:
        """Return *form* as a formula; a negative leaf excludes by membership, as it may rule out thousands."""
        choice = _single_choice(form)
        if choice is not None:
            return Choice(self._candidates_meeting(choice, position), choice)
        if isinstance(form, Negative):
            return Exclusion(_BundlesMeeting(self, form.predicate), form)
        if isinstance(form, Conjunction):
            return Every(tuple(self._tree(part, position) for part in form.parts))
        assert isinstance(form, Disjunction)
        return FirstOf(tuple(Branch(self._tree(part, position)) for part in form.parts))

    def _candidates_meeting(self, predicate: Predicate, position: int) -> tuple[int, ...]:
        """Return the candidates that meet *predicate*: installed operators first, then the catalogs in order.

        Bundles share requirements, and then this tuple: it is built once for each predicate and requiring catalog.
        """
        by_predicate = self._meeting.setdefault(position, {})
        candidates = by_predicate.get(predicate)
        if candidates is None:
            candidates = self.visible.candidates(predicate, position)
            operators = self.installed.candidates(predicate)
            if operators:
                candidates = (*(self.visible.size + operator for operator in operators), *candidates)
            candidates = by_predicate[predicate] = self._ordered(candidates)
        return candidates

    def facts(self, number: int) -> Published | None:
        """Return what the bundle of candidate *number* publishes; None for a channel without an order."""
        if number >= self.visible.size:
            return self.installed.published[number - self.visible.size]
        _, index, slot = self.visible.locate(number)
        return index.published(slot) if index.has_bundle(slot) else None

    def refusal(self, number: int) -> str:
        """Return why a system constraint of the request refuses candidate *number*; "" where none does.

        Only bundles of catalogs are refused: never installed operators, nor the slot of a channel without an order.
        """
        if not self.request.eligibility or number >= self.visible.size:
            return ""
        position, index, slot = self.visible.locate(number)
        if not index.has_bundle(slot):
            return ""
        key = position, index.package(slot), index.bundle(slot)
        reason = self._refusals.get(key)
        if reason is None:
            reason = self._refusals[key] = refusal(self.eligibility_facts(number), self.request.eligibility)
        return reason

    def eligibility_facts(self, number: int) -> CandidateFacts:
        """Return what system constraints see of candidate *number*, a bundle of a catalog."""
        position, index, slot = self.visible.locate(number)
        source, properties = self.visible.sources[position], index.published(slot).properties
        return CandidateFacts(index.bundle(slot), index.package(slot), index.version_text(slot), source.key, properties)

    def can_be_met(self, predicate: Predicate) -> bool:
        """Return True if any selectable candidate meets *predicate*.

        A subscription may select what no dependency can: a skipped entry that its ``startingCSV`` names.
        """
        meeting = _BundlesMeeting(self, predicate)
        wished = (number for root in self.roots if root.subject is None for number in root.candidates)
        return any(
            n in meeting and self._selectable(_number(n)) for n in (*self._candidates_meeting(predicate, -1), *wished)
        )

    def _selectable(self, number: int) -> bool:
        """Return True if no constraint prohibits the candidate *number*."""
        facts = self.facts(number)
        if facts is None or facts.deprecated or self.refusal(number):
            return False
        if self.ruled is not None and self.ruled.ban(number) is not None:
            return False
        if number >= self.visible.size:
            return not isinstance(self.installed.requires(number - self.visible.size), Fault)
        _, index, slot = self.visible.locate(number)
        return index.fault(slot) is None


class _BundlesMeeting:
    """The identifiers whose bundle meets a predicate, tested one by one when the solver asks, and remembered."""

    __slots__ = ("_predicate", "_problem", "_verdicts")

    def __init__(self, problem: ClassicProblem, predicate: Predicate) -> None:
        self._problem = problem
        self._predicate = predicate
        self._verdicts: dict[object, bool] = {}

    def __contains__(self, identifier: object) -> bool:
        verdict = self._verdicts.get(identifier)
        if verdict is None:
            facts = self._problem.facts(_number(identifier))
            verdict = self._verdicts[identifier] = facts is not None and self._predicate.test(facts)
        return verdict

    def __bool__(self) -> bool:
        return self._problem.can_be_met(self._predicate)


def _number(identifier: object) -> int:
    assert isinstance(identifier, int)
    return identifier


def _single_choice(form: NormalForm) -> Predicate | None:
    """Return the predicate of a form that one bundle meets or not: a positive leaf, or a disjunction of such leaves."""
    if isinstance(form, Positive):
        return form.predicate
    if isinstance(form, Disjunction):
        leaves = [part.predicate for part in form.parts if isinstance(part, Positive)]
        if len(leaves) == len(form.parts):
            return AnyOf(tuple(leaves))
    return None
