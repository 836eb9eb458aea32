"""The rows that packages which did not change share with changed ones."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeAlias

from olmsolve.catalog.index.moved_tables import UNPLACED, Places, own_strings
from olmsolve.catalog.index.packed import Packed

Rows: TypeAlias = Mapping[str, set[int]]
"""Rows by their table."""

Needs: TypeAlias = "dict[int, list[tuple[array[int], int]]]"
"""By old package: the rows that a changed package brought first, each with the places of its table."""


def rows_without_place(old: Packed, package: int, places: Mapping[str, Places], shared_texts: set[int]) -> Rows:
    """Return the rows that an old *package* brought and that have no place: by table, those that others may need.

    *shared_texts* are the lists of strings that packages share; all others are one package's own.
    """
    without: dict[str, set[int]] = {}
    for name, place in places.items():
        marks = getattr(old, f"package_{name}")
        rows = {row for row in range(marks[package], marks[package + 1]) if place.now[row] == UNPLACED}
        if name == "texts":
            rows &= shared_texts
        elif name == "strings" and rows:
            rows -= own_strings(old, package)
        without[name] = rows
    return without


def needs_of_rows(old: Packed, rows: Rows, places: Mapping[str, Places]) -> Needs:
    """Return which of the *rows* of each table each old package needs."""
    needs: Needs = defaultdict(list)

    def scan(column: Sequence[int], wanted: Collection[int], place: array[int], owner: Callable[[int], int]) -> None:
        for position in [position for position, number in enumerate(column) if number in wanted] if wanted else ():
            needs[owner(position)].append((place, column[position]))

    def by(bounds: Sequence[int]) -> Callable[[int], int]:
        return lambda position: bisect_right(bounds, position) - 1

    strings, place = rows["strings"], places["strings"].now
    of_channel = old.channel_package.__getitem__

    def of_slot(slot: int) -> int:
        return of_channel(old.slot_channel[slot])

    scan(old.bundle_version, strings, place, by(old.package_bundles))
    scan(old.slot_range, strings, place, of_slot)
    scan(old.channel_name, strings, place, of_channel)
    of_requirement = by(old.package_requirements)
    scan(old.requirement_type, strings, place, of_requirement)
    scan(old.requirement_json, strings, place, of_requirement)
    # The strings of a requirement are needed by the package that brought it, those of deprecations by each package.
    scan(old.texts_string, strings, place, by([old.texts_starts[mark] for mark in old.package_texts]))
    for package, number in enumerate(old.package_deprecations):
        listed = old.texts_string[old.texts_starts[number] : old.texts_starts[number + 1]]
        needs[package] += [(place, string) for string in listed if string in strings]
    scan(old.package_deprecations, rows["texts"], places["texts"].now, lambda package: package)
    of_requires = by([old.requires_starts[mark] for mark in old.package_requires])
    scan(old.requires_requirement, rows["requirements"], places["requirements"].now, of_requires)
    # Among groups, the one of API n is n plus the number of names.
    size = len(old.name_string)
    groups = {size + row for row in rows["gvks"]}
    of_group = by([old.groups_starts[mark] for mark in old.package_groups])
    for position in [position for position, group in enumerate(old.groups_group) if group in groups] if groups else ():
        needs[of_group(position)].append((places["gvks"].now, old.groups_group[position] - size))
    return needs
