"""The process behind second opinions, asked in this one: a line of answers for each line of questions.

The door asks it about rules that compile; what it says of others, only its own function tells.
"""

from __future__ import annotations

import io
import json
import sys
from typing import Any

import pytest

from olmsolve import cel
from olmsolve.cel import second_opinion

PROPERTIES: list[list[dict[str, Any]]] = [
    [],
    [{"type": "a", "value": None}, {"type": "b", "value": {"list": [1, True, 2.5, "x"], "none": None}}],
    [{"type": "version", "value": "1.2.0"}],
    [{"type": "version", "value": "none"}],
]
RULES = [
    "properties.exists(p, p.type == 'b' && p.value.list[0] == 1.0 && p.value.list[1] == true)",
    "properties.exists(p, p.type == 'b' && p.value.list[2] == 2.5 && p.value.list[3] == 'x')",
    "properties.all(p, p.type != 'a' || p.value == null)",
    "properties.exists(p, p.type == 'version' && semver_compare(p.value, '1.10.0') < 0)",
    "properties.exists(p, p.type == 'version' && semver_compare(p.value, '1.2') == 0)",
    "properties.size() > 0 && properties[0].type == 'version'",
]


def test_the_answers_are_those_of_our_evaluator(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every kind of JSON value has to arrive as OLM has it; a rule that fails here has no opinion or says no."""
    broken = ["properties[", "no_such_function(properties)", "properties.size()"]
    questions = [json.dumps({"rule": rule, "properties": PROPERTIES}) for rule in (*RULES, *broken)]
    answers = io.StringIO()
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join(questions) + "\n"))
    monkeypatch.setattr(sys, "stdout", answers)
    second_opinion.answer_questions()
    lines = [json.loads(line) for line in answers.getvalue().splitlines()]
    assert lines[len(RULES) :] == [[None] * len(PROPERTIES)] * len(broken)
    matches = 0
    for rule, given in zip(RULES, lines, strict=False):
        ours = [cel.compile(rule).matches(properties) for properties in PROPERTIES]
        assert [bool(answer) for answer in given] == ours, rule
        matches += sum(ours)
    assert matches >= len(RULES)
