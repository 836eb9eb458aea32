"""The help texts: they fit the terminal, say their exit codes, and show examples that run."""

from __future__ import annotations

import io
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

import olmsolve as library
from olmsolve.cli import COMMANDS, GROUPS, parser_of
from olmsolve.cli.parsers import CommandParser
from tests.cli.commands import Outcome, Run
from tests.scale import LONG

EXAMPLES: Final = Path(library.__file__).parent / "examples"
SLOW: Final = {
    "bench": 0,
    "fuzz": 1,
    "reduce": 1,
    "demo": 2,
    "impact": 1,
    "resolve": 1,
    "plan": 1,
    "simulate": 1,
    "path": 2,
    "audit": 1,
}
"""Commands whose examples take long, and how many of them run without OLMSOLVE_TESTS=long, the last ones."""


def parsers() -> Iterator[tuple[str, CommandParser]]:
    """Every command and action, such as "catalog merge", with its parser."""
    for name in COMMANDS:
        parser = parser_of(name)
        yield name, parser
        for action, own in parser.actions().items():
            yield f"{name} {action}", own


PARSERS: Final = dict(parsers())


def examples_of(help_text: str) -> list[str]:
    """The examples in *help_text*, each in one line."""
    listed = re.search(r"^examples?\b.*:\n(.*?)\n\nexit codes:", help_text, re.MULTILINE | re.DOTALL)
    assert listed is not None
    lines = re.sub(r" \\\n +", " ", listed[1]).split("\n")
    return [line.strip() for line in lines]


def run_example(olmsolve: Run, example: str) -> Outcome:
    """Run *example* as a shell would, with its redirection to a file."""
    command, _, target = example.partition(" > ")
    program, *arguments = shlex.split(command)
    assert program == "olmsolve"
    outcome = olmsolve(*arguments)
    if target:
        Path(target).write_text(outcome.out, "utf-8")
    return outcome


@pytest.mark.parametrize("columns", [100, 80])
def test_help_fits(olmsolve: Run, monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    """Lines that a terminal breaks are hard to read, and examples that it breaks hard to copy."""
    monkeypatch.setenv("COLUMNS", str(columns))
    texts = [olmsolve("--help").out, *(parser.format_help() for parser in PARSERS.values())]
    assert [line for text in texts for line in text.splitlines() if len(line) > columns] == []


def test_help_is_no_wider_than_can_be_read(olmsolve: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal of 300 columns would get lines that the eye loses."""
    monkeypatch.setenv("COLUMNS", "300")
    assert max(map(len, olmsolve("resolve", "--help").out.splitlines())) <= 100


@pytest.mark.parametrize("name", PARSERS)
def test_the_short_help_has_a_line_for_each_option(olmsolve: Run, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """``-h`` is for whoever knows the command and forgot a name: it fits a screen, and says where the rest is."""
    monkeypatch.setenv("COLUMNS", "80")
    lines = olmsolve(*name.split(), "-h").out.splitlines()
    rows = [line for line in lines[lines.index("") :] if line.startswith("  ")]
    parser = PARSERS[name]
    own = [action for action in parser.declared() if not isinstance(action.choices, dict)]
    assert len(rows) == len(own) + len(parser.actions())
    assert all(
        any(row.startswith(f"  {action.option_strings[0]}") for row in rows) for action in own if action.option_strings
    )
    assert max(map(len, lines)) <= 80
    assert lines[-1] == "--help says more, with examples and exit codes."


@pytest.mark.parametrize("name", PARSERS)
def test_help_is_complete(name: str) -> None:
    """Each option says what it does; the text says what the command does, with examples and exit codes."""
    parser = PARSERS[name]
    assert parser.description
    assert [action.dest for action in parser.declared() if not action.help and not action.choices] == []
    epilog = parser.epilog or ""
    assert all(
        example.startswith(f"olmsolve {name} ") or example == f"olmsolve {name}" for example in examples_of(epilog)[-1:]
    )
    assert {0, 2, 3} <= {int(code) for code in re.findall(r"^  (\d+)  \S", epilog, re.MULTILINE)}


# `serve` has no end: tests/serving runs its examples on free ports. `bundle unpack` needs an image: tests/images.
@pytest.mark.parametrize("name", sorted(PARSERS.keys() - {"serve", "bundle unpack"}))
def test_examples_run(olmsolve: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """People copy the examples, in their order, into the folder of ``olmsolve demo --write``."""
    shutil.copytree(EXAMPLES, tmp_path / "example")
    monkeypatch.chdir(tmp_path / "example")
    examples = examples_of(PARSERS[name].format_help())
    if name in SLOW and not LONG:
        examples = examples[len(examples) - SLOW[name] :]
    for example in examples:
        outcome = run_example(olmsolve, example)
        assert outcome.code in (0, 1), (example, outcome.err)
        assert ": error: " not in outcome.err, (example, outcome.err)


def test_groups_have_all_commands(olmsolve: Run) -> None:
    """A command that no group has is not in the help."""
    text = olmsolve("--help").out
    assert [name for names in GROUPS.values() for name in names] == list(COMMANDS)
    for name, command in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(command.help)}$", text, re.MULTILINE)


def test_one_option_has_one_metavar() -> None:
    """Whoever has learnt what follows an option knows it for all commands."""
    metavars: dict[str, dict[str, set[str]]] = {}
    for name, parser in PARSERS.items():
        for action in parser.declared():
            shown = "choices" if action.choices else str(action.metavar or action.dest.upper())
            for option in action.option_strings:
                metavars.setdefault(option, {}).setdefault(shown, set()).add(name)
    # Each of these has a form of its own, which its help text explains.
    own = {"--catalog", "--bundle", "--from", "--to", "--keep", "--drop", "--against", "--write"}
    several = {option: names for option, names in metavars.items() if len(names) > 1 and option not in own}
    assert several == {}


def required_words(parser: CommandParser) -> set[str]:
    """The words that the usage of *parser* shows outside of brackets, behind the name of the command."""
    words, depth = set(), 0
    for word in parser.format_usage().removeprefix(f"usage: {parser.prog}").split():
        if depth == 0 and not word.startswith("["):
            words.add(word)
        depth += word.count("[") - word.count("]")
    return words


def only_required(parser: CommandParser, arguments: list[str]) -> list[str]:
    """The *arguments* of an example without those that the usage shows as optional."""
    given = vars(parser.parse_args(arguments))
    line = []
    for action in parser.declared():
        if action.required:
            values = given[action.dest] if isinstance(given[action.dest], list) else [given[action.dest]]
            line += [word for value in values for word in (*action.option_strings[:1], str(value))]
    return line


@pytest.mark.parametrize("name", [name for name, parser in PARSERS.items() if not parser.actions()])
def test_usage_says_what_is_required(olmsolve: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """What is refused as missing stands without brackets, and what stands so is enough, or there are alternatives."""
    parser = PARSERS[name]
    shown = required_words(parser)
    for action in parser.declared():
        assert action.required == bool(shown.intersection(action.option_strings or [action.metavar])), action
    missing = re.search(r"the following arguments are required: (.*)$", olmsolve(*name.split()).err)
    assert set(missing[1].split(", ") if missing else ()) <= shown
    shutil.copytree(EXAMPLES, tmp_path / "example")
    monkeypatch.chdir(tmp_path / "example")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(), "utf-8"))
    # Serving has no end of its own.
    monkeypatch.setattr("olmsolve.cli.commands.serve._serve_until_told", lambda *_: None)
    example = examples_of(parser.format_help())[-1].partition(" > ")[0]
    line = only_required(parser, shlex.split(example)[1 + len(name.split()) :])
    error = olmsolve(*name.split(), *line).err
    assert "usage: " not in error or re.search(r"error: .*(\bor\b|:.*, )", error), error
