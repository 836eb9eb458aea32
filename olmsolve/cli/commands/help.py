"""``olmsolve help``: topics, findings and commands, explained."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from olmsolve._reader import SITE, with_addresses
from olmsolve.cli.exits import Exit
from olmsolve.cli.parsers import meant, nearest
from olmsolve.cli.streams import style, write

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
_PARTS: Final = 8
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
    known = [*topics.TOPICS, *commands.helps(), *(guide_of_code.code for guide_of_code in guides.values())]
    parts = [entry for entry in known if name.lower() in entry.lower()][:_PARTS] if len(name) >= _SHORTEST else []
    near = parts or [nearest(name, known)]
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
    from olmsolve.cli import man_pages

    if not options.name:
        return man_pages.main_page(options.all_commands).removesuffix("\n")
    parser = _parser_of(options.name, options.all_commands)
    if parser is None:
        name = " ".join(options.name)
        near = meant([nearest(name, options.all_commands.helps())])
        options.refuse(f"argument --man: no command is called {name!r}{near}")
        return ""
    command, *action = options.name
    # The help line of an action is its description.
    summary = (parser.description or "").removesuffix(".") if action else options.all_commands.helps()[command]
    return man_pages.command_page(parser, f"{summary[0].lower()}{summary[1:]}").removesuffix("\n")


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
