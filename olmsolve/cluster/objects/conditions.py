"""Conditions in an object's status: at most one of each type, and a new one keeps the position of the old."""

from __future__ import annotations

from collections.abc import Container, Iterable

from olmsolve._records import evolve
from olmsolve.cluster.objects.metadata import Condition


def condition_of(conditions: Iterable[Condition], type: str) -> Condition | None:  # noqa: A002 - the field's name
    """Return the first condition of *type*."""
    return next((condition for condition in conditions if condition.type == type), None)


def with_condition(conditions: Iterable[Condition], new: Condition) -> tuple[Condition, ...]:
    """Return *conditions* with *new* in the position of the condition of its type, or at the end.

    The time of transition stays as long as the status stays.
    """
    result, placed = [], False
    for condition in conditions:
        if condition.type != new.type:
            result.append(condition)
        elif not placed:
            placed = True
            time = condition.last_transition_time if condition.status == new.status else new.last_transition_time
            result.append(evolve(new, last_transition_time=time))
    return tuple(result) if placed else (*result, new)


def without_conditions(conditions: Iterable[Condition], types: Container[str]) -> tuple[Condition, ...]:
    """Return *conditions* without the conditions of *types*."""
    return tuple(condition for condition in conditions if condition.type not in types)
