"""The icon and description of a package, from the ClusterServiceVersion of the bundle that speaks for it.

As recorded from ``opm alpha render-template``: a description counts if it is text, icons if the whole list of them can
be read; then the first one is the package's, even if it is empty.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any, Final

from olmsolve.catalog.fbc import BUNDLE_OBJECT, object_manifest
from olmsolve.predicates import named

_ICON: Final = frozenset({"base64data", "mediatype"})


def csv_among(properties: Any) -> Mapping[str, Any] | None:
    """Return the first ClusterServiceVersion among the ``olm.bundle.object`` in *properties*, a list from anywhere.

    An object that cannot be read is passed over: validation reports it, and rendering goes on.
    """
    for each in properties if isinstance(properties, list) else ():
        if isinstance(each, Mapping) and each.get("type") == BUNDLE_OBJECT:
            manifest = object_manifest(each.get("value"))
            if manifest is not None and manifest.get("kind") == "ClusterServiceVersion":
                return manifest
    return None


def appearance(csv: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields ``icon`` and ``description`` of an ``olm.package``, as far as *csv* has them."""
    spec = csv.get("spec")
    if not isinstance(spec, Mapping):
        return {}
    icon, description = _first_icon(spec.get("icon")), spec.get("description")
    fields: dict[str, Any] = {} if icon is None else {"icon": icon}
    if isinstance(description, str) and description:
        fields["description"] = description
    return fields


def _first_icon(icons: Any) -> dict[str, Any] | None:
    """Return the first of *icons*; None if there is none, or if one of them is not an icon."""
    if not isinstance(icons, list) or not icons:
        return None
    try:
        return [_icon(each) for each in icons][0]  # noqa: RUF015 - the others must be icons too
    except ValueError:
        return None


def _icon(value: Any) -> dict[str, Any]:
    """Return the icon *value*, its data encoded as Go encodes it. Raises ValueError if *value* is none."""
    # Go reads null, and an absent field, as the empty value of the type.
    fields = named({} if value is None else value, _ICON) if value is None or isinstance(value, Mapping) else None
    if fields is None:
        raise ValueError("not an object")
    data, media_type = fields.get("base64data"), fields.get("mediatype")
    if not isinstance(data, str | None) or not isinstance(media_type, str | None):
        raise ValueError("not text")
    if data is not None:
        # Line ends do not count, and bits behind the last byte are lost: "aR==" becomes "aQ==".
        plain = base64.b64decode(data.replace("\r", "").replace("\n", ""), validate=True)
        data = base64.b64encode(plain).decode("ascii")
    return {"base64data": data, "mediatype": media_type or ""}
