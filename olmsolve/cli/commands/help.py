"""``olmsolve help``: topics, findings and commands, explained.

Manual pages, in roff, are made of the same parsers as help texts, for packages of distributions and for ``man -l -``.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from olmsolve._patterns import pattern
from olmsolve._reader import SITE, with_addresses
from olmsolve._version import __version__
from olmsolve.cli.output import Exit, style, write
from olmsolve.cli.parsers import meant, nearest

if TYPE_CHECKING:
    from olmsolve.cli.parsers import CommandParser, CommandSet
    from olmsolve.cli.topics import FindingGuide

DESCRIPTION: Final = """\
Explain a topic, a finding or a command: what it means, and what to do. Without a TOPIC, list the topics and the
commands. The code of a finding is in brackets at its end, such as [channel-heads] (docs/terminal.md)."""

EXAMPLES: Final = """\
examples:
  olmsolve help
  olmsolve help output
  olmsolve help exit codes
  olmsolve help channel-heads
  olmsolve help catalog merge
  olmsolve help --man resolve > olmsolve-resolve.1

exit codes:
  0  the text is printed
  2  bad input: there is no topic, finding or command of this name"""

# The shortest part of a name that is looked for, and the most names that a message offers.
_SHORTEST: Final = 4
_PARTS: Final = 8  # names offered for a part of one
_LISTED: Final = " (olmsolve help lists them)"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what is to be explained."""
    parser.add_argument(
        "name",
        nargs="*",
        default=[],
        metavar="TOPIC",
        help="a topic, the code of a finding, or a command (default: list them)",
    )
    parser.add_argument(
        "--man", action="store_true", help="print the manual page of a command, or of olmsolve, in roff for man"
    )


def run(options: argparse.Namespace) -> int:
    """Print the explanation that *options* ask for, and return the exit code."""
    commands: CommandSet = options.all_commands
    if options.man:
        write(_manual_page(options))
        return Exit.PLAN
    if not options.name:
        write(_overview(commands))
        return Exit.PLAN
    from olmsolve.cli import topics

    name = " ".join(options.name)
    topic = name.lower().replace("-", " ")
    if topic in topics.TOPICS:
        _write_topic(topic, commands)
        return Exit.PLAN
    parser = _parser_of(options.name, commands)
    if parser is not None:
        write(parser.format_help().removesuffix("\n"))
        return Exit.PLAN
    guides = {code.lower(): guide for code, guide in topics.finding_guides().items()}
    guide = guides.get(name.strip("[]").lower())
    if guide is not None:
        write(_guide_text(guide))
        return Exit.PLAN
    begun = _begun(topic, topics.TOPICS)
    if len(begun) == 1:
        _write_topic(begun[0], commands)
        return Exit.PLAN
    names = [*topics.TOPICS, *commands.helps(), *(guide_of_code.code for guide_of_code in guides.values())]
    parts = [entry for entry in names if name.lower() in entry.lower()][:_PARTS] if len(name) >= _SHORTEST else []
    near = parts or [nearest(name, names)]
    options.refuse(f"no topic, finding or command is called {name!r}{meant(near) or _LISTED}")
    return Exit.BAD_INPUT


def _begun(typed: str, names: Sequence[str]) -> list[str]:
    """Return the topics among *names* with a word that begins like each of *typed*: "output" finds "output forms"."""

    def is_begun(word: str, name: str) -> bool:
        return len(word) >= _SHORTEST and any(part.startswith(word) for part in name.split())

    return [name for name in names if all(is_begun(word, name) for word in typed.split())]


def _write_topic(topic: str, commands: CommandSet) -> None:
    from olmsolve.cli import topics

    write(topics.markdown_text(topics.topic_markdown(topic), style()))
    if topic in commands.helps():
        write(f"\nolmsolve {topic} --help explains the command of this name.")


def _manual_page(options: argparse.Namespace) -> str:
    if not options.name:
        return main_page(options.all_commands).removesuffix("\n")
    parser = _parser_of(options.name, options.all_commands)
    if parser is None:
        name = " ".join(options.name)
        near = meant([nearest(name, options.all_commands.helps())])
        options.refuse(f"argument --man: no command is called {name!r}{near}")
        return ""
    command, *action = options.name
    # The help line of an action is its description.
    summary = (parser.description or "").removesuffix(".") if action else options.all_commands.helps()[command]
    return command_page(parser, f"{summary[0].lower()}{summary[1:]}").removesuffix("\n")


def _parser_of(words: list[str], commands: CommandSet) -> CommandParser | None:
    """Return the parser of the command, or of its action, that *words* name."""
    name, *action = words
    if name not in commands.helps():
        return None
    parser = commands.parser_of(name)
    return parser.actions().get(" ".join(action)) if action else parser


def _overview(commands: CommandSet) -> str:
    from olmsolve.cli.topics import topic_summaries

    summaries = topic_summaries()
    widest = max(map(len, [*summaries, *commands.helps()]))
    listed = "\n".join(f"  {name:{widest}}  {summary}" for name, summary in summaries.items())
    return f"""\
olmsolve help TOPIC explains a topic, a command, or a finding by its code.

topics:
{listed}

{commands}"""


def _guide_text(guide: FindingGuide) -> str:
    from olmsolve.render import paragraph

    layout = style()
    lines = [
        layout.bold(guide.code),
        *paragraph(f"Reported by olmsolve {guide.command}: {guide.means.replace('`', '')}.", layout.width),
        *(paragraph(f"Severity: {guide.severity}.", layout.width) if guide.severity else ()),
        "",
        *paragraph(f"What to do: {with_addresses(guide.do)}", layout.width),
        "",
        f"{SITE}reference/findings/#{guide.code}",
    ]
    return "\n".join(lines)


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
