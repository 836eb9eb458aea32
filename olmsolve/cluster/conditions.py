"""OperatorCondition: whether an operator lets itself be replaced.

An operator says ``Upgradeable`` in its OperatorCondition, which bears its name; an administrator's override
stands above it. As recorded: an override decides alone, and anything but ``True`` in it blocks. Without one, what
the operator said counts for the generation that it said it about: a condition that is outdated blocks even if it is
``True``. ``False`` blocks, ``Unknown`` does not.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from olmsolve.cluster.objects import Condition, OperatorCondition

__all__ = ["UPGRADEABLE", "not_upgradeable"]

UPGRADEABLE: Final = "Upgradeable"


def not_upgradeable(condition: OperatorCondition | None) -> str:
    """Why the operator that *condition* is about must not be replaced now; "" if it may be.

    None stands for an operator without an OperatorCondition, which may always be replaced.
    """
    if condition is None:
        return ""
    override = _find(condition.overrides)
    if override is not None:
        return "" if override.status == "True" else f"the operator is not upgradeable: {override.message}"
    said = _find(condition.conditions)
    if said is None:
        return ""
    if said.observed_generation != condition.metadata.generation:
        return f'the operatorcondition status "{UPGRADEABLE}"="{said.status}" is outdated'
    if said.status == "False":
        return f"the operator is not upgradeable: {said.message}"
    return ""


def _find(conditions: Iterable[Condition]) -> Condition | None:
    """The first condition about upgrades."""
    return next((condition for condition in conditions if condition.type == UPGRADEABLE), None)
