"""Bundles of older catalogs brought up to date: manifests become the one property that newer catalogs keep of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from olmsolve.catalog import Origin
from olmsolve.catalog.fbc.bundle_objects import BUNDLE_OBJECT, object_manifest
from olmsolve.catalog.fbc.bundle_properties import Manifest, csv_metadata_property


def migrated(blob: Mapping[str, Any]) -> dict[str, Any]:
    """Return *blob*, if it is a bundle with one ``olm.csv.metadata`` in the place of its ``olm.bundle.object``.

    As ``opm render --migrate`` does: a bundle without an image keeps its manifests, which nothing else has; so does one
    that has an ``olm.csv.metadata`` already, and one without a ClusterServiceVersion.

    Raises:
        CatalogError: a field of the ClusterServiceVersion has not its type.
    """
    properties = blob.get("properties") or ()
    types = {each.get("type") for each in properties}
    if blob.get("schema") != "olm.bundle" or not blob.get("image") or "olm.csv.metadata" in types:
        return dict(blob)
    manifests = [object_manifest(each.get("value")) for each in properties if each.get("type") == BUNDLE_OBJECT]
    csvs = [each for each in manifests if each is not None and each.get("kind") == "ClusterServiceVersion"]
    if not csvs:
        return dict(blob)
    csv = Manifest(dict(csvs[0]), Origin(f"bundle {blob.get('name')}"))
    kept = [each for each in properties if each.get("type") != BUNDLE_OBJECT]
    return {**blob, "properties": [*kept, csv_metadata_property(csv)]}
