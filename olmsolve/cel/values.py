"""The values of an evaluation, and the way from JSON to them.

==============================  ==========================================================================
CEL                             Python
==============================  ==========================================================================
bool, string, bytes, null       ``bool``, ``str``, ``bytes``, ``None``
double, int                     ``float``, ``int`` (always within 64 bit, signed)
uint                            :class:`Uint`
list                            ``tuple`` if the rule made it; ``list`` if it is JSON
map                             :class:`Map` if the rule made it; ``dict`` if it is JSON
timestamp, duration             :class:`.instants.Timestamp`, :class:`.instants.Duration`
type                            :class:`TypeName`
==============================  ==========================================================================

JSON containers are read as they are, never copied: a rule may look at one field of a property with megabytes. Every
number in them is a double to CEL, so each value taken *out of* a ``list`` or a ``dict`` goes through :func:`native`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final, TypeAlias

import olmsolve._attrs as attrs
from olmsolve._arguments import with_article

INT_MIN: Final = -(2**63)
INT_MAX: Final = 2**63 - 1
UINT_MAX: Final = 2**64 - 1


class Failure(Exception):  # noqa: N818 - an evaluation's error value, which `||` and `exists` may absorb
    """cel-go's error value: it travels up until an operator absorbs it."""


class Exhausted(Exception):  # noqa: N818 - not a Failure: nothing may absorb it
    """The rule did more work than is allowed."""


class Uint(int):
    """An unsigned integer of 64 bit."""

    __slots__ = ()


Scalar: TypeAlias = bool | int | Uint | float | str | bytes | None


@attrs.frozen
class TypeName:
    """A type as a value: ``type(1)``, ``google.protobuf.Timestamp``."""

    name: str


@attrs.frozen(eq=False)
class MessageValue:
    """A value that is a message; its type is *name*."""

    name: str


class Map:
    """A map that a rule made: keys of any kind, where ``1``, ``1u`` and ``true`` are three different keys.

    Python's dictionaries take the three for one key, so ``entries`` has the type beside each: ``(int, 1)``.
    """

    __slots__ = ("entries",)

    def __init__(self, pairs: Sequence[tuple[Any, Any]] = ()) -> None:
        self.entries: dict[Any, Any] = {}
        for key, value in pairs:
            self.entries[_hashed(key)] = value

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Any]:
        for kind, key in self.entries:
            if kind is not object:
                yield key
            else:
                yield key.value

    def find(self, key: Any) -> tuple[bool, Any]:
        """Return whether *key* is in the map, and its value; an equal number of another kind is found too."""
        for candidate in _spellings(key):
            if candidate in self.entries:
                return True, self.entries[candidate]
        return False, None


@attrs.frozen(eq=False)
class _ByIdentity:
    """A container as a key: it equals only itself."""

    value: Any


_HASHED: Final = frozenset({str, bool, int, Uint, float, bytes, type(None)})


def _hashed(key: Any) -> tuple[type, Any]:
    # Never a container: hashing one that shares its parts takes exponential time.
    return (type(key), key) if type(key) in _HASHED else (object, _ByIdentity(key))


def _spellings(key: Any) -> Iterator[tuple[type, Any]]:
    """Yield the entries under which *key* may be found: ``1.0`` is also the int 1 and the uint 1."""
    yield _hashed(key)
    kind = type(key)
    if kind is float and key.is_integer():
        yield int, int(key)
        yield Uint, Uint(key)
    elif kind is int:
        yield Uint, Uint(key)
    elif kind is Uint:
        yield int, int(key)


# Kinds that are the same in JSON as in CEL: nearly every value, so they are looked up first.
_FAMILIAR: Final = frozenset({str, bool, float, type(None), dict, list})


def native(value: Any) -> Any:
    """Return *value*, just taken out of JSON, as a CEL value; the parts of a container are not looked at.

    Raises :class:`Failure` for a value that JSON cannot hold.
    """
    kind = type(value)
    if kind in _FAMILIAR:
        return value
    if isinstance(value, (int, Decimal)):
        try:
            return float(value)
        except OverflowError:
            raise Failure("a number is too large for a double") from None
    if isinstance(value, str):
        return str(value)
    if isinstance(value, float):
        return float(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        return list(value)
    raise Failure(f"a property holds {with_article(kind.__name__)}, which is not a JSON value")
