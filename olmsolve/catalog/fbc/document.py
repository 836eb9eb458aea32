"""One document of a file, which readers of text give and the linker takes, and limits on what is read.

The limits are above any real catalog, and below what harms a process.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any, Final, NoReturn

from olmsolve._limits import checked
from olmsolve._named_tuples import NamedTuple
from olmsolve._patterns import pattern
from olmsolve.catalog import Origin, Package
from olmsolve.errors import CatalogError

DEPTH: Final = 250
"""Levels of lists and objects in one document. Copying, pickling and printing a value take up to three frames
per level, and Python allows 1,000 frames by default; real catalogs have about 15 levels."""

DOCUMENT: Final = 64 << 20
"""Characters of one document. What a cluster stores as one object has at most 1.5 MiB."""

VALUES_BYTES: Final = 64 << 20
"""Bytes that the values of one document may take in memory, beside eight times its text. Real documents take three
times their text; ``[],`` or ``- a`` again and again takes thirty."""

NAME: Final = 1_000
"""Characters of the name of a package, channel, bundle or entry. The name of an object of a cluster has 253 at most.
What is said of the parts of a package, and each edge of its graph, repeats names: a file of a megabyte could make
gigabytes of text."""

ALIASED: Final = 4 << 20
"""Characters and values that the aliases of one YAML file may repeat. Walking, comparing and writing a value
visit a shared part each time that it is mentioned, so a small file could keep them busy for hours."""

IGNORE_BYTES: Final = 1 << 20
"""Bytes of one ``.indexignore`` file."""

IGNORE_RULES: Final = 10_000
"""Rules in all ``.indexignore`` files of a catalog; every file's path is compared with each."""


class Document(NamedTuple):
    """A document: its *value* (plain JSON, always an object) and where it was read."""

    value: dict[str, Any]
    origin: Origin


def refuse_long_names(names: Iterable[str], packages: Iterable[Package]) -> None:
    """Refuse a catalog of *packages* with a name that is too long; *names* are of all parts. Raises CatalogError."""
    made = list(packages)
    if max(map(len, chain(names, (package.default_channel for package in made))), default=0) <= NAME:
        return
    for package in made:
        channels, bundles = package.channels.values(), package.bundles.values()
        where = package.origin or next((blob.origin for blob in (*channels, *bundles)), None)
        _refuse_long([package.name, package.default_channel], where)
        for bundle in bundles:
            _refuse_long([bundle.name], bundle.origin)
        for channel in channels:
            listed = ((entry.name, entry.replaces, *entry.skips) for entry in channel.entries)
            _refuse_long([channel.name, *chain.from_iterable(listed)], channel.origin)


def _refuse_long(names: Iterable[str], origin: Origin | None) -> None:
    for name in names:
        if len(name) > NAME:
            raise CatalogError(f"a name of more than {NAME:,} characters: {name[:40]}...", origin=str(origin or ""))


_LONG: Final = 1 << 21  # characters below which no document is dense enough
_JSON_WEIGHTS: Final = {",": 64, "[": 32, "{": 170}
_YAML_WEIGHTS: Final = {**_JSON_WEIGHTS, "\n": 160, "- ": 64}
_STRING: Final = pattern(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)


def refuse_dense_json(text: str, file: str, number: int, line: int) -> None:
    """Refuse the document with this JSON *text*, or its beginning, if it has far more values than text.

    Each sign that begins a value counts with the bytes that Python takes for one; those inside of strings do not.
    Raises CatalogError.
    """
    if len(text) >= _LONG and (beyond := _beyond(text, _JSON_WEIGHTS)) > 0:
        for string in checked(_STRING.finditer(text), every=4096):
            if string.end() - string.start() > _FEW:
                beyond -= sum(weight * string[0].count(sign) for sign, weight in _JSON_WEIGHTS.items())
                if beyond <= 0:
                    return
        refuse("a document of far more values than text", file, number, line)


def refuse_dense_yaml(text: str, file: str, number: int, line: int) -> None:
    """Refuse the document with this YAML *text* if it has far more lines and values than text. Raises CatalogError."""
    if len(text) >= _LONG and _beyond(text, _YAML_WEIGHTS) > 0:
        refuse("a document of far more values than text", file, number, line)


def memory_of(value: Any) -> int:
    """Return about how many bytes *value* takes in memory."""
    size, waiting = 0, [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            size += 64 + 100 * len(part)
            waiting.extend(checked(part.values(), every=4096))
        elif isinstance(part, list):
            size += 56 + 8 * len(part)
            waiting.extend(checked(part, every=4096))
        elif isinstance(part, str):
            size += 50 + len(part)
        elif type(part) in (int, float):
            size += 28
    return size


def _beyond(text: str, weights: Mapping[str, int]) -> int:
    return sum(weight * text.count(sign) for sign, weight in weights.items()) - VALUES_BYTES - 8 * len(text)


_FEW: Final = 8  # characters of a string whose signs are not worth a look


def refuse(reason: str, file: str, number: int = 1, line: int | None = None, excerpt: str = "") -> NoReturn:
    """Raise the :class:`~olmsolve.errors.CatalogError` of document *number* of *file*, at *line*."""
    raise CatalogError(reason, origin=str(Origin(file, number, line)), excerpt=excerpt)
