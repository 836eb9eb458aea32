"""The registry API as ``opm serve`` (operator-registry 1.73.0) answered it: thirteen small catalogs, every call.

A record has the blobs of a catalog and each call with the answers that were seen, or the message with which
``opm serve`` refused the catalog. The catalogs were made for this.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from olmsolve import CatalogError, from_blobs
from olmsolve.serving import NotServedError, Registry
from tests.recorded import VENDORED, Record, records
from tests.serving.registry_messages import answer

RECORDS = records(VENDORED / "opm_serve.jsonl.gz")


def comparable(found: Any) -> Any:
    """The answer with JSON texts as values: ``opm`` writes the fields of a ClusterServiceVersion in Go's order."""
    if isinstance(found, list):
        return [comparable(each) for each in found]
    if isinstance(found, dict):
        return {
            key: [json.loads(text) for text in ([value] if isinstance(value, str) else value)]
            if key in ("csvJson", "object")
            else comparable(value)
            for key, value in found.items()
        }
    return found


def ours(registry: Registry, call: str, *texts: str) -> dict[str, Any]:
    try:
        return {"answer": answer(call, registry.call(call, dict(enumerate(texts, 1))))}
    except NotServedError as error:
        return {"error": ["UNKNOWN", str(error)]}


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record["name"])
def test_calls_are_answered_as_recorded(record: Record) -> None:
    """OLM decides by these answers what there is to install: each field counts."""
    if "refused" in record:
        with pytest.raises(CatalogError, match=r"two properties olm\.csv\.metadata"):
            Registry(from_blobs(record["blobs"]))
        return
    registry = Registry(from_blobs(record["blobs"]))
    for each in record["asked"]:
        found = comparable(ours(registry, *each["ask"]))
        assert found in [comparable(recorded) for recorded in each["answers"]], each["ask"]


def test_texts_of_properties_are_opms_to_the_letter() -> None:
    """OLM copies them into annotations, and compares them there as texts."""
    for record in RECORDS:
        for each in record.get("asked", ()):
            if each["ask"][0] in ("GetBundle", "ListBundles") and "answer" in each["answers"][0]:
                found = ours(Registry(from_blobs(record["blobs"])), *each["ask"])["answer"]
                assert json.dumps(_properties(found)) == json.dumps(_properties(each["answers"][0]["answer"]))


def _properties(found: Any) -> list[Any]:
    return [[one.get("properties"), one.get("dependencies")] for one in (found if isinstance(found, list) else [found])]
