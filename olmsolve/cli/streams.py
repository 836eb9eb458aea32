"""Standard output and standard error, as terminals or as pipes."""

from __future__ import annotations

import os
import shutil
import sys
from typing import Any, Final, TextIO

from olmsolve.render import Style, plain

__all__ = ["complain", "style", "write", "write_data"]

_WIDTH_OF_PIPES: Final = 100
_WIDEST: Final = 120


def write(text: str, stream: TextIO | None = None) -> None:
    """Write *text* and a line end; what the stream's encoding does not have is written as an escape."""
    stream = sys.stdout if stream is None else stream
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")


def write_data(data: dict[str, Any], form: str) -> None:
    """Write *data* to standard output in the *form* json or yaml."""
    if form == "json":
        import json

        write(json.dumps(data, indent=2, ensure_ascii=False))
    else:
        import yaml

        write(yaml.safe_dump(data, sort_keys=False, allow_unicode=True).rstrip("\n"))


def complain(message: str) -> None:
    """Write *message* to standard error, after what stands on standard output."""
    lines = "\n".join(map(plain, message.split("\n")))
    write(f"olmsolve: {lines}", sys.stderr)


def style() -> Style:
    """How to lay out text on standard output: with colours and a width of its own only on a terminal."""
    terminal = sys.stdout.isatty()
    width = min(shutil.get_terminal_size().columns, _WIDEST) if terminal else _WIDTH_OF_PIPES
    colour = terminal and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    return Style(width, colour)
