"""Manual pages in roff, made of the same parsers as help texts, for packages of distributions and for ``man -l -``."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from olmsolve._patterns import pattern
from olmsolve._reader import with_addresses
from olmsolve._version import __version__

if TYPE_CHECKING:
    from olmsolve.cli.parsers import CommandParser, CommandSet

# "examples, in the folder that olmsolve demo --write makes:", its lines, and the exit codes.
_EPILOG: Final = pattern(r"examples?(?P<note>.*?):\n(?P<examples>.*?)\n\nexit codes:\n(?P<codes>.*)", re.DOTALL)
_DESCRIPTION: Final = """\
Given operator catalogs, a cluster and wishes, olmsolve says what Operator Lifecycle Manager would install, and if
nothing, why not. Each command has a page of its own.

olmsolve help explains topics, commands and findings; olmsolve demo shows an example."""


def command_page(parser: CommandParser, summary: str) -> str:
    """Return the manual page of the command, or the action, of *parser*; *summary* is its help line."""
    name = parser.prog.replace(" ", "-")
    return "\n".join(
        [
            *_head(name),
            *_section("name", [f"{_text(name)} \\- {_text(summary)}"]),
            *_section("synopsis", [_text(" ".join(parser.format_usage().split()[1:]))]),
            *_section("description", _paragraphs(parser.description or "")),
            *_section("options", _options(parser)),
            *_endings(parser.epilog or ""),
            *_section("see also", [".BR olmsolve (1)"]),
            "",
        ]
    )


def main_page(commands: CommandSet) -> str:
    """Return the manual page of olmsolve itself, with the list of its *commands*."""
    lists: list[str] = []
    for title, listed in commands.groups.items():
        lists.append(f".SS {_text(title)}")
        for name, line in listed.items():
            lists += [".TP", f".BR olmsolve\\-{_text(name)} (1)", _text(line)]
    return "\n".join(
        [
            *_head("olmsolve"),
            *_section("name", ["olmsolve \\- resolve requests of Operator Lifecycle Manager"]),
            *_section("synopsis", [".B olmsolve", "COMMAND ..."]),
            *_section("description", _paragraphs(_DESCRIPTION)),
            *_section("commands", lists),
            "",
        ]
    )


def _head(name: str) -> list[str]:
    # Paths and options, which people copy, are not broken at hyphens, and lines are not stretched.
    return [f'.TH "{_text(name.upper())}" "1" "" "olmsolve {__version__}" "olmsolve"', ".nh", ".ad l"]


def _section(title: str, lines: list[str]) -> list[str]:
    return [f".SH {title.upper()}", *lines]


def _paragraphs(text: str) -> list[str]:
    return [line for part in text.split("\n\n") for line in (".PP", _text(" ".join(part.split())))]


def _options(parser: CommandParser) -> list[str]:
    return [line for action in parser.declared() for line in _option(action)]


def _option(action: argparse.Action) -> Iterator[str]:
    if isinstance(action.choices, dict):
        return
    value = action.metavar or (
        "{" + ",".join(map(str, action.choices)) + "}" if action.choices else action.dest.upper()
    )
    shown = "" if action.nargs == 0 else f"\\fI{_text(str(value))}\\fR"
    names = ", ".join(f"\\fB{_text(name)}\\fR" for name in action.option_strings)
    yield ".TP"
    yield f"{names} {shown}".strip()
    yield _text(" ".join((action.help or "").replace("%%", "%").split()))


def _endings(epilog: str) -> Iterator[str]:
    """Yield the sections of the examples and of the exit codes in *epilog*."""
    ending = _EPILOG.fullmatch(epilog)
    if ending is None:
        return
    note = ending["note"].removeprefix(",").strip()
    yield ".SH EXAMPLES"
    if note:
        yield _text(f"{note[0].upper()}{note[1:]}:")
    yield from (".PP", ".nf", *map(_text, ending["examples"].split("\n")), ".fi")
    yield ".SH EXIT STATUS"
    for line in ending["codes"].split("\n"):
        code, _, meaning = line.strip().partition("  ")
        yield from (".TP", f".B {code}", _text(meaning))


def _text(text: str) -> str:
    """Return *text* with everything escaped that roff obeys."""
    escaped = with_addresses(text).replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped
