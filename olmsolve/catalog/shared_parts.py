"""Parts that the bundles of a package share: lists of properties, and repositories of images.

Versions of an operator mostly have the same properties but for the version in ``olm.package``. So the bundles of a
package share one list, in which an :class:`OwnPackage` stands for this property, and each keeps only its version::

    (<olm.gvk>, OwnPackage("etcd")) and "1.0.0"    the properties of etcd.v1.0.0: 8 bytes, and a text that many share
    (<olm.gvk>, OwnPackage("etcd")) and "1.1.0"    the properties of etcd.v1.1.0, in the same list

A reader that goes through many bundles reads an equal list once, by its identity.

The text of an image is the largest part of most bundles, and half of it is a digest, which no other bundle has. So the
bundles of a package share one :class:`Repository`, and each keeps its digest as 32 bytes::

    "example.com/etcd@sha256:00c2…e056"                      an object of 137 bytes
    Repository("example.com/etcd") and b"\\x00\\xc2…\\xe0\\x56"    an object of 65 bytes beside one that many share
"""

from __future__ import annotations

from typing import ClassVar, Final, TypeAlias

import olmsolve._attrs as attrs
from olmsolve.predicates import Property, property_of

OWN: Final = "olm.package"
"""The type of the property that says of which package and version a bundle is."""


@attrs.frozen
class OwnPackage:
    """The ``olm.package`` property of bundles of *package*, as JSON holds it without white space and escapes."""

    package: str
    type: ClassVar[str] = OWN

    def property(self, version: str) -> Property:
        """Return the property with this *version*."""
        return property_of(OWN, f'{{"packageName":"{self.package}","version":"{version}"}}'.encode())


Listed: TypeAlias = tuple[Property | OwnPackage, ...]
"""Properties in their order; at most one is an :class:`OwnPackage`."""


HeldProperties: TypeAlias = tuple[Listed, str | None]
"""The properties of one bundle as they are held: a list, and the version, None where no :class:`OwnPackage` is listed.

A plain tuple, since one is made for each bundle that is read.
"""


def whole_properties(packed: HeldProperties) -> tuple[Property, ...]:
    """Return the properties with the version of the bundle in its place."""
    listed, version = packed
    if version is None:
        return listed  # type: ignore[return-value]  # nothing stands in the place of a property
    return tuple(
        [property_.property(version) if isinstance(property_, OwnPackage) else property_ for property_ in listed]
    )


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


def whole_image(packed: HeldImage) -> str:
    """Return the text of the image."""
    image, digest = packed
    # A copy of a bundle keeps its digest beside an image that is stated for the copy.
    if isinstance(image, str):
        return image
    assert digest is not None
    return image.image(digest)
