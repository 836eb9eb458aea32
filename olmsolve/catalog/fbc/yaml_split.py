"""YAML text cut into documents, before any YAML is parsed, as Kubernetes' decoder cuts it.

The rules, as recorded from ``opm``:

* a line that begins with three dashes is a separator, wherever it stands (in a block of text too); only white space or
  a comment may follow the dashes;
* a separator ends the document before it and belongs to neither. At the beginning of a document it belongs to the
  document::

      a: 1          document 1 is "a: 1"
      ---
      ---           document 2 is "---", "b: 2"
      b: 2
      ---           ends document 2; nothing follows, so there is no document 3

* everything else belongs to a document, comments and blank lines as well: a comment before the first separator is a
  document of its own, which is empty;
* a carriage return before the end of a line is dropped, and the last line gets an end if it has none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NoReturn

from olmsolve._named_tuples import NamedTuple
from olmsolve.catalog.fbc.document import DOCUMENT, refuse

WHITE_SPACE: Final = "".join(map(chr, (*range(9, 14), 32, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B)))) + (
    "\u2028\u2029\u202f\u205f\u3000"
)
"""White space as Go has it; ``str.strip`` by itself takes some control characters as well."""

_DASHES: Final = "---"
_LINE_OF_DASHES: Final = "\n---"


class YamlPart(NamedTuple):
    """The text of one document, with its *number* in the file and the *line* on which it begins, both from 1."""

    text: str
    number: int
    line: int


def yaml_parts(pieces: Iterator[str], file: str, *, number: int = 1, line: int = 1) -> Iterator[YamlPart]:
    """Yield the documents of the YAML text in *pieces* as text, counted from *number* and *line*.

    Raises :class:`~olmsolve.errors.CatalogError` for a separator with something behind it, and for a document that is
    too long.
    """
    return _Splitter(pieces, file, number, line).parts()


class _Splitter:
    """A text, of which a window is kept that holds at least the document at hand."""

    def __init__(self, pieces: Iterator[str], file: str, number: int, line: int) -> None:
        self._pieces = pieces
        self._file = file
        self._number = number
        self._line = line
        self._text = ""
        self._begin = 0
        self._ended = False

    def parts(self) -> Iterator[YamlPart]:
        while True:
            while len(self._text) - self._begin < len(_DASHES) and not self._ended:
                self._grow()
            if self._text.startswith(_DASHES, self._begin):
                self._check_separator(self._begin, self._line)
            end = self._document_end()
            text = self._text[self._begin : end]
            if not text:
                return
            if "\r" in text:
                text = text.replace("\r\n", "\n")
            if text[-1] != "\n":
                text += "\n"
            line, self._line = self._line, self._line + text.count("\n")
            self._begin = end
            if end < len(self._text):
                self._check_separator(end, self._line)
                line_end = self._text.find("\n", self._begin)
                self._begin = line_end + 1 if line_end >= 0 else len(self._text)
                self._line += 1
            yield YamlPart(text, self._number, line)
            self._number += 1

    def _document_end(self) -> int:
        """Return where the document ends that begins here: at its separator, or at the end of the text."""
        start = self._begin
        while (dashes := self._text.find(_LINE_OF_DASHES, start)) < 0 and not self._ended:
            ahead = len(self._text) - self._begin
            start = max(0, ahead - len(_LINE_OF_DASHES))
            self._grow()
        end = dashes + 1 if dashes >= 0 else len(self._text)
        if end - self._begin > DOCUMENT:
            self._refuse_length()
        return end

    def _check_separator(self, begin: int, line: int) -> None:
        """Refuse the separator at *begin* if anything but white space or a comment stands behind its dashes."""
        ahead = begin - self._begin
        while (end := self._text.find("\n", self._begin + ahead)) < 0 and not self._ended:
            self._grow()
        begin = self._begin + ahead + len(_DASHES)
        behind = self._text[begin : end if end >= 0 else None].strip(WHITE_SPACE)
        if behind and behind[0] != "#":
            reason = f"{behind[:40]!r} follows a separator (---), where only a comment is allowed"
            refuse(reason, self._file, self._number, line)

    def _grow(self) -> None:
        """Drop the text behind, and read on until there is at least twice as much ahead.

        Doubling keeps the search for separators in proportion to the length of a document of many pieces.
        """
        ahead = len(self._text) - self._begin
        if ahead > DOCUMENT:
            self._refuse_length()
        texts = [self._text[self._begin :]]
        length, wanted = ahead, min(2 * ahead, DOCUMENT)
        while length <= wanted and not self._ended:
            piece = next(self._pieces, "")
            self._ended = not piece
            texts.append(piece)
            length += len(piece)
        self._text, self._begin = "".join(texts), 0

    def _refuse_length(self) -> NoReturn:
        refuse(f"a document of more than {DOCUMENT:,} characters", self._file, self._number, self._line)
