"""Standard output and standard error, as terminals or as pipes."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Protocol, TextIO

if TYPE_CHECKING:
    from olmsolve.render import Style

_WIDTH_OF_PIPES: Final = 100
_WIDEST: Final = 120


class LaidOut(Protocol):
    """A text that is made for a width, in characters, and with or without colours."""

    def __call__(self, *, width: int, colour: bool) -> str: ...


def write(text: str, stream: TextIO | None = None) -> None:
    """Write *text* and a line end; characters that the stream's encoding lacks become escapes."""
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


def show(form: str, *, text: LaidOut, data: Callable[[], dict[str, Any]]) -> None:
    """Write an answer to standard output in *form*: ``text`` as *text* lays it out, json and yaml from *data*.

    Only the wanted form is made::

        show(options.output, text=partial(render.plan_text, plan), data=plan.to_dict)
    """
    if form == "text":
        layout = style()
        write(text(width=layout.width, colour=layout.colour))
    else:
        write_data(data(), form)


def complain(message: str) -> None:
    """Write *message* to standard error, with everything escaped that a terminal would obey, but for line ends."""
    from olmsolve.render import plain

    lines = "\n".join(map(plain, message.split("\n")))
    write(f"olmsolve: {lines}", sys.stderr)


def style() -> Style:
    """Return how to lay out text on standard output: with colours and a width of its own only on a terminal."""
    import shutil

    from olmsolve.render import Style

    is_terminal = sys.stdout.isatty()
    width = min(shutil.get_terminal_size().columns, _WIDEST) if is_terminal else _WIDTH_OF_PIPES
    colour = is_terminal and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    return Style(width, colour)
