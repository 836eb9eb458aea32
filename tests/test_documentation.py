"""Documents that are described: each field, kind and exit code stands in docs/documents.md, which programs rely on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import olmsolve
from olmsolve import cli
from olmsolve._records import members
from olmsolve.classic import CatalogDocument, Installed, RequestDocument, Subscription, WrittenPropertyValue, reasons

ROOT = Path(__file__).parent.parent
DOCUMENTS = (ROOT / "docs/documents.md").read_text("utf-8")


def keys(value: Any) -> Iterator[str]:
    """All names of fields in an answer."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from keys(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys(inner)


@pytest.mark.parametrize("example", ["install", "upgrade", "unsatisfiable"])
def test_every_field_of_an_answer_is_described(example: str) -> None:
    """Programs are written against docs/documents.md."""
    request = olmsolve.read_request(ROOT / f"olmsolve/examples/{example}.yaml")
    try:
        answer = olmsolve.resolve(request).to_dict()
    except olmsolve.Unsatisfiable as failure:
        answer = failure.to_dict()
    for key in set(keys(answer)):
        assert re.search(rf"`{{?{key}\b|\b{key}}}?`", DOCUMENTS), key
    assert f"`{answer['schema']}`" in DOCUMENTS


def test_every_field_of_a_request_is_described() -> None:
    """The reader and its description must not grow apart."""
    shapes = (RequestDocument, CatalogDocument, Installed, WrittenPropertyValue, Subscription)
    fields = {member.keys[0] for shape in shapes for member in members(shape)}
    assert [field for field in sorted(fields) if f"`{field}`" not in DOCUMENTS] == []


def test_every_kind_of_constraint_is_described() -> None:
    """Tools decide by kind what to show."""
    values = vars(reasons).values()
    kinds = {value.__name__ for value in values if isinstance(value, type) and issubclass(value, reasons.Reason)}
    assert len(kinds) > 10
    assert [kind for kind in sorted(kinds - {"Reason"}) if f"`{kind}`" not in DOCUMENTS] == []


def test_every_exit_code_is_described() -> None:
    """Scripts decide by exit code what to do."""
    table = DOCUMENTS.partition("## Exit codes")[2]
    assert [code for code in cli.Exit if not re.search(rf"\b{code.value}\b", table)] == []
