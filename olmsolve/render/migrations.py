"""Classic OLM against OLM v1 as text: subscriptions with extensions in their place, and the updates of a package."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from olmsolve import v1
from olmsolve.lifecycle import Migration, Migrations
from olmsolve.render.layout import Style, counted, paragraph


def migrations_text(found: Migrations, *, width: int = 80, colour: bool = False) -> str:
    """Return for each subscription what both generations of OLM do, and what is different; *width* is in characters."""
    style = Style(width, colour)
    blocks = []
    for each in found.subscriptions:
        heading = f"subscription {each.subscription} as an extension of OLM v1:"
        lines = [*map(style.bold, paragraph(heading, width))]
        for text in _sentences(each):
            lines += paragraph(f"- {text}", width, indent="  ", hanging="    ")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) or "No subscription."


def _sentences(found: Migration) -> Iterator[str]:
    if isinstance(found.v1_error, v1.InstallationError):
        yield f"nothing: OLM v1 selects {found.v1} and does not install it"
    elif found.v1 and found.v1 == found.classic:
        yield f"the same bundle: {found.v1}"
    elif found.v1:
        yield f"{found.v1}, where classic OLM has {found.classic or 'no plan'}"
    else:
        yield f"nothing, where classic OLM has {found.classic or 'no plan either'}"
    for remark in found.remarks:
        yield str(remark)
    if found.further:
        yield f"needed besides, as extensions of their own: {', '.join(found.further)}"
    if found.v1_error:
        yield f"OLM v1: {found.v1_error}"
    if found.classic_reason:
        yield f"classic OLM: {found.classic_reason}"


def differences_text(entries: Sequence[Mapping[str, Any]], *, width: int = 80, colour: bool = False) -> str:
    """Return the updates of a package that differ, by channel: *entries* are the documents of ``v1.differences``."""
    style = Style(width, colour)
    if not entries:
        return "Classic OLM and OLM v1 update every version to the same bundle."
    lines = [style.bold(f"{counted(len(entries), 'installed version')} with another next update:")]
    channel = None
    for each in entries:
        if each["channel"] != channel:
            channel = each["channel"]
            lines += ["", *paragraph(f"channel {channel}", width)]
        text = f"{each['installed']}: classic {each['classic'] or 'stays'}, v1 {each['v1'] or 'stays'}"
        lines += paragraph(text, width, indent="  ", hanging="      ")
        lines += [style.dim(line) for line in paragraph(each["reason"], width, indent="    ")]
    return "\n".join(lines)
