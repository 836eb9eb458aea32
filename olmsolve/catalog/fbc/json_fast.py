"""Usual JSON documents, decoded by msgspec, which is fast and says little about errors.

A document is taken only if the careful reader (:mod:`olmsolve.catalog.fbc.json_text`) would take it with the same
value. Unusual and wrong documents are left to that reader, and so is saying what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

from olmsolve._named_tuples import NamedTuple
from olmsolve._patterns import pattern
from olmsolve.catalog.fbc.document import DEPTH

if TYPE_CHECKING:
    from olmsolve.catalog.fbc.usual_bundles import PropertyTable

_STEP: Final = {"{": 1, "[": 1, "}": -1, "]": -1}
_ALL_BUT_STRUCTURE: Final = bytes(set(range(256)) - set(b'{}[]"'))
_STRING: Final = pattern(r'"[^"]*"?')


class _Decoders(NamedTuple):
    """The functions of msgspec that are used here, and the errors that they raise."""

    value: Callable[[str | bytes], Any]
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
        (msgspec.MsgspecError, ValueError, RecursionError),
    )


def usual_object(text: str, properties: PropertyTable | None = None) -> dict[str, Any] | None:
    """Return the JSON object in *text*; None where the careful reader must look at it.

    With a table of *properties*, those of a usual bundle are a tuple from it.
    """
    if properties is not None and (bundle := properties.usual_bundle(text)) is not None:
        return bundle
    decoders = _decoders()
    if decoders is None or ("\\u" in text and ("\\ud" in text or "\\uD" in text)):
        return None
    if text.count("{") + text.count("[") > DEPTH and depth_of(text) > DEPTH:
        return None
    try:
        value = decoders.value(text)
        return value if isinstance(value, dict) else None
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
