"""The careful reader of JSON: objects one after the other, on lines of their own or over many lines."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final, NoReturn

from olmsolve._patterns import pattern
from olmsolve.catalog.fbc.document import (
    BRACKETS,
    DEPTH,
    DOCUMENT,
    JSON_STRING,
    Document,
    OutsideJsonError,
    depth_of,
    is_too_deep,
    read_ahead,
    refuse,
    refuse_dense_json,
)
from olmsolve.catalog.origins import Origin, unchecked_origin
from olmsolve.errors import caret

if TYPE_CHECKING:
    from olmsolve.catalog.fbc.json_fast import PropertyTable

# The blanks of JSON (RFC 8259); text with others may still be YAML, so \s would hide a fault.
_SPACE: Final = pattern(r"[ \t\n\r]*")
_STRING_OR_BRACKET: Final = pattern(rf"{JSON_STRING.pattern}|[][{{}}]", re.DOTALL)
_AMBIGUOUS: Final = 2  # documents: text in which one of these is not JSON may be YAML
_ESCAPE: Final = pattern(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|(?P<lone>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
_LONGEST_TOKEN: Final = 16  # characters: where a token is cut in two, the error is at most so far before the end

_LONG: Final = 1 << 16  # characters: a file of this length or more is worth importing the fast decoder
_ATTEMPTS: Final = 16  # failures of the fast decoder in a row after which the file is read without it

_WINDOW: Final = 1 << 21  # characters in which the end of a line is looked for

_USUAL_RECURSION: Final = 5_000  # frames of the C decoder that fit the smallest usual stack, 512 KiB


class NotJsonError(Exception):
    """The first or second document is not JSON, so that the text may be YAML from there on.

    *reason*, *line* and *excerpt* (lines of a caret) say what is wrong with it as JSON. *text* is the text that was
    taken from the pieces so far, from the end of the document before on; it begins on *text_line*, in document
    *number*.
    """

    def __init__(self, reason: str, excerpt: str, line: int, text: str, text_line: int, number: int) -> None:
        super().__init__(reason, line, text)
        self.reason = reason
        self.excerpt = excerpt
        self.line = line
        self.text = text
        self.text_line = text_line
        self.number = number


def documents(pieces: Iterator[str], file: str, properties: PropertyTable | None = None) -> Iterator[Document]:
    """Decode the JSON objects in *pieces* of a file's text, keeping no more than one document and one piece.

    Integers stay integers, other numbers are doubles. An unpaired surrogate in an escape becomes U+FFFD. If an object
    has a key twice, the last one wins. All of this is as ``opm`` has it.

    With a table of *properties*, the properties of usual bundles are a tuple from it in place of a list of objects.

    Raises :class:`NotJsonError` where the first or second document is not JSON, and
    :class:`~olmsolve.errors.CatalogError` for everything else.
    """
    reader = _JsonDocuments(pieces, file, properties)
    while reader.find():
        yield reader.document()
        yield from reader.usual_lines()


class _JsonDocuments:
    """The documents of a text; a window on it holds at least the document at hand."""

    def __init__(self, pieces: Iterator[str], file: str, properties: PropertyTable | None) -> None:
        self._pieces = pieces
        self._file = file
        self._properties = properties
        self._text = ""
        self._position = 0
        self._space = ""  # before the document at hand
        self._line = 1
        self._number = 1
        self._ended = False
        self._attempts: int | None = None
        self._usual_object: Callable[[str, PropertyTable | None], dict[str, Any] | None]

    def find(self) -> bool:
        """Go to where the next document begins; return false at the end of the text."""
        begin = _end_of_space(self._text, self._position)
        self._space = self._text[self._position : begin]
        self._position = begin
        if begin == len(self._text):
            self._read_space()
        self._line += self._space.count("\n")
        return self._position < len(self._text)

    def _read_space(self) -> None:
        """Read on to the end of the white space here, or of the text."""
        space = [self._space]
        length = 0
        while self._position == len(self._text) and not self._ended:
            self._grow()
            self._position = _end_of_space(self._text, 0)
            space.append(self._text[: self._position])
            length += self._position
            if length > DOCUMENT:
                refuse(f"more than {DOCUMENT:,} characters of white space", self._file, self._number, self._line)
        self._space = "".join(space)

    def document(self) -> Document:
        """Read the document that begins here."""
        if self._text[self._position] != "{":
            self._refuse_start()
        usual = self._usual_document()
        if usual is not None:
            return usual
        value, end = self._decode()
        segment = self._text[self._position : end]
        self._check_depth(segment)
        if "\\ud" in segment or "\\uD" in segment:
            value = _DECODER.decode(_ESCAPE.sub(_whole, segment))
        return self._document(value, end)

    def usual_lines(self) -> Iterator[Document]:
        """Yield the documents after the last one for as long as each is usual, and a line of its own in the window."""
        # Large catalogs are written so, and the next document is there without a look for what else may come:
        # community-prod loads in 77 ms, and in 95 without this loop.
        text, file, properties = self._text, self._file, self._properties
        end = self._position
        while self._attempts and text.startswith('\n{"', end):
            begin, end = end + 1, text.find("\n", end + 1)
            value = self._usual_object(text[begin:end], properties) if end > 0 else None
            if value is None:
                return
            self._position = end
            self._line += 1
            document = Document(value, unchecked_origin(Origin, file, self._number, self._line, None))
            self._number += 1
            yield document

    def _document(self, value: dict[str, Any], end: int) -> Document:
        document = Document(value, unchecked_origin(Origin, self._file, self._number, self._line, None))
        self._line += self._text.count("\n", self._position, end)
        self._position = end
        self._number += 1
        return document

    def _usual_document(self) -> Document | None:
        """Return the document, decoded fast, if it is one line or reaches from a brace to a brace at the margin."""
        if self._attempts is None and len(self._text) >= _LONG:
            # Imported on first use: short texts, such as requests, are read before it is loaded.
            from olmsolve.catalog.fbc import json_fast

            self._attempts = _ATTEMPTS if json_fast.usual_objects() else 0
            self._usual_object = json_fast.usual_object
        if not self._attempts:
            return None
        end = self._usual_end()
        while end < 0 and not self._ended and len(self._text) - self._position < _WINDOW:
            self._grow()
            end = self._usual_end()
        value = self._usual_object(self._text[self._position : end], self._properties) if end > 0 else None
        if value is None:
            self._attempts -= 1
            return None
        self._attempts = _ATTEMPTS
        return self._document(value, end)

    def _usual_end(self) -> int:
        """Return the position at which a usual document would end, -1 if that is not in the window."""
        text, begin = self._text, self._position
        if text.startswith(("{\n", "{\r\n"), begin):
            brace = text.find("\n}", begin)
            return brace + 2 if brace >= 0 else -1
        return text.find("\n", begin)

    def _decode(self) -> tuple[dict[str, Any], int]:
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._position)
            except json.JSONDecodeError as error:
                if self._ended or not _cut_off(error, self._text):
                    # From Python 3.14 on, the decoder goes as deep as the stack of C allows, and may end at an error.
                    self._check_depth(self._text[self._position : error.pos])
                    self._refuse_syntax(error)
            except OutsideJsonError as error:
                self._refuse(str(error), self._line)
            except ValueError:
                refuse("a number has too many digits", self._file, self._number, self._line)
            except RecursionError:
                self._refuse_depth()
            else:
                return value, end
            self._grow()

    def _grow(self) -> None:
        """Drop the text that was decoded, and read on; the decoder begins again then."""
        ahead = self._text[self._position :]
        if len(ahead) > DOCUMENT:
            refuse(f"a document of more than {DOCUMENT:,} characters", self._file, self._number, self._line)
        refuse_dense_json(ahead, self._file, self._number, self._line)
        self._text, self._ended = read_ahead(ahead, self._pieces)
        self._position = 0
        if sys.getrecursionlimit() > _USUAL_RECURSION:
            self._check_depth_ahead()

    def _check_depth(self, segment: str) -> None:
        if is_too_deep(segment):
            self._refuse_depth()

    def _check_depth_ahead(self) -> None:
        """Keep the decoder from overflowing the stack of C where the host lifted Python's own limit."""
        if depth_of(self._text) <= DEPTH:
            return
        depth = 0
        for match in _STRING_OR_BRACKET.finditer(self._text):
            depth += BRACKETS.get(match[0], 0)
            if depth > DEPTH:
                self._line += self._text.count("\n", 0, match.start())
                self._refuse_depth()

    def _refuse_start(self) -> NoReturn:
        if self._text[self._position] == "[":
            self._refuse("a list; documents are objects, one after the other", self._line)
        reason = "not valid JSON: expected an object"
        if self._text.startswith("---", self._position):
            reason = "a separator (---) after several JSON objects; remove it: they follow each other without one"
        self._refuse(reason, self._line, self._caret(self._position))

    def _refuse(self, reason: str, line: int, excerpt: str = "") -> NoReturn:
        if self._number > _AMBIGUOUS:
            refuse(reason, self._file, self._number, line, excerpt)
        text, text_line = self._space + self._text[self._position :], self._line - self._space.count("\n")
        raise NotJsonError(reason, excerpt, line, text, text_line, self._number)

    def _caret(self, position: int) -> str:
        # The line's part before the document may be dropped already.
        return caret(self._text[self._position :], position - self._position)

    def _refuse_syntax(self, error: json.JSONDecodeError) -> NoReturn:
        problem = error.msg[0].lower() + error.msg[1:]
        line = self._line + self._text.count("\n", self._position, error.pos)
        self._refuse(f"not valid JSON: {problem}", line, self._caret(error.pos))

    def _refuse_depth(self) -> NoReturn:
        refuse(f"nested more than {DEPTH} levels deep", self._file, self._number, self._line)


def _end_of_space(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def _cut_off(error: json.JSONDecodeError, text: str) -> bool:
    """Return whether more text could mend *error*."""
    return error.msg.startswith("Unterminated string") or error.pos >= len(text) - _LONGEST_TOKEN


def _whole(match: re.Match[str]) -> str:
    """Replace a lone surrogate, half a character, by U+FFFD."""
    return "\\ufffd" if match["lone"] else match[0]


def _refuse_constant(name: str) -> NoReturn:
    raise OutsideJsonError(f"not valid JSON: the number {name}")


def _finite_float(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise OutsideJsonError(f"the number {text[:40]} is too large for a double")
    return value


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite_float)
