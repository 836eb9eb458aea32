"""JSON values kept as text until somebody asks for them, and typed fields of JSON objects, in any letter case.

A catalog's heavy parts (manifests inside properties, icons, related images) are hardly ever looked at. As text they
take a fraction of the memory of Python's objects, equal values can be shared, and nobody can change them.

Names of fields may be in another letter case, which Go's JSON decoder honours, and so do ``opm`` and OLM.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache
from itertools import count
from typing import Any, Final

from olmsolve._limits import checked
from olmsolve._named_tuples import NamedTuple
from olmsolve.errors import ConstraintError
from olmsolve.semver import well_formed

# Values that the standard library encodes and decodes before msgspec is loaded, which takes as long as 3,500 of them.
_FEW: Final = 1_000
# Characters of an unknown field that a message shows.
_SHOWN: Final = 60
_uses = count(1)

LINE_ENDS: Final = {0x2028: "\\u2028", 0x2029: "\\u2029"}
"""The characters that Go escapes in every JSON text, for :meth:`str.translate`."""

HTML_ESCAPES: Final = {ord("<"): "\\u003c", ord(">"): "\\u003e", ord("&"): "\\u0026", **LINE_ENDS}
"""The characters that Go escapes in most JSON texts: HTML and JavaScript give these characters a meaning."""

# Not float: 1e16 is 1e16 for msgspec and 1e+16 for the standard library.
_WRITTEN_ALIKE: Final = frozenset({str, int, bool, type(None)})
_plainly_encoded: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class _Codec(NamedTuple):
    """Functions from values to text and back, and the exceptions on which the standard library is used instead."""

    encode: Callable[[Any], bytes]
    decode: Callable[[bytes], Any]
    failures: tuple[type[Exception], ...]


@cache
def _codec() -> _Codec:
    # Imported on first use: requests over a small catalog, or one with an index, need not wait for msgspec.
    try:
        import msgspec
    except ImportError:
        return _Codec(_standard, json.loads, ())
    failures = (msgspec.MsgspecError, UnicodeEncodeError, OverflowError, RecursionError, TypeError)
    return _Codec(msgspec.json.Encoder().encode, msgspec.json.Decoder().decode, failures)


def encoded(value: Any) -> bytes:
    """Return *value* as JSON text without white space; lone surrogates are kept as escapes.

    The text is the same whether or not msgspec was loaded before, so the standard library, which writes 1e+16 for the
    1e16 of msgspec, encodes only values without floats.
    """
    if next(_uses) <= _FEW and _has_one_text(value):
        return _standard(value)
    codec = _codec()
    try:
        return codec.encode(value)
    except codec.failures:
        return _standard(value)


def decoded(text: bytes) -> Any:
    """Return the value of the JSON *text*, new each time; the caller may change it."""
    # Loaded, msgspec takes 0.2 µs for the text of an API, where the standard library takes 1.4.
    if next(_uses) <= _FEW:
        return json.loads(text)
    codec = _codec()
    try:
        return codec.decode(text)
    except codec.failures:
        # The fast codec refuses lone surrogates and integers past 64 bits.
        return json.loads(text)


def _has_one_text(value: Any) -> bool:
    """Return whether msgspec and the standard library write *value* alike: it has no floats, and only JSON's types."""
    kind = type(value)
    if kind is dict:
        return all(map(_has_one_text, value.values()))
    if kind is list:
        return all(map(_has_one_text, value))
    return kind in _WRITTEN_ALIKE


def _standard(value: Any) -> bytes:
    try:
        return _plainly_encoded(value).encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode("ascii")


def described(value: object) -> str:
    """Return the phrase for *value* in a message: its kind in JSON, and the value itself where that is short.

    >>> described(True), described(3), described({}), described(())
    ('the boolean true', 'the number 3', 'an object', 'a list')
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return f"the boolean {str(value).lower()}"
    if isinstance(value, str):
        return "a string" if value else "the empty string"
    if isinstance(value, (int, float)):
        # Python takes quadratic time for the text of an integer, and refuses it past some thousand digits.
        return f"the number {value}" if abs(value) < 1e15 else "a number"
    if isinstance(value, (list, tuple)):
        return "a list"
    if isinstance(value, Mapping):
        return "an object"
    return f"a Python {type(value).__name__}"


class JsonObject(Mapping[str, Any]):
    """A mapping that is held as JSON text, and decoded as a whole each time that somebody looks into it."""

    __slots__ = ("_text",)

    def __init__(self, text: bytes) -> None:
        self._text = text

    def __getitem__(self, key: str) -> Any:
        return self.decoded()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.decoded())

    def __len__(self) -> int:
        return len(self.decoded())

    def decoded(self) -> dict[str, Any]:
        """Return the mapping as a dictionary that belongs to the caller."""
        value: dict[str, Any] = decoded(self._text)
        return value

    def __eq__(self, other: object) -> bool:
        if isinstance(other, JsonObject):
            return self._text == other._text or self.decoded() == other.decoded()
        return self.decoded() == other if isinstance(other, Mapping) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self.decoded())


def at(path: str, field: str) -> str:
    """Return *path* with one step more: ``all`` and ``gvk`` give ``all.gvk``; after ``": "`` no dot is needed."""
    if not path:
        return field
    return f"{path}{field}" if path.endswith(": ") else f"{path}.{field}"


def mapping(value: Any, path: str) -> Mapping[str, Any]:
    """Return *value*. Raises ConstraintError with *path* if it is not a JSON object."""
    if not isinstance(value, Mapping):
        raise ConstraintError(f"must be an object, not {described(value)}", path.removesuffix(": "))
    return value


def string(fields: Mapping[str, Any], field: str, path: str) -> str:
    """Return the text of *field*, "" where it is absent or null. Raises ConstraintError for another kind."""
    value = fields.get(field)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ConstraintError(f"must be a string, not {described(value)}", at(path, field))
    return well_formed(value)


def unknown(field: Any, allowed: Collection[str], path: str) -> ConstraintError:
    """Return the error about an unknown *field*, with a hint where it is close to one of the *allowed* fields."""
    import difflib  # few catalogs have an error, and the others need not wait 3 ms for it

    text = field if isinstance(field, str) else repr(field)
    shown = text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
    by_lower = {name.lower(): name for name in allowed}
    near = difflib.get_close_matches(text[:_SHOWN].lower(), by_lower, n=1)
    hint = f" (did you mean {by_lower[near[0]]!r}?)" if near else ""
    return ConstraintError(f"unknown field {shown!r}{hint}", path.removesuffix(": "))


def named(fields: Mapping[str, Any], names: frozenset[str]) -> Mapping[str, Any]:
    """Return *fields* with each of *names* written as it is documented; other fields keep their names.

    Of several spellings of one name, the last one in the order of their bytes counts, and null does not count where
    the value before it is no list. Both are as recorded from ``opm``, which sorts the keys of a document.

    >>> named({"Replaces": "db.v1", "note": 1}, frozenset({"name", "replaces"}))
    {'replaces': 'db.v1', 'note': 1}
    """
    # Nearly all objects have documented fields alone, which one look at the set shows: 0.07 µs instead of 0.2.
    return fields if names.issuperset(fields) else _renamed(fields, names)


def folded(name: str) -> str:
    """Return the form that all spellings of *name* share: Go takes the long s and the Kelvin sign for letters too."""
    fold = name.casefold()
    # Go does not fold one letter into several, as the sharp s into "ss".
    return fold if len(fold) == len(name) else name


# Readers pass the same few sets of names for each blob: 0.6 µs to make a table, 0.04 to look it up.
@cache
def _by_form(names: frozenset[str]) -> dict[str, str]:
    return {folded(name): name for name in names}


def _renamed(fields: Mapping[str, Any], names: frozenset[str]) -> Mapping[str, Any]:
    by_form = _by_form(names)
    # Fields beside *names* are usual; a name in another letter case hardly ever comes.
    for key in checked(fields, every=1024):
        if key not in names and isinstance(key, str) and folded(key) in by_form:
            break
    else:
        return fields
    meant = {key: by_form.get(folded(key), key) if isinstance(key, str) else key for key in checked(fields, every=1024)}
    spellings: dict[str, list[str]] = {}
    for key, name in checked(meant.items(), every=1024):
        spellings.setdefault(name, []).append(key)
    return {name: _last(fields, sorted(keys)) for name, keys in spellings.items()}


def _last(fields: Mapping[str, Any], spellings: Iterable[str]) -> Any:
    content: Any = None
    for key in spellings:
        if fields[key] is not None or isinstance(content, list):
            content = fields[key]
    return content
