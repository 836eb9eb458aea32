"""Every path that a command takes: one that never answers ends with the limit, and one without an end is refused.

The commands, their options and their examples are those of the parsers themselves, so that a new one is tried as well:
whatever reads or writes a path that was typed draws from the time and the size of the command.
"""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from olmsolve.cli import COMMANDS
from olmsolve.cli.completing.words import _FILES, _FILES_AFTER_NAME, _FILES_OR_AFTER_NAME
from olmsolve.cli.table import _parsers
from tests.attacks import in_time
from tests.cli.commands import runner
from tests.scale import LONG

_LIMIT: Final = 0.1
_SAMPLE: Final = 12 if not LONG else None
_NAMES: Final = {"FORM": "html", "[VERSION:]NAMESPACE/NAME": "4.20:olm/commons", "NAME": "commons"}
# A server has no end; kubectl's plugin and the tab key take the paths of other commands.
_SKIPPED: Final = frozenset({"serve", "completion", "help", "schema", "backends", "demo"})


class PathArgument(NamedTuple):
    """A command *line* with one path in it, which {} stands for."""

    name: str
    line: tuple[str, ...]


def path_arguments() -> Iterator[PathArgument]:
    """Yield an example of each command with each of its paths: in place of one, or added to it."""
    for name in COMMANDS:
        if name not in _SKIPPED:
            yield from _of_parser(_parsers(name)[1], (name,))


def _of_parser(parser: argparse.ArgumentParser, prefix: tuple[str, ...]) -> Iterator[PathArgument]:
    example = _example(parser, prefix)
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                yield from _of_parser(below, (*prefix, name))
            return
        metavar = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
        if not (metavar == "FOLDER" or metavar == _FILES_OR_AFTER_NAME or metavar in _FILES | _FILES_AFTER_NAME):
            continue
        head, equals, _ = metavar.rpartition("=PATH")
        head = head if equals else metavar.partition("=FILE")[0] if "=FILE" in metavar else ""
        path = f"{_NAMES.get(head, 'olm/commons')}={{}}" if head and not head.endswith("[") else "{}"
        label = " ".join((*prefix, action.option_strings[-1] if action.option_strings else action.dest))
        yield PathArgument(label, _with(example, action, path, parser))


def _example(parser: argparse.ArgumentParser, prefix: tuple[str, ...]) -> tuple[str, ...]:
    """Return the first example of the help, without its pipes."""
    text = (parser.epilog or "").replace("\\\n", " ")
    begin = " ".join(("olmsolve", *prefix, ""))
    for line in text.splitlines():
        if line.strip().startswith(begin):
            return tuple(shlex.split(line.strip().partition(" |")[0].partition(" >")[0]))[1:]
    return prefix


def _with(
    example: tuple[str, ...], action: argparse.Action, path: str, parser: argparse.ArgumentParser
) -> tuple[str, ...]:
    line = list(example)
    if action.option_strings:
        option = next((string for string in action.option_strings if string in line), None)
        if option is not None:
            line[line.index(option) + 1] = path
            return tuple(line)
        if "--cluster" in action.option_strings:
            line = [word for word in line if not word.endswith(".yaml")]
        return (*line, action.option_strings[-1], path)
    try:
        parsed = getattr(parser.parse_args(line[len(parser.prog.split()) - 1 :]), action.dest, None)
    except SystemExit:
        parsed = None
    value = parsed[0] if isinstance(parsed, list) and parsed else parsed
    if isinstance(value, str) and value in line:
        line[line.index(value)] = path
        return tuple(line)
    return (*line, path)


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundled example, in which the examples of all help texts run."""
    from olmsolve.cli import main

    folder = tmp_path_factory.mktemp("paths") / "demo"
    assert main(["demo", "--write", str(folder)]) == 0
    os.mkfifo(folder / "silent")
    return folder


def _sample(seed: str) -> list[PathArgument]:
    every = sorted(path_arguments(), key=lambda argument: hash_of(argument.name + seed))
    assert len(every) > 100, "the parsers have as many paths"
    return every[:_SAMPLE]


def hash_of(text: str) -> int:
    """Return a number that looks random, and is the same in each run."""
    return int.from_bytes(text.encode(), "big") % 1_000_003


@pytest.mark.parametrize("path", ["silent", "/dev/zero"])
def test_paths_that_never_end(
    path: str, example: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A FIFO that nobody else opens, and a device without an end: a sample of all, which OLMSOLVE_TESTS=long tries."""
    monkeypatch.chdir(example)
    run = runner(capsys)
    for case in _sample(path):
        line = [word.replace("{}", path) for word in case.line]
        end = in_time(partial(run, *line, "--timeout", _LIMIT), _LIMIT, " ".join(line))
        assert end.returned is not None, (case.name, line, end.raised)
        assert end.returned.code in (0, 1, 2, 3), (case.name, line, end)
        assert "Traceback" not in end.returned.err, (case.name, line)
