"""Values with words: a kind for programs, and a clause for people."""

from __future__ import annotations

import enum
from typing import Any, ClassVar, Generic, TypeVar

K = TypeVar("K", bound=enum.Enum | str)


class Worded(Generic[K]):
    """A value of one *kind*, a member of an enumeration or a text, whose ``str()`` is a clause.

    Mostly all values of a class are of one kind, which the class names; without it, the kind is the name of the class::

        @attrs.frozen
        class PinnedToStart(PlanObstacle, kind=ObstacleKind.PIN):
    """

    __slots__ = ()
    _kind: ClassVar[Any] = None

    def __init_subclass__(cls, *, kind: K | None = None) -> None:
        super().__init_subclass__()
        # attrs makes each class twice, the second time without the keyword.
        if kind is not None:
            cls._kind = kind

    @property
    def kind(self) -> K:
        """What the value tells of: the word for it in documents, or a member of an enumeration of such words."""
        found: Any = self._kind or type(self).__name__
        return found  # type: ignore[no-any-return]

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON data: the kind, and the clause as ``text``."""
        kind = self.kind
        return {"kind": kind.value if isinstance(kind, enum.Enum) else kind, "text": str(self)}


def camel(name: str) -> str:
    """Return the name of a field as JSON writes it: ``source_namespace`` is ``sourceNamespace``."""
    first, *rest = name.split("_")
    return "".join([first, *map(str.capitalize, rest)])
