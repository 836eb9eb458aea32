"""The beginning and the end of a catalog's files: the blob of a new package, and the Dockerfile of its image."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable
from typing import Any, Final

from olmsolve.authoring.checks.validation import PACKAGE_NAMES, is_package_name
from olmsolve.errors import CatalogError

OPM_IMAGE: Final = "quay.io/operator-framework/opm:latest"
"""The image that builds and serves catalogs unless another one is named."""

_MEDIA_TYPES: Final = ((b"\x89PNG\r\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"GIF8", "image/gif"))
_MOST_ICON: Final = 1 << 20  # bytes; whoever reads the catalog reads them, a third longer in base64


def new_package(name: str, *, default_channel: str = "", description: str = "", icon: bytes = b"") -> dict[str, Any]:
    """Return the ``olm.package`` blob of a new package; *icon* is the content of an SVG, PNG, JPEG or GIF file.

    Raises:
        CatalogError: *name* cannot name a package; *icon* has another format, or is larger than a mebibyte.
    """
    if not is_package_name(name):
        raise CatalogError(f"{name[:80]!r} cannot name a package ({PACKAGE_NAMES})")
    blob: dict[str, Any] = {"schema": "olm.package", "name": name, "defaultChannel": default_channel}
    if icon:
        if len(icon) > _MOST_ICON:
            raise CatalogError(f"an icon of more than {_MOST_ICON:,} bytes", package=name)
        blob["icon"] = {"base64data": base64.b64encode(icon).decode(), "mediatype": _media_type(icon, name)}
    return blob | ({"description": description} if description else {})


def _media_type(icon: bytes, package: str) -> str:
    for beginning, kind in _MEDIA_TYPES:
        if icon.startswith(beginning):
            return kind
    # An XML declaration, comments and a doctype may come before the element, but no other element.
    if b"<svg" in icon[:4096]:
        return "image/svg+xml"
    raise CatalogError("the icon must be an SVG, PNG, JPEG or GIF file", package=package)


def dockerfile(
    folder: str, *, base_image: str = OPM_IMAGE, builder_image: str = "", labels: Iterable[tuple[str, str]] = ()
) -> str:
    """Return the Dockerfile of an image with the catalog *folder*, a path in the context of the build.

    *builder_image* (by default *base_image*) has ``opm``, which fills the cache; *base_image* serves the catalog.
    *labels* are further labels of the image.
    """
    lines = [
        f"# {builder_image or base_image} fills the cache, so that the catalog is served at once.",
        f"FROM {builder_image or base_image} AS builder",
        f"ADD {_paths(folder, '/configs')}",
        'RUN ["/bin/opm", "serve", "/configs", "--cache-dir=/tmp/cache", "--cache-only"]',
        "",
        f"FROM {base_image}",
        'ENTRYPOINT ["/bin/opm"]',
        'CMD ["serve", "/configs", "--cache-dir=/tmp/cache"]',
        "COPY --from=builder /configs /configs",
        "COPY --from=builder /tmp/cache /tmp/cache",
        "",
        "# OLM finds the catalog in the image by this label.",
        "LABEL operators.operatorframework.io.index.configs.v1=/configs",
        *(f"LABEL {name}={_quoted(value)}" for name, value in labels),
    ]
    return "\n".join(lines) + "\n"


def _paths(source: str, target: str) -> str:
    """Return the two paths of an instruction: as JSON where a space would make three of them."""
    is_plain = not any(path.isspace() or path in '"\\[' for path in source)
    return f"{source} {target}" if is_plain else json.dumps([source, target], ensure_ascii=False)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
