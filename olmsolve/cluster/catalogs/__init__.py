"""Rules about the catalogs of a cluster: their images, their health, and what they say is deprecated."""

from olmsolve.cluster.catalogs.deprecation import DeprecationMessages, with_deprecations
from olmsolve.cluster.catalogs.health import catalog_health, with_catalog_health
from olmsolve.cluster.catalogs.images import (
    IMAGE_TEMPLATE_ANNOTATION,
    NO_VALUES,
    ResolvedImage,
    SyncedImage,
    resolved_image,
    synced_image,
    template_values,
)
from olmsolve.cluster.catalogs.sources import VisibleCatalog, visible_catalogs, visible_namespaces

__all__ = [
    "IMAGE_TEMPLATE_ANNOTATION",
    "NO_VALUES",
    "DeprecationMessages",
    "ResolvedImage",
    "SyncedImage",
    "VisibleCatalog",
    "catalog_health",
    "resolved_image",
    "synced_image",
    "template_values",
    "visible_catalogs",
    "visible_namespaces",
    "with_catalog_health",
    "with_deprecations",
]
