"""Stand-ins for the objects of bundles that only an image holds.

The catalog has the properties of such a bundle, and perhaps ``olm.csv.metadata``: its operator is made from them, and
its APIs become CustomResourceDefinitions of the versions that it provides, without schemas.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from olmsolve._limits import checked
from olmsolve._records import evolve
from olmsolve.catalog import Catalog
from olmsolve.catalog.fbc import BUNDLE_OBJECT, object_manifest
from olmsolve.catalog.index import index_of
from olmsolve.cluster import PROPERTIES_ANNOTATION, annotation_to_properties, bundle_csv
from olmsolve.cluster.install_plans import removed_in
from olmsolve.cluster.objects import (
    BundleLookup,
    ClusterServiceVersion,
    CrdDescription,
    CrdVersion,
    CustomResourceDefinition,
    InstallPlan,
    Metadata,
    Step,
)
from olmsolve.cluster.operator_groups import EVERY_MODE
from olmsolve.errors import CatalogError, ManifestError
from olmsolve.predicates import GVK, Property, published
from olmsolve.semver import Version, reading_by


def step_manifest(step: Step) -> dict[str, Any]:
    """Return the manifest of *step* as data. Raises ManifestError where it is not a JSON object."""
    try:
        manifest = json.loads(step.manifest)
    except (ValueError, RecursionError):
        raise ManifestError("is not JSON", kind=step.kind, object=step.name, field="manifest") from None
    if not isinstance(manifest, dict):
        raise ManifestError("must be an object", kind=step.kind, object=step.name, field="manifest")
    return manifest


def lookups_of(plan: InstallPlan) -> Iterator[BundleLookup]:
    """Yield the bundles of *plan* whose manifests it does not hold: still packed, or unpacked into a ConfigMap.

    Once OLM has unpacked a bundle, the manifest of each step is a reference to the ConfigMap, which also names the
    catalog, the operator that is replaced, and the properties.
    """
    yield from plan.bundle_lookups
    present = {lookup.identifier for lookup in plan.bundle_lookups}
    for step in checked(plan.steps, every=8):
        # The lookup of a bundle stays in the plan once its steps are there: it is one bundle, and not two.
        if step.kind != ClusterServiceVersion.KIND or step.name in present:
            continue
        manifest = step_manifest(step)
        if is_reference(manifest):
            yield BundleLookup(
                step.name,
                path="",
                replaces=str(manifest.get("replaces") or ""),
                source=str(manifest.get("catalogSourceName") or step.source),
                source_namespace=str(manifest.get("catalogSourceNamespace") or step.source_namespace),
                properties=str(manifest.get("properties") or ""),
            )


def is_reference(manifest: Mapping[str, Any]) -> bool:
    """Return whether the *manifest* of a step names the ConfigMap with the object, instead of being the object."""
    return manifest.get("kind") == "ConfigMap" and "metadata" not in manifest


def refuse_removed(version: str, kind: str, name: str, kubernetes: Version | None) -> None:
    """Raise ManifestError where *kubernetes* no longer serves *kind* in the API *version*: OLM cannot create it."""
    removed = removed_in(version, kind)
    if removed is not None and kubernetes is not None and kubernetes >= removed:
        reason = f"Kubernetes {removed.major}.{removed.minor} and later do not serve {version} {kind}"
        raise ManifestError(reason, kind=kind, object=name)


def _refuse_removed_objects(properties: Iterable[Property], are_definitions: bool, kubernetes: Version | None) -> None:
    """Raise ManifestError where *kubernetes* no longer serves a manifest in the *properties* of a bundle.

    OLM comes to definitions before it comes to other objects.
    """
    for property_ in properties if kubernetes is not None else ():
        manifest = object_manifest(property_.value) if property_.type == BUNDLE_OBJECT else None
        kind = str(manifest.get("kind")) if manifest is not None else ""
        if manifest is not None and (kind == CustomResourceDefinition.KIND) == are_definitions:
            about = manifest.get("metadata")
            name = str(about.get("name") or "") if isinstance(about, Mapping) else ""
            refuse_removed(str(manifest.get("apiVersion")), kind, name, kubernetes)


def stand_ins(
    lookup: BundleLookup,
    namespace: str,
    content: Catalog | CatalogError | None,
    crds: Sequence[CustomResourceDefinition],
    kubernetes: Version | None,
) -> Iterator[ClusterServiceVersion | CustomResourceDefinition]:
    """Yield the operator in *namespace* and the definitions that stand in for the objects of the bundle of *lookup*.

    *content* is what its catalog contains, and *crds* are the definitions of the cluster.

    Raises:
        ManifestError: *kubernetes* no longer serves an object of the bundle.
    """
    annotation = lookup.properties or "{}"
    properties = tuple(property_.property for property_ in annotation_to_properties(annotation))
    with reading_by(content.scheme if isinstance(content, Catalog) else None):
        facts = published("", properties)
    stated = _properties_of(lookup, (package for package, _ in facts.packages), content)
    csv = bundle_csv(lookup.identifier, properties if stated is None else stated)
    if csv is None:
        owned = tuple(CrdDescription(_crd_name(gvk, crds), gvk.version, gvk.kind) for gvk in facts.gvks)
        # Its requirements do not matter: an API that no definition serves may come from an API server.
        metadata = Metadata(lookup.identifier)
        csv = ClusterServiceVersion(metadata=metadata, owned_crds=owned, install_modes=EVERY_MODE)
    annotations = {**csv.metadata.annotations, PROPERTIES_ANNOTATION: annotation}
    new = as_new(
        evolve(
            csv,
            metadata=Metadata(lookup.identifier, namespace, labels=csv.metadata.labels, annotations=annotations),
            version=csv.version or str(facts.version or ""),
            replaces=lookup.replaces,
        )
    )
    yield new
    _refuse_removed_objects(stated or (), are_definitions=True, kubernetes=kubernetes)
    services = {(service.group, service.kind) for service in csv.owned_api_services}
    gvks = [gvk for gvk in facts.gvks if (gvk.group, gvk.kind) not in services]
    yield from _crds(gvks, csv, crds)
    _refuse_removed_objects(stated or (), are_definitions=False, kubernetes=kubernetes)


def as_new(csv: ClusterServiceVersion) -> ClusterServiceVersion:
    """Return *csv* without a status, as OLM creates it."""
    return evolve(csv, phase="", reason="", message="", conditions=())


def _properties_of(
    lookup: BundleLookup, likely_packages: Iterable[str], content: Catalog | CatalogError | None
) -> Sequence[Property] | None:
    """Return the properties of the bundle of *lookup*, None where *content* lacks it.

    *likely_packages* come first. An index has them, and its catalog's packages stay unread.
    """
    if not isinstance(content, Catalog):
        return None
    name, packages = lookup.identifier, content.packages
    if getattr(packages, "is_read", True):
        near = (packages[package] for package in likely_packages if package in packages)
        bundles = (package.bundles[name] for package in (*near, *packages.values()) if name in package.bundles)
        bundle = next(bundles, None)
        return None if bundle is None else bundle.properties
    index = index_of(content)
    for package in dict.fromkeys((*(name for name in likely_packages if name in index), *index.package_names())):
        for channel in index.channel_names(package):
            for slot in index.named(index.channel(package, channel).all, name):
                return index.published(slot).properties
    return None


def _crd_name(gvk: GVK, crds: Sequence[CustomResourceDefinition]) -> str:
    """Return the name of the CRD for *gvk*: the cluster's, or else a guess from how plurals usually look."""
    present = next((crd.name for crd in crds if (crd.group, crd.resource_kind) == (gvk.group, gvk.kind)), "")
    return present or f"{gvk.kind.lower()}s.{gvk.group}"


def _crds(
    gvks: Sequence[GVK], csv: ClusterServiceVersion, crds: Sequence[CustomResourceDefinition]
) -> Iterator[CustomResourceDefinition]:
    crd_names = {(crd.name.partition(".")[2], crd.kind): crd.name for crd in csv.owned_crds}
    versions: dict[tuple[str, str], list[str]] = {}
    for gvk in gvks:
        versions.setdefault((gvk.group, gvk.kind), []).append(gvk.version)
    for (group, kind), names in versions.items():
        name = crd_names.get((group, kind)) or _crd_name(GVK(group, "", kind), crds)
        yield CustomResourceDefinition(
            metadata=Metadata(name),
            group=group,
            resource_kind=kind,
            plural=name.partition(".")[0],
            versions=tuple(CrdVersion(name, served=True, storage=False) for name in sorted(names)),
        )
