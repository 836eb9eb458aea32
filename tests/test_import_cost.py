"""What importing the library loads: nothing that only some of its users need."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

COMMAND_LINES = {"argparse", "optparse", "click", "typer", "rich"}
EXAMPLE = "from olmsolve.cli import main; main(['resolve', 'olmsolve/examples/install.yaml'])"
FAILURE = "from olmsolve.cli import main; main(['resolve', 'olmsolve/examples/unsatisfiable.yaml'])"
EXPLANATION = "from olmsolve.cli import main; main(['explain', 'olmsolve/examples/unsatisfiable.yaml'])"
NAMES = "import olmsolve; olmsolve.resolve, olmsolve.read_request, olmsolve.load"
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
    # Nor has a request that cannot be satisfied a cluster, whose objects might say more.
    (EXPLANATION, {"celpy", "rich", "olmsolve.cluster", "olmsolve.lifecycle"}),
    # A small catalog of usual YAML is read before either of these is loaded.
    (EXAMPLE, {"yaml", "olmsolve.catalog.fbc.yaml_text", "msgspec"}),
    # The list of public names is for programs that take names from doors other than the facade.
    (EXAMPLE, {"olmsolve._public"}),
    (NAMES, {"olmsolve._public"}),
    # Nothing is wrong in it, and nothing packed.
    (EXAMPLE, {"difflib", "tempfile", "random"}),
    # One loads a catalog's documents only if it has no index.
    (NAMES, {"olmsolve.catalog.fbc.usual_bundles"}),
    ("import olmsolve.classic", {"olmsolve.cluster", "olmsolve.cluster.eligibility", "olmsolve.cluster.objects"}),
]


# The methods that attrs has compiled for classes of the library, from a file called "<attrs generated ...".
GENERATED = """
import json, sys
found = {value for name, module in sys.modules.items() if name.startswith('olmsolve') for value in vars(module).values()
         if isinstance(value, type) and '__attrs_attrs__' in vars(value)}
assert len(found) > 50
methods = [(each, name, vars(each)[name]) for each in found for name in ('__repr__', '__eq__') if name in vars(each)]
print(json.dumps([f'{each.__name__}.{name}' for each, name, method in methods
                  if method.__code__.co_filename.startswith('<attrs')
                  and (name == '__repr__' or each.__attrs_props__.hashability.name == 'HASHABLE')]))
"""


def loaded_by(code: str) -> set[str]:
    """The modules that a fresh interpreter has loaded after running *code*."""
    script = f"{code}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(json.loads(result.stdout.splitlines()[-1]))


@pytest.mark.parametrize(("code", "unwanted"), COSTS, ids=[code for code, _ in COSTS])
def test_imports_stay_lazy(code: str, unwanted: set[str]) -> None:
    """Each takes tens of milliseconds, more than many requests do (modules are counted: time varies)."""
    assert not loaded_by(code) & unwanted


@pytest.mark.parametrize("code", [NAMES, EXAMPLE, FAILURE])
def test_few_classes_of_a_short_command_have_generated_methods(code: str) -> None:
    """Compiling them takes most of the time in which attrs makes a class: `shared_methods` gives it other ones.

    Classes that remember their hash keep what attrs makes, and those that print themselves in a few words.
    """
    result = subprocess.run([sys.executable, "-c", code + GENERATED], capture_output=True, text=True, check=True)
    assert set(json.loads(result.stdout.splitlines()[-1])) <= {"Catalog.__eq__", "Package.__eq__"}


def test_a_short_command_waits_for_no_collector() -> None:
    """Cyclic garbage is looked for neither while modules load, nor in all that the process holds when it ends."""
    code = (
        "import atexit, gc, sys\n"
        "runs = []\n"
        "atexit.register(lambda: print(len(runs), gc.get_freeze_count() > 10_000))\n"
        "from olmsolve.cli import main\n"
        "gc.callbacks.append(lambda phase, info: runs.append(phase))\n"
        "sys.argv = ['olmsolve', 'resolve', 'olmsolve/examples/install.yaml']\n"
        "main()"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.splitlines()[-1] == "0 True"
