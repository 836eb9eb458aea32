"""Names of fields in another letter case, which Go's JSON decoder honours, and so do ``opm`` and OLM."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from olmsolve._limits import checked


def named(fields: Mapping[str, Any], names: frozenset[str]) -> Mapping[str, Any]:
    """Return *fields* with each of *names* written as it is documented; other fields keep their names.

    Of several spellings of one name, the last one in the order of their bytes counts, and null does not count where
    the value before it is no list. Both are as recorded from ``opm``, which sorts the keys of a document.

    >>> named({"Replaces": "db.v1", "note": 1}, frozenset({"name", "replaces"}))
    {'replaces': 'db.v1', 'note': 1}
    """
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
