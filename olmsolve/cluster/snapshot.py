"""The installed operators of a namespace as a resolution sees them; and the operator that a bundle would put there.

As recorded: the APIs that an operator provides and requires come from its spec, the properties of its bundle from an
annotation. Without the annotation, its package is inferred from the subscription that installed it. In the other
direction, the operator (CSV) is read from the bundle's properties: a catalog keeps the parts that people and checks
need in ``olm.csv.metadata``, or the whole CSV in an ``olm.bundle.object``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve._limits import checked
from olmsolve.catalog.fbc import BUNDLE_OBJECT, object_manifest
from olmsolve.cluster.apis import Api
from olmsolve.cluster.objects import (
    OLM_API_VERSION,
    ClusterServiceVersion,
    CrdDescription,
    OperatorGroup,
    SubscriptionObject,
    read_manifest,
)
from olmsolve.cluster.operator_updates import Chains, FailForwardError, fail_forward_enabled
from olmsolve.cluster.properties_annotation import (
    PROPERTIES_ANNOTATION,
    ProjectionError,
    WrittenProperty,
    annotation_to_properties,
)
from olmsolve.predicates import Property

GVK: Final = "olm.gvk"
GVK_REQUIRED: Final = "olm.gvk.required"
PACKAGE: Final = "olm.package"

_NO_VERSION: Final = "0.0.0"
_ANNOTATION_FIELD: Final = f"metadata.annotations.{PROPERTIES_ANNOTATION}"


@attrs.frozen
class OperatorSnapshot:
    """An installed operator as a resolution sees it.

    *package* comes from the last ``olm.package`` property that can be read, "" without one. *subscription* is the name
    of its owner, None for an operator without one. *version* is text, ``0.0.0`` for an operator without a version.
    """

    name: str
    version: str = _NO_VERSION
    properties: tuple[WrittenProperty, ...] = ()
    provided: tuple[Api, ...] = ()
    required: tuple[Api, ...] = ()
    package: str = ""
    subscription: str | None = None

    @property
    def published(self) -> tuple[Property, ...]:
        """The properties with their values decoded, as in a catalog.

        Raises:
            ProjectionError: Python cannot hold a value.
        """
        try:
            return tuple(annotated.property for annotated in self.properties)
        except ProjectionError as error:
            raise attrs.evolve(error, object=self.name, field=_ANNOTATION_FIELD) from None


def spec_snapshot(csv: ClusterServiceVersion) -> OperatorSnapshot:
    """Return the snapshot that the spec of *csv* gives: its version and its APIs, which are its properties too.

    Raises:
        ProjectionError: the name of a custom resource definition is not ``plural.group``.
    """
    provided = _apis(csv.owned_crds, [Api(s.group, s.version, s.kind, s.name) for s in csv.owned_api_services])
    required = _apis(csv.required_crds, [Api(s.group, s.version, s.kind, s.name) for s in csv.required_api_services])
    properties = (
        *(WrittenProperty.from_value(GVK, {"group": a.group, "kind": a.kind, "version": a.version}) for a in provided),
        *(
            WrittenProperty.from_value(GVK_REQUIRED, {"group": a.group, "version": a.version, "kind": a.kind})
            for a in required
        ),
    )
    return OperatorSnapshot(csv.name, csv.version or _NO_VERSION, properties, provided, required)


def published_properties(csv: ClusterServiceVersion) -> tuple[WrittenProperty, ...] | None:
    """Return the properties in the annotation of *csv*, which replace those from its spec; None without annotation.

    Raises:
        ProjectionError: the annotation cannot be read.
    """
    annotation = csv.metadata.annotations.get(PROPERTIES_ANNOTATION)
    if annotation is None:
        return None
    try:
        return annotation_to_properties(annotation)
    except ProjectionError as error:
        reason = f'failed to retrieve properties of csv "{csv.name}": {error.reason}'
        raise ProjectionError(reason, field=_ANNOTATION_FIELD) from None


def infer_properties(
    csv: ClusterServiceVersion, subscriptions: Iterable[SubscriptionObject]
) -> tuple[WrittenProperty, ...]:
    """Return the ``olm.package`` property of *csv*, where the subscriptions that installed it name one package.

    *subscriptions* are the subscriptions of the operator's namespace. For an operator of version 0.0.0 the property has
    no version.
    """
    packages = {subscription.package for subscription in subscriptions if subscription.installed_csv == csv.name}
    packages.discard("")
    # Two subscriptions of different packages may claim one operator: then neither is believed.
    if len(packages) != 1:
        return ()
    version = csv.version if csv.version != _NO_VERSION else ""
    return (WrittenProperty.from_value(PACKAGE, {"packageName": packages.pop(), "version": version}),)


def package_of(properties: Sequence[WrittenProperty]) -> str:
    """Return the package in *properties*: of several ``olm.package``, the last that can be read; "" without one."""
    return next((name for name in map(_package_name, reversed(properties)) if name is not None), "")


def _package_name(annotated: WrittenProperty) -> str | None:
    """Return the name in an ``olm.package`` property, "" where it has none; None for any other property."""
    if annotated.type != PACKAGE or not annotated.text:
        return None
    try:
        value = annotated.value
    except ProjectionError:
        return None
    if value is None:
        return ""
    if not isinstance(value, dict):
        return None
    # OLM reads the names of JSON fields in any case.
    fields = {key.casefold(): field for key, field in value.items() if field is not None}
    name, version = fields.get("packagename", ""), fields.get("version", "")
    return name if isinstance(name, str) and isinstance(version, str) else None


def _apis(crds: Iterable[CrdDescription], services: Iterable[Api]) -> tuple[Api, ...]:
    """Return each API once, sorted, whether a custom resource or a service defines it."""
    apis = {*services, *map(_api, crds)}
    return tuple(sorted(apis, key=lambda api: (api.group, api.kind, api.version, api.plural)))


def _api(crd: CrdDescription) -> Api:
    plural, dot, group = crd.name.partition(".")
    if not dot:
        raise ProjectionError(f"error parsing crd name: {crd.name}", field="spec.customresourcedefinitions")
    return Api(group, crd.version, crd.kind, plural)


def csv_snapshot(
    csvs: Sequence[ClusterServiceVersion],
    subscriptions: Sequence[SubscriptionObject],
    groups: Sequence[OperatorGroup],
    *,
    live: Iterable[SubscriptionObject] | None = None,
) -> tuple[OperatorSnapshot, ...]:
    """Return the operators of one namespace, given its *csvs*, *subscriptions* and operator *groups*.

    Copies of other namespaces' operators are left out. Where the namespace fails forward, so is every operator that is
    left behind (:mod:`olmsolve.cluster.operator_updates`). The owner of an operator is the subscription that has it as
    ``installedCSV``.

    *live* are the subscriptions read from the cluster once more, where *subscriptions* may lag behind: an operator
    with an owner only in *live* is an error, because a resolution would take it for an operator without an owner.

    Raises:
        ProjectionError: an operator cannot be read, or the rules of fail forward forbid to resolve the namespace.
    """
    owners = _owners(subscriptions)
    live_owners = _owners(live or ())
    snapshots = []
    try:
        chains = Chains(csvs) if fail_forward_enabled(groups) else None
    except FailForwardError as error:
        raise ProjectionError(error.reason) from None
    # As recorded, all rules judge one operator before the next: of several faults, this order decides which is raised.
    for csv in checked(csvs, every=16):
        if csv.is_copied:
            continue
        owner = owners.get(csv.name)
        try:
            if owner is None and csv.name in live_owners:
                owner_key = live_owners[csv.name][0].key
                raise ProjectionError(
                    f"lister caches incoherent for CSV {csv.key} - found owning Subscription {owner_key}"
                )
            if chains is None or not chains.leave_behind(csv):
                snapshots.append(_snapshot(csv, owner or ()))
        except FailForwardError as error:
            raise ProjectionError(error.reason, csv.key, str(csv.origin or "")) from None
        except ProjectionError as error:
            raise attrs.evolve(error, object=csv.key, source=str(csv.origin or "")) from None
    return tuple(snapshots)


def _snapshot(csv: ClusterServiceVersion, owners: Sequence[SubscriptionObject]) -> OperatorSnapshot:
    """Return the snapshot of *csv*: properties from its annotation, or else from its spec and from its *owners*."""
    snapshot = spec_snapshot(csv)
    properties = published_properties(csv)
    if properties is None:
        properties = (*snapshot.properties, *infer_properties(csv, owners))
    # As recorded: of several owners, the last counts.
    name = owners[-1].name if owners else None
    return attrs.evolve(snapshot, properties=properties, package=package_of(properties), subscription=name)


def _owners(subscriptions: Iterable[SubscriptionObject]) -> dict[str, list[SubscriptionObject]]:
    """Map the name of each installed operator to the *subscriptions* that own it."""
    owners: dict[str, list[SubscriptionObject]] = {}
    for subscription in subscriptions:
        if subscription.installed_csv:
            owners.setdefault(subscription.installed_csv, []).append(subscription)
    return owners


def distinct_wishes(subscriptions: Sequence[SubscriptionObject]) -> tuple[SubscriptionObject, ...]:
    """Return *subscriptions* without a second that has the operator of another, and wants the same of the same channel.

    As recorded, OLM updates both at once. Of several, the last counts, which :func:`csv_snapshot` takes for the owner.
    """
    last = {_wish(subscription): subscription for subscription in subscriptions}
    return tuple(
        subscription
        for subscription in subscriptions
        if not subscription.installed_csv or last[_wish(subscription)] is subscription
    )


def _wish(subscription: SubscriptionObject) -> tuple[str, ...]:
    catalog = subscription.source, subscription.source_namespace
    return subscription.installed_csv, subscription.package, subscription.channel, *catalog


def shared_operator(
    subscriptions: Sequence[SubscriptionObject],
) -> tuple[SubscriptionObject, SubscriptionObject] | None:
    """Return the first two *subscriptions* that share an installed operator and want different things; else None."""
    owners: dict[str, SubscriptionObject] = {}
    for subscription in distinct_wishes(subscriptions):
        if subscription.installed_csv:
            owner = owners.setdefault(subscription.installed_csv, subscription)
            if owner is not subscription:
                return owner, subscription
    return None


_METADATA: Final = "olm.csv.metadata"


def bundle_csv(name: str, properties: Iterable[Property]) -> ClusterServiceVersion | None:
    """Return the ClusterServiceVersion of the bundle *name*, None where its *properties* hold neither form of it.

    A CSV from ``olm.csv.metadata`` has install modes, APIs, annotations, labels, the display name and the least version
    of Kubernetes, and nothing else. An ``olm.bundle.object`` that is not JSON is passed over.

    Raises:
        ManifestError: a field has a value of the wrong type.
    """
    # olm.csv.metadata is read first wherever it is: an olm.bundle.object has to be decoded to know what it holds.
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
