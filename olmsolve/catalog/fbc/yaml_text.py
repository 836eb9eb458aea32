"""The careful reader of YAML, with the values that Kubernetes tooling gives it when it turns YAML into JSON.

It builds values from the parser's events: no tag constructs an object, nesting and aliases are bounded while they are
read, and there is no recursion.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from typing import Any, Final, NoReturn

import attrs
import yaml

from olmsolve._limits import checked
from olmsolve.catalog import Origin
from olmsolve.catalog.fbc.document import Document, refuse
from olmsolve.catalog.fbc.limits import ALIASED, DEPTH
from olmsolve.catalog.fbc.plain_values import OutsideJsonError
from olmsolve.catalog.fbc.yaml_scalars import key_text, plain_scalar, tagged_scalar
from olmsolve.catalog.fbc.yaml_split import YamlPart, yaml_parts
from olmsolve.predicates import described

_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TAG: Final = "tag:yaml.org,2002:"
_NO_KEY: Final = object()
_CONTENT: Final = re.compile(r"(?:\s++|#[^\n]*+)*+(.)", re.DOTALL)


class Repeats:
    """The allowance of one file for text repeated by aliases, in characters and values."""

    def __init__(self, most: int = ALIASED) -> None:
        self.most = most
        self._count = 0

    def add(self, size: int) -> bool:
        """Count *size* more; return whether it is too much."""
        self._count += size
        return self._count > self.most


def documents(pieces: Iterator[str], file: str) -> Iterator[Document]:
    """Read the YAML documents in *pieces* of a file's text, as :func:`.yaml_split.yaml_parts` cuts them.

    Raises :class:`~olmsolve.errors.CatalogError`.
    """
    repeats = Repeats()
    for part in yaml_parts(pieces, file):
        yield document(part, file, repeats) or refuse_empty(part, file)


def refuse_empty(part: YamlPart, file: str) -> NoReturn:
    """Refuse a document of nothing but comments and blank lines, or of null, as ``opm`` does."""
    reason = "an empty document (nothing but comments, blank lines or null)"
    if part.number == 1:
        reason += "; before the first separator (---) of a file, leave out comments and blank lines"
    refuse(reason, file, part.number, part.line)


def document(
    part: YamlPart, file: str, repeats: Repeats, note: Callable[[Origin], None] | None = None
) -> Document | None:
    """Return the document in *part*, None for an empty one; pass over text behind its end, as ``opm`` does.

    *note* is called with the place of such text.

    Follows sigs.k8s.io/yaml: YAML 1.1 scalars (``yes`` and ``on`` are booleans, ``010`` is 8), timestamps
    stay text, keys become text, merge keys are applied, of repeated keys the last wins. Aliases share their
    value, and repeat no more than is left of *repeats*.

    Raises :class:`~olmsolve.errors.CatalogError`.
    """
    text = part.text.removeprefix("\ufeff")
    if "\n\ufeff" in text:
        # The parser would skip it; others take it for a sign of the key behind it.
        refuse("a line begins with a byte-order mark", file, part.number, part.line)
    builder = _Builder(part, file, repeats)
    try:
        loader = _LOADER(text)
        try:
            end = _read_document(loader, builder)
            ignored = _first_content(text, end) if note is not None else -1
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        _refuse_yaml(error, part, file)
    if note is not None and ignored >= 0:
        note(Origin(file, part.number, part.line + text.count("\n", 0, ignored)))
    return builder.document()


def _first_content(text: str, begin: int) -> int:
    """Return where *text* has more than comments and white space from *begin* on, -1 if nowhere."""
    match = _CONTENT.match(text, begin) if begin < len(text) else None
    return match.start(1) if match else -1


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


def _read_document(loader: Any, builder: _Builder) -> int:
    """Give the events of the first document to *builder*; return where it ends in the text."""
    for event in checked(iter(loader.get_event, None), every=1024):
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
            return int(event.end_mark.index)
    return sys.maxsize


class _Builder:
    """The value of one document, built from events.

    Sizes count characters and values, and an alias counts with the size of what it repeats: a file of a few lines could
    otherwise stand for a value that takes hours to walk.
    """

    def __init__(self, part: YamlPart, file: str, repeats: Repeats) -> None:
        self._file = file
        self._part = part
        self._repeats = repeats
        self._keys: dict[str, str] = {}
        self._stack: list[_Open] = []
        self._anchors: dict[str, tuple[Any, int] | None] = {}
        self._size = 0
        self._root: Any = None
        self._line = self._part.line

    def document(self) -> Document | None:
        if self._root is None:
            return None
        if not isinstance(self._root, dict):
            if isinstance(self._root, list):
                self._refuse("a list; documents are objects, one after the other", self._line)
            self._refuse(f"the document is {described(self._root)}, not an object", self._line)
        return Document(self._root, Origin(self._file, self._part.number, self._line))

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
        self._size += size
        if self._repeats.add(size):
            self._refuse(f"aliases repeat more than {self._repeats.most:,} characters and values", self._line_of(event))
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
        return self._part.line + line

    def _refuse(self, reason: str, line: int) -> NoReturn:
        refuse(reason, self._file, self._part.number, line)


_MERGE: Final = object()


def _refuse_yaml(error: yaml.YAMLError, part: YamlPart, file: str) -> NoReturn:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "unreadable"
    context = getattr(error, "context", None)
    text = f"{problem} ({context})" if context else str(problem)
    refuse(f"not valid YAML: {text}", file, part.number, mark.line + part.line if mark is not None else None)
