"""A catalog becomes columns, in one pass over its packages.

Some numbers can be made only when all packages were seen: the slots of channels other than default ones, groups of
APIs, ranks, and the lists of slots for each name, API and label.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any, Final, TypeAlias

from olmsolve._collector import COLLECTOR_PAUSE
from olmsolve._limits import checked
from olmsolve.catalog import Catalog, Channel, Package
from olmsolve.catalog.index.bundle_columns import API, BundleColumns, interval_columns
from olmsolve.catalog.index.lanes import halved, shifted, shifted_apart
from olmsolve.catalog.index.packed import Packed, hash_table
from olmsolve.catalog.index.schema import COLUMNS, NONE
from olmsolve.catalog.index.tables import Lists, Strings, joined, numbers, starts
from olmsolve.catalog.update_graph import channel_order
from olmsolve.semver import Key

MARKS: Final = ("strings", "texts", "groups", "requires", "requirements", "gvks")
"""The tables whose rows belong to packages: the columns ``package_...`` say where the rows of each package begin."""

Rows: TypeAlias = "Sequence[array[int]] | Mapping[int, array[int]]"
"""Lists of slots by the numbers of what they give."""

_CHANNEL_COLUMNS: Final = tuple(name for name in COLUMNS if name.startswith(("channel_", "slot_")))


def pack(catalog: Catalog) -> Packed:
    """Return the columns of *catalog*.

    Raises :class:`~olmsolve.errors.CatalogError` for a catalog with more than 4 GiB of names, which 32 bits cannot
    count.
    """
    with COLLECTOR_PAUSE:
        packages = {package.name: package for package in catalog}
        size = sum(len(package.bundles) for package in catalog)
        return Packer(packages, size, is_semantic=catalog.scheme is None).run()


class ChannelColumns:
    """The columns of some channels and of their slots: default channels, or the others.

    Slots are numbered in the order of preference, so all default channels come before all others. The two are filled
    side by side in one pass and joined at the end.
    """

    def __init__(self) -> None:
        self.columns: dict[str, array[int]] = {name: numbers() for name in _CHANNEL_COLUMNS}

    def add(self, **values: int) -> None:
        """Append one number to each of the columns named."""
        for name, value in values.items():
            self.columns[name].append(value)

    def extend_slots(self, **values: Sequence[int]) -> None:
        """Append the slots whose numbers are *values*, by column."""
        for name, numbers_ in values.items():
            self.columns[f"slot_{name}"].extend(numbers_)

    @property
    def slots(self) -> int:
        return len(self.columns["slot_bundle"])

    def __len__(self) -> int:
        return len(self.columns["channel_name"])

    def extend(self, later: ChannelColumns) -> None:
        """Append the channels *later*: after 2 channels with 5 slots, its slot 0 of channel 0 is slot 5 of 2."""
        shifts = dict.fromkeys(("channel_start", "channel_first", "channel_end", "channel_stop"), self.slots)
        shifts["slot_channel"] = len(self)
        for name, column in self.columns.items():
            shift = shifts.get(name, 0)
            column.extend(shifted(later.columns[name], shift))


class Packer:
    """One packing of *packages* with *size* bundles in all: the tables as far as they are filled."""

    def __init__(self, packages: Mapping[str, Package], size: int, *, is_semantic: bool = True) -> None:
        self.packages = packages
        self.ordered: list[str] = sorted(packages)
        self.strings: Strings = Strings()
        self.texts: Lists = Lists()
        self.names: dict[str, int] = {}
        self.bundles: BundleColumns = BundleColumns(self.strings, self.texts, self.names, size, is_semantic=is_semantic)
        self.undeclared: array[int] = numbers()
        self.package_bundles: array[int] = numbers([0])
        self.package_default: array[int] = numbers()
        self.package_channels: array[int] = numbers([0])
        self.package_deprecations: array[int] = numbers()
        self.defaults: ChannelColumns = ChannelColumns()
        self.others: ChannelColumns = ChannelColumns()
        self.default_slots: int = 0
        self.marks: dict[str, array[int]] = {name: numbers([0]) for name in MARKS}

    def run(self) -> Packed:
        for name in self.ordered:
            self.names[name] = len(self.names)
        self.marks["strings"][0] = len(self.strings.starts) - 1
        self.marks["texts"][0] = self.marks["groups"][0] = self.marks["requires"][0] = 1
        self.add_packages()
        columns = self.package_columns()
        self.default_slots = self.defaults.slots
        self.defaults.extend(self.others)
        self.bundles.forget()
        ranks, columns["rank_string"] = self.rank()
        columns |= self._table_columns()
        # The lists that the columns were copied from are freed before more columns are made, which then take its
        # memory.
        self.bundles.requires, self.bundles.packages = Lists(), Lists()
        columns |= self.slot_lists()
        requirement = self.bundles.requirement
        columns |= self.intervals(ranks, columns)
        columns |= self.defaults.columns | self.bundles.columns | requirement
        columns |= {"string_starts": self.strings.starts}
        return Packed({name: _column(columns[name]) for name in COLUMNS}, bytes(self.strings.text))

    def add_packages(self) -> None:
        """Add all packages in their order."""
        for name in checked(self.ordered):
            self.add_package(self.packages[name])

    def add_package(self, package: Package) -> None:
        """Append a package, its channels and its bundles."""
        self.undeclared.append(self.bundles.add(package))
        self.package_bundles.append(len(self.bundles))
        self.package_default.append(self._add_channels(package))
        self.package_channels.append(len(self.others))
        deprecated = (
            text
            for deprecation in package.deprecations
            for text in (deprecation.schema, deprecation.name, deprecation.message)
        )
        self.package_deprecations.append(self.deprecation_list(tuple(map(self.strings.number_of, deprecated))))
        self.strings.end_scope()
        for name, length in self.lengths().items():
            self.marks[name].append(length)

    def deprecation_list(self, items: tuple[int, ...]) -> int:
        """Return the number of a list of strings that says what is deprecated; packages may share it."""
        return self.texts.number_of(items)

    def lengths(self) -> dict[str, int]:
        """Return the number of rows of each table so far, by its name."""
        return {
            "strings": len(self.strings.starts) - 1,
            "texts": len(self.texts.starts) - 1,
            "groups": len(self.bundles.groups.starts) - 1,
            "requires": len(self.bundles.requires.starts) - 1,
            "requirements": len(self.bundles.requirement["requirement_type"]),
            "gvks": self.bundles.gvk_count(),
        }

    def package_columns(self) -> dict[str, Any]:
        """Return the columns with one number for each package, before the two kinds of channels are joined."""
        shift = len(self.defaults)
        return {
            "package_default": self.package_default,
            "package_channels": numbers(channel + shift for channel in self.package_channels),
            "package_undeclared": self.undeclared,
            "package_bundles": self.package_bundles,
            "package_deprecations": self.package_deprecations,
            **{f"package_{name}": marks for name, marks in self.marks.items()},
        }

    # -- channels

    def _add_channels(self, package: Package) -> int:
        """Add the channels; return the number of the default one, NONE if there is none."""
        default = NONE
        start = self.package_bundles[-2]
        bundles = {name: start + number for number, name in enumerate(package.bundles)}
        for channel in checked(sorted(package.channels.values(), key=lambda channel: channel.name)):
            into = self.others
            if channel.name == package.default_channel:
                into, default = self.defaults, len(self.defaults)
            self._add_channel(into, package.name, channel, bundles)
        return default

    def _add_channel(self, into: ChannelColumns, package: str, channel: Channel, bundles: Mapping[str, int]) -> None:
        entries = {entry.name: entry for entry in channel.entries if entry.name in bundles}
        empty = dict.fromkeys(entry.name for entry in channel.entries if entry.name not in bundles)
        order = channel_order(entries.values())
        number = len(into)
        start = into.slots
        if order.fault:
            into.extend_slots(channel=[number], bundle=[NONE], replaces=[0], skips=[0], range=[0])
        first = into.slots
        chain = order.chain
        # Without skipped entries the chain has all of them.
        names = chain if len(chain) == len(entries) else (*chain, *sorted(entries.keys() - set(chain)))
        ordered = [entries[name] for name in names]
        skipping = checked(ordered, every=16)
        scoped, texts, of_string = self.strings.scoped, self.texts.number_of, self.strings.number_of
        into.extend_slots(
            channel=[number] * len(ordered),
            bundle=[bundles[name] for name in names],
            replaces=[scoped(entry.replaces) for entry in ordered],
            skips=[texts(tuple(map(scoped, entry.skips))) if entry.skips else 0 for entry in skipping],
            range=[of_string(entry.skip_range) if entry.skip_range else 0 for entry in ordered],
        )
        into.add(
            channel_package=self.names[package],
            channel_name=of_string(channel.name),
            channel_start=start,
            channel_first=first,
            channel_end=first + len(chain),
            channel_stop=into.slots,
            channel_fault=of_string(order.fault),
            channel_empty_entries=texts(tuple(map(scoped, empty))),
        )

    # -- at the end, when all packages were seen

    def rank(self) -> tuple[Sequence[Key], Sequence[int]]:
        """Give bundles their ranks; return the keys of the versions, ascending, and a string for each."""
        return self.bundles.rank()

    def intervals(self, ranks: Sequence[Key], columns: Mapping[str, Any]) -> dict[str, array[int]]:
        """Return the columns of :func:`.interval_columns`: the interval of versions that each requirement means."""
        return interval_columns(self.strings, self.texts, self.bundles.requirement, self.names, ranks, columns)

    def _table_columns(self) -> dict[str, Any]:
        bundles, size = self.bundles, len(self.names)
        return {
            "texts_starts": self.texts.starts,
            "texts_string": self.texts.items,
            "groups_starts": bundles.groups.starts,
            "groups_group": shifted_apart(bundles.groups.items, API, 0, size - API),
            "packages_starts": halved(bundles.packages.starts),
            "packages_name": bundles.packages.items[::2],
            "packages_version": bundles.packages.items[1::2],
            "requires_starts": halved(bundles.requires.starts),
            "requires_requirement": bundles.requires.items[::2],
            "requires_property": bundles.requires.items[1::2],
            **self.name_and_api_columns(),
        }

    def name_and_api_columns(self) -> dict[str, Any]:
        """Return the columns that number names and APIs, and say what each API is."""
        number_of, gvks = self.strings.number_of, ["/".join(gvk) for gvk in self.bundles.gvks]
        return {
            "gvk_group": numbers([len(group) for group, _, _ in self.bundles.gvks]),
            "gvk_version": numbers([len(version) for _, version, _ in self.bundles.gvks]),
            "gvk_package": self._api_packages(),
            "name_string": numbers(map(number_of, self.names)),
            "name_table": hash_table(self.names),
            "gvk_text": numbers(map(number_of, gvks)),
            "gvk_table": hash_table(gvks),
        }

    def _api_packages(self) -> list[int]:
        """Return for each API the package of all bundles that provide it, NONE if they are not all of one package.

        Skipped bundles count as well: a subscription can start at any.
        """
        owners: list[int | None] = [None] * len(self.bundles.gvks)
        items = self.bundles.groups.items
        for start, end in checked(pairwise(self.bundles.groups.starts), every=1024):
            # A list is its packages, then its APIs, with their bit: (4, API | 0, API | 2), and `api ^ API` is 0 and 2.
            listed = items[start:end]
            packages = [group for group in listed if not group & API]
            owner = packages[0] if len(packages) == 1 else NONE
            for api in listed[len(packages) :]:
                before = owners[api ^ API]
                owners[api ^ API] = owner if before in (None, owner) else NONE
        return [NONE if owner is None else owner for owner in owners]

    def slot_lists(self) -> dict[str, Any]:
        """Return the slots that can be candidates, for each name, API and label."""
        by_name = [numbers() for _ in self.names]
        by_gvk = [numbers() for _ in self.bundles.gvks]
        by_label: dict[int, array[int]] = {}
        self.post(range(len(self.defaults)), by_name, by_gvk, by_label)
        return self.by_version(by_name) | {
            "name_starts": starts(by_name),
            "name_slots": joined(by_name),
            "gvk_starts": starts(by_gvk),
            "gvk_slots": joined(by_gvk),
            "label_string": list(by_label),
            "label_table": hash_table(map(self.strings.text_of, by_label)),
            "label_starts": starts(list(by_label.values())),
            "label_slots": joined(list(by_label.values())),
        }

    def post(
        self,
        numbered: Iterable[int],
        by_name: Rows,
        by_gvk: Rows,
        by_label: dict[int, array[int]],
    ) -> None:
        """Append the slots of the *numbered* channels to the rows of what their bundles give."""
        channels = self.defaults.columns
        slot_bundle = channels["slot_bundle"]
        group_starts, groups = self.bundles.groups.starts, self.bundles.groups.items
        list_of, labels_of = self.bundles.columns["bundle_groups"], self.bundles.columns["bundle_labels"]
        columns = [channels[f"channel_{name}"] for name in ("package", "start", "first", "end", "stop")]
        for number in checked(numbered):
            package, start, first, end, stop = [column[number] for column in columns]
            # In a channel without an order, its one slot is a candidate for whatever any of its bundles could give.
            is_ordered = start == first
            bundles = slot_bundle[first : end if is_ordered else stop]
            every = range(first, end) if is_ordered else range(start, start + 1)
            if bundles:
                by_name[package].extend(every)
            for listed, slots in _runs([list_of[bundle] for bundle in bundles], every):
                for group in groups[group_starts[listed] : group_starts[listed + 1]]:
                    if group != package:
                        _extend(by_gvk[group ^ API] if group & API else by_name[group], slots)
            for labels, slots in _runs([labels_of[bundle] for bundle in bundles], every):
                for label in self.texts.at(labels):
                    _extend(by_label.setdefault(label, numbers()), slots)

    def by_version(self, by_name: Sequence[array[int]]) -> dict[str, Any]:
        """Return the slots of each name in the order of their versions, with the ranks, if all slots have one."""
        slot_bundle, ranks = self.defaults.columns["slot_bundle"], self.bundles.columns["bundle_rank"]
        ranked_slots, ranked_ranks, ranked = numbers(), numbers(), numbers()
        for slots in checked(by_name, every=16):
            bundles = [slot_bundle[slot] for slot in slots]
            version_ranks = [NONE if bundle == NONE else ranks[bundle] for bundle in bundles]
            is_ranked = NONE not in version_ranks
            pairs = sorted(zip(version_ranks, slots, strict=True)) if is_ranked else [(0, slot) for slot in slots]
            ranked.append(is_ranked)
            ranked_ranks.extend([rank for rank, _ in pairs])
            ranked_slots.extend([slot for _, slot in pairs])
        return {"name_ranked_slots": ranked_slots, "name_ranks": ranked_ranks, "name_ranked": ranked}


def _column(values: Any) -> array[int]:
    # An array is not copied: memory for large blocks that is freed late stays with the process.
    return values if isinstance(values, array) else numbers(values)


def _runs(lists: Sequence[int], slots: range) -> Iterator[tuple[int, range]]:
    """Yield each run of equal numbers in *lists* with its part of *slots*, or with all of them if there is only one.

    Versions of an operator mostly provide the same, so that a channel is a few runs::

        lists (7, 7, 7, 9), slots 20 to 23: 7 with 20 to 22, then 9 with 23
    """
    # Slot by slot, community-prod would be packed in 65 ms, not in 46.
    done = 0
    for number, run in groupby(lists):
        before, done = done, done + sum(1 for _ in run)
        yield number, slots[before:done] if len(slots) == len(lists) else slots


def _extend(numbers: array[int], slots: range) -> None:
    """Append *slots*, unless they are there: the one slot of a channel without an order comes several times."""
    if not numbers or numbers[-1] != slots[0]:
        numbers.extend(slots)
