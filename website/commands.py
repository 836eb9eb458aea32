"""A page for each command, from its parser: usage, options, examples and exit codes."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple
from unittest import mock

from olmsolve.cli.table import COMMANDS, GROUPS, parser_of
from website.markdown import anchor_of, anchored, block, code, page, plain, table

FOLDER: Final = "reference/commands"
"""The folder of the pages, below docs/."""

_PREFIX: Final = "olmsolve-"
_COLUMNS: Final = "80"
"""How wide usages are printed, so that they fit the text column of a page."""


class HelpTexts(NamedTuple):
    """What ``--help`` shows below the options: what the *examples* need, the examples, and the exit codes."""

    needs: str
    examples: str
    exit_codes: Mapping[int, str]


def pages() -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each page: the list of the commands, and a page for each command."""
    yield f"{FOLDER}/index.md", _index()
    for name in COMMANDS:
        yield page_path(name), _page(name)


def page_path(name: str) -> str:
    """Return the path, below docs/, of the page of the command *name*.

    The name alone would not do: "index" is a command, and a folder's own page.
    """
    return f"{FOLDER}/{_PREFIX}{name}.md"


def help_texts(parser: argparse.ArgumentParser) -> HelpTexts:
    """Return the examples and the exit codes that the help of a command ends with.

    Raises:
        ValueError: the text has no part that begins with ``examples``, or none with ``exit codes:``.
    """
    found = re.fullmatch(r"examples?(?:, (.*))?:\n(.*?)\n+exit codes:\n(.*)", parser.epilog or "", re.DOTALL)
    if found is None:
        raise ValueError(f"{parser.prog}: its help has no examples, or no exit codes")
    codes: dict[int, str] = {}
    for line in found[3].splitlines():
        start = re.fullmatch(r"  (\d+)  (.*)", line)
        last = next(reversed(codes), 0)
        if start:
            codes[int(start[1])] = start[2]
        else:
            codes[last] = f"{codes[last]} {line.strip()}"
    examples = "\n".join(line.removeprefix("  ") for line in found[2].splitlines())
    return HelpTexts(found[1] or "", examples, codes)


def actions_of(parser: argparse.ArgumentParser) -> Mapping[str, argparse.ArgumentParser]:
    """Return the actions of a command that has some (``catalog``), each with its parser."""
    found: dict[str, argparse.ArgumentParser] = {}
    for action in parser._actions:  # noqa: SLF001 - argparse publishes no list of what a parser takes
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            found.update(action.choices)
    return found


def usage_of(parser: argparse.ArgumentParser) -> str:
    """Return the usage of *parser*, in plain text of one width."""
    with mock.patch.dict(os.environ, {"COLUMNS": _COLUMNS, "NO_COLOR": "1"}):
        usage = parser.format_usage()
    # The lines that go on are indented as far as the word and the name of the command take: "usage: " goes from all.
    return "\n".join(line[len("usage: ") :] for line in usage.splitlines())


def _index() -> str:
    parts = []
    for title, names in GROUPS.items():
        rows = [(f"[{code(name)}]({_PREFIX}{name}.md)", plain(COMMANDS[name].help)) for name in names]
        parts += [f"## {title[0].upper()}{title[1:]}", table(("command", "what it does"), rows)]
    return page(
        "Commands",
        "Each page is made from the parser of its command: `olmsolve COMMAND --help` says the same in a terminal."
        " [Commands and situations](../../commands.md) tells what the options mean that many commands share, and"
        " [exit codes](../exit-codes.md) what a script learns from a command's end.",
        *parts,
    )


def _page(name: str) -> str:
    parser = parser_of(name)
    needs, examples, exit_codes = help_texts(parser)
    actions = actions_of(parser)
    parts = [
        _description(parser.description or ""),
        block(usage_of(parser)),
        *([] if actions else _options(parser, name)),
    ]
    if actions:
        rows = [(f"[{code(each)}](#{anchor_of(each)})", plain(_summary(parser, each))) for each in actions]
        parts += ["## Actions", table(("action", "does"), rows)]
    for each, inner in actions.items():
        parts += [f"### {each} {{ #{anchor_of(each)} }}", plain(inner.description or ""), block(usage_of(inner))]
        parts += _options(inner, each, level=4)
    parts += [
        "## Examples",
        f"{plain(needs[0].upper() + needs[1:])}:" if needs else "",
        block("\n".join(_prompted(examples)), "console"),
        "## Exit codes",
        table(("code", "meaning"), [(str(number), plain(meaning)) for number, meaning in exit_codes.items()]),
        "Every command may also end with one of the [codes for faults](../exit-codes.md).",
    ]
    return page(f"olmsolve {name}", *parts)


def _prompted(examples: str) -> Iterator[str]:
    """Yield the lines of *examples*, each command with a prompt; continued lines keep their indentation."""
    continued = False
    for line in examples.splitlines():
        yield f"  {line}" if continued or not line else f"$ {line}"
        continued = line.endswith("\\")


def _description(text: str) -> str:
    """Return a description as paragraphs; its first sentence is the lead of the page."""
    return "\n\n".join(plain(" ".join(part.split())) for part in text.split("\n\n"))


def _summary(parser: argparse.ArgumentParser, action: str) -> str:
    for each in parser._actions:  # noqa: SLF001
        for choice in getattr(each, "_choices_actions", ()):
            if choice.dest == action:
                return str(choice.help)
    return ""


def _options(parser: argparse.ArgumentParser, name: str, level: int = 2) -> list[str]:
    """Return the arguments of *parser*, a heading for each group that it shows, in the order of its help."""
    parts: list[str] = []
    for group in parser._action_groups:  # noqa: SLF001 - argparse publishes no list of its groups
        shown = [each for each in group._group_actions if each.help is not argparse.SUPPRESS]  # noqa: SLF001
        shown = [each for each in shown if not isinstance(each, argparse._SubParsersAction)]  # noqa: SLF001
        if not shown:
            continue
        title = {"positional arguments": "Arguments", "options": "Options"}.get(group.title or "", group.title or "")
        anchor = anchor_of(*(() if level == 2 else (name,)), title.lower().replace("'", ""))
        parts.append(f"{'#' * level} {title[0].upper()}{title[1:]} {{ #{anchor} }}")
        if group.description:
            parts.append(_description(group.description))
        parts.append("\n\n".join(_option(each, name, level) for each in shown))
    return parts


def _option(action: argparse.Action, name: str, level: int) -> str:
    """Return one argument as an entry of a definition list, with an anchor for its longest name."""
    longest = max(action.option_strings, key=len, default=_metavar(action))
    names = f"{', '.join([*action.option_strings[:-1], ''])}{_invocation(action)}"
    anchor = anchor_of(*(() if level == 2 else (name,)), longest)
    meaning = (action.help or "") % {**vars(action), "prog": name}
    return f"{anchored(names, anchor)}\n:   {plain(' '.join(meaning.split()))}"


def _invocation(action: argparse.Action) -> str:
    if not action.option_strings:
        return _metavar(action)
    name = action.option_strings[-1]
    return name if action.nargs == 0 else f"{name} {_metavar(action)}"


def _metavar(action: argparse.Action) -> str:
    """Return what stands for the value of *action* in its usage."""
    if isinstance(action.metavar, tuple):
        return " ".join(action.metavar)
    if action.metavar is not None:
        one = action.metavar
    elif action.choices is not None:
        one = "{" + ",".join(map(str, action.choices)) + "}"
    else:
        one = action.dest.upper()
    return f"{one} [{one} ...]" if action.nargs == "+" else one
