"""The words that fit at the cursor of an unfinished command line: options, actions, and the values of arguments.

A line is read with the parser of its command, which says what the words so far are and which argument comes next.
"""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from olmsolve._limits import limited
from olmsolve._named_tuples import NamedTuple
from olmsolve._paths import files_below
from olmsolve._patterns import pattern
from olmsolve.cli.parsers import CommandParser

if TYPE_CHECKING:
    from olmsolve.catalog import Catalog, Package


class CompletedWord(NamedTuple):
    """A word that can be typed at the cursor, and what it means ("": its name says it)."""

    text: str
    help: str = ""


class Completions(NamedTuple):
    """The words that fit at the cursor: *candidates*, or *paths*, which shells complete better themselves.

    Paths are completed after *head*, the part of the word before them: ``olm/community=`` of
    ``--catalog olm/community=catal``.
    """

    candidates: tuple[CompletedWord, ...] = ()
    paths: Literal["", "files", "folders"] = ""
    head: str = ""


class GivenWord(NamedTuple):
    """A word that is a value, and the argument that it belongs to."""

    argument: argparse.Action
    text: str


class Line:
    """The words of a command as far as the cursor, read as argparse reads them.

    *parser* belongs to the command or its action, *words* are between its name and the cursor's word. Words that
    argparse would refuse are passed over: who completes a line will mend it.
    """

    def __init__(self, parser: CommandParser, words: Iterable[str]) -> None:
        self._parser = parser
        # "olmsolve catalog merge"
        self.command: str = parser.prog.split()[1]
        self._used: set[str] = set()
        self._open: argparse.Action | None = None
        self._taken = 0
        self._positionals: list[str] = []
        self._values: list[GivenWord] = []
        self._is_literal = False
        for word in words:
            self._take_word(word)

    def given(self) -> Iterator[GivenWord]:
        """Yield the values so far: first the values of options."""
        yield from self._values
        for number, text in enumerate(self._positionals):
            if (argument := self._positional(number)) is not None:
                yield GivenWord(argument, text)

    def value_of(self, metavar: str) -> str:
        """Return the last value of an argument that is shown as *metavar*, "" if there is none."""
        return next((word.text for word in reversed([*self.given()]) if word.argument.metavar == metavar), "")

    def option(self, name: str) -> argparse.Action | None:
        """Return the option *name*, which may be shortened as far as argparse allows it."""
        options = [option_declared for option_declared in self._parser.declared() if option_declared.option_strings]
        exact = [option for option in options if name in option.option_strings]
        near = [option for option in options if any(text.startswith(name) for text in option.option_strings)]
        matching = exact or (near if name.startswith("--") else [])
        return matching[0] if len(matching) == 1 else None

    def expects_value(self, current: str) -> argparse.Action | None:
        """Return the argument whose value the word *current* is, None for an option, or where no value is possible.

        A hyphen, which stands for standard input once the word is finished, may still become an option.
        """
        may_be_option = current.startswith("-") and not self._is_literal
        if self._open is not None and (self._needs_value() or not may_be_option):
            return self._open
        if may_be_option:
            return None
        return self._positional(len(self._positionals))

    def options(self) -> Iterator[CompletedWord]:
        """Yield the options that can follow: all except options that are given already and may be given only once."""
        if self._is_literal:
            return
        for action in self._parser.declared():
            if action.dest in self._used and not isinstance(action, _REPEATABLE):
                continue
            # One of several names is enough, the longest says most.
            for name in sorted(action.option_strings, key=len, reverse=True):
                yield CompletedWord(name, summary(action.help or ""))

    def _take_word(self, word: str) -> None:
        if self._open is not None and (self._needs_value() or self._is_literal or not _is_option(word)):
            self._add_value(self._open, word)
        elif self._is_literal or not _is_option(word):
            self._positionals.append(word)
        elif word == "--":
            self._open, self._is_literal = None, True
        else:
            self._read_option(word)

    def _read_option(self, word: str) -> None:
        name, equals, value = word.partition("=") if word.startswith("--") else (word[:2], word[2:], word[2:])
        self._open = None
        option = self.option(name)
        if option is None:
            return
        self._used.add(option.dest)
        if option.nargs == 0:
            return
        self._open, self._taken = option, 0
        if equals:
            self._add_value(option, value)
            self._open = None

    def _add_value(self, option: argparse.Action, word: str) -> None:
        self._values.append(GivenWord(option, word))
        self._taken += 1
        if self._taken >= _most_values(option):
            self._open = None

    def _needs_value(self) -> bool:
        return self._open is not None and self._taken == 0 and self._open.nargs not in ("?", "*")

    def _positional(self, number: int) -> argparse.Action | None:
        """Return the positional argument that the word *number* among them belongs to, from 0."""
        first = 0.0
        for action in self._parser.declared():
            if action.option_strings or isinstance(action.choices, dict):
                continue
            if action.dest == "document" and self._used & _INSTEAD_OF_DOCUMENT:
                continue
            first += _most_values(action)
            if number < first:
                return action
        return None


_INSTEAD_OF_DOCUMENT = {"subscriptions", "cluster"}
_REPEATABLE = (argparse._AppendAction, argparse._ExtendAction)  # noqa: SLF001 - argparse has no public name for them


def summary(text: str) -> str:
    """Return the first sentence or clause of the help *text*, without its examples, on one line."""
    line = " ".join(text.replace("%%", "%").split()).partition(" (")[0]
    return line.partition("; ")[0].partition(". ")[0]


def _is_option(word: str) -> bool:
    return word.startswith("-") and word != "-"


def _most_values(action: argparse.Action) -> float:
    if isinstance(action.nargs, int):
        return action.nargs
    return 1 if action.nargs in (None, "?") else math.inf


# Who presses a key waits that long and no longer.
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
        # A reader that fails has no names; complaints would appear in the middle of the line that is typed.
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
    """Yield packages; after ``@`` the channels of the one before it; after ``=`` the bundles."""
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
    """Return whether the file or folder at *path* is local, and small or with an index: quick enough to complete."""
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
