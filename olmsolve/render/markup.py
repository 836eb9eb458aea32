"""Elements of HTML and SVG as text, escaped as they are made: strangers write names and messages.

>>> element("p", "a < b ", element("b", "bold"), class_="note")
'<p class="note">a &lt; b <b>bold</b></p>'
"""

from __future__ import annotations

import html
from collections.abc import Iterable
from functools import cache

from olmsolve.render.layout import plain

_VOID = frozenset({"br", "hr", "input", "link", "meta"})


@cache
def _attribute_name(attribute: str) -> str:
    """Return the name of an attribute; pages of a whole catalog have half a million, with a few dozen names."""
    return attribute.rstrip("_").replace("_", "-")


class Markup(str):
    """Text that is markup already; every other text is escaped when it becomes part of an element."""

    __slots__ = ()


def text(value: str) -> Markup:
    """Return *value* as the content of an element, escaped, and with control characters shown as escapes."""
    return Markup(html.escape(plain(value), quote=False))


def element(name: str, /, *children: str, **attributes: str | int | bool | None) -> Markup:
    """Return the element *name*. In names of attributes, a trailing ``_`` is dropped and others become hyphens.

    An attribute that is None or False is left out, one that is True has no value.
    """
    opening = [name]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        shown = _attribute_name(key)
        if value is True:
            opening.append(shown)
        elif isinstance(value, int):
            opening.append(f'{shown}="{value}"')
        else:
            opening.append(f'{shown}="{html.escape(plain(value))}"')
    if name in _VOID:
        return Markup(f"<{' '.join(opening)}>")
    return Markup(f"<{' '.join(opening)}>{joined(children)}</{name}>")


def joined(parts: Iterable[str], separator: str = "") -> Markup:
    """Join *parts*, and escape all but markup."""
    return Markup(separator.join(part if isinstance(part, Markup) else text(part) for part in parts))
