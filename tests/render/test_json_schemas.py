"""The JSON Schemas as such: valid, whole, strict, and with every kind that the code knows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Any, Final

import jsonschema
import pytest

import olmsolve
from olmsolve import cluster, v1
from olmsolve._reader import SITE
from olmsolve._record_reading import kinds_of
from olmsolve.answers.auditing import AuditFinding
from olmsolve.answers.extensions import ExtensionVerdict
from olmsolve.answers.held_back import ObstacleKind
from olmsolve.answers.questions import WhyNotVerdict
from olmsolve.authoring.checks import Severity
from olmsolve.classic import Reason, UnsatisfiableTogether
from olmsolve.lifecycle import MigrationRemark
from olmsolve.lifecycle.planning import PlanWillFail
from olmsolve.lifecycle.simulation import Circle, Ending, NamespaceUnresolved
from olmsolve.render import json_schema, json_schema_names, json_schema_title
from olmsolve.render.json_schemas import COMMANDS, _definitions, schema_path

# What Kubernetes objects and catalogs hold is theirs: these definitions leave fields open.
OPEN: Final = {"clusterExtensionObject", "subscriptionObject", "blob", "olmsolve.v1.request"}


def parts(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield *schema* and every schema inside it."""
    if isinstance(schema, dict):
        yield schema
        for key, value in schema.items():
            inside = value.values() if key in ("properties", "$defs") else [value]
            for part in inside:
                yield from parts(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from parts(part)


@cache
def _check_schema(text: str) -> None:
    """Check a schema without its definitions, once: most documents share theirs."""
    jsonschema.Draft202012Validator.check_schema(json.loads(text))


@pytest.mark.parametrize("name", json_schema_names())
def test_every_field_says_what_it_means(name: str) -> None:
    """The reference is made of the schemas: a row without a meaning is a question that nobody answers."""
    fields = [field for part in parts(json_schema(name)) for field in part.get("properties", {}).items()]
    assert [field for field, about in fields if isinstance(about, dict) and not about.get("description")] == []
    descriptions = [about["description"] for _, about in fields if isinstance(about, dict)]
    assert [text for text in descriptions if not text.endswith((".", ")"))] == []


@pytest.mark.parametrize("name", json_schema_names())
def test_a_schema_is_valid_and_stands_alone(name: str) -> None:
    """Other programs get one document, which must have everything that it refers to."""
    schema = json_schema(name)
    _check_schema(json.dumps({key: value for key, value in schema.items() if key != "$defs"}))
    for definition in schema.get("$defs", {}).values():
        _check_schema(json.dumps(definition))
    assert json_schema_title(name) == schema["title"] != ""
    # The site publishes the file there (website/schemas.py).
    assert schema["$id"] == f"{SITE}{schema_path(name)}"
    references = {part["$ref"] for part in parts(schema) if "$ref" in part}
    assert references == {f"#/$defs/{definition}" for definition in schema.get("$defs", ())}


def test_undocumented_fields_fail() -> None:
    """A field that no schema knows must not pass, so that none is added without its description."""
    for name, definition in _definitions().items():
        for part in parts(definition):
            if part.get("type") == "object" and name not in OPEN:
                assert "additionalProperties" in part, (name, part)
                assert set(part.get("required", ())) <= part.get("properties", {}).keys(), name


def test_a_definition_stands_in_one_file() -> None:
    """Two would drift apart, and the later file would win."""
    folder = resources.files("olmsolve.render").joinpath("schemas")
    files = [path for path in folder.iterdir() if path.name.endswith(".json")]
    texts = [file.read_text("utf-8") for file in files]
    assert sum(text.count('\n  "') for text in texts) == len(_definitions())


def test_no_definition_is_idle() -> None:
    """What no document uses describes nothing."""
    used = {definition for name in json_schema_names() for definition in json_schema(name).get("$defs", ())}
    documents = {name for name in json_schema_names() if name not in COMMANDS}
    assert set(_definitions()) == used | documents


def kinds(name: str) -> list[str]:
    """The kinds of a definition that has one alternative for each."""
    kind_names = []
    for alternative in _definitions()[name]["anyOf"]:
        part = _definitions()[alternative["$ref"].removeprefix("#/$defs/")] if "$ref" in alternative else alternative
        kind_names.append(part["properties"]["kind"]["const"])
    return kind_names


def property_of(name: str, field: str) -> list[str]:
    enum: list[str] = _definitions()[name]["properties"][field]["enum"]
    return enum


def subclasses(kind: type[Any]) -> Iterator[type[Any]]:
    for subclass in kind.__subclasses__():
        yield subclass
        yield from subclasses(subclass)


def test_the_schemas_know_every_kind() -> None:
    """A validating reader would refuse a kind that the schema lacks."""
    # These load when a simulation is asked what is left, or a plan what becomes of it.
    assert issubclass(PlanWillFail, cluster.Hindrance)
    assert issubclass(NamespaceUnresolved, cluster.Hindrance)
    assert issubclass(Circle, cluster.Hindrance)
    assert set(kinds("hindrance")) == {subclass.kind for subclass in subclasses(cluster.Hindrance)}
    # A module with reasons of its own, which loads when its failure is named.
    assert issubclass(UnsatisfiableTogether, olmsolve.ResolutionFailure)
    # Answers have further reasons, which are in no core.
    reasons = {
        subclass.__name__ for subclass in subclasses(Reason) if subclass.__module__.startswith("olmsolve.classic.")
    }
    assert set(_definitions()["constraint-kind"]["enum"]) == reasons
    assert _definitions()["obstacle-kind"]["enum"] == [kind.value for kind in ObstacleKind]
    assert _definitions()["extensionObstacleKind"]["enum"] == [kind.value for kind in v1.HeldBackBy]
    assert kinds("planReason") == list(dict.fromkeys(subclass.kind for subclass in subclasses(v1.PlanReason)))
    named = (getattr(v1, name) for name in dir(v1))
    errors = {error for error in named if isinstance(error, type) and issubclass(error, v1.ResolutionError)}
    names = {error.__name__ for error in errors - {v1.ResolutionError, v1.InvalidWishError}}
    assert set(property_of("olmsolve.v1.failure", "kind")) == names
    assert property_of("olmsolve.why-not", "verdict") == [verdict.value for verdict in WhyNotVerdict]
    assert property_of("olmsolve.v1.why-not", "verdict") == [verdict.value for verdict in ExtensionVerdict]
    assert property_of("olmsolve.simulation", "ended") == [ending.value for ending in Ending]
    assert property_of("finding", "severity") == [severity.value for severity in Severity]
    entries = _definitions()["olmsolve.audit"]["properties"]["findings"]["items"]["anyOf"]
    assert [entry["properties"]["kind"]["const"] for entry in entries] == list(kinds_of(AuditFinding))
    remark = _definitions()["olmsolve.migration"]["properties"]["subscriptions"]["items"]["properties"]["remarks"]
    assert remark["items"]["properties"]["kind"]["enum"] == [kind.value for kind in MigrationRemark]
    difference = _definitions()["olmsolve.v1.differences"]["properties"]["differences"]["items"]["properties"]
    assert difference["because"]["enum"] == [kind.value for kind in v1.DifferenceKind]


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    """Nobody knows all names by heart."""
    with pytest.raises(olmsolve.RequestError, match=r"did you mean olmsolve\.request\?"):
        json_schema("request")
    with pytest.raises(olmsolve.RequestError, match="json_schema_names\\(\\) has all"):
        json_schema("banana")
