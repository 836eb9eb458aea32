"""What a file-based catalog means: frozen packages, channels and bundles, and the facts that bundles publish."""

from olmsolve.catalog.images import image_fault
from olmsolve.catalog.model import Blob, Bundle, Catalog, Channel, ChannelEntry, Deprecation, Origin, Package, Written
from olmsolve.catalog.source import Source, UnreadableSource

__all__ = [
    "Blob",
    "Bundle",
    "Catalog",
    "Channel",
    "ChannelEntry",
    "Deprecation",
    "Origin",
    "Package",
    "Source",
    "UnreadableSource",
    "Written",
    "image_fault",
]
