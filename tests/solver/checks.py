"""A budget that counts how often its limits are looked at: as often as somebody who cancels is heard."""

from __future__ import annotations

from olmsolve.solver import Budget

__all__ = ["Checks"]


class Checks(Budget):
    """A budget that counts its *checks*."""

    checks = 0

    def check(self) -> None:
        self.checks += 1
        super().check()
