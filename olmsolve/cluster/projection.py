"""From an operator on a cluster to the snapshot that a resolution sees.

As recorded: the APIs that an operator provides and requires come from its spec, the properties of its bundle from an
annotation. Without the annotation, its package is inferred from the subscription that installed it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import olmsolve._attrs as attrs
from olmsolve.cluster.apis import Api
from olmsolve.cluster.objects import ClusterServiceVersion, CrdDescription, SubscriptionObject
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
        *(WrittenProperty.of(GVK, {"group": a.group, "kind": a.kind, "version": a.version}) for a in provided),
        *(WrittenProperty.of(GVK_REQUIRED, {"group": a.group, "version": a.version, "kind": a.kind}) for a in required),
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
    return (WrittenProperty.of(PACKAGE, {"packageName": packages.pop(), "version": version}),)


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
