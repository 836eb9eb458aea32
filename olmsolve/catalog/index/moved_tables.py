"""Tables of an index whose rows are taken from the index of the version before, and get new numbers.

Each table maps the number of every old row to the new one (:mod:`.new_numbers`).
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Final, overload

from olmsolve.catalog.index.bundle_columns import BundleColumns
from olmsolve.catalog.index.lanes import distinct, is_all, shifted
from olmsolve.catalog.index.new_numbers import UNNUMBERED, Ascending, NewNumbers, stretches
from olmsolve.catalog.index.packed import Packed
from olmsolve.catalog.index.schema import DEPRECATED, NONE, PLAIN
from olmsolve.catalog.index.tables import Lists, Strings, numbers
from olmsolve.errors import VersionError
from olmsolve.semver import Key, Version

USUAL_FLAGS: Final = frozenset({PLAIN, PLAIN | DEPRECATED})
"""The flags of bundles that are as usual."""


class UnmovableError(Exception):
    """The catalog has something unusual, so its index must be packed anew."""


def check_usual(columns: Packed) -> None:
    """Raise UnmovableError for an index of a catalog that has anything unusual."""
    if (
        len(columns.name_string) != columns.packages
        # A bundle in no channel gives no slot its label.
        or not is_all(columns.bundle_labels, 0)
        or not is_all(columns.name_ranked, 1)
        or not is_all(columns.package_undeclared, 0)
        or not (is_all(columns.bundle_flags, PLAIN) or USUAL_FLAGS.issuperset({*columns.bundle_flags}))
        or not is_all(columns.channel_fault, 0)
        # Lists of bundles' names are one package's own, but for a list of the empty name.
        or any(number and not any(columns.texts(number)) for number in distinct(columns.slot_skips))
        or any(number and not any(columns.texts(number)) for number in {*columns.channel_empty_entries})
        # Several texts may be one version, of which the index keeps the first.
        or len({*columns.bundle_version}) != len(columns.rank_string)
    ):
        raise UnmovableError


class MovedStrings(Strings):
    """The strings of a new version of a catalog; *new_numbers* maps the old number of a string to the new one.

    *names* maps each package of the version before to its number there.
    """

    def __init__(self, before: Packed, names: Mapping[str, int], ascending: Ascending) -> None:
        self._before = before
        self._names = names
        self.new_numbers: NewNumbers = NewNumbers(len(before.string_starts) - 1, ascending, 1)
        self._ascending = ascending
        self._near: dict[str, int] = {}
        self._others: dict[str, int] | None = None
        self.rank_keys: LazyKeys = LazyKeys(before.string, before.rank_string)
        super().__init__()

    def number_of(self, text: str) -> int:
        number = self._shared.get(text)
        if number is None:
            old = self.old(text)
            number = UNNUMBERED if old is None else self.new_numbers.now[old]
            if number == UNNUMBERED:
                number = self._add(text)
                if old is not None:
                    self.new_numbers.put(old, old + 1, number)
            self._shared[text] = number
        return number

    def find(self, text: str) -> int:
        number = self._shared.get(text)
        if number is None:
            old = self.old(text)
            number = UNNUMBERED if old is None else self.new_numbers.now[old]
        return NONE if number == UNNUMBERED else number

    def look_near(self, ranks: Collection[int]) -> list[str]:
        """Look for versions among those with these *ranks* first, which an old package had; return their texts."""
        texts = [self._before.string(self._before.rank_string[rank]) for rank in ranks]
        self._near.update(zip(texts, ranks, strict=True))
        return texts

    def old(self, text: str) -> int | None:
        """Return the number that the shared string *text* had, None if it was not there.

        Versions, names and APIs, nine of ten shared strings, are found without a dict of them all.
        """
        # To make that dict would be 3.4 of the 11.8 ms in which a new version of community-prod was indexed then.
        if not text:
            return None
        if self._others is None:
            self._others = _other_strings(self._before)
        number = self._others.get(text)
        if number is not None:
            return number
        name = self._names.get(text)
        if name is not None:
            return self._before.name_string[name]
        rank = self.old_rank(text)
        if rank is not None:
            return self._before.rank_string[rank]
        return self._before.gvk_string(text)

    def old_rank(self, text: str) -> int | None:
        """Return the rank that the version *text* had, None where there was no such text."""
        near = self._near.get(text)
        if near is not None:
            return near
        try:
            key = Version.parse(text).key
        except VersionError:
            return None
        rank = bisect_left(self.rank_keys, key)
        ranked = self._before.rank_string
        return rank if rank < len(ranked) and self._before.string(ranked[rank]) == text else None

    def of_olds(self, rows: array[int]) -> array[int]:
        """Return the new number of each of the old *rows*; rows without one are added in this order."""
        if rows and rows == numbers(self._ascending(rows[0], rows[0] + len(rows))):
            fresh, number = self.new_numbers.fresh(rows[0], rows[-1] + 1), len(self.starts) - 1
            self.move(fresh)
            if isinstance(fresh, range):
                return numbers(self._ascending(number, number + len(rows)))
        else:
            self.move([row for row in dict.fromkeys(rows) if self.new_numbers.now[row] == UNNUMBERED])
        return self.new_numbers.new_rows(rows)

    def move(self, fresh: Sequence[int]) -> None:
        """Append the old strings *fresh*, which have no new number yet."""
        starts = self._before.string_starts
        for first, end in stretches(fresh):
            number, shift = len(self.starts) - 1, len(self.text) - starts[first]
            self.text.extend(self._before.text[starts[first] : starts[end]])
            self.starts.extend(shifted(starts[first + 1 : end + 1], shift))
            self.new_numbers.put(first, end, number)


def own_strings(before: Packed, package: int) -> set[int]:
    """Return the names of bundles among the strings of an old *package*, which no other package uses."""
    names = {0, *before.bundle_name[before.package_bundles[package] : before.package_bundles[package + 1]]}
    default = before.package_default[package]
    channels = [*range(before.package_channels[package], before.package_channels[package + 1])]
    for channel in channels if default == NONE else [default, *channels]:
        slots = slice(before.channel_start[channel], before.channel_stop[channel])
        names.update(before.slot_replaces[slots])
        for number in {*before.slot_skips[slots], before.channel_empty_entries[channel]}:
            names.update(before.texts_string[before.texts_starts[number] : before.texts_starts[number + 1]])
    return names


def _other_strings(before: Packed) -> dict[str, int]:
    """Return the numbers of all shared strings but names, APIs and versions of bundles."""
    numbers_ = {*before.channel_name, *before.requirement_type} | distinct(before.slot_range)
    numbers_ |= distinct(before.requirement_json)
    starts, items = before.texts_starts, before.texts_string
    # Lists of bundles' names alone hold no shared strings. They are a thousandth of a dense catalog's lists, so the
    # items between two of them are added in one step.
    begin = 0
    for number in sorted(distinct(before.slot_skips).union(before.channel_empty_entries)):
        numbers_.update(items[begin : starts[number]])
        begin = starts[number + 1]
    numbers_.update(items[begin:])
    return dict(zip(before.strings(numbers_), numbers_, strict=True))


class MovedTexts(Lists):
    """The lists of strings; *new_numbers* has the number now of each list of the version before."""

    def __init__(self, before: Packed, ascending: Ascending) -> None:
        super().__init__()
        self.new_numbers: NewNumbers = NewNumbers(len(before.texts_starts) - 1, ascending, 1)

    def number_of(self, items: tuple[int, ...]) -> int:
        # Names of bundles are their packages' own, and lists of them, but for the empty name.
        if items and not any(items):
            raise UnmovableError
        return super().number_of(items)


class MovedBundles(BundleColumns):
    """The columns of bundles, which find requirements and APIs of the version before."""

    def __init__(
        self,
        strings: MovedStrings,
        texts: MovedTexts,
        names: dict[str, int],
        size: int,
        before: Packed,
        ascending: Ascending,
    ) -> None:
        super().__init__(strings, texts, names, size)
        self._before = before
        self._moved_strings = strings
        self._moved_texts = texts
        self._ascending = ascending
        self.requirement_numbers: NewNumbers = NewNumbers(len(before.requirement_type), ascending)
        self.gvk_numbers: NewNumbers = NewNumbers(len(before.gvk_text), ascending)
        # The number that each API had before, UNNUMBERED for a new one; `gvks` has only those of packed packages.
        self.old_gvks: array[int] = numbers()
        self._old_requirements: dict[tuple[int, ...], int] | None = None
        self._near: dict[tuple[int, ...], int] = {}

    def gvk_count(self) -> int:
        return len(self.old_gvks)

    def gvk_row(self, gvk: tuple[str, str, str]) -> int:
        row = self.gvks.get(gvk)
        if row is None:
            old = self._before.gvk(*gvk)
            row = UNNUMBERED if old < 0 else self.gvk_numbers.now[old]
            if row == UNNUMBERED:
                row = len(self.old_gvks)
                self.old_gvks.append(old if old >= 0 else UNNUMBERED)
                if old >= 0:
                    self.gvk_numbers.put(old, old + 1, row)
            self.gvks[gvk] = row
        return row

    def move_gvks(self, fresh: Sequence[int]) -> None:
        """Append the APIs that had the numbers *fresh*."""
        for first, end in stretches(fresh):
            self.gvk_numbers.put(first, end, len(self.old_gvks))
            self.old_gvks.extend(numbers(self._ascending(first, end)))

    def append_requirement(self, kind: str, json: str, fields: Sequence[str]) -> int:
        old = self._old_requirement(kind, json, fields)
        if old is not None and self.requirement_numbers.now[old] != UNNUMBERED:
            return self.requirement_numbers.now[old]
        number = super().append_requirement(kind, json, fields)
        if old is not None:
            self.requirement_numbers.put(old, old + 1, number)
            fields_list, old_list = self.requirement["requirement_fields"][number], self._before.requirement_fields[old]
            self._moved_texts.new_numbers.put(old_list, old_list + 1, fields_list)
        return number

    def move_requirements(self, fresh: Sequence[int]) -> None:
        """Append the requirements that had the numbers *fresh*."""
        old, string, texts = self._before, self._moved_strings.new_numbers, self._moved_texts.new_numbers
        columns = self.requirement
        number = len(columns["requirement_type"])
        for first, end in stretches(fresh):
            rows = slice(first, end)
            columns["requirement_type"].extend(string.new_rows(old.requirement_type[rows]))
            columns["requirement_json"].extend(string.new_rows(old.requirement_json[rows]))
            columns["requirement_fields"].extend(texts.new_rows(old.requirement_fields[rows]))
            self.requirement_numbers.put(first, end, number)
            number += end - first

    def put(self, **columns: array[int]) -> None:
        """Append bundles by their columns; all other columns of theirs are 0."""
        start = self._added
        for name, values in columns.items():
            self._added = start + len(values)
            self.columns[f"bundle_{name}"][start : self._added] = values

    def merged_ranks(
        self, gone: Collection[int], brought: Collection[int], moved: Iterable[array[int]]
    ) -> tuple[list[int], array[int], dict[int, int]]:
        """Merge the old versions without the ranks *gone*, and the versions of the strings *brought* by packed bundles.

        *gone* are ranks that packages had that were not moved, as far as *brought* does not bring them back and no
        column of *moved* ranks has them. Return the new rank of each old rank (UNNUMBERED if it is gone), the strings
        of the versions, ascending, and the ranks of *brought*.

        Raises UnmovableError where two texts are one version.
        """
        old, strings = self._before, self._moved_strings
        new: list[tuple[int, Key, int]] = []  # the old rank after it, the key, and the string
        old_ranks: dict[int, int] = {}
        for string in brought:
            text = strings.text_of(string)
            rank = strings.old_rank(text)
            if rank is not None:
                old_ranks[string] = rank
                continue
            key = Version.parse(text).key
            position = bisect_left(strings.rank_keys, key)
            if position < len(strings.rank_keys) and strings.rank_keys[position] == key:
                raise UnmovableError
            new.append((position, key, string))
        new.sort()
        if any(first[1] == second[1] for first, second in pairwise(new)):
            raise UnmovableError
        absent = {*gone}.difference(old_ranks.values())
        # A package that has changed mostly has all its versions still, and no column need be walked.
        for column in moved if absent else ():
            absent.difference_update(column)
        new_ranks: list[int] = []
        merged = numbers()
        ranks: dict[int, int] = {}
        old_strings, now = old.rank_string, strings.new_numbers.now

        def move(end: int) -> None:
            start = len(new_ranks)
            new_ranks.extend(self._ascending(len(merged), len(merged) + end - start))
            merged.extend([now[string] for string in old_strings[start:end]])

        events = [(rank, 0, number) for number, (rank, _, _) in enumerate(new)] + [(rank, 1, 0) for rank in absent]
        events.sort()
        for rank, is_absent, number in events:
            move(rank)
            if is_absent:
                new_ranks.append(UNNUMBERED)
            else:
                ranks[new[number][2]] = len(merged)
                merged.append(new[number][2])
        move(len(old_strings))
        return new_ranks, merged, ranks | {string: new_ranks[rank] for string, rank in old_ranks.items()}

    def _old_requirement(self, kind: str, json: str, fields: Sequence[str]) -> int | None:
        """Return the number of the same requirement in the version before, None if it was not there."""
        old_number = self._moved_strings.old
        key = [0 if not text else old_number(text) for text in (kind, json, *fields)]
        if None in key:
            return None
        number = self._near.get(tuple(key))  # type: ignore[arg-type]
        if number is not None:
            return number
        if self._old_requirements is None:
            self._old_requirements = self._by_content(range(len(self._before.requirement_type)))
        return self._old_requirements.get(tuple(key))  # type: ignore[arg-type]

    def look_near(self, package: int) -> None:
        """Look for versions and requirements in an old *package* first: mostly it had them before."""
        # Without, the index of a new version of community-prod takes 9.4 ms, not 8.5.
        before = self._before
        ranks = {*before.bundle_rank[before.package_bundles[package] : before.package_bundles[package + 1]]}
        # That these texts are strict versions is known; their keys are not asked for.
        strict: Key = ()
        self.versions.update(dict.fromkeys(self._moved_strings.look_near(ranks), strict))
        lists = before.requires_starts[before.package_requires[package] : before.package_requires[package + 1] + 1]
        self._near = self._by_content({*before.requires_requirement[lists[0] : lists[-1]]})

    def _by_content(self, rows: Iterable[int]) -> dict[tuple[int, ...], int]:
        before = self._before
        starts, items = before.texts_starts, before.texts_string
        types, jsons, lists = before.requirement_type, before.requirement_json, before.requirement_fields
        return {(types[row], jsons[row], *items[starts[lists[row]] : starts[lists[row] + 1]]): row for row in rows}


class LazyKeys(Sequence[Key]):
    """The keys of versions by their texts, each parsed when it is first asked for: a bisection asks for a few."""

    def __init__(self, text_of: Callable[[int], str], texts: Sequence[int]) -> None:
        self._text_of = text_of
        self._texts = texts
        self._keys: dict[int, Key] = {}

    def __len__(self) -> int:
        return len(self._texts)

    @overload
    def __getitem__(self, number: int) -> Key: ...

    @overload
    def __getitem__(self, number: slice) -> Sequence[Key]: ...

    def __getitem__(self, number: int | slice) -> Key | Sequence[Key]:
        if isinstance(number, slice):
            return [self[slot] for slot in range(*number.indices(len(self)))]
        key = self._keys.get(number)
        if key is None:
            key = self._keys[number] = Version.parse(self._text_of(self._texts[number])).key
        return key
