"""The parser of every command: help texts that fit the terminal, and messages that name what was probably meant.

The message about an unknown word ends with the nearest choice, where argparse would list them all.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NoReturn

from olmsolve._named_tuples import NamedTuple
from olmsolve._patterns import pattern
from olmsolve._reader import with_addresses
from olmsolve.cli.output import Exit, harmless, terminal_columns, write

# Columns of help texts: longer lines are hard to read, and in narrower ones each word would take a line.
_WIDEST: Final = 100
_NARROWEST: Final = 40
# The longest name of an option that makes the column of names in a short help text wider.
_WIDEST_NAME: Final = 28
_SENTENCE_END: Final = pattern(r"(?<=\.)\s")
_CLAUSE_END: Final = pattern(r"; | \(|: |\. ")
# Options that other programs have under another name, and our names of them.
_SYNONYMS: Final = {"--format": "--output", "--out": "--output", "--verbose": "--help"}
_MISSING: Final = "the following arguments are required: "
# "  3  no answer within --timeout", an exit code with its meaning.
_EXIT_CODE: Final = pattern(r"  \d+  ")


class HelpFormatter(argparse.HelpFormatter):
    """A layout of help texts, at most 100 columns wide: paragraphs are filled, indented lines stay as they are.

    The layout is the same on every version of Python, and no word is broken: paths and options can be copied.
    """

    def __init__(self, prog: str, **settings: Any) -> None:
        # argparse leaves two columns free.
        columns = min(max(terminal_columns(), _NARROWEST), _WIDEST) - 2
        super().__init__(prog, **{"width": columns, **settings})

    def _format_usage(self, usage: str | None, actions: Any, groups: Any, prefix: str | None) -> str:
        if usage is None:
            # The arguments that are needed, and one word for all others: the list below has them.
            needed = [action for action in actions if action.option_strings and action.required]
            positionals = [action for action in actions if not action.option_strings]
            words = ["[OPTIONS]"] * any(action.option_strings and not action.required for action in actions)
            words += [f"{action.option_strings[0]} {self._value_of(action)}" for action in needed]
            words += [
                self._format_args(action, self._get_default_metavar_for_positional(action)) for action in positionals
            ]
            usage = " ".join(["%(prog)s", *words])
        line = f"{'usage: ' if prefix is None else prefix}{usage % {'prog': self._prog}}"
        return "\n".join(_wrapped(line, self._width, others=" " * 7)) + "\n\n"

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
        return f"{', '.join(action.option_strings)} {self._value_of(action)}"

    def _value_of(self, action: argparse.Action) -> str:
        return self._format_args(action, self._get_default_metavar_for_optional(action))


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
    _, _, lines = examples.partition(":")
    text = f"examples, in the folder that olmsolve demo --write makes:{lines}"
    line = f"\n  {Exit.OUT_OF_BUDGET.value}  "
    return text if line in text else f"{text}{line}no answer within --timeout"


def _short_rows(action: argparse.Action) -> list[tuple[str, str]]:
    """Return the names and the short meanings of *action*, which are several where it chooses among others."""
    if isinstance(action.choices, dict):
        return [(str(subaction.dest), str(subaction.help or "")) for subaction in action._get_subactions()]  # type: ignore[attr-defined]  # noqa: SLF001
    value = (
        f" {action.metavar or ','.join(map(str, action.choices or ()))}"
        if action.option_strings and action.nargs != 0
        else ""
    )
    name = ", ".join(action.option_strings) or str(action.metavar or action.dest.upper())
    return [(f"{name}{value}" if len(name + value) <= _WIDEST_NAME else name, _first_clause(str(action.help or "")))]


def _first_sentence(text: str) -> str:
    return _SENTENCE_END.split(" ".join(with_addresses(text).split()))[0]


def _first_clause(text: str) -> str:
    """Return the beginning of a help text that says what an option is for::

    "the most time, reading included (example: 2.5)"    "the most time, reading included"
    """
    return _CLAUSE_END.split(" ".join(text.split()))[0]


def _cut(line: str, columns: int) -> str:
    return line if len(line) <= columns else f"{line[: columns - 3].rpartition(' ')[0].rstrip(',')} ..."


class ShowHelp(argparse.Action):
    """The options ``-h``, which shows a line for each option, and ``--help``, which shows everything."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{**settings, "nargs": 0, "default": argparse.SUPPRESS})

    def __call__(self, parser: argparse.ArgumentParser, *arguments: Any) -> None:
        """Print the help text that the last of *arguments*, the option as typed, asks for, and end."""
        assert isinstance(parser, CommandParser)
        write((parser.short_help() if arguments[-1] == "-h" else parser.format_help()).removesuffix("\n"))
        parser.exit()


class CommandParser(argparse.ArgumentParser):
    """A parser whose errors begin with what is wrong, and with the nearest name that it knows.

    The usage below is the command's own: argparse would show the usage of olmsolve, which lacks the command's options.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{"formatter_class": HelpFormatter, "add_help": False, **settings})
        self.add_argument("-h", "--help", action=ShowHelp, help="show the options in brief; --help shows everything")
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

    def _match_arguments_partial(self, actions: Sequence[argparse.Action], arg_strings_pattern: str) -> list[int]:
        """Leave an optional argument open while words follow, as argparse itself does from Python 3.13 on::

        list bundles --package p CATALOG    CATALOG is not left out just because an option comes before it
        """
        counts = super()._match_arguments_partial(actions, arg_strings_pattern)
        # In the pattern an A is a word and an O an option: an argument that took none is given another chance after
        # options.
        while counts and not counts[-1] and "A" in arg_strings_pattern[sum(counts) :]:
            counts.pop()
        return counts

    def refuse_unknown(self, unknown: Sequence[str]) -> NoReturn:
        """End with a message about the arguments *unknown*, and the usage.

        A word after an unknown option is probably its value, and is not reported as another fault.
        """
        names = list(dict.fromkeys(text.partition("=")[0] for text in unknown if text.startswith("-")))
        if not names:
            # "resolve CATALOG PACKAGE" is what people try first.
            folder = next(filter(os.path.isdir, self._arguments), "")
            is_asked = folder and len(unknown) == 1 and "--subscribe" in self.option_names()
            hint = f" (--catalog {folder} --subscribe {unknown[0]} asks for a package)" if is_asked else ""
            self.error(f"unexpected argument{'s' * (len(unknown) > 1)} {' '.join(unknown)}{hint}")
        declared = self.option_names()
        synonyms = {**_SYNONYMS, **self.synonyms}
        near = [synonyms[name] if synonyms.get(name) in declared else nearest(name, declared) for name in names]
        self.error(f"unknown option{'s' * (len(names) > 1)} {', '.join(names)}{meant(near)}")

    def error(self, message: str) -> NoReturn:
        """End with *message*, without control characters for a terminal, and the usage below it."""
        if message.startswith(_MISSING):
            message = self._without_action() or message + self._taken_by_others()
        # Most messages are harmless, and should not wait for what makes the others so.
        said = message if all(map(str.isprintable, message.split("\n"))) else harmless(message)
        write(f"{self.prog}: error: {said}\n{self.format_usage().removesuffix(chr(10))}", sys.stderr)
        write(f"{self.prog} -h lists the {'options' if self.usage is None else 'commands'}.", sys.stderr)
        self.exit(Exit.BAD_INPUT)

    def short_help(self) -> str:
        """Return the help text of ``-h``: what the command does, and a line for each option and argument.

        The list of all commands has no shorter form.
        """
        if self.usage is not None:
            return self.format_help()
        formatter = self._get_formatter()
        columns: int = formatter._width  # noqa: SLF001 - the width of the whole help text
        rows = [row for action in self.declared() for row in _short_rows(action)]
        widest = max(len(name) for name, _ in rows if len(name) <= _WIDEST_NAME)
        lines = [_cut(f"  {name:{widest}}  {text}", columns) for name, text in rows]
        meaning = _first_sentence(self.description or "")
        end = "--help says more, with examples and exit codes."
        return "\n".join([self.format_usage(), *_wrapped(meaning, columns), "", *lines, "", end])

    def _without_action(self) -> str:
        """Return the message that an action is missing, with a line for each; "" for a command without actions."""
        rows = [row for action in self.declared() if isinstance(action.choices, dict) for row in _short_rows(action)]
        widest = max((len(name) for name, _ in rows), default=0)
        lines = [_cut(f"  {name:{widest}}  {text}", terminal_columns()) for name, text in rows]
        return "\n".join(["an action is missing:", *lines]) if rows else ""

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
        """Return the option or argument whose value is called *name*, as it is typed; "" where there is none.

        An option that no help lists counts too: the parser refuses it with a reason.
        """
        for action in self._actions:
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

        argparse keeps them in a private attribute alone. Options that no help lists are left out.
        """
        return tuple(action for action in self._actions if action.help is not argparse.SUPPRESS)

    def actions(self) -> dict[str, CommandParser]:
        """Return the parsers of the actions of this command by name, {} for a command without actions."""
        choices = (action.choices for action in self.declared() if isinstance(action.choices, dict))
        return next(choices, {})


class Action(NamedTuple):
    """An action: its help line, functions that declare its options and answer them, and its examples and exit codes.

    ``examples`` is a text like the ``EXAMPLES`` of a command.
    """

    help: str
    arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]
    examples: str


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


def hide(parser: argparse.ArgumentParser, names: Iterable[str]) -> None:
    """Leave the options of *parser* whose values are called *names* out of its help: each is refused with a reason.

    Several commands take a situation, and no command lists an option that cannot matter to its answer.
    """
    hidden = frozenset(names)
    for action in parser._actions:  # noqa: SLF001 - see CommandParser.declared
        if action.dest in hidden:
            action.help = argparse.SUPPRESS


def nearest(name: str, names: Iterable[str]) -> str:
    """Return the name in *names* that looks most like *name*, "" if none does."""
    from olmsolve._near_names import similar_names  # few calls need it, and help should not wait for it

    return next(iter(similar_names(name, names)), "")


def meant(near: Sequence[str]) -> str:
    """Return the end of a message that asks whether the names *near* were meant, "" if all are empty."""
    names = " or ".join(dict.fromkeys(filter(None, near)))
    return f" (did you mean {names}?)" if names else ""


def invalid_choice(name: str, names: Sequence[str]) -> str:
    """Return the message about *name*, which is not in *names*: it offers the nearest name, or else all."""
    choices = ", ".join(map(repr, names))
    return f"invalid choice: {name!r}{meant([nearest(name, names)]) or f' (choose from {choices})'}"


def one_of(names: Sequence[str]) -> Callable[[str], str]:
    """Return a type for argparse that takes one of *names*; ``choices`` beside it shows them in help texts."""

    def chosen(name: str) -> str:
        if name not in names:
            raise argparse.ArgumentTypeError(invalid_choice(name, names))
        return name

    return chosen
