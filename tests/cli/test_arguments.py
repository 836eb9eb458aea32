"""Arguments that do not parse: the message is the command's own and names what was probably meant."""

from __future__ import annotations

import pytest

from tests.cli.commands import Run


@pytest.mark.parametrize(
    ("arguments", "command", "words"),
    [
        ("resolve --namspace shop", "resolve", "unrecognized arguments: --namspace (did you mean --namespace?)"),
        ("resolve --namspace=shop", "resolve", "unrecognized arguments: --namspace=shop (did you mean --namespace?)"),
        ("why a b --subscrbe c --catalgo d", "why", "(did you mean --subscribe or --catalog?)"),
        ("resolve --zzz", "resolve", "unrecognized arguments: --zzz\n"),
        ("verify c request.yaml surplus", "verify", "unrecognized arguments: surplus\n"),
        ("catalog merge a --spilt b", "catalog merge", "unrecognized arguments: --spilt b (did you mean --split?)"),
        ("catalog mrege a", "catalog", "invalid choice: 'mrege' (did you mean merge?)"),
        ("reslove request.yaml", "", "no command is called 'reslove' (did you mean resolve?)"),
        ("xyzzy", "", "no command is called 'xyzzy' (olmsolve help lists them)"),
        ("--verison", "", "(did you mean --version?)"),
        ("--verison resolve request.yaml", "", "unrecognized arguments: --verison (did you mean --version?)"),
        ("resolve r.yaml --output jsn", "resolve", "invalid choice: 'jsn' (did you mean json?)"),
    ],
)
def test_the_nearest_name_is_offered(olmsolve: Run, arguments: str, command: str, words: str) -> None:
    """A typing error costs one look at the message, not a search through the help."""
    done = olmsolve(*arguments.split())
    assert (done.code, done.out) == (2, "")
    assert f"olmsolve {command}".rstrip() + ": error: " in done.err
    assert words in done.err
