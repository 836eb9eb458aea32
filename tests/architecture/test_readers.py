"""Every module that takes something from outside draws from the budget of the call: a time and a size.

"Outside" is what somebody else may make long: files, folders, archives, databases, streams, sockets and programs. A new
reader that is not in the table fails here, and one in the table that looks at no limit does, too.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Final

import pytest

import olmsolve

_ROOT: Final = Path(olmsolve.__file__).parent

_OUTSIDE: Final = frozenset(
    {
        *("open", "read_text", "read_bytes", "fdopen", "readline", "readlines", "recv", "recv_into", "input"),
        *("walk", "scandir", "iterdir", "glob", "iglob", "rglob", "listdir"),
        *("Popen", "run_command", "check_output", "check_call", "communicate"),
        *("connect", "ZipFile", "decompress", "decompressobj", "ZstdDecompressor", "urlopen", "unpackb"),
        *("safe_load", "safe_load_all", "full_load"),
    }
)
"""Functions and methods that take something from outside, by their last name."""

_LOOKS: Final = frozenset(
    {
        *("check", "checked", "current", "seconds_left", "tick", "awaited", "read_some", "read_whole", "wait_for"),
        *("program_output", "run_program", "files_below", "seconds", "settimeout", "held", "limited"),
    }
)
"""Functions and methods that look at the limits, or set one."""

_LIMITED: Final = "looks at the limits"
_GIVEN: Final = "takes what another reader of the table opened or measured"
_OWN: Final = "files of this package"
_STATE: Final = "a state or index of the user's own (SECURITY.md)"
_WRITES: Final = "only asks whether a folder that it writes is empty, or writes"

_READERS: Final[dict[str, str]] = {
    "_paths.py": _LIMITED,
    "_waiting.py": _LIMITED,
    "_whole_files.py": _WRITES,
    "answers/auditing/running.py": _STATE,
    "answers/fleet.py": "what another process of this run has packed",
    "authoring/checks/mending.py": _GIVEN,
    "authoring/checks/validation/reading.py": _GIVEN,
    "authoring/composites/building.py": _WRITES,
    "authoring/file_changes.py": _GIVEN,
    "authoring/in_place/changing.py": _LIMITED,
    "catalog/archives/compression.py": _LIMITED,
    "catalog/archives/plain_files.py": _GIVEN,
    "catalog/fbc/bundle_reading.py": _WRITES,
    "catalog/fbc/database.py": _LIMITED,
    "catalog/fbc/folder.py": _LIMITED,
    "catalog/fbc/loading.py": _GIVEN,
    "catalog/fbc/package_folder.py": "one folder, whose files then are counted by catalog/fbc/folder.py",
    "catalog/fbc/writing.py": _WRITES,
    "catalog/hosts/wires.py": _LIMITED,
    "catalog/images/blobs.py": _LIMITED,
    "catalog/images/contents.py": _LIMITED,
    "catalog/images/opening.py": _LIMITED,
    "catalog/images/registry.py": _LIMITED,
    "catalog/index/paged.py": _LIMITED,
    "catalog/index/stored.py": _LIMITED,
    "cel/second_opinion.py": _LIMITED,
    "cli/__init__.py": _LIMITED,
    "cli/change_options.py": _LIMITED,
    "cli/commands/crd_check.py": _GIVEN,
    "cli/commands/demo.py": _OWN,
    "cli/commands/fuzz.py": _GIVEN,
    "cli/commands/impact.py": _LIMITED,
    "cli/commands/template.py": _GIVEN,
    "cli/completing/shells.py": _OWN,
    "cli/situation.py": _GIVEN,
    "cli/topics/texts.py": _OWN,
    "cluster/objects/reading.py": _GIVEN,
    "lifecycle/impact/state.py": _STATE,
    "lifecycle/impact/running.py": "what another process of this run has packed",
    "render/html/page.py": _OWN,
    "render/json_schemas.py": _OWN,
    "requests/documents.py": _LIMITED,
    "requests/fleet_files.py": _LIMITED,
    "requests/projects.py": "a plain file of the user's own, and at most a megabyte of it",
    "requests/recorded_files.py": _LIMITED,
    "requests/api_server.py": _LIMITED,
    "serving/http_server.py": _LIMITED,
    "solver/backends/functions.py": "asks its caller whether to stop, and bounds what is printed",
    "testing/fuzzing/running.py": _STATE,
    "testing/fuzzing/working.py": "what another process of this run has packed",
    "testing/synthetic/realistic.py": _OWN,
    "testing/timing/measuring.py": _LIMITED,
    "testing/timing/running.py": _LIMITED,
}
"""The modules that take something from outside, and how each is bounded."""


def test_the_readers_are_those_of_the_table() -> None:
    """Whoever writes a new one decides how it is bounded, and writes it here."""
    modules = {path: _calls(path) for path in _ROOT.rglob("*.py")}
    texts = {str(path.relative_to(_ROOT)) for path, calls in modules.items() if calls & (_OUTSIDE | {"stdin"})}
    assert texts == _READERS.keys()


@pytest.mark.parametrize("module", [name for name, reason in _READERS.items() if reason == _LIMITED])
def test_readers_look_at_the_limits(module: str) -> None:
    """One that cannot be ended keeps a service busy, or a command."""
    assert _calls(_ROOT / module) & _LOOKS, f"{module} looks at no limit"


def _calls(path: Path) -> set[str]:
    """Return the last names of all functions that the module at *path* calls, and ``stdin`` where it is mentioned."""
    text = path.read_text("utf-8")
    # Most modules have none of these words, and parsing all of them takes seconds.
    if not any(f"{name}(" in text for name in _OUTSIDE) and "stdin" not in text:
        return set()
    calls: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            receiver = ast.unparse(node.func.value) if isinstance(node.func, ast.Attribute) else ""
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            # Walks of update graphs and of problems are no walks of folders.
            if name != "walk" or receiver == "os":
                calls.add(name)
        elif isinstance(node, ast.Attribute) and node.attr == "stdin":
            calls.add("stdin")
    return calls
