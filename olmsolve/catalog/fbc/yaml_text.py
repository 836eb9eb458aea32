"""The careful reader of YAML, with the values that ``opm`` gives it when it turns YAML into JSON.

It builds values from the parser's events: no tag constructs an object, nesting and aliases are bounded while they are
read, and there is no recursion.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any, Final, NoReturn

import olmsolve._attrs as attrs
from olmsolve._limits import checked
from olmsolve._patterns import pattern
from olmsolve.catalog import Origin
from olmsolve.catalog.fbc.document import ALIASED, DEPTH, Document, OutsideJsonError, refuse, refuse_dense_yaml
from olmsolve.catalog.fbc.yaml_cursor import Dialect, DialectUse, Note, TextBehind, YamlSyntaxError, tag_use
from olmsolve.catalog.fbc.yaml_events import EventKind, EventReader, YamlEvent
from olmsolve.catalog.fbc.yaml_lines import YamlPart, yaml_parts
from olmsolve.catalog.fbc.yaml_scalars import TAG, is_beyond, key_of, key_text, tagged_scalar
from olmsolve.errors import CatalogError
from olmsolve.predicates import described

# Objects of their own: null is a key, and a text "<<" in quotes is no merge key.
_NO_KEY: Final = object()
_MERGE: Final = object()
_CONTENT: Final = pattern(r"(?:\s++|#[^\n]*+)*+(.)", re.DOTALL)

_MARK_BYTES: Final = 3  # of a byte-order mark in UTF-8

# When aliases are excessive, as in goyaml's decode.go: more than 100 nodes out of aliases among more than 1,000, and
# more than 99 % of them; from 400,000 nodes on the share falls, to 10 % from 4 million on.
_FREE_ALIASED: Final = 100
_FREE_NODES: Final = 1_000
_FEW_NODES: Final = 400_000
_MANY_NODES: Final = 4_000_000


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
    """Read the YAML documents in *pieces* of a file's text, as :func:`.yaml_lines.yaml_parts` cuts them.

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


def document(part: YamlPart, file: str, repeats: Repeats, note: Note = None) -> Document | None:
    """Return the document in *part*, None for an empty one; pass over text behind its end, as ``opm`` does.

    *note* is called with the place of such text, and with the places where YAML's specification reads something else.

    Follows goyaml and sigs.k8s.io/yaml: YAML 1.1 scalars (``yes`` and ``on`` are booleans, ``010`` is 8), timestamps
    stay text, keys become text, unknown tags are dropped, of repeated keys the last wins, and a merge key takes effect
    at its own position. Aliases share their value, and repeat no more than is left of *repeats*.

    Raises :class:`~olmsolve.errors.CatalogError`.
    """
    refuse_dense_yaml(part.text, file, part.number, part.line)
    text = part.text.removeprefix("\ufeff")
    builder = _Builder(part, file, repeats)
    reader = EventReader(text, _MARK_BYTES if text is not part.text else 0)
    try:
        for event in checked(reader.events(), every=1024):
            builder.take(event)
    except YamlSyntaxError as error:
        context = f" ({error.context})" if error.context else ""
        refuse(f"not valid YAML: {error.problem}{context}", file, part.number, part.line + error.line)
    value = builder.document()
    if note is not None:
        for dialect, line, written, read in sorted([*builder.uses, *reader.uses], key=lambda use: use[1]):
            note(DialectUse(Origin(file, part.number, part.line + line), dialect, written, read))
        if (ignored := _first_content(text, reader.end)) >= 0:
            note(TextBehind(Origin(file, part.number, part.line + text.count("\n", 0, ignored))))
    return value


def repeated_key(text: str, file: str) -> str:
    """Return the first key that a mapping of the first document in *text* sets twice, by merges too; "" without one.

    A text that cannot be read has none.
    """
    builder = _Builder(YamlPart(text, 1, 1), file, Repeats())
    try:
        for event in checked(EventReader(text.removeprefix("\ufeff")).events(), every=1024):
            builder.take(event)
    except (YamlSyntaxError, CatalogError):
        return ""
    return builder.repeated


def _first_content(text: str, begin: int) -> int:
    """Return the first position from *begin* on with more than comments and white space in *text*, -1 for none."""
    match = _CONTENT.match(text, begin) if begin < len(text) else None
    return match.start(1) if match else -1


@attrs.define
class _Anchored:
    """A node with an anchor: its *value* once it ends, the *size* of its text, and the *nodes* read for it."""

    value: Any = None
    size: int = 0
    nodes: int = 0
    is_open: bool = True


@attrs.frozen(eq=False)
class _OutsideJson:
    """A key or a value that JSON does not have: a fault, unless a later field replaces the field that holds it."""

    reason: str
    line: int


@attrs.define
class _Open:
    """A list or mapping whose end was not seen yet.

    *key* is the key whose value comes next. *size_before* and *nodes_before* count the document before it, so that the
    size of an anchored value is known. *written* has the keys that were written, with their types as YAML sees them,
    *has_merge* whether one was a merge key.
    """

    container: Any
    anchored: _Anchored | None
    size_before: int
    nodes_before: int
    key: Any = _NO_KEY
    written: dict[str, type] = attrs.Factory(dict)
    has_merge: bool = False


class _Builder:
    """The value of one document, built from events.

    Sizes count characters and values, and an alias counts with the size of what it repeats: a file of a few lines could
    otherwise stand for a value that takes hours to walk. Nodes are counted as goyaml does, which refuses a document
    most of whose nodes come from aliases.
    """

    def __init__(self, part: YamlPart, file: str, repeats: Repeats) -> None:
        self._file = file
        self._part = part
        self._repeats = repeats
        self._keys: dict[str, str] = {}
        self._stack: list[_Open] = []
        self._anchors: dict[str, _Anchored] = {}
        self._size = 0
        self._nodes = 1
        self._aliased_nodes = 0
        self._root: Any = None
        self._line = self._part.line
        self._outside_json = False  # whether there was a key or a value that JSON has not
        self.uses: list[tuple[Dialect, int, str, str]] = []
        """Where the document uses the dialect of goyaml: which, the line, what is written, and what is read."""
        self.repeated = ""
        """The first key that a mapping sets twice."""

    def document(self) -> Document | None:
        """Return the document, once all events are taken."""
        if self._outside_json:
            self._refuse_outside_json()
        if self._root is None:
            return None
        if not isinstance(self._root, dict):
            if isinstance(self._root, list):
                self._refuse("a list; documents are objects, one after the other", self._line)
            self._refuse(f"the document is {described(self._root)}, not an object", self._line)
        return Document(self._root, Origin(self._file, self._part.number, self._line))

    def _refuse_outside_json(self) -> None:
        """Refuse the first key or value of the document that JSON has not, if it is still there."""
        outside: list[_OutsideJson] = []
        seen: set[int] = set()
        waiting: list[Any] = [self._root]
        while waiting:
            value = waiting.pop()
            if isinstance(value, _OutsideJson):
                outside.append(value)
            elif isinstance(value, (dict, list)) and id(value) not in seen:
                seen.add(id(value))
                waiting.extend(value)
                if isinstance(value, dict):
                    waiting.extend(value.values())
        if outside:
            first = min(outside, key=lambda error: error.line)
            self._refuse(first.reason, first.line)

    def take(self, event: YamlEvent) -> None:
        """Take the next event."""
        kind = event.kind
        if kind is EventKind.END:
            self._close(event)
            return
        if not self._stack:
            self._line = self._line_of(event)
        self._nodes += 1
        if kind is EventKind.SCALAR:
            self._scalar(event)
        elif kind is EventKind.ALIAS:
            self._alias(event)
        else:
            self._open(event, [] if kind is EventKind.LIST else {})

    def _scalar(self, event: YamlEvent) -> None:
        text = event.value
        self._size += len(text) + 1
        if self._takes_key() and text == "<<" and (event.is_plain or event.tag == f"{TAG}merge"):
            self._nodes -= 1
            self._note_anchor(event, text)
            self._open_merge(event)
            return
        try:
            if event.tag:
                value = tagged_scalar(event.tag, text)
                self._note_tag(event, value)
            elif event.is_plain:
                value = key_of(text)
                if is_beyond(text, value):
                    dialect = Dialect.NUMBER_TEXT if value is text else Dialect.NUMBER_ROUNDED
                    self._use(dialect, event, text, str(value))
            else:
                value = text
        except OutsideJsonError as error:
            self._refuse(str(error), self._line_of(event))
        if "\ufeff" in text:
            self._use(Dialect.MARK, event, text, text)
        self._note_anchor(event, value)
        self._add(value, event)

    def _note_anchor(self, event: YamlEvent, value: Any) -> None:
        if event.anchor:
            self._anchors[event.anchor] = _Anchored(value, len(event.value) + 1, 1, is_open=False)

    def _open(self, event: YamlEvent, container: Any) -> None:
        if len(self._stack) >= DEPTH:
            self._refuse(f"nested more than {DEPTH} levels deep", self._line_of(event))
        anchored = None
        if event.anchor:
            anchored = self._anchors[event.anchor] = _Anchored()
        if isinstance(container, list) and self._stack and self._stack[-1].key is _MERGE:
            self._nodes -= 1
        if event.tag:
            self._note_tag(event, container)
        self._stack.append(_Open(container, anchored, self._size, self._nodes - 1))
        self._size += 1

    def _close(self, event: YamlEvent) -> None:
        closed = self._stack.pop()
        if closed.anchored is not None:
            closed.anchored.value = closed.container
            closed.anchored.size = self._size - closed.size_before
            closed.anchored.nodes = self._nodes - closed.nodes_before
            closed.anchored.is_open = False
        self._add(closed.container, event)

    def _alias(self, event: YamlEvent) -> None:
        name = event.value
        anchored = self._anchors.get(name)
        if anchored is None:
            self._refuse(f"the alias *{name} has no anchor", self._line_of(event))
        if anchored.is_open:
            self._refuse(f"the anchor &{name} contains itself", self._line_of(event))
        self._size += anchored.size
        self._nodes += anchored.nodes
        self._aliased_nodes += anchored.nodes
        if self._repeats.add(anchored.size):
            self._refuse(f"aliases repeat more than {self._repeats.most:,} characters and values", self._line_of(event))
        if self._is_mostly_aliased():
            self._refuse(
                "aliases repeat more than 99 % of the document, which opm calls excessive", self._line_of(event)
            )
        self._add(anchored.value, event)

    def _is_mostly_aliased(self) -> bool:
        """Return whether goyaml would call the aliases excessive: 99 % of the nodes, and fewer in large documents."""
        if self._aliased_nodes <= _FREE_ALIASED or self._nodes <= _FREE_NODES:
            return False
        beyond = min(max(self._nodes - _FEW_NODES, 0) / (_MANY_NODES - _FEW_NODES), 1)
        return self._aliased_nodes / self._nodes > 0.99 - 0.89 * beyond

    def _takes_key(self) -> bool:
        """Return whether the next node is a key."""
        return bool(self._stack) and self._stack[-1].key is _NO_KEY and isinstance(self._stack[-1].container, dict)

    def _add(self, value: Any, event: YamlEvent) -> None:
        """Add a finished value to the innermost open list or mapping; without one it is the document."""
        if self._takes_key():
            self._open_field(value, event)
            return
        if isinstance(value, float) and not math.isfinite(value):
            value = self._put_outside(f"the number {event.value}, which JSON does not have", event)
        if not self._stack:
            self._root = value
            return
        top = self._stack[-1]
        if isinstance(top.container, list):
            top.container.append(value)
        elif top.key is _MERGE:
            self._merge(top.container, value, event)
            top.key = _NO_KEY
        else:
            if top.key in top.container:
                self.repeated = self.repeated or str(top.key)
            top.container[top.key] = value
            top.key = _NO_KEY

    def _open_field(self, value: Any, event: YamlEvent) -> None:
        """Take the key of a field."""
        top = self._stack[-1]
        top.key = key = self._key(value, event)
        if isinstance(key, _OutsideJson):
            return
        # Only the keys that are written count: a merged one may be written too.
        written = top.written.get(key)
        if written is None:
            top.written[key] = type(value)
        elif written is type(value):
            self._use(Dialect.KEY_TWICE, event, key, key)
        else:
            self._use(Dialect.KEYS_ALIKE, event, event.value or key, key)
        if type(value) is float and key != event.value:
            self._use(Dialect.KEY_NUMBER, event, event.value, key)

    def _open_merge(self, event: YamlEvent) -> None:
        """Take a merge key."""
        top = self._stack[-1]
        if top.has_merge:
            self._use(Dialect.MERGE_TWICE, event, "<<", "<<")
        if event.tag == "!":
            self._use(Dialect.MERGE_TAGGED, event, f"! {event.style}<<{event.style}", "<<")
        top.key, top.has_merge = _MERGE, True

    def _note_tag(self, event: YamlEvent, value: Any) -> None:
        if (dialect := tag_use(event.tag, value)) is not None:
            self._use(dialect, event, event.tag.replace(TAG, "!!", 1), value if isinstance(value, str) else "")

    def _use(self, dialect: Dialect, event: YamlEvent, written: str, read: str) -> None:
        self.uses.append((dialect, event.line, written, read))

    def _key(self, value: Any, event: YamlEvent) -> Any:
        if isinstance(value, str):
            return self._keys.setdefault(value, value)
        try:
            return key_text(value)
        except OutsideJsonError as error:
            if isinstance(value, (dict, list)):
                self._refuse(str(error), self._line_of(event))
            return self._put_outside(str(error), event)

    def _put_outside(self, reason: str, event: YamlEvent) -> _OutsideJson:
        self._outside_json = True
        return _OutsideJson(reason, self._line_of(event))

    def _merge(self, container: dict[str, Any], value: Any, event: YamlEvent) -> None:
        """Put the fields of a mapping, or of several, in place of fields seen before; the first of several wins."""
        is_list = isinstance(value, list) and event.kind is not EventKind.ALIAS
        mappings = value if is_list else [value]
        if not all(isinstance(mapping, dict) for mapping in mappings):
            self._refuse("a merge key << takes a mapping or a list of mappings", self._line_of(event))
        for mapping in reversed(mappings):
            for key in self._stack[-1].written.keys() & mapping.keys():
                if container[key] != mapping[key]:
                    self._use(Dialect.MERGE_LATE, event, key, key)
            if not self.repeated:
                self.repeated = str(next((key for key in mapping if key in container), ""))
            container.update(mapping)

    def _line_of(self, event: YamlEvent) -> int:
        return self._part.line + event.line

    def _refuse(self, reason: str, line: int) -> NoReturn:
        refuse(reason, self._file, self._part.number, line)
