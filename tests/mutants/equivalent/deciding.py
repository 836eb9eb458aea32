"""Mutants of the engine that decides that make no difference."""

from __future__ import annotations

from typing import Final

from tests.mutants.equivalence import Equivalent, alike

__all__ = ["EQUIVALENT"]

EQUIVALENT: Final[tuple[Equivalent, ...]] = (
    *alike(
        "olmsolve.solver.deciding.analysis",
        "any negative number says that there is no variable",
        ("steps = source if isinstance(source, list) else [(-1, source)]", "1 -> 2"),
        ("sources.append((current if mask & 1 > keep & 1 else -1, reason[1]))", "1 -> 2"),
    ),
    *alike(
        "olmsolve.solver.deciding.analysis",
        "the first step resolves an event of the empty domain, whichever, and whatever its level",
        ("causes: dict[int, int] = {variable: cause(variable, 0)}", "0 -> 1"),
        ("levels: dict[int, int] = {variable: level_of(variable, 0)}", "0 -> 1"),
    ),
    *alike(
        "olmsolve.solver.deciding.engine",
        "bit 0 stands for no candidate, and is in no mask of a need",
        ("left = mask & (bit - 1)", "1 -> 2"),
    ),
    *alike(
        "olmsolve.solver.deciding.inheriting",
        "any negative number says that there is no variable",
        ("steps = source if isinstance(source, list) else [(-1, source)]", "1 -> 2"),
    ),
    *alike(
        "olmsolve.solver.deciding.inheriting",
        "the nogoods behind the other steps are put on the stack when this one comes up once more",
        ("continue", "continue -> break", "_holds", "deeper.append(origin)"),
    ),
    *alike(
        "olmsolve.solver.deciding.variables",
        "any negative number says that there is no variable",
        ("current, mask, of = -1, 0, self._of", "1 -> 2"),
    ),
    *alike(
        "olmsolve.solver.deciding.compiling",
        "a short cut: the rest of the function makes the same need",
        (
            "if len(masks) == 1 and masks[0][0] != compiled.variable:",
            "if len(masks) == 1 and masks[0][0] != compiled.variable -> if False",
        ),
    ),
    *alike(
        "olmsolve.solver.deciding.domains",
        "a level that is no higher changes nothing",
        ("if level_of_condition > level:", "level_of_condition > level -> level_of_condition >= level"),
        ("if levels[event] > level:", "levels[event] > level -> levels[event] >= level"),
    ),
    *alike(
        "olmsolve.solver.deciding.domains",
        "saves the look at earlier events, which have no bit outside the mask to remove",
        ("if not outside:", "if not outside -> if False"),
        ("break", "break -> continue", "level", "if not outside:"),
    ),
    *alike(
        "olmsolve.solver.deciding.nogoods",
        "any level above all others says that a condition does not hold",
        ("never = len(domains.starts) + 1  # the level of a condition that does not hold", "1 -> 2"),
    ),
    *alike(
        "olmsolve.solver.deciding.nogoods",
        "a conflict is one whatever else is concluded, which this saves",
        ("break", "break -> continue", "propagate", "conflict = other"),
    ),
    *alike(
        "olmsolve.solver.deciding.nogoods",
        "the empty domain is a conflict when its variable comes up, which is next; this saves a look at another one",
        ("return conflict", "return conflict -> return None"),
    ),
    *alike(
        "olmsolve.solver.deciding.propagation",
        "the empty domain is a conflict when its variable comes up, which is next; this saves a look at another one",
        ("if conflict is not None:", "if conflict is not None -> if False"),
    ),
    *alike(
        "olmsolve.solver.deciding.propagation",
        "without bit 0, twice a number is taken instead of the number: a power of two if and only if that is one",
        ("if not value & (value - 1):", "1 -> 2"),
    ),
    *alike(
        "olmsolve.solver.deciding.propagation",
        "bit 0 stands for no candidate, and is in no need and in no domain that must not stay empty",
        ("elif not value & 1 and not value & self._supports.get(variable, 0):", "0 -> 1"),
        (
            "self._compiled_bits[compiled.variable] = self._compiled_bits.get(compiled.variable, 0) | compiled.bit",
            "0 -> 1",
        ),
        (
            "if looking_ahead and not left & compiled_bits.get(need[0], 0) and not self._some_possible(need):",
            "0 -> 1",
        ),
    ),
    *alike(
        "olmsolve.solver.deciding.propagation",
        "saves a call that changes nothing, as the domain is in the mask already",
        ("if values[target] & ~mask:", "values[target] & ~mask -> values[target] | ~mask"),
        (
            "if values[other] & bit and not narrow(other, ~bit, need.unmet):",
            "values[other] & bit -> values[other] | bit",
        ),
    ),
    *alike(
        "olmsolve.solver.deciding.propagation",
        "saves a second look at the candidate that was just decided for",
        (
            "is_last_event = bool(domains.starts) and domains.starts[-1] == len(domains.variables) - 1",
            "len(domains.variables) - 1 -> len(domains.variables) + 1",
        ),
    ),
    *alike(
        "olmsolve.solver.deciding.propagation",
        "the candidate was ruled out, so its domain is empty and a conflict when its variable comes up",
        ("return False", "False -> True", "_select"),
    ),
    *alike(
        "olmsolve.solver.deciding.propagation",
        "how much memory is spent on domains that may come up once more, and how often the limits are looked at",
        ("_MOST_REMEMBERED: Final = 64", "64 -> 65"),
        ("_COMPILED_PER_CHECK: Final = 64", "64 -> 65"),
    ),
    *alike(
        "olmsolve.solver.deciding.engine",
        "how often the limits are looked at, and how far ahead: more steps save conflicts and cost candidates",
        ("_STEPS_PER_CHECK: Final = 256", "256 -> 257"),
        ("_STEPS_AHEAD: Final = 2", "2 -> 3"),
    ),
    *alike(
        "olmsolve.solver.deciding.engine",
        "counted down, the steps come to as many multiples",
        ("steps += 1", "steps += 1 -> steps -= 1"),
    ),
    *alike(
        "olmsolve.solver.deciding.engine",
        "any negative number says that there is no variable",
        ("self.refutation = Nogood([], [(-1, root)])", "1 -> 2"),
    ),
    *alike(
        "olmsolve.solver.deciding.finding",
        "rotation that counts more units as on names fewer keys, and questions find the others",
        (
            "scope = Scope(on, allowed is None and last[0] == GROUP)",
            "allowed is None and last[0] == GROUP -> allowed is None or last[0] == GROUP",
        ),
    ),
    *alike(
        "olmsolve.solver.deciding.finding",
        "this view is only asked which units its constraints are",
        ("view = UnitView(self._table, _always, True)", "True -> False"),
    ),
    *alike(
        "olmsolve.solver.deciding.finding",
        "what rotation names is needed whatever it starts from; this saves tries with a set that breaks too much",
        (
            "if smaller is None and last is not None:",
            "smaller is None and last is not None -> smaller is None or last is not None",
        ),
    ),
    *alike(
        "olmsolve.solver.deciding.engine",
        "bit 0 stands for no candidate, and is in no need",
        ("if not taken.get(queued[0], 0) & queued[1] and not self._take(position, queued):", "0 -> 1"),
    ),
    *alike(
        "olmsolve.solver.deciding.engine",
        "propagation has nothing to do, and the choice that comes up once more is met; this saves both",
        ("return True", "True -> False", "_take"),
    ),
    *alike(
        "olmsolve.solver.deciding.engine",
        "for type checkers: only branches ask for the choice that took them",
        ("if isinstance(queued, Need):", "if isinstance(queued, Need) -> if False", "_choices"),
    ),
    *alike(
        "olmsolve.solver.deciding.engine",
        "saves making the choices of a candidate anew after each conflict",
        ("if not isinstance(candidate, Branch):", "if not isinstance(candidate, Branch) -> if False"),
    ),
)
