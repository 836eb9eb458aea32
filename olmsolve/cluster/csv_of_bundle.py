"""The operator that a bundle would put on a cluster, as far as its properties tell.

A catalog keeps it in ``olm.csv.metadata`` (what people and checks need of it), or whole in an ``olm.bundle.object``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from olmsolve.catalog.fbc import object_manifest
from olmsolve.cluster.objects import OLM_API_VERSION, ClusterServiceVersion, read_manifest
from olmsolve.predicates import Property

__all__ = ["bundle_csv"]

_METADATA: Final = "olm.csv.metadata"
_OBJECT: Final = "olm.bundle.object"


def bundle_csv(name: str, properties: Iterable[Property]) -> ClusterServiceVersion | None:
    """The ClusterServiceVersion of the bundle *name*; None where its *properties* do not tell.

    One made from ``olm.csv.metadata`` has what that holds: install modes, APIs, annotations, the least version of
    Kubernetes. An ``olm.bundle.object`` that is not JSON is passed over.

    Raises:
        ManifestError: a field has a value of the wrong type.
    """
    objects: list[Property] = []
    for item in properties:
        if item.type == _OBJECT:
            objects.append(item)
        elif item.type == _METADATA:
            # A value is decoded each time that it is asked for, and these are large.
            metadata = item.value
            if isinstance(metadata, Mapping):
                return _read(_manifest(name, metadata))
    for item in objects:
        manifest = object_manifest(item.value)
        if manifest is not None and manifest.get("kind") == ClusterServiceVersion.KIND:
            return _read(_placed(manifest, name))
    return None


def _read(manifest: Mapping[str, Any]) -> ClusterServiceVersion | None:
    return next((item for item in read_manifest(manifest) if isinstance(item, ClusterServiceVersion)), None)


def _manifest(name: str, metadata: Mapping[str, Any]) -> dict[str, Any]:
    spec = {
        "customresourcedefinitions": metadata.get("crdDescriptions"),
        "apiservicedefinitions": metadata.get("apiServiceDefinitions"),
    }
    spec |= {field: metadata.get(field) for field in ("installModes", "minKubeVersion", "displayName")}
    about = {"annotations": metadata.get("annotations"), "labels": metadata.get("labels")}
    return _placed({"apiVersion": OLM_API_VERSION, "metadata": about, "spec": spec}, name)


def _placed(manifest: Mapping[str, Any], name: str) -> dict[str, Any]:
    """*manifest* as an object that could be on a cluster; it is in no namespace yet."""
    metadata = manifest.get("metadata")
    about = metadata if isinstance(metadata, Mapping) else {}
    return {
        **manifest,
        "kind": ClusterServiceVersion.KIND,
        "metadata": {**about, "name": about.get("name") or name, "namespace": about.get("namespace") or "-"},
    }
