"""Plans for several cluster extensions as text, made from the documents of their ``to_dict()`` (docs/v1.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from olmsolve.render.held_back import held_back_groups
from olmsolve.render.layout import Style, counted, paragraph


def extension_plan_text(document: Mapping[str, Any], *, width: int = 80, colour: bool = False) -> str:
    """Return a plan as text: a paragraph for each extension, then for each further package, then the failures."""
    style = Style(width, colour)
    wished = [each for each in document["planned"] if not each["further"]]
    further = [each for each in document["planned"] if each["further"]]
    lines = [style.bold(_heading(wished, document["failed"]))]
    for each in wished:
        lines += _planned_lines(each, style)
    if further:
        lines += ["", *map(style.bold, paragraph("Needed besides, which OLM v1 does not install by itself:", width))]
        for each in further:
            lines += _planned_lines(each, style)
    if document["failed"]:
        lines += ["", style.bold("Failing by themselves:")]
        for failure in document["failed"]:
            text = f"{failure['extension'] or failure['package']}: {failure['error']}"
            lines += paragraph(text, width, indent="  ", hanging="      ")
            if note := failure.get("note"):
                lines += paragraph(f"({note})", width, indent="    ", hanging="      ")
    return "\n".join(lines)


def _heading(wished: Sequence[Mapping[str, Any]], failed: Sequence[object]) -> str:
    allowed = [each for each in wished if not each["refusal"]]
    stays = sum(_stays(each) for each in allowed)
    updated = sum(bool(each["installed"]) for each in allowed) - stays
    new = len(allowed) - stays - updated
    counts = [(stays, "stays", "stay"), (updated, "is updated", "are updated"), (new, "is new", "are new")]
    counts.append((len(wished) - len(allowed), "is refused", "are refused"))
    counts.append((len(failed), "fails", "fail"))
    parts = [f"{count} {one if count == 1 else many}" for count, one, many in counts if count]
    return f"{counted(len(wished) + len(failed), 'extension')}: {', '.join(parts) or 'nothing to do'}"


def _stays(planned: Mapping[str, Any]) -> bool:
    return bool(planned["installed"] == planned["bundle"])


def _planned_lines(planned: Mapping[str, Any], style: Style) -> Iterator[str]:
    name = f"{planned['bundle']} ({planned['catalog'] or 'from no catalog'})"
    # OLM v1 installs nothing that it refuses, and no further package by itself.
    will = "would" if planned["refusal"] or planned["further"] else "will"
    if _stays(planned):
        text = f"{name} stays"
    elif planned["installed"]:
        text = f"{name} {will} replace {planned['installed']}"
    else:
        text = f"{name} {will} be installed"
    whose = f"{planned['extension']}: " if planned["extension"] else ""
    yield from paragraph(f"{whose}{text}", style.width, indent="  ", hanging="      ")
    details = [requirement["text"] for requirement in planned["requirements"]]
    if planned["refusal"]:
        details.append(f"OLM v1 itself refuses it: {planned['refusal']}")
    details += [f"passed over: {passed['text']}" for passed in planned["passedOver"]]
    details += [f"held back: {group}" for group in held_back_groups(planned["heldBack"])]
    for detail in details:
        yield from paragraph(detail, style.width, indent="    ", hanging="      ")
