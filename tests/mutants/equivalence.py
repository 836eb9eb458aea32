"""Mutants that make no difference which a test could see, and how each is recognised in its module."""

from __future__ import annotations

import attrs

from tests.mutants.mutating import Mutant

__all__ = ["Equivalent", "alike"]


@attrs.frozen
class Equivalent:
    """The *change* of a *line* in *module*, as the tool prints it, and the *reason* why nothing shows it.

    *function* tells the line from equal ones in other functions, *above* (the line before it) from equal ones in its
    own; "" where there are none.
    """

    module: str
    line: str
    change: str
    reason: str
    function: str = ""
    above: str = ""

    def is_(self, mutant: Mutant, lines: list[str]) -> bool:
        """Return whether *mutant* of a module with these *lines* is this one."""
        if (mutant.module, mutant.change, lines[mutant.line - 1].strip()) != (self.module, self.change, self.line):
            return False
        before = [line.strip() for line in reversed(lines[: mutant.line])]
        if self.above and before[1] != self.above:
            return False
        return not self.function or next(line for line in before if line.startswith("def ")).startswith(
            f"def {self.function}("
        )


def alike(module: str, reason: str, *changes: tuple[str, ...]) -> tuple[Equivalent, ...]:
    """Return the mutants of *module* that share a *reason*, each given as the further fields of ``Equivalent``."""
    return tuple(Equivalent(module, line, change, reason, *more) for line, change, *more in changes)
