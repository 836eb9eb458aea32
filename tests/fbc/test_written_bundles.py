"""The quick ways for usual bundles: what they print and find is what the long ways print and find."""

from __future__ import annotations

import json
from typing import Any

import pytest

from olmsolve import from_blobs
from olmsolve.authoring.checks.validation import blobs as checks
from olmsolve.catalog import Origin
from olmsolve.catalog.fbc import Document, laid_out, opm_json_text, written_bundle
from olmsolve.catalog.fbc.to_blobs import bundle_blob
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
    written = written_bundle(bundle)
    assert (written is not None) is is_written
    if written is not None:
        assert opm_json_text(written) == opm_json_text(laid_out(bundle_blob(bundle), manifests_last=True))
        assert written == {"schema": "olm.bundle", "name": bundle.name, "package": "p"}


def test_opms_text_of_a_whole_catalog_is_the_same() -> None:
    """Catalogs shaped like real ones, whose versions share their properties."""
    count = 0
    for package in from_blobs(realistic_blobs(3)):
        for bundle in package.bundles.values():
            written = written_bundle(bundle)
            assert written is not None
            assert opm_json_text(written) == opm_json_text(laid_out(bundle_blob(bundle), manifests_last=True))
            count += 1
    assert count > 20


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
