"""The icon and description of a package, from the ClusterServiceVersion that a bundle holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from olmsolve.catalog.fbc import object_manifest


def appearance(bundle: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields ``icon`` and ``description`` of an ``olm.package``, as far as *bundle* has them.

    They come from the property ``olm.bundle.object`` that is a ClusterServiceVersion; an unreadable one is ignored.
    """
    fields: dict[str, Any] = {}
    for property_ in bundle.get("properties") or ():
        if property_.get("type") != "olm.bundle.object":
            continue
        spec = _spec(property_.get("value"))
        if spec is None:
            continue
        icons = spec.get("icon")
        icon = icons[0] if isinstance(icons, list) and icons else None
        if isinstance(icon, Mapping) and icon.get("base64data"):
            fields["icon"] = {"base64data": icon["base64data"], "mediatype": icon.get("mediatype") or ""}
        if isinstance(spec.get("description"), str) and spec["description"]:
            fields["description"] = spec["description"]
    return fields


def _spec(value: Any) -> Mapping[str, Any] | None:
    """Return the ``spec`` of the object in *value*; None unless it is a ClusterServiceVersion."""
    manifest = object_manifest(value)
    if manifest is None or manifest.get("kind") != "ClusterServiceVersion":
        return None
    spec = manifest.get("spec")
    return spec if isinstance(spec, dict) else None
