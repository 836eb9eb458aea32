"""What importing the library loads: nothing that only some of its users need."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

COMMAND_LINES = {"argparse", "optparse", "click", "typer", "rich"}
EXAMPLE = "from olmsolve.cli import main; main(['resolve', 'olmsolve/examples/install.yaml'])"
EMPTY_REQUEST = "{'namespaces': ['n'], 'catalogs': [], 'subscriptions': []}"

# What to run, and the modules that it must not load.
COSTS = [
    ("import olmsolve", COMMAND_LINES | {"celpy", "yaml"}),
    (f"import olmsolve; olmsolve.read_request({EMPTY_REQUEST})", COMMAND_LINES | {"celpy", "yaml"}),
    ("import olmsolve.cli", {"celpy", "yaml", "rich"}),
    # Nothing is held back from this plan, a request document has no cluster, and no backend of other packages is named.
    (EXAMPLE, {"celpy", "rich", "olmsolve.cluster", "olmsolve.v1", "olmsolve.answers.held_back.obstacle_finder"}),
    (
        EXAMPLE,
        {
            "importlib.metadata",
            "email",
            "socket",
            "csv",
            "logging",
            "olmsolve.classic.reasons",
            "olmsolve.classic.house_rules",
        },
    ),
    # A small catalog of usual YAML is read before either of these is loaded.
    (EXAMPLE, {"yaml", "olmsolve.catalog.fbc.yaml_text", "msgspec"}),
    ("import olmsolve.classic", {"olmsolve.cluster", "olmsolve.cluster.eligibility", "olmsolve.cluster.objects"}),
]


def loaded_by(code: str) -> set[str]:
    """The modules that a fresh interpreter has loaded after running *code*."""
    script = f"{code}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(json.loads(result.stdout.splitlines()[-1]))


@pytest.mark.parametrize(("code", "unwanted"), COSTS, ids=[code for code, _ in COSTS])
def test_imports_stay_lazy(code: str, unwanted: set[str]) -> None:
    """Each takes tens of milliseconds, more than many requests do (modules are counted: time varies)."""
    assert not loaded_by(code) & unwanted
