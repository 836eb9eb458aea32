"""What a page has to run: its fenced blocks, read as commands, Python examples, and files that the page makes.

- A block in ``console`` holds commands, which begin with ``$ ``, each followed by what it prints. A backslash at the
  end of a line and a heredoc continue a command. A line of three dots stands for any lines, three dots within a line
  for any text. An exit code other than 0 is shown by ``$ echo $?`` behind the command.
- A block in ``pycon`` holds Python examples: ``>>> `` and what follows. Three dots stand for any text of an output.
- ``<!-- file: NAME -->`` on the line before a block of any language writes the block to the file NAME.
- ``<!-- not run: REASON -->`` on the line before a block keeps it from running.
- Every other block is prose, unless its language says that it runs (``python``, ``bash``, ...): a fault of the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, TypeAlias

import attrs

__all__ = ["PAGES", "ROOT", "Command", "Examples", "Fault", "File", "NotRun", "Page", "Step", "read_page"]

ROOT: Final = Path(__file__).parents[2]
PAGES: Final = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))

_FENCE: Final = re.compile(r"^(?P<indent>\s*)(?P<marks>`{3,}|~{3,})\s*\{?\.?(?P<language>[\w+-]*)")
_MARKER: Final = re.compile(r"^\s*<!-- (?P<kind>file|not run): ?(?P<value>.*?) ?-->\s*$")
_HEREDOC: Final = re.compile(r"<<-?\s*(['\"]?)(\w+)\1")
_RUNS: Final = frozenset({"bash", "py", "python", "python3", "sh", "shell", "zsh"})


@attrs.frozen
class Command:
    """A command of the shell at *line* of its page, and the lines that it prints, which begin at *shown_at*."""

    text: str
    shown: tuple[str, ...]
    line: int
    shown_at: int
    code_follows: bool
    """Whether the next command of the block prints this one's exit code, so that it may be other than 0."""


@attrs.frozen
class Examples:
    """Python examples, the first of them at *line* of the page."""

    text: str
    line: int


@attrs.frozen
class File:
    """A file that the page makes."""

    name: str
    text: str
    line: int


@attrs.frozen
class NotRun:
    """A block that only stands to be read, and why."""

    reason: str
    line: int


@attrs.frozen
class Fault:
    """A block or a marker that does not have the form."""

    message: str
    line: int


Step: TypeAlias = Command | Examples | File | NotRun


@attrs.frozen
class Page:
    """The steps of a page in their order, and its faults of form."""

    steps: tuple[Step, ...]
    faults: tuple[Fault, ...]


@attrs.frozen
class _Block:
    language: str
    lines: tuple[str, ...]
    line: int
    """Where the first of *lines* is, counted from 1."""
    marker: re.Match[str] | None


def read_page(text: str) -> Page:
    """Return what the page *text* runs, and what in it does not have the form of this module."""
    parts: list[Step | Fault] = []
    lines = text.splitlines()
    fenced: set[int] = set()
    for block in _blocks(lines):
        fenced.update(range(block.line - 2, block.line + len(block.lines)))
        parts += _steps(block)
    for number, line in enumerate(lines):
        follows = number + 1 < len(lines) and _FENCE.match(lines[number + 1])
        if number not in fenced and _MARKER.match(line) and not follows:
            parts.append(Fault("a marker stands on the line before its block", number + 1))
    return Page(
        steps=tuple(part for part in parts if not isinstance(part, Fault)),
        faults=tuple(part for part in parts if isinstance(part, Fault)),
    )


def _blocks(lines: list[str]) -> Iterator[_Block]:
    number = 0
    while number < len(lines):
        opening = _FENCE.match(lines[number])
        number += 1
        if opening is None:
            continue
        start = number
        while number < len(lines) and not _closes(lines[number], opening["marks"]):
            number += 1
        within = tuple(line.removeprefix(opening["indent"]) for line in lines[start:number])
        marker = _MARKER.match(lines[start - 2]) if start > 1 else None
        yield _Block(opening["language"].lower(), within, start + 1, marker)
        number += 1


def _closes(line: str, marks: str) -> bool:
    stripped = line.strip()
    return stripped.startswith(marks) and not stripped.strip(marks[0])


def _steps(block: _Block) -> Iterator[Step | Fault]:
    text = "".join(f"{line}\n" for line in block.lines)
    if block.marker is not None:
        yield _marked(block, block.marker["kind"], block.marker["value"], text)
    elif block.language == "console":
        yield from _commands(block)
    elif block.language == "pycon":
        yield Examples(text, block.line)
    elif block.language in _RUNS:
        wanted = "pycon" if ">>> " in text else 'a file ("<!-- file: NAME -->" on the line before it)'
        yield Fault(f"a block in {block.language} must be {wanted}", block.line)


def _marked(block: _Block, kind: str, value: str, text: str) -> Step | Fault:
    if not value:
        return Fault(f'"{kind}:" needs {"a name" if kind == "file" else "a reason"}', block.line)
    if kind == "not run":
        return NotRun(value, block.line)
    if Path(value).is_absolute() or ".." in Path(value).parts:
        return Fault(f"the file {value} is outside of the page's folder", block.line)
    return File(value, text, block.line)


def _commands(block: _Block) -> Iterator[Command | Fault]:
    lines = block.lines
    starts = [number for number, line in enumerate(lines) if line.startswith("$ ")]
    if not starts or any(line.strip() for line in lines[: starts[0]]):
        yield Fault('a block in console begins with "$ " and a command', block.line)
        return
    # A command that goes on over several lines may hold lines that look like commands.
    number = starts[0]
    commands: list[Command] = []
    while number < len(lines):
        end = _end_of_command(lines, number)
        following = next((at for at in range(end, len(lines)) if lines[at].startswith("$ ")), len(lines))
        shown = _without_blank_end(lines[end:following])
        text = "\n".join((lines[number].removeprefix("$ "), *lines[number + 1 : end]))
        commands.append(Command(text, shown, block.line + number, block.line + end, code_follows=False))
        number = following
    for command, after in zip(commands, (*commands[1:], None), strict=True):
        yield attrs.evolve(command, code_follows=after is not None and after.text == "echo $?")


def _end_of_command(lines: tuple[str, ...], number: int) -> int:
    """Return the number of the line behind the command that begins at *number*."""
    ends: list[str] = []
    while True:
        line = lines[number]
        number += 1
        if ends:
            if line.strip() == ends[0]:
                del ends[0]
        else:
            ends = [delimiter for _, delimiter in _HEREDOC.findall(line)]
        if number == len(lines) or not (ends or line.endswith("\\")):
            return number


def _without_blank_end(lines: tuple[str, ...]) -> tuple[str, ...]:
    count = len(lines)
    while count and not lines[count - 1].strip():
        count -= 1
    return lines[:count]
