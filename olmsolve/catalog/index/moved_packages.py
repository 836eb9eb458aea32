"""Unchanged packages, between the changed ones, in a new version of a catalog.

Before they are moved, the rows that they share with changed packages must have new numbers. When all have theirs, the
slots of each name and API, and the packages of APIs, follow: what the packages of a run have is copied in one piece
and raised by how far the run has moved; only APIs that packed packages provide, or provided, are made anew.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import TypeAlias

from olmsolve._named_tuples import NamedTuple
from olmsolve.catalog.index.lanes import shifted, shifted_apart
from olmsolve.catalog.index.moved_tables import own_strings
from olmsolve.catalog.index.new_numbers import UNNUMBERED, Ascending, NewNumbers
from olmsolve.catalog.index.packed import Packed
from olmsolve.catalog.index.schema import NONE
from olmsolve.catalog.index.tables import numbers

Rows: TypeAlias = Mapping[str, set[int]]
"""Rows by their table."""

Needs: TypeAlias = dict[int, list[tuple[list[int], int]]]
"""By old package: the rows that a changed package brought first, each with the new numbers of its table."""


def unnumbered_rows(old: Packed, package: int, new_numbers: Mapping[str, NewNumbers], shared_texts: set[int]) -> Rows:
    """Return the rows of the old *package* without a new number, by table; only rows that other packages may need.

    *shared_texts* are the lists of strings that packages share; all others are one package's own.
    """
    without: dict[str, set[int]] = {}
    for name, table in new_numbers.items():
        marks = getattr(old, f"package_{name}")
        rows = {row for row in range(marks[package], marks[package + 1]) if table.now[row] == UNNUMBERED}
        if name == "texts":
            rows &= shared_texts
        elif name == "strings" and rows:
            rows -= own_strings(old, package)
        without[name] = rows
    return without


def needs_of_rows(old: Packed, rows: Rows, new_numbers: Mapping[str, NewNumbers]) -> Needs:
    """Return which of the *rows* of each table each old package needs."""
    needs: Needs = defaultdict(list)

    def scan(column: Sequence[int], wanted: Collection[int], now: list[int], owner: Callable[[int], int]) -> None:
        for position in [position for position, number in enumerate(column) if number in wanted] if wanted else ():
            needs[owner(position)].append((now, column[position]))

    def by(bounds: Sequence[int]) -> Callable[[int], int]:
        return lambda position: bisect_right(bounds, position) - 1

    strings, now = rows["strings"], new_numbers["strings"].now
    of_channel = old.channel_package.__getitem__

    def of_slot(slot: int) -> int:
        return of_channel(old.slot_channel[slot])

    scan(old.bundle_version, strings, now, by(old.package_bundles))
    scan(old.slot_range, strings, now, of_slot)
    scan(old.channel_name, strings, now, of_channel)
    of_requirement = by(old.package_requirements)
    scan(old.requirement_type, strings, now, of_requirement)
    scan(old.requirement_json, strings, now, of_requirement)
    # A requirement's strings are needed by the package that brought it; strings of deprecations, by every package.
    scan(old.texts_string, strings, now, by([old.texts_starts[mark] for mark in old.package_texts]))
    for package, number in enumerate(old.package_deprecations):
        listed = old.texts_string[old.texts_starts[number] : old.texts_starts[number + 1]]
        needs[package] += [(now, string) for string in listed if string in strings]
    scan(old.package_deprecations, rows["texts"], new_numbers["texts"].now, lambda package: package)
    of_requires = by([old.requires_starts[mark] for mark in old.package_requires])
    scan(old.requires_requirement, rows["requirements"], new_numbers["requirements"].now, of_requires)
    # The group of API n has the number n plus the number of names.
    size = len(old.name_string)
    groups = {size + row for row in rows["gvks"]}
    of_group = by([old.groups_starts[mark] for mark in old.package_groups])
    for position in [position for position, group in enumerate(old.groups_group) if group in groups] if groups else ():
        needs[of_group(position)].append((new_numbers["gvks"].now, old.groups_group[position] - size))
    return needs


class MovedRun(NamedTuple):
    """Packages from *first* to *end* of the version before, which are moved in one piece; *package* is now the first.

    Their bundles begin at *bundle* now, their slots at *slots* (of default channels and of others, each counted within
    its kind), and the APIs that they brought have the numbers *gvks*.
    """

    first: int
    end: int
    package: int
    bundle: int
    slots: tuple[int, int]
    gvks: range


def unmoved(old: Packed, runs: Sequence[MovedRun]) -> Iterator[int]:
    """Yield the *old* packages that are in no run: they are gone, or were packed."""
    after = 0
    for run in runs:
        yield from range(after, run.first)
        after = run.end
    yield from range(after, old.packages)


def new_package_numbers(old: Packed, runs: Sequence[MovedRun]) -> list[int]:
    """Return the number that each *old* package has now, UNNUMBERED where it is in no run."""
    names = [UNNUMBERED] * old.packages
    for run in runs:
        names[run.first : run.end] = range(run.package, run.package + run.end - run.first)
    return names


def moved_api_packages(
    old: Packed,
    runs: Sequence[MovedRun],
    new_numbers: NewNumbers,
    old_gvks: Sequence[int],
    provided: Mapping[int, Collection[int]],
) -> tuple[array[int], set[int]]:
    """Return the package that alone provides each API (NONE if several do), and the APIs that changed.

    *new_numbers* maps the *old* numbers of APIs to the new ones, *old_gvks* the new ones to the old; *provided* maps
    each packed package to the APIs that it provides. An API has changed if a package outside all *runs* provides it, or
    did.
    """
    names, size = new_package_numbers(old, runs), len(old.name_string)
    changed: set[int] = set()
    for package in unmoved(old, runs):
        lists = old.groups_starts[old.package_groups[package] : old.package_groups[package + 1] + 1]
        groups = {*old.groups_group[lists[0] : lists[-1]]}
        changed.update(new_numbers.now[group - size] for group in groups if group >= size)
    changed.discard(UNNUMBERED)
    owners: dict[int, set[int]] = {gvk: set() for gvk in changed.union(*provided.values())}
    for package, gvks in provided.items():
        for gvk in gvks:
            owners[gvk].add(package)
    several: dict[int, set[int]] = {}
    for gvk, packages in owners.items():
        number = old_gvks[gvk]
        if number == UNNUMBERED:
            continue
        owner = old.gvk_package[number]
        if owner == NONE:
            several[size + number] = packages
        elif names[owner] != UNNUMBERED:
            packages.add(names[owner])
    if several:
        begins = [old.groups_starts[mark] for mark in old.package_groups]
        for position in [at for at, group in enumerate(old.groups_group) if group in several]:
            package = names[bisect_right(begins, position) - 1]
            if package != UNNUMBERED:
                several[old.groups_group[position]].add(package)
    if new_numbers.is_same and all(run.first == run.package for run in runs):
        # Neither APIs nor packages have other numbers.
        more = len(old_gvks) - len(old.gvk_package)
        column = (old.gvk_package + numbers([NONE]) * more)[: len(old_gvks)]
    else:
        before = [NONE if number == UNNUMBERED else old.gvk_package[number] for number in old_gvks]
        column = numbers([NONE if owner == NONE else names[owner] for owner in before])
    for gvk, packages in owners.items():
        column[gvk] = next(iter(packages)) if len(packages) == 1 else NONE
    return column, {*owners}


class MovedSlots:
    """The numbers of slots now, and the columns of them."""

    def __init__(self, old: Packed, runs: Sequence[MovedRun], default_slots: int, ascending: Ascending) -> None:
        """Take the *old* columns, what was moved, and how many slots default channels have now."""
        self._old = old
        self._runs = runs
        # The slots of default channels come before all others, in the old columns and in the new ones.
        channels = old.package_channels[0]
        self._old_default_slots = old.channel_stop[channels - 1] if channels else 0
        self._new_slots = NewNumbers(len(old.slot_bundle), ascending)
        self._shifts: dict[MovedRun, tuple[int, int]] = {}
        for run in runs:
            default = [channel for channel in old.package_default[run.first : run.end] if channel != NONE]
            others = range(old.package_channels[run.first], old.package_channels[run.end])
            shifts = [0, 0]
            for kind, listed, begin in ((0, default, run.slots[0]), (1, others, default_slots + run.slots[1])):
                if listed:
                    first, end = old.channel_start[listed[0]], old.channel_stop[listed[-1]]
                    self._new_slots.put(first, end, begin)
                    shifts[kind] = begin - first
            self._shifts[run] = shifts[0], shifts[1]

    def _mover(self, run: MovedRun) -> Callable[[array[int]], array[int]]:
        """Return the function from old slots of the packages of *run* to their numbers now."""
        if self._new_slots.is_same:
            return _as_they_are
        below, above = self._shifts[run]
        return lambda slots: shifted_apart(slots, self._old_default_slots, below, above)

    def name_columns(self, rank: Sequence[int], packed: Mapping[int, tuple[array[int], ...]]) -> dict[str, array[int]]:
        """Return the columns of the slots of each package in their two orders.

        *rank* has the rank now of each old rank, and *packed* the slots, the slots by version and their ranks for each
        package that was packed.
        """
        old = self._old
        names = ("name_slots", "name_ranked_slots", "name_ranks")
        columns = {name: numbers() for name in names}
        starts = columns["name_starts"] = numbers([0])
        parts: list[tuple[int, MovedRun | None]] = [(run.package, run) for run in self._runs]
        for package, run in sorted(parts + [(package, None) for package in packed], key=itemgetter(0)):
            begin = len(columns["name_slots"])
            if run is None:
                rows = packed[package]
                starts.append(begin + len(rows[0]))
            else:
                moved, bounds = self._mover(run), old.name_starts[run.first : run.end + 1]
                part = slice(bounds[0], bounds[-1])
                ranks = numbers([rank[row] for row in old.name_ranks[part]])
                rows = moved(old.name_slots[part]), moved(old.name_ranked_slots[part]), ranks
                starts.extend(shifted(bounds[1:], begin - bounds[0]))
            for name, row in zip(names, rows, strict=True):
                columns[name].extend(row)
        return columns

    def gvk_columns(
        self, old_gvks: Sequence[int], changed: Collection[int], by_gvk: Mapping[int, Sequence[int]]
    ) -> dict[str, array[int]]:
        """Return the columns of the slots of each API.

        *old_gvks* has the old number of each, UNNUMBERED for a new one; an API that has *changed* gets its slots of
        packed packages from *by_gvk*.
        """
        old, now = self._old, self._new_slots.now
        alone = {*changed}
        if not self._new_slots.is_same:
            # An API of several packages has slots of several runs, each of which has moved by its own number.
            several = {number for number, package in enumerate(old.gvk_package) if package == NONE}
            alone.update(row for row, number in enumerate(old_gvks) if number in several)
        starts, slots = numbers([0]), numbers()

        def add_alone(first: int, end: int) -> None:
            for row in range(first, end):
                number = old_gvks[row]
                kept = (
                    [] if number == UNNUMBERED else old.gvk_slots[old.gvk_starts[number] : old.gvk_starts[number + 1]]
                )
                moved = [new for slot in kept if (new := now[slot]) != UNNUMBERED]
                slots.extend(numbers(sorted([*moved, *by_gvk.get(row, ())])))
                starts.append(len(slots))

        row = 0
        for run in self._runs:
            add_alone(row, run.gvks.start)
            row, moved = run.gvks.start, self._mover(run)
            offset, source = 0, old.gvk_slots
            if run.gvks and min(self._shifts[run]) >= 0:
                # All at once: rows between, which have slots of other runs as well, become numbers that nobody reads.
                bounds = old.gvk_starts[old_gvks[row]], old.gvk_starts[old_gvks[run.gvks.stop - 1] + 1]
                offset, source = bounds[0], moved(source[bounds[0] : bounds[1]])
                moved = _as_they_are
            while row < run.gvks.stop:
                if row in alone:
                    add_alone(row, row + 1)
                    row += 1
                    continue
                first = number = old_gvks[row]
                while row < run.gvks.stop and old_gvks[row] == number and row not in alone:
                    row, number = row + 1, number + 1
                begin = old.gvk_starts[first]
                starts.extend(shifted(old.gvk_starts[first + 1 : number + 1], len(slots) - begin))
                slots.extend(moved(source[begin - offset : old.gvk_starts[number] - offset]))
        add_alone(row, len(old_gvks))
        return {"gvk_starts": starts, "gvk_slots": slots}


def _as_they_are(slots: array[int]) -> array[int]:
    return slots
