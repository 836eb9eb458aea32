"""``olmsolve completion``: what the tab key offers, asked of the words and in real shells."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

import olmsolve as library
from olmsolve.cli import COMMANDS, parser_of
from olmsolve.cli.completing import SHELLS, Completions, answer, completions, script
from olmsolve.cli.completing.shells import words_of
from olmsolve.cli.completing.words import KNOWN
from olmsolve.cli.table import ALL
from tests.cli.commands import Run
from tests.scale import LONG

EXAMPLES: Final = Path(library.__file__).parent / "examples"
ROOT: Final = Path(__file__).parents[2]
CONTENT: Final = "--catalog olm/commons=catalogs/commons"
BREAKS: Final = " \t\n\"'@><=;|&(:"
"""The characters at which Bash breaks words unless somebody has changed them."""
SECONDS: Final = 60


@pytest.fixture(autouse=True)
def _in_the_example(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES)


def offered(line: str) -> list[str]:
    """The words that are offered where *line*, which begins behind ``olmsolve``, ends."""
    return [candidate.text for candidate in at_the_end(line).candidates]


def at_the_end(line: str) -> Completions:
    return completions(words_of(f"olmsolve {line}")[1:], ALL)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("resol", ["resolve"]),
        ("why", ["why", "why-not"]),
        ("nonesuch ", []),
        ("--v", ["--version"]),
        ("catalog set", ["set-default"]),
        ("catalog nonesuch --", []),
        ("catalog merge --sp", ["--split"]),
        ("resolve --unreadable ", ["strict", "referenced", "ignore"]),
        ("resolve --unreadable=r", ["--unreadable=referenced"]),
        ("resolve --unread r", ["referenced"]),
        ("resolve -o y", ["yaml"]),
        ("resolve --backend cadical15", ["cadical153"]),
        ("backends deciding minisat2", ["minisat22"]),
        ("validate --only skip-range-i", ["skip-range-invalid", "skip-range-itself"]),
        ("fuzz --ignore Never", ["NeverDecisive", "NeverInstallable", "NeverTogether"]),
        ("validate --ignore empty-r", ["empty-range"]),
        ("schema olmsolve.ver", ["olmsolve.verdict"]),
        ("completion ", ["bash", "zsh", "fish"]),
        ("help sit", ["situations"]),
        ("help exi", ["exit-codes"]),
        ("help channel-h", ["channel-heads"]),
        ("help catalog set", ["set-default"]),
        ("help resolve ", []),
        ("catalog list ch", ["channels"]),
    ],
)
def test_known_words(line: str, expected: list[str]) -> None:
    """Commands, actions, options, choices, backends, codes and documents."""
    assert offered(line) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("graph catalogs/orchard --package ", ["parcels", "storefront"]),
        ("path catalogs/commons l", ["ledgerdb"]),
        ("path catalogs/commons ledgerdb --from ledgerdb.v5.2", ["ledgerdb.v5.2.0"]),
        ("catalog list channels catalogs/commons --package ledgerdb --channel ", ["stable", "preview"]),
        (f"resolve {CONTENT}:10 --subscribe led", ["ledgerdb"]),
        (f"resolve {CONTENT} --subscribe ledgerdb@", ["ledgerdb@stable", "ledgerdb@preview"]),
        (f"resolve {CONTENT} --subscribe keyring=keyring.v1.0.2", ["keyring=keyring.v1.0.2"]),
        ("why install.yaml keyring.v1.0.2", ["keyring.v1.0.2"]),
        ("why-not install.yaml par", ["parcels"]),
        (f"why --cluster cluster.yaml {CONTENT} ember.v1.2", ["ember.v1.2.0"]),
        ("graph nowhere --package ", []),
        ("why nowhere.yaml ", []),
        ("why cluster.yaml ", []),
    ],
)
def test_names_of_catalogs(line: str, expected: list[str]) -> None:
    """Packages, channels and bundles are hard to remember, and are in the catalogs that the line names."""
    assert offered(line) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("resolve ins", Completions(paths="files")),
        ("resolve --cluster one.yaml tw", Completions(paths="files")),
        ("resolve --catalog olm/commons=cat", Completions(paths="files", head="olm/commons=")),
        ("resolve --catalog=commons=cat", Completions(paths="files", head="--catalog=commons=")),
        ("render catalogs/orchard --split ", Completions(paths="folders")),
        ("resolve --catalog comm", Completions()),
        ("resolve install.yaml more", Completions()),
        ("resolve --timeout ", Completions()),
    ],
)
def test_paths(line: str, expected: Completions) -> None:
    """Shells complete paths, behind what stands before them; words that nobody can guess get nothing."""
    assert at_the_end(line) == expected


def test_options_that_count_once_are_offered_once() -> None:
    """The list gets shorter while somebody types; what can be repeated stays."""
    first = offered("resolve -")
    assert {"--output", "-o", "--catalog", "--core", "--help"} <= set(first)
    then = offered(f"resolve --output json --core {CONTENT} -")
    assert set(first) - set(then) == {"--output", "-o", "--core"}
    assert offered("resolve -- -") == []


def test_candidates_say_what_they_are() -> None:
    """Zsh and fish show it beside the word."""
    help_texts = {candidate.text: candidate.help for candidate in at_the_end("resolve --").candidates}
    assert help_texts["--kubernetes"] == "install nothing that needs a newer Kubernetes"
    assert all(help_texts.values())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_nothing_large_and_nothing_remote_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tab key must not pull an image, wait for a pipe, or read a catalog for minutes."""

    def load(*arguments: object, **options: object) -> None:
        raise AssertionError(arguments)

    monkeypatch.setattr(library, "load", load)
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    with open("large.json", "wb") as file:  # noqa: PTH123 - a sparse file
        file.truncate(9_000_000)
    for catalog in ("quay.io/orchard/catalog:v4", "pipe", "large.json", "-"):
        assert offered(f"graph {catalog} --package ") == []


def test_hostile_names_are_not_offered(written: Callable[..., str]) -> None:
    """Strangers write catalogs, and a completed word is one key away from being run."""
    names = ["fine", "$(reboot)", "a;b", "a b", "`c`", "\x1b[2J"]
    file = written("index.json", *({"schema": "olm.package", "name": name} for name in names))
    assert offered(f"graph {file} --package ") == ["fine"]


def test_every_value_is_understood() -> None:
    """An option that is added later says what follows it with a metavar that completion knows."""
    parsers = [parser for name in COMMANDS for parser in (parser_of(name), *parser_of(name).actions().values())]
    actions = [action for parser in parsers for action in parser.declared()]
    metavars = {
        str(action.metavar or action.dest.upper()) for action in actions if action.choices is None and action.nargs != 0
    }
    assert metavars - KNOWN == set()


def test_bash_gets_what_follows_its_last_break() -> None:
    """Bash replaces the part of a word behind = or :, and so do its completions."""
    line = "olmsolve resolve --output=y"
    assert answer("bash", [BREAKS, line], ALL).split("\n")[3:] == ["yaml"]
    assert answer("bash", [" ", line], ALL).split("\n")[3:] == ["--output=yaml"]
    assert answer("bash", [], ALL).split("\n")[0] == "words"
    subscribed = f"olmsolve resolve {CONTENT} --subscribe ledgerdb@p"
    assert answer("bash", [BREAKS, subscribed], ALL).split("\n")[3:] == ["@preview"]
    assert answer("bash", [BREAKS, "olmsolve resolve --catalog olm/a=cat"], ALL).split("\n") == ["files", "", "cat"]
    assert answer("bash", [" ", "olmsolve resolve --catalog olm/a=cat"], ALL).split("\n") == ["files", "olm/a=", "cat"]


def test_without_a_shell_the_message_says_how_to_set_it_up(olmsolve: Run) -> None:
    """The word SHELL tells nobody which there are, nor what to do with the script."""
    outcome = olmsolve("completion")
    assert (outcome.code, outcome.out) == (2, "")
    for line in ('bash: eval "$(olmsolve completion bash)" in ~/.bashrc', "zsh: eval", "fish: olmsolve completion"):
        assert f"\n  {line}" in outcome.err


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_is_printed(olmsolve: Run, shell: str) -> None:
    """Its first lines say where it goes."""
    outcome = olmsolve("completion", shell)
    assert (outcome.code, outcome.out) == (0, script(shell))
    assert f"olmsolve completion {shell}" in "".join(outcome.out.splitlines(keepends=True)[:5])


TYPED: Final = {
    "olmsolve compl": "olmsolve completion ",
    "olmsolve resolve --output=y": "olmsolve resolve --output=yaml ",
    "olmsolve resolve inst": "olmsolve resolve install.yaml ",
    "olmsolve resolve --catalog olm/commons=catal": "olmsolve resolve --catalog olm/commons=catalogs/",
    f"olmsolve resolve {CONTENT} --subscribe ledgerdb@prev": (
        f"olmsolve resolve {CONTENT} --subscribe ledgerdb@preview "
    ),
}
"""What is typed before the tab key, and what it becomes."""
ASKED: Final = TYPED if LONG else dict([*TYPED.items()][-2:])


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment in which the shell finds this olmsolve, and nothing of whoever runs the tests."""
    program = tmp_path / "bin" / "olmsolve"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m olmsolve "$@"\n', "utf-8")
    program.chmod(0o755)
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    home = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    return {**home, "PATH": path, "PYTHONPATH": str(ROOT), "TERM": "xterm", "LC_ALL": "C.UTF-8"}


def shell_or_skip(shell: str) -> str:
    """The path of *shell*; the test is skipped where it is not installed."""
    path = shutil.which(shell)
    if path is None:
        pytest.skip(f"{shell} is not installed")
    return path


@contextmanager
def typing_into(command: list[str], environment: dict[str, str]) -> Iterator[Callable[[str], None]]:
    """A shell on a terminal of its own, and a function that types into it."""
    terminal, its_side = os.openpty()
    with subprocess.Popen(
        command, env=environment, stdin=its_side, stdout=its_side, stderr=its_side, start_new_session=True
    ) as process:
        os.close(its_side)
        try:
            yield lambda text: _type(terminal, text)
        finally:
            process.kill()
            os.close(terminal)


def _type(terminal: int, text: str) -> None:
    os.write(terminal, text.encode())


def content_of(file: Path) -> str:
    """The content of *file* once the shell has written it."""
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        if file.exists() and (text := file.read_text("utf-8")).endswith("\n"):
            return text.removesuffix("\n")
        time.sleep(0.02)
    raise AssertionError("the shell wrote nothing")


SETUP: Final = {
    "bash": (
        ["--norc", "--noprofile", "-i"],
        r"""eval "$(olmsolve completion bash)"; bind -x '"\C-t": printf "%s\n" "$READLINE_LINE" >"$SEEN"'; """,
    ),
    "zsh fpath": (
        ["-f", "-i"],
        r"""olmsolve completion zsh >"$HOME/_olmsolve"; fpath=("$HOME" $fpath); autoload -Uz compinit; compinit -D -u
        bindkey -e; see() { print -r -- "$BUFFER" >"$SEEN" }; zle -N see; bindkey "^T" see; """,
    ),
    "zsh": (
        ["-f", "-i"],
        r"""autoload -Uz compinit; compinit -D -u; eval "$(olmsolve completion zsh)"; bindkey -e;
        see() { print -r -- "$BUFFER" >"$SEEN" }; zle -N see; bindkey "^T" see; """,
    ),
}


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such terminals")
@pytest.mark.parametrize("shell", SETUP if LONG else ["bash", "zsh"])
def test_the_tab_key(shell: str, tmp_path: Path, environment: dict[str, str]) -> None:
    """What a person sees: words are typed, the tab key is pressed, and the line is longer."""
    arguments, setup = SETUP[shell]
    ready, seen = tmp_path / "ready", tmp_path / "seen"
    command = [shell_or_skip(shell.split()[0]), *arguments]
    with typing_into(command, {**environment, "SEEN": str(seen), "READY": str(ready)}) as terminal:
        terminal(f'{setup} echo yes >"$READY"\n')
        assert content_of(ready) == "yes"
        for typed, expected in ASKED.items():
            # Ctrl-T writes the line to a file, Ctrl-U deletes it.
            terminal(f"\x15{typed}\t\x14")
            assert content_of(seen) == expected
            seen.unlink()


def test_fish_offers_the_same(environment: dict[str, str]) -> None:
    """Fish tells without a terminal what it would offer, with descriptions."""
    commands = "\n".join(f"complete -C {shlex.quote(line)}; echo ---" for line in [*ASKED, "olmsolve why"])
    program = f"olmsolve completion fish | source\n{commands}"
    command = [shell_or_skip("fish"), "--no-config", "-c", program]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=SECONDS)
    assert run.stderr == ""
    parts = run.stdout.split("---\n")
    for part, expected in zip(parts, ASKED.values(), strict=False):
        assert [line.partition("\t")[0] for line in part.splitlines()] == [expected.split()[-1]]
    assert parts[len(ASKED)] == "".join(f"{name}\t{COMMANDS[name].help}\n" for name in ("why", "why-not"))
