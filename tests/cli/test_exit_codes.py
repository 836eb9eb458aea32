"""Exit codes: every command keeps one table, the help and the documentation agree on it, and why is told."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from olmsolve.cli import COMMANDS, MEANINGS, Exit
from tests.cli.commands import Run

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "documents.md"
EXAMPLE = str(ROOT / "olmsolve" / "examples" / "install.yaml")
UNSATISFIABLE = str(ROOT / "olmsolve" / "examples" / "unsatisfiable.yaml")

# For each command, calls whose arguments parse and whose input is missing.
MISSING = {
    "resolve": ["nowhere.yaml", "--cluster nowhere.yaml", f"{EXAMPLE} --namespace nowhere"],
    "explain": ["nowhere.yaml", "--cluster nowhere.yaml", f"{UNSATISFIABLE} --known x=nowhere"],
    "why": ["nowhere.yaml keyring", f"{EXAMPLE} nothing.v1.0.0"],
    "why-not": ["nowhere.yaml keyring", f"{EXAMPLE} keyring --version x"],
    "diff": ["nowhere.yaml nowhere.yaml", f"{EXAMPLE} nowhere.yaml"],
    "lint": ["nowhere"],
    "validate": ["nowhere"],
    "path": ["nowhere keyring", "nowhere.yaml"],
    "graph": ["nowhere"],
    "render": ["nowhere"],
    "catalog": [
        *("merge nowhere", "diff nowhere nowhere", "edges nowhere", "list packages nowhere"),
        *("set-default nowhere --package p --channel c", "remove nowhere --package p", "convert-template nowhere"),
        "add nowhere --bundle nowhere.json --channel c",
        "edge nowhere --package p --channel c --bundle b --replaces a",
        "init p --icon nowhere",
    ],
    "template": ["nowhere.yaml"],
    "composite": ["nowhere.yaml"],
    "index": ["nowhere"],
    "serve": ["nowhere", "nowhere --api http"],
    "bundle": ["unpack nowhere new", "unpack nowhere.tar new"],
    "audit": ["--catalog main=nowhere"],
    "bench": ["nowhere", "--requests nowhere.yaml", "nowhere --against nowhere.json", f"{EXAMPLE} --backend nonesuch"],
    "fuzz": [
        "nowhere",
        "main=nowhere",
        "--replay nowhere.yaml",
        "--requests nowhere.yaml",
        f"nowhere --replay {EXAMPLE}",
    ],
    "plan": ["--cluster nowhere.yaml", EXAMPLE],
    "simulate": ["--cluster nowhere.yaml", EXAMPLE],
    "blocking": ["--cluster nowhere.yaml --openshift 4.18.0", EXAMPLE, f"{EXAMPLE} --openshift x"],
    "impact": [
        "--clusters nowhere --catalog olm/main=nowhere",
        f"--clusters {EXAMPLE} --catalog olm/main=nowhere",
        f"--clusters {EXAMPLE} --catalog main={Path(EXAMPLE).parent}/catalogs/commons",
        "--clusters nowhere --catalog olm/main=nowhere --fail-on everything",
        "--clusters nowhere --change nowhere.yaml",
    ],
    "journey": [
        "--cluster nowhere.yaml --openshift 4.18 --to 4.19",
        f"--cluster {EXAMPLE} --openshift 4.18 --to 4.19",
        f"--cluster {EXAMPLE} --openshift 4.18 --to 4.19 --catalog 4.19:olm/main=nowhere",
        f"--cluster {EXAMPLE} --to 4.19",
    ],
    "groups": ["--cluster nowhere.yaml", EXAMPLE],
    "metrics": ["--cluster nowhere.yaml", EXAMPLE],
    "migrate": ["nowhere keyring", "nowhere.yaml"],
    "crd-check": ["nowhere.yaml nowhere.yaml", "--old nowhere.yaml --new nowhere.yaml"],
    "backends": ["nonesuch"],
    "certify": ["nowhere.yaml"],
    "verify": ["nowhere.json nowhere.yaml"],
    "reduce": ["nowhere.yaml", f"{EXAMPLE} --keep difference"],
    "cnf": ["nowhere.yaml", f"{EXAMPLE} --to /nowhere/a.cnf"],
    "demo": [f"--write {EXAMPLE}", f"--write {EXAMPLE}/folder"],
    "completion": ["csh"],
    "help": ["nonesuch", "catalog nonesuch"],
    "where": [],
    "schema": ["nowhere", "catalog nowhere", "resolve --list"],
}


WHOLE = ("backends", "demo", "help", "where")


def help_of(olmsolve: Run, command: str) -> str:
    return olmsolve(command, "--help").out


def codes_of(help_text: str) -> dict[int, str]:
    """The codes that the end of a help text lists, each with its meaning."""
    listed = help_text.partition("exit codes:\n")[2]
    matches = re.findall(r"^  (\d+)  (.+(?:\n     .+)*)$", listed, re.MULTILINE)
    return {int(code): " ".join(meaning.split()) for code, meaning in matches}


def test_every_command_is_here() -> None:
    """A command that is added later keeps the table as well."""
    assert set(MISSING) == set(COMMANDS)
    assert set(MEANINGS) == set(Exit)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_lists_the_codes(olmsolve: Run, command: str) -> None:
    """Scripts are written from the help: 2 is bad input everywhere, and 3 is there where time can run out."""
    text = help_of(olmsolve, command)
    codes = codes_of(text)
    assert list(codes) == sorted(codes)
    assert {0, 2} <= set(codes) <= {0, 1, 2, 3}
    assert codes[2].startswith("bad input")
    assert (3 in codes) == ("--timeout" in text)


@pytest.mark.parametrize("command", COMMANDS)
def test_bad_arguments_are_told(olmsolve: Run, command: str) -> None:
    """No arguments, or an option that does not exist: the command's own usage and one message.

    ``backends``, ``demo``, ``help`` and ``where`` alone are whole questions.
    """
    for arguments in [["--no-such-option"]] if command in WHOLE else [[], ["--no-such-option"]]:
        outcome = olmsolve(command, *arguments)
        assert (outcome.code, outcome.out) == (Exit.BAD_INPUT, "")
        assert "olmsolve" in outcome.err


@pytest.mark.parametrize(("command", "call"), [(name, call) for name, calls in MISSING.items() for call in calls])
def test_bad_input_is_told(
    olmsolve: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, call: str
) -> None:
    """A code of 2 without a word leaves people with nothing to look at."""
    monkeypatch.chdir(tmp_path)
    outcome = olmsolve(command, *call.split())
    assert outcome.code == Exit.BAD_INPUT
    assert "olmsolve" in outcome.err.splitlines()[-1]


@pytest.mark.parametrize("call", ["resolve", "explain", "certify", "why keyring.v1.0.2", "why-not nothing"])
def test_an_empty_budget_is_told(olmsolve: Run, call: str) -> None:
    """A budget that was too small is no answer, which standard error says."""
    command, *rest = call.split()
    outcome = olmsolve(command, EXAMPLE, *rest, "--timeout", "1e-9")
    assert (outcome.code, outcome.out) == (Exit.OUT_OF_BUDGET, "")
    assert outcome.err.startswith("olmsolve: ")


def test_the_documentation_has_the_table(olmsolve: Run) -> None:
    """The page shows the meanings of the codes, and what each command means by them. UPDATE_SNAPSHOTS=1 writes it."""
    text = PAGE.read_text("utf-8")
    before, _, rest = text.partition("<!-- exit codes -->\n")
    _, _, after = rest.partition("<!-- /exit codes -->")
    meanings = "".join(f"| {code.value} | {meaning} |\n" for code, meaning in MEANINGS.items())
    rows = ""
    for command in COMMANDS:
        codes = codes_of(help_of(olmsolve, command))
        rows += f"| `{command}` | {codes[0]} | {codes.get(1, '')} | {'yes' if 3 in codes else ''} |\n"
    tables = (
        f"| code | meaning |\n|---|---|\n{meanings}\n| command | 0 | 1 | can end with 3 |\n|---|---|---|---|\n{rows}"
    )
    expected = f"{before}<!-- exit codes -->\n{tables}<!-- /exit codes -->{after}"
    if "UPDATE_SNAPSHOTS" in os.environ:
        PAGE.write_text(expected, "utf-8")
    assert PAGE.read_text("utf-8") == expected


def cluster_with_unresolvable_namespaces(names: list[str]) -> list[dict[str, Any]]:
    """A dump whose namespaces have a subscription and no operator group."""
    subscription = {"source": "main", "sourceNamespace": "olm", "name": "keyring"}
    return [
        {
            "apiVersion": "operators.coreos.com/v1alpha1",
            "kind": "Subscription",
            "metadata": {"name": "keyring", "namespace": name},
            "spec": subscription,
        }
        for name in names
    ]


@pytest.mark.parametrize("command", ["resolve", "explain", "plan"])
def test_one_namespace_or_several_end_alike(olmsolve: Run, written: Callable[..., str], command: str) -> None:
    """A namespace that cannot be resolved is an answer, whether it is alone or one of many."""
    dump = written(
        "dump.json", {"apiVersion": "v1", "kind": "List", "items": cluster_with_unresolvable_namespaces(["a", "b"])}
    )
    several = olmsolve(command, "--cluster", dump)
    alone = olmsolve(command, "--cluster", dump, "--namespace", "a")
    assert (several.code, alone.code) == (Exit.UNSATISFIABLE, Exit.UNSATISFIABLE), several.err
