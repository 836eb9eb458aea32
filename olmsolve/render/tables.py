"""Tables: packages, channels and bundles of catalogs, and what each SAT solver can do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from olmsolve.render.layout import Style, paragraph, plain, table

if TYPE_CHECKING:  # each table has a caller that has loaded its room
    from olmsolve.authoring import Listed
    from olmsolve.solver.backends import Backend

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


_HEADINGS = ("NAME", "ASSUMPTIONS", "CORES", "LIMITS", "PROOFS")


def backends_text(backends: Iterable[Backend], *, width: int = 80, colour: bool = False) -> str:
    """Return a line for each backend, and below the table why some cannot answer; *width* is in characters."""
    style = Style(width, colour)
    listed = list(backends)
    rows = [(each.name, *_abilities(each)) for each in listed if not each.missing]
    lines = table(_HEADINGS, rows, style.width) or ["  ".join(row) for row in (_HEADINGS, *rows)]
    lines[0] = style.bold(lines[0])
    for each in listed:
        if each.missing:
            lines.extend(paragraph(f"{each.name} cannot be used: {each.missing}", style.width, hanging="  "))
    return "\n".join(lines)


def _abilities(backend: Backend) -> tuple[str, str, str, str]:
    limits = "late" if backend.limits and not backend.punctual else _said(backend.limits)
    return _said(backend.assumptions), _said(backend.cores), limits, _said(backend.proofs)


def _said(can: bool) -> str:
    return "yes" if can else "no"
