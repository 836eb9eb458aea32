"""The properties of a bundle without what makes them its own: the version in its ``olm.package`` property.

Versions of an operator mostly have the same properties but for this one. So the bundles of a package share one list, in
which an :class:`OwnPackage` stands in its place, and each keeps only its version::

    (<olm.gvk>, OwnPackage("etcd")) and "1.0.0"    the properties of etcd.v1.0.0: 8 bytes, and a text that many share
    (<olm.gvk>, OwnPackage("etcd")) and "1.1.0"    the properties of etcd.v1.1.0, in the same list

A reader that goes through many bundles reads an equal list once, by its identity.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import attrs

from olmsolve._frozen import shared_repr
from olmsolve.predicates import Property, property_of

OWN: Final = "olm.package"
"""The type of the property that says of which package and version a bundle is."""


@attrs.frozen
@shared_repr
class OwnPackage:
    """The ``olm.package`` property of bundles of *package*, as JSON holds it without white space and escapes."""

    package: str

    def property(self, version: str) -> Property:
        """Return the property with this *version*."""
        return property_of(OWN, f'{{"packageName":"{self.package}","version":"{version}"}}'.encode())


Listed: TypeAlias = tuple[Property | OwnPackage, ...]
"""Properties in their order; at most one is an :class:`OwnPackage`."""


HeldProperties: TypeAlias = tuple[Listed, str | None]
"""The properties of one bundle as they are held: a list, and the version, None where no :class:`OwnPackage` is listed.

A plain tuple, since one is made for each bundle that is read.
"""


def whole_properties(held: HeldProperties) -> tuple[Property, ...]:
    """Return the properties that are *held*."""
    listed, version = held
    if version is None:
        return listed  # type: ignore[return-value]  # nothing stands in the place of a property
    return tuple([each.property(version) if isinstance(each, OwnPackage) else each for each in listed])
