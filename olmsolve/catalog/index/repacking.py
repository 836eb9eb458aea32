"""The columns of a new version of a catalog, made of the columns of the version before and the packages that changed.

The result is the columns that packing the whole catalog gives, number by number. Packing numbers the rows of each table
(strings, lists, requirements, APIs) in the order in which the packages first need them, and the index notes where each
package began to add rows. So the rows of packages that did not change are copied in one piece, with new numbers::

    before   a: strings 1 to 40    b: strings 41 to 60    c: strings 61 to 90
    now      a: strings 1 to 40    b: strings 41 to 63    c: strings 64 to 93: each 3 higher

Rows that several packages need break this in two ways. A changed package may now bring a row that a later package
brought before: the later one then refers to the earlier row. Or it no longer brings one that a later package needs as
well: then the later package is packed anew, as if it had changed.

Only catalogs of usual bundles are made so (:func:`repack`): 0.2 to 0.35 of the time where 2 % of the packages changed.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any

from olmsolve._collector import COLLECTOR_PAUSE
from olmsolve._limits import check
from olmsolve._named_tuples import NamedTuple
from olmsolve.catalog import Catalog, Package
from olmsolve.catalog.index.bundle_columns import API
from olmsolve.catalog.index.intervals import interval_columns
from olmsolve.catalog.index.moved_needs import Needs, Rows, needs_of_rows, rows_without_place
from olmsolve.catalog.index.moved_tables import (
    UNPLACED,
    USUAL_FLAGS,
    LazyKeys,
    MovedBundles,
    MovedStrings,
    MovedTexts,
    UnmovableError,
    check_usual,
    fresh_rows,
    moved_marks,
    moved_stretches,
    stretches,
)
from olmsolve.catalog.index.packed import Packed, hash_table
from olmsolve.catalog.index.packing import MARKS, ChannelColumns, Packer
from olmsolve.catalog.index.schema import NONE
from olmsolve.catalog.index.tables import Lists, numbers, shifted
from olmsolve.semver import Key


def repack(catalog: Catalog, before: Packed, same: Collection[str]) -> Packed | None:
    """Return the columns of *catalog*, whose packages *same* are as they were in the catalog with the columns *before*.

    None where the catalog must be packed whole: some bundle has not exactly one ``olm.package`` property with a strict
    version, or has a label; a channel has no order; two texts are one version; or versions follow another scheme.
    """
    with COLLECTOR_PAUSE:
        try:
            if catalog.scheme is not None:
                raise UnmovableError
            check_usual(before)
            return _Repacker(catalog, before, same).run()
        except UnmovableError:
            return None


class _Run(NamedTuple):
    """Packages from *first* to *end* of the version before, which are moved in one piece; *package* is now the first.

    Their bundles begin at *bundle* now, and their slots at *slots*: of default channels and of others, each counted
    within its kind.
    """

    first: int
    end: int
    package: int
    bundle: int
    slots: tuple[int, int]


class _Repacker(Packer):
    """One packing, which copies what did not change; what is of the version before is called old."""

    def __init__(self, catalog: Catalog, before: Packed, same: Collection[str]) -> None:
        numbered = {before.string(string): number for number, string in enumerate(before.name_string)}
        bounds = before.package_bundles
        # Moved packages are not looked at: a reloaded catalog would copy each to the lines where it stands now.
        size = sum(
            bounds[numbered[name] + 1] - bounds[numbered[name]] if name in same else len(catalog.packages[name].bundles)
            for name in catalog.packages
        )
        super().__init__(catalog.packages, size)
        self._old = before
        self.strings = self._strings = MovedStrings(before)
        self.texts = self._texts = MovedTexts(before)
        self.bundles = self._moved = MovedBundles(self._strings, self._texts, self.names, size, before)
        self._group_place = [0] * (len(before.groups_starts) - 1)
        self._requires_place = [0] * (len(before.requires_starts) - 1)
        self._numbers = numbered
        self._same = {self._numbers[name] for name in same}
        self._places = {
            "strings": self._strings.place,
            "texts": self._texts.place,
            "requirements": self._moved.requirement_place,
            "gvks": self._moved.gvk_place,
        }
        self._shared = {"strings": self._strings.shared, "texts": {*before.package_deprecations}}
        self._needs: Needs = {}
        self._is_searched = False
        self._runs: list[_Run] = []
        self._packed: list[int] = []
        self._rank_place: list[int] = []
        self._slot_place: list[int] = []

    # -- packages

    def add_packages(self) -> None:
        gone = self._numbers.keys() - self.names.keys()
        self._search({self._numbers[name] for name in gone})
        run: list[int] = []
        for name in self.ordered:
            old = self._numbers.get(name, NONE)
            # What it needs of changed packages before it must have a place by now, or it is the first to bring it.
            # Only packing gives these rows a place, so the packages of the run need not be moved before the look.
            if old in self._same and all(place[row] != UNPLACED for place, row in self._needs.get(old, ())):
                if run and old != run[-1] + 1:
                    self._move(run)
                    run = []
                run.append(old)
                continue
            self._move(run)
            run = []
            check()
            if old != NONE:
                self._moved.look_near(old)
            self.add_package(self.packages[name])
            if old != NONE:
                self._search({old})
        self._move(run)

    def _search(self, changed: set[int]) -> None:
        """Find who else needs the rows that *changed* old packages no longer bring.

        One search finds the needs of all rows that may be in question from here on: mostly there is none, as a changed
        package brings again what it brought before.
        """
        if self._is_searched or not any(any(self._lost(package).values()) for package in changed):
            return
        self._is_searched = True
        rows: dict[str, set[int]] = {name: set() for name in self._places}
        for package in range(self._old.packages):
            if package not in self._same:
                for name, lost in self._lost(package).items():
                    rows[name] |= lost
        self._needs = needs_of_rows(self._old, rows, self._places)

    def _lost(self, package: int) -> Rows:
        return rows_without_place(self._old, package, self._places, self._shared)

    def add_package(self, package: Package) -> None:
        start = len(self.bundles)
        self._packed.append(len(self.undeclared))
        super().add_package(package)
        added, columns = slice(start, len(self.bundles)), self.bundles.columns
        is_usual = USUAL_FLAGS.issuperset(columns["bundle_flags"][added]) and not any(columns["bundle_labels"][added])
        if self.undeclared[-1] or not is_usual or len(self.names) != len(self.ordered):
            raise UnmovableError

    def deprecation_list(self, items: tuple[int, ...]) -> int:
        text_at = self.texts.at
        for old in {*self._old.package_deprecations}:
            place = self._texts.place[old]
            if place > 0 and tuple(text_at(place)) == items:
                return place
        number = super().deprecation_list(items)
        for old in {*self._old.package_deprecations}:
            if self._texts.place[old] == UNPLACED and self._old_list(old) == items:
                self._texts.place[old] = number
        return number

    def _old_list(self, number: int) -> tuple[int, ...]:
        old, place = self._old, self._strings.place
        return tuple(place[row] for row in old.texts_string[old.texts_starts[number] : old.texts_starts[number + 1]])

    def _move(self, run: Sequence[int]) -> None:
        """Add the old packages of *run*, which follow each other, in one piece."""
        if not run:
            return
        first, end, old = run[0], run[-1] + 1, self._old
        package, bundle = len(self.undeclared), len(self.bundles)
        self._runs.append(_Run(first, end, package, bundle, (self.defaults.slots, self.others.slots)))
        string = self._strings.place.__getitem__
        marks = {name: getattr(old, f"package_{name}") for name in MARKS}
        before = self.lengths()
        fresh = {
            name: fresh_rows(self._places[name], rows[first], rows[end]) if name in self._places else None
            for name, rows in marks.items()
        }
        self._strings.move(marks["strings"][first], marks["strings"][end])
        self._moved.move_gvks(marks["gvks"][first], marks["gvks"][end])
        self._move_texts(fresh["texts"] or range(0))
        size, gvk, shift = len(old.name_string), self._moved.gvk_place, package - first
        self._group_place[marks["groups"][first] : marks["groups"][end]] = self._move_lists(
            self.bundles.groups,
            old.groups_starts,
            marks["groups"][first],
            marks["groups"][end],
            lambda part: [row + shift if row < size else API | gvk[row - size] for row in old.groups_group[part]],
        )
        self._moved.move_requirements(fresh["requirements"] or range(0))
        requirement = self._moved.requirement_place

        def pairs(part: slice) -> array[int]:
            made: array[int] = numbers([0]) * (2 * (part.stop - part.start))
            made[::2] = numbers([requirement[row] for row in old.requires_requirement[part]])
            made[1::2] = old.requires_property[part]
            return made

        self._requires_place[marks["requires"][first] : marks["requires"][end]] = self._move_lists(
            self.bundles.requires,
            old.requires_starts,
            marks["requires"][first],
            marks["requires"][end],
            pairs,
            2,
        )
        bundles = slice(old.package_bundles[first], old.package_bundles[end])
        self._moved.put(
            name=map(string, old.bundle_name[bundles]),
            flags=old.bundle_flags[bundles],
            version=map(string, old.bundle_version[bundles]),
            groups=map(self._group_place.__getitem__, old.bundle_groups[bundles]),
            requires=map(self._requires_place.__getitem__, old.bundle_requires[bundles]),
        )
        defaults = [channel for channel in old.package_default[first:end] if channel != NONE]
        by = len(self.defaults) - (defaults[0] if defaults else 0)
        self.package_default.extend([row if row == NONE else row + by for row in old.package_default[first:end]])
        bundle_shift = bundle - old.package_bundles[first]
        self.package_bundles.extend(shifted(old.package_bundles[first + 1 : end + 1], bundle_shift))
        others = old.package_channels[first : end + 1]
        by = len(self.others) - others[0]
        self.package_channels.extend([start + by for start in others[1:]])
        self.undeclared.extend([0] * (end - first))
        self.package_deprecations.extend([self._texts.place[row] for row in old.package_deprecations[first:end]])
        if defaults:
            self._move_channels(self.defaults, slice(defaults[0], defaults[-1] + 1), shift, bundle_shift)
        self._move_channels(self.others, slice(others[0], others[-1]), shift, bundle_shift)
        for name, column in self.marks.items():
            column.extend(moved_marks(marks[name][first : end + 1], before[name], fresh[name]))

    def _move_texts(self, fresh: Sequence[int]) -> None:
        old, texts, place = self._old, self._texts, self._strings.place
        starts, items = old.texts_starts, old.texts_string
        for first, end in stretches(fresh):
            number, shift = len(texts.starts) - 1, len(texts.items) - starts[first]
            texts.items.extend([place[row] for row in items[starts[first] : starts[end]]])
            texts.starts.extend(shifted(starts[first + 1 : end + 1], shift))
            texts.place[first:end] = range(number, number + end - first)

    @staticmethod
    def _move_lists(
        into: Lists, starts: array[int], first: int, end: int, items: Callable[[slice], Iterable[int]], width: int = 1
    ) -> Iterable[int]:
        """Append the lists that had the numbers from *first* to *end*, with *items*; return their numbers now."""
        number, shift = len(into.starts) - 1, len(into.items) - width * starts[first]
        into.items.extend(items(slice(starts[first], starts[end])))
        into.starts.extend(shifted(starts[first + 1 : end + 1], shift, width))
        return range(number, number + end - first)

    def _move_channels(self, into: ChannelColumns, channels: slice, package_shift: int, bundle_shift: int) -> None:
        """Append old *channels*, which follow each other, with their slots."""
        old, string, texts = self._old, self._strings.place, self._texts.place
        if channels.start == channels.stop:
            return
        slots = slice(old.channel_start[channels.start], old.channel_stop[channels.stop - 1])
        channel_shift, slot_shift = len(into) - channels.start, into.slots - slots.start
        columns = into.columns
        columns["channel_package"].extend(shifted(old.channel_package[channels], package_shift))
        columns["channel_name"].extend([string[row] for row in old.channel_name[channels]])
        for name in ("channel_start", "channel_first", "channel_end", "channel_stop"):
            columns[name].extend(shifted(getattr(old, name)[channels], slot_shift))
        columns["channel_fault"].extend(old.channel_fault[channels])
        columns["channel_empty_entries"].extend([texts[row] for row in old.channel_empty_entries[channels]])
        columns["slot_channel"].extend(shifted(old.slot_channel[slots], channel_shift))
        columns["slot_bundle"].extend(shifted(old.slot_bundle[slots], bundle_shift))
        columns["slot_replaces"].extend([string[row] for row in old.slot_replaces[slots]])
        columns["slot_skips"].extend([texts[row] for row in old.slot_skips[slots]])
        columns["slot_range"].extend([string[row] for row in old.slot_range[slots]])

    # -- at the end, when all packages were seen

    def rank(self) -> tuple[Sequence[Key], Sequence[int]]:
        old, columns = self._old, self.bundles.columns
        kept: set[int] = set()
        for run in self._runs:
            kept.update(old.bundle_rank[old.package_bundles[run.first] : old.package_bundles[run.end]])
        packed = [range(self.package_bundles[package], self.package_bundles[package + 1]) for package in self._packed]
        brought = {columns["bundle_version"][bundle] for bundles in packed for bundle in bundles}
        self._rank_place, strings = self._moved.merged_ranks(kept, brought)
        ranks = {string: number for number, string in enumerate(strings)}
        rank_of = columns["bundle_rank"] = numbers([0]) * len(self.bundles)
        for run in self._runs:
            moved = old.bundle_rank[old.package_bundles[run.first] : old.package_bundles[run.end]]
            rank_of[run.bundle : run.bundle + len(moved)] = numbers([self._rank_place[rank] for rank in moved])
        for bundles in packed:
            for bundle in bundles:
                rank_of[bundle] = ranks[columns["bundle_version"][bundle]]
        return LazyKeys(self.strings.text_of, strings), strings

    def text_columns(self) -> dict[str, Any]:
        old, place = self._old, self._moved.gvk_place
        if [*self.names] != [*self._numbers] or place != list(range(len(self.bundles.gvks))):
            return super().text_columns()
        of_old = self._strings.of_old
        return {
            "name_string": numbers(list(map(of_old, old.name_string))),
            "name_table": old.name_table,
            "gvk_text": numbers(list(map(of_old, old.gvk_text))),
            "gvk_table": old.gvk_table,
        }

    def slot_lists(self) -> dict[str, Any]:
        shift = len(self.package_default) - self.package_default.count(NONE)
        channels: list[int] = []
        for package in self._packed:
            if self.package_default[package] != NONE:
                channels.append(self.package_default[package])
            channels += range(self.package_channels[package] + shift, self.package_channels[package + 1] + shift)
        by_name: dict[int, array[int]] = defaultdict(numbers)
        by_gvk: dict[int, array[int]] = defaultdict(numbers)
        by_label: dict[int, array[int]] = {}
        self.post(sorted(channels), by_name, by_gvk, by_label)
        if any(self.defaults.columns["channel_fault"][channel] for channel in channels):
            raise UnmovableError
        self._place_slots()
        columns = self._name_columns(by_name) | self._gvk_columns(by_gvk)
        return columns | {
            "label_string": [],
            "label_table": hash_table(()),
            "label_starts": [0],
            "label_slots": [],
        }

    def _place_slots(self) -> None:
        """Find the number of each old slot that was moved."""
        old = self._old
        # In the old columns, slots of other channels come behind those of all default ones; here too, by now.
        default_slots = self.default_slots
        place = self._slot_place = [UNPLACED] * len(old.slot_bundle)
        for run in self._runs:
            defaults = [channel for channel in old.package_default[run.first : run.end] if channel != NONE]
            if defaults:
                first, end = old.channel_start[defaults[0]], old.channel_stop[defaults[-1]]
                place[first:end] = range(run.slots[0], run.slots[0] + end - first)
            others = old.package_channels[run.first], old.package_channels[run.end]
            if others[0] < others[1]:
                first, end = old.channel_start[others[0]], old.channel_stop[others[1] - 1]
                start = default_slots + run.slots[1]
                place[first:end] = range(start, start + end - first)

    def _name_columns(self, by_name: Mapping[int, array[int]]) -> dict[str, Any]:
        """Return the slots of each package in the two orders, packed ones between moved ones."""
        old, slot, rank = self._old, self._slot_place, self._rank_place
        names = ("name_starts", "name_slots", "name_ranked_slots", "name_ranks", "name_ranked")
        columns: dict[str, Any] = {name: numbers() for name in names}
        columns["name_starts"].append(0)

        def add(slots: Iterable[int], ranked: Iterable[int], ranks: Iterable[int], ends: array[int], by: int) -> None:
            start = len(columns["name_slots"])
            columns["name_slots"].extend(slots)
            columns["name_ranked_slots"].extend(ranked)
            columns["name_ranks"].extend(ranks)
            columns["name_starts"].extend(shifted(ends, start - by))

        parts = sorted(
            [(run.package, run) for run in self._runs] + [(package, None) for package in self._packed],
            key=itemgetter(0),
        )
        for package, run in parts:
            if run is None:
                made = self.by_version([by_name.get(package, numbers())])
                if not made["name_ranked"][0]:
                    raise UnmovableError
                slots = by_name.get(package, numbers())
                add(slots, made["name_ranked_slots"], made["name_ranks"], numbers([len(slots)]), 0)
                continue
            start, end = old.name_starts[run.first], old.name_starts[run.end]
            add(
                [slot[row] for row in old.name_slots[start:end]],
                [slot[row] for row in old.name_ranked_slots[start:end]],
                [rank[row] for row in old.name_ranks[start:end]],
                old.name_starts[run.first + 1 : run.end + 1],
                start,
            )
        columns["name_ranked"].extend([1] * len(self.ordered))
        return columns

    def _gvk_columns(self, by_gvk: Mapping[int, array[int]]) -> dict[str, Any]:
        """Return the slots of each API; rows that packages which were not moved touch are made anew."""
        old, slot, place = self._old, self._slot_place, self._moved.gvk_place
        old_of = [UNPLACED] * len(self.bundles.gvks)
        for number, row in enumerate(place):
            if row != UNPLACED:
                old_of[row] = number
        moved = {package for run in self._runs for package in range(run.first, run.end)}
        size, touched = len(old.name_string), {*by_gvk}
        for package in range(old.packages):
            if package not in moved:
                lists = slice(old.package_groups[package], old.package_groups[package + 1] + 1)
                bounds = old.groups_starts[lists]
                groups = old.groups_group[bounds[0] : bounds[-1]]
                touched.update(place[group - size] for group in groups if group >= size)
        starts, slots = numbers([0]), numbers()
        row = 0
        while row < len(old_of):
            first = number = old_of[row]
            if number == UNPLACED or row in touched:
                kept = [] if number == UNPLACED else old.gvk_slots[old.gvk_starts[number] : old.gvk_starts[number + 1]]
                slots.extend(
                    sorted([slot[old_slot] for old_slot in kept if slot[old_slot] >= 0] + list(by_gvk.get(row, ())))
                )
                starts.append(len(slots))
                row += 1
                continue
            while row < len(old_of) and old_of[row] == number and row not in touched:
                row, number = row + 1, number + 1
            start = old.gvk_starts[first]
            by = len(slots) - start
            slots.extend([slot[row] for row in old.gvk_slots[start : old.gvk_starts[number]]])
            starts.extend(shifted(old.gvk_starts[first + 1 : number + 1], by))
        return {"gvk_starts": starts, "gvk_slots": slots}

    def intervals(self, ranks: Sequence[Key], columns: Mapping[str, Any]) -> dict[str, array[int]]:
        old, requirement = self._old, self.bundles.requirement
        size = len(requirement["requirement_type"])
        bounds = numbers([NONE]) * size, numbers([0]) * size, numbers([0]) * size
        names = [NONE] * old.packages
        for run in self._runs:
            names[run.first : run.end] = range(run.package, run.package + run.end - run.first)
        for rows, moved in moved_stretches(self._moved.requirement_place):
            of_names = old.requirement_name[rows]
            bounds[0][moved] = numbers([NONE if name == NONE else names[name] for name in of_names])
            bounds[1][moved], bounds[2][moved] = old.requirement_first[rows], old.requirement_end[rows]
        # The others are worked out: what is new, and what is about a package that changed or is not there.
        unknown = [row for row, name in enumerate(bounds[0]) if name == NONE]
        for row in unknown:
            bounds[1][row] = bounds[2][row] = 0
        return interval_columns(self.strings, self.texts, requirement, self.names, ranks, columns, unknown, bounds)
