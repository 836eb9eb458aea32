"""The rules of ``.indexignore`` files: which files of a catalog's folder are not part of the catalog.

The rules look like rules of ``.gitignore`` and are read as ``opm`` reads them, which differs from git:

* lines are trimmed; ``#`` begins a comment and ``!`` takes files in again, even out of an ignored folder;
* a rule without a slash (other than one at its end) is compared with every name on the path;
* a rule with a slash is compared with the path from its own folder on, and matches everything below;
* a slash at the end asks for a folder; ``**`` stands for any number of folders, and the step behind it is taken where
  it is found first;
* ``[^x]`` negates, ``[!x]`` does not; braces and ``./`` mean nothing; a malformed rule matches nothing;
* the last rule that matches a path decides, and rules of inner folders come after rules of outer ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

import attrs

from olmsolve._frozen import shared_repr
from olmsolve._limits import checked
from olmsolve.catalog.fbc.glob import compiled

IGNORE_FILE: Final = ".indexignore"

_ANY_FOLDERS: Final = "**"


@attrs.frozen
@shared_repr
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

        *floating* is true behind ``**``: the next step may match any name that comes.
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
    for written in checked(text.split("\n"), every=64):
        line = written.strip()
        if line and not line.startswith("#"):
            takes_in = line.startswith("!")
            line = line.removeprefix("!")
            steps = tuple(line.removesuffix("/").split("/"))
            rules.append(IgnoreRule(steps, takes_in, line.endswith("/")))
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
