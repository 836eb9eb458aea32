"""What a check has found, as data."""

from __future__ import annotations

import enum
from typing import Any, Final

import attrs

from olmsolve.catalog import Origin

__all__ = ["Finding", "Severity", "shortened"]

_LONGEST: Final = 200


class Severity(enum.StrEnum):
    """How much a finding matters."""

    ERROR = "error"
    """Something cannot be used: a bundle can never be selected, or a catalog is not valid."""
    WARNING = "warning"
    """Something is probably not what its author meant."""
    NOTE = "note"
    """Something that people should know, and that may be as it was meant."""


@attrs.frozen
class Finding:
    """One fault, where it is, and what was probably meant.

    *code* is a stable word for programs (``empty-range``), *message* says what is wrong, without the place,
    *hint* what was probably meant, or "". A place that does not apply is "". *property* leads to the field: of a
    bundle (``properties[3] (olm.constraint): all.constraints[1].cel.rule``), or where there is a *channel*, of
    that (``entries[2].skipRange``). *origin* is the document, None where the catalog came from none.
    """

    severity: Severity
    code: str
    message: str
    hint: str = ""
    package: str = ""
    channel: str = ""
    bundle: str = ""
    property: str = ""
    origin: Origin | None = None

    def place(self) -> str:
        """Package, channel, bundle and property, as far as they apply."""
        parts = [
            f"package {self.package}" if self.package else "",
            f"channel {self.channel}" if self.channel else "",
            f"bundle {self.bundle}" if self.bundle else "",
            self.property,
        ]
        return ", ".join(filter(None, parts))

    def __str__(self) -> str:
        where = ": ".join(filter(None, [str(self.origin) if self.origin else "", self.place()]))
        text = f"{where}: {self.severity}: {self.message}" if where else f"{self.severity}: {self.message}"
        return f"{text} ({self.hint})" if self.hint else text

    def to_dict(self) -> dict[str, Any]:
        """The finding as JSON data: every field as text, without those that are empty."""
        fields = {
            "severity": self.severity.value,
            "code": self.code,
            "message": self.message,
            "hint": self.hint,
            "package": self.package,
            "channel": self.channel,
            "bundle": self.bundle,
            "property": self.property,
            "origin": str(self.origin) if self.origin else "",
        }
        return {name: text for name, text in fields.items() if text}


def shortened(text: object) -> str:
    """*text* as a message can hold it: what catalogs say may be a thousand times as long as a line."""
    written = str(text)
    return written if len(written) <= _LONGEST else f"{written[:_LONGEST]}..."
