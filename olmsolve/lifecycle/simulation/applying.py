"""Install plans carried out: the objects of their steps, and what is known of bundles that only an image holds.

A bundle whose manifests are in the plan becomes just these. Of another, the catalog tells the properties, and perhaps
(``olm.csv.metadata``) more: its operator is made of that. Its APIs appear as CustomResourceDefinitions of the versions
that it provides, without schemas. Objects of other kinds, such as rights, change nothing that is simulated.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import attrs

from olmsolve.catalog import Bundle, Catalog
from olmsolve.cluster import PROPERTIES_ANNOTATION, ClusterState, ProjectionError, annotation_to_properties, bundle_csv
from olmsolve.cluster.crds import missing_stored_version, missing_version_message
from olmsolve.cluster.install_plans import transition
from olmsolve.cluster.objects import (
    BundleLookup,
    ClusterObject,
    ClusterServiceVersion,
    CrdDescription,
    CrdVersion,
    CustomResourceDefinition,
    InstallPlan,
    Metadata,
    Step,
    SubscriptionObject,
    read_manifest,
)
from olmsolve.errors import CatalogError, ManifestError
from olmsolve.lifecycle.simulation.operators import ALL_MODES
from olmsolve.predicates import GVK, published

__all__ = ["carried_out"]

_KEPT: Final = (ClusterServiceVersion, CustomResourceDefinition, SubscriptionObject)


def carried_out(
    plan: InstallPlan, state: ClusterState, contents: Mapping[str, Catalog | CatalogError]
) -> tuple[ClusterState, InstallPlan]:
    """*state* with what the approved *plan* brings, and the plan as it is then: complete, or failed with a message.

    A plan that fails brings nothing at all.
    """
    try:
        found = [*_of_steps(plan, state), *_of_lookups(plan, state, contents)]
        objects = [_upgraded(item, state) if isinstance(item, CustomResourceDefinition) else item for item in found]
    except (ManifestError, ProjectionError) as error:
        refused = transition(plan, now=plan.start_time, error=str(error), elapsed=1.0, timeout=0.0)
        return state.having(refused), refused
    done = transition(
        attrs.evolve(plan, steps=tuple(attrs.evolve(step, status="Created") for step in plan.steps)),
        now=plan.start_time,
    )
    return state.having(*objects, done), done


def _of_steps(plan: InstallPlan, state: ClusterState) -> Iterator[ClusterObject]:
    for step in plan.steps:
        for item in _read(step):
            if not isinstance(item, _KEPT):
                continue
            if item.NAMESPACED and item.namespace != plan.namespace:
                item = attrs.evolve(item, metadata=attrs.evolve(item.metadata, namespace=plan.namespace))
            if item.NAMESPACED and state.get(type(item), plan.namespace, item.name) is not None:
                # OLM leaves what is there as it is, but for annotations.
                continue
            if isinstance(item, ClusterServiceVersion):
                item = _new(item)
            elif isinstance(item, SubscriptionObject):
                item = _generated(item, plan)
            yield item


def _generated(subscription: SubscriptionObject, plan: InstallPlan) -> SubscriptionObject:
    """A *subscription* that the *plan* brought: it waits for that plan, and for the bundle that it starts with."""
    return attrs.evolve(
        subscription,
        current_csv=subscription.starting_csv,
        state="UpgradePending",
        install_plan=plan.name,
        install_plan_generation=plan.spec_generation,
    )


def _read(step: Step) -> Iterator[ClusterObject]:
    try:
        manifest = json.loads(step.manifest)
    except (ValueError, RecursionError):
        raise ManifestError("is no JSON", kind=step.kind, object=step.name, field="manifest") from None
    if not isinstance(manifest, dict):
        raise ManifestError("must be an object", kind=step.kind, object=step.name, field="manifest")
    # A generated subscription is written without saying what it is.
    version = f"{step.group}/{step.version}" if step.group else step.version
    about = manifest.get("metadata")
    placed = {"namespace": "-", **about} if isinstance(about, dict) else about
    yield from read_manifest({"apiVersion": version, "kind": step.kind, **manifest, "metadata": placed})


def _of_lookups(
    plan: InstallPlan, state: ClusterState, contents: Mapping[str, Catalog | CatalogError]
) -> Iterator[ClusterObject]:
    for lookup in plan.bundle_lookups:
        if not lookup.identifier or state.get(ClusterServiceVersion, plan.namespace, lookup.identifier) is not None:
            continue
        bundle = _bundle(lookup, contents.get(f"{lookup.source_namespace}/{lookup.source}"))
        annotation = lookup.properties or "{}"
        properties = tuple(item.property for item in annotation_to_properties(annotation))
        facts = published("", properties)
        crds = state.all(CustomResourceDefinition)
        csv = bundle_csv(lookup.identifier, bundle.properties if bundle is not None else properties)
        if csv is None:
            owned = tuple(CrdDescription(_crd_name(gvk, crds), gvk.version, gvk.kind) for gvk in facts.gvks)
            csv = ClusterServiceVersion(metadata=Metadata(lookup.identifier), owned_crds=owned, install_modes=ALL_MODES)
        annotations = {**csv.metadata.annotations, PROPERTIES_ANNOTATION: annotation}
        yield _new(
            attrs.evolve(
                csv,
                metadata=Metadata(
                    lookup.identifier, plan.namespace, labels=csv.metadata.labels, annotations=annotations
                ),
                version=csv.version or str(facts.version or ""),
                replaces=lookup.replaces,
            )
        )
        services = {(service.group, service.kind) for service in csv.owned_api_services}
        yield from _crds([gvk for gvk in facts.gvks if (gvk.group, gvk.kind) not in services], csv, crds)


def _new(csv: ClusterServiceVersion) -> ClusterServiceVersion:
    return attrs.evolve(csv, phase="", reason="", message="", conditions=())


def _bundle(lookup: BundleLookup, content: Catalog | CatalogError | None) -> Bundle | None:
    if not isinstance(content, Catalog):
        return None
    packages = content.packages.values()
    return next((p.bundles[lookup.identifier] for p in packages if lookup.identifier in p.bundles), None)


def _crd_name(gvk: GVK, crds: Sequence[CustomResourceDefinition]) -> str:
    """The name of the definition of *gvk*: as the cluster has it, else made up as plurals usually are."""
    known = next((crd.name for crd in crds if (crd.group, crd.resource_kind) == (gvk.group, gvk.kind)), "")
    return known or f"{gvk.kind.lower()}s.{gvk.group}"


def _crds(
    gvks: Sequence[GVK], csv: ClusterServiceVersion, crds: Sequence[CustomResourceDefinition]
) -> Iterator[CustomResourceDefinition]:
    said = {(crd.name.partition(".")[2], crd.kind): crd.name for crd in csv.owned_crds}
    versions: dict[tuple[str, str], list[str]] = {}
    for gvk in gvks:
        versions.setdefault((gvk.group, gvk.kind), []).append(gvk.version)
    for (group, kind), names in versions.items():
        name = said.get((group, kind)) or _crd_name(GVK(group, "", kind), crds)
        yield CustomResourceDefinition(
            metadata=Metadata(name),
            group=group,
            resource_kind=kind,
            plural=name.partition(".")[0],
            versions=tuple(CrdVersion(each, served=True, storage=False) for each in sorted(names)),
        )


def _upgraded(new: CustomResourceDefinition, state: ClusterState) -> CustomResourceDefinition:
    """*new* as it is after it has taken the place of what is there.

    Raises:
        ManifestError: objects are stored in a version that it has no longer.
    """
    old = state.get(CustomResourceDefinition, "", new.name)
    if old is None:
        return new
    missing = missing_stored_version(old.stored_versions, (version.name for version in new.versions))
    if missing:
        raise ManifestError(missing_version_message(missing), kind=new.KIND, object=new.name)
    known = {version.name: version for version in old.versions}
    projected = not new.raw
    return attrs.evolve(
        new,
        metadata=old.metadata,
        scope=new.scope or old.scope,
        versions=tuple(known.get(each.name, each) if projected else each for each in new.versions),
        stored_versions=old.stored_versions,
    )
