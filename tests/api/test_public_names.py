"""The list of public names: small, whole, documented, and kept where version 0.2.0 showed more."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Final

import pytest

from olmsolve import _public
from olmsolve._public import INSTEAD, PUBLIC, RENAMED, deprecated, home_of, message, public_names, shown
from olmsolve.render import json_schema_names
from tests.api.changes import ROOT
from tests.api.documented import examples, names_used
from tests.architecture.imports import NAMES, ROOMS, imported
from website import api

MOST: Final = 400
DEPRECATED: Final = Path(__file__).parent / "deprecated.txt"
PAGES: Final = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
SILENT: Final = {
    "olmsolve.errors": "a plain module, whose errors are raised all the time",
    "olmsolve.events": "a plain module, which every question looks at",
    "olmsolve.lifecycle.metrics.exposition": "a plain module, which needs an extra",
    "olmsolve.render.html": "a door with a name that one of its modules has",
    "olmsolve.solver.deciding": "the door of one class",
    "olmsolve.solver.backends.DECIDING": "defined in the door",
    "olmsolve.solver.backends.DEFAULT": "defined in the door",
    "olmsolve.solver.backends.PORTABLE": "defined in the door",
    "olmsolve.testing.reference": "a door with functions of its own",
    "olmsolve.testing.synthetic": "a door with a name that one of its modules has",
}
"""Doors and names that cannot see who takes them, so that private ones come without a warning."""


def released() -> dict[str, str]:
    """The private names that version 0.2.0 showed, each with its public path, "" without one."""
    lines = DEPRECATED.read_text("utf-8").splitlines()[1:]
    return {path: home.strip() for path, _, home in (line.partition(":") for line in lines)}


def taken(path: str) -> tuple[object, list[str]]:
    """What a program gets that imports *path*, and the messages of the warnings."""
    door, _, name = path.rpartition(".")
    program = {"__name__": "somebody"}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        exec(f"from {door} import {name} as value", program)  # noqa: S102 - as somebody else's program
    return program["value"], [str(warning.message) for warning in caught if warning.category is DeprecationWarning]


def test_the_face_is_small() -> None:
    """Nobody reads a thousand names, and each is a promise."""
    assert len(api.public_names()) <= MOST


def test_every_public_name_is_there_and_listed_once() -> None:
    """A name that is listed and missing fails in somebody's program, one that is listed twice has two homes."""
    for door, subjects in PUBLIC.items():
        names = [name for listed in subjects.values() for name in listed.split()]
        assert len(names) == len(set(names)), door
        module = importlib.import_module(door)
        assert [name for name in names if not hasattr(module, name)] == [], door


def test_the_facade_has_the_listed_names_alone() -> None:
    """The facade asks no list whether a name is public: all of its names are."""
    names = {name for source, name, _ in imported(NAMES["olmsolve"]) if source.split(".")[0] == "olmsolve"}
    rooms = {name for name in names if f"olmsolve.{name}" in NAMES}
    assert names - rooms - {"lazily", "__version__"} == public_names("olmsolve")


@pytest.mark.parametrize("door", PUBLIC)
def test_each_name_says_why_it_is_there(door: str) -> None:
    """The first sentence of its docstring is its line in the reference."""
    whys = {path: api.public_names()[canonical].summary for path, canonical in api.exports(door).items()}
    assert whys.keys() == public_names(door)
    assert [name for name, why in whys.items() if not why or len(why.split()) > 35] == []


def test_a_call_that_is_not_obvious_has_an_example() -> None:
    """Two required arguments have an order and types; tests/test_docs.py runs the examples."""
    without = []
    for canonical, public in api.public_names().items():
        door, _, name = public.path.rpartition(".")
        if public.kind == "function":
            given = inspect.signature(getattr(importlib.import_module(door), name)).parameters.values()
            required = [
                parameter
                for parameter in given
                if parameter.default is parameter.empty and parameter.kind <= parameter.POSITIONAL_OR_KEYWORD
            ]
            if len(required) > 1 and ">>> " not in (text := api.texts_of(canonical)) and "::\n" not in text:
                without.append(public.path)
    assert without == []


def test_pages_use_public_names_only() -> None:
    """Readers copy what they see; what they copy has to stay."""
    for page in PAGES:
        if page.name != "CHANGELOG.md":
            assert sorted(filter(_is_private, names_used(examples(page.read_text("utf-8"))))) == [], page.name


def test_examples_in_the_reference_use_public_names_only() -> None:
    """A docstring of a public name is a page, too."""
    for canonical, public in api.public_names().items():
        blocks = (example for example in api.docstring_examples(canonical))
        assert sorted(filter(_is_private, names_used(blocks))) == [], public.path


def test_public_docstrings_send_nobody_to_a_deprecated_name() -> None:
    """Whoever follows the sentence would be warned for it."""
    gone = re.compile("|".join(rf"\b{re.escape(path)}\b" for path in sorted(released(), key=len, reverse=True)))
    for canonical, public in api.public_names().items():
        assert gone.findall(api.texts_of(canonical)) == [], public.path
    for page in PAGES:
        if page.name not in ("CHANGELOG.md", "decisions.md"):
            matches = gone.findall(page.read_text("utf-8"))
            assert [name for name in matches if name not in json_schema_names()] == [], page.name


def _is_private(path: str) -> bool:
    door, _, name = path.rpartition(".")
    return not name.startswith("__") and not _public.is_public(door, name)


def test_what_version_0_2_0_showed_still_works_and_warns() -> None:
    """A program that was written for it runs, and hears where each name is now."""
    for path, home in released().items():
        door = path.rpartition(".")[0]
        if door in SILENT or path in SILENT:
            continue
        value, messages = taken(path)
        assert messages == [message(path, home)], path
        if home:
            assert value is getattr(importlib.import_module(home.rpartition(".")[0]), home.rpartition(".")[2]), path


def test_who_takes_a_public_name_hears_nothing() -> None:
    """A warning on the right way would send people off it."""
    for door in PUBLIC:
        for name in sorted(public_names(door)):
            assert taken(f"{door}.{name}")[1] == [], f"{door}.{name}"


def test_the_package_itself_hears_nothing_and_hides_nothing_from_a_program() -> None:
    """The package's own import of a private name must not swallow the warning of the program that imports it next."""
    program = """
import warnings, olmsolve.cli
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    olmsolve.cli.main(["resolve", "olmsolve/examples/install.yaml"])
    assert caught == [], [str(warning.message) for warning in caught]
    from olmsolve.render import plan_text
    import olmsolve.render
    olmsolve.render.plan_text
print([(str(warning.message), warning.filename, warning.lineno) for warning in caught])
"""
    process = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    text = message("olmsolve.render.plan_text", "olmsolve.plan_text")
    assert ast.literal_eval(process.stdout.splitlines()[-1]) == [(text, "<string>", 7), (text, "<string>", 9)]


def test_a_module_that_is_run_belongs_to_the_package() -> None:
    """`python -m olmsolve.testing.backends` is documented, and nobody else has imported what it imports."""
    command = [sys.executable, "-W", "error", "-m", "olmsolve.testing.backends", "nonesuch"]
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert "nonesuch" in run.stderr
    assert "Warning" not in run.stderr


def test_a_name_that_never_was_is_an_error_as_usual() -> None:
    """Neither a deprecated name nor a public one: Python says what it always says."""
    with pytest.raises(AttributeError, match=r"module 'olmsolve\.render' has no attribute 'nonesuch'"):
        getattr(importlib.import_module("olmsolve.render"), "nonesuch")  # noqa: B009
    with pytest.raises(ImportError, match="cannot import name 'nonesuch'"):
        taken("olmsolve.v1.nonesuch")


def test_a_public_door_lists_its_public_names() -> None:
    """What an editor completes is what stays."""
    listed = {name for name in dir(importlib.import_module("olmsolve.v1")) if not name.startswith("__")}
    assert listed == public_names("olmsolve.v1")
    assert shown("olmsolve.testing", ["synthetic", "fuzzing", "package"]) == {"synthetic", "package"}
    assert shown("olmsolve.render", ["plain"]) == {"plain"}


def test_what_takes_the_place_of_a_name_exists() -> None:
    """A message that sends its reader to nothing is worse than none."""
    instead = {f"olmsolve.{name}": home for home, names in INSTEAD.items() for name in names.split()}
    for path, home in {**RENAMED, **instead}.items():
        door, _, name = re.sub(r"\(.*", "", home).removesuffix(".of_cluster").rpartition(".")
        assert _public.is_public(door, name), home
        assert path in released(), path
        assert (path in RENAMED) == bool(released()[path]), path
    assert message("olmsolve.lifecycle.simulation.Rules", "").endswith("use olmsolve.Policy")


def test_silent_doors_are_few() -> None:
    """An exception must not outlive its reason."""
    lazy = {room for room in ROOMS if "lazily(" in NAMES[room].read_text("utf-8")}
    assert not lazy & SILENT.keys()
    paths = released().keys()
    assert SILENT.keys() <= {*paths, *(path.rpartition(".")[0] for path in paths)}


def test_home_and_warning_of_one_name() -> None:
    """The home is found by the object, so that a namesake is no home."""
    from olmsolve import v1
    from olmsolve.classic.resolving import resolve

    assert home_of("resolve", resolve) == ""
    assert home_of("resolve", v1.resolve) == "olmsolve.v1.resolve"
    with pytest.warns(DeprecationWarning, match="is private from olmsolve 1.0, and no public name takes its place"):
        assert deprecated("olmsolve.render", "plain", inspect, 1) is inspect
