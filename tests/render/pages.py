"""Pages as a parser sees them: elements, attributes and text, each element closed where it must be."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Final

__all__ = ["Elements", "parsed"]

_VOID: Final = frozenset({"meta", "input"})


class Elements(HTMLParser):
    """The elements of a page with their attributes (*elements*), and its *text*."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self.deepest = 0
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {key: value or "" for key, value in attrs}))
        if tag not in _VOID:
            self._open.append(tag)
            self.deepest = max(self.deepest, len(self._open))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] not in ("style", "script"):
            self.text += data

    def close(self) -> None:
        super().close()
        assert self._open == []


def parsed(page: str) -> Elements:
    """Return the content of *page*; fail if an element is not closed."""
    elements = Elements()
    elements.feed(page)
    elements.close()
    return elements
