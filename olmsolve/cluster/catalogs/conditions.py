"""Conditions in an object's status: at most one of each type, each in its place."""

from __future__ import annotations

from collections.abc import Container, Sequence

import attrs

from olmsolve.cluster.objects import Condition

__all__ = ["condition_of", "with_condition", "without_conditions"]


def condition_of(conditions: Sequence[Condition], type: str) -> Condition | None:  # noqa: A002 - the field's name
    """The condition of *type*, if there is one."""
    return next((condition for condition in conditions if condition.type == type), None)


def with_condition(conditions: Sequence[Condition], new: Condition) -> tuple[Condition, ...]:
    """*conditions* with *new* in the place of the one of its type, or at the end.

    A time of transition stays while the status does.
    """
    result, placed = [], False
    for condition in conditions:
        if condition.type != new.type:
            result.append(condition)
        elif not placed:
            placed = True
            time = condition.last_transition_time if condition.status == new.status else new.last_transition_time
            result.append(attrs.evolve(new, last_transition_time=time))
    return tuple(result) if placed else (*result, new)


def without_conditions(conditions: Sequence[Condition], types: Container[str]) -> tuple[Condition, ...]:
    return tuple(condition for condition in conditions if condition.type not in types)
