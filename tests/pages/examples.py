"""Python examples of pages, run here or in a process of their own, where this module is the program.

It uses the standard library alone: it also runs where nothing but the wheel is installed. As a program it reads a line
of JSON for each block of examples (``text``, ``line``) and answers each by a line: the failures.
"""

from __future__ import annotations

import doctest
import json
import os
import re
import sys
import traceback
from collections.abc import Iterator
from typing import Any, NamedTuple, TextIO

__all__ = ["Failure", "run_examples"]


class Failure(NamedTuple):
    """An example at *line* of its page that prints something else than is *shown* from line *shown_at* on."""

    line: int
    source: str
    shown_at: int
    shown: list[str]
    printed: list[str]


class _Collecting(doctest.DocTestRunner):
    """A runner that keeps what differs, and prints nothing."""

    def __init__(self) -> None:
        super().__init__(verbose=False, optionflags=doctest.ELLIPSIS)
        self.unexpected: list[tuple[doctest.Example, str]] = []

    def report_start(self, out: Any, test: Any, example: Any) -> None:
        """Print nothing."""

    def report_failure(self, out: Any, test: Any, example: doctest.Example, got: str) -> None:
        """Keep what was printed."""
        self.unexpected.append((example, got))

    def report_unexpected_exception(self, out: Any, test: Any, example: doctest.Example, exc_info: Any) -> None:
        """Keep an exception as the interpreter shows it, without the frames."""
        text = "".join(traceback.format_exception_only(exc_info[0], exc_info[1]))
        self.unexpected.append((example, f"Traceback (most recent call last):\n    ...\n{text}"))


def run_examples(text: str, line: int, names: dict[str, Any]) -> list[Failure]:
    """Run the examples of one block, whose first line is *line* of its page, with and for *names*."""
    test = doctest.DocTestParser().get_doctest("\n".join(_marked_blanks(text)), names, "page", None, 0)
    test.globs = names  # the parser copies them
    runner = _Collecting()
    runner.run(test, out=lambda _: None, clear_globs=False)
    return [
        Failure(
            line + example.lineno,
            example.source.rstrip("\n"),
            line + example.lineno + example.source.count("\n"),
            _lines(example.want),
            _lines(_without_frames(printed)),
        )
        for example, printed in runner.unexpected
    ]


def _marked_blanks(text: str) -> Iterator[str]:
    """Mark the blank lines within an output, which would end it; here it ends at a prompt or with the block."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        following = next((following_line for following_line in lines[number:] if following_line.strip()), ">>> ")
        in_output = number > 0 and not re.match(r"(>>>|\.\.\.)( |$)", following)
        yield line if line.strip() or not in_output else "<BLANKLINE>"


def _without_frames(printed: str) -> str:
    """Shorten a traceback to what pages show of it."""
    return re.sub(r"^(Traceback \(most recent call last\):\n)(?: .*\n)+", r"\1    ...\n", printed)


def _lines(text: str) -> list[str]:
    return ["" if line == "<BLANKLINE>" else line for line in text.splitlines()]


def serve(requests: TextIO, answers: TextIO) -> None:
    """Answer each line of *requests*, all with the same names."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for request in requests:
        question = json.loads(request)
        print(json.dumps(run_examples(question["text"], question["line"], names)), file=answers, flush=True)


if __name__ == "__main__":
    # What an example's own child processes print must not come between the answers.
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as private:
        os.dup2(2, 1)
        sys.path[0] = ""  # the page's folder, as in an interpreter
        serve(sys.stdin, private)
