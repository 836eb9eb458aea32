"""What a real API server takes of ClusterExtensions and ClusterCatalogs, and its words where it refuses.

A line of ``v1_admission.jsonl.gz`` is an object and the verdict of an API server with the standard feature set.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any, Final

import pytest

from olmsolve.cluster.extensions import admission_fault

_PATH: Final = Path(__file__).with_name("v1_admission.jsonl.gz")
RECORDED: Final[list[dict[str, Any]]] = [
    json.loads(line) for line in gzip.decompress(_PATH.read_bytes()).decode().splitlines()
]


@pytest.mark.parametrize("kind", ["ClusterExtension", "ClusterCatalog"])
def test_takes_and_refuses_as_recorded(kind: str) -> None:
    """Verdict and words, of 189 objects, most of them with a range of versions."""
    records = [record for record in RECORDED if record["object"]["kind"] == kind]
    assert len(records) > 20
    for record in records:
        assert admission_fault(record["object"]) == record["message"], record["case"]
        assert record["accepted"] == (not record["message"])
