"""Docstrings name the thing: a module or class is a noun, a function a verb, and neither opens with a question word."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.architecture.imports import NAMES, parsed, statements, wing

# "Whether" says of an attribute that it is a bool; no other opening leaves the noun out.
QUESTIONS = frozenset({"How", "That", "Those", "What", "When", "Where", "Which", "Who", "Whether", "Why"})


def openings(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the name and the first word of each documented module, class and function in *tree*."""
    for node in (tree, *statements(tree)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            word = text.split(maxsplit=1)[0] if text else ""
            if not (word == "Whether" and _is_attribute(node)):
                yield getattr(node, "name", "the module"), word


def _is_attribute(node: ast.AST) -> bool:
    """Return whether *node* is a function that is read as an attribute."""
    decorators = [ast.unparse(decorator) for decorator in getattr(node, "decorator_list", [])]
    return any("property" in decorator for decorator in decorators)


@pytest.mark.parametrize("mine", sorted({wing(name) for name in NAMES}))
def test_no_docstring_opens_with_a_question(mine: str) -> None:
    """A reader of "What a plan is for" has to guess the noun; "The purpose of a plan" names it."""
    for name, module in NAMES.items():
        if wing(name) == mine:
            questions = [documented for documented, word in openings(parsed(module)) if word in QUESTIONS]
            assert questions == [], name
