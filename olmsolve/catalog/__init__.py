"""What a file-based catalog means: frozen packages, channels and bundles, and the facts that bundles publish."""

from olmsolve.catalog.model import (
    Blob,
    Bundle,
    Catalog,
    Channel,
    ChannelEntry,
    Deprecation,
    Origin,
    Package,
    Written,
)
from olmsolve.catalog.source import Source, UnreadableSource

__all__ = [
    "GVK",
    "Blob",
    "Bundle",
    "Catalog",
    "Channel",
    "ChannelEntry",
    "Deprecation",
    "JsonObject",
    "Origin",
    "Package",
    "Property",
    "Published",
    "Source",
    "UnreadableSource",
    "Written",
    "decoded",
    "encoded",
    "published",
]
