"""Findings of checks, and the edits that mend them without a doubt, as data."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final, TypeAlias, assert_never

import olmsolve._attrs as attrs
from olmsolve._patterns import pattern
from olmsolve._records import Record, evolve, field, record
from olmsolve.catalog import Bundle, Origin
from olmsolve.predicates import folded

FieldPath: TypeAlias = tuple[str | int, ...]
"""The way to a field of a document: keys in the form that all their spellings share, and positions in lists."""


# "properties[2] (olm.constraint): all.constraints[0]" is the field, its type in brackets, and the path inside of it.
_PROPERTY: Final = pattern(r"(?P<head>[^ ]*)(?P<type> \(.*?\))?(?:: (?P<inside>.*))?", re.DOTALL)
_STEP: Final = pattern(r"\[(\d+)\]|([^.\[\]]+)")


def path_steps(path: str) -> FieldPath:
    """Return the steps of a written path.

    >>> path_steps("entries[2].skips[0]")
    ('entries', 2, 'skips', 0)
    """
    return tuple(int(index) if index else folded(key) for index, key in _STEP.findall(path))


def property_steps(path: str) -> FieldPath:
    """Return the steps of the property of a finding, which has the type of a bundle's property in it.

    >>> property_steps("properties[3] (olm.constraint): all.constraints[1]")
    ('properties', 3, 'value', 'all', 'constraints', 1)
    """
    match = _PROPERTY.fullmatch(path)
    if match is None:
        return ()
    inside = path_steps(match["inside"] or "")
    return (*path_steps(match["head"]), *(("value", *inside) if match["type"] else inside))


class Edit(enum.StrEnum):
    """The kind of a change to a field."""

    RENAME = "rename"
    """The field gets another name."""
    SET = "set"
    """The value, a text, becomes another."""
    QUOTE = "quote"
    """The value, a number or boolean, is put in quotes as it is written."""
    REMOVE = "remove"
    """The field is left out."""


@attrs.frozen
class FieldFix:
    """The *edit* of the field at *path* of the document at *origin*; *text* is the new name or the new value.

    *origin* is None as long as the finding has none.
    """

    edit: Edit
    path: FieldPath
    text: str = ""
    origin: Origin | None = None

    def __str__(self) -> str:
        match self.edit:
            case Edit.RENAME:
                return f"rename the field to {self.text}"
            case Edit.SET:
                return f"write {self.text}"
            case Edit.QUOTE:
                return "put the value in quotes"
            case Edit.REMOVE:
                return "leave the field out"
            case _:
                assert_never(self.edit)


def mended(value: dict[str, Any], fixes: Iterable[FieldFix]) -> dict[str, Any]:
    """Return a copy of the blob *value* after *fixes*; one that does not apply to it changes nothing.

    A value that is quoted becomes None, since its text is known to the file alone.
    """
    # The deepest fields come first, because a path has the keys as they were.
    for fix in sorted(fixes, key=lambda fix: -len(fix.path)):
        value = _mended(value, fix.path, fix)
    return value


def _mended(value: Any, path: FieldPath, fix: FieldFix) -> Any:
    step, *inner_path = path
    if isinstance(value, list) and isinstance(step, int) and step < len(value):
        element = _mended(value[step], tuple(inner_path), fix) if inner_path else fix.text
        return [*value[:step], element, *value[step + 1 :]] if inner_path or fix.edit is Edit.SET else value
    if not isinstance(value, dict):
        return value
    # Paths have folded names, since opm takes a field in any letter case.
    key = next((key for key in value if folded(key) == step), None)
    if key is None:
        return value
    if inner_path:
        return {
            name: _mended(content, tuple(inner_path), fix) if name == key else content
            for name, content in value.items()
        }
    if fix.edit is Edit.RENAME:
        # The right name is there as well: renaming would lose one of the two values.
        if fix.text in value:
            return value
        return {fix.text if name == key else name: content for name, content in value.items()}
    if fix.edit is Edit.REMOVE:
        return {name: content for name, content in value.items() if name != key}
    return {**value, key: fix.text if fix.edit is Edit.SET else None}


# Characters of a text in a message, which is a line: a catalog may have a text that is a thousand times as long.
_LONGEST: Final = 200
# Names in a message: a channel may have a thousand stranded entries, and ten show which ones are meant.
_MOST_NAMES: Final = 10
# Names by version: the two ends and one more show the range, as in "v1.0.0, v1.0.1 ... v1.9.3".
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


def on_bundle(
    severity: Severity,
    code: str,
    message: str,
    bundle: Bundle,
    path: str = "",
    hint: str = "",
    fixes: tuple[FieldFix, ...] = (),
) -> Finding:
    """Return a finding about *bundle*, or about its field at *path*."""
    location: dict[str, Any] = {"package": bundle.package, "bundle": bundle.name, "property": path}
    return Finding(severity, code, message, hint, **location, origin=bundle.origin, fixes=fixes)


def placed(finding: Finding, origin: Origin, **location: Any) -> Finding:
    """Return *finding* and its fixes in the document at *origin*; *location* has the fields that name its object."""
    fixes = [attrs.evolve(fix, origin=origin) for fix in finding.fixes]
    return evolve(finding, origin=origin, fixes=fixes, **location)


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
