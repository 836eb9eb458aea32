"""JSON documents, held to the schemas that ``olmsolve schema`` prints."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import jsonschema

from olmsolve.render import json_schema

__all__ = ["bundles_of", "faults"]


@cache
def _validator(name: str) -> jsonschema.Draft202012Validator:
    """The validator of one schema, compiled once."""
    return jsonschema.Draft202012Validator(json_schema(name))


def faults(name: str, document: Any) -> list[str]:
    """What in *document* the schema *name* refuses: of several alternatives, the one that comes nearest."""
    errors = _validator(name).iter_errors(document)
    return [f"{error.json_path}: {error.message[:500]}" for error in map(_nearest, errors)]


def _nearest(error: jsonschema.ValidationError) -> jsonschema.ValidationError:
    best = jsonschema.exceptions.best_match([error])
    return error if best is None else best


def bundles_of(answer: dict[str, Any]) -> Iterator[str]:
    """The bundles in an answer of ``resolve`` to one question."""
    if "bundle" in answer:
        yield answer["bundle"]
    yield from (bundle["name"] for bundle in (*answer.get("installs", ()), *answer.get("kept", ())))
