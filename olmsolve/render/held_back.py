"""What is held back, as lines: newer bundles with one reason in one line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from olmsolve.answers import ranges_among
from olmsolve.render.layout import Style, counted, paragraph

_SHOWN: Final = 8


def held_back_lines(entries: Sequence[Mapping[str, Any]], style: Style, heading: str = "Held back:") -> list[str]:
    """Return lines about the *entries* of ``heldBack`` in a document, or none without entries."""
    groups = held_back_groups(entries)
    if not groups:
        return []
    lines = [style.bold(heading)]
    for text in groups[:_SHOWN]:
        lines += paragraph(text, style.width, indent="  ", hanging="      ")
    if len(groups) > _SHOWN:
        lines.append(f"  ... and more for {counted(len(groups) - _SHOWN, 'other reason')}; the JSON form has all")
    return lines


def held_back_groups(entries: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the *entries* of ``heldBack`` in a document as texts, the newest first.

    Bundles of one catalog with the same obstacles share a text.
    """
    mentioned = [entry["version"] for entry in entries]
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for entry in entries:
        clauses = "; ".join(obstacle["text"] for obstacle in entry["obstacles"])
        groups.setdefault((entry["catalog"], clauses), []).append(entry)
    texts: list[str] = []
    for (catalog, clauses), group in groups.items():
        if len(group) == 1:
            name = f"{group[0]['bundle']} ({catalog})"
        else:
            versions = ranges_among([entry["version"] for entry in group], mentioned)
            name = f"{versions} ({counted(len(group), 'bundle')}, {catalog})"
        texts.append(f"{name}: {clauses}")
    return texts
