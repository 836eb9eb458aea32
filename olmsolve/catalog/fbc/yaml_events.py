"""The grammar of YAML: the tokens of a text's first document become events, from which a value is built.

goyaml reads no more than the first document of a text. What stands behind it counts only up to its next token.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple, NoReturn, TypeAlias

from olmsolve.catalog.fbc.yaml_cursor import YamlSyntaxError
from olmsolve.catalog.fbc.yaml_dialect import Dialect
from olmsolve.catalog.fbc.yaml_scalars import TAG
from olmsolve.catalog.fbc.yaml_tokens import TokenKind, TokenReader, YamlToken

_DEFAULT_HANDLES: Final = {"!": "!", "!!": TAG}


class EventKind(enum.IntEnum):
    """The kinds of events; END closes the innermost list or mapping."""

    SCALAR = enum.auto()
    ALIAS = enum.auto()
    LIST = enum.auto()
    MAPPING = enum.auto()
    END = enum.auto()


class YamlEvent(NamedTuple):
    """A node begins or ends: *line* from 0, its *anchor* and *tag* ("" without one).

    *value* is the text of a scalar or the name of an alias. *is_plain*: the tag "!" or neither tag nor quotes, so that
    the text decides what the scalar is. *style* is the first sign of a scalar in quotes or block style.
    """

    kind: EventKind
    line: int
    anchor: str
    tag: str
    value: str
    is_plain: bool
    style: str


_State: TypeAlias = Callable[[], "YamlEvent | None"]


class EventReader:
    """The events of the first document in a text; *end* is where that document ends, once all are read."""

    def __init__(self, text: str, offset: int = 0) -> None:
        """Read *text*, before which stand *offset* bytes that are read already."""
        self._tokens = TokenReader(text, offset)
        self._handles: dict[str, str] = {}
        self._state: _State = self._document_start
        self._outer: list[_State] = []
        self.end: int = len(text)

    @property
    def uses(self) -> list[tuple[Dialect, int, str, str]]:
        """The places so far where the text uses the dialect of goyaml: which, the line, what is written and read."""
        return self._tokens.uses

    def events(self) -> Iterator[YamlEvent]:
        """Yield the events.

        Raises :class:`~olmsolve.catalog.fbc.yaml_cursor.YamlSyntaxError`.
        """
        while (event := self._state()) is not None:
            yield event

    # Documents

    def _document_start(self) -> YamlEvent | None:
        token = self._tokens.peek()
        if token.kind is TokenKind.STREAM_END:
            return None
        self._outer.append(self._document_end)
        if token.kind not in (TokenKind.VERSION, TokenKind.TAG_DIRECTIVE, TokenKind.DOCUMENT_START):
            self._handles = dict(_DEFAULT_HANDLES)
            return self._node(is_block=True)
        self._directives()
        token = self._tokens.peek()
        if token.kind is not TokenKind.DOCUMENT_START:
            self._fail("did not find expected <document start>", token)
        self._tokens.skip()
        token = self._tokens.peek()
        if token.kind in (
            TokenKind.VERSION,
            TokenKind.TAG_DIRECTIVE,
            TokenKind.DOCUMENT_START,
            TokenKind.DOCUMENT_END,
            TokenKind.STREAM_END,
        ):
            return self._nothing(token, self._outer.pop())
        return self._node(is_block=True)

    def _directives(self) -> None:
        has_version = False
        while (token := self._tokens.peek()).kind in (TokenKind.VERSION, TokenKind.TAG_DIRECTIVE):
            if token.kind is TokenKind.VERSION:
                if has_version:
                    self._fail("found duplicate %YAML directive", token)
                if token.value != "1.1":
                    self._fail("found incompatible YAML document", token, "opm takes %YAML 1.1 alone")
                has_version = True
            else:
                if token.value in self._handles:
                    self._fail("found duplicate %TAG directive", token)
                self._handles[token.value] = token.detail
            self._tokens.skip()
        self._handles = _DEFAULT_HANDLES | self._handles

    def _document_end(self) -> YamlEvent | None:
        token = self._tokens.peek()
        self.end = token.end if token.kind is TokenKind.DOCUMENT_END else token.begin
        self._state = lambda: None
        return None

    # Nodes

    def _node(self, *, is_block: bool, may_lack_indent: bool = False) -> YamlEvent:
        """Return the event of the node that begins here; a list may stand in the column of its key at times."""
        tokens = self._tokens
        token = tokens.peek()
        line = token.line
        if token.kind is TokenKind.ALIAS:
            self._state = self._outer.pop()
            tokens.skip()
            return YamlEvent(EventKind.ALIAS, line, "", "", token.value, is_plain=False, style="")
        anchor = tag = ""
        if token.kind is TokenKind.ANCHOR:
            anchor = token.value
            tokens.skip()
            token = tokens.peek()
            if token.kind is TokenKind.TAG:
                tag = self._tag(token)
                tokens.skip()
                token = tokens.peek()
        elif token.kind is TokenKind.TAG:
            tag = self._tag(token)
            tokens.skip()
            token = tokens.peek()
            if token.kind is TokenKind.ANCHOR:
                anchor = token.value
                tokens.skip()
                token = tokens.peek()
        kind = token.kind
        if may_lack_indent and kind is TokenKind.BLOCK_ENTRY:
            self._state = self._list_entry_at_key
            return YamlEvent(EventKind.LIST, line, anchor, tag, "", is_plain=False, style="")
        if kind is TokenKind.SCALAR:
            self._state = self._outer.pop()
            tokens.skip()
            is_plain = tag == "!" or not (tag or token.detail)
            return YamlEvent(EventKind.SCALAR, line, anchor, tag, token.value, is_plain, token.detail)
        opened = self._collection(kind, is_block=is_block)
        if opened is not None:
            tokens.skip()
            event_kind, self._state = opened
            return YamlEvent(event_kind, line, anchor, tag, "", is_plain=False, style="")
        if anchor or tag:
            self._state = self._outer.pop()
            return YamlEvent(EventKind.SCALAR, line, anchor, tag, "", is_plain=not tag, style="")
        context = "while parsing a block node" if is_block else "while parsing a flow node"
        return self._fail("did not find expected node content", token, context)

    def _collection(self, kind: TokenKind, *, is_block: bool) -> tuple[EventKind, _State] | None:
        if kind is TokenKind.FLOW_SEQUENCE:
            return EventKind.LIST, self._first_flow_element
        if kind is TokenKind.FLOW_MAPPING:
            return EventKind.MAPPING, self._first_flow_key
        if is_block and kind is TokenKind.BLOCK_SEQUENCE:
            return EventKind.LIST, self._list_entry
        if is_block and kind is TokenKind.BLOCK_MAPPING:
            return EventKind.MAPPING, self._block_key
        return None

    def _tag(self, token: YamlToken) -> str:
        if not token.value:
            return token.detail
        prefix = self._handles.get(token.value)
        if prefix is None:
            self._fail("found undefined tag handle", token, "while parsing a node")
        return prefix + token.detail

    def _nothing(self, token: YamlToken, then: _State) -> YamlEvent:
        """Return the event of a node that is left out."""
        self._state = then
        return YamlEvent(EventKind.SCALAR, token.line, "", "", "", is_plain=True, style="")

    def _close(self, token: YamlToken) -> YamlEvent:
        """Return the event that ends the innermost collection."""
        self._state = self._outer.pop()
        return YamlEvent(EventKind.END, token.line, "", "", "", is_plain=False, style="")

    def _close_at(self, token: YamlToken) -> YamlEvent:
        """End the innermost collection with *token*, and go past it."""
        event = self._close(token)
        self._tokens.skip()
        return event

    # Block style

    def _list_entry(self) -> YamlEvent:
        token = self._tokens.peek()
        if token.kind is TokenKind.BLOCK_ENTRY:
            self._tokens.skip()
            token = self._tokens.peek()
            if token.kind in (TokenKind.BLOCK_ENTRY, TokenKind.BLOCK_END):
                return self._nothing(token, self._list_entry)
            self._outer.append(self._list_entry)
            return self._node(is_block=True)
        if token.kind is TokenKind.BLOCK_END:
            return self._close_at(token)
        return self._fail("did not find expected '-' indicator", token, "while parsing a block collection")

    def _list_entry_at_key(self) -> YamlEvent:
        """Take an entry of a list whose dashes stand in the column of its key."""
        token = self._tokens.peek()
        if token.kind is not TokenKind.BLOCK_ENTRY:
            return self._close(token)
        self._tokens.skip()
        token = self._tokens.peek()
        if token.kind in (TokenKind.BLOCK_ENTRY, TokenKind.KEY, TokenKind.VALUE, TokenKind.BLOCK_END):
            return self._nothing(token, self._list_entry_at_key)
        self._outer.append(self._list_entry_at_key)
        return self._node(is_block=True)

    def _block_key(self) -> YamlEvent:
        token = self._tokens.peek()
        if token.kind is TokenKind.KEY:
            self._tokens.skip()
            token = self._tokens.peek()
            if token.kind in (TokenKind.KEY, TokenKind.VALUE, TokenKind.BLOCK_END):
                return self._nothing(token, self._block_value)
            self._outer.append(self._block_value)
            return self._node(is_block=True, may_lack_indent=True)
        if token.kind is TokenKind.BLOCK_END:
            return self._close_at(token)
        return self._fail("did not find expected key", token, "while parsing a block mapping")

    def _block_value(self) -> YamlEvent:
        token = self._tokens.peek()
        if token.kind is TokenKind.VALUE:
            self._tokens.skip()
            token = self._tokens.peek()
            if token.kind not in (TokenKind.KEY, TokenKind.VALUE, TokenKind.BLOCK_END):
                self._outer.append(self._block_key)
                return self._node(is_block=True, may_lack_indent=True)
        return self._nothing(token, self._block_key)

    # Flow style

    def _first_flow_element(self) -> YamlEvent:
        return self._flow_element(is_first=True)

    def _flow_element(self, *, is_first: bool = False) -> YamlEvent:
        token = self._tokens.peek()
        if token.kind is not TokenKind.FLOW_SEQUENCE_END:
            if not is_first:
                if token.kind is not TokenKind.FLOW_ENTRY:
                    self._fail("did not find expected ',' or ']'", token, "while parsing a flow sequence")
                self._tokens.skip()
                token = self._tokens.peek()
            if token.kind is TokenKind.KEY:
                self._tokens.skip()
                self._state = self._pair_key
                return YamlEvent(EventKind.MAPPING, token.line, "", "", "", is_plain=False, style="")
            if token.kind is not TokenKind.FLOW_SEQUENCE_END:
                self._outer.append(self._flow_element)
                return self._node(is_block=False)
        return self._close_at(token)

    def _pair_key(self) -> YamlEvent:
        """Take the key of a pair in a list: ``[a: 1]``."""
        token = self._tokens.peek()
        if token.kind not in (TokenKind.VALUE, TokenKind.FLOW_ENTRY, TokenKind.FLOW_SEQUENCE_END):
            self._outer.append(self._pair_value)
            return self._node(is_block=False)
        # As goyaml, which drops the token: in "[? , a]" there is a pair without key and value, and no comma.
        self._tokens.skip()
        return self._nothing(token, self._pair_value)

    def _pair_value(self) -> YamlEvent:
        token = self._tokens.peek()
        if token.kind is TokenKind.VALUE:
            self._tokens.skip()
            token = self._tokens.peek()
            if token.kind not in (TokenKind.FLOW_ENTRY, TokenKind.FLOW_SEQUENCE_END):
                self._outer.append(self._pair_end)
                return self._node(is_block=False)
        return self._nothing(token, self._pair_end)

    def _pair_end(self) -> YamlEvent:
        token = self._tokens.peek()
        self._state = self._flow_element
        return YamlEvent(EventKind.END, token.line, "", "", "", is_plain=False, style="")

    def _first_flow_key(self) -> YamlEvent:
        return self._flow_key(is_first=True)

    def _flow_key(self, *, is_first: bool = False) -> YamlEvent:
        token = self._tokens.peek()
        if token.kind is not TokenKind.FLOW_MAPPING_END:
            if not is_first:
                if token.kind is not TokenKind.FLOW_ENTRY:
                    self._fail("did not find expected ',' or '}'", token, "while parsing a flow mapping")
                self._tokens.skip()
                token = self._tokens.peek()
            if token.kind is TokenKind.KEY:
                self._tokens.skip()
                token = self._tokens.peek()
                if token.kind in (TokenKind.VALUE, TokenKind.FLOW_ENTRY, TokenKind.FLOW_MAPPING_END):
                    return self._nothing(token, self._flow_value)
                self._outer.append(self._flow_value)
                return self._node(is_block=False)
            if token.kind is not TokenKind.FLOW_MAPPING_END:
                self._outer.append(self._flow_no_value)
                return self._node(is_block=False)
        return self._close_at(token)

    def _flow_value(self) -> YamlEvent:
        token = self._tokens.peek()
        if token.kind is TokenKind.VALUE:
            self._tokens.skip()
            token = self._tokens.peek()
            if token.kind not in (TokenKind.FLOW_ENTRY, TokenKind.FLOW_MAPPING_END):
                self._outer.append(self._flow_key)
                return self._node(is_block=False)
        return self._nothing(token, self._flow_key)

    def _flow_no_value(self) -> YamlEvent:
        """Take the value of a key without a colon: null."""
        return self._nothing(self._tokens.peek(), self._flow_key)

    def _fail(self, problem: str, token: YamlToken, context: str = "") -> NoReturn:
        raise YamlSyntaxError(problem, context, token.line)
