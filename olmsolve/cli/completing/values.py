"""The values of arguments: files, and the names that olmsolve knows or can read quickly, such as packages."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from olmsolve._limits import limited
from olmsolve._paths import files_below
from olmsolve._patterns import pattern
from olmsolve.cli.completing.lines import CompletedWord, Completions, Line

if TYPE_CHECKING:
    from olmsolve.catalog import Catalog, Package

_SECONDS: Final = 3.0
_BYTES: Final = 8_000_000
"""The most of catalogs that is read for a name: who waits longer types it. An index is quick at any size."""

_HARMLESS: Final = pattern(r"[A-Za-z0-9_.,@/:+=~-]+")
"""Names that no shell obeys: strangers write catalogs, and a completed word is one key away from being run."""

_FILES: Final = frozenset(
    {
        *("AFTER", "BASELINE", "BEFORE", "CATALOG", "CATALOG|REQUEST", "CERTIFICATE", "CONFIG", "CONTRIBUTIONS"),
        *("FILE", "NEW", "OLD", "PATH", "PATH[=IMAGE]", "REQUEST", "RESOURCES", "TEMPLATE"),
    }
)
_FILES_AFTER_NAME: Final = frozenset(
    {
        *("FORM=FILE", "IMAGE=PATH", "NAME=PATH", "NAME=PATH[:PRIORITY]", "NAMESPACE/NAME=PATH"),
        *("[NAME=]PATH[:PRIORITY]", "[NAMESPACE/]NAME=PATH[:PRIORITY]", "[VERSION:]NAMESPACE/NAME=PATH"),
    }
)
_FILES_OR_AFTER_NAME: Final = "[NAMESPACE/NAME=]PATH"
_FOLDERS: Final = frozenset({"FOLDER", "VENV"})
_CATALOGS: Final = frozenset({"CATALOG", "CATALOG|REQUEST", "OLD", "NEW"})
_FREE: Final = frozenset(
    {
        *("ADDRESS", "IMAGE", "N", "NAME", "NAME=VALUE", "NAMESPACE/NAME", "RANGE", "SECONDS", "TEXT", "TYPE"),
        *("GATE=BOOL", "PORT", "TOPIC", "VERSION", "WHAT"),
    }
)
"""Values that nobody can guess."""


def values(line: Line, argument: argparse.Action, current: str) -> Completions:
    """Return what can stand for the word *current*, a value of *argument* on *line*."""
    metavar = argument.metavar if isinstance(argument.metavar, str) else argument.dest.upper()
    if argument.choices is not None:
        return chosen(map(str, argument.choices), current)
    if metavar in _FILES:
        return Completions(paths="files")
    if metavar in _FOLDERS:
        return Completions(paths="folders")
    if metavar in _FILES_AFTER_NAME or metavar == _FILES_OR_AFTER_NAME:
        name, equals, _ = current.partition("=")
        if equals:
            return Completions(paths="files", head=f"{name}=")
        return Completions(paths="files") if metavar == _FILES_OR_AFTER_NAME else Completions()
    if metavar in _NAMES:
        # A reader that fails has no names; complaints would stand in the middle of the line that is typed.
        with suppress(Exception), limited(timeout=_SECONDS):
            return chosen(_NAMES[metavar](line, current), current)
    return Completions()


def chosen(names: Iterable[str | CompletedWord], current: str) -> Completions:
    """Return the *names* that begin with *current*."""
    candidates = (name if isinstance(name, CompletedWord) else CompletedWord(name) for name in names)
    fitting = dict.fromkeys(candidate for candidate in candidates if candidate.text.startswith(current))
    return Completions(tuple(candidate for candidate in fitting if _HARMLESS.fullmatch(candidate.text)))


def _backends(line: Line, current: str) -> Iterator[str]:
    import olmsolve

    return (backend.name for backend in olmsolve.backends())


def _codes(line: Line, current: str) -> Iterator[CompletedWord]:
    from olmsolve.cli.topics import finding_guides

    # Validation reports the codes of lints, too.
    reporters = ("validate", "lint") if line.command == "validate" else (line.command,)
    return (
        CompletedWord(finding_guide.code, finding_guide.means)
        for finding_guide in finding_guides().values()
        if finding_guide.command in reporters
    )


def _schemas(line: Line, current: str) -> Iterator[CompletedWord]:
    from olmsolve import render

    return (
        CompletedWord(name, render.json_schema_title(name)) for name in render.json_schema_names() if " " not in name
    )


def _packages(line: Line, current: str) -> Iterator[str]:
    return (package.name for package in _packages_on(line))


def _channels(line: Line, current: str) -> Iterator[str]:
    wanted = line.value_of("PACKAGE")
    return (name for package in _packages_on(line) if wanted in ("", package.name) for name in package.channels)


def _bundles(line: Line, current: str) -> Iterator[str]:
    wanted = line.value_of("PACKAGE")
    return (name for package in _packages_on(line) if wanted in ("", package.name) for name in package.bundles)


def _packages_and_channels(line: Line, current: str) -> Iterator[str]:
    """Yield packages; behind ``@`` the channels of the one before it; behind ``=`` the bundles."""
    named, has_bundle, _ = current.partition("=")
    wanted, has_channel, _ = named.partition("@")
    for package in _packages_on(line):
        if not (has_channel or has_bundle):
            yield package.name
        elif package.name == wanted and has_bundle:
            yield from (f"{named}={bundle}" for bundle in package.bundles)
        elif package.name == wanted:
            yield from (f"{wanted}@{channel}" for channel in package.channels)


_NAMES: Final[Mapping[str, Callable[[Line, str], Iterable[str | CompletedWord]]]] = {
    "BACKEND": _backends,
    "BUNDLE": _bundles,
    "BUNDLE[=VERSION]": _bundles,
    "BUNDLE|VERSION": _bundles,
    "CHANNEL": _channels,
    "CODE": _codes,
    "PACKAGE": _packages,
    "PACKAGE[@CHANNEL][=STARTING]": _packages_and_channels,
    "PACKAGE[@CHANNEL,...][=RANGE]": _packages_and_channels,
    "SCHEMA": _schemas,
}

KNOWN: Final = _FILES | _FILES_AFTER_NAME | _NAMES.keys() | _FOLDERS | {_FILES_OR_AFTER_NAME} | _FREE
"""The metavars whose values are understood: a test holds the options of all commands to them."""


def _packages_on(line: Line) -> Iterator[Package]:
    """Yield the packages of the catalogs that *line* names, as far as they can be read."""
    for catalog in _catalogs_on(line):
        yield from catalog


def _catalogs_on(line: Line) -> Iterator[Catalog]:
    import olmsolve

    for path in _paths_on(line):
        if _is_quick(path):
            with suppress(olmsolve.CatalogError):
                yield olmsolve.load(path)


def _paths_on(line: Line) -> Iterator[Path]:
    """Yield the paths of the catalogs on *line* and in its request documents."""
    for argument, text in line.given():
        path = Path(text).expanduser()
        if argument.metavar in _FILES_AFTER_NAME and argument.dest == "catalogs":
            yield Path(re.sub(r":\d+$", "", text.partition("=")[2])).expanduser()
        elif argument.metavar == "REQUEST" or (argument.metavar == "CATALOG|REQUEST" and path.is_file()):
            yield from _paths_in(path)
        elif argument.metavar in _CATALOGS:
            yield path


def _paths_in(document: Path) -> Iterator[Path]:
    """Yield the paths of the catalogs that a request *document* names; they are relative to its folder."""
    from olmsolve.requests import documents_in

    for request in documents_in(document) if _is_quick(document) else ():
        catalogs = request.value.get("catalogs")
        for catalog in catalogs if isinstance(catalogs, list) else []:
            if isinstance(catalog, Mapping) and isinstance(catalog.get("file"), str):
                yield document.parent / catalog["file"]


def _is_quick(path: Path) -> bool:
    """Return whether what is at *path* can be read between two keys: nothing in registries, nothing large."""
    from olmsolve.catalog.index_files import SUFFIX

    if not (path.is_file() or path.is_dir()):
        return False
    if Path(f"{path}{SUFFIX}").is_file():
        return True
    total = 0
    for file in files_below(path, ("",)) if path.is_dir() else [path]:
        total += file.stat().st_size
        if total > _BYTES:
            return False
    return True
