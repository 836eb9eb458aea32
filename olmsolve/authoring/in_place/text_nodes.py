"""A tree of a document's values with their positions in its text.

The document is parsed as YAML, which JSON is too, and the events of the parser say from where to where values reach::

    - name: p.v1.1.0       a TextList whose element is a TextMapping; its TextField "name"
      skips: [p.v1.0.0]    has a TextScalar, "skips" has a TextList in flow style
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import olmsolve._attrs as attrs
from olmsolve._limits import checked
from olmsolve._patterns import pattern

_HALF_PAIR: Final = pattern(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")  # JSON's escape of half a character; no YAML


class UnclearTextError(Exception):
    """A text whose values cannot be told apart well enough to change one of them; the message says why.

    *line* is the line of the text, from 1, where the reason stands; None where it is about the whole text.
    """

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.line = line


@attrs.frozen
class TextScalar:
    """A scalar or alias from *begin* to *end*, in characters; *quote* is the sign that begins it, "" for plain text."""

    begin: int
    end: int
    quote: str = ""


@attrs.frozen
class TextField:
    """A field of a mapping: its *key*, where the key begins, and its value."""

    key: str
    begin: int
    value: TextNode


@attrs.frozen
class TextMapping:
    """A mapping from *begin* to *end*; *is_flow* if it stands between braces."""

    begin: int
    end: int
    is_flow: bool
    fields: tuple[TextField, ...]


@attrs.frozen
class TextList:
    """A list from *begin* to *end*; *is_flow* if it stands between brackets, otherwise each element has a dash."""

    begin: int
    end: int
    is_flow: bool
    elements: tuple[TextNode, ...]


TextNode: TypeAlias = TextScalar | TextMapping | TextList


def parse_document(text: str) -> TextNode:
    """Return the tree of the first document of *text*.

    Raises:
        UnclearTextError: *text* is not YAML, or has anchors, tags or keys other than plain texts.
    """
    import yaml

    # What replaces an escape is as long, so that no position moves.
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(_HALF_PAIR.sub(r"\\u0020", text))
    try:
        for event in iter(loader.get_event, None):
            if isinstance(event, yaml.NodeEvent):
                return _node(loader, event, text)
    except RecursionError:
        raise UnclearTextError("it is nested too deeply") from None
    except yaml.YAMLError as error:
        problem = str(getattr(error, "problem", None) or error)
        # libyaml has a limit of its own since PyYAML 6.0.4; before, Python's was reached.
        if "maximum nesting depth" in problem:
            raise UnclearTextError("it is nested too deeply") from None
        raise UnclearTextError(f"it is not plain YAML: {problem}") from None
    finally:
        loader.dispose()
    raise UnclearTextError("it is empty")


def _node(loader: Any, event: Any, text: str) -> TextNode:
    """Return the tree of the value that begins with *event* of the parser."""
    import yaml

    if getattr(event, "anchor", None) is not None or getattr(event, "tag", None) is not None:
        raise UnclearTextError("there is an anchor, an alias or a tag here", _line(event))
    begin = event.start_mark.index
    kind = type(event)
    if kind is yaml.ScalarEvent:
        # A block of text ends where the next line begins.
        end = begin + len(text[begin : event.end_mark.index].rstrip())
        return TextScalar(begin, end, event.style or "")
    is_flow = bool(event.flow_style)
    if kind is yaml.SequenceStartEvent:
        elements: list[TextNode] = []
        for next_event in checked(iter(loader.get_event, None), every=256):
            if type(next_event) is yaml.SequenceEndEvent:
                end = _end(next_event) if is_flow else elements[-1].end if elements else begin
                return TextList(begin, end, is_flow, tuple(elements))
            elements.append(_node(loader, next_event, text))
    fields: list[TextField] = []
    seen: set[str] = set()
    while type(key := loader.get_event()) is not yaml.MappingEndEvent:
        if type(key) is not yaml.ScalarEvent or key.anchor or key.tag or (key.value == "<<" and not key.style):
            raise UnclearTextError("a key is not plain text", _line(key))
        if key.value in seen:
            raise UnclearTextError(f"the key {key.value[:80]!r} occurs a second time in its mapping", _line(key))
        seen.add(key.value)
        value = _node(loader, loader.get_event(), text)
        fields.append(TextField(key.value, _begin(key), value))
    end = _end(key) if is_flow else fields[-1].value.end if fields else begin
    return TextMapping(begin, end, is_flow, tuple(fields))


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1


def _begin(event: Any) -> int:
    return int(event.start_mark.index)


def _end(event: Any) -> int:
    return int(event.end_mark.index)
