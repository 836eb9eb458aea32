"""Facts whose words are a template: a kind, and the names and numbers that fill it in."""

from __future__ import annotations

import enum
from typing import Generic, Self, TypeVar

import attrs

K = TypeVar("K", bound=enum.Enum)


@attrs.frozen
class TemplatedFact(Generic[K]):
    """A fact of one *kind*, whose value is the template of a clause, *about* names and numbers.

    For example ``TemplatedFact.of(Order.HEAD, first="stable")`` with ``HEAD = "nearer to the head of {first}"``.
    """

    kind: K
    about: tuple[tuple[str, str | int], ...] = ()

    @classmethod
    def of(cls, kind: K, **about: str | int) -> Self:
        """Return the fact of this *kind* about the names and numbers in its template."""
        return cls(kind, tuple(about.items()))

    def __str__(self) -> str:
        return str(self.kind.value).format(**dict(self.about))
