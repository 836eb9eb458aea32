"""Values with words: a kind for programs, and a clause for people."""

from __future__ import annotations

import enum
from typing import Any, ClassVar


class Worded:
    """A value of one *kind*, a member of an enumeration or a text, whose ``str()`` is a clause.

    The values of a class are of one kind, which the class names; without it, the kind is the name of the class::

        @attrs.frozen
        class PinnedToStart(PlanObstacle, kind=ObstacleKind.PIN):
    """

    __slots__ = ()
    kind: ClassVar[Any]
    """What the value tells of: the word for it in documents, or a member of an enumeration of such words."""

    def __init_subclass__(cls, *, kind: enum.Enum | str | None = None) -> None:
        super().__init_subclass__()
        if kind is not None:
            cls.kind = kind
        elif "kind" not in vars(cls):
            # attrs makes each class twice; the second one has what the first one got.
            cls.kind = cls.__name__

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON data: the kind, and the clause as ``text``."""
        kind = self.kind
        return {"kind": kind.value if isinstance(kind, enum.Enum) else kind, "text": str(self)}


def camel(name: str) -> str:
    """Return the name of a field as JSON writes it: ``source_namespace`` is ``sourceNamespace``."""
    first, *rest = name.split("_")
    return "".join([first, *map(str.capitalize, rest)])
