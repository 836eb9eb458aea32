"""What people read when a request fails: scenarios with words that must be said, and the whole text as snapshots."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import olmsolve
from olmsolve import CatalogError, Explanation, Unsatisfiable
from olmsolve.answers import explain as room
from olmsolve.answers.extensions import ExtensionChange
from olmsolve.render import explanation_text, json_schema
from tests.scenarios.notation import request_document
from tests.yaml_files import yaml_documents

SCENARIOS = yaml_documents(Path(__file__).parent / "scenarios.yaml")
SCHEMA = json_schema("olmsolve.explanation")


def explained(scenario: dict[str, Any]) -> Explanation:
    """Return the explanation of a scenario, which must fail."""
    request = olmsolve.read_request(request_document(scenario))
    known = olmsolve.read_request(request_document({"catalogs": scenario.get("known", {})}))
    assert isinstance(request, olmsolve.Request)
    assert isinstance(known, olmsolve.Request)
    with pytest.raises((Unsatisfiable, CatalogError)) as failed:
        olmsolve.resolve(request, semantics=scenario.get("semantics", "documented"))
    return olmsolve.explanation(failed.value, catalogs=known.sources)


def cases() -> list[Any]:
    return [pytest.param(scenario, id=scenario["name"]) for scenario in SCENARIOS]


@pytest.mark.parametrize("scenario", cases())
def test_scenario(scenario: dict[str, Any], snapshot: Callable[[str, str], None]) -> None:
    """The scenario's own sentence says why."""
    explanation = explained(scenario)
    text = " ".join(explanation_text(explanation, width=100).split())
    for words in scenario["says"]:
        assert words in text, scenario["why"]
    assert explanation.fixes is not None
    assert [str(fix) for fix in explanation.fixes] == scenario["fixes"], scenario["why"]
    snapshot(f"explanations/{scenario['name']}.txt", explanation_text(explanation, width=100))


@pytest.mark.parametrize("scenario", cases())
def test_json_is_of_the_published_schema(scenario: dict[str, Any]) -> None:
    """Programs are written against the schema."""
    document = json.loads(json.dumps(explained(scenario).to_dict()))
    jsonschema.Draft202012Validator(SCHEMA).validate(document)


def test_the_schema_knows_every_kind() -> None:
    """The schema must list every kind, or a validating reader would refuse it."""
    definitions = SCHEMA["$defs"]
    assert definitions["node"]["properties"]["kind"]["enum"] == [kind.value for kind in room.NodeKind]
    assert definitions["note"]["properties"]["kind"]["enum"] == [kind.value for kind in room.NoteKind]
    for name, changes in (("change", room.RequestChange.__args__), ("extensionChange", ExtensionChange.__args__)):
        kinds = [kind["properties"]["kind"]["const"] for kind in definitions[name]["anyOf"]]
        assert kinds == [kind.__name__ for kind in changes]
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
