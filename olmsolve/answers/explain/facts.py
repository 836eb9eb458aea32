"""A core taken apart: its roots and requirements, the facts about each candidate, and the groups that fail alike.

A core of a long channel has a thousand constraints; people need three sentences. So candidates that fail alike become
one group, and one node: "etcd 3.0.0 to 3.4.2 (14 bundles; alpha, olm/main) requires the API x, which nothing gives".

Candidates fail alike if they are of the same package, the same roots and requirements want them, and the core states
the same facts about each: requirements with the same text and the same candidates, the same at-most-one groups, and so
on. Installed operators never join bundles of catalogs. A candidate that one fact alone rules out (deprecated, or
requiring what nothing gives) competes with nobody, so its at-most-one groups are no facts about it.

Equal keys are one node, however many constraints it comes from. Nine deprecated versions of a package take nine
constraints of a core. Each gives the fact ``DeprecatedFact()``, so the nine candidates have the same facts, the same
:class:`BundlesKey`, and one node. Keys hold sets of other keys and are looked up all the time, so each computes its
hash once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, assert_never

import olmsolve._attrs as attrs
from olmsolve.answers.explain.statements import (
    BrokenFact,
    DeprecatedFact,
    ForbiddenFact,
    KeptApartFact,
    LimitedFact,
    OnlyOneFact,
    RefusedFact,
    ReplacedFact,
    ReplacesFact,
)
from olmsolve.catalog.index import Fault, Group
from olmsolve.classic import (
    ClassicProblem,
    IsDeprecated,
    IsNotEligible,
    opposed,
    unmet_choices,
    unmet_parts,
)
from olmsolve.predicates import Predicate, Requirement
from olmsolve.solver import (
    AtMost,
    Constraint,
    Dependency,
    Exclusive,
    Formula,
    Incompatible,
    Limit,
    Mandatory,
    Prohibited,
    ruled_out,
)

if TYPE_CHECKING:
    from olmsolve.classic import Never, TotalAtMost


@attrs.frozen(cache_hash=True)
class RootKey:
    """A subscription, a demand, or an operator that must stay, by its *position* in the core."""

    position: int


@attrs.frozen(cache_hash=True)
class RequirementKey:
    """A requirement with this *text*, which *candidates* could meet, and which rules out *excluded*."""

    text: str
    candidates: frozenset[int]
    excluded: frozenset[int]


@attrs.frozen(cache_hash=True)
class ExcludedKey:
    """Another bundle's *requirement* rules the candidate out."""

    requirement: RequirementKey


FactKey: TypeAlias = (
    RequirementKey
    | OnlyOneFact
    | ReplacesFact
    | ReplacedFact
    | ExcludedKey
    | DeprecatedFact
    | BrokenFact
    | RefusedFact
    | ForbiddenFact
    | KeptApartFact
    | LimitedFact
)
"""A fact about candidates: itself, or the identity of a requirement, which many bundles may share."""


@attrs.frozen(cache_hash=True)
class BundlesKey:
    """The candidates of a *package* that fail alike: the same *facts*, *wanted_by* the same roots and requirements.

    *installed* keeps operators apart from bundles of catalogs. *channel* is the number of a channel without an order,
    which is a group of its own, and -1 for everything else.
    """

    package: str
    installed: bool
    channel: int
    facts: frozenset[FactKey]
    wanted_by: frozenset[RootKey | RequirementKey]


@attrs.frozen(cache_hash=True)
class GroupFactKey:
    """A *fact* about the one *group*; requirements and at-most-one facts have nodes that groups share instead."""

    fact: FactKey
    group: BundlesKey


NodeKey: TypeAlias = RootKey | BundlesKey | RequirementKey | OnlyOneFact | GroupFactKey
"""A node of the conflict."""


@attrs.frozen
class SharedRequirement:
    """One requirement of one or several bundles: *subjects* have it (with its origin), *candidates* could meet it.

    *excluded* are candidates of the core that it rules out, *missing* the parts that nothing can meet, *failing* all
    parts of a compound that the core keeps from being met.
    """

    predicate: Predicate
    subjects: list[tuple[int, Requirement]]
    candidates: tuple[int, ...]
    excluded: tuple[int, ...]
    missing: tuple[Predicate, ...]
    failing: tuple[Predicate, ...]
    hopeless: bool
    """Whether it rules out its subjects by itself: nothing could meet it."""


class CoreFacts:
    """The facts of *core*, in the order of its constraints.

    ``roots`` and ``requirements`` are by key; ``groups`` are the candidates that fail alike. ``faults`` are by
    candidate, ``exclusive`` lists the members of each at-most-one group, ``replacing`` the updates of each installed
    operator, ``apart`` the candidates on each side of a house rule, and ``limited`` the candidates that add to a sum.
    """

    def __init__(self, problem: ClassicProblem, core: Sequence[Constraint]) -> None:
        self._problem = problem
        self.roots: dict[RootKey, Constraint] = {}
        self.requirements: dict[RequirementKey, SharedRequirement] = {}
        self.faults: dict[int, Fault] = {}
        self.exclusive: dict[Group, tuple[int, ...]] = {}
        self.replacing: dict[int, list[int]] = {}
        self.apart: dict[KeptApartFact, dict[int, None]] = {}
        self.limited: dict[TotalAtMost, dict[int, None]] = {}
        # Candidates that some constraint speaks against. A choice with any other candidate can be met: it is no reason.
        self._opposed = opposed(core)
        self._facts: dict[int, dict[FactKey, None]] = {}
        self._wanted_by: dict[int, dict[RootKey | RequirementKey, None]] = {}
        for position, constraint in enumerate(core):
            self._add(position, constraint)
        self._drop_hopeless_rivals()
        self._group_of = {number: self._group_key(number) for number in self._wanted_by}
        self.groups: dict[BundlesKey, list[int]] = {}
        for number, group in self._group_of.items():
            self.groups.setdefault(group, []).append(number)

    def facts_of(self, group: BundlesKey) -> tuple[FactKey, ...]:
        """Return the facts that the core states about each member of *group*."""
        return tuple(self._facts.get(self.groups[group][0], ()))

    def groups_of(self, numbers: Sequence[int]) -> tuple[BundlesKey, ...]:
        """Return the groups of *numbers*, each once, in order; a candidate without a group is left out."""
        return tuple(dict.fromkeys(self._group_of[number] for number in numbers if number in self._group_of))

    def _drop_hopeless_rivals(self) -> None:
        """Drop candidates from at-most-one groups if another fact already rules them out, or nothing wants them."""
        hopeless = {number for number, facts in self._facts.items() if any(self._suffices(key) for key in facts)}
        # Candidates found only in unreported branches of a formula are not reported.
        dropped = hopeless | (self._facts.keys() - self._wanted_by.keys())
        for group, members in self.exclusive.items():
            self.exclusive[group] = tuple(member for member in members if member not in dropped)
            for member in dropped.intersection(members):
                self._facts[member].pop(OnlyOneFact(group))

    def _suffices(self, key: FactKey) -> bool:
        """Return whether the fact rules a candidate out whatever else is selected."""
        if isinstance(key, RequirementKey):
            return self.requirements[key].hopeless
        if isinstance(key, LimitedFact):
            return key.amount > key.rule.limit
        return isinstance(key, BrokenFact | DeprecatedFact | RefusedFact | ForbiddenFact)

    def _group_key(self, number: int) -> BundlesKey:
        """Return the key that a candidate shares with all that fail like it."""
        return BundlesKey(
            self._problem.candidate(number).package,
            self._problem.is_installed(number),
            number if self._is_channel(number) else -1,
            frozenset(self._facts.get(number, ())),
            frozenset(self._wanted_by[number]),
        )

    def _is_channel(self, number: int) -> bool:
        """Return whether *number* stands for a whole channel, one without an order."""
        return self._problem.facts(number) is None

    def _state(self, number: Any, key: FactKey) -> None:
        """Record a fact about a candidate."""
        # A mapping to None is a set in the order of the core, in which facts are reported.
        self._facts.setdefault(number, {})[key] = None

    def _want(self, numbers: Sequence[Any], key: RootKey | RequirementKey) -> None:
        """Record that the root or requirement *key* wants these candidates."""
        for number in numbers:
            self._wanted_by.setdefault(number, {})[key] = None

    def _add(self, position: int, constraint: Constraint) -> None:
        """Sort one constraint of the core into roots, requirements and facts about candidates."""
        match constraint:
            case Mandatory() | Dependency(subject=None):
                self.roots[RootKey(position)] = constraint
                self._want(constraint.candidates, RootKey(position))
            case Dependency(candidates=candidates):
                lacking = () if candidates else (constraint.origin.predicate,)
                self._require(constraint, candidates, missing=lacking, failing=lacking)
            case Formula():
                add = self._require_parts if isinstance(constraint.origin, Requirement) else self._keep_apart
                add(constraint)
            case Prohibited():
                self._prohibit(constraint.subject, constraint.origin)
            case Incompatible():
                operator: Any = constraint.other
                self._state(constraint.subject, ReplacesFact(operator, self._problem.candidate(operator).name))
                self._state(operator, ReplacedFact(operator))
                self.replacing.setdefault(operator, []).append(constraint.subject)  # type: ignore[arg-type]
            case AtMost():
                self._limit(constraint)
            case Exclusive() | Limit():
                raise AssertionError("a core names a group as a whole, as the limit above")
            case _:
                assert_never(constraint)

    def _prohibit(self, number: Any, origin: Any) -> None:
        """Record why nothing may select a candidate."""
        if isinstance(origin, IsDeprecated):
            self._state(number, DeprecatedFact())
        elif isinstance(origin, Fault):
            self.faults[number] = origin
            self._state(number, BrokenFact(origin.property, origin.reason))
        elif isinstance(origin, IsNotEligible):
            self._state(number, RefusedFact(str(origin)))
        else:
            self._state(number, ForbiddenFact(origin))

    def _limit(self, limit: AtMost) -> None:
        """Record the members of an at-most-one group, or what counts for a house rule on a sum."""
        if isinstance(limit.origin, Group):
            self.exclusive[limit.origin] = limit.identifiers  # type: ignore[assignment]
            for member in limit.identifiers:
                self._state(member, OnlyOneFact(limit.origin))
            return
        rule: TotalAtMost = limit.origin
        for number, amount in zip(limit.identifiers, limit.weights, strict=True):
            self._state(number, LimitedFact(rule, amount))
            self.limited.setdefault(rule, {})[number] = None  # type: ignore[index]

    def _keep_apart(self, constraint: Formula) -> None:
        """Record that a house rule keeps the subject of *constraint* apart from the candidates that it excludes."""
        rule: Never = constraint.origin
        excluded: list[Any] = list(ruled_out(constraint.tree))
        subject: Any = constraint.subject
        for fact, members in (
            (KeptApartFact(rule, named=True), [subject]),
            (KeptApartFact(rule, named=False), excluded),
        ):
            for number in members:
                self._state(number, fact)
                self.apart.setdefault(fact, {})[number] = None

    def _require_parts(self, formula: Formula) -> None:
        """Record a compound requirement of one bundle by the parts that are not met."""
        unmet = unmet_choices(formula.tree, self._opposed, formula.subject)
        self._require(
            formula,
            tuple(dict.fromkeys(number for choice in unmet for number in choice.candidates)),
            tuple(dict.fromkeys(ruled_out(formula.tree))),
            missing=tuple(choice.origin for choice in unmet if not choice.candidates),
            failing=unmet_parts(formula, self._opposed),
        )

    def _require(
        self,
        constraint: Dependency | Formula,
        candidates: tuple[Any, ...],
        excluded: tuple[Any, ...] = (),
        *,
        missing: tuple[Predicate, ...],
        failing: tuple[Predicate, ...],
    ) -> None:
        """Record a requirement of one bundle, or join it with the same requirement of others."""
        requirement = constraint.origin
        # By text: catalogs write one requirement in several ways, and people should read it once.
        key = RequirementKey(str(requirement.predicate), frozenset(candidates), frozenset(excluded))
        shared = self.requirements.get(key)
        if shared is None:
            shared = self.requirements[key] = SharedRequirement(
                requirement.predicate,
                [],
                candidates,
                excluded,
                missing,
                failing,
                hopeless=not candidates and not excluded,
            )
        subject: Any = constraint.subject
        shared.subjects.append((subject, requirement))
        self._state(subject, key)
        self._want(candidates, key)
        for number in excluded:
            self._state(number, ExcludedKey(key))
