"""The usual JSON document, read at once by a decoder that is fast and says little.

It takes only what the careful reader (:mod:`olmsolve.catalog.fbc.json_text`) would take with the same value, and leaves
everything else to it: what is unusual, what is wrong, and how to say it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from itertools import accumulate
from typing import Any, Final, NamedTuple

from olmsolve.catalog.fbc.limits import DEPTH

__all__ = ["depth_of", "usual_object", "usual_objects"]

_STEP: Final = {"{": 1, "[": 1, "}": -1, "]": -1}
_ALL_BUT_STRUCTURE: Final = bytes(set(range(256)) - set(b'{}[]"'))
_STRING: Final = re.compile(r'"[^"]*"?')
_SHORT: Final = 1 << 12  # characters in which it costs next to nothing to look for each key


class _Decoders(NamedTuple):
    value: Callable[[str | bytes], Any]
    fields: Callable[[bytes], dict[str, Any]]
    packed: Callable[[bytes], bytes]
    failures: tuple[type[Exception], ...]


@cache
def usual_objects() -> bool:
    """Whether the fast decoder is here."""
    return _decoders() is not None


@cache
def _decoders() -> _Decoders | None:
    # Imported where it is needed: small documents need not pay for it.
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
    """The JSON object that *text* is, less white space around it; None where the careful reader must look at it."""
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
    """How deep lists and objects are nested in the JSON *text*, which may end in the middle."""
    # Without escapes and without whatever has no structure, little is left to look at one by one. Two strings that
    # become neighbours thereby may become one.
    if "\\" in text:
        text = text.replace("\\\\", "").replace('\\"', "")
    structure = text.encode("utf-8", "surrogatepass").translate(None, _ALL_BUT_STRUCTURE).decode("ascii")
    brackets = _STRING.sub("", structure.replace('""', ""))
    return max(accumulate(map(_STEP.__getitem__, brackets)), default=0)


def _are_unique(value: dict[str, Any], text: str, decoders: _Decoders) -> bool:
    """Whether no key of the outer object stands twice in *text*."""
    if len(text) < _SHORT and "\\" not in text:
        for key in value:
            if text.count(f'"{key}"') != 1:
                break
        else:
            return True
    # The text without white space is as long as its keys and their values where none was lost.
    packed = decoders.packed(text.encode())
    fields = decoders.fields(packed)
    return len(packed) == 1 + sum(len(key.encode()) + 4 + len(bytes(field)) for key, field in fields.items())
