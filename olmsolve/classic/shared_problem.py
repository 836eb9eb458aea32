"""The problems of several namespaces as one, in which a kind of API has at most one definition.

An identifier is the place of a namespace and an identifier of its own problem; a definition is one as well, which
every candidate that gives it needs, and of which at most one is selected for each kind. So the clauses are as many as
candidates give definitions, and not as many as pairs of these contradict each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import attrs

from olmsolve.catalog.index import Group
from olmsolve.classic.problem import ClassicProblem
from olmsolve.solver import (
    AtMost,
    Branch,
    Choice,
    Constraint,
    Dependency,
    Every,
    Exclusion,
    Exclusive,
    FirstOf,
    Formula,
    GroupName,
    Identifier,
    Incompatible,
    Mandatory,
    Prohibited,
    Root,
    Solution,
    Tree,
)

__all__ = ["Defines", "Definition", "SharedProblem"]


class _GroupInNamespace(NamedTuple):
    """A :class:`Group` of one namespace's own problem; the namespace's *place* comes first in the order of groups.

    It is text, ``"0:"``: so groups sort among each other, and before ``("definition", ...)``.
    """

    place: str
    kind: Literal["api", "package"]
    name: str


def _in_namespace(place: int, group: GroupName) -> _GroupInNamespace:
    assert isinstance(group, Group)
    return _GroupInNamespace(f"{place}:", group.kind, group.name)


_Key: TypeAlias = tuple[str, str, tuple[str, ...]]


@attrs.frozen
class Definition:
    """What a bundle means by the *api* ``group/Kind``; *told* says it in words."""

    api: str
    told: str


@attrs.frozen
class Defines:
    """The origin of the dependency of a candidate on a definition that it gives."""

    definition: Definition


class SharedProblem:
    """A lazy :class:`~olmsolve.solver.Problem` over *problems*, one for each namespace.

    A definition is told by the versions of the kind that a bundle provides or, *by_bundle*, by its package and version.
    """

    def __init__(self, problems: Sequence[ClassicProblem], *, by_bundle: bool) -> None:
        self.problems = tuple(problems)
        self._by_bundle = by_bundle
        self._roots = [self._root(place, root) for place, each in enumerate(self.problems) for root in each.roots]

    @property
    def roots(self) -> Sequence[Root]:
        """Those of the namespaces, one after another."""
        return self._roots

    def constraints(self, identifier: Identifier) -> Sequence[Constraint]:
        place, inner = _split(identifier)
        if place == len(self.problems):
            return (Exclusive(identifier, (("definition", f"{inner[0]}/{inner[1]}"),)),)
        found = [self._wrapped(place, each) for each in self.problems[place].constraints(inner)]
        for key in self._defined(place, inner):
            definition = self.definition(key)
            assert definition is not None
            found.append(Dependency(identifier, (key,), Defines(definition)))
        return found

    def block(self, identifier: Identifier) -> str:
        place, inner = _split(identifier)
        if place == len(self.problems):
            return f"definition {inner[0]}/{inner[1]}"
        return f"{place} {self.problems[place].block(inner)}"

    def definition(self, identifier: Identifier) -> Definition | None:
        """The definition that *identifier* is, None where it is a candidate."""
        place, inner = _split(identifier)
        if place != len(self.problems):
            return None
        group, kind, told = inner
        return Definition(
            f"{group}/{kind}", f"as {' '.join(told)} does" if self._by_bundle else f"in {', '.join(told)}"
        )

    def part(self, solution: Solution, place: int) -> Solution:
        """What *solution* selects in the namespace at *place*, as a solution of its own problem."""
        choices = []
        for each in solution.choices:
            where, inner = _split(each.identifier)
            if where == place:
                subject = None if each.subject is None else _split(each.subject)[1]
                choices.append(each._replace(identifier=inner, subject=subject))
        selected = [_split(each) for each in solution.selected]
        return Solution(tuple(inner for where, inner in selected if where == place), tuple(choices))

    def unwrapped(self, constraint: Constraint) -> tuple[int, Constraint]:
        """The namespace's place and its own form of a *constraint* of a core; one of a definition keeps that."""
        if isinstance(constraint, AtMost):
            place = _split(constraint.identifiers[0])[0]
            members = tuple(_split(each)[1] for each in constraint.identifiers)
            group: _GroupInNamespace = constraint.origin
            return place, attrs.evolve(constraint, identifiers=members, origin=Group(group.kind, group.name))
        if isinstance(constraint, Dependency) and constraint.subject is None:
            return self._unwrapped_root(constraint)
        assert not isinstance(constraint, Exclusive)
        place, inner = _split(constraint.subject)
        if isinstance(constraint, Dependency):
            if isinstance(constraint.origin, Defines):
                return place, attrs.evolve(constraint, subject=inner)
            members = tuple(_split(each)[1] for each in constraint.candidates)
            return place, attrs.evolve(constraint, subject=inner, candidates=members)
        if isinstance(constraint, Incompatible):
            return place, attrs.evolve(constraint, subject=inner, other=_split(constraint.other)[1])
        if isinstance(constraint, Formula):
            own = next(
                each
                for each in self.problems[place].constraints(inner)
                if isinstance(each, Formula) and each.origin is constraint.origin
            )
            return place, own
        return place, attrs.evolve(constraint, subject=inner)

    def _unwrapped_root(self, constraint: Dependency) -> tuple[int, Constraint]:
        position = next(position for position, root in enumerate(self._roots) if root is constraint)
        for place, problem in enumerate(self.problems):
            if position < len(problem.roots):
                return place, problem.roots[position]
            position -= len(problem.roots)
        raise LookupError("this is no root of the problem")

    # -- the constraints of a namespace's problem, with the identifiers of this one

    def _root(self, place: int, root: Root) -> Root:
        wrapped = self._wrapped(place, root)
        assert isinstance(wrapped, Mandatory | Dependency | AtMost)
        return wrapped

    def _wrapped(self, place: int, constraint: Constraint) -> Constraint:
        if isinstance(constraint, Dependency):
            return Dependency(
                None if constraint.subject is None else (place, constraint.subject),
                tuple((place, each) for each in constraint.candidates),
                constraint.origin,
                None if constraint.group is None else _in_namespace(place, constraint.group),
            )
        if isinstance(constraint, Exclusive):
            return Exclusive(
                (place, constraint.subject), tuple(_in_namespace(place, each) for each in constraint.groups)
            )
        if isinstance(constraint, Incompatible):
            return Incompatible((place, constraint.subject), (place, constraint.other), constraint.origin)
        if isinstance(constraint, Formula):
            return Formula((place, constraint.subject), _tree(place, constraint.tree), constraint.origin)
        assert isinstance(constraint, Mandatory | Prohibited)
        return attrs.evolve(constraint, subject=(place, constraint.subject))

    def _defined(self, place: int, inner: Any) -> list[tuple[int, _Key]]:
        """The definitions that a candidate gives, by group and kind."""
        problem = self.problems[place]
        facts = problem.facts(inner)
        if facts is None or not facts.gvks:
            return []
        versions: dict[tuple[str, str], set[str]] = {}
        for gvk in facts.gvks:
            versions.setdefault((gvk.group, gvk.kind), set()).add(gvk.version)
        who: tuple[str, ...] = ()
        if self._by_bundle:
            candidate = problem.candidate(inner)
            who = (candidate.package, candidate.version)
        return [
            (len(self.problems), (group, kind, who or tuple(sorted(found))))
            for (group, kind), found in sorted(versions.items())
        ]


def _split(identifier: Identifier) -> tuple[int, Any]:
    assert isinstance(identifier, tuple)
    place, inner = identifier
    return place, inner


@attrs.frozen
class _Excluded:
    """What an exclusion of the namespace at *place* rules out, known by membership."""

    place: int
    inner: Any

    def __contains__(self, identifier: object) -> bool:
        if not isinstance(identifier, tuple) or identifier[0] != self.place:
            return False
        return identifier[1] in self.inner

    def __bool__(self) -> bool:
        return bool(self.inner)


def _tree(place: int, tree: Tree) -> Tree:
    if isinstance(tree, Choice):
        return Choice(tuple((place, each) for each in tree.candidates), tree.origin)
    if isinstance(tree, Exclusion):
        return Exclusion(_Excluded(place, tree.excluded), tree.origin)
    if isinstance(tree, Every):
        return Every(tuple(_tree(place, part) for part in tree.parts))
    assert isinstance(tree, FirstOf)
    return FirstOf(tuple(Branch(_tree(place, branch.tree)) for branch in tree.branches))
