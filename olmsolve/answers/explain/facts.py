"""A core taken apart: which choices it holds, what is said of each candidate, and which candidates fail alike.

Candidates fail alike, and are told as one, if they are of the same package, are wanted by the same choices, and the
core says the same of each of them: the same requirements (in words, with the same candidates), the same
at-most-one groups, and so on. Installed operators are never told together with bundles of catalogs. Of a candidate
that one fact alone rules out (deprecated, or requiring what nothing gives), the groups that it is in are not told.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, TypeAlias

import attrs

from olmsolve.catalog.index import Fault, Group
from olmsolve.classic import ClassicProblem, IsDeprecated
from olmsolve.solver import (
    AtMost,
    Branch,
    Choice,
    Constraint,
    Dependency,
    Every,
    Exclusion,
    FirstOf,
    Formula,
    Incompatible,
    Listed,
    Mandatory,
    Prohibited,
    Tree,
)

__all__ = ["CoreFacts", "Key", "SharedRequirement"]

Key: TypeAlias = tuple[Any, ...]
"""What makes two constraints the same fact; begins with the kind."""


@attrs.frozen
class SharedRequirement:
    """One requirement of one or several bundles: *subjects* have it, *candidates* could meet it.

    *excluded* are candidates of the core that it rules out, *missing* the parts that nothing can meet.
    """

    predicate: Any
    subjects: list[tuple[int, Any]]
    candidates: tuple[int, ...]
    excluded: tuple[int, ...]
    missing: tuple[Any, ...]
    hopeless: bool = False
    """Whether nothing at all could meet it."""


class CoreFacts:
    """See the module. CoreFacts and choices are in the order of the core."""

    def __init__(self, problem: ClassicProblem, core: Sequence[Constraint]) -> None:
        self._problem = problem
        self.roots: dict[Key, Constraint] = {}
        self.needs: dict[Key, SharedRequirement] = {}
        self.faults: dict[int, Fault] = {}
        self.exclusive: dict[Group, tuple[int, ...]] = {}
        self.replacing: dict[int, list[int]] = {}
        # Candidates that some constraint speaks against. Any other could be selected, so a choice that has one is met.
        self._opposed = {number for constraint in core for number in _opposed(constraint)}
        self._said: dict[int, dict[Key, None]] = {}
        self._wanted: dict[int, dict[Key, None]] = {}
        for position, constraint in enumerate(core):
            self._add(position, constraint)
        self._leave_out_what_cannot_compete()
        self._group_of = {number: self._fails_like(number) for number in self._wanted}
        self.groups: dict[Key, list[int]] = {}
        for number, group in self._group_of.items():
            self.groups.setdefault(group, []).append(number)

    def said(self, group: Key) -> tuple[Key, ...]:
        """What the core says of each member of *group*."""
        return tuple(self._said.get(self.groups[group][0], ()))

    def groups_of(self, numbers: Sequence[int]) -> tuple[Key, ...]:
        """The groups of those of *numbers* that are told, each once, in order."""
        return tuple(dict.fromkeys(self._group_of[number] for number in numbers if number in self._group_of))

    def _leave_out_what_cannot_compete(self) -> None:
        hopeless = {number for number, said in self._said.items() if any(self._suffices(key) for key in said)}
        # What only a part of a formula could take that is no reason is in no choice that is told.
        untold = hopeless | (self._said.keys() - self._wanted.keys())
        for name, members in self.exclusive.items():
            self.exclusive[name] = tuple(member for member in members if member not in untold)
            for member in untold.intersection(members):
                self._said[member].pop(("only", name))

    def _suffices(self, key: Key) -> bool:
        """Whether what *key* says rules a candidate out whatever else is selected."""
        if key[0] == "needs":
            needs = self.needs[key]
            return needs.hopeless
        return key[0] in {"broken", "deprecated", "refused"}

    def _fails_like(self, number: int) -> Key:
        problem = self._problem
        said = frozenset(self._said.get(number, ()))
        wanted = frozenset(self._wanted[number])
        broken = number if self._is_channel(number) else -1
        return problem.candidate(number).package, problem.is_installed(number), broken, said, wanted

    def _is_channel(self, number: int) -> bool:
        """Whether *number* stands for a whole channel, one without an order."""
        return self._problem.facts(number) is None

    def _say(self, number: Any, key: Key) -> None:
        self._said.setdefault(number, {})[key] = None

    def _want(self, numbers: Sequence[Any], key: Key) -> None:
        for number in numbers:
            self._wanted.setdefault(number, {})[key] = None

    def _add(self, position: int, constraint: Constraint) -> None:
        if isinstance(constraint, Mandatory):
            self.roots["root", position] = constraint
            self._want((constraint.subject,), ("root", position))
        elif isinstance(constraint, Dependency) and constraint.subject is None:
            self.roots["root", position] = constraint
            self._want(constraint.candidates, ("root", position))
        elif isinstance(constraint, Dependency | Formula):
            self._require(constraint)
        elif isinstance(constraint, Prohibited):
            number: Any = constraint.subject
            if isinstance(constraint.origin, IsDeprecated):
                self._say(number, ("deprecated",))
            elif isinstance(constraint.origin, Fault):
                self.faults[number] = constraint.origin
                self._say(number, ("broken", str(constraint.origin)))
            else:
                self._say(number, ("refused", str(constraint.origin)))
        elif isinstance(constraint, Incompatible):
            self._say(constraint.subject, ("replaces", constraint.other))
            self._say(constraint.other, ("replaced", constraint.other))
            other: Any = constraint.other
            self.replacing.setdefault(other, []).append(constraint.subject)  # type: ignore[arg-type]
        else:
            assert isinstance(constraint, AtMost)
            self.exclusive[constraint.origin] = constraint.identifiers  # type: ignore[assignment]
            for member in constraint.identifiers:
                self._say(member, ("only", constraint.origin))

    def _require(self, constraint: Dependency | Formula) -> None:
        requirement = constraint.origin
        candidates: Any
        excluded: tuple[Any, ...] = ()
        if isinstance(constraint, Dependency):
            candidates = constraint.candidates
            missing = () if candidates else (requirement.predicate,)
        else:
            tree = _failing(constraint.tree, self._opposed, constraint.subject)
            candidates = tuple(dict.fromkeys(number for choice in tree for number in choice.candidates))
            excluded = tuple(dict.fromkeys(_excluded(constraint.tree)))
            missing = tuple(choice.origin for choice in tree if not choice.candidates)
        key = "needs", str(requirement.predicate), frozenset(candidates), frozenset(excluded)
        known = self.needs.get(key)
        if known is None:
            known = self.needs[key] = SharedRequirement(
                requirement.predicate,
                [],
                candidates,
                excluded,
                missing,
                not candidates and not excluded,
            )
        subject: Any = constraint.subject
        known.subjects.append((subject, requirement))
        self._say(subject, key)
        self._want(candidates, key)
        for number in excluded:
            self._say(number, ("excluded", key))


def _opposed(constraint: Constraint) -> Iterator[Any]:
    if isinstance(constraint, AtMost):
        yield from constraint.identifiers
    elif isinstance(constraint, Incompatible):
        yield constraint.subject
        yield constraint.other
    elif not isinstance(constraint, Mandatory):
        yield constraint.subject
    if isinstance(constraint, Formula):
        yield from _excluded(constraint.tree)


def _failing(tree: Tree, opposed: Collection[Any], subject: Any) -> list[Choice]:
    """The choices that keep *tree* of *subject* from being met; none if nothing in it does but what it excludes.

    Parts of a conjunction that can be met, by *subject* itself for instance, are no reason. If one part cannot be met
    by anything at all, it is reason enough.
    """
    if isinstance(tree, Choice):
        met = subject in tree.candidates or any(number not in opposed for number in tree.candidates)
        return [] if met else [tree]
    if isinstance(tree, Every):
        parts = [_failing(part, opposed, subject) for part in tree.parts]
        hopeless = [part for part in parts if part and not any(choice.candidates for choice in part)]
        return hopeless[0] if hopeless else [choice for part in parts for choice in part]
    if isinstance(tree, FirstOf):
        return [choice for branch in tree.branches for choice in _failing(branch.tree, opposed, subject)]
    return []


def _excluded(tree: Tree | Branch) -> Iterator[Any]:
    if isinstance(tree, Branch):
        yield from _excluded(tree.tree)
    elif isinstance(tree, Exclusion):
        assert isinstance(tree.excluded, Listed)
        yield from tree.excluded.identifiers
    elif isinstance(tree, Every):
        for part in tree.parts:
            yield from _excluded(part)
    elif isinstance(tree, FirstOf):
        for branch in tree.branches:
            yield from _excluded(branch)
