"""Write catalogs: one text of all blobs, or a folder with one file for each package."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from olmsolve._arguments import wrong_type
from olmsolve._limits import checked
from olmsolve._patterns import pattern
from olmsolve._whole_files import write_whole, write_whole_folder
from olmsolve.catalog import Catalog, Origin
from olmsolve.catalog.archives import reason_of, shown
from olmsolve.catalog.fbc.letter_case import name_of, package_named_by, schema_of
from olmsolve.catalog.fbc.plain_values import plain
from olmsolve.catalog.fbc.to_blobs import blobs
from olmsolve.errors import CatalogError, RequestError
from olmsolve.semver import quote

Format: TypeAlias = Literal["json", "jsonl", "yaml"]
"""Indented JSON objects one after the other; JSON objects on a line each; YAML documents."""

_SUFFIXES: Final[Mapping[str, Format]] = {".json": "json", ".jsonl": "jsonl", ".yaml": "yaml", ".yml": "yaml"}
_FILES: Final[Mapping[Format, str]] = {"json": "catalog.json", "jsonl": "catalog.jsonl", "yaml": "catalog.yaml"}
_COMPACT: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
_KINDS: Final = {"olm.package": 0, "olm.channel": 1, "olm.bundle": 2, "olm.deprecations": 4}
_OTHER: Final = 3
# Blobs that the standard library writes in the time in which msgspec would be loaded.
# Characters of a blob that Python takes a millisecond to write.
_LARGE: Final = 1 << 14
_FEW: Final = 100
_written: Final = count(1)
# Control characters that JSON may hold as they are, and marks that turn the direction of text: terminals act on them.
_ACTED_ON: Final = pattern("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def rendered(
    catalog: Catalog | Iterable[Mapping[str, Any]],
    format: Format = "json",  # noqa: A002
    *,
    is_sorted: bool = False,
) -> Iterator[str]:
    """Yield the text of *catalog*, or of blobs, one piece for each blob; the same for equal blobs on every machine.

    Fields keep their order, and blobs too unless *is_sorted*: then packages come by name, and inside of each the
    package, its channels by name, its bundles by name, other blobs by schema and name, and deprecations; blobs
    without a package come last.

    Raises :class:`~olmsolve.errors.CatalogError` for a blob that is not plain JSON.
    """
    _check_format(format)
    made = _blobs(catalog)
    for blob in checked(sorted(made, key=sort_key) if is_sorted else made):
        yield _blob_text(blob, format)


def write(
    catalog: Catalog | Iterable[Mapping[str, Any]],
    path: str | os.PathLike[str],
    format: Format | None = None,  # noqa: A002
    *,
    is_sorted: bool = False,
) -> None:
    """Write *catalog*, or blobs, to the file *path*, in *format*; without one, the suffix of *path* tells it.

    An existing file is replaced once the new one is complete. See :func:`rendered` for what is written.

    Raises :class:`~olmsolve.errors.CatalogError` for a blob that is not plain JSON, for a suffix that tells no format,
    and if the file cannot be written.

    >>> import tempfile, olmsolve
    >>> from olmsolve.catalog import write
    >>> orchard = olmsolve.load("olmsolve/examples/catalogs/orchard")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write(orchard, f"{folder}/orchard.yaml")
    ...     len(olmsolve.load(f"{folder}/orchard.yaml").packages)
    2
    """
    target = _path_of(path, "path")
    made = _blobs(catalog)
    if format is not None:
        _check_format(format)
    chosen = format or _SUFFIXES.get(target.suffix.lower())
    if chosen is None:
        raise CatalogError("its suffix does not show the format; .json, .jsonl and .yaml do", origin=shown(target))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        write_whole(target, _encoded(rendered(made, chosen, is_sorted=is_sorted)))
    except (OSError, ValueError) as error:
        raise CatalogError(f"cannot be written: {reason_of(error)}", origin=shown(target)) from None


def split(
    catalog: Catalog | Iterable[Mapping[str, Any]],
    folder: str | os.PathLike[str],
    format: Format = "yaml",  # noqa: A002
    *,
    is_sorted: bool = False,
) -> list[Path]:
    """Write *catalog*, or blobs, as a folder with a folder for each package; loading it joins them again.

    Each package is in ``catalog.yaml`` (or ``.json``, ``.jsonl``) of the folder of its name; blobs that belong to no
    package are in such a file beside those folders. The folder appears once it is complete. Returns the files.

    Raises :class:`~olmsolve.errors.CatalogError` if *folder* is not empty (its files would become part of the catalog),
    if a package's name cannot name a folder, if two names are one where case does not count, and as :func:`write` does.

    >>> import tempfile, olmsolve
    >>> from olmsolve.catalog import split
    >>> orchard = olmsolve.load("olmsolve/examples/catalogs/orchard")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     paths = split(orchard, folder)
    ...     len(olmsolve.load(folder).packages)
    2
    """
    root = _path_of(folder, "folder")
    _check_format(format)
    made = _blobs(catalog)
    try:
        if root.exists() and any(root.iterdir()):
            raise CatalogError("the folder is not empty; its files would be read too", origin=shown(root))
    except OSError as error:
        raise CatalogError(f"cannot be written: {reason_of(error)}", origin=shown(root)) from None
    parts: dict[str, list[dict[str, Any]]] = {}
    for blob in made:
        parts.setdefault(_package_of(blob), []).append(blob)
    folded: dict[str, str] = {}
    for name in parts:
        _check_name(name, folded, shown(root))

    def write_packages(unfinished: Path) -> None:
        for name, contents in parts.items():
            file = unfinished / name / _FILES[format]
            file.parent.mkdir(exist_ok=True)
            write_whole(file, _encoded(rendered(contents, format, is_sorted=is_sorted)))

    try:
        write_whole_folder(root, write_packages)
    except (OSError, ValueError) as error:
        raise CatalogError(f"cannot be written: {reason_of(error)}", origin=shown(root)) from None
    return [root / name / _FILES[format] for name in parts]


def _blobs(catalog: Catalog | Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    if isinstance(catalog, Catalog):
        return blobs(catalog)
    given: Any = catalog
    if not isinstance(given, Iterable) or isinstance(given, str | bytes):
        raise wrong_type(given, "a Catalog, or several blobs", "catalog")
    return (plain(blob, Origin("blobs in memory", number)) for number, blob in enumerate(catalog, 1))


def _path_of(path: str | os.PathLike[str], field: str) -> Path:
    if not isinstance(path, str | os.PathLike):
        raise wrong_type(path, "a path", field)
    return Path(path)


def _check_format(format: Format) -> None:  # noqa: A002
    if format not in _FILES:
        raise RequestError(f"there is no format {format!r}", field="format", hint=", ".join(_FILES))


def _package_of(blob: Mapping[str, Any]) -> str:
    name = name_of(blob) if schema_of(blob) == "olm.package" else package_named_by(blob)
    return name if isinstance(name, str) else ""


def sort_key(blob: Mapping[str, Any]) -> tuple[bool, str, int, str, str]:
    """Return what :func:`rendered` sorts *blob* by."""
    schema, name, package = str(schema_of(blob)), str(name_of(blob)), _package_of(blob)
    kind = _KINDS.get(schema, _OTHER)
    return not package, package, kind, schema, name


def opm_sort_key(blob: Mapping[str, Any]) -> tuple[bool, str, int, str, str]:
    """Return what ``opm`` sorts *blob* by: of other schemas their schema alone, and nothing without a package."""
    is_without, package, kind, schema, name = sort_key(blob)
    return (is_without, package, kind, schema if package else "", "" if kind == _OTHER else name)


def _blob_text(blob: dict[str, Any], format: Format) -> str:  # noqa: A002
    if format == "yaml":
        # Imported on first use, with the rules for scalars.
        from olmsolve.catalog.fbc.yaml_writing import yaml_text

        return f"---\n{yaml_text(blob)}"
    text = _COMPACT.encode(blob)
    try:
        text.encode()
    except UnicodeEncodeError:
        # Half a character (a lone surrogate) can only be written as an escape, which msgspec does not read.
        indent, separators = (None, (",", ":")) if format == "jsonl" else (4, None)
        text = json.dumps(blob, indent=indent, separators=separators, allow_nan=False) + "\n"
    else:
        text = f"{text if format == 'jsonl' else indented(blob, text)}\n"
    # Runners of workflows, whose logs this may become, obey the three signs "##[" too.
    return _ACTED_ON.sub(lambda match: f"\\u{ord(match[0]):04x}", text).replace("##[", "#\\u0023[")


def indented(blob: Mapping[str, Any], text: str) -> str:
    """Return the JSON of *blob* with each field on a line of its own; *text* is its compact JSON.

    Python's own encoder leaves its quick form as soon as there is an indent: a catalog takes three times as long. So
    msgspec writes all but the first blobs, which are written before it would be loaded. A large one, such as a template
    with a whole catalog in it, would take longer than that, and nobody would look at the limits meanwhile.
    """
    # The reader of JSON has loaded msgspec.
    if "msgspec" not in sys.modules and next(_written) <= _FEW and len(text) < _LARGE:
        return json.dumps(blob, indent=4, ensure_ascii=False)
    import msgspec

    return msgspec.json.format(text, indent=4)


def _check_name(name: str, folded: dict[str, str], folder: str) -> None:
    if name in (".", "..") or any(sign in name for sign in '/\\\0:*?"<>|\n'):
        raise CatalogError(f"the package name {quote(name)} cannot name a folder", origin=folder, package=name)
    other = folded.setdefault(name.casefold(), name)
    if other != name:
        reason = f"the package names {quote(other)} and {quote(name)} are the same folder where case does not count"
        raise CatalogError(reason, origin=folder, package=name)
    if name.casefold() in _FILES.values() or name == ".indexignore":
        raise CatalogError(f"the package name {quote(name)} is the name of a file", origin=folder, package=name)


def _encoded(pieces: Iterator[str]) -> Iterator[bytes]:
    return (piece.encode() for piece in pieces)
