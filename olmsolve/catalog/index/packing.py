"""A catalog becomes columns, in one pass over its packages.

No objects are kept on the way, since they would take more memory than the columns. So the facts of a bundle are read
here a second time, in the way of :func:`olmsolve.predicates.published`; the tests hold the two together.

Some numbers can be made only when all packages were seen: the slots of channels other than default ones, groups of
APIs, ranks, and the lists of slots for each name, API and label.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from olmsolve._limits import checked
from olmsolve.catalog import Bundle, Catalog, Channel, Package
from olmsolve.catalog.index.intervals import interval_columns
from olmsolve.catalog.index.packed import Packed, hash_table
from olmsolve.catalog.index.schema import COLUMNS, DEPRECATED, HELD, NONE, PLAIN
from olmsolve.catalog.index.tables import Lists, Strings, append_new, joined, json_text, numbers, starts
from olmsolve.catalog.update_graph import channel_order
from olmsolve.errors import VersionError
from olmsolve.predicates import GVK_NAMES, LABEL_NAMES, PACKAGE_NAMES, REQUIREMENT_TYPES, Property, named
from olmsolve.semver import Key, Version

# The group of API n is n plus the number of names, which is not known before the end: until then it is n with this bit.
# With 3 names, groups (1, _API | 0, _API | 2) become (1, 3, 5).
_API: Final = 1 << 31
_BUNDLE_COLUMNS: Final = tuple(name for name in COLUMNS if name.startswith("bundle_"))
_CHANNEL_COLUMNS: Final = tuple(name for name in COLUMNS if name.startswith(("channel_", "slot_")))
_READ: Final = REQUIREMENT_TYPES | {"olm.package", "olm.gvk", "olm.label", "olm.deprecated"}


def pack(catalog: Catalog) -> Packed:
    """Return the columns of *catalog*.

    Raises :class:`~olmsolve.errors.CatalogError` for a catalog with more than 4 GiB of names, which 32 bits cannot
    count.
    """
    return _Packer().run(catalog)


class _ChannelColumns:
    """The columns of some channels and of their slots: default channels, or the others.

    Slots are numbered in the order of preference, so all default channels come before all others. The two are filled
    side by side in one pass and joined at the end.
    """

    def __init__(self) -> None:
        self.columns = {name: numbers() for name in _CHANNEL_COLUMNS}

    def add(self, **values: int) -> None:
        for name, value in values.items():
            self.columns[name].append(value)

    @property
    def slots(self) -> int:
        return len(self.columns["slot_bundle"])

    def __len__(self) -> int:
        return len(self.columns["channel_name"])

    def extend(self, later: _ChannelColumns) -> None:
        """Append the channels *later*: behind 2 channels with 5 slots, its slot 0 of channel 0 is slot 5 of 2."""
        shifts = dict.fromkeys(("channel_start", "channel_first", "channel_end", "channel_stop"), self.slots)
        shifts["slot_channel"] = len(self)
        for name, column in self.columns.items():
            shift = shifts.get(name, 0)
            column.extend([value + shift for value in later.columns[name]] if shift else later.columns[name])


class _Packer:
    """One packing: the tables as far as they are filled."""

    def __init__(self) -> None:
        self.strings = Strings()
        self.texts = Lists()
        self.groups = Lists()
        self.packages = Lists()
        self.requires = Lists()
        self.bundles = {name: numbers() for name in _BUNDLE_COLUMNS}
        self.names: dict[str, int] = {}
        self.gvks: dict[tuple[str, str, str], int] = {}
        self.requirements: dict[tuple[str, ...], int] = {}
        self.requirement = {f"requirement_{name}": numbers() for name in ("type", "json", "fields")}
        # Of bundles of one package most properties are alike: each text is decoded once.
        self._gvk_of_text: dict[bytes, int] = {}
        self._requirement_of_text: dict[tuple[str, bytes], int] = {}
        self.versions: dict[str, Version | None] = {}
        self.ranks: list[Key] = []
        self.undeclared = numbers()
        self.package_bundles = numbers([0])
        self.package_deprecations = numbers()
        self.defaults = _ChannelColumns()
        self.others = _ChannelColumns()

    def run(self, catalog: Catalog) -> Packed:
        packages = sorted(catalog, key=lambda package: package.name)
        for package in packages:
            self.names[package.name] = len(self.names)
        default = numbers()
        channels = numbers([0])
        for package in checked(packages):
            self._add_bundles(package)
            default.append(self._add_channels(package))
            channels.append(len(self.others))
            deprecated = (text for each in package.deprecations for text in (each.schema, each.name, each.message))
            self.package_deprecations.append(self.texts.of(tuple(map(self.strings.of, deprecated))))
            self.strings.end_scope()
            self.groups.forget()
            self.requires.forget()
        shift = len(self.defaults)
        columns: dict[str, Any] = {
            "package_default": default,
            "package_channels": [channel + shift for channel in channels],
            "package_undeclared": self.undeclared,
            "package_bundles": self.package_bundles,
            "package_deprecations": self.package_deprecations,
        }
        self.defaults.extend(self.others)
        columns |= self._rank_versions()
        columns |= self._table_columns()
        columns |= self._slot_lists()
        columns |= interval_columns(self.strings, self.texts, self.requirement, self.names, self.ranks, columns)
        columns |= self.defaults.columns | self.bundles | self.requirement
        columns |= {"string_starts": self.strings.starts}
        return Packed({name: _column(columns[name]) for name in COLUMNS}, bytes(self.strings.text))

    # -- bundles

    def _add_bundles(self, package: Package) -> None:
        undeclared = 0
        append = {name: column.append for name, column in self.bundles.items()}
        for key, bundle in checked(package.bundles.items(), every=16):
            declared = self._add_bundle(package.name, key, bundle, append)
            undeclared |= not declared
        self.undeclared.append(undeclared)
        self.package_bundles.append(len(self.bundles["bundle_name"]))

    def _add_bundle(self, package: str, name: str, bundle: Bundle, append: Mapping[str, Any]) -> bool:
        """Read the properties of a bundle; return whether one says that it is of *package*."""
        packages: list[tuple[str, str | None]] = []
        own: str | None = None
        gvks: dict[int, None] = {}
        labels: set[str] = set()
        requires: list[int] = []
        flags = 0
        for position, item in enumerate(bundle.properties):
            kind = item.type
            if kind not in _READ:
                continue
            if kind == "olm.gvk":
                number = self._gvk_number(item)
                if number >= 0:
                    gvks[number] = None
            elif kind == "olm.package":
                value = item.value
                if isinstance(value, dict):
                    value = named(value, PACKAGE_NAMES)
                    of, version = value.get("packageName"), value.get("version")
                    stated = version if isinstance(version, str) else None
                    if isinstance(of, str):
                        packages.append((of, stated))
                    if own is None:
                        own = stated
            elif kind == "olm.label":
                value = item.value
                label = named(value, LABEL_NAMES).get("label") if isinstance(value, dict) else None
                if isinstance(label, str):
                    labels.add(label)
            elif kind == "olm.deprecated":
                flags |= DEPRECATED
            else:
                requirement = self._requirement_of(item)
                flags |= HELD if requirement < 0 else 0
                requires += (max(requirement, 0), position)
        self._add_packages(packages, own, gvks, flags, append)
        of_string = self.strings.of
        append["bundle_name"](self.strings.scoped(name))
        append["bundle_rank"](NONE)
        append["bundle_labels"](self.texts.of(tuple(of_string(label) for label in sorted(labels))))
        append["bundle_requires"](self.requires.of(tuple(requires)))
        return any(of == package for of, _ in packages)

    def _add_packages(
        self,
        packages: list[tuple[str, str | None]],
        own: str | None,
        gvks: Iterable[int],
        flags: int,
        append: Mapping[str, Any],
    ) -> None:
        """Append what a bundle's olm.package properties (*packages*), its *own* version and its *gvks* give."""
        parsed = [(self._name_number(of), text, self._strict_version(text)) for of, text in packages]
        plain = len(parsed) == 1 and parsed[0][1] == own and parsed[0][2] is not None
        of_string = self.strings.of
        groups = [*dict.fromkeys(of for of, _, _ in parsed), *(_API | gvk for gvk in gvks)]
        pairs: tuple[int, ...] = ()
        if not plain:
            numbered = (
                (of, NONE if version is None or text is None else of_string(text)) for of, text, version in parsed
            )
            pairs = tuple(number for pair in numbered for number in pair)
        append["bundle_flags"](flags | (PLAIN if plain else 0))
        append["bundle_version"](NONE if own is None else of_string(own))
        append["bundle_packages"](self.packages.of(pairs))
        append["bundle_groups"](self.groups.of(tuple(groups)))

    def _name_number(self, text: str) -> int:
        return self.names.setdefault(text, len(self.names))

    def _strict_version(self, text: str | None) -> Version | None:
        if text is None:
            return None
        if text not in self.versions:
            try:
                self.versions[text] = Version.parse(text)
            except VersionError:
                self.versions[text] = None
        return self.versions[text]

    def _gvk_number(self, item: Property) -> int:
        """Return the number of the API that *item* gives, -1 if it is malformed."""
        text = item.held_text
        if text is None:
            return -1
        number = self._gvk_of_text.get(text)
        if number is None:
            number, value = -1, item.value
            if isinstance(value, dict):
                get = named(value, GVK_NAMES).get
                gvk = get("group", ""), get("version", ""), get("kind", "")
                if all(isinstance(part, str) for part in gvk):
                    number = self.gvks.setdefault(gvk, len(self.gvks))
            self._gvk_of_text[text] = number
        return number

    def _requirement_of(self, item: Property) -> int:
        """Return the number of the requirement that *item* states, -1 for one that JSON cannot hold."""
        text = item.held_text
        if text is None:
            return self._requirement_number(item.type, item.value)
        key = item.type, text
        number = self._requirement_of_text.get(key)
        if number is None:
            number = self._requirement_of_text[key] = self._requirement_number(item.type, item.value)
        return number

    def _requirement_number(self, kind: str, value: Any) -> int:
        """Return the number of a requirement, -1 for one that JSON cannot hold."""
        # An object of texts, as nearly all requirements are, is kept as a list of strings, which need no parsing.
        flat = type(value) is dict and all(type(part) is str for item in value.items() for part in item)
        key: tuple[str, ...]
        if flat:
            key = (kind, *(part for item in value.items() for part in item))
        else:
            text = json_text(value)
            if text is None:
                return -1
            key = (kind, text)
        number = self.requirements.get(key)
        if number is None:
            number = self.requirements[key] = len(self.requirements)
            of = self.strings.of
            self.requirement["requirement_type"].append(of(kind))
            self.requirement["requirement_json"].append(0 if flat else of(key[1]))
            fields = tuple(map(of, key[1:])) if flat else ()
            self.requirement["requirement_fields"].append(self.texts.of(fields))
        return number

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

    def _add_channel(self, into: _ChannelColumns, package: str, channel: Channel, bundles: Mapping[str, int]) -> None:
        entries = {entry.name: entry for entry in channel.entries if entry.name in bundles}
        empty = dict.fromkeys(entry.name for entry in channel.entries if entry.name not in bundles)
        order = channel_order(entries.values())
        number = len(into)
        start = into.slots
        if order.fault:
            into.add(slot_channel=number, slot_bundle=NONE, slot_replaces=0, slot_skips=0, slot_range=0)
        first = into.slots
        left_out = sorted(entries.keys() - set(order.chain))
        for entry_name in (*order.chain, *left_out):
            entry = entries[entry_name]
            into.add(
                slot_channel=number,
                slot_bundle=bundles[entry_name],
                slot_replaces=self.strings.scoped(entry.replaces),
                slot_skips=self.texts.of(tuple(map(self.strings.scoped, entry.skips))) if entry.skips else 0,
                slot_range=self.strings.of(entry.skip_range) if entry.skip_range else 0,
            )
        into.add(
            channel_package=self.names[package],
            channel_name=self.strings.of(channel.name),
            channel_start=start,
            channel_first=first,
            channel_end=first + len(order.chain),
            channel_stop=into.slots,
            channel_fault=self.strings.of(order.fault),
            channel_empty_entries=self.texts.of(tuple(map(self.strings.scoped, empty))),
        )

    # -- at the end, when all packages were seen

    def _rank_versions(self) -> dict[str, Any]:
        """Rank the versions, give PLAIN bundles their ranks, and return the versions by rank."""
        texts: dict[Key, str] = {}
        for text, version in self.versions.items():
            if version is not None:
                texts.setdefault(version.key, text)
        ordered = self.ranks = sorted(texts)
        rank_of = {key: rank for rank, key in enumerate(ordered)}
        of = self.strings.of
        ranks = {of(text): rank_of[version.key] for text, version in self.versions.items() if version is not None}
        flags, versions = self.bundles["bundle_flags"], self.bundles["bundle_version"]
        self.bundles["bundle_rank"] = numbers(
            ranks[version] if flag & PLAIN else NONE
            for flag, version in checked(zip(flags, versions, strict=True), every=4096)
        )
        return {"rank_string": [of(texts[key]) for key in ordered]}

    def _table_columns(self) -> dict[str, Any]:
        of = self.strings.of
        size = len(self.names)
        groups = [size + (group ^ _API) if group & _API else group for group in self.groups.items]
        gvks = ["/".join(gvk) for gvk in self.gvks]
        return {
            "texts_starts": self.texts.starts,
            "texts_string": self.texts.items,
            "groups_starts": self.groups.starts,
            "groups_group": groups,
            "packages_starts": [start // 2 for start in self.packages.starts],
            "packages_name": self.packages.items[::2],
            "packages_version": self.packages.items[1::2],
            "requires_starts": [start // 2 for start in self.requires.starts],
            "requires_requirement": self.requires.items[::2],
            "requires_property": self.requires.items[1::2],
            "name_string": list(map(of, self.names)),
            "name_table": hash_table(self.names),
            "gvk_text": list(map(of, gvks)),
            "gvk_group": [len(group) for group, _, _ in self.gvks],
            "gvk_version": [len(version) for _, version, _ in self.gvks],
            "gvk_table": hash_table(gvks),
            "gvk_package": self._api_packages(),
        }

    def _api_packages(self) -> list[int]:
        """Return for each API the package of all bundles that provide it, NONE if they are not all of one package.

        Skipped bundles count as well: a subscription can start at any.
        """
        owners: list[int | None] = [None] * len(self.gvks)
        items = self.groups.items
        for start, end in checked(pairwise(self.groups.starts), every=1024):
            listed = items[start:end]
            packages = [group for group in listed if not group & _API]
            owner = packages[0] if len(packages) == 1 else NONE
            for api in listed[len(packages) :]:
                before = owners[api ^ _API]
                owners[api ^ _API] = owner if before in (None, owner) else NONE
        return [NONE if owner is None else owner for owner in owners]

    def _slot_lists(self) -> dict[str, Any]:
        """Return the slots that can be candidates, for each name, API and label."""
        channels = self.defaults.columns
        slot_bundle = channels["slot_bundle"]
        by_name = [numbers() for _ in self.names]
        by_gvk = [numbers() for _ in self.gvks]
        by_label: dict[int, array[int]] = {}
        group_starts, groups = self.groups.starts, self.groups.items
        list_of, labels_of = self.bundles["bundle_groups"], self.bundles["bundle_labels"]
        rows = zip(*(channels[f"channel_{name}"] for name in ("package", "start", "first", "end", "stop")), strict=True)
        for package, start, first, end, stop in checked(rows):
            # In a channel without an order, its one slot is a candidate for whatever any of its bundles could give.
            members = range(first, stop if start < first else end)
            for member in checked(members, every=256):
                slot, bundle = start if start < first else member, slot_bundle[member]
                append_new(by_name[package], slot)
                listed = list_of[bundle]
                for group in groups[group_starts[listed] : group_starts[listed + 1]]:
                    append_new(by_gvk[group ^ _API] if group & _API else by_name[group], slot)
                if labels_of[bundle]:
                    for label in self.texts.at(labels_of[bundle]):
                        append_new(by_label.setdefault(label, numbers()), slot)
        return self._by_version(by_name) | {
            "name_starts": starts(by_name),
            "name_slots": joined(by_name),
            "gvk_starts": starts(by_gvk),
            "gvk_slots": joined(by_gvk),
            "label_string": list(by_label),
            "label_table": hash_table(map(self.strings.text_of, by_label)),
            "label_starts": starts(list(by_label.values())),
            "label_slots": joined(list(by_label.values())),
        }

    def _by_version(self, by_name: Sequence[array[int]]) -> dict[str, Any]:
        """Return the slots of each name in the order of their versions, with the ranks, if all slots have one."""
        slot_bundle, ranks = self.defaults.columns["slot_bundle"], self.bundles["bundle_rank"]
        ranked_slots, ranked_ranks, ranked = numbers(), numbers(), numbers()
        for slots in checked(by_name, every=16):
            bundles = [slot_bundle[slot] for slot in slots]
            own = [NONE if bundle == NONE else ranks[bundle] for bundle in bundles]
            is_ranked = NONE not in own
            pairs = sorted(zip(own, slots, strict=True)) if is_ranked else [(0, slot) for slot in slots]
            ranked.append(is_ranked)
            ranked_ranks.extend([rank for rank, _ in pairs])
            ranked_slots.extend([slot for _, slot in pairs])
        return {"name_ranked_slots": ranked_slots, "name_ranks": ranked_ranks, "name_ranked": ranked}


def _column(values: Any) -> array[int]:
    # An array is not copied: memory for large blocks that is freed late stays with the process.
    return values if isinstance(values, array) else numbers(values)
