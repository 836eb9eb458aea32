"""Walks over a problem: blocks in the order of meeting, and each list and each family read once.

No name of the door walks by families: only the ranks in a core show such a walk, and no core shows its reads. So two
tests look behind the door.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import ClassVar

from olmsolve.solver import (
    Constraint,
    Dependency,
    GroupName,
    Identifier,
    MaskedNeeds,
    Variables,
    reachable,
)
from olmsolve.solver.problem import walk_in_steps
from tests.scale import scaled
from tests.solver.test_families import Packages, packages


class InBlocks(Packages):
    """Packages as catalogs have them: all bundles of a package are one block."""

    def block(self, identifier: Identifier) -> str:
        group = self.family_of(identifier)
        return str(identifier) if group is None else str(group[0])

    def block_of(self, group: GroupName) -> str | None:
        return str(group)


class NamedByFamily(InBlocks):
    """The same, with blocks for identifiers outside of families alone: a walk asks for those of a family at once."""

    def block(self, identifier: Identifier) -> str:
        assert self.family_of(identifier) is None
        return str(identifier)


def test_blocks_of_packages_come_in_the_order_of_the_walk() -> None:
    """A core is preferred by the ranks of its blocks, so families must not change them."""
    for seed in range(scaled(400)):
        drawn = packages(random.Random(f"blocks {seed}"), 5, 6)
        # Other packages have a block for each bundle.
        problem = (InBlocks if seed % 3 else Packages)(drawn.variables, drawn.packages, drawn.masked)
        plain: dict[str, int] = {}
        masked: dict[str, int] = {}
        visited = [identifier for step in walk_in_steps(problem, plain) for identifier in step]
        assert [identifier for step in walk_in_steps(problem, masked, problem) for identifier in step] == visited, seed
        assert list(masked.items()) == list(plain.items()), seed
        named: dict[str, int] = {}
        whole = (NamedByFamily if seed % 3 else Packages)(drawn.variables, drawn.packages, drawn.masked)
        assert [identifier for step in walk_in_steps(whole, named, whole) for identifier in step] == visited, seed
        assert list(named.items()) == list(plain.items()), seed
        assert list(plain.values()) == list(range(len(plain))), seed
        assert visited == [identifier for identifier, _ in reachable(problem)], seed


class AtOnce(InBlocks):
    """Packages whose view says in one call what a step newly reaches; it counts calls, and members read alone."""

    reads: ClassVar[Counter[str]] = Counter()

    def masked_needs(self, identifier: Identifier) -> MaskedNeeds | None:
        self.reads["needs of one"] += 1
        return super().masked_needs(identifier)

    def newly_needed(
        self, group: GroupName, mask: int, reached: dict[GroupName, int]
    ) -> tuple[list[tuple[GroupName, int]], int | None] | None:
        self.reads["needs of all"] += 1
        added: list[tuple[GroupName, int]] = []
        for number, member in enumerate(self.packages[group]):
            if mask & 2 << number:
                masked = self.masked.get(member)
                if masked is None:
                    return added, number
                for other, needed in masked.needs:
                    fresh = needed & ~reached.get(other, 0)
                    if fresh:
                        reached[other] = reached.get(other, 0) | needed
                        added.append((other, fresh))
        return added, None


def test_what_a_step_reaches_is_asked_for_at_once() -> None:
    """A member without masked needs is read alone, in its turn: blocks and members come as without the view."""
    alone = 0
    for seed in range(scaled(400)):
        drawn = packages(random.Random(f"at once {seed}"), 5, 6)
        problem = AtOnce(drawn.variables, drawn.packages, drawn.masked)
        problem.reads.clear()
        plain: dict[str, int] = {}
        masked: dict[str, int] = {}
        visited = [identifier for step in walk_in_steps(problem, plain) for identifier in step]
        assert [identifier for step in walk_in_steps(problem, masked, problem) for identifier in step] == visited, seed
        assert list(masked.items()) == list(plain.items()), seed
        odd = sum(identifier not in drawn.masked for identifier in visited)
        assert problem.reads["needs of one"] == odd, seed
        alone += odd
    assert alone > scaled(100)


def test_needs_of_a_family_are_read_in_one_call() -> None:
    """Both members of "a" need members of "b", each of which needs "c0": one call for each step of the walk."""
    families: dict[GroupName, Sequence[str]] = {letter: tuple(f"{letter}{n}" for n in range(6)) for letter in "abc"}
    for first, second, steps_in_b in [
        (0b0000010, 0b0000010, 1),
        (0b0000010, 0b0000100, 2),
        (0b0001110, 0b1110000, 2),
        (0b1111110, 0b0010000, 1),
    ]:
        masked: dict[Identifier, MaskedNeeds] = {
            "a0": MaskedNeeds((("b", first),), ()),
            "a1": MaskedNeeds((("b", second),), ()),
            **{name: MaskedNeeds((("c", 0b10),), ()) for name in families["b"]},
            "c0": MaskedNeeds((), ()),
        }
        problem = AtOnce({"root": [Dependency(None, ("a0", "a1"))]}, families, masked)
        problem.reads.clear()
        visited = [identifier for step in walk_in_steps(problem, {}, problem) for identifier in step]
        assert len(visited) == len(set(visited)) == 2 + (first | second).bit_count() + 1
        # "a0" and "a1" stand side by side in the root, and "c0" comes once.
        assert (problem.reads["needs of all"], problem.reads["needs of one"]) == (1 + steps_in_b + 1, 0)


def test_a_list_that_many_share_is_read_once() -> None:
    """Hundreds of bundles have one requirement, with one list of thousands of candidates."""

    class Listed(tuple[Identifier, ...]):
        read = 0

        def __iter__(self) -> Iterator[Identifier]:
            type(self).read += 1
            return super().__iter__()

    shared = Listed(("x", "y"))
    names = [f"v{number}" for number in range(20)]
    variables: dict[Identifier, Sequence[Constraint]] = {"root": [Dependency(None, tuple(names))], "x": [], "y": []}
    for name in names:
        variables[name] = [Dependency(name, shared)]
    problem = Variables(variables)
    assert [identifier for identifier, _ in reachable(problem)] == [*names, "x", "y"]
    assert Listed.read == 1
