"""Facts of bundles, groups and slots: objects that are made of the columns of an index when they are first asked for.

A group is the bundles of a package or the providers of an API, of which at most one can be selected. The columns do not
hold raw properties and origins: :class:`Originals` does.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Literal, Protocol, overload

import olmsolve._attrs as attrs
from olmsolve._named_tuples import NamedTuple
from olmsolve.catalog import Catalog, Channel, ChannelEntry
from olmsolve.catalog.index.packed import Packed
from olmsolve.catalog.index.schema import DEPRECATED, NONE, PLAIN
from olmsolve.catalog.model import entry_of
from olmsolve.errors import pointed
from olmsolve.predicates import GVK, Property, Published
from olmsolve.semver import Key, Version, read_version

if TYPE_CHECKING:
    from olmsolve.semver import VersionScheme


@attrs.frozen
class Fault:
    """A broken channel or bundle: a channel without an order (*bundle* is ""), or requirements that do not parse.

    *property* is the path to the offending property and in it. *excerpt* shows the fault inside a range or a CEL rule:
    see :class:`~olmsolve.errors.ConstraintError`.
    """

    package: str
    channel: str
    bundle: str
    property: str
    reason: str
    origin: str
    excerpt: str = ""

    def __str__(self) -> str:
        reason = pointed(self.reason, self.excerpt)
        return f"{self.property}: {reason}" if self.property else reason


class Originals(Protocol):
    """The values that the columns of an index do not hold, by the names of packages, bundles and channels."""

    def properties(self, package: str, bundle: str, number: int) -> tuple[Property, ...]:
        """Return all properties of a bundle, whose number in the index is *number*."""

    def origin(self, package: str, channel: str, bundle: str | None, number: int) -> str:
        """Return the origin of the bundle of this *number*; with *bundle* None, of the channel of this number."""


class CatalogObjects:
    """The originals of an index that was built from its catalog: the catalog's own objects."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def properties(self, package: str, bundle: str, number: int) -> tuple[Property, ...]:
        return self._catalog.packages[package].bundles[bundle].properties

    def origin(self, package: str, channel: str, bundle: str | None, number: int) -> str:
        original = self._catalog.packages[package]
        return str((original.channels[channel] if bundle is None else original.bundles[bundle]).origin or "")


class Group(NamedTuple):
    """An at-most-one group: all bundles of the package *name*, or all that provide the API of this *name*.

    An API's name is ``group/version/Kind``. In a version or kind, ``%2F`` stands for a slash and ``%25`` for ``%``, so
    that no two APIs have one name. Groups are compared field by field, so all APIs come before all packages.

    >>> Group.of_api(GVK("g", "v1", "K"))
    Group(kind='api', name='g/v1/K')
    >>> Group.of_api(GVK("g", "v/x", "K")).name, Group.of_api(GVK("g/v", "x", "K")).name
    ('g/v%2Fx/K', 'g/v/x/K')
    """

    kind: Literal["api", "package"]
    name: str

    @classmethod
    def of_api(cls, api: GVK | tuple[str, str, str]) -> Group:
        """Return the group of all bundles that provide *api*."""
        group, version, kind = api
        if "/" in version or "/" in kind or "%" in version or "%" in kind:
            version, kind = _escaped(version), _escaped(kind)
        return cls("api", f"{group}/{version}/{kind}")

    @property
    def gvk(self) -> GVK:
        """The API of a group of the kind ``"api"``."""
        group, version, kind = self.name.rsplit("/", 2)
        return GVK(group, _unescaped(version), _unescaped(kind))

    def __str__(self) -> str:
        return f"package {self.name}" if self.kind == "package" else f"the API {self.gvk}"


def _escaped(part: str) -> str:
    return part.replace("%", "%25").replace("/", "%2F")


def _unescaped(part: str) -> str:
    return part.replace("%2F", "/").replace("%25", "%")


def groups_of(facts: Published) -> tuple[Group, ...]:
    """Return the groups of a bundle: one for each of its ``olm.package`` properties and each API that it provides."""
    packages = dict.fromkeys([Group("package", name) for name, _ in facts.packages])
    return (*packages, *map(Group.of_api, facts.gvks))


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


class ChannelSlots(NamedTuple):
    """The slots of a channel: *ordered* from the head down, *all* followed by the entries outside of the order.

    *fault* is the slot that stands for a channel without an order, -1 for a channel that has one.
    """

    ordered: range
    all: range
    fault: int


class Slot(NamedTuple):
    """A bundle seen through one channel; *bundle* is its number in the index, -1 for a channel without an order."""

    channel: Channel
    entry: ChannelEntry
    bundle: int


class Slots(Sequence[Slot]):
    """The slots by number, with the catalog's own channels; the catalog of an index file is read for them."""

    def __init__(self, catalog: Catalog, columns: Packed) -> None:
        self._catalog = catalog
        self._columns = columns

    def __len__(self) -> int:
        return len(self._columns.slot_bundle)

    @overload
    def __getitem__(self, number: int) -> Slot: ...

    @overload
    def __getitem__(self, number: slice) -> Sequence[Slot]: ...

    def __getitem__(self, number: int | slice) -> Slot | Sequence[Slot]:
        if isinstance(number, slice):
            return [self[number_of_slot] for number_of_slot in range(*number.indices(len(self)))]
        columns = self._columns
        channel_number, bundle = columns.slot_channel[number], columns.slot_bundle[number]
        package = self._catalog.packages[columns.string(columns.name_string[columns.channel_package[channel_number]])]
        channel = package.channels[columns.string(columns.channel_name[channel_number])]
        return Slot(channel, ChannelEntry(""), -1) if bundle == NONE else Slot(channel, self.entry(number), bundle)

    def entry(self, number: int) -> ChannelEntry:
        """Return the entry of a slot that has a bundle; the index alone says what is in it."""
        columns = self._columns
        return entry_of(
            ChannelEntry,
            columns.string(columns.bundle_name[columns.slot_bundle[number]]),
            columns.string(columns.slot_replaces[number]),
            tuple(columns.texts(columns.slot_skips[number])),
            columns.string(columns.slot_range[number]),
        )

    def removing(self, slots: range, slot: int, version: Version | None) -> list[int]:
        """Return the slots among *slots*, all of one channel, whose ``skipRange`` takes *slot* out of the update graph.

        A range takes out the versions that it contains, unless their entry stays on purpose: an entry replaces it
        ("olm.channel schema" of the documentation). The caller has seen to it that *slot* is not the head::

            v1.2.0, skipRange <1.2.0, replaces v1.1.0      the head
            v1.1.0                                         stays: it is replaced
            v1.0.0                                         taken out by v1.2.0
        """
        columns = self._columns
        package = columns.channel_package[columns.slot_channel[slot]]
        names = columns.scoped(package, columns.string(columns.bundle_name[columns.slot_bundle[slot]]))
        others = [listed_slot for listed_slot in slots if listed_slot != slot]
        if version is None or any(columns.slot_replaces[other] in names for other in others):
            return []
        from olmsolve.catalog.update_graph import skip_range  # most requests name no startingCSV

        slots_left = []
        for other in others:
            versions = skip_range(columns.string(columns.slot_range[other])) if columns.slot_range[other] else None
            if versions is not None and version in versions:
                slots_left.append(other)
        return slots_left
