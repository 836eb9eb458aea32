"""Many independent cores: found part by part in the order of the whole, and with few questions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from olmsolve.solver import (
    AtMost,
    Branch,
    Budget,
    Choice,
    Constraint,
    Core,
    Dependency,
    Every,
    Excluded,
    Exclusion,
    Exclusive,
    FirstOf,
    Formula,
    Identifier,
    Incompatible,
    Listed,
    Mandatory,
    NumberedRoot,
    Prohibited,
    Renaming,
    Solution,
    Variables,
    independent_parts,
    rank_among_parts,
    solve,
)
from tests.scale import scaled
from tests.solver.problems import problems


def listed(excluded: Excluded, to: Callable[[object], str]) -> Listed:
    assert isinstance(excluded, Listed)
    return Listed(tuple(map(to, excluded.identifiers)))


@st.composite
def mixtures(draw: st.DrawFn, formulas: bool = False) -> Variables:
    """Several problems that share nothing, with their roots in any order."""
    variables: list[tuple[Identifier, list[Constraint]]] = []
    for position, problem in enumerate(draw(st.lists(problems(formulas=formulas), min_size=2, max_size=3))):

        def to(name: object, position: int = position) -> str:
            return f"{name}{position}"

        names = Renaming(to, to, partial(listed, to=to))
        variables += [
            (to(name), [constraint.renamed(names) for constraint in own]) for name, own in problem.variables.items()
        ]
    return Variables(dict(draw(st.permutations(variables))))


class Rest:
    """A problem with some of its roots."""

    def __init__(self, problem: Variables, roots: Sequence[NumberedRoot]) -> None:
        self.constraints = problem.constraints
        self.block = problem.block
        self.roots = [root for _, root in roots]


def without(roots: Sequence[NumberedRoot], core: Core) -> list[NumberedRoot]:
    return [root for root in roots if not any(root[1] is constraint for constraint in core.constraints)]


def cores_of_the_whole(problem: Variables) -> list[Core]:
    """The cores by their definition: each is the preferred one of all roots that are left."""
    cores: list[Core] = []
    roots: list[NumberedRoot] = list(enumerate(problem.roots))
    while isinstance(core := solve(Rest(problem, roots)), Core):
        cores.append(core)
        roots = without(roots, core)
    return cores


def cores_of_parts(problem: Variables) -> list[Core]:
    """The cores of each part by itself, the one with the least rank first."""
    chosen: list[Core] = []
    parts = independent_parts(problem, list(enumerate(problem.roots)))
    while True:
        cores = [(part, core) for part in parts if isinstance(core := solve(Rest(problem, part)), Core)]
        if not cores:
            return chosen
        part, core = min(cores, key=lambda pair: rank_among_parts(problem, *pair))
        chosen.append(core)
        parts[parts.index(part)] = without(part, core)


@given(mixtures())
@settings(max_examples=scaled(60), deadline=None)
def test_parts_have_the_cores_of_the_whole(problem: Variables) -> None:
    """Splitting a problem may save time, but neither lose a conflict nor change the order in which people read them."""
    assert cores_of_parts(problem) == cores_of_the_whole(problem)


@given(mixtures(formulas=True))
@settings(max_examples=scaled(40), deadline=None)
def test_parts_have_the_solutions_of_the_whole(problem: Variables) -> None:
    """Parts share nothing, compound requirements included: the whole has a solution if each part has one."""
    parts = independent_parts(problem, list(enumerate(problem.roots)))
    assert sorted(position for part in parts for position, _ in part) == list(range(len(problem.roots)))
    alone = [isinstance(solve(Rest(problem, part)), Solution) for part in parts]
    assert all(alone) == isinstance(solve(problem), Solution)


def test_parts_are_as_small_as_they_can_be() -> None:
    """Problems that share nothing by their making are told apart, or splitting would save nothing."""
    names = [f"{letter}{number}" for number in range(5) for letter in "ab"]
    problem = Variables({name: [Mandatory(name), Exclusive(name, (name[1],))] for name in names})
    parts = independent_parts(problem, list(enumerate(problem.roots)))
    assert [[position for position, _ in part] for part in parts] == [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9]]


class Lettered(Variables):
    """A problem whose blocks are the first letters of its identifiers."""

    def block(self, identifier: Identifier) -> str:
        return str(identifier)[0]


def test_what_joins_parts() -> None:
    """A block, a group, an exclusion, an incompatible candidate, a limit: each joins what it is about, and no more."""
    branches = (Branch(Choice(("c2",))), Branch(Exclusion(Listed(("d1",)))))
    variables: dict[Identifier, Sequence[Constraint]] = {
        "a1": [Mandatory("a1")],
        "b1": [Mandatory("b1"), Exclusive("b1", ("g",))],
        "c1": [Mandatory("c1"), Formula("c1", Every((FirstOf(branches), Exclusion(Listed(("e1", "z"))))))],
        "c2": [],
        "d1": [Mandatory("d1")],
        "e1": [Mandatory("e1")],
        "f1": [Mandatory("f1"), Exclusive("f1", ("g",)), Incompatible("f1", "h1")],
        "h1": [Mandatory("h1")],
        "a2": [Mandatory("a2")],
        "i1": [Mandatory("i1")],
        "k1": [Mandatory("k1")],
        "limit": [AtMost(2, ("i1", "k1", "l1"))],
        "l1": [],
    }
    problem = Lettered(variables)
    roots = list(enumerate(problem.roots))
    positions = [[position for position, _ in part] for part in independent_parts(problem, roots)]
    assert positions == [[0, 7], [1, 5, 6], [2, 3, 4], [8, 9, 10]]


@pytest.mark.parametrize(("tests", "parts"), [(200_000, 200), (200_200, 1)])
def test_too_many_exclusions_make_one_part(tests: int, parts: int) -> None:
    """Each exclusion is a test of all identifiers: beyond 200,000 that takes longer than all parts together.

    There are 200 bundles, of which each has as many exclusions as that takes, about nothing that is there.
    """
    rule = Every((Exclusion(Listed(("nothing",))),) * (tests // 200 // 200))
    more = Every((*rule.parts, *(Exclusion(Listed(("nothing",))),) * (tests // 200 % 200)))
    names = [f"v{number}" for number in range(200)]
    problem = Variables({name: [Mandatory(name), Formula(name, rule if name != "v0" else more)] for name in names})
    assert len(independent_parts(problem, list(enumerate(problem.roots)))) == parts


def test_ranks_are_found_however_many_ways_lead_there() -> None:
    """Each level doubles the ways; a walk that went them all would never end."""
    variables: dict[Identifier, Sequence[Constraint]] = {"0a": [Mandatory("0a")], "0b": [Mandatory("0b")]}
    for level in range(60):
        for letter in "ab":
            name = f"{level}{letter}"
            own = [Dependency(name, (f"{level + 1}a",)), Dependency(name, (f"{level + 1}b",))]
            variables[name] = [*variables.get(name, ()), *own]
    variables |= {"60a": [], "60b": [Prohibited("60b")]}
    problem = Variables(variables)
    roots = list(enumerate(problem.roots))
    banned, need = Prohibited("60b"), Dependency("59a", ("60b",))
    # A core ends with its last constraint: a root as given, a block as a walk meets it, a group by its name.
    ends = [problem.roots[0], problem.roots[1], need, banned, AtMost(1, ("x",), "g"), AtMost(1, ("x",), "h")]
    ranks = [rank_among_parts(problem, roots, Core((banned, end))) for end in ends]
    assert all(before < after for before, after in pairwise(ranks))


class Counting(Budget):
    """A budget that counts how often it is looked at: once for each question about a core, at least."""

    __slots__ = ("looks",)

    def __init__(self) -> None:
        super().__init__()
        self.looks = 0

    def check(self) -> None:
        self.looks += 1


def lacking(number: int) -> dict[Identifier, list[Constraint]]:
    """A root that nothing can serve, because its only candidate lacks something."""
    return {f"r{number:04}": [Dependency(None, (f"a{number:04}",))], f"a{number:04}": [Dependency(f"a{number:04}", ())]}


def rivals(number: int) -> dict[Identifier, list[Constraint]]:
    """Two roots that exclude each other by a group."""
    names = [f"{letter}{number:04}" for letter in "ab"]
    return {name: [Mandatory(name), Exclusive(name, (f"g{number:04}",))] for name in names}


@pytest.mark.parametrize("independent", [lacking, rivals])
def test_questions_do_not_grow_with_the_number_of_cores(
    independent: Callable[[int], dict[Identifier, list[Constraint]]],
) -> None:
    """A question for each of a thousand failing subscriptions makes the answer take minutes."""
    looks: list[int] = []
    for count in (20, 160):
        problem = Variables({name: own for number in range(count) for name, own in independent(number).items()})
        budget = Counting()
        core = solve(problem, budget=budget)
        assert isinstance(core, Core)
        assert len(core.constraints) <= 3
        looks.append(budget.looks)
    assert looks[1] < 2 * looks[0]
