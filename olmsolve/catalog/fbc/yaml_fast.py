"""Usual YAML, in block style as machines write it, read line by line.

A document is taken only if the careful reader (:mod:`olmsolve.catalog.fbc.yaml_text`) would take it with the same
value: mappings and lists in block style, scalars in every style. Anchors, aliases, tags, comments behind values, keys
other than plain words, and everything unusual or wrong are left to that reader, document by document.

Catalogs repeat their lines: ``  type: olm.gvk`` comes thousands of times. So each distinct line is parsed once, and a
document is mostly a look-up for each line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from olmsolve._limits import check, checked
from olmsolve.catalog.fbc.document import DEPTH, Document, OutsideJsonError, refuse_dense_yaml
from olmsolve.catalog.fbc.yaml_lines import (
    BLANK,
    COMMENT,
    LIST,
    LITERAL,
    MAPPING,
    MORE,
    NESTED,
    PLAIN,
    SINGLE,
    SINGLE_QUOTED,
    UNUSUAL,
    YamlLine,
    YamlPart,
    folded,
    parsed,
    usual_flow,
    yaml_parts,
)
from olmsolve.catalog.fbc.yaml_scalars import plain_scalar
from olmsolve.catalog.origins import Origin, unchecked_origin
from olmsolve.errors import CatalogError

if TYPE_CHECKING:
    from olmsolve.catalog.fbc import yaml_text
    from olmsolve.catalog.fbc.yaml_cursor import Note

_USUAL_ASCII: Final = bytes([0x09, 0x0A, *range(0x20, 0x7F)])
_NOWHERE: Final = -2  # a column in which no line begins
_DEPTH: Final = 100  # of open lists and mappings in block style; flow style inside may take the rest of DEPTH
_REMEMBERED: Final = 1 << 16  # different lines
_LINES: Final = 2_000  # between two looks at the limits


def documents(
    pieces: Iterator[str],
    file: str,
    *,
    number: int = 1,
    line: int = 1,
    skip_empty: bool = False,
    note: Note = None,
) -> Iterator[Document]:
    """Yield the documents of the YAML text in *pieces*, exactly as :func:`.yaml_text.documents` does.

    Documents and lines are counted from *number* and *line*. With *skip_empty*, empty documents are passed over.
    *note* is called with the places where YAML's specification reads something else, and where text is ignored, because
    it follows the end of a document.
    """
    # Of the 48,727 lines of 1,500 blobs of community-prod, 6,284 differ: they load in 58 ms, and in 113 with each line
    # parsed.
    memory: dict[str, YamlLine] = {}
    repeats: yaml_text.Repeats | None = None
    for part in yaml_parts(pieces, file, number=number, line=line):
        refuse_dense_yaml(part.text, file, part.number, part.line)
        usual = _usual_document(part.text, memory, is_remarked=note is not None)
        if usual is not None:
            value, lines_before = usual
            yield Document(value, unchecked_origin(Origin, file, part.number, part.line + lines_before, None))
            continue
        # Imported on first use, as everywhere here: usual documents need no careful reader, which takes 2.5 ms to load.
        from olmsolve.catalog.fbc import yaml_text

        repeats = repeats or yaml_text.Repeats()
        if (document := yaml_text.document(part, file, repeats, note)) is not None:
            yield document
        elif not skip_empty:
            yaml_text.refuse_empty(part, file)


def _usual_document(part: str, memory: dict[str, YamlLine], *, is_remarked: bool) -> tuple[dict[str, Any], int] | None:
    """Return the document in *part* and the number of lines before it; None where the careful reader must look.

    With *is_remarked*, it must look at a key that occurs twice, of which the last one wins.
    """
    if part.isascii():
        # Bytes that are left when the usual ones are deleted: the expression below would make that 62 ms.
        if part.encode("ascii").translate(None, _USUAL_ASCII):
            return None
    elif _unusual_sign().search(part):
        return None
    if len(memory) > _REMEMBERED:
        memory.clear()
    lines = part.split("\n")
    lines.pop()
    return _BlockParser(lines, memory, is_remarked=is_remarked).document()


@cache
def _unusual_sign() -> re.Pattern[str]:
    """Return the pattern of a character that usual text does not have; Python takes four milliseconds to compile it."""
    return re.compile(r"[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")


def _careful_value(text: str) -> dict[str, Any]:
    """Return the mapping that the careful reader finds in *text*, {} where it finds a fault, an alias or a remark."""
    from olmsolve.catalog.fbc import yaml_text

    remarks: list[Any] = []
    try:
        document = yaml_text.document(YamlPart(text, 1, 1), "", yaml_text.Repeats(0), remarks.append)
    except (CatalogError, ValueError):
        return {}
    return document.value if document is not None and not remarks else {}


def _careful_scalar(text: str) -> str | None:
    """Return the scalar in double quotes or block style that is all of *text*, as a value at the margin; else None."""
    from olmsolve.catalog.fbc.yaml_cursor import BLANKS, BREAKS, END, Cursor, YamlSyntaxError
    from olmsolve.catalog.fbc.yaml_token_texts import block_scalar, quoted_scalar

    cursor = Cursor(text)
    try:
        value = quoted_scalar(cursor) if text[0] == '"' else block_scalar(cursor, 0)
    except YamlSyntaxError:
        return None
    is_all = not cursor.text[cursor.position :].strip(BLANKS + BREAKS + END)
    return value if is_all and not cursor.uses else None


class _BlockParser:
    """One document's lines, and the lists and mappings that are open."""

    def __init__(self, lines: list[str], memory: dict[str, YamlLine], *, is_remarked: bool) -> None:
        self._lines = lines
        self._is_remarked = is_remarked
        self._memory = memory

    def document(self) -> tuple[dict[str, Any], int] | None:
        """Return the document and the number of lines before it; None for an unusual one."""
        first = self._content_line()
        root = self._root_mapping(first)
        return (root, first) if root else None

    def _content_line(self) -> int:
        """Return the line that the document's content begins on."""
        lines = self._lines
        first = self._skip_blank(0)
        if first < len(lines) and lines[first].rstrip(" ") == "---":
            first = self._skip_blank(first + 1)
        return first

    def _skip_blank(self, index: int) -> int:
        for position in checked(range(index, len(self._lines)), every=_LINES):
            if parsed(self._lines[position]).kind not in (BLANK, COMMENT):
                return position
        return len(self._lines)

    def _root_mapping(self, index: int) -> dict[str, Any] | None:
        """Return the mapping at the margin from line *index* to the last one; None for anything unusual.

        One long loop over the lines, because a call for each line would take longer than the line itself.
        """
        lines, memory, is_remarked = self._lines, self._memory, self._is_remarked
        count = len(lines)
        root: dict[str, Any] = {}
        # The innermost open list or mapping, and its column; around it, the others.
        top: Any = root
        column, is_list = 0, False
        outer: list[tuple[Any, int, bool]] = []
        # The key whose value is still to come; the last line, if its value may go on.
        waiting: str | None = None
        last: YamlLine | None = None
        # Most lines are a key and a value in the open mapping: their `simple` is the column of that mapping, and one
        # comparison is enough, which is 2 % of loading. In the mapping at column 4, "    kind: Db" has the simple
        # column 4.
        expected = 0
        parsed_line = memory.get
        # Between two looks at the limits, in about a millisecond, no line costs more for them.
        while index < count:
            check()
            stop = min(index + _LINES, count)
            while index < stop:
                line = lines[index]
                seen = parsed_line(line)
                if seen is None:
                    seen = memory[line] = parsed(line)
                if seen[0] == expected:
                    if is_remarked and seen[3] in top:
                        return None
                    top[seen[3]] = seen[5]
                    index += 1
                    last = seen
                    continue
                _, indent, is_element, key, kind, value, text = seen
                if kind >= BLANK:
                    if kind == UNUSUAL and (waiting is not None or last is None):
                        return None
                    if kind == BLANK:
                        index += 1
                        continue
                    if kind == COMMENT:
                        index += 1
                        last = None
                        continue
                    indent = len(line) - len(line.lstrip(" "))
                    if indent <= column:
                        return None
                if waiting is not None:
                    if indent > column or (is_element and indent == column):
                        inner: Any = [] if is_element else {}
                        top[waiting] = inner
                        outer.append((top, column, is_list))
                        top, column, is_list = inner, indent, is_element
                    waiting = None
                elif indent > column:
                    if last is None or last.kind != PLAIN:
                        return None
                    # There are only blank lines between the continued line and this one.
                    begin = index
                    while not lines[begin - 1].strip(" "):
                        begin -= 1
                    continued = self._plain_scalar(last.text, begin, column)
                    if continued is None:
                        return None
                    value, index = continued
                    top[-1 if last.key is None else last.key] = value
                    last = None
                    continue
                while indent < column or (indent == column and is_list and not is_element):
                    if not outer:
                        return None
                    top, column, is_list = outer.pop()
                if indent != column or is_list != is_element or len(outer) > _DEPTH:
                    return None
                index += 1
                if is_element:
                    if key is None:
                        top.append(value)
                    else:
                        inner = {key: value}
                        top.append(inner)
                        outer.append((top, column, True))
                        top, column, is_list = inner, indent + 2, False
                elif is_remarked and key in top:
                    return None
                else:
                    top[key] = value
                if kind > PLAIN:
                    if kind == NESTED:
                        waiting = key
                    else:
                        value_and_index = self._continued_value(kind, text, index, column)
                        if value_and_index is None:
                            return None
                        value, index = value_and_index
                        top[-1 if key is None else key] = value
                last = seen
                expected = column if waiting is None and not is_list else _NOWHERE
        return root

    def _continued_value(self, kind: int, text: str, index: int, column: int) -> tuple[Any, int] | None:
        """Return a value that goes on behind its first line, deeper than *column*, and the line after it."""
        if kind == LIST:
            return [], index
        if kind == MAPPING:
            return {}, index
        if kind == LITERAL:
            return self._literal_text(text, index, column)
        end = self._block_end(index, column)
        more = self._lines[index:end]
        if any("\t" in line for line in more):
            return None
        if kind == SINGLE:
            match = SINGLE_QUOTED.fullmatch(folded([text, *more]))
            return (match[1].replace("''", "'"), end) if match else None
        assert kind == MORE
        if text[0] not in "[{":
            scalar = _careful_scalar("\n".join([text, *(line[column:] for line in more), ""]))
            return (scalar, end) if scalar is not None else None
        if (flow := usual_flow(text)) is not None:
            return flow, index
        piece = "\n".join([f"k: {text}", *(line[column:] for line in more), ""])
        if any(sign in piece for sign in "&*!"):
            return None
        if piece.count("[") + piece.count("{") > DEPTH - _DEPTH:
            return None
        inner = _careful_value(piece)
        return (inner["k"], end) if list(inner) == ["k"] else None

    def _block_end(self, index: int, column: int) -> int:
        """Return the first line from *index* on that is not deeper than *column*."""
        lines = self._lines
        inside = " " * (column + 1)
        for position in checked(range(index, len(lines)), every=_LINES):
            if not lines[position].startswith(inside) and lines[position].strip(" "):
                return position
        return len(lines)

    def _plain_scalar(self, text: str, index: int, column: int) -> tuple[Any, int] | None:
        """Return the plain scalar that begins with *text* and goes on from line *index*, and the line after it."""
        end = self._block_end(index, column)
        more = [line.strip(" ") for line in self._lines[index:end]]
        for line in checked(more, every=_LINES):
            if ": " in line or " #" in line or "\t" in line or line.endswith(":") or line.startswith("#"):
                return None
        try:
            return plain_scalar(folded([text, *more])), end
        except OutsideJsonError:
            return None

    def _literal_text(self, chomping: str, index: int, column: int) -> tuple[str, int] | None:
        """Return the literal text (``|``) from line *index* on, as deep as its first line, and the line after it."""
        lines = self._lines
        count = len(lines)
        start = index
        index = next(
            (position for position in checked(range(start, count), every=_LINES) if lines[position].strip(" ")), count
        )
        if index == count:
            return None
        content = lines[index].lstrip(" ")
        depth = len(lines[index]) - len(content)
        widest = max(map(len, lines[start:index]), default=0)
        if depth <= column or depth < widest or content[0] == "\t":
            return None
        index = self._block_end(index, depth - 1)
        text = "\n".join([line[depth:] for line in lines[start:index]])
        body = text.rstrip("\n")
        if chomping == "-":
            return body, index
        return (f"{text}\n" if chomping == "+" else f"{body}\n"), index
