"""The careful reader of YAML, with the values that Kubernetes tooling gives it when it turns YAML into JSON.

It builds values from the parser's events: no tag constructs an object, nesting and aliases are bounded while they are
read, and there is no recursion.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NoReturn

import attrs
import yaml

from olmsolve.catalog import Origin
from olmsolve.catalog.fbc.document import Document, refuse
from olmsolve.catalog.fbc.limits import ALIASED, DEPTH, DOCUMENT
from olmsolve.catalog.fbc.plain_values import OutsideJsonError
from olmsolve.catalog.fbc.yaml_scalars import key_text, plain_scalar, tagged_scalar
from olmsolve.predicates import described

_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TAG: Final = "tag:yaml.org,2002:"
_NO_KEY: Final = object()


def documents(
    pieces: Iterator[str], file: str, *, number: int = 1, line: int = 1, aliased: int = ALIASED
) -> Iterator[Document]:
    """Read the YAML documents in *pieces* of a file's text.

    Follows sigs.k8s.io/yaml: YAML 1.1 scalars (``yes`` and ``on`` are booleans, ``010`` is 8), timestamps
    stay text, keys become text, merge keys are applied, of repeated keys the last wins. Aliases share their
    value, and repeat no more than *aliased* characters and values. Documents and lines are counted from *number* and
    *line*.

    Raises :class:`~olmsolve.errors.CatalogError`.
    """
    stream = _Stream(pieces, file, number)
    try:
        loader = _LOADER(stream)
        try:
            yield from _documents(loader, stream, _Builder(file, stream, line - 1, aliased))
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        if stream.failure is not None:
            raise stream.failure from None
        _refuse_yaml(error, stream.number, file, line)


class _Stream:
    """The file that the parser reads.

    An exception must not pass through a parser that is written in C, so it is kept in *failure* and the text ends.
    """

    def __init__(self, pieces: Iterator[str], file: str, number: int) -> None:
        self._pieces = pieces
        self._file = file
        self._piece = ""
        self._begin = 0
        self._taken = 0
        self.number = number
        self.failure: BaseException | None = None

    def read(self, size: int) -> str:
        try:
            if self._begin >= len(self._piece):
                self._piece, self._begin = next(self._pieces, ""), 0
            if self._taken > DOCUMENT:
                refuse(f"a document of more than {DOCUMENT:,} characters", self._file, self.number)
        except BaseException as error:  # noqa: BLE001 (raised again as soon as the parser returns)
            self.failure = error
            return ""
        # A piece may be as long as a document, so its rest is not copied each time.
        found = self._piece[self._begin : self._begin + size]
        self._begin += len(found)
        self._taken += len(found)
        return found

    def refuse(self, reason: str) -> NoReturn:
        refuse(reason, self._file)

    def finished(self) -> None:
        """Count the next document's characters from here."""
        self.number += 1
        self._taken = 0


@attrs.define
class _Open:
    """A list or mapping whose end was not seen yet.

    *key* is the key whose value comes next, *merged* the mappings under merge keys (``<<``), *size_before* the size of
    the document before it, from which the size of an anchored value is known.
    """

    container: Any
    anchor: str | None
    size_before: int
    key: Any = _NO_KEY
    merged: list[dict[str, Any]] | None = None


def _documents(loader: Any, stream: _Stream, builder: _Builder) -> Iterator[Document]:
    while True:
        event = loader.get_event()
        if stream.failure is not None:
            raise stream.failure
        if event is None:
            if stream.number == 1:
                # As in opm: only an empty file may be without documents.
                stream.refuse("no document, only comments or white space")
            return
        kind = type(event)
        if kind is yaml.ScalarEvent:
            builder.scalar(event)
        elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
            builder.open(event, {} if kind is yaml.MappingStartEvent else [])
        elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
            builder.close(event)
        elif kind is yaml.AliasEvent:
            builder.alias(event)
        elif kind is yaml.DocumentEndEvent:
            yield builder.document()
            stream.finished()
            builder.begin()


class _Builder:
    """The value of one document at a time, built from events.

    Sizes count characters and values, and an alias counts with the size of what it repeats: a file of a few lines could
    otherwise stand for a value that takes hours to walk.
    """

    def __init__(self, file: str, stream: _Stream, above: int, aliased: int) -> None:
        self._file = file
        self._above = above
        self._may_repeat = aliased
        self._stream = stream
        self._aliased = 0
        self._keys: dict[str, str] = {}
        self.begin()

    def begin(self) -> None:
        self._stack: list[_Open] = []
        self._anchors: dict[str, tuple[Any, int] | None] = {}
        self._size = 0
        self._root: Any = None
        self._line = 1

    def document(self) -> Document:
        if not isinstance(self._root, dict):
            reason = f"the document is {described(self._root)}, not an object"
            if self._root is None:
                reason += " (a separator too many, or nothing but comments?)"
            self._refuse(reason, self._line)
        return Document(self._root, Origin(self._file, self._stream.number, self._line))

    def scalar(self, event: Any) -> None:
        text = event.value
        self._size += len(text) + 1
        if not self._stack:
            self._line = self._line_of(event)
        try:
            if event.tag is not None:
                value = tagged_scalar(event.tag, text, quoted=bool(event.style))
            elif event.style:
                value = text
            else:
                value = plain_scalar(text)
        except OutsideJsonError as error:
            self._refuse(str(error), self._line_of(event))
        if event.anchor is not None:
            self._anchors[event.anchor] = value, len(text) + 1
        merge = text == "<<" and not event.style and event.tag is None
        self._add(value, event, merge=merge)

    def open(self, event: Any, container: Any) -> None:
        if len(self._stack) >= DEPTH:
            self._refuse(f"nested more than {DEPTH} levels deep", self._line_of(event))
        if event.tag not in (None, "!", f"{_TAG}map", f"{_TAG}seq"):
            self._refuse(f"the tag {event.tag!r}, which has no meaning in JSON", self._line_of(event))
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        if not self._stack:
            self._line = self._line_of(event)
        self._stack.append(_Open(container, event.anchor, self._size))
        self._size += 1

    def close(self, event: Any) -> None:
        done = self._stack.pop()
        value = done.container
        if done.merged:
            # A key that is written beside a merge key wins, and of several merged mappings the first one that has it.
            value = {}
            for mapping in reversed(done.merged):
                value.update(mapping)
            value.update(done.container)
        if done.anchor is not None:
            self._anchors[done.anchor] = value, self._size - done.size_before
        self._add(value, event)

    def alias(self, event: Any) -> None:
        name = event.anchor
        if name not in self._anchors:
            self._refuse(f"the alias *{name} has no anchor", self._line_of(event))
        anchored = self._anchors[name]
        if anchored is None:
            self._refuse(f"the anchor &{name} contains itself", self._line_of(event))
        value, size = anchored
        self._aliased += size
        self._size += size
        if self._aliased > self._may_repeat:
            self._refuse(f"aliases repeat more than {self._may_repeat:,} characters and values", self._line_of(event))
        self._add(value, event)

    def _add(self, value: Any, event: Any, *, merge: bool = False) -> None:
        """Add a finished value to the innermost open list or mapping; without one it is the document."""
        if not self._stack:
            self._root = value
            return
        top = self._stack[-1]
        if isinstance(top.container, list):
            top.container.append(value)
        elif top.key is _NO_KEY:
            top.key = _MERGE if merge else self._key(value, event)
        elif top.key is _MERGE:
            self._merge(top, value, event)
            top.key = _NO_KEY
        else:
            top.container[top.key] = value
            top.key = _NO_KEY

    def _key(self, value: Any, event: Any) -> str:
        if isinstance(value, str):
            return self._keys.setdefault(value, value)
        try:
            return key_text(value)
        except OutsideJsonError as error:
            self._refuse(str(error), self._line_of(event))

    def _merge(self, top: _Open, value: Any, event: Any) -> None:
        mappings = value if isinstance(value, list) else [value]
        if not all(isinstance(mapping, dict) for mapping in mappings):
            self._refuse("a merge key << takes a mapping or a list of mappings", self._line_of(event))
        top.merged = [*(top.merged or ()), *mappings]

    def _line_of(self, event: Any) -> int:
        line: int = event.start_mark.line
        return self._above + line + 1

    def _refuse(self, reason: str, line: int) -> NoReturn:
        refuse(reason, self._file, self._stream.number, line)


_MERGE: Final = object()


def _refuse_yaml(error: yaml.YAMLError, number: int, file: str, line: int) -> NoReturn:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "unreadable"
    context = getattr(error, "context", None)
    text = f"{problem} ({context})" if context else str(problem)
    refuse(f"not valid YAML: {text}", file, number, mark.line + line if mark is not None else None)
