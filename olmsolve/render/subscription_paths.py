"""The upgrade paths of a request's subscriptions as text."""

from __future__ import annotations

from collections.abc import Iterable

from olmsolve.classic import SubscriptionPath
from olmsolve.render.extension import path_text
from olmsolve.render.layout import paragraph


def subscription_paths_text(found: Iterable[SubscriptionPath], *, width: int = 80, colour: bool = False) -> str:
    """Return the path of each subscription under a line that names it, its package, channel and catalog."""
    blocks = []
    for each in found:
        where = f" from {each.catalog}" if each.catalog else ""
        channel = f", channel {each.path.channel}" if each.path is not None else ""
        lines = paragraph(f"subscription {each.subscription}: {each.package}{where}{channel}", width)
        if each.path is None:
            lines += paragraph(each.reason, width, indent="  ")
        else:
            lines.append(path_text(each.path.to_dict(), width=width, colour=colour))
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)
