"""A catalog becomes columns, in one pass over its packages and without keeping objects.

What a bundle publishes is read as :func:`olmsolve.predicates.published` reads it; the tests hold them together.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Final

from olmsolve.catalog import Bundle, Catalog, ChannelEntry, Package
from olmsolve.catalog.index.intervals import intervals
from olmsolve.catalog.index.packed import COLUMNS, DEPRECATED, HELD, NONE, PLAIN, Packed, hash_table
from olmsolve.catalog.index.tables import Lists, Strings, append, joined, json_text, numbers, starts
from olmsolve.catalog.update_graph import channel_order
from olmsolve.errors import VersionError
from olmsolve.predicates import REQUIREMENT_TYPES
from olmsolve.semver import Key, Version

__all__ = ["packed"]

# Until the number of names is known, groups of APIs are told from those of packages by this bit.
_API: Final = 1 << 31
_READ: Final = REQUIREMENT_TYPES | {"olm.package", "olm.gvk", "olm.label", "olm.deprecated"}


def packed(catalog: Catalog) -> Packed:
    """The columns of *catalog*.

    Raises :class:`~olmsolve.errors.CatalogError` for a catalog of more than 4 GiB of names, which 32 bits cannot count.
    """
    return _Packer().pack(catalog)


class _ChannelColumns:
    """The channels that come first, or those that come after, with their slots."""

    def __init__(self) -> None:
        self.columns = {name: numbers() for name in COLUMNS if name.startswith(("channel_", "slot_"))}

    def add(self, **values: int) -> None:
        for name, value in values.items():
            self.columns[name].append(value)

    @property
    def slots(self) -> int:
        return len(self.columns["slot_bundle"])

    def __len__(self) -> int:
        return len(self.columns["channel_name"])

    def extend(self, later: _ChannelColumns) -> None:
        """Number *later* after what is here."""
        shifts = dict.fromkeys(("channel_start", "channel_first", "channel_end", "channel_stop"), self.slots)
        shifts["slot_channel"] = len(self)
        for name, column in self.columns.items():
            shift = shifts.get(name, 0)
            column.extend([value + shift for value in later.columns[name]] if shift else later.columns[name])


class _Packer:
    def __init__(self) -> None:
        self.strings = Strings()
        self.texts = Lists()
        self.groups = Lists()
        self.packages = Lists()
        self.requires = Lists()
        self.bundles = {name: numbers() for name in COLUMNS if name.startswith("bundle_")}
        self.names: dict[str, int] = {}
        self.gvks: dict[tuple[str, str, str], int] = {}
        self.requirements: dict[tuple[str, ...], int] = {}
        self.requirement = {f"requirement_{name}": numbers() for name in ("type", "json", "fields")}
        self.versions: dict[str, Version | None] = {}
        self.ranks: list[Key] = []
        self.undeclared = numbers()
        self.package_bundles = numbers([0])
        self.first = _ChannelColumns()
        self.after = _ChannelColumns()

    def pack(self, catalog: Catalog) -> Packed:
        packages = sorted(catalog, key=lambda package: package.name)
        for package in packages:
            self.names[package.name] = len(self.names)
        default = numbers()
        channels = numbers([0])
        for package in packages:
            self._bundles(package)
            default.append(self._channels(package))
            channels.append(len(self.after))
            self.strings.end_scope()
            self.groups.forget()
            self.requires.forget()
        shift = len(self.first)
        columns: dict[str, Any] = {
            "package_default": default,
            "package_channels": [place + shift for place in channels],
            "package_undeclared": self.undeclared,
            "package_bundles": self.package_bundles,
        }
        self.first.extend(self.after)
        columns |= self._ranked()
        columns |= self._tables()
        columns |= self._postings()
        columns |= intervals(self.strings, self.texts, self.requirement, self.names, self.ranks, columns)
        columns |= self.first.columns | self.bundles | self.requirement
        columns |= {"string_starts": self.strings.starts}
        return Packed({name: _column(columns[name]) for name in COLUMNS}, bytes(self.strings.text))

    # -- bundles

    def _bundles(self, package: Package) -> None:
        undeclared = 0
        append = {name: column.append for name, column in self.bundles.items()}
        for key, bundle in package.bundles.items():
            declared = self._bundle(package.name, key, bundle, append)
            undeclared |= not declared
        self.undeclared.append(undeclared)
        self.package_bundles.append(len(self.bundles["bundle_name"]))

    def _bundle(self, package: str, name: str, bundle: Bundle, append: Mapping[str, Any]) -> bool:
        """Read the properties; whether one says that the bundle is of *package*."""
        said: list[tuple[str, str | None]] = []
        own: str | None = None
        gvks: dict[int, None] = {}
        labels: set[str] = set()
        requires: list[int] = []
        flags = 0
        for place, item in enumerate(bundle.properties):
            kind = item.type
            if kind not in _READ:
                continue
            value = item.value
            if kind == "olm.gvk":
                if isinstance(value, dict):
                    gvk = value.get("group", ""), value.get("version", ""), value.get("kind", "")
                    if all(isinstance(part, str) for part in gvk):
                        gvks[self.gvks.setdefault(gvk, len(self.gvks))] = None
            elif kind == "olm.package":
                if isinstance(value, dict):
                    of, version = value.get("packageName"), value.get("version")
                    text = version if isinstance(version, str) else None
                    if isinstance(of, str):
                        said.append((of, text))
                    if own is None:
                        own = text
            elif kind == "olm.label":
                if isinstance(value, dict) and isinstance(value.get("label"), str):
                    labels.add(value["label"])
            elif kind == "olm.deprecated":
                flags |= DEPRECATED
            else:
                what = self._requirement(kind, value)
                flags |= HELD if what < 0 else 0
                requires += (max(what, 0), place)
        parsed = [(self._name(of), text, self._strict(text)) for of, text in said]
        plain = len(parsed) == 1 and parsed[0][1] == own and parsed[0][2] is not None
        of_string = self.strings.of
        groups = [*dict.fromkeys(of for of, _, _ in parsed), *(_API | gvk for gvk in gvks)]
        pairs: tuple[int, ...] = ()
        if not plain:
            known = ((of, NONE if version is None or text is None else of_string(text)) for of, text, version in parsed)
            pairs = tuple(number for pair in known for number in pair)
        append["bundle_name"](self.strings.scoped(name))
        append["bundle_flags"](flags | (PLAIN if plain else 0))
        append["bundle_version"](NONE if own is None else of_string(own))
        append["bundle_rank"](NONE)
        append["bundle_packages"](self.packages.of(pairs))
        append["bundle_groups"](self.groups.of(tuple(groups)))
        append["bundle_labels"](self.texts.of(tuple(of_string(label) for label in sorted(labels))))
        append["bundle_requires"](self.requires.of(tuple(requires)))
        return any(of == package for of, _ in said)

    def _name(self, text: str) -> int:
        return self.names.setdefault(text, len(self.names))

    def _strict(self, text: str | None) -> Version | None:
        if text is None:
            return None
        if text not in self.versions:
            try:
                self.versions[text] = Version.parse(text)
            except VersionError:
                self.versions[text] = None
        return self.versions[text]

    def _requirement(self, kind: str, value: Any) -> int:
        """The place of a requirement, -1 for one that JSON cannot hold."""
        flat = type(value) is dict and all(type(part) is str for item in value.items() for part in item)
        key: tuple[str, ...]
        if flat:
            key = (kind, *(part for item in value.items() for part in item))
        else:
            text = json_text(value)
            if text is None:
                return -1
            key = (kind, text)
        place = self.requirements.get(key)
        if place is None:
            place = self.requirements[key] = len(self.requirements)
            of = self.strings.of
            self.requirement["requirement_type"].append(of(kind))
            self.requirement["requirement_json"].append(0 if flat else of(key[1]))
            fields = tuple(map(of, key[1:])) if flat else ()
            self.requirement["requirement_fields"].append(self.texts.of(fields))
        return place

    # -- channels

    def _channels(self, package: Package) -> int:
        """Number the channels; the place of the default one among the first, NONE if there is none."""
        default = NONE
        start = self.package_bundles[-2]
        places = {name: start + number for number, name in enumerate(package.bundles)}
        for channel in sorted(package.channels.values(), key=lambda channel: channel.name):
            entries = {entry.name: entry for entry in channel.entries if entry.name in places}
            if channel.name == package.default_channel:
                default = len(self.first)
                self._channel(self.first, package.name, channel.name, entries, places)
            else:
                self._channel(self.after, package.name, channel.name, entries, places)
        return default

    def _channel(
        self,
        into: _ChannelColumns,
        package: str,
        name: str,
        entries: Mapping[str, ChannelEntry],
        places: Mapping[str, int],
    ) -> None:
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
                slot_bundle=places[entry_name],
                slot_replaces=self.strings.scoped(entry.replaces),
                slot_skips=self.texts.of(tuple(map(self.strings.scoped, entry.skips))) if entry.skips else 0,
                slot_range=self.strings.of(entry.skip_range) if entry.skip_range else 0,
            )
        into.add(
            channel_package=self.names[package],
            channel_name=self.strings.of(name),
            channel_start=start,
            channel_first=first,
            channel_end=first + len(order.chain),
            channel_stop=into.slots,
            channel_fault=self.strings.of(order.fault),
        )

    # -- what is known at the end

    def _ranked(self) -> dict[str, Any]:
        """The versions by rank; the bundles that have one get theirs."""
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
            ranks[version] if flag & PLAIN else NONE for flag, version in zip(flags, versions, strict=True)
        )
        return {"rank_string": [of(texts[key]) for key in ordered]}

    def _tables(self) -> dict[str, Any]:
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
            "requires_what": self.requires.items[::2],
            "requires_place": self.requires.items[1::2],
            "name_string": list(map(of, self.names)),
            "name_table": hash_table(self.names),
            "gvk_text": list(map(of, gvks)),
            "gvk_group": [len(group) for group, _, _ in self.gvks],
            "gvk_version": [len(version) for _, version, _ in self.gvks],
            "gvk_table": hash_table(gvks),
            "gvk_package": self._owners(),
        }

    def _owners(self) -> list[int]:
        """For each API the package that all bundles which provide it say they are of, NONE if that is not one.

        All bundles count, not the candidates alone: a subscription can start at any.
        """
        owners: list[int | None] = [None] * len(self.gvks)
        items = self.groups.items
        for start, end in pairwise(self.groups.starts):
            listed = items[start:end]
            packages = [group for group in listed if not group & _API]
            owner = packages[0] if len(packages) == 1 else NONE
            for api in listed[len(packages) :]:
                known = owners[api ^ _API]
                owners[api ^ _API] = owner if known in (None, owner) else NONE
        return [NONE if owner is None else owner for owner in owners]

    def _postings(self) -> dict[str, Any]:
        """For each name and each API the slots that can be candidates; for names also by their versions' ranks."""
        channels = self.first.columns
        slot_bundle, ranks = channels["slot_bundle"], self.bundles["bundle_rank"]
        by_name = [numbers() for _ in self.names]
        by_gvk = [numbers() for _ in self.gvks]
        by_label: dict[int, array[int]] = {}
        group_starts, groups = self.groups.starts, self.groups.items
        list_of, labels_of = self.bundles["bundle_groups"], self.bundles["bundle_labels"]
        for package, start, first, end, stop in zip(
            *(channels[f"channel_{name}"] for name in ("package", "start", "first", "end", "stop")), strict=True
        ):
            # The slot of a channel without an order stands for all of its bundles.
            members = range(first, stop if start < first else end)
            for member in members:
                slot, bundle = start if start < first else member, slot_bundle[member]
                append(by_name[package], slot)
                place = list_of[bundle]
                for group in groups[group_starts[place] : group_starts[place + 1]]:
                    append(by_gvk[group ^ _API] if group & _API else by_name[group], slot)
                if labels_of[bundle]:
                    for label in self.texts.at(labels_of[bundle]):
                        append(by_label.setdefault(label, numbers()), slot)
        ranked_slots, ranked_ranks, ranked = numbers(), numbers(), numbers()
        for slots in by_name:
            pairs = []
            for slot in slots:
                bundle = slot_bundle[slot]
                if bundle == NONE or ranks[bundle] == NONE:
                    break
                pairs.append((ranks[bundle], slot))
            else:
                ranked.append(1)
                pairs.sort()
                ranked_ranks.extend([rank for rank, _ in pairs])
                ranked_slots.extend([slot for _, slot in pairs])
                continue
            ranked.append(0)
            ranked_ranks.extend([0] * len(slots))
            ranked_slots.extend(slots)
        return {
            "name_starts": starts(by_name),
            "name_slots": joined(by_name),
            "name_ranked_slots": ranked_slots,
            "name_ranks": ranked_ranks,
            "name_ranked": ranked,
            "gvk_starts": starts(by_gvk),
            "gvk_slots": joined(by_gvk),
            "label_string": list(by_label),
            "label_table": hash_table(map(self.strings.text_of, by_label)),
            "label_starts": starts(list(by_label.values())),
            "label_slots": joined(list(by_label.values())),
        }


def _column(values: Any) -> array[int]:
    # Not copied where it is one already: large blocks that are given back late stay with the process.
    return values if isinstance(values, array) else numbers(values)
