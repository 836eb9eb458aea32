"""Elements of HTML and SVG as text, escaped where they are made: names and messages come from strangers."""

from __future__ import annotations

import html
from collections.abc import Iterable

from olmsolve.render.layout import plain

__all__ = ["Markup", "element", "joined", "text"]

_VOID = frozenset({"br", "hr", "input", "link", "meta"})


class Markup(str):
    """Text that is markup already; everything else is escaped on its way in."""

    __slots__ = ()


def text(value: str) -> Markup:
    """*value* as the content of an element, with control characters shown as escapes."""
    return Markup(html.escape(plain(value), quote=False))


def element(name: str, /, *children: str, **attributes: str | int | bool | None) -> Markup:
    """The element *name*; a trailing or inner ``_`` of an attribute's name is dropped or becomes a hyphen.

    An attribute that is None or False is left out, one that is True stands without a value.
    """
    opening = [name]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        shown = key.rstrip("_").replace("_", "-")
        opening.append(shown if value is True else f'{shown}="{html.escape(plain(str(value)))}"')
    if name in _VOID:
        return Markup(f"<{' '.join(opening)}>")
    return Markup(f"<{' '.join(opening)}>{joined(children)}</{name}>")


def joined(parts: Iterable[str], separator: str = "") -> Markup:
    """*parts* one after another, those that are no markup escaped."""
    return Markup(separator.join(part if isinstance(part, Markup) else text(part) for part in parts))
