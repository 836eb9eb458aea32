"""What commands print on a terminal as pictures for README.md: SVG with colours for readers of light and dark pages."""

from __future__ import annotations

import contextlib
import io
import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

from olmsolve.cli import main

__all__ = ["IMAGES", "PICTURES", "drawn", "pictures", "shown", "write"]

IMAGES: Final = Path(__file__).parents[2] / "docs/images"

PICTURES: Final[Mapping[str, str]] = {
    "readme-plan.svg": "olmsolve resolve demo/install.yaml",
    "readme-explanation.svg": "olmsolve explain --cluster demo/conflict.yaml",
}
"""Each picture with its command, which stands where ``olmsolve demo --write demo`` has written the example."""

_COLUMNS: Final = 100
# Pixels: a letter of the usual monospaced fonts is 0.6 of its size wide, and each text is drawn exactly that wide.
_SIZE, _LETTER, _LINE, _EDGE = 14, 8.4, 19, 16

_CLASSES: Final[Mapping[str, str]] = {"1": "bold", "2": "dim", "32": "green", "36": "cyan"}
"""The codes of ANSI that olmsolve prints, as classes of the picture."""
_CODE: Final = re.compile(r"\x1b\[([0-9;]*)m")

_STYLE: Final = """\
    text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #1f2328; }
    rect { fill: #f6f8fa; stroke: #d1d9e0; }
    .bold { font-weight: bold; }
    .dim { fill: #59636e; }
    .green { fill: #1a7f37; }
    .cyan { fill: #0969da; }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3; }
      rect { fill: #151b23; stroke: #3d444d; }
      .dim { fill: #9198a1; }
      .green { fill: #3fb950; }
      .cyan { fill: #58a6ff; }
    }"""


class _Terminal(io.StringIO):
    """A standard output that says it is a terminal."""

    def isatty(self) -> bool:
        """Return True: commands then print colours, and lines as wide as COLUMNS says."""
        return True


def shown(command: str, *, columns: int = _COLUMNS) -> str:
    """Return what a terminal of so many *columns* shows of *command*, behind a prompt, and what it prints."""
    printed = _Terminal()
    kept = {name: os.environ.pop(name, None) for name in ("COLUMNS", "NO_COLOR", "TERM")}
    os.environ |= {"COLUMNS": str(columns), "TERM": "xterm"}
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
            main(command.split()[1:])
    finally:
        for name, value in kept.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
    lines = [line.rstrip() for line in printed.getvalue().splitlines()]
    return "\n".join([f"\x1b[1m$ {command}\x1b[0m", *lines])


def drawn(text: str, title: str) -> str:
    """Return *text*, with the colours of ANSI, as SVG; *title* is what those hear who cannot see it."""
    lines = text.splitlines()
    # A command that is to be copied is not broken, and may be longer than the terminal.
    columns = max(_COLUMNS, *(len(_CODE.sub("", line)) for line in lines))
    width = columns * _LETTER + 2 * _EDGE
    height = len(lines) * _LINE + 2 * _EDGE
    body = [element for number, line in enumerate(lines) for element in _line(line, _EDGE + number * _LINE + _SIZE)]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height}" width="{width:g}" role="img">',
            f"  <title>{escape(title)}</title>",
            "  <style>",
            _STYLE,
            "  </style>",
            f'  <rect x="0.5" y="0.5" width="{width - 1:g}" height="{height - 1}" rx="8"/>',
            *body,
            "</svg>\n",
        ]
    )


def _line(line: str, bottom: int) -> Iterator[str]:
    """Yield a text element for each run of one style, placed by its column so that every font aligns."""
    column = 0
    for style, run in _runs(line):
        # Browsers draw several spaces as one, so a run begins and ends with letters; what is inside stays.
        start = column + len(run) - len(run.lstrip())
        column += len(run)
        letters = run.strip()
        if letters:
            kind = f' class="{style}"' if style else ""
            place = f'x="{_EDGE + start * _LETTER:g}" y="{bottom}" textLength="{len(letters) * _LETTER:g}"'
            yield f'  <text {place}{kind} xml:space="preserve">{escape(letters)}</text>'


def _runs(line: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of *line* with the class of each; ANSI's codes leave "" for the usual style."""
    style = ""
    for position, part in enumerate(_CODE.split(line)):
        if position % 2:
            style = "" if part in ("", "0") else _CLASSES[part]
        elif part:
            yield style, part


def pictures() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each picture, made over a fresh copy of the bundled example."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        with contextlib.redirect_stdout(io.StringIO()):
            main(["demo", "--write", "demo"])
        for name, command in PICTURES.items():
            yield name, drawn(shown(command), f"What {command} prints.")


def write() -> None:
    """Write each picture into docs/images."""
    for name, text in pictures():
        (IMAGES / name).write_text(text, "utf-8")
