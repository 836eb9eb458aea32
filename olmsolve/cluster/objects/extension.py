"""The objects of OLM v1: ClusterExtension, the wish for a package, and ClusterCatalog, where it may come from."""

from __future__ import annotations

from typing import ClassVar

from olmsolve._records import field, record
from olmsolve.cluster.objects.metadata import OLM_V1_GROUP, ClusterObject, Condition
from olmsolve.fields import Fields, Raw


@record(kw_only=True)
class ClusterExtension(ClusterObject):
    """The wish for a package on the whole cluster."""

    KIND: ClassVar[str] = "ClusterExtension"
    GROUP: ClassVar[str] = OLM_V1_GROUP
    NAMESPACED: ClassVar[bool] = False

    source_type: str = field("Where the package comes from: ``Catalog``.", path="spec.source.sourceType", default="")
    package: str = field("The name of the package.", path="spec.source.catalog.packageName", default="")
    version: str = field("The range of its versions.", path="spec.source.catalog.version", default="")
    channels: tuple[str, ...] = field(
        "The channels that it may come from.", path="spec.source.catalog.channels", default=()
    )
    selector: Raw | None = field(
        "The Kubernetes LabelSelector of its catalogs, as read.", path="spec.source.catalog.selector", default=None
    )
    upgrade_constraint_policy: str = field(
        '``CatalogProvided``, ``SelfCertified`` or "" (``CatalogProvided``).',
        path="spec.source.catalog.upgradeConstraintPolicy",
        default="",
    )
    install_namespace: str = field("The namespace in which it is installed.", path="spec.namespace", default="")
    service_account_name: str = field(
        "The service account by which it is installed.", path="spec.serviceAccount.name", default=""
    )
    installed: Raw | None = field("The installed bundle, as read.", path="status.install.bundle", default=None)
    conditions: tuple[Condition, ...] = field("The conditions of its status.", path="status.conditions", default=())


def _priority(spec: Fields, name: str) -> int:
    return spec.integer(name, bits=32)


@record(kw_only=True)
class ClusterCatalogObject(ClusterObject):
    """A ClusterCatalog: a catalog for the whole cluster.

    What a request for OLM v1 has in its place, content included, is :class:`olmsolve.v1.ClusterCatalog`.
    """

    KIND: ClassVar[str] = "ClusterCatalog"
    GROUP: ClassVar[str] = OLM_V1_GROUP
    NAMESPACED: ClassVar[bool] = False

    image: str = field("The image that holds its content.", path="spec.source.image.ref", default="")
    priority: int = field("A higher one comes first.", path="spec.priority", read=_priority, default=0)
    availability_mode: str = field(
        '``Available``, ``Unavailable`` or "" (``Available``).', path="spec.availabilityMode", default=""
    )
    conditions: tuple[Condition, ...] = field("The conditions of its status.", path="status.conditions", default=())
