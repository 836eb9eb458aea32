"""Kinds of constraints from outside the solver: "at least k of", a formula, and "from k publishers at most", a limit.

Everything that the solver must know of a kind is here, in this one file, and nothing is in any engine. A formula states
its tree and its words. No formula says "from 2 publishers at most" in a few parts, so that kind is a limit: it states
what leaves no room for what, its clauses, its copy under other names, and its words.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Collection, Sequence
from typing import Any

import attrs
import pytest

from olmsolve.solver import (
    Choice,
    ClauseWriter,
    Constraint,
    Core,
    Dependency,
    Every,
    Exclusive,
    Formula,
    Identifier,
    Incompatible,
    Limit,
    Mandatory,
    Prohibited,
    Renaming,
    Solution,
    Variables,
    solve,
)
from olmsolve.solver.clauses import CNF


class AtLeast(Formula):
    """Selecting *subject* takes *least* of *identifiers*, the most wanted first.

    Of any 3 out of 4, one is selected: that says "at least 2 of 4", and each of these choices takes the most wanted
    candidate that can be. So the tree needs no branches, and n over k choices.
    """

    @classmethod
    def of(cls, subject: Identifier, least: int, identifiers: Sequence[Identifier], origin: Any = None) -> AtLeast:
        """Return the constraint for *subject*."""
        choices = itertools.combinations(identifiers, len(identifiers) - least + 1)
        return cls(subject, Every(tuple(Choice(choice, origin) for choice in choices)), (least, tuple(identifiers)))

    def __str__(self) -> str:
        least, identifiers = self.origin
        return f"{self.subject} requires at least {least} of {', '.join(map(str, identifiers))}"


@attrs.frozen
class FewPublishers(Limit):
    """Of *identifiers*, those of *most* publishers may be selected; *publishers* has the publisher of each."""

    most: int
    identifiers: tuple[Identifier, ...]
    publishers: tuple[str, ...]
    origin: Any = attrs.field(default=None, eq=False)

    def __str__(self) -> str:
        return f"{', '.join(map(str, self.identifiers))} are from {self.most} publishers at most"

    def crowd(self, identifier: Identifier, selected: Collection[Identifier]) -> list[Identifier] | None:
        publisher_of = dict(zip(self.identifiers, self.publishers, strict=True))
        if identifier not in publisher_of:
            return None
        firsts = {publisher_of[other]: other for other in selected if other in publisher_of}
        firsts.pop(publisher_of[identifier], None)
        return list(firsts.values())[: self.most] if len(firsts) >= self.most else None

    def add_clauses(self, writer: ClauseWriter, unless: tuple[int, ...]) -> None:
        variables = list(map(writer.variable, self.identifiers))
        helpers: list[int] = []
        for publisher in dict.fromkeys(self.publishers):
            pairs = zip(variables, self.publishers, strict=True)
            members = [variable for variable, other in pairs if other == publisher]
            helpers.append(writer.helper_of(self, tuple((member,) for member in members)))
            for member in members:
                writer.add_clause([*unless, -member, helpers[-1]])
        for excess in itertools.combinations(helpers, self.most + 1):
            writer.add_clause([*unless, *(-helper for helper in excess)])

    def renamed(self, names: Renaming) -> FewPublishers:
        return attrs.evolve(self, identifiers=tuple(map(names.identifier, self.identifiers)))


def _problem(chance: random.Random) -> Variables:
    """Return a problem with two subjects that each want several of six candidates, which exclude some others."""
    names = "cdefgh"
    variables: dict[Identifier, list[Constraint]] = {}
    for subject in "ab":
        wanted = chance.sample(names, chance.randint(2, 5))
        least = AtLeast.of(subject, chance.randint(1, len(wanted)), wanted)
        variables[subject] = [Mandatory(subject), least]
    for name in names:
        variables[name] = []
        match chance.randrange(4):
            case 0:
                variables[name].append(Prohibited(name))
            case 1:
                variables[name].append(Exclusive(name, ("group",)))
            case 2:
                variables[name].append(Incompatible(name, chance.choice(names.replace(name, ""))))
            case _:
                pass
    return Variables(variables)


def _allows(constraints: Sequence[Constraint], selected: frozenset[Identifier]) -> bool:
    holders = [c.subject for c in constraints if isinstance(c, Exclusive) and c.subject in selected]
    for constraint in constraints:
        if isinstance(constraint, AtLeast):
            least, identifiers = constraint.origin
            if constraint.subject in selected and len(selected.intersection(identifiers)) < least:
                return False
        elif isinstance(constraint, FewPublishers):
            if not _few(constraint, selected):
                return False
        elif constraint.broken_by(selected):
            return False
    return len(holders) < 2


def _published_problem(chance: random.Random) -> Variables:
    """Return a problem with three choices among six candidates of four publishers, of which few may be selected."""
    names = "cdefgh"
    publishers = tuple(chance.choice("qrst") for _ in names)
    variables: dict[Identifier, list[Constraint]] = {name: [] for name in names}
    for name in names:
        match chance.randrange(5):
            case 0:
                variables[name].append(Prohibited(name))
            case 1:
                variables[name].append(Exclusive(name, ("group",)))
            case 2 | 3:
                wanted = tuple(chance.sample(names.replace(name, ""), chance.randint(1, 2)))
                variables[name].append(Dependency(name, wanted))
            case _:
                pass
    choices = [Dependency(None, tuple(chance.sample(names, chance.randint(1, 3)))) for _ in range(3)]
    return Variables({"roots": [*choices, FewPublishers(chance.randint(1, 2), tuple(names), publishers)], **variables})


def _few(constraint: FewPublishers, selected: frozenset[Identifier]) -> bool:
    """Return whether *selected* are of few enough publishers, which are counted here and not by the kind."""
    pairs = zip(constraint.identifiers, constraint.publishers, strict=True)
    return len({publisher for identifier, publisher in pairs if identifier in selected}) <= constraint.most


@pytest.mark.parametrize("backend", ["deciding", "minisat22", "python"])
@pytest.mark.parametrize(("kind", "make"), [(AtLeast, _problem), (FewPublishers, _published_problem)])
def test_every_engine_serves_a_kind_that_it_does_not_know(
    kind: type[Constraint], make: Callable[[random.Random], Variables], backend: str
) -> None:
    """There is a solution exactly where brute force has one, and a core names the kind itself and nothing spare."""
    outcomes = {Solution: 0, Core: 0}
    blamed = 0
    for seed in range(150):
        problem = make(random.Random(seed))
        every = list(itertools.chain.from_iterable(problem.variables.values()))
        selections = [frozenset(c) for n in range(9) for c in itertools.combinations(problem.variables, n)]
        answer = solve(problem, backend=backend)
        outcomes[type(answer)] += 1
        if isinstance(answer, Solution):
            assert _allows(every, frozenset(answer.selected))
            assert CNF(problem).first_broken(set(answer.selected)) is None
        else:
            assert not any(_allows(every, selected) for selected in selections)
            core = answer.constraints
            blamed += any(isinstance(constraint, kind) for constraint in core)
            for left_out in core:
                others = [constraint for constraint in core if constraint is not left_out]
                assert any(_allows(others, selected) for selected in selections if _one_of_each(others, selected))
    assert min(outcomes.values()) > 20
    assert blamed == outcomes[Core] if kind is AtLeast else blamed > 15


def _one_of_each(core: Sequence[Constraint], selected: frozenset[Identifier]) -> bool:
    """Return True unless a group of *core*, an "at most", is broken."""
    return not any(constraint.broken_by(selected) for constraint in core)


def test_the_most_wanted_that_can_be_are_selected_and_a_core_says_the_kinds_own_words() -> None:
    """Two of c, d, e: d cannot be, so it is c and e; without e as well, the core reads as the kind prints itself."""
    least = AtLeast.of("a", 2, ("c", "d", "e"))
    variables: dict[Identifier, list[Constraint]] = {"a": [Mandatory("a"), least], "c": [], "d": [Prohibited("d")]}
    solution = solve(Variables({**variables, "e": []}))
    assert isinstance(solution, Solution)
    assert solution.selected == ("a", "c", "e")
    core = solve(Variables({**variables, "e": [Prohibited("e")]}))
    assert isinstance(core, Core)
    assert [str(constraint) for constraint in core.constraints] == [
        "a is mandatory",
        "a requires at least 2 of c, d, e",
        "d is prohibited",
        "e is prohibited",
    ]


def test_a_limit_reads_as_it_prints_itself_and_can_be_renamed() -> None:
    """The two only candidates are of two publishers; a selection breaks the limit until one of them goes."""
    limit = FewPublishers(1, ("a", "b"), ("q", "r"))
    core = solve(Variables({"a": [Mandatory("a")], "b": [Mandatory("b"), limit]}))
    assert isinstance(core, Core)
    assert [str(constraint) for constraint in core.constraints] == [
        "a is mandatory",
        "b is mandatory",
        "a, b are from 1 publishers at most",
    ]
    assert [limit.broken_by(set(names)) for names in ("", "a", "b", "ab")] == [False, False, False, True]
    assert limit.relieved_by({"a", "b"}) == ["a", "b"]
    names = Renaming(lambda name: f"{name}2", lambda group: group, lambda excluded: excluded)
    assert limit.renamed(names) == FewPublishers(1, ("a2", "b2"), ("q", "r"))
