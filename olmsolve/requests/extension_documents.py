"""Requests for OLM v1 as documents: what the schema says of them, and the way in which they are written.

The wish, the installed bundle and the settings are the values of :mod:`olmsolve.v1` themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from olmsolve._records import Record, field, record
from olmsolve.v1 import DEFAULT_GATES, Extension, InstalledBundle, InstallSettings

_BLOB: Final = {"description": "A blob of a file-based catalog.", "type": "object", "additionalProperties": True}
_BLOBS: Final = {"items": _BLOB}
_BLOBS_OR_NULL: Final = {"type": ["array", "null"], **_BLOBS}


@record
class SortedBlobs(Record):
    """The catalog itself, sorted by schema."""

    packages: tuple[Any, ...] = field(
        "The blobs of the schema olm.package.", empty="nullable", schema=_BLOBS, default=()
    )
    channels: tuple[Any, ...] = field(
        "The blobs of the schema olm.channel.", empty="nullable", schema=_BLOBS, default=()
    )
    bundles: tuple[Any, ...] = field("The blobs of the schema olm.bundle.", empty="nullable", schema=_BLOBS, default=())
    deprecations: tuple[Any, ...] = field(
        "The blobs of the schema olm.deprecations.", empty="nullable", schema=_BLOBS, default=()
    )


@record
class ClusterCatalogDocument(Record):
    """A ClusterCatalog: at most one of file, blobs and fbc says what it contains."""

    name: str = field("Its name.")
    labels: Mapping[str, str] = field("The labels of the catalog.", empty="nullable", factory=dict)
    priority: int = field(
        "Higher ones come first; 0 if absent.",
        empty="nullable",
        schema={"minimum": -(2**31), "maximum": 2**31 - 1},
        default=0,
    )
    error: str = field("Why its content is unavailable.", empty="nullable", default="")
    availability_mode: Literal["Available", "Unavailable", ""] = field(
        'Whether the catalog is served; "" is Available.', empty="nullable", default=""
    )
    file: str = field("A folder or a file with a file-based catalog.", empty="nullable", default="")
    blobs: tuple[Any, ...] | None = field("The catalog itself.", empty="optional", schema=_BLOBS_OR_NULL, default=None)
    fbc: SortedBlobs | None = field(
        "The content of the catalog; null where there is none.", empty="nullable", default=None
    )


_GATES: Final = {"propertyNames": {"enum": sorted(["AllAlpha", "AllBeta", *DEFAULT_GATES])}}


@record(
    definition="olmsolve.v1.request",
    title="A request document for OLM v1",
    about="docs/v1.md gives the meaning of the fields. A ClusterExtension with its ClusterCatalogs, or a List of "
    "objects, is a request as well.",
    marked=False,
)
class ExtensionRequestDocument(Record):
    """A request for OLM v1."""

    name: str = field("A name for people.", empty="nullable", default="")
    catalogs: tuple[ClusterCatalogDocument, ...] = field(
        "The ClusterCatalogs; at most one of file, blobs and fbc says what each contains.", empty="nullable", default=()
    )
    extension: Extension = field("The wish.", kw_only=True)
    installed: InstalledBundle | None = field("The installed bundle; null for none.", empty="nullable", default=None)
    feature_gates: Mapping[str, bool] = field(
        "The feature gates that are set.", empty="nullable", schema=_GATES, factory=dict
    )
    alias_of_feature_gates: Mapping[str, bool] = field(
        "Another name of featureGates.", path="feature_gates", empty="nullable", schema=_GATES, factory=dict
    )
    install: InstallSettings = field(
        "How the bundle is installed once it is resolved.", empty="absent", default=InstallSettings()
    )
    validations: tuple[Literal["no_dependency", "admission"], ...] | None = field(
        "The validations of the winner; all if absent.",
        empty="optional",
        schema={"type": ["array", "null"]},
        default=None,
    )
