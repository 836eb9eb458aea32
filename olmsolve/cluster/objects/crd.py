"""CustomResourceDefinition: an API that an operator brings."""

from __future__ import annotations

from typing import ClassVar

import attrs

from olmsolve.cluster.objects.metadata import ClusterObject, Condition, conditions_of, metadata_of
from olmsolve.fields import Fields, Raw


@attrs.frozen
class CrdVersion:
    """One version of an API; *schema* is its ``openAPIV3Schema`` as read, None where it has no schema."""

    name: str
    served: bool
    storage: bool
    schema: Raw | None = attrs.field(default=None, repr=False)


@attrs.frozen(kw_only=True)
class CustomResourceDefinition(ClusterObject):
    """An API by *group*, *resource_kind* and *plural*; *scope* is ``Namespaced`` or ``Cluster``.

    *conversion* is the strategy, ``None`` or ``Webhook``, and "" where the object names no strategy. *stored_versions*
    are the versions in which objects of the cluster may be stored.
    """

    KIND: ClassVar[str] = "CustomResourceDefinition"
    GROUP: ClassVar[str] = "apiextensions.k8s.io"
    NAMESPACED: ClassVar[bool] = False

    group: str
    resource_kind: str
    plural: str
    scope: str = ""
    versions: tuple[CrdVersion, ...] = ()
    conversion: str = ""
    stored_versions: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ()


def crd_of(fields: Fields) -> CustomResourceDefinition:
    """Return the CustomResourceDefinition that *fields* describe."""
    spec, status = fields.part("spec"), fields.part("status")
    names = spec.part("names")
    return CustomResourceDefinition(
        metadata=metadata_of(fields),
        raw=fields.values,
        group=spec.text("group"),
        resource_kind=names.text("kind"),
        plural=names.text("plural"),
        scope=spec.text("scope"),
        versions=_versions(spec),
        conversion=spec.part("conversion").text("strategy"),
        stored_versions=status.texts("storedVersions"),
        conditions=conditions_of(status),
    )


def _versions(spec: Fields) -> tuple[CrdVersion, ...]:
    """Return the versions in *spec*.

    In the older ``v1beta1``, one schema (``validation``) may hold for all versions, and a single ``version`` may stand
    in place of the list.
    """
    common = _schema(spec.part("validation"))
    single = spec.text("version")
    if single and not spec.has("versions"):
        return (CrdVersion(single, True, True, common),)
    return tuple(
        CrdVersion(
            name=part.required_text("name"),
            served=part.flag("served"),
            storage=part.flag("storage"),
            schema=_schema(part.part("schema")) if part.has("schema") else common,
        )
        for part in spec.parts("versions")
    )


def _schema(fields: Fields) -> Raw | None:
    return fields.raw("openAPIV3Schema") if fields.has("openAPIV3Schema") else None
