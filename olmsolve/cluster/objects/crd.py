"""CustomResourceDefinition: an API that an operator brings."""

from __future__ import annotations

from typing import ClassVar

from olmsolve._records import Record, evolve, field, record
from olmsolve.cluster.objects.metadata import ClusterObject, Condition
from olmsolve.fields import Fields, Raw, read_record


@record
class CrdVersion(Record):
    """One version of an API."""

    name: str = field("The name of the version.", empty="refused")
    served: bool = field("Whether the API server answers for it.")
    storage: bool = field("Whether objects are stored in it.")
    schema: Raw | None = field(
        "The schema of its objects, as read; None where it has none.",
        path="schema.openAPIV3Schema",
        default=None,
        repr=False,
    )


def _versions(spec: Fields, name: str) -> tuple[CrdVersion, ...]:
    """Return the versions in the list *name* of *spec*.

    In the older ``v1beta1``, one schema (``validation``) may hold for all versions, and a single ``version`` may stand
    in place of the list.
    """
    validation = spec.part("validation")
    common = validation.raw("openAPIV3Schema") if validation.has("openAPIV3Schema") else None
    single = spec.text("version")
    if single and not spec.has(name):
        return (CrdVersion(single, True, True, common),)
    return tuple(_version(part, common) for part in spec.parts(name))


def _version(fields: Fields, common: Raw | None) -> CrdVersion:
    version = read_record(CrdVersion, fields)
    return version if fields.has("schema") else evolve(version, schema=common)


@record(kw_only=True)
class CustomResourceDefinition(ClusterObject):
    """An API of the cluster."""

    KIND: ClassVar[str] = "CustomResourceDefinition"
    GROUP: ClassVar[str] = "apiextensions.k8s.io"
    NAMESPACED: ClassVar[bool] = False

    group: str = field("The group of the API.", path="spec.group")
    resource_kind: str = field("The kind of its objects.", path="spec.names.kind")
    plural: str = field("The name of its objects in paths.", path="spec.names.plural")
    scope: str = field("``Namespaced`` or ``Cluster``.", path="spec.scope", default="")
    versions: tuple[CrdVersion, ...] = field(
        "Its versions, in the order of the object.", path="spec.versions", read=_versions, default=()
    )
    conversion: str = field(
        '``None`` or ``Webhook``, "" where the object names no strategy.', path="spec.conversion.strategy", default=""
    )
    stored_versions: tuple[str, ...] = field(
        "The versions in which objects of the cluster may be stored.", path="status.storedVersions", default=()
    )
    conditions: tuple[Condition, ...] = field("The conditions of its status.", path="status.conditions", default=())
