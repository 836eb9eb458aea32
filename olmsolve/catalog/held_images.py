"""The image of a bundle without the text of its digest, which no other bundle has.

The text of an image is the largest part of most bundles, and half of it is a digest. So the bundles of a package share
one :class:`Repository`, and each keeps its digest as 32 bytes::

    "example.com/etcd@sha256:00c2…e056"                      an object of 137 bytes
    Repository("example.com/etcd") and b"\x00\xc2…\xe0\x56"    an object of 65 bytes beside one that many share
"""

from __future__ import annotations

from typing import TypeAlias


class Repository:
    """A repository of images by its *name*, which holds no ``@``; there is one object for each in a catalog."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name: str = name

    def image(self, digest: bytes) -> str:
        """Return the image with this SHA-256 *digest*, as a bundle writes it."""
        return f"{self.name}@sha256:{digest.hex()}"


HeldImage: TypeAlias = tuple[Repository | str, bytes | None]
"""An image as it is held: a repository and a digest, or the whole text and None.

A plain tuple, since one is made for each bundle that is read.
"""


def whole_image(held: HeldImage) -> str:
    """Return the image that is *held*."""
    image, digest = held
    # A copy of a bundle keeps its digest beside an image that is stated for the copy.
    if isinstance(image, str):
        return image
    assert digest is not None
    return image.image(digest)
