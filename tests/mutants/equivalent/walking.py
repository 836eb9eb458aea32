"""Mutants of the search over families, its units and cores that make no difference."""

from __future__ import annotations

from typing import Final

from tests.mutants.equivalence import Equivalent, alike

__all__ = ["EQUIVALENT"]

EQUIVALENT: Final[tuple[Equivalent, ...]] = (
    *alike(
        "olmsolve.solver.core",
        "from where on another way to the same core is faster",
        ("_LONG: Final = 100", "100 -> 101"),
        ("_PATIENCE: Final = 200", "200 -> 201"),
        (
            "return _decided_with(Patience(_PATIENCE + 2 * engine.conflicts), table, engine, leaps, budget)",
            "_PATIENCE + 2 * engine.conflicts -> _PATIENCE - 2 * engine.conflicts",
        ),
        (
            "return _decided_with(Patience(_PATIENCE + 2 * engine.conflicts), table, engine, leaps, budget)",
            "2 * engine.conflicts -> 2 // engine.conflicts",
        ),
        (
            "return _decided_with(Patience(_PATIENCE + 2 * engine.conflicts), table, engine, leaps, budget)",
            "2 -> 3",
        ),
        ("if len(core) > _LONG:", "len(core) > _LONG -> len(core) >= _LONG"),
    ),
    *alike(
        "olmsolve.solver.leaping",
        "a few questions more, where a leap divides elsewhere; after it, the descent goes on to the same core",
        ("begin = low[1] if low[0] == kind else 0", "0 -> 1"),
        ("return (GROUP, groups[first + left // 2]) if left > 0 else None", "left > 0 -> left >= 0"),
        ("return (GROUP, groups[first + left // 2]) if left > 0 else None", "2 -> 3"),
        ("first = bisect_right(groups, low[1]) if len(low) > 1 else 0", "0 -> 1"),
    ),
    *alike(
        "olmsolve.solver.walking",
        "a member that has its clauses gets no further ones",
        ("self._waiting.clear()", "self._waiting.clear() left out"),
    ),
    *alike(
        "olmsolve.solver.walked",
        "the lowest bit stands for no member, as no bit does",
        ("self.support: int = 0", "0 -> 1"),
    ),
    *alike(
        "olmsolve.solver.walked",
        "a candidate that a root lists twice sets the same bit twice",
        (
            "if found is None or (member is not None and (found[0] != member[0] or found[1] <= member[1])):",
            "found[1] <= member[1] -> found[1] < member[1]",
        ),
    ),
    *alike(
        "olmsolve.solver.ladders",
        "the lowest bit of a number, and its negative with all higher bits, are as long; so are 2 and 3, shifted",
        ("number = (bits & -bits).bit_length() - 1", "bits & -bits -> bits | -bits"),
        ("gap = (left & -left).bit_length() - 1", "left & -left -> left | -left"),
        ("run = (~left & (left + 1)).bit_length() - 1", "~left & left + 1 -> ~left | left + 1"),
        ("guard = ladder.unselected(2 << number)", "2 -> 3"),
    ),
    *alike(
        "olmsolve.solver.ladders",
        "a run begins with the lowest bit, so adding 2 carries into the same bit as adding 1",
        ("run = (~left & (left + 1)).bit_length() - 1", "1 -> 2"),
    ),
    *alike(
        "olmsolve.solver.ladders",
        "a short cut: for one run, the loop below comes to the same clauses",
        ("if not left & (left + 1):", "if not left & left + 1 -> if False"),
        ("if not left & (left + 1):", "left & left + 1 -> left | left + 1"),
        ("if not left & (left + 1):", "left + 1 -> left - 1"),
        ("if not left & (left + 1):", "1 -> 2"),
    ),
    *alike(
        "olmsolve.solver.ladders",
        "no literal is 0",
        ("return -(2 << number) if literal > 0 else (2 << number) - 1", "literal > 0 -> literal >= 0"),
    ),
    *alike(
        "olmsolve.solver.judging",
        "how many dead ends or conflicts go before another way is taken, which costs about as much from there on",
        ("_MEMBERS: Final = 250", "250 -> 251"),
        ("_CONFLICTS: Final = 50", "50 -> 51"),
        ("_UNSETTLED: Final = 4", "4 -> 5"),
    ),
    *alike(
        "olmsolve.solver.judging",
        "every fourth dead end is as good as any other fourth one",
        ("self._asked += 1", "self._asked += 1 -> self._asked -= 1"),
        ("return bool(self._assumed_roots) or self._asked % _UNSETTLED == 0", "0 -> 1"),
    ),
    *alike(
        "olmsolve.solver.judging",
        "n & n - 2 is 0 for 2, 4, 8, ... alone among the numbers from 2 on, as n & n - 1 is",
        ("if family.rejected < 2 or family.rejected & (family.rejected - 1):", "1 -> 2"),
    ),
    *alike(
        "olmsolve.solver.judging",
        "bit 0 stands for no member, and no mask of members has it",
        ("new = mask & family.encoded & ~reached.get(family, 0)", "0 -> 1"),
        ("reached[family] = reached.get(family, 0) | new", "0 -> 1"),
    ),
    *alike(
        "olmsolve.solver.judging",
        "no member before the first selection can be selected, so the clauses say what its first literal would",
        ("self._ends = [0]", "0 -> 1"),
    ),
    *alike(
        "olmsolve.solver.judging",
        "a nogood that holds more seldom: its dead end is met, and refuted, once more",
        (
            "masks[number] = masks.get(number, -1) & self._ladder(self._selections[number - 1]).mask(literal)",
            "1 -> 2",
        ),
    ),
    *alike(
        "olmsolve.solver.judging",
        "memory: clauses wait until the question, instead of one family's at a time",
        ("self._flush()  # which frees memory", "self._flush() left out"),
    ),
    *alike(
        "olmsolve.solver.walked",
        "set with the member that is taken, before anybody reads it",
        ("self.taker: int = 0", "0 -> 1"),
    ),
    *alike(
        "olmsolve.solver.glancing",
        "bit 0 stands for no member, and no mask of candidates has it",
        ("self.allowed: int = -1", "1 -> 2"),
        ("if group is not None and group.on and not mask & group.allowed & (group.taken or -1):", "1 -> 2"),
    ),
    *alike(
        "olmsolve.solver.glancing",
        "a short cut: each member is asked, instead of one for all of its block",
        (
            "elif members and self._families.block_of(name) is not None:",
            "if members and self._families.block_of(name) is not None -> if False",
        ),
    ),
    *alike(
        "olmsolve.solver.walking",
        "how often limits are looked at",
        ("_STEPS_PER_CHECK: Final = 256", "256 -> 257"),
        ("steps += 1", "steps += 1 -> steps -= 1"),
        ("if steps % _STEPS_PER_CHECK == 0:", "0 -> 1"),
    ),
    *alike(
        "olmsolve.solver.core",
        "for how few members a rotation is not worth its first witness: each of them then costs one question",
        ("_FEW: Final = 16", "16 -> 17"),
        ("few = _FEW if whole.rotate_families(last, core) or glanced else 0", "0 -> 1"),
        (
            "if len(core - found - whole.needed - {last}) > few:",
            "len(core - found - whole.needed - {last}) > few -> len(core - found - whole.needed - {last}) >= few",
        ),
    ),
    *alike(
        "olmsolve.solver.leaping",
        "a leap that ends one rank later, after which the descent goes on to the same core",
        ("low: Rank = (ROOT, 0)", "0 -> 1"),
    ),
    *alike(
        "olmsolve.solver.constraints",
        "the kinds keep their order",
        ("place: ClassVar[int] = 3", "3 -> 4"),
    ),
    *alike(
        "olmsolve.solver.walking",
        "looking ahead: the nogood rules the member out too, when the queue comes to its family",
        (
            "self._remove(last.family, last.family.allowed & last.mask, holds_for)",
            "self._remove(last.family, last.family.allowed & last.mask, holds_for) left out",
        ),
    ),
    *alike(
        "olmsolve.solver.walking",
        "the first level is never taken back, so nobody reads its member and positions",
        ("self._levels = [_WalkedLevel(None, 0, 0, 0)]", "0 -> 1"),
    ),
    *alike(
        "olmsolve.solver.walking",
        "time: a family is looked at once more although nothing in its domain has changed",
        ("self._changed.clear()", "self._changed.clear() left out"),
        (
            "if family.allowed & ~mask or not family.support & family.allowed:",
            "family.allowed & ~mask -> family.allowed | ~mask",
        ),
    ),
)
