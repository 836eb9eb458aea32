"""Edits that mend a finding without a doubt, as data: one field of one document is renamed, set, quoted or left out."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable
from typing import Any, Final, TypeAlias, assert_never

import olmsolve._attrs as attrs
from olmsolve._patterns import pattern
from olmsolve.catalog import Origin
from olmsolve.predicates import folded

FieldPath: TypeAlias = tuple[str | int, ...]
"""The way to a field of a document: keys in the form that all their spellings share, and positions in lists."""


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
    key = next((key for key in value if folded(key) == step), None)
    if key is None:
        return value
    if inner_path:
        return {
            name: _mended(content, tuple(inner_path), fix) if name == key else content
            for name, content in value.items()
        }
    if fix.edit is Edit.RENAME:
        if fix.text in value:
            return value
        return {fix.text if name == key else name: content for name, content in value.items()}
    if fix.edit is Edit.REMOVE:
        return {name: content for name, content in value.items() if name != key}
    return {**value, key: fix.text if fix.edit is Edit.SET else None}
