"""Lists of packages, channels and bundles as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from olmsolve.authoring import Listed
from olmsolve.render.layout import Style, plain

_COLUMNS: Final[Mapping[str, Mapping[str, str]]] = {
    "packages": {
        "NAME": "name",
        "DISPLAY NAME": "displayName",
        "DEFAULT CHANNEL": "defaultChannel",
        "HEAD": "head",
        "CHANNELS": "channels",
        "BUNDLES": "bundles",
        "DEPRECATED": "deprecated",
    },
    "channels": {
        "PACKAGE": "package",
        "CHANNEL": "name",
        "HEAD": "head",
        "ENTRIES": "entries",
        "DEFAULT": "isDefault",
        "DEPRECATED": "deprecated",
    },
    "bundles": {
        "PACKAGE": "package",
        "CHANNEL": "channel",
        "BUNDLE": "name",
        "VERSION": "version",
        "REPLACES": "replaces",
        "SKIPS": "skips",
        "SKIP RANGE": "skipRange",
        "IMAGE": "image",
        "DEPRECATED": "deprecated",
    },
}
_OPTIONAL: Final = frozenset({"DISPLAY NAME", "SKIPS", "SKIP RANGE", "DEPRECATED"})


def catalog_list_text(rows: Sequence[Mapping[str, Any]], what: Listed, *, width: int = 80, colour: bool = False) -> str:
    """Return *rows*, which :func:`olmsolve.authoring.listing` gives for *what*, as a table as wide as it has to be.

    Columns that would be empty are left out. *width* is that of other texts; names are never cut.
    """
    style = Style(width, colour)
    if not rows:
        return f"There are no {what}."
    cells = {
        heading: [_cell(row[field]) for row in rows]
        for heading, field in _COLUMNS[what].items()
        if heading not in _OPTIONAL or any(row[field] for row in rows)
    }
    widths = {heading: max(len(heading), *map(len, column)) for heading, column in cells.items()}
    lines = ["  ".join(heading.ljust(widths[heading]) for heading in cells).rstrip()]
    lines.extend(
        "  ".join(column[index].ljust(widths[heading]) for heading, column in cells.items()).rstrip()
        for index in range(len(rows))
    )
    lines[0] = style.bold(lines[0])
    return "\n".join(lines)


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else ""
    return plain(", ".join(value) if isinstance(value, list) else str(value))
