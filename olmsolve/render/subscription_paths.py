"""Upgrade paths of a request's subscriptions as text, made from their documents, which docs/cluster.md describes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from olmsolve.render.extension import path_text
from olmsolve.render.layout import paragraph


def subscription_paths_text(paths: Iterable[Mapping[str, Any]], *, width: int = 80, colour: bool = False) -> str:
    """Return the path of each subscription under a line that names it, its package, catalog and channel."""
    blocks = []
    for each in paths:
        found = each["path"]
        where = f" from {each['catalog']}" if each["catalog"] else ""
        channel = f", channel {found['channel']}" if found else ""
        lines = paragraph(f"subscription {each['subscription']}: {each['package']}{where}{channel}", width)
        if found:
            lines.append(path_text(found, width=width, colour=colour))
        else:
            lines += paragraph(each["reason"], width, indent="  ")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)
