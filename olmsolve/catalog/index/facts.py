"""What bundles publish, from the columns of an index; each value is made when it is first asked for."""

from __future__ import annotations

from functools import partial

from olmsolve.catalog.index.originals import Originals
from olmsolve.catalog.index.packed import Packed
from olmsolve.catalog.index.schema import DEPRECATED, NONE, PLAIN
from olmsolve.errors import VersionError
from olmsolve.predicates import GVK, Published
from olmsolve.semver import Key, Version

__all__ = ["FactTable"]


class FactTable:
    """Versions and published facts by their places in the columns."""

    def __init__(self, columns: Packed, originals: Originals) -> None:
        self._columns = columns
        self._originals = originals
        self._published: dict[int, Published] = {}
        self._gvks: dict[int, GVK] = {}
        self._versions: dict[int, Version | None] = {}

    def published(self, bundle: int, channel: int) -> Published:
        """What a bundle publishes; *channel* is one of its package."""
        known = self._published.get(bundle)
        if known is None:
            columns = self._columns
            names = len(columns.name_string)
            groups = columns.groups(columns.bundle_groups[bundle])
            flags = columns.bundle_flags[bundle]
            package = columns.string(columns.name_string[columns.channel_package[channel]])
            version = self.version(columns.bundle_version[bundle])
            if flags & PLAIN:
                packages = tuple((self._name(group), version) for group in groups[:1] if group < names)
            else:
                number = columns.bundle_packages[bundle]
                places = range(columns.packages_starts[number], columns.packages_starts[number + 1])
                said = ((columns.packages_name[place], columns.packages_version[place]) for place in places)
                packages = tuple((self._name(name), self.version(text)) for name, text in said)
            name = columns.string(columns.bundle_name[bundle])
            known = self._published[bundle] = Published(
                package=package,
                packages=packages,
                version=version,
                gvks=tuple(self._gvk(group - names) for group in groups if group >= names),
                labels=frozenset(columns.texts(columns.bundle_labels[bundle])),
                deprecated=flags & DEPRECATED != 0,
                properties=partial(self._originals.properties, package, name, bundle),
            )
        return known

    def version(self, text: int) -> Version | None:
        """The version that a string is, read tolerantly; None for none."""
        if text == NONE:
            return None
        if text not in self._versions:
            try:
                self._versions[text] = Version.parse_tolerant(self._columns.string(text))
            except VersionError:
                self._versions[text] = None
        return self._versions[text]

    def rank_key(self, rank: int) -> Key:
        """What orders the version of a rank."""
        version = self.version(self._columns.rank_string[rank])
        return () if version is None else version.key

    def _name(self, place: int) -> str:
        return self._columns.string(self._columns.name_string[place])

    def _gvk(self, place: int) -> GVK:
        known = self._gvks.get(place)
        if known is None:
            known = self._gvks[place] = GVK(*self._columns.gvk_parts(place))
        return known
