"""The watch over messages: what counts as one, that producing it is noted, and that the ledger is exact."""

from __future__ import annotations

import ast
from types import SimpleNamespace
from typing import Any

import pytest

from tests.messages import LEDGER, ROOT, Message, is_message, ledger_of, strings_of, text_of
from tests.messages.noting import NOTED, all_messages, noting_code
from tests.messages.watching import is_whole, report

SOURCE = '''
"""A docstring is no message."""
TABLE = {"a": "a sentence in a table"}
CONSTANT = "a sentence of its own"
UNUSED = "a sentence for others"


def said(name: str, count: int) -> str:
    """Nor is this one."""
    assert name, "nor what assertions say"
    match name:
        case "two words":
            return "a name of two words"
    if not count:
        return CONSTANT
    if count > 1:
        return f"there are {count} of {name}{' and more of them' if count > 9 else ''}"
    return "there is" " one"
'''


def test_what_counts_as_a_message() -> None:
    """Sentences in functions and tables do; docstrings, patterns of a match and code do not."""
    texts = [(text_of(node), in_table) for node, in_table in strings_of(ast.parse(SOURCE))]
    assert sorted(texts) == [
        (" and more of them", False),
        ("a name of two words", False),
        ("a sentence for others", True),
        ("a sentence in a table", True),
        ("a sentence of its own", False),
        ("there are {} of {}{}", False),
        ("there is one", False),
    ]
    assert not is_message("SELECT name FROM table")
    assert not is_message("name")


def test_a_message_is_noted_when_it_is_evaluated(monkeypatch: pytest.MonkeyPatch) -> None:
    """The module does what it did, and each text that it makes is noted, no other."""
    noted: set[str] = set()
    monkeypatch.setattr("builtins.__olmsolve_note__", noted.add)
    names: dict[str, Any] = {}
    exec(noting_code(SOURCE.encode(), ROOT / "olmsolve" / "x.py")[0], names)  # noqa: S102 - the text above
    assert names["said"]("two words", 1) == "a name of two words"
    assert names["said"]("cats", 2) == "there are 2 of cats"
    assert noted == {"olmsolve/x.py: a name of two words", "olmsolve/x.py: there are {} of {}{}"}
    assert names["said"]("cats", 10) == "there are 10 of cats and more of them"
    assert names["said"]("cat", 1) == "there is one"
    assert names["said"]("cat", 0) == "a sentence of its own"
    assert noted == {f"olmsolve/x.py: {text_of(node)}" for node, table in strings_of(ast.parse(SOURCE)) if not table}


def test_this_run_notes_messages() -> None:
    """The modules that pytest's own plugin has imported before are noted too."""
    import olmsolve

    with pytest.raises(AttributeError, match="module 'olmsolve' has no attribute 'nothing'"):
        _ = olmsolve.nothing  # type: ignore[attr-defined]
    assert "olmsolve/_lazy.py: module {} has no attribute {}" in NOTED


def test_a_message_that_nothing_produced_is_reported() -> None:
    """By module and line; one in the ledger, or in a table, is not."""
    messages = [
        Message("olmsolve/a.py", (1, 0), "one thing", False),
        Message("olmsolve/a.py", (2, 0), "two things", False),
        Message("olmsolve/b.py", (3, 0), "three things", False),
        Message("olmsolve/b.py", (4, 0), "four things", True),
    ]
    assert report(messages, {messages[0].key}, ["three things"]) == ["olmsolve/a.py:2: 'two things'"]
    assert report(messages, set(), [], "olmsolve/b") == ["olmsolve/b.py:3: 'three things'"]


def test_the_ledger_is_exact() -> None:
    """Each entry is a message that still exists, is told once, and has a reason."""
    text = LEDGER.read_text("utf-8")
    entries = ledger_of(text)
    assert len(entries) == sum(not line.startswith("#") for line in text.splitlines())
    assert entries.keys() <= {message.text for message in all_messages()}
    assert all(len(reason.split()) > 3 for reason in entries.values())


def test_only_whole_runs_are_held_to_it() -> None:
    """A run of some tests produces some messages."""

    def config(*args: str, **options: Any) -> Any:
        where = SimpleNamespace(dir=ROOT)
        return SimpleNamespace(args=args, invocation_params=where, getoption=lambda name, _: options.get(name))

    assert is_whole(config("tests"))
    assert is_whole(config(str(ROOT / "tests")))
    assert not is_whole(config("tests/cli"))
    assert not is_whole(config("tests", keyword="semver"))
    assert not is_whole(config("tests", ignore=["tests/test_import_cost.py"]))
