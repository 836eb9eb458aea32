"""Sets of namespaces, where the set of nothing but the empty name stands for all namespaces.

As recorded: only exactly ``{""}`` does. An empty name beside others is an ordinary member.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import attrs

__all__ = ["ALL_NAMESPACES", "NO_NAMESPACES", "NamespaceSet"]


def _names(values: Iterable[str]) -> frozenset[str]:
    return frozenset(values)


@attrs.frozen
class NamespaceSet:
    """An immutable set of namespaces, in no order; iterating gives its names sorted."""

    names: frozenset[str] = attrs.field(converter=_names, default=frozenset())

    @classmethod
    def from_text(cls, text: str) -> NamespaceSet:
        """The set in an annotation: names joined by commas, as they are, spaces and empty ones too."""
        return cls(text.split(","))

    @property
    def is_all(self) -> bool:
        return self.names == {""}

    def __contains__(self, namespace: object) -> bool:
        return self.is_all or namespace in self.names

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self.names))

    def __len__(self) -> int:
        """How many names there are: one for all namespaces."""
        return len(self.names)

    def __and__(self, other: NamespaceSet) -> NamespaceSet:
        """What both have. All namespaces and the empty set have nothing in common."""
        if self.is_all:
            return other
        if other.is_all:
            return self
        return NamespaceSet(self.names & other.names)

    def __or__(self, other: NamespaceSet) -> NamespaceSet:
        if self.is_all or other.is_all:
            return ALL_NAMESPACES
        return NamespaceSet(self.names | other.names)

    def __str__(self) -> str:
        """The text of an annotation: sorted, joined by commas; "" for all namespaces (and for none)."""
        return ",".join(self)


ALL_NAMESPACES: Final = NamespaceSet({""})
NO_NAMESPACES: Final = NamespaceSet()
