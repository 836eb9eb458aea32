"""The findings of fuzzing: plain values of texts, one class for each kind; ``str()`` is a sentence without a full stop.

A finding about a catalog holds nothing but texts, so that a state file can hold it and workers can send it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Final

import attrs

from olmsolve._worded import Worded, camel
from olmsolve.answers.reducing import AnyRequest
from olmsolve.requests import request_document

_SHOWN: Final = 5


def _listed(names: Iterable[str]) -> str:
    names = tuple(names)
    shown = ", ".join(names[:_SHOWN])
    return f"{shown} and {len(names) - _SHOWN} more" if len(names) > _SHOWN else shown


@attrs.frozen
class FuzzFinding(Worded):
    """A finding of fuzzing; *reasons* say why, a sentence each."""

    kind: ClassVar[str]
    reasons: tuple[str, ...] = attrs.field(default=(), kw_only=True)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON data; docs/fuzzing.md gives the meaning of the fields."""
        names = [field.name for field in attrs.fields(type(self)) if field.name != "reasons"]
        values = {camel(name): _plain(getattr(self, name)) for name in (*names, "reasons")}
        return {**super().to_dict(), **values}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    return value if isinstance(value, str | int) else request_document(value)


@attrs.frozen
class _Shown(FuzzFinding):
    """A finding that *request* shows, which is as small as it could be made; *case* is the number that drew it."""

    case: int
    request: AnyRequest = attrs.field(repr=False)


@attrs.frozen
class BrokenLaw(_Shown):
    """A law that the answer to *request* breaks, a fault of olmsolve; *reasons* say how, or name the exception."""

    law: str

    def __str__(self) -> str:
        return f"case {self.case} breaks the law {self.law}"


@attrs.frozen
class TwoMeanings(_Shown):
    """A request that the documentation and the shipped controller answer differently: *packages* change.

    *reasons* are what the two read differently: constraints, and starts (``startingCSV``) that a ``skipRange`` removes.
    """

    packages: tuple[str, ...]

    def __str__(self) -> str:
        return f"documented and controller semantics differ in {_listed(self.packages) or 'whether there is a plan'}"


@attrs.frozen
class _PackageFinding(FuzzFinding):
    """A finding about *package* of *catalog* (``namespace/name``)."""

    catalog: str
    package: str


@attrs.frozen
class UpdateDeadEnd(_PackageFinding):
    """The updates of *versions* in *channel* end before its head; *stop* says where, in the words of the audit."""

    channel: str
    versions: tuple[str, ...]
    stop: str

    def __str__(self) -> str:
        return self.stop


@attrs.frozen
class NeverDecisive(_PackageFinding):
    """A *requirement* of *bundles* without which nothing else could be selected: their other requirements grant it."""

    requirement: str
    bundles: tuple[str, ...]

    def __str__(self) -> str:
        verb = "requires" if len(self.bundles) == 1 else "require"
        stated = f"{self.requirement}, which {_listed(self.bundles)} {verb},"
        return f"{stated} never decides: all else that is needed grants it"


@attrs.frozen
class NeverTogether(FuzzFinding):
    """Two *subscriptions* of which each can be served alone, but no namespace can have both."""

    subscriptions: tuple[str, str]

    def __str__(self) -> str:
        first, second = self.subscriptions
        return f"{first} and {second} can never be served together"


@attrs.frozen
class WonByName(_PackageFinding):
    """A *package* that requirements never take for anything but its name: *rival* would do, and comes later by name.

    *requirement* is one that it was taken for, of *bundle*.
    """

    rival: str
    bundle: str
    requirement: str

    def __str__(self) -> str:
        taken = f"is taken for {self.requirement}, which {self.bundle} requires,"
        return f"{self.package} {taken} only because its name comes before {self.rival}"


@attrs.frozen
class DifferentOpinion(_PackageFinding):
    """A range or rule that another library reads otherwise, for no known reason; *difference* says what."""

    bundle: str
    difference: str

    def __str__(self) -> str:
        return self.difference


KINDS: Final[Mapping[str, type[FuzzFinding]]] = {
    kind.__name__: kind
    for kind in (BrokenLaw, TwoMeanings, NeverTogether, UpdateDeadEnd, NeverDecisive, WonByName, DifferentOpinion)
}
"""The kinds of findings by their names, in the order of reports."""


def finding_from(data: Mapping[str, Any]) -> FuzzFinding:
    """Return the finding about a catalog that ``to_dict()`` wrote.

    Raises:
        KeyError, TypeError: *data* is something else.
    """
    kind = KINDS[data["kind"]]
    values = {field.name: data[camel(field.name)] for field in attrs.fields(kind)}
    return kind(**{name: tuple(value) if isinstance(value, list) else value for name, value in values.items()})
