"""What an audit finds: one class a kind, plain values, ``str()`` is a sentence without a full stop."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any, Final

import attrs

__all__ = [
    "KINDS",
    "AuditFinding",
    "BrokenChannel",
    "CircularUpdates",
    "DeadBecause",
    "DeadBundle",
    "EmptyChannel",
    "HeadNotInstallable",
    "NoUpdate",
    "UpdateNotInstallable",
]

_SHOWN: Final = 5


def _listed(names: tuple[str, ...]) -> str:
    shown = ", ".join(names[:_SHOWN])
    return f"{shown} and {len(names) - _SHOWN} more" if len(names) > _SHOWN else shown


@attrs.frozen
class AuditFinding:
    """Something in *package* of *catalog* (``name/namespace``) that its users will run into.

    *reasons* say why: the constraints of the resolver's core in words, without the wish itself, or the one
    sentence of a :class:`~olmsolve.errors.CatalogError`.
    """

    catalog: str
    package: str
    reasons: tuple[str, ...] = attrs.field(default=(), kw_only=True)

    @property
    def kind(self) -> str:
        return type(self).__name__

    @property
    def place(self) -> str:
        """What is at fault inside the package."""
        return ""

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data; what the fields mean is documented in docs/audit.md."""
        names = [field.name for field in attrs.fields(type(self)) if field.name != "reasons"]
        values = {name: _plain(getattr(self, name)) for name in (*names, "reasons")}
        return {"kind": self.kind, "text": str(self), **values}


def _plain(value: Any) -> Any:
    if isinstance(value, enum.Enum):
        return value.value
    return list(value) if isinstance(value, tuple) else value


@attrs.frozen
class _InChannel(AuditFinding):
    channel: str

    @property
    def place(self) -> str:
        return f"channel {self.channel}"


@attrs.frozen
class BrokenChannel(_InChannel):
    """The channel has no order: no head, several, or a cycle. Subscribing to it is an error."""

    def __str__(self) -> str:
        return f"channel {self.channel} has no order, so nobody can subscribe to it"


@attrs.frozen
class EmptyChannel(_InChannel):
    """No entry of the channel has a bundle."""

    def __str__(self) -> str:
        return f"channel {self.channel} has no bundle"


@attrs.frozen
class HeadNotInstallable(_InChannel):
    """The head *bundle* cannot be installed; a subscription gets *instead*, "" if nothing."""

    bundle: str
    instead: str

    def __str__(self) -> str:
        got = f"gets {self.instead} instead" if self.instead else "gets nothing"
        return f"{self.bundle}, the head of channel {self.channel}, cannot be installed; a subscription {got}"


@attrs.frozen
class _Stop(_InChannel):
    """The head of the channel is out of reach for all *versions*, whose updates end at *bundle*, one of them.

    *staying* says why *bundle* cannot even stay installed, nothing if it can: then the resolution of its
    namespace fails for everybody else too.
    """

    bundle: str
    versions: tuple[str, ...]
    staying: tuple[str, ...]

    @property
    def _consequences(self) -> str:
        others = tuple(version for version in self.versions if version != self.bundle)
        text = f"; the head is out of reach for {_listed(others)} as well" if others else ""
        return f"{text}; and it cannot stay installed" if self.staying else text


@attrs.frozen
class UpdateNotInstallable(_Stop):
    """*updates* can follow *bundle*, and none of them can be installed; *reasons* are about the first."""

    updates: tuple[str, ...]

    def __str__(self) -> str:
        text = f"in channel {self.channel}, {self.bundle} cannot be updated to {_listed(self.updates)}"
        return text + self._consequences


@attrs.frozen
class NoUpdate(_Stop):
    """Nothing in the order of the channel follows *bundle*, which is not the head."""

    def __str__(self) -> str:
        return f"in channel {self.channel}, nothing follows {self.bundle}{self._consequences}"


@attrs.frozen
class CircularUpdates(_InChannel):
    """Updates from each of *versions* go round and round through *circle* and never come to the head."""

    circle: tuple[str, ...]
    versions: tuple[str, ...]

    def __str__(self) -> str:
        circle = " > ".join((*self.circle, self.circle[0]))
        return f"in channel {self.channel}, updates go round: {circle}, from {_listed(self.versions)}"


class DeadBecause(enum.Enum):
    """Why a bundle is dead."""

    NO_CHANNEL = "noChannel"
    PROHIBITED = "prohibited"
    UNSATISFIABLE = "unsatisfiable"


@attrs.frozen
class DeadBundle(AuditFinding):
    """No request over these catalogs selects *bundle* in a namespace where nothing is installed.

    NO_CHANNEL and PROHIBITED (it declares itself deprecated, or its requirements do not parse) hold whatever is
    installed. UNSATISFIABLE can be healed by an installed operator that gives what no candidate of the catalogs does.
    """

    bundle: str
    because: DeadBecause

    @property
    def place(self) -> str:
        return f"bundle {self.bundle}"

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
"""All kinds of findings by their names."""
