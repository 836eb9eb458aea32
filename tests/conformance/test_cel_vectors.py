"""Every recorded verdict of OLM's CEL environment (cel-go 0.29.2), on compiling and on evaluating."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from olmsolve.cel import compile as compile_rule
from olmsolve.errors import CompileError, EvaluationError
from tests.scale import grouped

VECTORS = Path(__file__).parent / "cel.jsonl.gz"


@cache
def vectors() -> list[dict[str, Any]]:
    with gzip.open(VECTORS, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def verdict(rule: str, properties: list[dict[str, Any]]) -> str:
    try:
        return str(compile_rule(rule).evaluate(properties))
    except CompileError:
        return "compile error"
    except EvaluationError:
        return "evaluation error"


def expected(vector: dict[str, Any]) -> str:
    if vector.get("compile_error"):
        return "compile error"
    if vector.get("eval_error"):
        return "evaluation error"
    return str(vector["result"])


def test_there_are_as_many_vectors_as_recorded() -> None:
    """A truncated file must not pass as full agreement."""
    assert len(vectors()) == 902


GROUPS = grouped(vectors())


@pytest.mark.parametrize("group", GROUPS.values(), ids=GROUPS)
def test_recorded_verdict(group: Sequence[dict[str, Any]]) -> None:
    """A rule that we read differently from OLM would give a confident wrong plan."""
    for vector in group:
        assert verdict(vector["rule"], vector.get("properties") or []) == expected(vector), vector["rule"]
