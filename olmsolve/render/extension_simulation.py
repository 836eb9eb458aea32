"""Simulations of extensions as text, made from the documents of their ``to_dict()``, which docs/v1.md describes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from olmsolve.render.held_back import held_back_groups
from olmsolve.render.layout import Style, counted, paragraph


def extension_simulation_text(document: Mapping[str, Any], *, width: int = 80, colour: bool = False) -> str:
    """Return a simulation as text: the updates of each round, then where each extension ends."""
    style = Style(width, colour)
    lines: list[str] = []
    for each in document["rounds"]:
        lines.append(style.bold(f"Round {each['number']}"))
        for update in each["updates"]:
            start = f"{update['before']} > " if update["before"] else "new > "
            text = f"{_name(update)}: {start}{update['bundle']} ({update['catalog'] or 'from no catalog'})"
            lines += paragraph(text, width, indent="  ", hanging="      ")
        lines.append("")
    lines.append(style.bold(_heading(document)))
    for each in document["resting"]:
        text = f"{_name(each)}: {each['bundle']} ({each['catalog'] or 'from no catalog'}) stays"
        lines += paragraph(text, width, indent="  ", hanging="      ")
        for group in held_back_groups(each["heldBack"]):
            lines += paragraph(f"held back: {group}", width, indent="    ", hanging="      ")
    for each in document["failed"]:
        lines += paragraph(f"{_name(each)}: fails: {each['error']}", width, indent="  ", hanging="      ")
        if note := each.get("note"):
            lines += paragraph(f"({note})", width, indent="    ", hanging="      ")
    return "\n".join(lines)


def _name(document: Mapping[str, Any]) -> str:
    return str(document["extension"] or document["package"])


def _heading(document: Mapping[str, Any]) -> str:
    count = len(document["rounds"])
    after = f" after {counted(count, 'round')}" if count else ""
    if not document["resting"] and not document["failed"]:
        return "There are no extensions."
    return f"At rest{after}{'; some are left over' if document['failed'] else ''}:"
