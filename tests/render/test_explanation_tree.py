"""Explanations on terminals: with rich a tree with guides that says what the plain text says, without it the text."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import olmsolve
from olmsolve import Explanation, explanation
from olmsolve.answers.explain import Conflict, Node, NodeKind, Unserved
from olmsolve.classic import Subscription, UnknownChannel
from olmsolve.cli import pages
from olmsolve.render import explanation_text
from tests.explain.requests import chain, failure_of, unreadable, wide
from tests.explain.test_many_conflicts import lacking
from tests.extensions.notation import answer, request
from tests.extensions.test_extension_questions import CHAIN

pytest.importorskip("rich", reason="needs the extra cli")

from olmsolve.render import explanation_rich

EXAMPLES = Path(olmsolve.__file__).parent / "examples"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def example() -> Explanation:
    try:
        olmsolve.resolve(olmsolve.read_request(EXAMPLES / "unsatisfiable.yaml"))
    except olmsolve.Unsatisfiable as failure:
        return explanation(failure)
    raise AssertionError("the example has no plan")


def words_of(text: str) -> list[str]:
    """The words of *text*, whatever stands between them."""
    return re.findall(r"[\w.<>=/\[\]]+", re.sub(r"[│├└─]|\x1b\[[0-9;]*m", " ", text))


def _extension(version: str) -> Explanation:
    """The explanation of an extension's answer: it is pinned, or nothing is left for it."""
    return explanation(answer(request(CHAIN, installed="1.1.0", version=version)))


FORMS: dict[str, Callable[[], Explanation]] = {
    "one conflict": example,
    "several conflicts": lambda: explanation(failure_of(lacking(3))),
    "too few tries": lambda: explanation(failure_of(lacking(3)), tries=2),
    "no fixes wanted": lambda: explanation(failure_of(lacking(2)), fixes=0),
    "a deep chain": lambda: explanation(failure_of(chain(20))),
    "a wide tree": lambda: explanation(failure_of(wide(30))),
    "catalogs that cannot be read": lambda: explanation(failure_of(unreadable("referenced"))),
    "an extension without a bundle": lambda: _extension("9.x"),
    "an extension that is held back": lambda: _extension("1.1.0"),
}


@pytest.mark.parametrize("form", FORMS)
def test_the_tree_says_what_the_text_says(form: str) -> None:
    """Two forms of one answer must not drift apart."""
    explanation = FORMS[form]()
    assert words_of(explanation_rich(explanation, width=90, colour=False)) == words_of(
        explanation_text(explanation, width=90)
    )


@pytest.mark.parametrize("width", [40, 80, 120])
def test_it_keeps_to_the_width(width: int) -> None:
    """Wrapped by the terminal, guides point nowhere."""
    assert max(map(len, explanation_rich(example(), width=width, colour=False).split("\n"))) <= width


def test_colour_only_where_it_is_wanted() -> None:
    """NO_COLOR holds for rich as well."""
    explanation = example()
    assert "\x1b[" not in explanation_rich(explanation, width=80, colour=False)
    assert "\x1b[" in explanation_rich(explanation, width=80, colour=True)


def test_names_are_not_markup() -> None:
    """rich reads [bold] in what it is given as text; catalogs are written by strangers."""
    node = Node(1, NodeKind.UNKNOWN, UnknownChannel(Subscription("[bold]x[/]", "n", "p", "\x1b[31mnothing"), ()))
    text = explanation_rich(Explanation((Conflict(Unserved(("[red]y",), ()), (1,), (node,)),)), width=80, colour=True)
    assert "[bold]x[/] names channel \\x1b[31mnothing" in text
    assert "[red]y" in text


def test_terminals_get_the_tree_and_pipes_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """And without rich, terminals get the text as well."""
    explanation = example()
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert "└── " not in pages.on_terminal(explanation)
    monkeypatch.setattr(sys, "stdout", Terminal())
    assert "└── " in pages.on_terminal(explanation)
    monkeypatch.delitem(sys.modules, "olmsolve.render.explanation_tree")
    monkeypatch.setitem(sys.modules, "rich.tree", None)
    assert "└── " not in pages.on_terminal(explanation)


def test_the_door_is_whole_without_rich(monkeypatch: pytest.MonkeyPatch) -> None:
    """``from olmsolve.render import *`` must not end for those who need no terminal."""
    monkeypatch.delitem(sys.modules, "olmsolve.render.explanation_tree")
    monkeypatch.setitem(sys.modules, "rich.tree", None)
    scope: dict[str, object] = {}
    exec("from olmsolve.render import *", scope)  # noqa: S102 - a star import is no statement inside a function
    assert {"explanation_rich", "explanation_text"} <= set(scope)
