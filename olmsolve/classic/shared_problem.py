"""The problems of several namespaces as one, in which each kind of API has at most one definition.

An identifier is a pair: the position of a namespace, and an identifier of its own problem. Definitions are identifiers
too, after the last namespace: a candidate needs the definitions that it gives, and of each kind one can be selected.
With two namespaces::

    (0, 12)                                          candidate 12 of the first namespace
    (2, ("example.com", "Ship", ("v1", "v2")))       the definition of example.com/Ship in v1 and v2

This takes one clause for each definition that a candidate gives, where forbidding pairs of candidates that contradict
each other would take the square of that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, Literal, TypeAlias

import olmsolve._attrs as attrs
from olmsolve._named_tuples import NamedTuple
from olmsolve.catalog.index import Group
from olmsolve.classic.problem import ClassicProblem
from olmsolve.solver import (
    AtMost,
    Constraint,
    Dependency,
    Excluded,
    Exclusive,
    GroupName,
    Identifier,
    Limit,
    Listed,
    Mandatory,
    Renaming,
    Root,
    Solution,
)


class _GroupInNamespace(NamedTuple):
    """A :class:`Group` of one namespace's own problem, with the namespace's position as text, such as ``"0:"``.

    Groups are ordered by name: as text a position can be compared with the ``"definition"`` of the other groups.
    """

    position: str
    kind: Literal["api", "package"]
    name: str


def _namespace_group(position: int, group: GroupName) -> _GroupInNamespace:
    assert isinstance(group, Group)
    return _GroupInNamespace(f"{position}:", group.kind, group.name)


_Key: TypeAlias = tuple[str, str, tuple[str, ...]]


@attrs.frozen
class Definition:
    """A definition of the *api* ``group/Kind``: by the versions provided, or by the package and version of a bundle."""

    api: str
    parts: tuple[str, ...]
    by_bundle: bool

    def __str__(self) -> str:
        return f"as {' '.join(self.parts)} does" if self.by_bundle else f"in {', '.join(self.parts)}"


@attrs.frozen
class Defines:
    """The origin of the dependency of a candidate on a definition that it gives."""

    definition: Definition


class SharedProblem:
    """A lazy :class:`~olmsolve.solver.Problem` over *problems*, one for each namespace.

    Two bundles give the same definition if they provide the same versions of the kind or, *by_bundle*, if they are the
    same version of the same package.
    """

    def __init__(self, problems: Sequence[ClassicProblem], *, by_bundle: bool) -> None:
        self.problems: tuple[ClassicProblem, ...] = tuple(problems)
        self._by_bundle = by_bundle
        self._names = list(map(_names_in, range(len(self.problems))))
        self._roots = [
            self._root(position, root) for position, problem in enumerate(self.problems) for root in problem.roots
        ]

    @property
    def roots(self) -> Sequence[Root]:
        """The roots of the namespaces' own problems, one namespace after another."""
        return self._roots

    def constraints(self, identifier: Identifier) -> Sequence[Constraint]:
        position, inner = _split(identifier)
        if position == len(self.problems):
            return (Exclusive(identifier, (("definition", inner[0], inner[1]),)),)
        names = self._names[position]
        renamed = [constraint.renamed(names) for constraint in self.problems[position].constraints(inner)]
        for key in self._defined(position, inner):
            definition = self.definition(key)
            assert definition is not None
            renamed.append(Dependency(identifier, (key,), Defines(definition)))
        return renamed

    def block(self, identifier: Identifier) -> str:
        position, inner = _split(identifier)
        if position == len(self.problems):
            return f"definition {inner[0]}/{inner[1]}"
        return f"{position} {self.problems[position].block(inner)}"

    def definition(self, identifier: Identifier) -> Definition | None:
        """Return the definition that *identifier* stands for; None for a candidate."""
        position, inner = _split(identifier)
        if position != len(self.problems):
            return None
        group, kind, parts = inner
        return Definition(f"{group}/{kind}", parts, self._by_bundle)

    def part(self, solution: Solution, position: int) -> Solution:
        """Return what *solution* selects in the namespace at *position*, as a solution of its own problem."""
        choices = []
        for choice in solution.choices:
            namespace, inner = _split(choice.identifier)
            if namespace == position:
                subject = None if choice.subject is None else _split(choice.subject)[1]
                choices.append(choice._replace(identifier=inner, subject=subject))
        selected = [_split(identifier) for identifier in solution.selected]
        return Solution(tuple(inner for namespace, inner in selected if namespace == position), tuple(choices))

    def in_namespace(self, constraint: Constraint) -> tuple[int, Constraint]:
        """Return a constraint of a core as its namespace's own problem has it, with the namespace's position.

        The candidate of a dependency on a definition, which that problem does not have, stands for nothing there.
        """
        if isinstance(constraint, Dependency) and constraint.subject is None:
            return self._root_in_namespace(constraint)
        position = _split(next(constraint.mentions()))[0]
        inner = constraint.renamed(_OWN_NAMES)
        # The origin of another limit is a house rule, which is the same in both problems.
        if isinstance(inner, AtMost) and isinstance(inner.origin, _GroupInNamespace):
            inner = attrs.evolve(inner, origin=_own_group(inner.origin))
        return position, inner

    def opposed_in(self, position: int, opposed: Iterable[Identifier]) -> frozenset[Any]:
        """Return the *opposed* candidates of the namespace at *position*, as its own problem has them."""
        return frozenset(
            identifier[1] for identifier in opposed if isinstance(identifier, tuple) and identifier[0] == position
        )

    def _root_in_namespace(self, constraint: Dependency) -> tuple[int, Constraint]:
        number = next(number for number, root in enumerate(self._roots) if root is constraint)
        for position, problem in enumerate(self.problems):
            if number < len(problem.roots):
                return position, problem.roots[number]
            number -= len(problem.roots)
        raise LookupError("this is not a root of the problem")

    # -- the constraints of a namespace's problem, with the identifiers of this one

    def _root(self, position: int, root: Root) -> Root:
        shared = root.renamed(self._names[position])
        assert isinstance(shared, Mandatory | Dependency | Limit)
        return shared

    def _defined(self, position: int, inner: Any) -> list[tuple[int, _Key]]:
        """Return the definitions that a candidate gives, as identifiers, by group and kind."""
        problem = self.problems[position]
        facts = problem.facts(inner)
        if facts is None or not facts.gvks:
            return []
        versions: dict[tuple[str, str], set[str]] = {}
        for gvk in facts.gvks:
            versions.setdefault((gvk.group, gvk.kind), set()).add(gvk.version)
        bundle: tuple[str, ...] = ()
        if self._by_bundle:
            candidate = problem.candidate(inner)
            bundle = (candidate.package, candidate.version)
        return [
            (len(self.problems), (group, kind, bundle or tuple(sorted(numbers))))
            for (group, kind), numbers in sorted(versions.items())
        ]


def _split(identifier: Identifier) -> tuple[int, Any]:
    assert isinstance(identifier, tuple)
    position, inner = identifier
    return position, inner


@attrs.frozen
class _ExcludedInNamespace:
    """The candidates of the namespace at *position* that are in *inner*, which its own exclusion rules out."""

    position: int
    inner: Any

    def __contains__(self, identifier: object) -> bool:
        if not isinstance(identifier, tuple) or identifier[0] != self.position:
            return False
        return identifier[1] in self.inner

    def __bool__(self) -> bool:
        return bool(self.inner)


def _names_in(position: int) -> Renaming:
    """Return the renaming of a namespace's own problem to its part of the shared one."""
    return Renaming(
        lambda identifier: (position, identifier),
        lambda group: _namespace_group(position, group),
        lambda excluded: _ExcludedInNamespace(position, excluded),
    )


def _own_group(group: GroupName) -> Group:
    assert isinstance(group, _GroupInNamespace)
    return Group(group.kind, group.name)


def _own_excluded(excluded: Excluded) -> Excluded:
    assert isinstance(excluded, Listed), "a core lists what its formulas exclude"
    return Listed(tuple(_split(identifier)[1] for identifier in excluded.identifiers))


_OWN_NAMES: Final = Renaming(lambda identifier: _split(identifier)[1], _own_group, _own_excluded)
"""What the names here are in the namespace's own problem."""
