"""The operator (CSV) that a bundle would put on a cluster, read from the bundle's properties.

A catalog keeps the parts that people and checks need in ``olm.csv.metadata``, or the whole CSV in an
``olm.bundle.object``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from olmsolve.catalog.fbc import BUNDLE_OBJECT, object_manifest
from olmsolve.cluster.objects import OLM_API_VERSION, ClusterServiceVersion, read_manifest
from olmsolve.predicates import Property

_METADATA: Final = "olm.csv.metadata"


def bundle_csv(name: str, properties: Iterable[Property]) -> ClusterServiceVersion | None:
    """Return the ClusterServiceVersion of the bundle *name*, None where its *properties* hold neither form of it.

    A CSV from ``olm.csv.metadata`` has install modes, APIs, annotations, labels, the display name and the least version
    of Kubernetes, and nothing else. An ``olm.bundle.object`` that is not JSON is passed over.

    Raises:
        ManifestError: a field has a value of the wrong type.
    """
    # olm.csv.metadata goes first wherever it stands: an olm.bundle.object has to be decoded to know what it holds.
    objects: list[Property] = []
    for published in properties:
        if published.type == BUNDLE_OBJECT:
            objects.append(published)
        elif published.type == _METADATA:
            # A value is decoded each time that it is read, and these are large: read it once.
            metadata = published.value
            if isinstance(metadata, Mapping):
                return _csv_in(_manifest(name, metadata))
    for published in objects:
        manifest = object_manifest(published.value)
        if manifest is not None and manifest.get("kind") == ClusterServiceVersion.KIND:
            return _csv_in(_placed(manifest, name))
    return None


def _csv_in(manifest: Mapping[str, Any]) -> ClusterServiceVersion | None:
    return next((made for made in read_manifest(manifest) if isinstance(made, ClusterServiceVersion)), None)


def _manifest(name: str, metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return the manifest of the CSV whose ``olm.csv.metadata`` is *metadata*."""
    spec = {
        "customresourcedefinitions": metadata.get("crdDescriptions"),
        "apiservicedefinitions": metadata.get("apiServiceDefinitions"),
    }
    spec |= {field: metadata.get(field) for field in ("installModes", "minKubeVersion", "displayName")}
    about = {"annotations": metadata.get("annotations"), "labels": metadata.get("labels")}
    return _placed({"apiVersion": OLM_API_VERSION, "metadata": about, "spec": spec}, name)


def _placed(manifest: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return *manifest* with a kind, a name and a namespace ("-": a bundle is not in a namespace yet)."""
    metadata = manifest.get("metadata")
    about = metadata if isinstance(metadata, Mapping) else {}
    return {
        **manifest,
        "kind": ClusterServiceVersion.KIND,
        "metadata": {**about, "name": about.get("name") or name, "namespace": about.get("namespace") or "-"},
    }
