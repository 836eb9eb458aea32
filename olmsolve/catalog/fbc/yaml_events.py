"""The grammar of YAML: the tokens of a text's first document become events, from which a value is built.

All collections are alike: indicators begin their parts, and a token ends them. So one table says what is different in
each form, and one loop asks the innermost open collection for its next part.

goyaml reads no more than the first document of a text. Text after it counts only up to the next token.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import Final, NoReturn

from olmsolve._named_tuples import NamedTuple
from olmsolve.catalog.fbc.yaml_cursor import Dialect, YamlSyntaxError
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
    the text decides what the scalar is. *style* is the first character of a scalar in quotes or block style.
    """

    kind: EventKind
    line: int
    anchor: str
    tag: str
    value: str
    is_plain: bool
    style: str


class _Phase(enum.IntEnum):
    """The next part of an open collection."""

    ELEMENT = 0
    """An element of a list or the key of a field, with its indicator, or the end of the collection."""
    VALUE = 1
    """The value of a key, if a colon is there."""
    NO_VALUE = 2
    """Nothing: the key has no indicator, so that no colon belongs to it (``{a, b: 1}``)."""
    PAIR_KEY = 3
    """The key of a pair in a list (``[a: 1]``), whose indicator was read."""
    PAIR_END = 4
    """The end of such a pair, which no token marks."""


class _CollectionForm(NamedTuple):
    """A form of collections: what begins, ends and separates its parts.

    *sign* begins an element or a key, which is empty if one of *bounds* follows. *closing* ends the collection; if it
    is None, any token except *sign* does. *problem* and *context* are the error for any other token.
    """

    is_mapping: bool
    sign: TokenKind
    closing: TokenKind | None
    bounds: tuple[TokenKind, ...]
    problem: str
    context: str
    is_block: bool = True
    after_value: _Phase = _Phase.ELEMENT


_DASHES: Final = _CollectionForm(
    is_mapping=False,
    sign=TokenKind.BLOCK_ENTRY,
    closing=TokenKind.BLOCK_END,
    bounds=(TokenKind.BLOCK_ENTRY, TokenKind.BLOCK_END),
    problem="did not find expected '-' indicator",
    context="while parsing a block collection",
)
_DASHES_UNDER_KEY: Final = _DASHES._replace(closing=None, bounds=(*_DASHES.bounds, TokenKind.KEY, TokenKind.VALUE))
"""A list whose dashes are in the column of its key."""
_FIELDS: Final = _CollectionForm(
    is_mapping=True,
    sign=TokenKind.KEY,
    closing=TokenKind.BLOCK_END,
    bounds=(TokenKind.KEY, TokenKind.VALUE, TokenKind.BLOCK_END),
    problem="did not find expected key",
    context="while parsing a block mapping",
)
_BRACKETS: Final = _CollectionForm(
    is_mapping=False,
    sign=TokenKind.KEY,
    closing=TokenKind.FLOW_SEQUENCE_END,
    bounds=(TokenKind.FLOW_ENTRY, TokenKind.FLOW_SEQUENCE_END),
    problem="did not find expected ',' or ']'",
    context="while parsing a flow sequence",
    is_block=False,
)
_PAIR: Final = _BRACKETS._replace(is_mapping=True, closing=None, after_value=_Phase.PAIR_END)
_BRACES: Final = _CollectionForm(
    is_mapping=True,
    sign=TokenKind.KEY,
    closing=TokenKind.FLOW_MAPPING_END,
    bounds=(TokenKind.FLOW_ENTRY, TokenKind.FLOW_MAPPING_END),
    problem="did not find expected ',' or '}'",
    context="while parsing a flow mapping",
    is_block=False,
)
_OPENED_BY: Final = {
    TokenKind.BLOCK_SEQUENCE: _DASHES,
    TokenKind.BLOCK_MAPPING: _FIELDS,
    TokenKind.FLOW_SEQUENCE: _BRACKETS,
    TokenKind.FLOW_MAPPING: _BRACES,
}
_DIRECTIVES: Final = (TokenKind.VERSION, TokenKind.TAG_DIRECTIVE)
_NO_ROOT: Final = (*_DIRECTIVES, TokenKind.DOCUMENT_START, TokenKind.DOCUMENT_END, TokenKind.STREAM_END)
"""The tokens that leave nothing between ``---`` and themselves."""


class _UnfinishedCollection:
    """A collection whose end was not seen yet: its *form*, and the *phase* in which it is."""

    __slots__ = ("form", "has_elements", "phase")

    def __init__(self, form: _CollectionForm, phase: _Phase = _Phase.ELEMENT) -> None:
        self.form = form
        self.phase = phase
        self.has_elements = False


class EventReader:
    """The events of the first document in a text; *end* is where that document ends, once all are read."""

    def __init__(self, text: str, offset: int = 0) -> None:
        """Read *text*; *offset* bytes before it have been read already."""
        self._tokens = TokenReader(text, offset)
        self._handles: dict[str, str] = {}
        self._open: list[_UnfinishedCollection] = []
        self.end: int = len(text)

    @property
    def uses(self) -> list[tuple[Dialect, int, str, str]]:
        """The places so far where the text uses the dialect of goyaml: which, the line, what is written and read."""
        return self._tokens.uses

    def events(self) -> Iterator[YamlEvent]:
        """Yield the events.

        Raises :class:`~olmsolve.catalog.fbc.yaml_cursor.YamlSyntaxError`.
        """
        if self._tokens.peek().kind is TokenKind.STREAM_END:
            return
        yield self._root()
        parts = (self._element, self._value, self._no_value, self._pair_key, self._close)  # by phase
        while self._open:
            collection = self._open[-1]
            yield parts[collection.phase](collection)
        token = self._tokens.peek()
        self.end = token.end if token.kind is TokenKind.DOCUMENT_END else token.begin

    # Documents

    def _root(self) -> YamlEvent:
        """Return the event of the document's node, behind directives and ``---`` if there are any."""
        has_start = self._tokens.peek().kind in (*_DIRECTIVES, TokenKind.DOCUMENT_START)
        self._handles = _DEFAULT_HANDLES | self._directives()
        if has_start:
            token = self._tokens.peek()
            if token.kind is not TokenKind.DOCUMENT_START:
                self._fail("did not find expected <document start>", token)
            token = self._past()
            if token.kind in _NO_ROOT:
                return _nothing(token)
        return self._node()

    def _directives(self) -> dict[str, str]:
        """Go past the directives; return the prefixes of tags that they declare, by their handles."""
        handles: dict[str, str] = {}
        version = ""
        token = self._tokens.peek()
        while token.kind in _DIRECTIVES:
            if token.kind is TokenKind.TAG_DIRECTIVE:
                if token.value in handles:
                    self._fail("found duplicate %TAG directive", token)
                handles[token.value] = token.detail
            elif version:
                self._fail("found duplicate %YAML directive", token)
            elif token.value != "1.1":
                self._fail("found incompatible YAML document", token, "opm takes only %YAML 1.1")
            else:
                version = token.value
            token = self._past()
        return handles

    # Nodes

    def _node(self, *, is_block: bool = True, is_of_field: bool = False) -> YamlEvent:
        """Return the event of the node that begins here, and note the collection that it opens.

        The node *is_of_field* where it is a key or a value in block style: a list there may lack an indent.
        """
        token = self._tokens.peek()
        line = token.line
        if token.kind is TokenKind.ALIAS:
            self._tokens.skip()
            return YamlEvent(EventKind.ALIAS, line, "", "", token.value, is_plain=False, style="")
        anchor = tag = ""
        while (token.kind is TokenKind.ANCHOR and not anchor) or (token.kind is TokenKind.TAG and not tag):
            if token.kind is TokenKind.ANCHOR:
                anchor = token.value
            else:
                tag = self._tag(token)
            token = self._past()
        if token.kind is TokenKind.SCALAR:
            self._tokens.skip()
            is_plain = tag == "!" or not (tag or token.detail)
            return YamlEvent(EventKind.SCALAR, line, anchor, tag, token.value, is_plain, token.detail)
        form = _OPENED_BY.get(token.kind)
        if form is not None and (is_block or not form.is_block):
            self._tokens.skip()
        elif is_of_field and token.kind is TokenKind.BLOCK_ENTRY:
            form = _DASHES_UNDER_KEY  # whose first dash was not read yet
        elif anchor or tag:
            return YamlEvent(EventKind.SCALAR, line, anchor, tag, "", is_plain=not tag, style="")
        else:
            context = "while parsing a block node" if is_block else "while parsing a flow node"
            return self._fail("did not find expected node content", token, context)
        self._open.append(_UnfinishedCollection(form))
        kind = EventKind.MAPPING if form.is_mapping else EventKind.LIST
        return YamlEvent(kind, line, anchor, tag, "", is_plain=False, style="")

    def _tag(self, token: YamlToken) -> str:
        if not token.value:
            return token.detail
        prefix = self._handles.get(token.value)
        if prefix is None:
            self._fail("found undefined tag handle", token, "while parsing a node")
        return prefix + token.detail

    # Parts of collections

    def _element(self, collection: _UnfinishedCollection) -> YamlEvent:
        """Return the event of the next element or key, or of the end."""
        form = collection.form
        token = self._tokens.peek()
        if not form.is_block:
            return self._flow_element(collection, token)
        if token.kind is form.sign:
            if form.is_mapping:
                collection.phase = _Phase.VALUE
            return self._behind_sign(form)
        if form.closing is not None and token.kind is not form.closing:
            self._fail(form.problem, token, form.context)
        return self._close(collection)

    def _flow_element(self, collection: _UnfinishedCollection, token: YamlToken) -> YamlEvent:
        form = collection.form
        if collection.has_elements and token.kind is not form.closing:
            if token.kind is not TokenKind.FLOW_ENTRY:
                self._fail(form.problem, token, form.context)
            token = self._past()
        collection.has_elements = True
        if token.kind is form.closing:
            return self._close(collection)
        if token.kind is not form.sign:
            if form.is_mapping:
                collection.phase = _Phase.NO_VALUE
            return self._node(is_block=False)
        if form.is_mapping:
            collection.phase = _Phase.VALUE
            return self._behind_sign(form)
        self._tokens.skip()
        self._open.append(_UnfinishedCollection(_PAIR, _Phase.PAIR_KEY))
        return YamlEvent(EventKind.MAPPING, token.line, "", "", "", is_plain=False, style="")

    def _pair_key(self, collection: _UnfinishedCollection) -> YamlEvent:
        token = self._tokens.peek()
        collection.phase = _Phase.VALUE
        if token.kind is not TokenKind.VALUE and token.kind not in _PAIR.bounds:
            return self._node(is_block=False)
        # As goyaml, which drops the token: in "[? , a]" there is a pair without key and value, and no comma.
        self._tokens.skip()
        return _nothing(token)

    def _value(self, collection: _UnfinishedCollection) -> YamlEvent:
        form = collection.form
        collection.phase = form.after_value
        token = self._tokens.peek()
        return self._behind_sign(form, is_value=True) if token.kind is TokenKind.VALUE else _nothing(token)

    def _no_value(self, collection: _UnfinishedCollection) -> YamlEvent:
        collection.phase = _Phase.ELEMENT
        return _nothing(self._tokens.peek())

    def _behind_sign(self, form: _CollectionForm, *, is_value: bool = False) -> YamlEvent:
        """Go past an indicator, and return the event of what it begins, which may be nothing."""
        token = self._past()
        if token.kind in form.bounds or (token.kind is TokenKind.VALUE and form.is_mapping and not is_value):
            return _nothing(token)
        return self._node(is_block=form.is_block, is_of_field=form is _FIELDS)

    def _close(self, collection: _UnfinishedCollection) -> YamlEvent:
        """Return the event that ends *collection*, the innermost one, and go past the token that ends it."""
        self._open.pop()
        line = self._tokens.peek().line
        if collection.form.closing is not None:
            self._tokens.skip()
        return YamlEvent(EventKind.END, line, "", "", "", is_plain=False, style="")

    def _past(self) -> YamlToken:
        """Go past a token, and return the next one."""
        self._tokens.skip()
        return self._tokens.peek()

    def _fail(self, problem: str, token: YamlToken, context: str = "") -> NoReturn:
        raise YamlSyntaxError(problem, context, token.line)


def _nothing(token: YamlToken) -> YamlEvent:
    """Return the event of a node that is left out before *token*."""
    return YamlEvent(EventKind.SCALAR, token.line, "", "", "", is_plain=True, style="")
