"""The words of an unfinished command line: which options and arguments they are, and which of them comes next."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable, Iterator
from typing import Literal

from olmsolve._named_tuples import NamedTuple
from olmsolve.cli.parsers import CommandParser


class CompletedWord(NamedTuple):
    """A word that can stand at the cursor, and what it means ("": its name says it)."""

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

    *parser* belongs to the command or its action, *words* stand behind its name, and before the cursor's word. Words
    that argparse would refuse are passed over: who completes a line will mend it.
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
        """Return the argument whose value the word *current* is, None for an option or where nothing can stand.

        A hyphen, which stands for standard input once the word is finished, may still become an option.
        """
        may_be_option = current.startswith("-") and not self._is_literal
        if self._open is not None and (self._needs_value() or not may_be_option):
            return self._open
        if may_be_option:
            return None
        return self._positional(len(self._positionals))

    def options(self) -> Iterator[CompletedWord]:
        """Yield the options that can follow: all but those that count once and are there."""
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
