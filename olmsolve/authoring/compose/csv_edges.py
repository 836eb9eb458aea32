"""The update edges in a bundle's own ClusterServiceVersion, where authors write them before there is a catalog."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from olmsolve.authoring.compose.editing import EntryEdges
from olmsolve.authoring.compose.refusals import refuse
from olmsolve.catalog import Bundle
from olmsolve.catalog.fbc import BUNDLE_OBJECT, object_manifest

_SKIP_RANGE: Final = "olm.skipRange"


def stated_edges(bundle: Bundle) -> EntryEdges:
    """Return the edges in the ClusterServiceVersion of *bundle*; a field that it does not state is None.

    The manifest is looked for among the properties ``olm.bundle.object``: ``spec.replaces``, ``spec.skips`` and the
    annotation ``olm.skipRange``. An ``olm.csv.metadata`` keeps the annotation alone.

    Raises:
        CatalogError: such a field has not its type.
    """
    for each in bundle.properties:
        if each.type == BUNDLE_OBJECT:
            manifest = object_manifest(each.value)
            if manifest is not None and manifest.get("kind") == "ClusterServiceVersion":
                spec, metadata = manifest.get("spec"), manifest.get("metadata")
                return _edges(bundle, spec, metadata.get("annotations") if isinstance(metadata, Mapping) else None)
    metadata = next((each.value for each in bundle.properties if each.type == "olm.csv.metadata"), None)
    return _edges(bundle, None, metadata.get("annotations") if isinstance(metadata, Mapping) else None)


def _edges(bundle: Bundle, spec: Any, annotations: Any) -> EntryEdges:
    spec = spec if isinstance(spec, Mapping) else {}
    annotations = annotations if isinstance(annotations, Mapping) else {}
    replaces, skips = spec.get("replaces") or None, spec.get("skips") or None
    skip_range = annotations.get(_SKIP_RANGE) or None
    texts = (("spec.replaces", replaces), (f"the annotation {_SKIP_RANGE}", skip_range))
    for field, value in texts:
        if value is not None and not isinstance(value, str):
            refuse(f"{field} of its ClusterServiceVersion must be text", package=bundle.package, bundle=bundle.name)
    if skips is not None and not (isinstance(skips, list) and all(isinstance(each, str) for each in skips)):
        reason = "spec.skips of its ClusterServiceVersion must be a list of texts"
        refuse(reason, package=bundle.package, bundle=bundle.name)
    return EntryEdges(replaces, skips, skip_range)
