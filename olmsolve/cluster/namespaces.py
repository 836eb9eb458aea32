"""Sets of namespaces, with one set, ``{""}``, that stands for all namespaces.

As recorded, only exactly that set does: an empty name beside others is an ordinary member.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import olmsolve._attrs as attrs


def _names(values: Iterable[str]) -> frozenset[str]:
    return frozenset(values)


@attrs.frozen
class NamespaceSet:
    """An immutable set of namespaces; iteration yields the *names* sorted."""

    names: frozenset[str] = attrs.field(converter=_names, default=frozenset())

    @classmethod
    def from_text(cls, text: str) -> NamespaceSet:
        """Return the set in the text of an annotation: names between commas, spaces and empty names included."""
        return cls(text.split(","))

    @property
    def is_all(self) -> bool:
        """Whether the set is all namespaces."""
        return self.names == {""}

    def __contains__(self, namespace: object) -> bool:
        return self.is_all or namespace in self.names

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self.names))

    def __len__(self) -> int:
        """Return the number of names, which is 1 for all namespaces and 0 for the empty set."""
        return len(self.names)

    def __and__(self, other: NamespaceSet) -> NamespaceSet:
        """Return the namespaces in both sets: ``ALL & {"a"}`` is ``{"a"}``, and ``ALL & {}`` is ``{}``."""
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
        """Return the text of an annotation: sorted names, joined by commas; "" for all namespaces and the empty set."""
        return ",".join(self)


ALL_NAMESPACES: Final = NamespaceSet({""})
NO_NAMESPACES: Final = NamespaceSet()
