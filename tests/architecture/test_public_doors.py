"""The documentation imports public names only: the facade, the errors, and doors within the public wings."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from olmsolve.render import json_schema_names
from tests.architecture.imports import NAMES, PACKAGE, ROOMS, exports, wing
from tests.architecture.wings import PUBLIC, PUBLIC_MODULES

DOCS = PACKAGE.parent / "docs"
PAGES = sorted([*DOCS.glob("*.md"), *PACKAGE.parent.glob("*.md")])

# Names of documents that olmsolve writes or reads, which look like names of modules.
_WRITTEN = re.findall(r'"(olmsolve\.[\w.-]+)"', "".join(path.read_text("utf-8") for path in NAMES.values()))
SCHEMAS = {*_WRITTEN, *json_schema_names()}


def _is_public(module: str) -> bool:
    return module == "olmsolve" or wing(module) in PUBLIC


def imports(page: Path) -> Iterator[str]:
    """The modules that the examples of *page* import from."""
    for line in page.read_text("utf-8").splitlines():
        match = re.match(r"\s*(?:>>> |\.\.\. )?(?:from (olmsolve[\w.]*) import|import (olmsolve[\w.]*))", line)
        if match:
            yield match[1] or match[2]


def test_examples_import_what_is_public() -> None:
    """Readers copy what they see; what they copy has to stay."""
    public = {*PUBLIC_MODULES, *filter(_is_public, ROOMS | {"olmsolve.fbc"})}
    assert [(page.name, module) for page in PAGES for module in imports(page) if module not in public] == []


def test_modules_that_pages_name_exist() -> None:
    """A page that names a module which has moved sends its reader searching."""
    for page in (page for page in PAGES if page.name not in ("decisions.md", "CHANGELOG.md")):
        # docs/architecture.md names modules from the package on: `requests/reading.py`.
        for name in re.findall(r"`(?:olmsolve/)?([a-z_0-9]+/[a-z_0-9/]+\.py)`", page.read_text("utf-8")):
            assert (PACKAGE / name).is_file() or (PACKAGE.parent / name).is_file(), (page.name, name)
        for name in re.findall(r"`(olmsolve\.[\w.]*\w)[`(]", page.read_text("utf-8")):
            assert name in SCHEMAS or _is_there(name), (page.name, name)


def test_public_rooms_are_names_of_the_doors_before_them() -> None:
    """``import olmsolve`` and ``olmsolve.cluster.operator_groups`` is enough, whatever was imported before."""
    public = [room.rpartition(".") for room in ROOMS if "." in room and _is_public(room)]
    assert [(door, name) for door, _, name in public if name not in exports(door)] == []


def test_public_paths_work_in_a_fresh_process() -> None:
    """Here other tests have imported the rooms; a private one is no attribute, and Python says just that."""
    program = """
import olmsolve
try: olmsolve.cluster.state
except AttributeError as error: print(error)
print(olmsolve.cluster.objects.Metadata, olmsolve.testing.synthetic.request, olmsolve.solver.backends.SatSolver)
"""
    process = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert process.stdout.splitlines()[0] == "module 'olmsolve.cluster' has no attribute 'state'"


def _is_there(name: str) -> bool:
    """Whether *name* is a module, or an attribute of one."""
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        module = ".".join(parts[:count])
        if module in NAMES:
            if module in PUBLIC_MODULES:
                return True  # it may need an extra that is not installed
            value: object = importlib.import_module(module)
            for part in parts[count:]:
                value = getattr(value, part, None)
            return value is not None
    return False
