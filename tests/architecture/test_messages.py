"""Messages of the library: a Python program gets the names of arguments, and only the command line those of options."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from olmsolve._reader import for_reader, naming_options
from tests.architecture.imports import NAMES, parsed, wing

OPTION = re.compile(r"(?<![\w-])--[a-z]")


def texts(tree: ast.AST, *, within: str = "") -> Iterator[tuple[int, str]]:
    """Yield the texts in *tree*, but for docstrings and what ``for_reader`` gets as its ``option``."""
    if isinstance(tree, ast.keyword) and tree.arg == "option" and within == "for_reader":
        return
    if isinstance(tree, ast.Expr) and isinstance(tree.value, ast.Constant):
        return
    if isinstance(tree, ast.Constant) and isinstance(tree.value, str):
        yield tree.lineno, tree.value
    called = tree.func.id if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) else ""
    for node in ast.iter_child_nodes(tree):
        yield from texts(node, within=called)


@pytest.mark.parametrize("mine", sorted({wing(name) for name in NAMES} - {"cli"}))
def test_only_the_command_line_names_options(mine: str) -> None:
    """Whoever calls a function cannot type --catalog; whole commands, for kubectl or a shell, are another thing."""
    kubectl = (
        r"--(type|patch|namespace|filename|selector|all|as|overwrite|for=[cdj]|timeout=|cascade=orphan)|\boc [a-z]"
    )
    dockerfile = r"--cache-dir=/tmp/cache|--from=builder "
    is_command = re.compile(rf"olmsolve [a-z]|--olmsolve-catalog|{kubectl}|{dockerfile}")
    for name, module in NAMES.items():
        if wing(name) == mine and OPTION.search(module.read_text("utf-8")):
            wrong_texts = [
                text for text in texts(parsed(module)) if OPTION.search(text[1]) and not is_command.search(text[1])
            ]
            assert wrong_texts == [], name


def test_a_hint_is_for_its_reader() -> None:
    """A program that runs a command still gets arguments named afterwards."""
    with naming_options():
        assert for_reader(python="catalogs=", option="--catalog") == "--catalog"
    assert for_reader(python="catalogs=", option="--catalog") == "catalogs="
