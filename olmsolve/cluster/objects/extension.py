"""The objects of OLM v1: ClusterExtension, the wish for a package, and ClusterCatalog, where it may come from."""

from __future__ import annotations

from typing import ClassVar

import attrs

from olmsolve.cluster.objects.metadata import OLM_V1_GROUP, ClusterObject, Condition, conditions_of, metadata_of
from olmsolve.fields import Fields, Raw


@attrs.frozen(kw_only=True)
class ClusterExtension(ClusterObject):
    """The wish for a package on the whole cluster; *installed* is ``status.install.bundle`` as read."""

    KIND: ClassVar[str] = "ClusterExtension"
    GROUP: ClassVar[str] = OLM_V1_GROUP
    NAMESPACED: ClassVar[bool] = False

    source_type: str = ""
    package: str = ""
    version: str = ""
    channels: tuple[str, ...] = ()
    selector: Raw | None = None
    upgrade_constraint_policy: str = ""
    install_namespace: str = ""
    service_account_name: str = ""
    installed: Raw | None = None
    conditions: tuple[Condition, ...] = ()


@attrs.frozen(kw_only=True)
class ClusterCatalogObject(ClusterObject):
    """A ClusterCatalog: a catalog for the whole cluster.

    *availability_mode* is ``Available``, ``Unavailable`` or "" (Available). What a request for OLM v1 has in its place,
    content included, is :class:`olmsolve.v1.ClusterCatalog`.
    """

    KIND: ClassVar[str] = "ClusterCatalog"
    GROUP: ClassVar[str] = OLM_V1_GROUP
    NAMESPACED: ClassVar[bool] = False

    image: str = ""
    priority: int = 0
    availability_mode: str = ""
    conditions: tuple[Condition, ...] = ()


def cluster_extension_of(fields: Fields) -> ClusterExtension:
    """Return the ClusterExtension that *fields* describe."""
    spec, status = fields.part("spec"), fields.part("status")
    source = spec.part("source")
    catalog = source.part("catalog")
    install = status.part("install")
    return ClusterExtension(
        metadata=metadata_of(fields),
        raw=fields.values,
        source_type=source.text("sourceType"),
        package=catalog.text("packageName"),
        version=catalog.text("version"),
        channels=catalog.texts("channels"),
        selector=catalog.raw("selector") if catalog.has("selector") else None,
        upgrade_constraint_policy=catalog.text("upgradeConstraintPolicy"),
        install_namespace=spec.text("namespace"),
        service_account_name=spec.part("serviceAccount").text("name"),
        installed=install.raw("bundle") if install.has("bundle") else None,
        conditions=conditions_of(status),
    )


def cluster_catalog_of(fields: Fields) -> ClusterCatalogObject:
    """Return the ClusterCatalog that *fields* describe."""
    spec, status = fields.part("spec"), fields.part("status")
    metadata = metadata_of(fields)
    if metadata.name in (".", "..") or set("/%") & set(metadata.name):
        raise fields.part("metadata").error(
            f"{metadata.name!r} cannot be the name of an object", "name", "Kubernetes names have no / and no %"
        )
    return ClusterCatalogObject(
        metadata=metadata,
        raw=fields.values,
        image=spec.part("source").part("image").text("ref"),
        priority=spec.integer("priority", bits=32),
        availability_mode=spec.text("availabilityMode"),
        conditions=conditions_of(status),
    )
