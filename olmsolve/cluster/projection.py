"""From an operator on a cluster to what a resolution sees of it.

What an operator provides and requires comes from its spec, what its bundle published from an annotation; where there
is no annotation, the package is inferred from the subscription that installed it. As recorded.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import attrs

from olmsolve.cluster.apis import Api
from olmsolve.cluster.objects import ClusterServiceVersion, CrdDescription, SubscriptionObject
from olmsolve.cluster.properties_annotation import (
    PROPERTIES_ANNOTATION,
    ProjectionError,
    WrittenProperty,
    annotation_to_properties,
)
from olmsolve.predicates import Property

__all__ = ["OperatorSnapshot", "csv_entry", "infer_properties", "package_of", "published_properties"]

GVK: Final = "olm.gvk"
GVK_REQUIRED: Final = "olm.gvk.required"
PACKAGE: Final = "olm.package"

_NO_VERSION: Final = "0.0.0"
_ANNOTATION_FIELD: Final = f"metadata.annotations.{PROPERTIES_ANNOTATION}"


@attrs.frozen
class OperatorSnapshot:
    """An installed operator as it is offered to a resolution.

    *package* is that of its last ``olm.package`` property that can be read, "" if there is none; *subscription* names
    the one that owns it, None if nobody does. *version* is text, ``0.0.0`` where the operator has none.
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
        """The properties as a catalog has them.

        Raises:
            ProjectionError: Python cannot hold a value.
        """
        try:
            return tuple(item.property for item in self.properties)
        except ProjectionError as error:
            raise attrs.evolve(error, object=self.name, field=_ANNOTATION_FIELD) from None


def csv_entry(csv: ClusterServiceVersion) -> OperatorSnapshot:
    """What the spec of *csv* says: its version and the APIs that it provides and requires, as properties too.

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
    """What the annotation of *csv* says, which counts instead of its spec; None where there is no annotation.

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
    """The ``olm.package`` property of *csv*, where exactly one package was subscribed that has it installed.

    *subscriptions* are those of the operator's namespace. An operator of version 0.0.0 is said to have none.
    """
    packages = {subscription.package for subscription in subscriptions if subscription.installed_csv == csv.name}
    packages.discard("")
    if len(packages) != 1:
        return ()
    version = csv.version if csv.version != _NO_VERSION else ""
    return (WrittenProperty.of(PACKAGE, {"packageName": packages.pop(), "version": version}),)


def package_of(properties: Sequence[WrittenProperty]) -> str:
    """The package that *properties* name: of several, the last whose value can be read as a package."""
    return next((name for name in map(_package_name, reversed(properties)) if name is not None), "")


def _package_name(item: WrittenProperty) -> str | None:
    """The name in an ``olm.package`` property, "" where it has none; None for what is no package."""
    if item.type != PACKAGE or not item.text:
        return None
    try:
        value = item.value
    except ProjectionError:
        return None
    if value is None:
        return ""
    if not isinstance(value, dict):
        return None
    # As everywhere in JSON that OLM reads, the case of names does not count.
    fields = {key.casefold(): field for key, field in value.items() if field is not None}
    name, version = fields.get("packagename", ""), fields.get("version", "")
    return name if isinstance(name, str) and isinstance(version, str) else None


def _apis(crds: Iterable[CrdDescription], services: Iterable[Api]) -> tuple[Api, ...]:
    """Each API once, sorted: what defines it, and in which order, does not matter."""
    apis = {*services, *map(_api, crds)}
    return tuple(sorted(apis, key=lambda api: (api.group, api.kind, api.version, api.plural)))


def _api(crd: CrdDescription) -> Api:
    plural, dot, group = crd.name.partition(".")
    if not dot:
        raise ProjectionError(f"error parsing crd name: {crd.name}", field="spec.customresourcedefinitions")
    return Api(group, crd.version, crd.kind, plural)
