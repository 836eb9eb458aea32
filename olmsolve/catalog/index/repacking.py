"""The columns of a new version of a catalog, made of the columns of the version before and the packages that changed.

The result is the columns that packing the whole catalog gives, number by number. Packing numbers the rows of each table
(strings, lists, requirements, APIs) in the order in which the packages first need them, and the index notes where each
package began to add rows. So the rows of packages that did not change are copied in one piece, with new numbers::

    before   a: strings 1 to 40    b: strings 41 to 60    c: strings 61 to 90
    now      a: strings 1 to 40    b: strings 41 to 63    c: strings 64 to 93: each 3 higher

Rows that several packages need break this in two ways. A changed package may now bring a row that a later package
brought before: the later one then refers to the earlier row. Or it no longer brings one that a later package needs as
well: then the later package is packed anew, as if it had changed.

Most numbers are thereby moved by the thousand, with operations of whole columns: where no number changes, a column is
copied; where all rise by the same, or by one number up to a limit and by another beyond it, they are the lanes of one
large integer (:func:`.shifted_apart`). Only strings that packages share, and ranks, are looked up one by one.

Only catalogs whose bundles are all as usual are made so (:func:`repack`); docs/loading.md has the time that it takes.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from olmsolve._collector import COLLECTOR_PAUSE
from olmsolve._limits import check
from olmsolve.catalog import Catalog, Package
from olmsolve.catalog.index.bundle_columns import API, interval_columns
from olmsolve.catalog.index.lanes import shifted, shifted_apart
from olmsolve.catalog.index.moved_packages import (
    MovedRun,
    MovedSlots,
    Needs,
    Rows,
    moved_api_packages,
    needs_of_rows,
    new_package_numbers,
    unmoved,
    unnumbered_rows,
)
from olmsolve.catalog.index.moved_tables import (
    USUAL_FLAGS,
    LazyKeys,
    MovedBundles,
    MovedStrings,
    MovedTexts,
    UnmovableError,
    check_usual,
)
from olmsolve.catalog.index.new_numbers import UNNUMBERED, Ascending, NewNumbers, moved_marks, stretches
from olmsolve.catalog.index.packed import Packed, hash_table
from olmsolve.catalog.index.packing import MARKS, ChannelColumns, Packer
from olmsolve.catalog.index.schema import NONE
from olmsolve.catalog.index.tables import Lists, numbers
from olmsolve.semver import Key


def repack(catalog: Catalog, before: Packed, same: Collection[str]) -> Packed | None:
    """Return the columns of *catalog*, whose packages *same* are as they were in the catalog with the columns *before*.

    None where the catalog must be packed whole: some bundle does not have exactly one ``olm.package`` property with a
    strict version, or has a label; a channel has no order; two texts are one version; or versions follow another
    scheme.
    """
    with COLLECTOR_PAUSE:
        try:
            if catalog.scheme is not None:
                raise UnmovableError
            check_usual(before)
            return _Repacker(catalog, before, same).run()
        except UnmovableError:
            return None


class _Repacker(Packer):
    """One packing, which copies what did not change; what is of the version before is called old."""

    def __init__(self, catalog: Catalog, before: Packed, same: Collection[str]) -> None:
        names = before.strings(before.name_string)
        numbered = dict(zip(names, range(len(names)), strict=True))
        bounds = before.package_bundles
        # Moved packages are not looked at: a reloaded catalog would copy each, with its new lines.
        size = sum(
            bounds[numbered[name] + 1] - bounds[numbered[name]] if name in same else len(catalog.packages[name].bundles)
            for name in catalog.packages
        )
        super().__init__(catalog.packages, size)
        self._old = before
        # Most tables grow by little; numbers beyond are made where they are wanted.
        most = max(len(before.string_starts), len(before.slot_bundle), len(before.gvk_text))
        ascending = self._ascending = Ascending(most + (most >> 4))
        self.strings = self._strings = MovedStrings(before, numbered, ascending)
        self.texts = self._texts = MovedTexts(before, ascending)
        self.bundles = self._moved = MovedBundles(self._strings, self._texts, self.names, size, before, ascending)
        self._group_numbers = NewNumbers(len(before.groups_starts) - 1, ascending, 1)
        self._requires_numbers = NewNumbers(len(before.requires_starts) - 1, ascending, 1)
        self._numbers = numbered
        self._same = {self._numbers[name] for name in same}
        self._new_numbers = {
            "strings": self._strings.new_numbers,
            "texts": self._texts.new_numbers,
            "requirements": self._moved.requirement_numbers,
            "gvks": self._moved.gvk_numbers,
        }
        self._deprecation_lists = {*before.package_deprecations}
        self._needs: Needs = {}
        self._is_searched = False
        self._runs: list[MovedRun] = []
        self._packed: list[int] = []
        self._new_ranks: list[int] = []
        self._touched_gvks: set[int] = set()

    # -- packages

    def add_packages(self) -> None:
        gone = self._numbers.keys() - self.names.keys()
        self._search({self._numbers[name] for name in gone})
        run: list[int] = []
        needs = self._needs
        for name in self.ordered:
            old = self._numbers.get(name, NONE)
            # What it needs of changed packages before it must have new numbers by now, or it is the first to bring it.
            # Only packing gives these rows a number, so the packages of the run need not be moved before the look.
            if old in self._same and (not needs or all(now[row] != UNNUMBERED for now, row in needs.get(old, ()))):
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
                needs = self._needs
        self._move(run)

    def _search(self, changed: set[int]) -> None:
        """Find who else needs the rows that *changed* old packages no longer bring.

        One search looks up the needs of all rows that may be lost from here on. It is rare, because a changed package
        mostly brings the same rows as before.
        """
        if self._is_searched or not any(any(self._lost(package).values()) for package in changed):
            return
        self._is_searched = True
        rows: dict[str, set[int]] = {name: set() for name in self._new_numbers}
        for package in range(self._old.packages):
            if package not in self._same:
                for name, lost in self._lost(package).items():
                    rows[name] |= lost
        self._needs = needs_of_rows(self._old, rows, self._new_numbers)

    def _lost(self, package: int) -> Rows:
        return unnumbered_rows(self._old, package, self._new_numbers, self._deprecation_lists)

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
        for old in self._deprecation_lists:
            now = self._texts.new_numbers.now[old]
            if now not in (0, UNNUMBERED) and tuple(text_at(now)) == items:
                return now
        number = super().deprecation_list(items)
        for old in self._deprecation_lists:
            if self._texts.new_numbers.now[old] == UNNUMBERED and self._old_list(old) == items:
                self._texts.new_numbers.put(old, old + 1, number)
        return number

    def _old_list(self, number: int) -> tuple[int, ...]:
        old, now = self._old, self._strings.new_numbers.now
        return tuple(now[row] for row in old.texts_string[old.texts_starts[number] : old.texts_starts[number + 1]])

    def _move(self, run: Sequence[int]) -> None:
        """Add the old packages of *run*, which follow each other, in one piece."""
        if not run:
            return
        first, end, old = run[0], run[-1] + 1, self._old
        package, bundle = len(self.undeclared), len(self.bundles)
        string, gvks, requirement = self._strings.new_numbers, self._moved.gvk_numbers, self._moved.requirement_numbers
        marks = {name: getattr(old, f"package_{name}") for name in MARKS}
        before = self.lengths()
        fresh = {
            name: self._new_numbers[name].fresh(rows[first], rows[end]) if name in self._new_numbers else range(0)
            for name, rows in marks.items()
        }
        own_shift = before["strings"] - marks["strings"][first] if isinstance(fresh["strings"], range) else None
        self._strings.move(fresh["strings"])
        self._moved.move_gvks(fresh["gvks"])
        slots = self.defaults.slots, self.others.slots
        self._runs.append(MovedRun(first, end, package, bundle, slots, range(before["gvks"], self.bundles.gvk_count())))
        self._move_texts(fresh["texts"])
        size, shift = len(old.name_string), package - first

        def current_names(names: array[int]) -> array[int]:
            """Return the new numbers of *names*, the names of bundles: strings of their packages, or the empty one."""
            return string.new_rows(names) if own_shift is None else shifted_apart(names, 1, 0, own_shift)

        def groups(part: slice) -> array[int]:
            rows = old.groups_group[part]
            if gvks.is_same:
                return shifted_apart(rows, size, shift, API - size)
            return numbers([row + shift if row < size else API | gvks.now[row - size] for row in rows])

        self._move_lists(
            self.bundles.groups,
            self._group_numbers,
            old.groups_starts,
            marks["groups"][first],
            marks["groups"][end],
            groups,
        )
        self._moved.move_requirements(fresh["requirements"])

        def pairs(part: slice) -> array[int]:
            made: array[int] = numbers([0]) * (2 * (part.stop - part.start))
            made[::2] = requirement.new_rows(old.requires_requirement[part])
            made[1::2] = old.requires_property[part]
            return made

        self._move_lists(
            self.bundles.requires,
            self._requires_numbers,
            old.requires_starts,
            marks["requires"][first],
            marks["requires"][end],
            pairs,
            2,
        )
        bundles = slice(old.package_bundles[first], old.package_bundles[end])
        self._moved.put(
            name=current_names(old.bundle_name[bundles]),
            flags=old.bundle_flags[bundles],
            version=string.new_rows(old.bundle_version[bundles]),
            groups=self._group_numbers.new_rows(old.bundle_groups[bundles]),
            requires=self._requires_numbers.new_rows(old.bundle_requires[bundles]),
        )
        defaults = [channel for channel in old.package_default[first:end] if channel != NONE]
        by = len(self.defaults) - (defaults[0] if defaults else 0)
        self.package_default.extend([row if row == NONE else row + by for row in old.package_default[first:end]])
        bundle_shift = bundle - old.package_bundles[first]
        self.package_bundles.extend(shifted(old.package_bundles[first + 1 : end + 1], bundle_shift))
        others = old.package_channels[first : end + 1]
        self.package_channels.extend(shifted(others[1:], len(self.others) - others[0]))
        self.undeclared.extend(numbers([0]) * (end - first))
        self.package_deprecations.extend(self._texts.new_numbers.new_rows(old.package_deprecations[first:end]))
        if defaults:
            self._move_channels(self.defaults, slice(defaults[0], defaults[-1] + 1), shift, bundle_shift, current_names)
        self._move_channels(self.others, slice(others[0], others[-1]), shift, bundle_shift, current_names)
        for name, column in self.marks.items():
            rows = fresh[name] if name in self._new_numbers else None
            column.extend(moved_marks(marks[name][first : end + 1], before[name], rows))

    def _move_texts(self, fresh: Sequence[int]) -> None:
        old, texts, strings = self._old, self._texts, self._strings.new_numbers
        starts, items = old.texts_starts, old.texts_string
        for first, end in stretches(fresh):
            number, shift = len(texts.starts) - 1, len(texts.items) - starts[first]
            texts.items.extend(strings.new_rows(items[starts[first] : starts[end]]))
            texts.starts.extend(shifted(starts[first + 1 : end + 1], shift))
            texts.new_numbers.put(first, end, number)

    @staticmethod
    def _move_lists(
        into: Lists,
        new_numbers: NewNumbers,
        starts: array[int],
        first: int,
        end: int,
        items: Callable[[slice], array[int]],
        width: int = 1,
    ) -> None:
        """Append the old lists numbered *first* to *end* (exclusive) to *into*, and note their *new_numbers*.

        *starts* says where each old list begins; *items* returns the new items for a slice of the old ones, *width*
        numbers for each item."""
        number, shift = len(into.starts) - 1, len(into.items) - width * starts[first]
        into.items.extend(items(slice(starts[first], starts[end])))
        into.starts.extend(shifted(starts[first + 1 : end + 1], shift, width))
        new_numbers.put(first, end, number)

    def _move_channels(
        self,
        into: ChannelColumns,
        channels: slice,
        package_shift: int,
        bundle_shift: int,
        current_names: Callable[[array[int]], array[int]],
    ) -> None:
        """Append old *channels*, which follow each other, with their slots."""
        old, string, texts = self._old, self._strings.new_numbers, self._texts.new_numbers
        if channels.start == channels.stop:
            return
        slots = slice(old.channel_start[channels.start], old.channel_stop[channels.stop - 1])
        channel_shift, slot_shift = len(into) - channels.start, into.slots - slots.start
        columns = into.columns
        columns["channel_package"].extend(shifted(old.channel_package[channels], package_shift))
        columns["channel_name"].extend(string.new_rows(old.channel_name[channels]))
        for name in ("channel_start", "channel_first", "channel_end", "channel_stop"):
            columns[name].extend(shifted(getattr(old, name)[channels], slot_shift))
        columns["channel_fault"].extend(old.channel_fault[channels])
        columns["channel_empty_entries"].extend(texts.new_rows(old.channel_empty_entries[channels]))
        columns["slot_channel"].extend(shifted(old.slot_channel[slots], channel_shift))
        columns["slot_bundle"].extend(shifted(old.slot_bundle[slots], bundle_shift))
        columns["slot_replaces"].extend(current_names(old.slot_replaces[slots]))
        columns["slot_skips"].extend(texts.new_rows(old.slot_skips[slots]))
        columns["slot_range"].extend(string.new_rows(old.slot_range[slots]))

    # -- at the end, when all packages were seen

    def rank(self) -> tuple[Sequence[Key], Sequence[int]]:
        old, columns = self._old, self.bundles.columns
        bounds = old.package_bundles
        gone = {
            rank
            for package in unmoved(old, self._runs)
            for rank in old.bundle_rank[bounds[package] : bounds[package + 1]]
        }
        packed = [range(self.package_bundles[package], self.package_bundles[package + 1]) for package in self._packed]
        brought = {columns["bundle_version"][bundle] for bundles in packed for bundle in bundles}
        moved_ranks = (old.bundle_rank[bounds[run.first] : bounds[run.end]] for run in self._runs)
        self._new_ranks, strings, ranks = self._moved.merged_ranks(gone, brought, moved_ranks)
        rank_of = columns["bundle_rank"] = numbers([0]) * len(self.bundles)
        for run in self._runs:
            moved = old.bundle_rank[bounds[run.first] : bounds[run.end]]
            rank_of[run.bundle : run.bundle + len(moved)] = numbers([self._new_ranks[rank] for rank in moved])
        for bundles in packed:
            for bundle in bundles:
                rank_of[bundle] = ranks[columns["bundle_version"][bundle]]
        return LazyKeys(self.strings.text_of, strings), strings

    def name_and_api_columns(self) -> dict[str, Any]:
        old, old_gvks = self._old, self._moved.old_gvks
        strings, gvks = self._strings, {row: gvk for gvk, row in self._moved.gvks.items()}
        columns: dict[str, Any] = {}
        if [*self.names] == [*self._numbers]:
            columns |= {"name_string": strings.of_olds(old.name_string), "name_table": old.name_table}
        else:
            name_strings = numbers(map(strings.number_of, self.names))
            columns |= {"name_string": name_strings, "name_table": hash_table(self.names)}
        if old_gvks == numbers(self._ascending(0, len(old.gvk_text))):
            columns |= {"gvk_text": strings.of_olds(old.gvk_text), "gvk_table": old.gvk_table}
            columns |= {"gvk_group": old.gvk_group, "gvk_version": old.gvk_version}
        else:
            texts = numbers()
            group, version = numbers(), numbers()
            row = 0
            for new in [*[row for row, number in enumerate(old_gvks) if number == UNNUMBERED], len(old_gvks)]:
                old_numbers = old_gvks[row:new]
                texts.extend(strings.of_olds(numbers([old.gvk_text[number] for number in old_numbers])))
                group.extend(numbers([old.gvk_group[number] for number in old_numbers]))
                version.extend(numbers([old.gvk_version[number] for number in old_numbers]))
                if new < len(old_gvks):
                    texts.append(strings.number_of("/".join(gvks[new])))
                    group.append(len(gvks[new][0]))
                    version.append(len(gvks[new][1]))
                row = new + 1
            columns |= {"gvk_text": texts, "gvk_table": hash_table(map(strings.text_of, texts))}
            columns |= {"gvk_group": group, "gvk_version": version}
        provided = {package: self._apis_of(package) for package in self._packed}
        gvk_packages = moved_api_packages(old, self._runs, self._moved.gvk_numbers, old_gvks, provided)
        columns["gvk_package"], self._touched_gvks = gvk_packages
        return columns

    def _apis_of(self, package: int) -> set[int]:
        """Return the APIs that the bundles of a packed package provide."""
        groups, (first, end) = self.bundles.groups, self.marks["groups"][package : package + 2]
        lists = groups.starts[first : end + 1]
        return {group ^ API for group in {*groups.items[lists[0] : lists[-1]]} if group & API}

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
        packed: dict[int, tuple[array[int], ...]] = {}
        for package in self._packed:
            slots = by_name.get(package, numbers())
            ordered = self.by_version([slots])
            if not ordered["name_ranked"][0]:
                raise UnmovableError
            packed[package] = slots, ordered["name_ranked_slots"], ordered["name_ranks"]
        moved = MovedSlots(self._old, self._runs, self.default_slots, self._ascending)
        return {
            **moved.name_columns(self._new_ranks, packed),
            "name_ranked": numbers([1]) * len(self.ordered),
            **moved.gvk_columns(self._moved.old_gvks, self._touched_gvks, by_gvk),
            "label_string": [],
            "label_table": hash_table(()),
            "label_starts": [0],
            "label_slots": [],
        }

    def intervals(self, ranks: Sequence[Key], columns: Mapping[str, Any]) -> dict[str, array[int]]:
        old, requirement = self._old, self.bundles.requirement
        size = len(requirement["requirement_type"])
        bounds = numbers([NONE]) * size, numbers([0]) * size, numbers([0]) * size
        names = new_package_numbers(old, self._runs)
        for first, end, number in self._moved.requirement_numbers.moves:
            rows, moved = slice(first, end), slice(number, number + end - first)
            of_names = old.requirement_name[rows]
            bounds[0][moved] = numbers([NONE if name == NONE else names[name] for name in of_names])
            bounds[1][moved], bounds[2][moved] = old.requirement_first[rows], old.requirement_end[rows]
        # The others are worked out: what is new, and what is about a package that changed or is not there.
        unknown = [row for row, name in enumerate(bounds[0]) if name == NONE]
        for row in unknown:
            bounds[1][row] = bounds[2][row] = 0
        return interval_columns(self.strings, self.texts, requirement, self.names, ranks, columns, unknown, bounds)
