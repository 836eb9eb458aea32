"""The parser of every command: help texts that fit the terminal, and messages that name what was probably meant.

A word that is no choice ends with the nearest one, where argparse would list them all.
"""

from __future__ import annotations

import argparse
import itertools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, NoReturn

from olmsolve._site import with_addresses
from olmsolve.cli.exits import Exit
from olmsolve.cli.streams import harmless, write

_WIDEST: Final = 100
_NARROWEST: Final = 40
_MISSING: Final = "the following arguments are required: "
# "  3  no answer within --timeout", an exit code with its meaning.
_EXIT_CODE: Final = re.compile(r"  \d+  ")


class HelpFormatter(argparse.HelpFormatter):
    """A layout of help texts, at most 100 columns wide: paragraphs are filled, indented lines stay as they are.

    The layout is the same on every version of Python, and no word is broken: paths and options can be copied.
    """

    def __init__(self, prog: str, **settings: Any) -> None:
        import shutil  # only help texts need it, and it takes as long to load as argparse itself

        # argparse leaves two columns free.
        columns = min(max(shutil.get_terminal_size().columns, _NARROWEST), _WIDEST) - 2
        super().__init__(prog, **{"width": columns, **settings})

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n\n".join(_filled(block, width, indent) for block in with_addresses(text).split("\n\n"))

    def _split_lines(self, text: str, width: int) -> list[str]:
        return _wrapped(" ".join(with_addresses(text).split()), width)

    def _format_action(self, action: argparse.Action) -> str:
        if isinstance(action.choices, dict):
            # The actions of a command, without a line of their own for the word ACTION.
            return "".join(map(self._format_action, self._iter_indented_subactions(action)))
        return super()._format_action(action)

    def _format_args(self, action: argparse.Action, default_metavar: str) -> str:
        if action.required and action.nargs == argparse.OPTIONAL:
            # Needed, and it is the command that says so: argparse would put it in brackets.
            return " ".join(self._metavar_formatter(action, default_metavar)(1))
        return super()._format_args(action, default_metavar)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        # "-o, --output {text,json}": before Python 3.13, argparse shows the value after each name.
        value = self._format_args(action, self._get_default_metavar_for_optional(action))
        return f"{', '.join(action.option_strings)} {value}"


def _filled(block: str, width: int, indent: str) -> str:
    """Return *block*, lines without an empty one, with its unindented lines filled to *width*."""
    lines: list[str] = []
    paragraph: list[str] = []

    def end_paragraph() -> None:
        if paragraph:
            lines.extend(_wrapped(" ".join(paragraph), width, indent, indent))
            paragraph.clear()

    for line in block.split("\n"):
        if not line.startswith(" "):
            paragraph.append(line.strip())
            continue
        end_paragraph()
        code = _EXIT_CODE.match(line)
        lines += _wrapped(line[code.end() :], width, code[0], " " * code.end()) if code else [line]
    end_paragraph()
    return "\n".join(lines)


def _wrapped(text: str, width: int, first: str = "", others: str = "") -> list[str]:
    import textwrap

    return textwrap.wrap(
        text, width, initial_indent=first, subsequent_indent=others, break_on_hyphens=False, break_long_words=False
    )


def epilog(examples: str) -> str:
    """Return the *examples* of a command, which end with its exit codes, with what all commands have in common.

    Every example runs on the bundled one, and every command has the exit code of its time limit.
    """
    text = re.sub("^examples?:", "examples, in the folder that olmsolve demo --write makes:", examples)
    line = f"\n  {Exit.OUT_OF_BUDGET.value}  "
    return text if line in text else f"{text}{line}no answer within --timeout"


class CommandParser(argparse.ArgumentParser):
    """A parser that shows its own usage for an unknown argument, and the nearest name that it knows.

    argparse itself would show the usage of olmsolve, which says nothing about the options of a command.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{"formatter_class": HelpFormatter, **settings})
        # Python 3.14 would colour parts of a help text, and manual pages that are made of it.
        self.color = False
        self._arguments: list[str] = []
        self.synonyms: Mapping[str, str] = {}
        """Options that people know from elsewhere, each with the option of this command that they mean."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Return the options and no unknown arguments: these end with a message and the usage."""
        self._arguments = list(args or ())
        options, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.refuse_unknown(unknown)
        return options, []

    def refuse_unknown(self, unknown: Sequence[str]) -> NoReturn:
        """End with a message about the arguments *unknown*, and the usage."""
        names = [text.partition("=")[0] for text in unknown if text.startswith("-")]
        known = self.option_names()
        near = [self.synonyms.get(name) or nearest(name, known) for name in names]
        self.error(f"unrecognized arguments: {' '.join(unknown)}{meant(near)}")

    def error(self, message: str) -> NoReturn:
        """End with the usage and *message*, in which nothing is left that a terminal would obey."""
        if message.startswith(_MISSING):
            message += self._taken_by_others()
        # Most messages are harmless, and should not wait for what makes the others so.
        super().error(message if all(map(str.isprintable, message.split("\n"))) else harmless(message))

    def _taken_by_others(self) -> str:
        """Return which option has taken several words, among which a missing argument may be; "" if none has."""
        for action in self.declared():
            if action.nargs == argparse.ONE_OR_MORE and action.option_strings:
                option = next((text for text in self._arguments if text in action.option_strings), None)
                behind = self._arguments[self._arguments.index(option) + 1 :] if option is not None else []
                taken = list(itertools.takewhile(lambda text: not text.startswith("-"), behind))
                if len(taken) > 1:
                    return f" ({option} takes all that follows it: {' '.join(taken)})"
        return ""

    def typed_as(self, name: str) -> str:
        """Return the option or argument whose value is called *name*, as it is typed; "" where there is none."""
        for action in self.declared():
            if action.dest == name:
                named = action.option_strings or [str(action.metavar or action.dest.upper())]
                return named[-1]
        return ""

    def _print_message(self, message: str, file: Any = None) -> None:
        # argparse passes over output that cannot be written, as if a help text that nobody gets were an answer.
        write(message.removesuffix("\n"), file)

    def knows(self, option: str) -> bool:
        """Return whether *option* is an option of this parser, or the beginning of one."""
        return any(name.startswith(option) for name in self.option_names())

    def option_names(self) -> list[str]:
        """Return the names of all options, short ones too, in the order of their declaration."""
        return [name for action in self.declared() for name in action.option_strings]

    def declared(self) -> tuple[argparse.Action, ...]:
        """Return the options and positional arguments in the order of their declaration.

        argparse keeps them in a private attribute alone, which this method is the only one to read.
        """
        return tuple(action for action in self._actions if action.help is not argparse.SUPPRESS)

    def actions(self) -> dict[str, CommandParser]:
        """Return the parsers of the actions of this command by name, {} for a command without actions."""
        choices = (action.choices for action in self.declared() if isinstance(action.choices, dict))
        return next(choices, {})


class CommandSet(NamedTuple):
    """All commands, for those commands that are about the others.

    *groups* has the help line of each command by its name, under the title of its group; *parser_of* gives the parser
    of the command with a name.
    """

    groups: Mapping[str, Mapping[str, str]]
    parser_of: Callable[[str], CommandParser]

    def helps(self) -> dict[str, str]:
        """Return the help line of each command by its name."""
        return {name: line for listed in self.groups.values() for name, line in listed.items()}

    def __str__(self) -> str:
        """Return the commands with their help lines, as text under the titles of their groups."""
        widest = max(map(len, self.helps()))
        parts = (
            "\n".join([f"{title}:", *(f"  {name:{widest}}  {line}" for name, line in listed.items())])
            for title, listed in self.groups.items()
        )
        return "\n\n".join(parts)


def nearest(name: str, names: Iterable[str]) -> str:
    """Return the one of *names* that looks most like *name*, "" if none does."""
    from olmsolve._near_names import similar_names  # few calls need it, and help should not wait for it

    return next(iter(similar_names(name, names)), "")


def meant(near: Sequence[str]) -> str:
    """Return the end of a message that asks whether the names *near* were meant, "" if all are empty."""
    names = " or ".join(dict.fromkeys(filter(None, near)))
    return f" (did you mean {names}?)" if names else ""


def invalid_choice(name: str, names: Sequence[str]) -> str:
    """Return the message about *name*, which is none of *names*: with the nearest of them, or all."""
    known = ", ".join(map(repr, names))
    return f"invalid choice: {name!r}{meant([nearest(name, names)]) or f' (choose from {known})'}"


def one_of(names: Sequence[str]) -> Callable[[str], str]:
    """Return a type for argparse that takes one of *names*; ``choices`` beside it shows them in help texts."""

    def chosen(name: str) -> str:
        if name not in names:
            raise argparse.ArgumentTypeError(invalid_choice(name, names))
        return name

    return chosen
