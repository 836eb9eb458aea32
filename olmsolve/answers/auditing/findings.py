"""The findings of an audit: plain values, one class for each kind; ``str()`` is a sentence without a full stop."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any, ClassVar, Final, TypeAlias

import attrs

from olmsolve._worded import Worded
from olmsolve.classic import Reason
from olmsolve.errors import CatalogError

_SHOWN: Final = 5


def _listed(names: tuple[str, ...]) -> str:
    shown = ", ".join(names[:_SHOWN])
    return f"{shown} and {len(names) - _SHOWN} more" if len(names) > _SHOWN else shown


@attrs.frozen
class RecordedReason:
    """A reason that an earlier run of the audit has found, as its state file has it: the words."""

    text: str

    def __str__(self) -> str:
        return self.text


AuditReason: TypeAlias = Reason | CatalogError | RecordedReason
"""Why something cannot be installed, or cannot stay; its ``str()`` is a sentence."""


def _texts(values: tuple[object, ...]) -> tuple[str, ...]:
    return tuple(map(str, values))


@attrs.frozen
class AuditFinding(Worded):
    """A fault in *package* of *catalog* (``namespace/name``) that its users will run into.

    *reasons* say why: the constraints of the resolver's core without the audit's own subscription, or the fault of the
    catalog. Findings with the same words are equal, because a state file holds the words.
    """

    kind: ClassVar[str]
    catalog: str
    package: str
    reasons: tuple[AuditReason, ...] = attrs.field(default=(), kw_only=True, eq=_texts)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON data; docs/audit.md gives the meaning of the fields."""
        names = [field.name for field in attrs.fields(type(self)) if field.name != "reasons"]
        values = {name: _plain(getattr(self, name)) for name in (*names, "reasons")}
        return {**super().to_dict(), **values}


def _plain(value: Any) -> Any:
    if isinstance(value, enum.Enum):
        return value.value
    return list(_texts(value)) if isinstance(value, tuple) else value


@attrs.frozen
class _InChannel(AuditFinding):
    """A finding about one channel."""

    channel: str


@attrs.frozen
class BrokenChannel(_InChannel):
    """The channel has no order (no head, several heads, or a cycle): subscribing takes a ``startingCSV``."""

    def __str__(self) -> str:
        return f"channel {self.channel} has no order, so only a startingCSV can begin in it"


@attrs.frozen
class EmptyChannel(_InChannel):
    """No entry of the channel has a bundle."""

    def __str__(self) -> str:
        return f"channel {self.channel} has no bundle"


@attrs.frozen
class HeadNotInstallable(_InChannel):
    """The head *bundle* cannot be installed; a subscription gets the bundle *instead*, or nothing ("")."""

    bundle: str
    instead: str

    def __str__(self) -> str:
        got = f"gets {self.instead} instead" if self.instead else "gets nothing"
        return f"{self.bundle}, the head of channel {self.channel}, cannot be installed; a subscription {got}"


@attrs.frozen
class _Stop(_InChannel):
    """The updates of all *versions* end at *bundle*, one of them, before they come to the head of the channel.

    *staying* says why *bundle* cannot even stay installed; it is empty if it can. If it cannot, the
    resolution of its namespace fails, for every other operator there as well.
    """

    bundle: str
    versions: tuple[str, ...]
    staying: tuple[AuditReason, ...] = attrs.field(eq=_texts)

    @property
    def _consequences(self) -> str:
        others = tuple(version for version in self.versions if version != self.bundle)
        text = f"; the head is out of reach for {_listed(others)} as well" if others else ""
        return f"{text}; and it cannot stay installed" if self.staying else text


@attrs.frozen
class UpdateNotInstallable(_Stop):
    """*bundle* has *updates*, nearest to the head first, but none can be installed; *reasons* are about the first."""

    updates: tuple[str, ...]

    def __str__(self) -> str:
        text = f"in channel {self.channel}, {self.bundle} cannot be updated to {_listed(self.updates)}"
        return text + self._consequences


@attrs.frozen
class NoUpdate(_Stop):
    """No entry in the order of the channel follows *bundle*, which is not the head."""

    def __str__(self) -> str:
        return f"in channel {self.channel}, nothing follows {self.bundle}{self._consequences}"


@attrs.frozen
class CircularUpdates(_InChannel):
    """Updates from all *versions* go round through *circle* and never come to the head: a ``skipRange`` leads back."""

    circle: tuple[str, ...]
    versions: tuple[str, ...]

    def __str__(self) -> str:
        circle = " > ".join((*self.circle, self.circle[0]))
        return f"in channel {self.channel}, updates go round: {circle}, from {_listed(self.versions)}"


class DeadBecause(enum.Enum):
    """A reason why a bundle is dead."""

    NO_CHANNEL = "noChannel"
    PROHIBITED = "prohibited"
    UNSATISFIABLE = "unsatisfiable"


@attrs.frozen
class DeadBundle(AuditFinding):
    """No request over these catalogs selects *bundle* in a namespace where nothing is installed.

    NO_CHANNEL and PROHIBITED (it declares itself deprecated, or its requirements do not parse) hold whatever is
    installed. An UNSATISFIABLE bundle can be revived by an installed operator that provides something no candidate
    of the catalogs provides.
    """

    bundle: str
    because: DeadBecause

    def __str__(self) -> str:
        return {
            DeadBecause.NO_CHANNEL: f"{self.bundle} is in no channel, so nothing can select it",
            DeadBecause.PROHIBITED: f"{self.bundle} is never selected",
            DeadBecause.UNSATISFIABLE: f"no request over these catalogs can select {self.bundle}",
        }[self.because]


KINDS: Final[Mapping[str, type[AuditFinding]]] = {
    kind.__name__: kind
    for kind in (
        BrokenChannel,
        EmptyChannel,
        HeadNotInstallable,
        UpdateNotInstallable,
        NoUpdate,
        CircularUpdates,
        DeadBundle,
    )
}
"""The kinds of findings by their names, to read them back from JSON."""
