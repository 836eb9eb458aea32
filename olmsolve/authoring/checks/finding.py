"""Findings of checks, as data."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from typing import Any, Final

from olmsolve._records import Record, evolve, field, record
from olmsolve.authoring.checks.fix import FieldFix
from olmsolve.catalog import Origin

_LONGEST: Final = 200
_MOST_NAMES: Final = 10
_SHORT_LIST: Final = 3


class Severity(enum.StrEnum):
    """The weight of a finding."""

    ERROR = "error"
    """Something cannot be used: a bundle can never be selected, or a catalog is not valid."""
    WARNING = "warning"
    """Something is probably not what its author meant."""
    NOTE = "note"
    """Something that people should know, and that may be as it was meant."""


def _tuple(fixes: Iterable[FieldFix]) -> tuple[FieldFix, ...]:
    return tuple(fixes)


def _fixes_text(fixes: tuple[FieldFix, ...]) -> str:
    return "; ".join(dict.fromkeys(map(str, fixes)))


def _origin_text(origin: Origin | None) -> str:
    return str(origin or "")


@record(definition="finding")
class Finding(Record):
    """One fault, its location, and what was probably meant.

    *property* begins at the channel if there is a *channel* (``entries[2].skipRange``), else at the bundle
    (``properties[3] (olm.constraint): all.constraints[1].cel.rule``). *origin* is None for a catalog made in memory.
    """

    severity: Severity = field("How severe it is: an error makes a catalog invalid.")
    code: str = field("A stable name of the fault, for programs.")
    message: str = field("What is wrong, without the location.")
    hint: str = field("What was probably meant.", empty="absent", default="")
    package: str = field("The package that it is about.", empty="absent", default="")
    channel: str = field("The channel that it is about.", empty="absent", default="")
    bundle: str = field("The bundle that it is about.", empty="absent", default="")
    property: str = field("The path to the field.", empty="absent", default="")
    origin: Origin | None = field("The file and line.", empty="absent", default=None, written=_origin_text)
    fixes: tuple[FieldFix, ...] = field(
        "The edit that mends the fault without a doubt.",
        path="fix",
        written=_fixes_text,
        empty="absent",
        default=(),
        repr=False,
        converter=_tuple,
    )
    """The edits that mend the fault, where there is no doubt about them."""

    def location(self) -> str:
        """Return package, channel, bundle and property in one text, as far as they apply."""
        parts = [
            f"package {self.package}" if self.package else "",
            f"channel {self.channel}" if self.channel else "",
            f"bundle {self.bundle}" if self.bundle else "",
            self.property,
        ]
        return ", ".join(filter(None, parts))

    def __str__(self) -> str:
        where = ": ".join(filter(None, [str(self.origin) if self.origin else "", self.location()]))
        text = f"{where}: {self.severity}: {self.message}" if where else f"{self.severity}: {self.message}"
        return f"{text} ({self.hint})" if self.hint else text

    def repeated_in(self, bundles: Sequence[str]) -> Finding:
        """Return the finding with a message that names further *bundles* with the same fault, if there are any."""
        if not bundles:
            return self
        noun = "bundle" if len(bundles) == 1 else "bundles"
        message = f"{self.message}; the same in {len(bundles)} other {noun}: {shortlist(bundles)}"
        return evolve(self, message=message)


def error_finding(code: str, message: str, hint: str = "", **location: Any) -> Finding:
    """Return a finding of severity error; *location* has further fields of :class:`Finding`."""
    return Finding(Severity.ERROR, code, message, hint, **location)


def listed_names(names: Sequence[str], separator: str = ", ") -> str:
    """Return *names* in one text: the first ten, and the number of the others."""
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return separator.join(map(shortened, names[:_MOST_NAMES])) + more


def shortlist(names: Sequence[str]) -> str:
    """Return *names* in one text: all of them up to three, else the first two and the last."""
    if len(names) <= _SHORT_LIST:
        return ", ".join(map(shortened, names))
    return f"{shortened(names[0])}, {shortened(names[1])} ... {shortened(names[-1])}"


def shortened(text: object) -> str:
    """Return *text* cut to the length of a message: texts in catalogs may be a thousand times as long as a line."""
    whole = str(text)
    return whole if len(whole) <= _LONGEST else f"{whole[:_LONGEST]}..."
