"""Manifests inside a catalog: the base64 data of ``olm.bundle.object`` properties."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any, Final

BUNDLE_OBJECT: Final = "olm.bundle.object"
"""The type of properties that hold a manifest each."""


def object_data(manifest: Mapping[str, Any]) -> str:
    """Return *manifest* as the ``data`` of an ``olm.bundle.object``: base64 of its JSON as ``opm`` writes it."""
    # Imported on first use: most commands read manifests, and few write them.
    from olmsolve.catalog.fbc.go_json import escaped_text

    return base64.b64encode(escaped_text(manifest).encode("utf-8", "replace")).decode("ascii")


def object_content(value: object) -> bytes:
    """Decode the bytes (JSON or YAML) of the manifest in *value*, the value of an ``olm.bundle.object`` property.

    Line ends inside the base64 do not count, as in Go.

    Raises:
        ValueError: there is no data, or it is not base64; the message says which.
    """
    data = value.get("data") if isinstance(value, Mapping) else None
    if not isinstance(data, str):
        raise ValueError("has no data")
    try:
        return base64.b64decode(data.replace("\n", "").replace("\r", ""), validate=True)
    except ValueError:
        raise ValueError("is not base64") from None


def object_manifest(value: object) -> Mapping[str, Any] | None:
    """Return the JSON manifest in *value*, an ``olm.bundle.object`` property's value; None where it holds none."""
    try:
        manifest = json.loads(object_content(value))
    except (ValueError, RecursionError):
        return None
    return manifest if isinstance(manifest, dict) else None
