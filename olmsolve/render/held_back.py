"""What is held back, as lines: newer bundles with one reason in one line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from olmsolve.answers import version_ranges
from olmsolve.render.layout import Style, counted, paragraph

_SHOWN: Final = 8


def held_back_lines(entries: Sequence[Mapping[str, Any]], style: Style, heading: str = "Held back:") -> list[str]:
    """Return lines about the *entries* of ``heldBack`` in a document, or none without entries.

    Bundles of one catalog with the same obstacles share a line; the newest comes first.
    """
    if not entries:
        return []
    mentioned = [entry["version"] for entry in entries]
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for entry in entries:
        clauses = "; ".join(obstacle["text"] for obstacle in entry["obstacles"])
        groups.setdefault((entry["catalog"], clauses), []).append(entry)
    lines = [style.bold(heading)]
    for (catalog, clauses), group in list(groups.items())[:_SHOWN]:
        if len(group) == 1:
            name = f"{group[0]['bundle']} ({catalog})"
        else:
            versions = version_ranges([entry["version"] for entry in group], mentioned)
            name = f"{versions} ({counted(len(group), 'bundle')}, {catalog})"
        lines += paragraph(f"{name}: {clauses}", style.width, indent="  ", hanging="      ")
    rest = [entry for group in list(groups.values())[_SHOWN:] for entry in group]
    if rest:
        lines.append(f"  ... and {counted(len(rest), 'bundle')} more, for other reasons")
    return lines
