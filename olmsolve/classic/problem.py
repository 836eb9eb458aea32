"""A classic request as a Boolean problem: candidates are variables, wishes are roots, rules are constraints.

Identifiers are the numbers that :class:`~olmsolve.catalog.index.Visible` gives to slots, and after them one number
for each installed operator, by name (the virtual catalog ``@existing``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Final, NamedTuple, TypeAlias

import attrs

from olmsolve.catalog.index import Fault, Group, InstalledIndex, Visible
from olmsolve.classic.families import Families
from olmsolve.classic.request import Request, Semantics, Subscription
from olmsolve.classic.subscriptions import Unknown, serve
from olmsolve.eligibility import CandidateFacts, refusal
from olmsolve.errors import CatalogError
from olmsolve.predicates import (
    AnyOf,
    Conjunction,
    Disjunction,
    InPackage,
    Negative,
    NormalForm,
    Positive,
    Predicate,
    ProvidesGVK,
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
)

__all__ = ["ClassicProblem", "IsDeprecated", "IsNotEligible", "Wish"]


class Wish(NamedTuple):
    """The origin of a subscription's root."""

    subscription: Subscription
    unknown: Callable[[], Unknown] | None


_AS_INDEXED: Final = attrgetter("name", "version", "properties")


@attrs.frozen
class IsDeprecated:
    """The origin of a Prohibited: the bundle has an ``olm.deprecated`` property."""


@attrs.frozen
class IsNotEligible:
    """The origin of a Prohibited: a system constraint of the request refuses the bundle, for the reason *refusal*."""

    refusal: str

    def __str__(self) -> str:
        return self.refusal


Origin: TypeAlias = Wish | IsDeprecated | IsNotEligible | Fault | Requirement | None


class ClassicProblem:
    """A lazy :class:`~olmsolve.solver.Problem`; the order of candidates is that of section "Preferences"
    in docs/semantics.md.

    Raises:
        CatalogError: a subscription names a channel without an order, or the requirements of an installed
            operator that must stay do not parse.
    """

    def __init__(self, request: Request, visible: Visible, semantics: Semantics) -> None:
        self.request = request
        self.visible = visible
        self.dense = visible.dense
        self.semantics = semantics
        self.installed = InstalledIndex(map(_AS_INDEXED, request.installed))
        self._conflicts: dict[int, list[Constraint]] = {}
        # By candidate: the installed operators that it is an update of, by their numbers.
        self._updates: dict[int, list[int]] = {}
        # By the position of the catalog that asks (-1: none), and what it asks for.
        self._candidates: dict[int, dict[Predicate, tuple[int, ...]]] = {}
        self._groups: dict[Predicate, Group | None] = {}
        # By the position of a catalog and the package and name of a bundle in it.
        self._refusals: dict[tuple[int, str, str], str] = {}
        self._numbers: Families | None = None
        self._words: dict[int, Candidate] = {}
        self.roots: Sequence[Root] = self._make_roots()
        """Installed operators without an owner, by name; then the subscriptions, in the order given."""

    @classmethod
    def of(cls, request: Request, semantics: Semantics) -> ClassicProblem:
        """Return the problem of *request* over its own catalogs; one who has many requests keeps their view instead."""
        return cls(request, Visible(request.sources, request.namespaces), semantics)

    # -- the problem

    def constraints(self, identifier: Identifier) -> Sequence[Constraint]:
        number = _number(identifier)
        size = self.visible.size
        if number >= size:
            place = number - size
            deprecated = self.installed.published[place].deprecated
            requires, groups, position = self.installed.requires(place), self.installed.groups(place), -1
            if isinstance(requires, Fault):
                return (Prohibited(number, requires),)
        else:
            position, index, slot = self.visible.locate(number)
            requires, deprecated, groups = index.rules(slot)
            if isinstance(requires, Fault):
                return (Prohibited(number, requires),)
        constraints: list[Constraint] = []
        if deprecated:
            constraints.append(Prohibited(number, IsDeprecated()))
        refused = self.refusal(number)
        if refused:
            constraints.append(Prohibited(number, IsNotEligible(refused)))
        if groups:
            constraints.append(Exclusive(number, groups))
        constraints.extend(self._conflicts.get(number, ()))
        asked = None if self._numbers is None else self._numbers.asked(number)
        if asked is None:
            constraints += [self._requirement(number, requirement, position) for requirement in requires]
        else:
            constraints += [
                Dependency(number, candidates, requirement, group)
                for requirement, (candidates, group) in zip(requires, asked, strict=True)
            ]
        return constraints

    def block(self, identifier: Identifier) -> str:
        """The package of a candidate; that of an installed operator is the one that it says it is from."""
        number = _number(identifier)
        if number >= self.visible.size:
            facts = self.installed.published[number - self.visible.size]
            return facts.packages[0][0] if facts.packages else self.installed.names[number - self.visible.size]
        _, index, slot = self.visible.locate(number)
        return index.package(slot)

    @property
    def families(self) -> Families:
        """The same in numbers, as far as it is known; made when it is asked for, since most requests need none."""
        if self._numbers is None:
            plain = not self.request.eligibility
            self._numbers = Families(self.visible, self.installed, plain=plain, updates=self._updates)
        return self._numbers

    # -- what identifiers stand for

    def is_installed(self, identifier: Identifier) -> bool:
        return _number(identifier) >= self.visible.size

    def candidate(self, identifier: Identifier) -> Candidate:
        """*identifier* in words; a channel without an order is named by its package and no bundle."""
        number = _number(identifier)
        known = self._words.get(number)
        if known is None:
            known = self._words[number] = self._candidate(number)
        return known

    def _candidate(self, number: int) -> Candidate:
        if number >= self.visible.size:
            place = number - self.visible.size
            facts = self.installed.published[place]
            package = facts.packages[0][0] if facts.packages else ""
            version = self.installed.versions[place] or str(facts.version or "")
            return Candidate(self.installed.names[place], package, "", EXISTING, version)
        position, index, slot = self.visible.locate(number)
        package = index.package(slot)
        name, version = index.bundle(slot) or package, index.version_text(slot)
        return Candidate(name, package, index.channel_name(slot), self.visible.sources[position].key, version)

    def replaces(self, identifier: Identifier) -> str:
        """What selecting *identifier* replaces: the operator that it updates, else what its entry says."""
        number = _number(identifier)
        if number in self._updates:
            return self.installed.names[self._updates[number][0] - self.visible.size]
        _, index, slot = self.visible.locate(number)
        return index.replaces(slot)

    def updated_by(self, identifier: Identifier) -> Sequence[int]:
        """The installed operators that give way when *identifier* is selected: it updates what a subscription owns."""
        return self._updates.get(_number(identifier), ())

    def requirements(self, identifier: Identifier) -> Sequence[Requirement]:
        """The requirements of the bundle behind *identifier*; none if they do not parse."""
        number = _number(identifier)
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
        for place, name in enumerate(self.installed.names):
            owner = owners.get(name)
            if owner is not None:
                owned[owner.name] = place
                continue
            requires = self.installed.requires(place)
            if isinstance(requires, Fault):
                raise CatalogError(
                    f"an installed operator that must stay has requirements that do not parse: {requires.reason}",
                    bundle=name,
                    property=requires.property,
                )
            roots.append(Mandatory(size + place))
        roots += [self._wish(wish, owned.get(wish.name)) for wish in self.request.subscriptions]
        return roots

    def _wish(self, subscription: Subscription, current: int | None) -> Root:
        if current is None:
            served = serve(subscription, None, self.visible)
            group = self.visible.package_group(subscription.package)
            return Dependency(None, served.candidates, Wish(subscription, served.unknown), group)
        name = self.installed.names[current]
        served = serve(subscription, (name, self.installed.published[current]), self.visible)
        if served.unknown is not None:
            return Dependency(None, (), Wish(subscription, served.unknown))
        staying = self.visible.size + current
        for number in served.candidates:
            self._conflicts.setdefault(number, []).append(Incompatible(number, staying))
            self._updates.setdefault(number, []).append(staying)
        return Dependency(None, (*served.candidates, staying), Wish(subscription, None))

    # -- requirements

    def _requirement(self, number: int, requirement: Requirement, position: int) -> Constraint:
        predicate = requirement.predicate
        if self.semantics is Semantics.CONTROLLER or isinstance(predicate, InPackage | ProvidesGVK):
            # What is no compound has no other form, and nearly everything is none.
            return self._dependency(number, predicate, requirement, position)
        form = normalise(predicate)
        simple = _simple(form)
        if simple is not None:
            return self._dependency(number, simple, requirement, position)
        return Formula(number, self._tree(form, position), requirement)

    def _dependency(self, number: int, predicate: Predicate, requirement: Requirement, position: int) -> Dependency:
        return Dependency(number, self._find(predicate, position), requirement, self._group(predicate))

    def _group(self, predicate: Predicate) -> Group | None:
        if predicate not in self._groups:
            self._groups[predicate] = self.visible.group(predicate)
        return self._groups[predicate]

    def _tree(self, form: NormalForm, position: int) -> Tree:
        simple = _simple(form)
        if simple is not None:
            return Choice(self._find(simple, position), simple)
        if isinstance(form, Negative):
            return Exclusion(_Meeting(self, form.predicate), form)
        if isinstance(form, Conjunction):
            return Every(tuple(self._tree(part, position) for part in form.parts))
        assert isinstance(form, Disjunction)
        return FirstOf(tuple(Branch(self._tree(part, position)) for part in form.parts))

    def _find(self, predicate: Predicate, position: int) -> tuple[int, ...]:
        """The candidates that meet *predicate*: installed operators first, then the catalogs in order."""
        found = self._candidates.setdefault(position, {})
        known = found.get(predicate)
        if known is None:
            known = self.visible.candidates(predicate, position)
            here = self.installed.candidates(predicate)
            if here:
                known = (*(self.visible.size + place for place in here), *known)
            found[predicate] = known
        return known

    def facts(self, number: int) -> Published | None:
        """What the bundle behind a number publishes; None for a channel without an order."""
        if number >= self.visible.size:
            return self.installed.published[number - self.visible.size]
        _, index, slot = self.visible.locate(number)
        return index.published(slot) if index.has_bundle(slot) else None

    def refusal(self, number: int) -> str:
        """Why the request's system constraints refuse the bundle behind a number; "" where they do not.

        What is installed is not asked about, nor is what stands for a channel without an order.
        """
        if not self.request.eligibility or number >= self.visible.size:
            return ""
        position, index, slot = self.visible.locate(number)
        if not index.has_bundle(slot):
            return ""
        key = position, index.package(slot), index.bundle(slot)
        known = self._refusals.get(key)
        if known is None:
            _, package, name = key
            source, properties = self.visible.sources[position], index.published(slot).properties
            candidate = CandidateFacts(name, package, index.version_text(slot), source.key, properties)
            known = self._refusals[key] = refusal(candidate, self.request.eligibility)
        return known

    def can_be_met(self, predicate: Predicate) -> bool:
        """Whether anything that can be selected meets *predicate*: a candidate for a dependency, an installed
        operator, or what a subscription may take although no dependency could (a skipped ``startingCSV``).
        """
        meeting = _Meeting(self, predicate)
        served = (number for root in self.roots if isinstance(root, Dependency) for number in root.candidates)
        return any(n in meeting and self._selectable(_number(n)) for n in (*self._find(predicate, -1), *served))

    def _selectable(self, number: int) -> bool:
        """Whether nothing prohibits what a number stands for."""
        facts = self.facts(number)
        if facts is None or facts.deprecated or self.refusal(number):
            return False
        if number >= self.visible.size:
            return not isinstance(self.installed.requires(number - self.visible.size), Fault)
        _, index, slot = self.visible.locate(number)
        return index.fault(slot) is None


class _Meeting:
    """The identifiers whose bundle meets a predicate, known by membership."""

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


def _simple(form: NormalForm) -> Predicate | None:
    """The predicate of a form that is one choice: a positive leaf, or a disjunction of plain positive leaves."""
    if isinstance(form, Positive):
        return form.predicate
    if isinstance(form, Disjunction):
        leaves = [part.predicate for part in form.parts if isinstance(part, Positive)]
        if len(leaves) == len(form.parts):
            return AnyOf(tuple(leaves))
    return None
