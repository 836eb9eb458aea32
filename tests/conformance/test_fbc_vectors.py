"""What ``opm validate`` (operator-registry 1.73.0) loads and refuses, as far as reading a catalog decides it.

Its later stage, the checks on the model, belongs to validation and is not tested here.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from olmsolve.catalog import Catalog
from olmsolve.catalog.fbc import load
from olmsolve.errors import CatalogError
from tests.scale import grouped

VECTORS: Final = Path(__file__).parent / "opm_validate.jsonl.gz"

DIFFERENT: Final = {
    # opm refuses what these hold; loading keeps it, and judging it is left to validation.
    "icon-bad-b64": "the content of an icon",
    "icon-b64-nopad": "the content of an icon",
    "icon-b64-urlsafe": "the content of an icon",
    "icon-number": "the content of an icon",
    "property-bundleobj-notb64": "the content of a property",
    "property-bundleobj-badyaml": "the content of a property",
    "property-bundleobj-string": "the content of a property",
    # opm accepts these; loading a catalog for a request does not.
    "empty-file": "no catalog at all is more likely a wrong path",
    "empty-dir": "no catalog at all is more likely a wrong path",
    "indexignore-catalog-ignored": "no catalog at all is more likely a wrong path",
}


@cache
def vectors() -> dict[str, dict[str, Any]]:
    with gzip.open(VECTORS, "rt", encoding="utf-8") as lines:
        return {vector["name"]: vector for vector in map(json.loads, lines)}


ALIKE: Final = grouped([vector for name, vector in vectors().items() if name not in DIFFERENT], 30)


def loaded(vector: dict[str, Any], root: Path) -> Catalog | None:
    root.mkdir(exist_ok=True)
    for name, text in vector["files"].items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
    try:
        return load(root)
    except CatalogError:
        return None


def test_there_are_as_many_vectors_as_recorded() -> None:
    """A truncated file must not pass as full agreement."""
    assert len(vectors()) == 250


@pytest.mark.parametrize("group", ALIKE.values(), ids=ALIKE)
def test_reads_what_opm_reads(group: Sequence[dict[str, Any]], tmp_path: Path) -> None:
    """What opm cannot load is refused; what it accepts is loaded whole and in its order."""
    for number, vector in enumerate(group):
        catalog = loaded(vector, tmp_path / str(number))
        if vector.get("stage") == "load":
            assert catalog is None, vector["name"]
        elif vector["ok"]:
            assert catalog is not None, vector["name"]
            _compare(catalog, vector["loaded"])


def _compare(catalog: Catalog, expected: dict[str, Any]) -> None:
    """Assert that *catalog* holds what was loaded of a vector."""
    assert sorted(package.name for package in catalog if package.origin) == sorted(expected["packages"])
    channels = sorted([package.name, name] for package in catalog for name in package.channels)
    assert channels == sorted(expected["channels"])
    bundles = sorted([package.name, name] for package in catalog for name in package.bundles)
    assert bundles == sorted(expected["bundles"])
    assert [blob.schema for blob in catalog.others] == [blob["schema"] for blob in expected["others"]]
    for ours, theirs in zip(catalog.others, expected["others"], strict=True):
        # The recording holds numbers as doubles.
        assert json.loads(json.dumps(ours.value), parse_int=float) == json.loads(
            json.dumps(theirs["blob"]), parse_int=float
        )


@pytest.mark.parametrize("name", DIFFERENT)
def test_differences_are_still_differences(name: str, tmp_path: Path) -> None:
    """The list of exceptions must not outlive its reasons."""
    vector = vectors()[name]
    assert (loaded(vector, tmp_path) is None) == vector["ok"], DIFFERENT[name]
