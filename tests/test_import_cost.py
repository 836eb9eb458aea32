"""What importing the library loads: nothing that only some of its users need."""

from __future__ import annotations

import importlib
import json
import opcode
import subprocess
import sys
from pathlib import Path

import pytest

from olmsolve import _lazy

COMMAND_LINES = {"argparse", "optparse", "click", "typer", "rich"}
EXAMPLE = "from olmsolve.cli import main; main(['resolve', 'olmsolve/examples/install.yaml'])"
FAILURE = "from olmsolve.cli import main; main(['resolve', 'olmsolve/examples/unsatisfiable.yaml'])"
EXPLANATION = "from olmsolve.cli import main; main(['explain', 'olmsolve/examples/unsatisfiable.yaml'])"
NAMES = "import olmsolve; olmsolve.resolve, olmsolve.read_request, olmsolve.load"
SMALL = "from olmsolve.cli import main; main(['{}', 'olmsolve/examples/catalogs/orchard'])"
WITH_REQUIREMENTS = SMALL.replace("orchard", "commons")
WHERE = "from olmsolve.cli import main; main(['where'])"
LIST = "from olmsolve.cli import main; main(['catalog', 'list', 'packages', 'olmsolve/examples/catalogs/orchard'])"
PROGRAM = "import sys; from olmsolve.__main__ import program; sys.argv = ['olmsolve', 'where']; program()"
TIMES = {"datetime", "decimal", "zoneinfo", "sysconfig"}
# Each takes 1 to 20 ms to load; all of Python takes 10.
SLOW = {
    "attr",
    "attrs",
    "celpy",
    "difflib",
    "hashlib",
    "inspect",
    "msgspec",
    "pysat",
    "rich",
    "shutil",
    "tempfile",
    "yaml",
}
# What unpacks, and what a folder of files needs nothing of; what reads JSON texts, where all are YAML.
UNPACKING = {
    "base64",
    "struct",
    "olmsolve.catalog.archives.compression",
    "olmsolve.catalog.archives.tar",
    "olmsolve.catalog.fbc.json_text",
    "olmsolve.catalog.fbc.packed",
    "threading",
}
# SAT solvers by name, and what asks them: the engine has plans and cores of small requests by itself.
SAT_SOLVERS = {
    "olmsolve.solver.backends.model",
    "olmsolve.solver.backends.registry",
    "olmsolve.solver.core_oracle",
    "olmsolve.solver.encoding",
    "olmsolve.solver.family_walk",
    "olmsolve.solver.portable",
    "olmsolve.solver.session",
}
# Reading a dump, writing files, pages: no request document needs them.
OTHER_INPUT_AND_OUTPUT = {"olmsolve._whole_files", "olmsolve.requests.recorded_files"}
# What checks manifests and configurations, and what names positions: the catalog has neither manifests nor a finding.
OTHER_CHECKS = {
    "olmsolve._near_names",
    "olmsolve.authoring.checks.validation.positions",
    "olmsolve.semver.scheme",
    "olmsolve.v1.installing.bundle_validators",
}
# What words other failures: no name is misspelt in this one, no house rule broken, no line wrapped by patterns.
OTHER_FAILURES = {
    "olmsolve._near_names",
    "olmsolve.classic.house_rules",
    "olmsolve.classic.measures",
    "olmsolve.semver.scheme",
    "olmsolve.solver.family_rotation",
    "textwrap",
}
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
    # Nothing is wrong with this catalog, and its YAML is the usual one.
    *((SMALL.format(command), SLOW) for command in ("lint", "render")),
    # The positions of two notes come from the careful reader of YAML.
    (SMALL.format("validate"), SLOW - {"yaml"}),
    # Its requirements have no rule in CEL, and no time, no zone and no decimal is read.
    *((WITH_REQUIREMENTS.format(command), SLOW | TIMES | {"olmsolve.cel"}) for command in ("lint", "validate")),
    (EXPLANATION, SLOW | TIMES | {"platform"}),
    *((code, OTHER_FAILURES) for code in (FAILURE, EXPLANATION)),
    (EXPLANATION, {"olmsolve.answers.explain.near_misses"}),
    # All catalogs can be read, and there is one conflict, with few ways out.
    (EXPLANATION, {"olmsolve.classic.unreadable", "heapq"}),
    # No catalog has a range of skips, and no subscription a startingCSV.
    (EXPLANATION, {"olmsolve.catalog.update_graph.edges"}),
    # Another channel, or no subscription, is a way out: no change of catalogs, rules or the cluster is.
    (EXPLANATION, {"olmsolve.answers.explain.rare_changes"}),
    # The process handles interrupts without the enumerations of signals, translates no headings, and writes no URLs.
    (PROGRAM, {"signal", "gettext", "locale", "urllib", "urllib.parse", "ipaddress"}),
    (EXAMPLE, TIMES),
    *((code, UNPACKING | SAT_SOLVERS | OTHER_INPUT_AND_OUTPUT) for code in (EXAMPLE, FAILURE, EXPLANATION)),
    *((SMALL.format(command), UNPACKING) for command in ("lint", "graph")),
    (WITH_REQUIREMENTS.format("validate"), UNPACKING | OTHER_CHECKS),
    # Neither asks a question: what a project names, and what a catalog holds.
    (WHERE, SAT_SOLVERS | {"olmsolve.classic.resolving", "olmsolve.catalog.index", "olmsolve.requests.gathering"}),
    (LIST, UNPACKING | {"olmsolve.eligibility", "olmsolve.resolution", "olmsolve.v1.request"}),
    (EXAMPLE, {"attr", "attrs", "inspect", "platform", "shutil"}),
    (FAILURE, {"attr", "attrs"}),
    # The list of public names is for programs that take names from doors other than the facade.
    (EXAMPLE, {"olmsolve._public"}),
    (NAMES, {"olmsolve._public"}),
    # Nothing is wrong in it, and nothing packed.
    (EXAMPLE, {"difflib", "tempfile", "random"}),
    # One loads a catalog's documents only if it has no index.
    (NAMES, {"olmsolve.catalog.fbc.json_fast"}),
    ("import olmsolve.classic", {"olmsolve.cluster", "olmsolve.cluster.eligibility", "olmsolve.cluster.objects"}),
]


# Classes of the library whose constructor nobody has called yet, and all that are loaded.
CLASSES = """
import json, sys
loaded = {value for name, module in sys.modules.items() if name.startswith('olmsolve')
          for value in vars(module).values() if isinstance(value, type) and '__attrs_plan__' in vars(value)}
made = [value for value in loaded if vars(value)['__init__'].__code__.co_filename == '<string>']
print(json.dumps([len(made), len(loaded)]))
"""


def loaded_by(code: str) -> set[str]:
    """The modules that a fresh interpreter has loaded after running *code*, which may end the process."""
    script = f"import atexit, sys\natexit.register(lambda: print(*sys.modules))\n{code}"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = set(result.stdout.splitlines()[-1].split())
    assert {"sys", "atexit"} <= loaded, "the last line is the list of modules"
    return loaded


@pytest.mark.parametrize(("code", "unwanted"), COSTS, ids=[code for code, _ in COSTS])
def test_imports_stay_lazy(code: str, unwanted: set[str]) -> None:
    """Each takes tens of milliseconds, more than many requests do (modules are counted: time varies)."""
    assert sorted(loaded_by(code) & unwanted) == []


@pytest.mark.parametrize("code", [NAMES, EXAMPLE, FAILURE])
def test_methods_are_compiled_for_the_classes_that_are_used(code: str) -> None:
    """To compile those of all classes that a short command loads would take a fifth of its time."""
    result = subprocess.run([sys.executable, "-c", code + CLASSES], capture_output=True, text=True, check=True)
    constructed, loaded = json.loads(result.stdout.splitlines()[-1])
    assert loaded > 50
    assert constructed < loaded / 2


def test_numbers_of_instructions() -> None:
    """Doors read their own code, and load no table of the bytecode in versions of Python whose numbers they know."""
    assert _lazy._instructions() == tuple(opcode.opmap[name] for name in ("IMPORT_NAME", "IMPORT_FROM", "EXTENDED_ARG"))


@pytest.mark.parametrize(
    "door", ["olmsolve", *(f"olmsolve.{wing}" for wing in ("catalog", "cluster", "render", "solver"))]
)
def test_a_name_is_found_alone_as_among_all(door: str) -> None:
    """A command looks for single names in the code of a door, of which ``dir`` and ``__all__`` read all."""
    file = importlib.import_module(door).__file__
    assert file is not None
    code = compile(Path(file).read_text("utf-8"), file, "exec")
    modules = _lazy._modules_of_names(code)
    assert len(modules) > 40
    assert {name: _lazy._module_of(code, name) for name in modules} == modules
    assert not any(_lazy._module_of(code, name) for name in {*code.co_names, "other"} - modules.keys())


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
