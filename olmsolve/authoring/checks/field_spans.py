"""Positions of fields in the text of a document, from the events of a YAML parser, which reads JSON too."""

from __future__ import annotations

from collections.abc import Collection
from itertools import takewhile
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve._limits import checked
from olmsolve._named_tuples import NamedTuple
from olmsolve._patterns import pattern
from olmsolve.authoring.checks.fix import FieldPath
from olmsolve.predicates import folded

_HALF_PAIR: Final = pattern(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")  # JSON's escape of half a character; no YAML


class FieldSpan(NamedTuple):
    """The position of a field: *line* and *column* of its start, from 0, and spans in characters.

    *key* is the span of its key, or of a whole element of a list; *value* of a value on one line, else None.
    *is_flow*: the field stands between braces, as in JSON.
    """

    line: int
    column: int
    key: tuple[int, int]
    value: tuple[int, int] | None
    is_flow: bool


@attrs.define
class _OpenCollection:
    """A list or mapping whose end was not seen yet; *key* is the key, and its event, whose value comes next."""

    path: FieldPath
    is_list: bool
    is_flow: bool
    index: int = 0
    key: tuple[str, Any] | None = None


def field_spans(text: str, wanted: Collection[FieldPath]) -> dict[FieldPath, FieldSpan]:
    """Return the spans of the *wanted* fields in the first document of *text*, as far as it can be parsed."""
    import yaml

    spans: dict[FieldPath, FieldSpan] = {}
    stack: list[_OpenCollection] = []
    # What replaces an escape is as long, so that no position moves.
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(_HALF_PAIR.sub(r"\\u0020", text))
    try:
        events = takewhile(lambda event: not isinstance(event, yaml.DocumentEndEvent), iter(loader.get_event, None))
        for event in checked(events, every=256):
            if isinstance(event, yaml.CollectionEndEvent):
                stack.pop()
            elif isinstance(event, yaml.NodeEvent):
                _take(event, stack, wanted, spans)
    except yaml.YAMLError:
        pass
    finally:
        loader.dispose()
    return spans


def _take(
    event: Any, stack: list[_OpenCollection], wanted: Collection[FieldPath], spans: dict[FieldPath, FieldSpan]
) -> None:
    """Follow one *event* of the parser, and note the span of a *wanted* field."""
    import yaml

    is_scalar = isinstance(event, yaml.ScalarEvent)
    path: FieldPath = ()
    beginning = event
    if stack:
        top = stack[-1]
        if top.is_list:
            path = (*top.path, top.index)
            top.index += 1
        elif top.key is None:
            top.key = folded(event.value) if is_scalar else "", event
            if is_scalar or isinstance(event, yaml.AliasEvent):
                return
            path = (*top.path, "")
        else:
            (name, beginning), top.key = top.key, None
            path = (*top.path, name)
        if path in wanted:
            is_simple = is_scalar and event.style not in ("|", ">")
            value = (event.start_mark.index, event.end_mark.index) if is_simple else None
            mark = beginning.start_mark
            spans[path] = FieldSpan(mark.line, mark.column, (mark.index, beginning.end_mark.index), value, top.is_flow)
    if isinstance(event, yaml.CollectionStartEvent):
        stack.append(_OpenCollection(path, isinstance(event, yaml.SequenceStartEvent), bool(event.flow_style)))
