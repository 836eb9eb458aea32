"""Arguments that do not parse: the message is the command's own and names what was probably meant."""

from __future__ import annotations

import pytest

from tests.cli.commands import Run


@pytest.mark.parametrize(
    ("arguments", "command", "words"),
    [
        ("resolve --namspace shop", "resolve", "unknown option --namspace (did you mean --namespace?)"),
        ("resolve --namspace=shop", "resolve", "unknown option --namspace (did you mean --namespace?)"),
        ("why a b --subscrbe c --catalgo d", "why", "(did you mean --subscribe or --catalog?)"),
        ("resolve --zzz", "resolve", "unknown option --zzz\n"),
        ("verify c request.yaml surplus", "verify", "unexpected argument surplus\n"),
        ("catalog merge a --spilt b", "catalog merge", "unknown option --spilt (did you mean --split?)"),
        ("catalog mrege a", "catalog", "invalid choice: 'mrege' (did you mean merge?)"),
        ("reslove request.yaml", "", "no command is called 'reslove' (did you mean resolve?)"),
        ("xyzzy", "", "no command is called 'xyzzy' (olmsolve help lists them)"),
        ("--verison", "", "(did you mean --version?)"),
        ("--verison resolve request.yaml", "", "unknown option --verison (did you mean --version?)"),
        ("resolve r.yaml --output jsn", "resolve", "invalid choice: 'jsn' (did you mean json?)"),
    ],
)
def test_the_nearest_name_is_offered(olmsolve: Run, arguments: str, command: str, words: str) -> None:
    """A typing error costs one look at the message, not a search through the help."""
    outcome = olmsolve(*arguments.split())
    assert (outcome.code, outcome.out) == (2, "")
    first, usage, more = f"{outcome.err}".splitlines()
    assert first.startswith(f"olmsolve {command}".rstrip() + ": error: ")
    assert words in f"{first}\n"
    assert usage.startswith("usage: olmsolve ")
    assert more in ("olmsolve -h lists the commands.", f"olmsolve {command} -h lists the options.")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("resolve r.yaml --format json", "unknown option --format (did you mean --output?)"),
        ("verify c r --format json", "unknown option --format (did you mean --output?)"),
        ("resolve a b c", "unexpected arguments b c"),
        ("why a --catalgo b --subscrbe c", "unknown options --catalgo, --subscrbe (did you mean --catalog or "),
    ],
)
def test_options_of_other_programs(olmsolve: Run, arguments: str, words: str) -> None:
    """kubectl, opm and others taught people these names; what stands behind one is its value, and no other fault."""
    assert words in olmsolve(*arguments.split()).err.splitlines()[0]
