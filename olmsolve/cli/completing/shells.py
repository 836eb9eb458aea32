"""The answers that the scripts of the shells ask for.

An answer is lines: ``files`` or ``folders``, for which the shell completes a path itself, or ``words``; then the part
of the word that stays before a path; then the path so far; then a candidate each. In Bash, ``--catalog olm/a=cat``::

    olmsolve completion bash --words ' =:' 'olmsolve resolve --catalog olm/a=cat'

    files
                         nothing stays: for Bash the word begins after "="
    cat
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Final

from olmsolve.cli.completing.words import CompletedWord, Completions, Line, chosen, values
from olmsolve.cli.parsers import CommandSet

SHELLS: Final = ("bash", "zsh", "fish")
"""The shells that have a script."""


def script(shell: str) -> str:
    """Return the completion script of *shell*, one of :data:`SHELLS`."""
    from importlib import resources

    return resources.files("olmsolve.cli.completing").joinpath(f"olmsolve.{shell}").read_text("utf-8")


def answer(shell: str, words: Sequence[str], commands: CommandSet) -> str:
    """Return the answer to the script of *shell*, which asks with *words* about *commands*.

    Fish and zsh give the words after ``olmsolve``, the last of them as far as the cursor; Bash gives the characters at
    which it breaks words, and the line as far as the cursor.
    """
    if shell == "bash":
        breaks, line, *_ = (*words, "", "")
        given = words_of(line)[1:] or [""]
    else:
        breaks, given = "", list(words) or [""]
    completed, current = completions(given, commands), given[-1]
    # Bash replaces only what follows the last character that breaks words; "@" it replaces, too.
    stays = max((current.rfind(character) + (character != "@") for character in breaks), default=0)
    stays = max(stays, 0)
    if completed.paths:
        return "\n".join([completed.paths, completed.head[stays:], current[len(completed.head) :]])
    return "\n".join(
        ["words", "", "", *(_completion_line(shell, candidate, stays) for candidate in completed.candidates)]
    )


def _completion_line(shell: str, candidate: CompletedWord, stays: int) -> str:
    if shell == "bash":
        return candidate.text[stays:]
    if shell == "zsh":
        text = candidate.text.replace(":", r"\:")
        return f"{text}:{candidate.help}" if candidate.help else text
    return f"{candidate.text}\t{candidate.help}" if candidate.help else candidate.text


def words_of(line: str) -> list[str]:
    """Return the words of *line*, a simple command with an unfinished last word, "" after a blank.

    >>> words_of("olmsolve resolve 'my sho")
    ['olmsolve', 'resolve', 'my sho']
    """
    # The last word may be unfinished, with a quote that is open: the ending that makes words of the line closes it.
    for ending in ("", "'", '"', "\\"):
        lexer = shlex.shlex(line + ending, posix=True)
        lexer.whitespace_split = True
        lexer.commenters = ""
        try:
            words = list(lexer)
        except ValueError:
            continue
        return [*words, ""] if not ending and line[-1:].isspace() else words
    return []


def completions(words: Sequence[str], commands: CommandSet) -> Completions:
    """Return what can replace the last of *words*, which follow ``olmsolve`` and call one of *commands*."""
    *before, current = words
    if not before:
        listed = [CompletedWord(name, help_line) for name, help_line in commands.helps().items()]
        return chosen([*listed, "--help", "--version"] if current.startswith("-") else listed, current)
    name, *later_words = before
    if name not in commands.helps():
        return Completions()
    if name == "help" and not current.startswith("-"):
        return _subjects(later_words, current, commands)
    parser = commands.parser_of(name)
    actions = parser.actions()
    if actions:
        position = next((number for number, word in enumerate(later_words) if not word.startswith("-")), None)
        if position is None and not current.startswith("-"):
            return chosen(
                (
                    CompletedWord(action, parser_of_action.description or "")
                    for action, parser_of_action in actions.items()
                ),
                current,
            )
        if position is not None:
            if later_words[position] not in actions:
                return Completions()
            parser, later_words = actions[later_words[position]], later_words[position + 1 :]
    return _of_line(Line(parser, later_words), current)


def _subjects(before: Sequence[str], current: str, commands: CommandSet) -> Completions:
    """Return what ``olmsolve help`` can explain after the words *before*: the name of a command, or nothing."""
    from olmsolve.cli import topics

    if before:
        is_command = len(before) == 1 and before[0] in commands.helps()
        actions = commands.parser_of(before[0]).actions() if is_command else {}
        return chosen(
            (CompletedWord(name, action_parser.description or "") for name, action_parser in actions.items()), current
        )
    # A blank would end the word; a hyphen in its place is understood.
    summaries = {name.replace(" ", "-"): summary for name, summary in topics.topic_summaries().items()}
    summaries |= commands.helps()
    summaries |= {guide.code: guide.means for guide in topics.finding_guides().values()}
    return chosen((CompletedWord(name, summary) for name, summary in summaries.items()), current)


def _of_line(line: Line, current: str) -> Completions:
    argument = line.expects_value(current)
    if argument is not None:
        return values(line, argument, current)
    name, equals, value = current.partition("=")
    if not (equals and name.startswith("--")):
        return chosen(line.options(), current)
    option = line.option(name)
    if option is None or option.nargs == 0:
        return Completions()
    completed = values(line, option, value)
    candidates = tuple(CompletedWord(f"{name}={candidate.text}", candidate.help) for candidate in completed.candidates)
    return Completions(candidates, completed.paths, f"{name}={completed.head}" if completed.paths else "")
