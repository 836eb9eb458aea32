"""The catalog files of a folder, in a fixed order, without opening anything that is not a plain file.

``.indexignore`` files say which files of the folder are not part of the catalog. Their rules look like rules of
``.gitignore`` and are read as ``opm`` reads them, which differs from git:

* lines are trimmed; ``#`` begins a comment and ``!`` takes files in again, even out of an ignored folder;
* a rule without a slash (other than one at its end) is compared with every name on the path;
* a rule with a slash is compared with the path from its own folder on, and matches everything below;
* a slash at the end asks for a folder; ``**`` stands for any number of folders, and the step after it is taken where it
  is found first;
* ``[^x]`` negates, ``[!x]`` does not; braces and ``./`` mean nothing; a malformed rule matches nothing;
* the last rule that matches a path decides, and rules of inner folders come after rules of outer ones.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

import olmsolve._attrs as attrs
from olmsolve._limits import check, checked
from olmsolve.catalog.archives import PATH_LENGTH, open_plain, refuse_file, unreadable
from olmsolve.catalog.fbc.document import IGNORE_BYTES, IGNORE_RULES

IGNORE_FILE: Final = ".indexignore"

_ANY_FOLDERS: Final = "**"


@attrs.frozen
class IgnoreRule:
    """One line: *steps* are its parts between slashes; *takes_in* is the meaning of ``!``."""

    steps: tuple[str, ...]
    takes_in: bool
    only_folders: bool
    _tests: tuple[Callable[[str], bool], ...] = attrs.field(init=False, eq=False, repr=False)

    @_tests.default
    def _compiled_steps(self) -> tuple[Callable[[str], bool], ...]:
        return tuple(map(compiled, self.steps))

    def matches(self, path: Sequence[str]) -> bool:
        """Return whether the rule matches the file at *path* (names from the rule's folder on)."""
        if len(self.steps) > 1:
            return self._matches_from_folder(path)
        names = path[:-1] if self.only_folders else path
        return any(map(self._tests[0], names))

    def _matches_from_folder(self, path: Sequence[str]) -> bool:
        """Return whether the steps match the beginning of *path*, as opm walks them.

        *floating* is true after ``**``: the next step may match any later name.
        """
        last = len(self.steps) - 1
        position, matched, floating = 0, False, False
        for number, (step, test) in enumerate(zip(self.steps, self._tests, strict=True)):
            if not step:
                floating = False
                continue
            if step == _ANY_FOLDERS:
                if number == last:
                    break
                floating = True
                continue
            if _ANY_FOLDERS in step or position == len(path):
                return False
            if floating:
                while position < len(path) and not test(path[position]):
                    position += 1
                matched, floating = position < len(path), False
                position = min(position + 1, len(path))
                continue
            if not test(path[position]):
                return False
            position += 1
            matched = position < len(path) or number == last
        return matched and not (self.only_folders and position == len(path))


def parse_rules(text: str) -> tuple[IgnoreRule, ...]:
    """Return the rules of one ``.indexignore`` file, in order."""
    rules = []
    for raw_line in checked(text.split("\n"), every=64):
        line = raw_line.strip()
        if line and not line.startswith("#"):
            takes_in = line.startswith("!")
            line = line.removeprefix("!")
            steps = tuple(line.removesuffix("/").split("/"))
            rules.append(IgnoreRule(steps, takes_in, line.endswith("/")))
            if len(rules) > IGNORE_RULES:
                break  # the count of all rules refuses so many
    return tuple(rules)


class IgnoreRules:
    """All rules of a catalog, by the folder that holds their file."""

    def __init__(self, files: Iterable[tuple[tuple[str, ...], str]]) -> None:
        """Take *files* as pairs of folder (names from the catalog's root on) and text."""
        self._rules = {folder: parse_rules(text) for folder, text in files}

    def __len__(self) -> int:
        return sum(map(len, self._rules.values()))

    def ignore(self, path: tuple[str, ...]) -> bool:
        """Return whether the file at *path* (names from the catalog's root on) is left out of the catalog."""
        for depth in range(len(path) - 1, -1, -1):
            for rule in checked(reversed(self._rules.get(path[:depth], ())), every=8):
                if rule.matches(path[depth:]):
                    return not rule.takes_in
        return False


_Ranges = tuple[bool, tuple[tuple[str, str], ...]]
_STAR: Final = "*"
_LONGEST: Final = 4 * PATH_LENGTH  # the four characters of a class stand for one


class _MalformedError(ValueError):
    pass


def compiled(pattern: str) -> Callable[[str], bool]:
    """Make a test from *pattern*: ``*``, ``?``, ``[a-z]``, ``[^a-z]`` and backslash escapes.

    At worst it takes time in proportion to the name's length times the pattern's. A malformed pattern matches nothing,
    and so does one that is longer than any name can be.
    """
    # A name without signs is compared, in 0.3 µs; to compile an expression takes 16, and memory as long as the rule
    # lives.
    if not any(character in pattern for character in "*?[\\"):
        return pattern.__eq__
    if len(pattern) > _LONGEST:
        return lambda name: False
    return _LazyTest(pattern)


class _LazyTest:
    """The test of a *pattern*, compiled at its first use: most rules test no path."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._made: Callable[[str], bool] | None = None

    def __call__(self, name: str) -> bool:
        """Return whether the pattern matches *name*."""
        if self._made is None:
            try:
                self._made = _test(_tokens(self._pattern))
            except _MalformedError:
                self._made = _nothing
        return self._made(name)


def _nothing(_: str) -> bool:
    return False


def _tokens(pattern: str) -> list[_Ranges | None]:
    """Return None for each star, and for anything else its characters as ranges, which may be negated.

    ``a*[^x-z]`` is ``(False, (("a", "a"),))``, ``None``, ``(True, (("x", "z"),))``.
    """
    tokens: list[_Ranges | None] = []
    position = 0
    while position < len(pattern):
        character = pattern[position]
        if character == _STAR:
            if not tokens or tokens[-1] is not None:
                tokens.append(None)
            position += 1
        elif character == "?":
            tokens.append((True, ()))
            position += 1
        elif character == "[":
            token, position = _class(pattern, position + 1)
            tokens.append(token)
        else:
            character, position = _literal(pattern, position)
            tokens.append((False, ((character, character),)))
    return tokens


def _class(pattern: str, position: int) -> tuple[_Ranges, int]:
    negated = pattern.startswith("^", position)
    position += negated
    ranges: list[tuple[str, str]] = []
    while not (ranges and pattern.startswith("]", position)):
        if pattern[position : position + 1] in ("", "-", "]"):
            raise _MalformedError
        low, position = _literal(pattern, position)
        high = low
        if pattern.startswith("-", position):
            position += 1
            if pattern[position : position + 1] in ("", "-", "]"):
                raise _MalformedError
            high, position = _literal(pattern, position)
        ranges.append((low, high))
    return (negated, tuple(ranges)), position + 1


def _literal(pattern: str, position: int) -> tuple[str, int]:
    if pattern[position] == "\\":
        position += 1
        if position == len(pattern):
            raise _MalformedError
    return pattern[position], position + 1


def _test(tokens: list[_Ranges | None]) -> Callable[[str], bool]:
    """Return the test of a pattern with *tokens*.

    The text between two stars has a fixed length, so it is looked for from the left, and the first place where it is
    found is the best: ``a*b*c`` is "begins with a", then the first b, then "ends with c". Each is an expression without
    repeats, which the standard library finds in the time of name times pattern, in C.
    """
    pieces: list[list[_Ranges]] = [[]]
    for token in tokens:
        if token is None:
            pieces.append([])
        else:
            pieces[-1].append(token)
    first, *later_pieces = [re.compile("".join(map(_expression, piece)), re.DOTALL) for piece in pieces]
    if not later_pieces:
        return lambda name: first.fullmatch(name) is not None
    *middle, last = later_pieces
    end = len(pieces[-1])

    def test(name: str) -> bool:
        match = first.match(name)
        for piece in middle:
            if match is None:
                return False
            match = piece.search(name, match.end())
        return match is not None and len(name) - end >= match.end() and last.match(name, len(name) - end) is not None

    return test


def _expression(token: _Ranges) -> str:
    """Return the regular expression of one *token*."""
    negated, ranges = token
    if not ranges:
        return "." if negated else "(?!)"
    # A range that ends before it begins holds nothing.
    inside = "".join(f"{re.escape(low)}-{re.escape(high)}" for low, high in ranges if low <= high)
    if not inside:
        return "." if negated else "(?!)"
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1] and not negated:
        return re.escape(ranges[0][0])
    return f"[{'^' if negated else ''}{inside}]"


LAYOUT: Final = "oci-layout"
"""The file that the folder of an image has."""


@attrs.frozen
class FoundFile:
    """A plain file: *path* as given plus the way below it, *size* in bytes when it was found."""

    path: Path
    size: int


def catalog_files(root: Path) -> list[FoundFile]:
    """Return the files below the folder *root*, without those that its ``.indexignore`` files exclude.

    They come by name, folder by folder. Every file is a catalog file, whatever its name. A symbolic link to a file
    inside *root* is read under its own name, as ``opm`` does. Raises :class:`~olmsolve.errors.CatalogError` for a link
    that leaves *root*, a link to a folder, and for anything but a plain file.
    """
    files: list[tuple[tuple[str, ...], Path]] = []
    ignore_files: list[tuple[tuple[str, ...], Path]] = []
    pending: list[tuple[tuple[str, ...], Path]] = [((), root)]
    while pending:
        check()
        names, path = pending.pop()
        if path is not root and not _is_folder(path):
            (ignore_files if names[-1] == IGNORE_FILE else files).append((names, path))
            continue
        children = sorted(_children(path), reverse=True)
        pending.extend(((*names, name), path / name) for name in children)
    rules = IgnoreRules((names[:-1], _ignore_text(path, root)) for names, path in ignore_files)
    if len(rules) > IGNORE_RULES:
        refuse_file(root, f"more than {IGNORE_RULES:,} rules in its {IGNORE_FILE} files")
    kept = (path for names, path in checked(files, every=64) if not rules.ignore(names))
    return [FoundFile(path, _plain_size(path, root)) for path in kept]


def _children(folder: Path) -> list[str]:
    try:
        return [child.name for child in folder.iterdir()]
    except OSError as error:
        refuse_file(folder, unreadable(error))


def _is_folder(path: Path) -> bool:
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except OSError as error:
        refuse_file(path, unreadable(error))


def _plain_size(path: Path, root: Path) -> int:
    try:
        status = path.lstat()
        if stat.S_ISLNK(status.st_mode):
            if not path.resolve(strict=True).is_relative_to(root.resolve()):
                refuse_file(path, "a symbolic link that leaves the catalog's folder")
            status = path.stat()
            if stat.S_ISDIR(status.st_mode):
                refuse_file(path, "a symbolic link to a folder; only links to files are followed")
    except (OSError, RuntimeError) as error:
        refuse_file(path, unreadable(error))
    if not stat.S_ISREG(status.st_mode):
        refuse_file(path, f"{_kind(status.st_mode)}, not a plain file")
    return status.st_size


def _ignore_text(path: Path, root: Path) -> str:
    if _plain_size(path, root) > IGNORE_BYTES:
        refuse_file(path, f"larger than {IGNORE_BYTES:,} bytes")
    with open_plain(path) as file:
        return os.fsdecode(file.read(IGNORE_BYTES))


def _kind(mode: int) -> str:
    if stat.S_ISFIFO(mode):
        return "a FIFO"
    if stat.S_ISSOCK(mode):
        return "a socket"
    return "a device" if stat.S_ISCHR(mode) or stat.S_ISBLK(mode) else "something else"
