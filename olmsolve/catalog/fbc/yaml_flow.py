"""Lists and mappings in flow style on one line, as people write them: ``{group: a.b, kind: Db}``, ``[shop, "1.0"]``.

Only words, numbers and text in quotes without escapes are taken; these mean the same in flow style as behind a key.
"""

from __future__ import annotations

import re
from typing import Any, Final

from olmsolve.catalog.fbc.plain_values import OutsideJsonError
from olmsolve.catalog.fbc.yaml_scalars import is_beyond, plain_scalar

_LONGEST: Final = 1000  # characters: YAML allows a key and its colon no more than 1,024 on one line
_DEEPEST: Final = 10  # levels: each takes two frames of the stack

_OPENED: Final = re.compile(r"([\[{]) *")
_KEY: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_./-]*): +")
_SCALAR: Final = re.compile(r"""([A-Za-z0-9_][A-Za-z0-9_./+-]*)|"([^"\\]*)"|'([^']*)'""")
_BEHIND: Final = re.compile(r" *([],}]) *")


class _UnusualError(Exception):
    """The text has something that the careful reader must look at."""


def usual_flow(text: str) -> Any:
    """Return the list or mapping in *text*, new each time; None where the careful reader must look at it."""
    if len(text) > _LONGEST:
        return None
    try:
        value, end = _value(text, 0, 1)
    except (_UnusualError, OutsideJsonError):
        return None
    return value if end == len(text) else None


def _value(text: str, begin: int, depth: int) -> tuple[Any, int]:
    """Return the value that begins at *begin*, and where it ends."""
    opened = _OPENED.match(text, begin)
    if opened is not None:
        return _collection(text, opened, depth)
    scalar = _SCALAR.match(text, begin)
    if scalar is None:
        raise _UnusualError
    plain, double, single = scalar.groups()
    if plain is not None:
        number = plain_scalar(plain)
        if is_beyond(plain, number):
            raise _UnusualError
        return number, scalar.end()
    return (single if double is None else double), scalar.end()


def _collection(text: str, opened: re.Match[str], depth: int) -> tuple[Any, int]:
    """Return the list or mapping that is *opened*, and where it ends; *depth* counts it and those around it."""
    if depth > _DEEPEST:
        raise _UnusualError
    is_list, position = opened[1] == "[", opened.end()
    closing = "]" if is_list else "}"
    elements: list[Any] = []
    fields: dict[str, Any] = {}
    if text.startswith(closing, position):
        return elements if is_list else fields, position + 1
    while True:
        if is_list:
            value, position = _value(text, position, depth + 1)
            elements.append(value)
        else:
            key = _KEY.match(text, position)
            if key is None:
                raise _UnusualError
            name: str = key[1]
            # A word for true, false or null becomes another key; a key twice is for the careful reader to remark.
            if plain_scalar(name) is not name or name in fields:
                raise _UnusualError
            value, position = _value(text, key.end(), depth + 1)
            fields[name] = value
        behind = _BEHIND.match(text, position)
        if behind is None or behind[1] not in (",", closing):
            raise _UnusualError
        position = behind.end()
        if behind[1] == closing:
            return elements if is_list else fields, position
