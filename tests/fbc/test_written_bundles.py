"""The quick ways for usual bundles: what they print and find is what the long ways print and find."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from olmsolve import Catalog, from_blobs, load
from olmsolve.authoring.checks.validation import blobs as checks
from olmsolve.catalog import Origin, list_of
from olmsolve.catalog.fbc import BundleWriter, Document, bundle_blob, laid_out, opm_json_text
from olmsolve.testing.synthetic import realistic_blobs

OWN = {"type": "olm.package", "value": {"packageName": "p", "version": "1.0.0"}}
USUAL: dict[str, Any] = {
    "schema": "olm.bundle",
    "name": "p.v1",
    "package": "p",
    "image": "q.io/p:1",
    "properties": [OWN],
}

# Each with whether opm's text can be put together of the properties' texts, and whether one look finds it usual.
BUNDLES: list[tuple[dict[str, Any], bool, bool]] = [
    (USUAL, True, True),
    ({**USUAL, "relatedImages": [{"name": "a", "image": "q.io/a:1"}, {"name": "", "image": "q.io/b:1"}]}, True, True),
    ({**USUAL, "relatedImages": []}, True, True),
    ({**USUAL, "relatedImages": [{"image": "q.io/a:1"}]}, False, False),
    ({**USUAL, "relatedImages": [{"name": "a", "image": ""}]}, True, False),
    ({**USUAL, "properties": [OWN, {"type": "x", "value": {"b": 1.0, "a": [1e-07, "\u2028<&>", {}, []]}}]}, True, True),
    ({**USUAL, "properties": [OWN, {"type": "x", "value": {"big": 2**63, "line": "a\nb", "é": None}}]}, True, True),
    ({**USUAL, "properties": [OWN, {"type": "x", "value": "text"}]}, True, True),
    ({**USUAL, "properties": [OWN, {"type": "x", "value": None}]}, True, False),
    ({**USUAL, "properties": [OWN, {"type": "olm.gvk", "value": {"group": "g", "verison": "v1"}}]}, True, False),
    ({**USUAL, "properties": [OWN, {"type": "x", "value": 1, "note": "n"}]}, False, False),
    ({**USUAL, "note": "n"}, False, False),
    ({**USUAL, "image": ""}, True, True),
    ({**USUAL, "name": 'p."v1"\u2029'}, True, True),
]


@pytest.mark.parametrize(("blob", "is_written", "_"), BUNDLES, ids=range(len(BUNDLES)))
def test_opms_text_of_a_bundle_is_the_same(blob: dict[str, Any], is_written: bool, _: bool) -> None:
    """Put together of the texts of its properties, or made of its blob: to the byte."""
    (bundle,) = from_blobs([json.loads(json.dumps(blob))]).packages["p"].bundles.values()
    written = BundleWriter().text_of(bundle)
    assert (written is not None) is is_written
    if written is not None:
        assert opm_json_text(written) == opm_json_text(laid_out(bundle_blob(bundle), manifests_last=True))
        assert written == {"schema": "olm.bundle", "name": bundle.name, "package": "p"}


def test_opms_text_of_a_whole_catalog_is_the_same(tmp_path: Path) -> None:
    """Catalogs shaped like real ones, whose versions share their properties; in a file they share the list too."""
    blobs = [*realistic_blobs(3)]
    (tmp_path / "catalog.jsonl").write_text("".join(f"{json.dumps(blob, separators=(',', ':'))}\n" for blob in blobs))
    shared, apart = load(tmp_path, index=False), from_blobs(blobs)
    assert _count_of_lists(shared) < _count_of_lists(apart) == _assert_written(apart) == _assert_written(shared)


def test_the_version_stands_in_the_text_of_a_list_that_bundles_share(tmp_path: Path) -> None:
    """Before and behind a manifest, and a property whose value looks the same; in a file long enough to share lists."""
    metadata = {"type": "olm.csv.metadata", "value": {"annotations": {"version": ""}}}
    lists: list[list[dict[str, Any]]] = [[], [metadata], [{"type": "x", "value": {"a": OWN, "packageName": "p"}}]]
    lines = [
        json.dumps(USUAL | {"name": f"p.v{first}.{version}", "properties": properties}, separators=(",", ":"))
        for first, (before, behind) in enumerate((one, other) for one in lists for other in lists)
        for version in range(50)
        for own in [{"type": "olm.package", "value": {"packageName": "p", "version": f"{first}.{version}.0"}}]
        for properties in [[*before, own, *behind]]
    ]
    (tmp_path / "catalog.jsonl").write_text("\n".join(lines))
    catalog = load(tmp_path, index=False)
    # A list with the own package's property inside of another one is read as a whole.
    assert _count_of_lists(catalog) < _assert_written(catalog) == 450


def _count_of_lists(catalog: Catalog) -> int:
    return len({id(list_of(bundle)) for package in catalog for bundle in package.bundles.values()})


def _assert_written(catalog: Catalog) -> int:
    """Assert that each bundle of *catalog* is written as its blob would be, and return how many there are."""
    writer = BundleWriter()
    bundles = [bundle for package in catalog for bundle in package.bundles.values()]
    for bundle in bundles:
        written = writer.text_of(bundle)
        assert written is not None
        assert opm_json_text(written) == opm_json_text(laid_out(bundle_blob(bundle), manifests_last=True))
    return len(bundles)


@pytest.mark.parametrize(("blob", "_", "is_usual"), BUNDLES, ids=range(len(BUNDLES)))
def test_one_look_finds_what_all_checks_find(
    blob: dict[str, Any], _: bool, is_usual: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bundle that is found usual has no finding, and is the same bundle for the checks of its package."""
    document = Document(blob, Origin("catalog.json", 1))
    quick = checks.checked_blob(document)
    assert checks._is_usual_bundle(blob) is is_usual
    monkeypatch.setattr(checks, "_is_usual_bundle", lambda _: False)
    assert quick == checks.checked_blob(document)
    assert not (is_usual and quick.findings)
