"""Usual JSON documents, decoded by msgspec, which is fast and says little about errors.

A document is taken only if the careful reader (:mod:`olmsolve.catalog.fbc.json_text`) would take it with the same
value. Unusual and wrong documents are left to that reader, and so is saying what is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from itertools import accumulate
from typing import Any, Final, NamedTuple

from olmsolve.catalog.fbc.limits import DEPTH

_STEP: Final = {"{": 1, "[": 1, "}": -1, "]": -1}
_ALL_BUT_STRUCTURE: Final = bytes(set(range(256)) - set(b'{}[]"'))
_STRING: Final = re.compile(r'"[^"]*"?')
_SHORT: Final = 1 << 12  # characters in which looking for each key costs next to nothing


class _Decoders(NamedTuple):
    """The functions of msgspec that are used here, and the errors that they raise."""

    value: Callable[[str | bytes], Any]
    fields: Callable[[bytes], dict[str, Any]]
    packed: Callable[[bytes], bytes]
    failures: tuple[type[Exception], ...]


@cache
def usual_objects() -> bool:
    """Return whether the fast decoder is installed."""
    return _decoders() is not None


@cache
def _decoders() -> _Decoders | None:
    # Imported on first use: a small catalog is read before msgspec is loaded.
    try:
        import msgspec
    except ImportError:
        return None
    return _Decoders(
        msgspec.json.Decoder().decode,
        msgspec.json.Decoder(dict[str, msgspec.Raw]).decode,
        lambda text: msgspec.json.format(text, indent=-1),
        (msgspec.MsgspecError, ValueError, RecursionError),
    )


def usual_object(text: str) -> dict[str, Any] | None:
    """Return the JSON object in *text*; None where the careful reader must look at it."""
    decoders = _decoders()
    if decoders is None or "\\ud" in text or "\\uD" in text:
        return None
    if text.count("{") + text.count("[") > DEPTH and depth_of(text) > DEPTH:
        return None
    try:
        value = decoders.value(text)
        return value if isinstance(value, dict) and _are_unique(value, text, decoders) else None
    except decoders.failures:
        return None


def depth_of(text: str) -> int:
    """Return how deep lists and objects are nested in the JSON *text*, which may end in the middle."""
    # Escapes and all characters without structure are dropped, then strings, so that only brackets are looked at:
    #
    #     [{"a": "}"}, "\""]  ->  [{"""}"}""]  ->  [{"}"}]  ->  [{}]
    #
    # Two strings that become neighbours may be taken for one, which changes nothing.
    if "\\" in text:
        text = text.replace("\\\\", "").replace('\\"', "")
    structure = text.encode("utf-8", "surrogatepass").translate(None, _ALL_BUT_STRUCTURE).decode("ascii")
    brackets = _STRING.sub("", structure.replace('""', ""))
    return max(accumulate(map(_STEP.__getitem__, brackets)), default=0)


def _are_unique(value: dict[str, Any], text: str, decoders: _Decoders) -> bool:
    """Return whether no key stands twice in the outer object: the decoder lets the last one win, opm refuses it."""
    if len(text) < _SHORT and "\\" not in text:
        for key in value:
            if text.count(f'"{key}"') != 1:
                break
        else:
            return True
    # The text without white space is as long as the keys and values of the dict, if none was lost on the way to it. For
    # {"a":1,"a":22} it has 14 characters, and the dict gives {"a":22}, with 8.
    packed = decoders.packed(text.encode())
    fields = decoders.fields(packed)
    return len(packed) == 1 + sum(len(key.encode()) + 4 + len(bytes(field)) for key, field in fields.items())
