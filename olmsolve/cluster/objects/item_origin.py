"""The position of an object that is an item of a List, as kubectl prints many objects: the line where the item begins.

Reading keeps the line of a document alone, because few objects are ever named in a message. So the file of an item that
is named is looked at once more: its lines, for YAML as kubectl writes it, or the brackets of its JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import IO, Final

import olmsolve._attrs as attrs
from olmsolve._patterns import pattern
from olmsolve.catalog import Origin
from olmsolve.catalog.fbc import DOCUMENT, TextSource
from olmsolve.errors import CatalogError

_SIGNS: Final = pattern(r'"(?:[^"\\]|\\.)*"|[{}\[\]]')


@attrs.frozen
class ItemOrigin(Origin):
    """The position of item number *item* (from 1) of *items* in the List of a document."""

    item: int = 0
    items: int = 0
    kept: Callable[[], bytes] | None = attrs.field(default=None, eq=False, repr=False)

    def __str__(self) -> str:
        if self.line is None:
            return super().__str__()
        kept, where = self.kept, (self.file, self.line, self.items)
        lines = item_lines(*where) if kept is None else kept_item_lines(kept, *where)
        return f"{self.file}:{lines[self.item - 1]}" if lines else f"{super().__str__()}, item {self.item}"


# Finding the lines reads the whole file, and a report about one dump names many objects of the same List.
@lru_cache(maxsize=64)
def item_lines(file: str, line: int, items: int) -> tuple[int, ...]:
    """Return the lines of the *items* of the List that begins on *line* of *file*; none where they cannot be told."""
    try:
        with Path(file).open("rb") as opened:
            return _item_lines(opened, file, line, items)
    except (CatalogError, OSError, ValueError):
        return ()  # the file has gone, or has changed


# One stream: a process has one standard input, and a cache must not hold many texts.
@lru_cache(maxsize=1)
def kept_item_lines(kept: Callable[[], bytes], file: str, line: int, items: int) -> tuple[int, ...]:
    """Return what :func:`item_lines` does, of the text that was *kept* of a stream, which cannot be read once more."""
    try:
        return _item_lines(BytesIO(kept()), file, line, items)
    except (CatalogError, ValueError):
        return ()


def _item_lines(opened: IO[bytes], file: str, line: int, items: int) -> tuple[int, ...]:
    lines = _text(TextSource(opened, file)).split("\n")[line - 1 :]
    first = next((listed_line for listed_line in lines if listed_line.strip()), "")
    positions = _json_lines("\n".join(lines)) if first.lstrip().startswith("{") else _yaml_lines(lines)
    numbers = tuple(line + position for position in positions)
    return numbers[:items] if len(numbers) >= items else ()


def _text(source: TextSource) -> str:
    pieces, length = [], 0
    for piece in source.text():
        pieces.append(piece)
        length += len(piece)
        if length > DOCUMENT:
            return ""
    return "".join(pieces)


def _yaml_lines(lines: list[str]) -> Iterator[int]:
    """Yield the lines (from 0) with the dashes below ``items:``, up to the next document or field of the List."""
    indent: int | None = None
    is_inside = False
    for number, line in enumerate(lines):
        if line.startswith(("---", "...")) and number:
            return
        content = line.lstrip(" ")
        if not content or content.startswith("#"):
            continue
        depth = len(line) - len(content)
        is_dash = content.startswith("- ") or content == "-"
        if not is_inside:
            is_inside = not depth and line.rstrip() == "items:"
            continue
        indent = depth if indent is None else indent
        if depth < indent or (depth == indent and not is_dash):
            return
        if depth == indent:
            yield number


def _json_lines(text: str) -> Iterator[int]:
    """Yield the lines (from 0) where the objects in the list ``items`` of the first object of *text* begin."""
    depth, line, looked = 0, 0, 0
    key, is_items = "", False
    for match in _SIGNS.finditer(text):
        sign = match[0]
        if sign[0] == '"':
            key = sign if depth == 1 else key
            continue
        if sign in "{[":
            depth += 1
            is_items = key == '"items"' if depth == 2 and sign == "[" else is_items
            if depth == 3 and is_items:
                line += text.count("\n", looked, match.start())
                looked = match.start()
                yield line
            continue
        depth -= 1
        is_items = is_items and depth >= 2
        if not depth:
            return
