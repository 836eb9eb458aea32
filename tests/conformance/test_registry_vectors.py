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


def comparable(answer: Any) -> Any:
    """The answer with JSON texts as values: ``opm`` writes the fields of a ClusterServiceVersion in Go's order."""
    if isinstance(answer, list):
        return [comparable(item) for item in answer]
    if isinstance(answer, dict):
        return {
            key: [json.loads(text) for text in ([value] if isinstance(value, str) else value)]
            if key in ("csvJson", "object")
            else comparable(value)
            for key, value in answer.items()
        }
    return answer


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
    for question in record["asked"]:
        answer = comparable(ours(registry, *question["ask"]))
        assert answer in [comparable(recorded) for recorded in question["answers"]], question["ask"]


def test_texts_of_properties_are_opms_to_the_letter() -> None:
    """OLM copies them into annotations, and compares them there as texts."""
    for record in RECORDS:
        for question in record.get("asked", ()):
            if question["ask"][0] in ("GetBundle", "ListBundles") and "answer" in question["answers"][0]:
                answer = ours(Registry(from_blobs(record["blobs"])), *question["ask"])["answer"]
                assert json.dumps(_properties(answer)) == json.dumps(_properties(question["answers"][0]["answer"]))


def _properties(answer: Any) -> list[Any]:
    return [
        [one.get("properties"), one.get("dependencies")] for one in (answer if isinstance(answer, list) else [answer])
    ]
