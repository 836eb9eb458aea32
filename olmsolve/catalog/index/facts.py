"""Published facts of bundles, made from the columns of an index when they are first asked for."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from olmsolve.catalog.index.originals import Originals
from olmsolve.catalog.index.packed import Packed
from olmsolve.catalog.index.schema import DEPRECATED, NONE, PLAIN
from olmsolve.predicates import GVK, Published
from olmsolve.semver import Key, Version, read_version

if TYPE_CHECKING:
    from olmsolve.semver import VersionScheme


class FactTable:
    """Versions and published facts by their numbers in the columns, each made once and then remembered."""

    def __init__(self, columns: Packed, originals: Originals, scheme: VersionScheme | None = None) -> None:
        self._columns = columns
        self._scheme = scheme
        self._originals = originals
        self._published: dict[int, Published] = {}
        self._gvks: dict[int, GVK] = {}
        self._versions: dict[int, Version | None] = {}

    def published(self, bundle: int, channel: int) -> Published:
        """Return the facts that a bundle publishes; *channel* is any channel of its package."""
        facts = self._published.get(bundle)
        if facts is None:
            columns = self._columns
            names = len(columns.name_string)
            groups = columns.groups(columns.bundle_groups[bundle])
            flags = columns.bundle_flags[bundle]
            package = columns.string(columns.name_string[columns.channel_package[channel]])
            version = self.version(columns.bundle_version[bundle])
            if flags & PLAIN:
                # The first group is the one package, and no list of its olm.package properties is kept.
                packages = tuple((self._name(group), version) for group in groups[:1] if group < names)
            else:
                number = columns.bundle_packages[bundle]
                listed = range(columns.packages_starts[number], columns.packages_starts[number + 1])
                pairs = ((columns.packages_name[row], columns.packages_version[row]) for row in listed)
                packages = tuple((self._name(name), self.version(text)) for name, text in pairs)
            name = columns.string(columns.bundle_name[bundle])
            facts = self._published[bundle] = Published(
                package=package,
                packages=packages,
                version=version,
                gvks=tuple(self._gvk(group - names) for group in groups if group >= names),
                labels=frozenset(columns.texts(columns.bundle_labels[bundle])),
                deprecated=flags & DEPRECATED != 0,
                properties=partial(self._originals.properties, package, name, bundle),
            )
        return facts

    def version(self, text: int) -> Version | None:
        """Return the version that a string says, read tolerantly; None for NONE and for a text that is no version."""
        if text == NONE:
            return None
        if text not in self._versions:
            self._versions[text] = read_version(self._columns.string(text), self._scheme)
        return self._versions[text]

    def rank_key(self, rank: int) -> Key:
        """Return the sort key of the version of a rank."""
        version = self.version(self._columns.rank_string[rank])
        return () if version is None else version.key

    def _name(self, number: int) -> str:
        return self._columns.string(self._columns.name_string[number])

    def _gvk(self, number: int) -> GVK:
        gvk = self._gvks.get(number)
        if gvk is None:
            gvk = self._gvks[number] = GVK(*self._columns.gvk_parts(number))
        return gvk
