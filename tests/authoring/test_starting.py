"""New packages: their icons, whose type a catalog names and a console trusts."""

from __future__ import annotations

import base64

import pytest

from olmsolve.authoring import new_package
from olmsolve.errors import CatalogError


@pytest.mark.parametrize(
    ("icon", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n rest", "image/png"),
        (b"\xff\xd8\xff\xe0 rest", "image/jpeg"),
        (b"GIF89a rest", "image/gif"),
        (b'<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>', "image/svg+xml"),
    ],
)
def test_an_icon_is_told_by_its_content(icon: bytes, kind: str) -> None:
    """The name of a file says nothing for sure; consoles show an icon only under its right type."""
    written = new_package("shop", icon=icon)["icon"]
    assert written == {"base64data": base64.b64encode(icon).decode(), "mediatype": kind}


@pytest.mark.parametrize(
    ("icon", "message"),
    [
        (b"BM a bitmap", "the icon must be an SVG, PNG, JPEG or GIF file"),
        (b"\x89PNG\r\n" + bytes(1 << 20), "an icon of more than 1,048,576 bytes"),
    ],
)
def test_an_icon_that_cannot_be_shown_is_refused(icon: bytes, message: str) -> None:
    """Every cluster loads the catalog with all its icons."""
    with pytest.raises(CatalogError, match=message):
        new_package("shop", icon=icon)
