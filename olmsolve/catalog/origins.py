"""Origins: where the blobs of a catalog were read, in few bytes, as there is one for each blob."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve._arguments import is_number, is_text, wrong_type
from olmsolve._attrs import unchecked

_NO_LINE: Final = 0


def _is_number_or_none(origin: object, field: attrs.Attribute[Any], value: object) -> None:
    if value is not None:
        is_number(origin, field, value)


@attrs.frozen
class Origin:
    """The position where a blob was read: *file* as given or found, *document* from 1, *line* from 1 or None.

    Origins of findings may have the *line* of a field, and its *column* from 1; blobs have no column.
    """

    file: str = attrs.field(validator=is_text)
    document: int = attrs.field(default=1, validator=is_number)
    line: int | None = attrs.field(default=None, validator=_is_number_or_none)
    column: int | None = attrs.field(default=None, validator=_is_number_or_none)

    def __str__(self) -> str:
        if self.line is not None:
            return f"{self.file}:{self.line}" if self.column is None else f"{self.file}:{self.line}:{self.column}"
        return f"{self.file}, document {self.document}"

    @property
    def position(self) -> int:
        """Document and line in one number: document 3 on line 17 is ``3 << 32 | 17``; line 0 stands for None.

        An int is smaller than an :class:`Origin`, and indexes keep a column of them.
        """
        return self.document << 32 | (self.line or _NO_LINE)

    @classmethod
    def at(cls, file: str, position: int) -> Origin:
        """Return the origin in *file* whose :attr:`position` this is."""
        # Readers and writers ask it of each blob, and a file and a position need no check: 0.28 instead of 0.44 µs.
        origin: Origin = unchecked_origin(cls, file, position >> 32, position & 0xFFFF_FFFF or None, None)
        return origin


unchecked_origin: Final = unchecked(Origin)
"""Make an origin of file, document, line and column, without a check.

Readers make one for each document, from numbers that they counted: the checks were 4 % of the instructions that loading
a catalog took.
"""


@attrs.frozen
class StreamOrigin(Origin):
    """A position in a stream that cannot be read twice, such as standard input; *kept* returns its bytes."""

    kept: Callable[[], bytes] = attrs.field(kw_only=True, eq=False, repr=False)


# From document 3 on line 17 to document 4 on line 18, in one addition: the upper 32 bits count documents, the lower
# lines.
_NEXT_LINE: Final = 1 << 32 | 1
_LONGEST_RUN: Final = 256


@attrs.frozen
class LineRun:
    """Documents of *file* that follow each other, each on a line of its own; *first* is the position of the first.

    A blob of a run keeps its number in the run in place of its position. Python has one object for each number up to
    256, but would make one of 32 bytes for each position::

        LineRun("c.json", 10 << 32 | 12) and 3    document 13 on line 15 of c.json
    """

    file: str
    first: int

    def origin(self, number: int) -> Origin:
        """Return the origin of the document with this *number* in the run, from 0."""
        return Origin.at(self.file, self.first + number * _NEXT_LINE)

    def number_of(self, file: str, position: int) -> int | None:
        """Return the number in the run of the document at *position* in *file*, None for one outside of the run."""
        number, between = divmod(position - self.first, _NEXT_LINE)
        return number if not between and 0 <= number < _LONGEST_RUN and file == self.file else None


def is_origin(_: object, __: attrs.Attribute[Any], value: object) -> None:
    """Raise RequestError unless *value* is the origin of a blob as it is given or held; a validator of attrs."""
    if value is not None and not isinstance(value, Origin | LineRun | str):
        raise wrong_type(value, "an Origin", "origin")


class HasOrigin:
    """A value that was read from a file, or made in memory.

    Fields whose argument begins with an underscore (``_written``) are filled by readers of files; the constructor takes
    them for copies, and does not show them.

    There is one for each blob of a catalog. So it keeps the file's name or a run of lines, which blobs of a file share,
    and one number, and makes the :class:`Origin` when it is asked for.
    """

    __slots__ = ()
    _origin: Origin | LineRun | str | None
    _position: int

    @property
    def origin(self) -> Origin | None:
        """The file and document of the blob; None for a blob that was made in memory."""
        held = self._origin
        if isinstance(held, LineRun):
            return held.origin(self._position)
        return Origin.at(held, self._position) if isinstance(held, str) else held


def held_origin(blob: HasOrigin) -> tuple[Origin | LineRun | str | None, int]:
    """Return the origin of *blob* as it holds it: a file or a run of lines, and a position or a number in the run."""
    return blob._origin, blob._position  # noqa: SLF001 (fields of this module's classes)
