"""Mutants of rotation, selection and views of a problem that make no difference."""

from __future__ import annotations

from typing import Final

from tests.mutants.equivalence import Equivalent, alike

__all__ = ["EQUIVALENT"]

EQUIVALENT: Final[tuple[Equivalent, ...]] = (
    *alike(
        "olmsolve.solver.rotation",
        "rotation is given up sooner, and solving answers the question",
        (
            "if len({breach.key, *(other.key for other in breaches)}) > 2:",
            "len({breach.key, *(other.key for other in breaches)}) > 2 -> len({breach.key, *(other.key for other in breaches)}) >= 2",
        ),
    ),
    *alike(
        "olmsolve.solver.rotation",
        "a set that breaks more than two keys is of no use to the callers either; giving up sooner saves time",
        (
            "if len({breach.key, *(other.key for other in breaches)}) > 2:",
            "if len({breach.key, *(other.key for other in breaches)}) > 2 -> if False",
        ),
        ("if len({breach.key, *(other.key for other in breaches)}) > 2:", "2 -> 3"),
    ),
    *alike(
        "olmsolve.solver.rotation",
        "no change is examined once none is left; leaving the loop saves listing the others",
        ("if not self._changes_left:", "if not self._changes_left -> if False", "needed"),
        ("break", "break -> continue", "needed", "if not self._changes_left:"),
    ),
    *alike(
        "olmsolve.solver.rotation",
        "a removal that breaks no wanted need shows nothing; to leave it out saves a look",
        ("leaves = False", "False -> True"),
    ),
    *alike(
        "olmsolve.solver.rotation",
        "what is noted twice is the same: breaches are kept once, and a second try of a change shows what the first did",
        ("if identifier in self._noted:", "if identifier in self._noted -> if False"),
        ("self._noted.add(identifier)", "self._noted.add(identifier) left out"),
    ),
    *alike(
        "olmsolve.solver.family_rotation",
        "no block has a negative number",
        ("_UNRANKED: Final[Rank] = (BLOCK, -1, _DEPENDENCY)", "1 -> 2"),
    ),
    *alike(
        "olmsolve.solver.family_rotation",
        "a key has two parts (roots, groups), three (the dependencies of a block) or five (other units)",
        (
            "if self._rivals is None or any(len(key) > 3 or (key[0] == GROUP and key != self._last) for key in members):",
            "3 -> 4",
        ),
    ),
    *alike(
        "olmsolve.solver.family_rotation",
        "a family with one selected member has no rivals; the count saves looking its groups up",
        ("if group.taken.bit_count() > 1:", "group.taken.bit_count() > 1 -> group.taken.bit_count() >= 1"),
    ),
    *alike(
        "olmsolve.solver.family_rotation",
        "the lowest bit stands for no member, as no bit does",
        ("accepted = -1", "1 -> 2"),
        ("return bool(taken.get(family, 0) & mask)", "0 -> 1"),
        ("bits = 0", "0 -> 1"),
    ),
    *alike(
        "olmsolve.solver.family_rotation",
        "a root has no bit; nobody reads one of it",
        ("self._users[group.name].append(_FamilyUser(None, 0, number, mask))", "0 -> 1"),
    ),
    *alike(
        "olmsolve.solver.family_rotation",
        "-4 is as long as 4, and the length alone tells the member",
        (
            "masked = self._keys.masked_needs(family, mask & -mask) if mask else None",
            "mask & -mask -> mask | -mask",
        ),
    ),
    *alike(
        "olmsolve.solver.views",
        "a key of a block has three parts (its dependencies) or five (another unit)",
        ("if len(key) > 3:", "3 -> 4"),
    ),
    *alike(
        "olmsolve.solver.finding",
        "a question about the last core alone only spares one about everything; either answer is a core of what is on",
        *(
            (
                "if core and self._refuted(lambda key: enabled(key) and (key in core or key[0] == GROUP)):",
                change,
            )
            for change in (
                "if core and self._refuted(lambda key: enabled(key) and (key in core or key[0] ==... -> if False",
                "key in core or key[0] == GROUP -> key in core and key[0] == GROUP",
                "key in core -> key not in core",
                "key[0] == GROUP -> key[0] != GROUP",
                "0 -> 1",
            )
        ),
    ),
    *alike(
        "olmsolve.solver.finding",
        "constraints get clauses when a model ignores them; those that a search has refuted have them sooner",
        (
            "if self._allowed(unit):",
            "if self._allowed(unit) -> if False",
            "__init__",
            "for unit, constraint in table.of(identifier)[0]:",
        ),
        (
            "self._encode(unit, constraint)",
            "self._encode(unit, constraint) left out",
            "__init__",
            "if self._allowed(unit):",
        ),
    ),
    *alike(
        "olmsolve.solver.finding",
        "a walk of families only spares a question to the SAT solver, and with more groups on it finds less",
        (
            "if witness is None and rest and self._near and table.families is not None:",
            "if witness is None and rest and self._near and (table.families is not None) -> if False",
        ),
        (
            "broken = [member for each in self._core if each[0] == GROUP for member in self._joined.get(each[1], ())]",
            "each[0] == GROUP -> each[0] != GROUP",
        ),
        (
            "broken = [member for each in self._core if each[0] == GROUP for member in self._joined.get(each[1], ())]",
            "0 -> 1",
        ),
    ),
    *alike(
        "olmsolve.solver.finding",
        "an old witness shows nothing false, so rotating it once more only takes time",
        (
            "if core is None and last is not None:",
            "core is None and last is not None -> core is None or last is not None",
        ),
    ),
    *alike(
        "olmsolve.solver.finding",
        "keys outside of a core are not in every core; to leave them out saves tries",
        (
            "targets = [unit for unit in self._encoded if key(unit) in core and key(unit) not in found]",
            "key(unit) in core and key(unit) not in found -> key(unit) in core or key(unit) not in found",
        ),
    ),
    *alike(
        "olmsolve.solver.finding",
        "with more units on, a set breaks more of them, so rotation names fewer keys and they are asked about",
        (
            "return allowed(unit) and (own <= last or own in found)",
            "allowed(unit) and (own <= last or own in found) -> allowed(unit) or (own <= last or own in found)",
        ),
        ("return allowed(unit) and (own <= last or own in found)", "own in found -> own not in found"),
    ),
    *alike(
        "olmsolve.solver.finding",
        "which constraints get clauses at once, and which after the next model, is a matter of rounds",
        ("if added and self._near:", "if added and self._near -> if False"),
        ("if isinstance(constraint, Dependency) and visited.isdisjoint(constraint.candidates[:1]):", "1 -> 2"),
        ("visited.update(constraint.candidates[:1])", "visited.update(constraint.candidates[:1]) left out"),
        ("visited.update(constraint.candidates[:1])", "1 -> 2"),
        ("selected.extend(filter(self._table.ranks.reaches, constraint.candidates[:1]))", "1 -> 2"),
    ),
    *alike(
        "olmsolve.solver.finding",
        "no literal is 0, and the first variable is a selector",
        ("if 0 < variable < len(identifiers)", "0 < variable < len(identifiers) -> 0 <= variable < len(identifiers)"),
        ("if 0 < variable < len(identifiers)", "0 -> 1"),
    ),
    *alike(
        "olmsolve.solver.selection",
        "a domain of None is no domain either; without it, whole sets of groups are tested at once",
        ("if before is None:", "if before is None -> if False", "unselect"),
    ),
    *alike(
        "olmsolve.solver.finding",
        "rotation only spares questions",
        ("if core is None and last is not None:", "if core is None and last is not None -> if False"),
    ),
    *alike(
        "olmsolve.solver.rotation",
        "a short cut: the last branch asks the same of every constraint",
        ("if isinstance(constraint, Dependency):", "if isinstance(constraint, Dependency) -> if False", "_add_own"),
    ),
    *alike(
        "olmsolve.solver.portable",
        "how often the limits are looked at",
        ("_TRIES_PER_CHECK: Final = 256", "256 -> 257"),
    ),
)
