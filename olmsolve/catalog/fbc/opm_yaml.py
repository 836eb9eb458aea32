"""YAML as ``opm`` prints it, to the byte: fields in goyaml's order, and its choice of quotes.

olmsolve's own YAML (``yaml_writing``) keeps fields in their order, and has quotes in case of doubt; this module is for
comparisons with ``opm``. The emitter is libyaml's, of which goyaml's is a port; order, numbers and the choice between
plain, literal and quoted texts are goyaml's own. ``opm`` makes its YAML of its JSON, and so makes a blank of U+0085 and
refuses U+007F; here both are escaped.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from functools import cmp_to_key
from typing import Any, Final

import yaml

from olmsolve._limits import checked
from olmsolve._patterns import pattern
from olmsolve.catalog.fbc.document import OutsideJsonError
from olmsolve.catalog.fbc.yaml_scalars import go_layout, is_timestamp, plain_scalar

_MAP: Final = "tag:yaml.org,2002:map"
_LIST: Final = "tag:yaml.org,2002:seq"
_TEXT: Final = "tag:yaml.org,2002:str"
_OPEN_END: Final = "...\n"
_EITHER: Final = (True, True)
# If a text ends with a line end of Unicode, libyaml indents the quote after it; goyaml does not.
_LINE_END: Final = pattern("([\u2028\u2029]) +'(?=:|$)", re.MULTILINE)
# The emitter in C where PyYAML has it, which is nearly everywhere.
_Dumper: Final[Any] = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def opm_yaml_text(value: Any) -> str:
    """Return *value* as a YAML document as ``opm`` prints it, after the line that separates documents."""
    stream = io.StringIO()
    dumper = _Dumper(stream, allow_unicode=True, default_flow_style=False, indent=2)
    dumper.emit(yaml.StreamStartEvent())
    dumper.emit(yaml.DocumentStartEvent(explicit=False))
    for event in checked(_events(value), every=256):
        dumper.emit(event)
    dumper.emit(yaml.DocumentEndEvent(explicit=False))
    dumper.emit(yaml.StreamEndEvent())
    # A literal text that keeps blank lines at its end leaves the document open, which goyaml does not say.
    text = stream.getvalue().removesuffix(_OPEN_END)
    if "\u2028" in text or "\u2029" in text:
        text = _LINE_END.sub(r"\1'", text)
    return f"---\n{text}"


def _events(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        # An empty one is in braces.
        yield yaml.MappingStartEvent(None, _MAP, implicit=True, flow_style=not value)
        for key in sorted(value, key=_go_order):
            yield _text_event(key)
            yield from _events(value[key])
        yield yaml.MappingEndEvent()
    elif isinstance(value, list):
        yield yaml.SequenceStartEvent(None, _LIST, implicit=True, flow_style=not value)
        for inner in value:
            yield from _events(inner)
        yield yaml.SequenceEndEvent()
    elif isinstance(value, str):
        yield _text_event(value)
    else:
        yield yaml.ScalarEvent(None, None, _EITHER, _scalar_text(value), style=None)


def _scalar_text(value: bool | float | None) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int) and -(1 << 63) <= value < 1 << 64 else _double(float(value))


def _double(value: float) -> str:
    """Return *value* with the shortest digits that identify it, as Go's format "g" prints them."""
    mantissa, exponent = "", ""
    for precision in range(17):
        mantissa, _, exponent = f"{value:.{precision}e}".partition("e")
        if float(f"{mantissa}e{exponent}") == value:
            break
    return go_layout(mantissa, int(exponent))


def _text_event(text: str) -> Any:
    """Return the event of *text*: literal with several lines, plain if it is read as a text, else in double quotes."""
    if "\n" in text:
        style = "|"
    else:
        try:
            style = "" if plain_scalar(text) is text and not (_is_base_60(text) or is_timestamp(text)) else '"'
        except OutsideJsonError:
            style = '"'
    # The emitter in C takes no text of a class of its own.
    return yaml.ScalarEvent(None, _TEXT, _EITHER, str(text), style=style)


def _is_base_60(text: str) -> bool:
    """Return whether older readers take *text* for a number of base 60, such as 1:30."""
    head, *places = text.lstrip("+-").split(":")
    if not places or not head.replace("_", "").isdigit() or not text.isascii():
        return False
    *middle, last = places
    whole, _, digits = last.partition(".")
    return all(len(digits) <= 2 and digits.isdigit() and int(digits) < 60 for digits in (*middle, whole)) and (
        not digits or digits.replace("_", "").isdigit()
    )


def _compared(left: str, right: str) -> int:
    """Return the order of two keys in goyaml: letters after other characters, and numbers by their value.

    ::

        a2 before a10, a-b before ab, a1b before a10
    """
    for index, (one, other) in enumerate(zip(left, right, strict=False)):
        if one == other:
            continue
        if one.isalpha() and other.isalpha():
            return -1 if one < other else 1
        if one.isalpha() or other.isalpha():
            is_number = index > 0 and left[index - 1].isdecimal()
            return -1 if is_number == one.isalpha() else 1
        return _digits_compared(left, right, index)
    return len(left) - len(right)


def _digits_compared(left: str, right: str, index: int) -> int:
    first, second = 0, 0
    if "0" in (left[index], right[index]):
        before = index - 1
        while before >= 0 and left[before].isdecimal():
            if left[before] != "0":
                first = second = 1
                break
            before -= 1
    end, other_end = index, index
    while end < len(left) and left[end].isdecimal():
        first, end = first * 10 + ord(left[end]) - 48, end + 1
    while other_end < len(right) and right[other_end].isdecimal():
        second, other_end = second * 10 + ord(right[other_end]) - 48, other_end + 1
    if first != second:
        return -1 if first < second else 1
    if end != other_end:
        return -1 if end < other_end else 1
    return -1 if left[index] < right[index] else 1


_go_order: Final = cmp_to_key(_compared)
