"""Limits are parameters of public functions only: the scope carries them inwards (olmsolve/_limits.py)."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import warnings
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import chain
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Final

import pytest

import olmsolve
from olmsolve import Incomplete, _public
from tests.limits.test_scopes import set_flag

ROOT: Final = Path(olmsolve.__file__).parents[1]

_COMMONS: Final = ROOT / "olmsolve/examples/catalogs/commons"

LIMITS: Final[tuple[str, ...]] = ("timeout", "conflicts", "cancel", "observer")

NOT_PUBLIC: Final = {
    "it is what a scope holds": ("olmsolve._limits.Limits.__init__",),
    "it is the scope of a public function": ("olmsolve._limits.scoped.__init__",),
    "it tells the observer that was found in the scope": (
        "olmsolve.classic.failure.ClassicTrace.__init__",
        "olmsolve.classic.resolving._observed",
        "olmsolve.events.question",
        "olmsolve.solver.budget.ToldTrace.__init__",
    ),
    "it is OLM's timeout for a step of a plan": ("olmsolve.cluster.install_plans.namespace_sync.transition",),
    "it is the timeout of a command that the runbook prints": ("olmsolve.render.journey_runbook._wait",),
    "the protocol of backends: conflicts of one question": (
        "olmsolve.solver.backends.pysat.PySATSolver.solve",
        "olmsolve.solver.backends.python.TurningSolver.solve",
        "olmsolve.solver.judging.Judge._holds",
        "olmsolve.solver.session.Session.solve_within",
    ),
    "it counts the conflicts of one try at a core": ("olmsolve.solver.deciding.core_oracle.Patience.__init__",),
}
"""The other functions with a parameter of such a name, by the reason why they have it."""


def _functions(tree: ast.AST, path: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the path of each function below *tree*, with the names of its parameters."""
    for node in ast.iter_child_nodes(tree):
        if not isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case):
            continue  # expressions, which are most of a tree, hold none
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            parameters = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
            yield f"{path}.{node.name}", [parameter.arg for parameter in parameters]
        inner = f"{path}.{node.name}" if isinstance(node, ast.FunctionDef | ast.ClassDef) else path
        yield from _functions(node, inner)


@cache
def _public_functions() -> Mapping[int, str]:
    """Map the identity of each public function and method to its public path, without the door of the facade."""
    paths: dict[int, str] = {}
    for door, subjects in _public.PUBLIC.items():
        module = importlib.import_module(door)
        for name in " ".join(subjects.values()).split():
            value = getattr(module, name)
            path = f"{door}.{name}".removeprefix("olmsolve.")
            paths.setdefault(id(value), path)
            if inspect.isclass(value):
                for inner in dir(value):
                    method = inspect.getattr_static(value, inner)
                    if inspect.isfunction(method):
                        paths.setdefault(id(method), f"{path}.{inner}")
    return paths


@cache
def _taking_limits() -> tuple[tuple[str, list[str]], ...]:
    """Return the path of each function of the library that takes limits, with the limits that it takes."""
    return tuple(_functions_with_limits())


def _functions_with_limits() -> Iterator[tuple[str, list[str]]]:
    for file in sorted((ROOT / "olmsolve").rglob("*.py")):
        module = ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for path, parameters in _functions(ast.parse(file.read_text("utf-8")), module):
            limits = [name for name in LIMITS if name in parameters]
            if limits:
                yield path, limits


def test_only_public_functions_take_limits() -> None:
    """An inner function that takes them opens a scope of its own, and everybody between has to pass them on."""
    public = _public_functions()
    private = {path for path, _ in _taking_limits() if id(resolve_name(path)) not in public}
    assert private == set(chain.from_iterable(NOT_PUBLIC.values()))


def test_the_page_lists_the_functions_that_take_limits() -> None:
    """docs/limits.md says of each which limits it takes; classes and the kit for tests have their own pages."""
    public = _public_functions()
    taking = {
        public[id(resolve_name(path))]: [name for name in limits if name != "observer"]
        for path, limits in _taking_limits()
        if id(resolve_name(path)) in public
    }
    page = (ROOT / "docs" / "limits.md").read_text("utf-8")
    listed: dict[str, list[str]] = {}
    for row in re.findall(r"^\| (`timeout`.*) \| (.*) \|$", page, re.MULTILINE):
        names, calls = (re.findall(r"`([\w.]+)`", cell) for cell in row)
        listed.update(dict.fromkeys(calls, names))
    elsewhere = {name for name in taking if name.startswith(("testing.", "solver.", "events.", "limited.", "observed"))}
    assert listed == {name: limits for name, limits in taking.items() if name not in elsewhere}


@pytest.mark.parametrize(
    ("door", "name", "warned"),
    [
        ("olmsolve.classic", "resolve", False),
        ("olmsolve.classic", "is_satisfiable", False),
        ("olmsolve.classic", "compile_request", False),
        ("olmsolve.authoring", "second_opinions", True),
        ("olmsolve.catalog.fbc", "load", True),
        ("olmsolve.fbc", "load", True),
    ],
)
def test_private_functions_of_0_2_0_keep_their_limits(door: str, name: str, warned: bool) -> None:
    """They work as before until 1.0: limits count, with a warning where no public function takes them."""
    with pytest.warns(DeprecationWarning, match=r"private from olmsolve 1\.0"):
        function = getattr(importlib.import_module(door), name)
    argument: Any = _COMMONS
    if door == "olmsolve.classic":
        argument = olmsolve.read_request("olmsolve/examples/install.yaml")
    elif name == "second_opinions":
        argument = olmsolve.load(_COMMONS)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert function(argument) == function(argument, timeout=60.0, cancel=None) or name == "compile_request"
        with pytest.raises(Incomplete, match="cancelled"):
            function(argument, cancel=set_flag())
    instead = "with olmsolve.limited(...) or olmsolve.observed(...)"
    expected = [f"{name}({limits}) is deprecated; use {instead}" for limits in ("timeout, cancel", "cancel") if warned]
    assert [str(warning.message) for warning in caught] == expected
