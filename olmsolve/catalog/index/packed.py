"""The bytes of an index: columns of unsigned 32-bit numbers, and one table of strings.

What a catalog's index knows is kept in columns, not in objects: column ``bundle_name`` has a number for each
bundle, which is the place of its name in the table of strings. The same columns are what a file holds
(:mod:`olmsolve.catalog.index.stored`), so an index that was built and one that was read are one thing.

``NONE`` stands for "there is none". A *list* of table T is the numbers between two neighbours of its column
``T_starts``. List 0 of every table and string 0 are empty.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias
from zlib import crc32

__all__ = ["COLUMNS", "DEPRECATED", "FREE", "HELD", "NONE", "PLAIN", "Column", "Packed", "encoded", "hash_table"]

Column: TypeAlias = "array[int]"
"""Numbers, 4 bytes each, in the byte order of the machine."""

NONE: Final = 2**32 - 1

# The bits of `bundle_flags`.
DEPRECATED: Final = 1
"""The bundle has an ``olm.deprecated`` property."""
PLAIN: Final = 2
"""It has one ``olm.package`` property, with a strict version, which is its own version: ``bundle_rank`` tells."""
HELD: Final = 4
"""A requirement is no JSON value; only the catalog's own objects hold it."""

FREE: Final = ""

COLUMNS: Final[Mapping[str, str]] = {
    # The strings, one after the other in UTF-8, begin here in `text`; the last number is their end.
    "string_starts": "text",
    # Tables of lists: of strings; of at-most-one groups; of olm.package properties; of requirements.
    "texts_starts": "texts_string",
    "texts_string": "string",
    "groups_starts": "groups_group",
    "groups_group": "group",
    "packages_starts": "packages_name",
    "packages_name": "name",
    "packages_version": "string?",
    "requires_starts": "requires_what",
    "requires_what": "requirement",
    "requires_place": FREE,
    # Names of packages: those of the catalog, sorted, then those that only properties mention, in any order.
    "name_string": "string",
    # Where to look for a name: see `hash_table`.
    "name_table": "name?",
    # The slots that can be candidates, ascending; and again by the ranks of their versions.
    "name_starts": "name_slots",
    "name_slots": "slot",
    "name_ranked_slots": "slot",
    "name_ranks": "rank",
    # Packages of the catalog only: are all bundles declared, the default channel, the other channels, the bundles.
    "package_undeclared": FREE,
    "package_default": "channel?",
    "package_channels": "channel.",
    "package_bundles": "bundle.",
    # Is there a rank for every candidate of the name?
    "name_ranked": FREE,
    # An API as the text GROUP/VERSION/KIND, and the characters of its first two parts.
    "gvk_text": "string",
    "gvk_group": FREE,
    "gvk_version": FREE,
    "gvk_table": "gvk?",
    # The package of all bundles that provide it, NONE where there are several.
    "gvk_package": "name?",
    "gvk_starts": "gvk_slots",
    "gvk_slots": "slot",
    # Labels, and the slots that can be candidates and have them.
    "label_string": "string",
    "label_table": "label?",
    "label_starts": "label_slots",
    "label_slots": "slot",
    # The distinct versions of PLAIN bundles, ascending: one text for each.
    "rank_string": "string",
    # The fault's slot or the first; the first in the order; the end of the order; the end of all.
    "channel_package": "package",
    "channel_name": "string",
    "channel_start": "slot.",
    "channel_first": "slot.",
    "channel_end": "slot.",
    "channel_stop": "slot.",
    "channel_fault": "string",
    "slot_channel": "channel",
    "slot_bundle": "bundle?",
    "slot_replaces": "string",
    "slot_skips": "texts",
    "slot_range": "string",
    "bundle_name": "string",
    "bundle_flags": FREE,
    "bundle_version": "string?",
    "bundle_rank": "rank?",
    "bundle_packages": "packages",
    "bundle_groups": "groups",
    "bundle_labels": "texts",
    "bundle_requires": "requires",
    # A requirement: the property's type; and its value as JSON text, or as the list of texts k, v, k, v...
    "requirement_type": "string",
    "requirement_json": "string",
    "requirement_fields": "texts",
    # A plain package requirement: the name; and the interval of its part of `name_ranked_slots` that meets it, counted
    # from where that part begins. NONE, 0, 0 where this cannot say it. An interval is in its bounds or not by two other
    # columns: `families` looks at that, and at the name, when it uses one, which takes less than to look at all.
    "requirement_name": FREE,
    "requirement_first": FREE,
    "requirement_end": FREE,
}
"""Each column, and what its numbers are places in: ``?`` marks those that may be NONE, ``.`` places of ends."""


class Packed:
    """The columns, each an attribute, and the strings.

    Two indexes of equal catalogs, read from equal files, have equal columns.
    """

    __slots__ = (*COLUMNS, "_known", "packages", "text")

    string_starts: Column
    texts_starts: Column
    texts_string: Column
    groups_starts: Column
    groups_group: Column
    packages_starts: Column
    packages_name: Column
    packages_version: Column
    requires_starts: Column
    requires_what: Column
    requires_place: Column
    name_string: Column
    name_table: Column
    name_starts: Column
    name_slots: Column
    name_ranked_slots: Column
    name_ranks: Column
    name_ranked: Column
    package_undeclared: Column
    package_default: Column
    package_channels: Column
    package_bundles: Column
    gvk_text: Column
    gvk_group: Column
    gvk_version: Column
    gvk_table: Column
    gvk_package: Column
    gvk_starts: Column
    gvk_slots: Column
    label_string: Column
    label_table: Column
    label_starts: Column
    label_slots: Column
    rank_string: Column
    channel_package: Column
    channel_name: Column
    channel_start: Column
    channel_first: Column
    channel_end: Column
    channel_stop: Column
    channel_fault: Column
    slot_channel: Column
    slot_bundle: Column
    slot_replaces: Column
    slot_skips: Column
    slot_range: Column
    bundle_name: Column
    bundle_flags: Column
    bundle_version: Column
    bundle_rank: Column
    bundle_packages: Column
    bundle_groups: Column
    bundle_labels: Column
    bundle_requires: Column
    requirement_type: Column
    requirement_json: Column
    requirement_fields: Column
    requirement_name: Column
    requirement_first: Column
    requirement_end: Column

    def __init__(self, columns: Mapping[str, Column], text: bytes) -> None:
        for name in COLUMNS:
            setattr(self, name, columns[name])
        self.text = text
        # How many packages the catalog has; their names are the first, ascending.
        self.packages = len(self.package_default)
        self._known: dict[int, str] = {}

    def __repr__(self) -> str:
        return f"<Packed: {len(self.bundle_name)} bundles in {self.size} bytes>"

    @property
    def size(self) -> int:
        """Bytes of all columns and strings."""
        return len(self.text) + sum(4 * len(getattr(self, name)) for name in COLUMNS)

    def string(self, number: int) -> str:
        """A string by its place; made once."""
        known = self._known.get(number)
        if known is None:
            starts = self.string_starts
            raw = self.text[starts[number] : starts[number + 1]]
            try:
                known = raw.decode("utf-8", "surrogatepass")
            except UnicodeDecodeError:  # only in a file that was made to have it
                known = raw.decode("utf-8", "replace")
            self._known[number] = known
        return known

    def texts(self, number: int) -> list[str]:
        """The strings of a list of the table ``texts``."""
        places = self.texts_string[self.texts_starts[number] : self.texts_starts[number + 1]]
        return [self.string(place) for place in places]

    def groups(self, number: int) -> Column:
        """The groups of a list of the table ``groups``."""
        return self.groups_group[self.groups_starts[number] : self.groups_starts[number + 1]]

    def scoped(self, package: int, text: str) -> set[int]:
        """The places of the strings that are *text* among those that a package's bundles and entries brought.

        The strings of a package stand together, so all of them are searched at once.
        """
        sought, starts = encoded(text), self.string_starts
        first, last = self.package_bundles[package], self.package_bundles[package + 1]
        if not sought:
            return {0}
        if first == last:
            return set()
        low = starts[self.bundle_name[first]]
        high = starts[self.bundle_name[last]] if last < len(self.bundle_name) else len(self.text)
        found: set[int] = set()
        low = self.text.find(sought, low, high)
        while low >= 0:
            # The empty string begins where another does.
            place = bisect_right(starts, low) - 1
            if starts[place] == low and place + 1 < len(starts) and starts[place + 1] == low + len(sought):
                found.add(place)
            low = self.text.find(sought, low + 1, high)
        return found

    def name(self, text: str) -> int:
        """The place of a package's name, -1 if it is the name of no package and in no property."""
        return self._look_up(self.name_table, self.name_string, text)

    def label(self, text: str) -> int:
        """The place of a label, -1 if no bundle has it."""
        return self._look_up(self.label_table, self.label_string, text)

    def gvk(self, group: str, version: str, kind: str) -> int:
        """The place of an API, -1 if no bundle provides it."""
        first = self._look_up(self.gvk_table, self.gvk_text, f"{group}/{version}/{kind}")
        if first < 0 or self.gvk_parts(first) == (group, version, kind):
            return first
        # Nothing keeps parts from having slashes: of those that are one text the first was found.
        return next(
            (place for place in range(len(self.gvk_text)) if self.gvk_parts(place) == (group, version, kind)), -1
        )

    def gvk_parts(self, number: int) -> tuple[str, str, str]:
        """Group, version and kind of an API by its place."""
        text, group = self.string(self.gvk_text[number]), self.gvk_group[number]
        end = group + 1 + self.gvk_version[number]
        return text[:group], text[group + 1 : end], text[end + 1 :]

    def _look_up(self, table: Column, strings: Column, text: str) -> int:
        sought, starts, size = encoded(text), self.string_starts, len(table)
        hashed = crc32(sought)
        for step in range(size):
            place = table[(hashed + step) % size]
            if place == NONE:
                break
            string = strings[place]
            if self.text[starts[string] : starts[string + 1]] == sought:
                return place
        return -1


def encoded(text: str) -> bytes:
    """*text* as the table of strings has it; halves of characters, which JSON can escape, included."""
    return text.encode("utf-8", "surrogatepass")


def hash_table(keys: Iterable[str]) -> Column:
    """Where to look for *keys*, by their CRC-32: the place of each stands there, or soon after.

    A third of the table is empty (NONE) at least, so what is in no place is known soon as well.
    """
    hashes = [crc32(encoded(key)) for key in keys]
    table = array("I", [NONE]) * (len(hashes) * 3 // 2 + 1)
    for place, hashed in enumerate(hashes):
        while table[hashed % len(table)] != NONE:
            hashed += 1
        table[hashed % len(table)] = place
    return table
