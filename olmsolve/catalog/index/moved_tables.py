"""Tables of an index whose rows come from the index of the version before, with new numbers.

Each remembers the *place* of every old row: the number that it has now, or UNPLACED. Whoever adds a row that was there
before finds its place, or gives it one.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final, overload

from olmsolve.catalog.index.bundle_columns import BundleColumns
from olmsolve.catalog.index.packed import Packed
from olmsolve.catalog.index.schema import DEPRECATED, NONE, PLAIN
from olmsolve.catalog.index.tables import Lists, Strings, numbers, shifted
from olmsolve.errors import VersionError
from olmsolve.semver import Key, Version

UNPLACED: Final = NONE
"""The place of an old row that has none."""


USUAL_FLAGS: Final = frozenset({PLAIN, PLAIN | DEPRECATED})
"""The flags of bundles that are as usual."""


class UnmovableError(Exception):
    """Something about a catalog is unusual: it is packed whole."""


def check_usual(columns: Packed) -> None:
    """Raise UnmovableError for an index of a catalog that has anything unusual."""
    if (
        len(columns.name_string) != columns.packages
        # A bundle in no channel gives no slot its label.
        or any(columns.bundle_labels)
        or not all(columns.name_ranked)
        or any(columns.package_undeclared)
        or not USUAL_FLAGS.issuperset({*columns.bundle_flags})
        or any(columns.channel_fault)
        # Lists of bundles' names are one package's own, but for a list of the empty name.
        or any(number and not any(columns.texts(number)) for number in {*columns.slot_skips})
        or any(number and not any(columns.texts(number)) for number in {*columns.channel_empty_entries})
        # Several texts may be one version, of which the index keeps the first.
        or len({*columns.bundle_version}) != len(columns.rank_string)
    ):
        raise UnmovableError


class Ascending:
    """The numbers from 0 on as a column, of which parts are copied."""

    # To copy 10,000 numbers takes 0.3 µs, to make them 134.

    def __init__(self, count: int) -> None:
        self._numbers = numbers(range(count))

    def __call__(self, first: int, end: int) -> array[int]:
        """Return the numbers from *first* to *end*."""
        return self._numbers[first:end] if end <= len(self._numbers) else numbers(range(first, end))


class Places:
    """The number that each old row of a table has now, by *now*: UNPLACED for one that has none.

    *is_same* tells that all rows that have one kept their number, so that columns of them are copied as they are.
    *moves* are all stretches of rows that got their numbers together: the first, the end, and the number of the first.
    The first rows up to *fixed* have the same number in every index.
    """

    __slots__ = ("_ascending", "is_same", "moves", "now")

    def __init__(self, count: int, ascending: Ascending, fixed: int = 0) -> None:
        self.now: array[int] = numbers(range(fixed)) + numbers([UNPLACED]) * (count - fixed)
        self.is_same: bool = True
        self.moves: list[tuple[int, int, int]] = []
        self._ascending = ascending

    def put(self, first: int, end: int, number: int) -> None:
        """Give the old rows from *first* to *end* the numbers from *number*."""
        self.now[first:end] = self._ascending(number, number + end - first)
        self.is_same &= first == number
        self.moves.append((first, end, number))

    def new_rows(self, rows: array[int]) -> array[int]:
        """Return where each of the old *rows* is now; all have a place."""
        now = self.now
        return rows if self.is_same else numbers([now[row] for row in rows])

    def fresh(self, first: int, end: int) -> Sequence[int]:
        """Return the rows from *first* to *end* that have no place yet."""
        # Mostly none has one; the bytes of each number but UNPLACED have one that is not 255. Number by number, the
        # index of a new version of community-prod takes 10.4 ms, not 9.2.
        if not self.now[first:end].tobytes().strip(b"\xff"):
            return range(first, end)
        return [row for row in range(first, end) if self.now[row] == UNPLACED]


class MovedStrings(Strings):
    """The strings, some of which the version before had too; *place* has the number now of each old string.

    *names* has the numbers of the packages before.
    """

    def __init__(self, before: Packed, names: Mapping[str, int], ascending: Ascending) -> None:
        self._before = before
        self._names = names
        self.place: Places = Places(len(before.string_starts) - 1, ascending, 1)
        self._ascending = ascending
        self._near: dict[str, int] = {}
        self._others: dict[str, int] | None = None
        self.rank_keys: LazyKeys = LazyKeys(before.string, before.rank_string)
        super().__init__()

    def number_of(self, text: str) -> int:
        number = self._shared.get(text)
        if number is None:
            old = self.old(text)
            number = UNPLACED if old is None else self.place.now[old]
            if number == UNPLACED:
                number = self._add(text)
                if old is not None:
                    self.place.put(old, old + 1, number)
            self._shared[text] = number
        return number

    def find(self, text: str) -> int:
        number = self._shared.get(text)
        if number is None:
            old = self.old(text)
            number = UNPLACED if old is None else self.place.now[old]
        return NONE if number == UNPLACED else number

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
        """Return where the old *rows* are now; those without a place are added in this order."""
        if rows and rows == self._ascending(rows[0], rows[0] + len(rows)):
            fresh, number = self.place.fresh(rows[0], rows[-1] + 1), len(self.starts) - 1
            self.move(fresh)
            if isinstance(fresh, range):
                return self._ascending(number, number + len(rows))
        else:
            self.move([row for row in dict.fromkeys(rows) if self.place.now[row] == UNPLACED])
        return self.place.new_rows(rows)

    def move(self, fresh: Sequence[int]) -> None:
        """Append the old strings *fresh*, which have no place yet."""
        starts = self._before.string_starts
        for first, end in stretches(fresh):
            number, shift = len(self.starts) - 1, len(self.text) - starts[first]
            self.text.extend(self._before.text[starts[first] : starts[end]])
            self.starts.extend(shifted(starts[first + 1 : end + 1], shift))
            self.place.put(first, end, number)


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
    numbers_ = {*before.channel_name, *before.slot_range, *before.requirement_type, *before.requirement_json}
    starts, items = before.texts_starts, before.texts_string
    # Lists of bundles' names alone hold no shared strings. They are a thousandth of a dense catalog's lists, so the
    # items between two of them are added in one step.
    begin = 0
    for number in sorted({*before.slot_skips, *before.channel_empty_entries}):
        numbers_.update(items[begin : starts[number]])
        begin = starts[number + 1]
    numbers_.update(items[begin:])
    return {before.string(number): number for number in numbers_}


class MovedTexts(Lists):
    """The lists of strings; *place* has the number of each list of the version before."""

    def __init__(self, before: Packed, ascending: Ascending) -> None:
        super().__init__()
        self.place: Places = Places(len(before.texts_starts) - 1, ascending, 1)

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
        self.requirement_place: Places = Places(len(before.requirement_type), ascending)
        self.gvk_place: Places = Places(len(before.gvk_text), ascending)
        # The number that each API had before, UNPLACED for a new one; `gvks` has only those of packed packages.
        self.old_gvks: array[int] = numbers()
        self._old_requirements: dict[tuple[int, ...], int] | None = None
        self._near: dict[tuple[int, ...], int] = {}

    def gvk_count(self) -> int:
        return len(self.old_gvks)

    def gvk_row(self, gvk: tuple[str, str, str]) -> int:
        row = self.gvks.get(gvk)
        if row is None:
            old = self._before.gvk(*gvk)
            row = UNPLACED if old < 0 else self.gvk_place.now[old]
            if row == UNPLACED:
                row = len(self.old_gvks)
                self.old_gvks.append(old if old >= 0 else UNPLACED)
                if old >= 0:
                    self.gvk_place.put(old, old + 1, row)
            self.gvks[gvk] = row
        return row

    def move_gvks(self, fresh: Sequence[int]) -> None:
        """Append the APIs that had the numbers *fresh*."""
        for first, end in stretches(fresh):
            self.gvk_place.put(first, end, len(self.old_gvks))
            self.old_gvks.extend(self._ascending(first, end))

    def append_requirement(self, kind: str, json: str, fields: Sequence[str]) -> int:
        old = self._old_requirement(kind, json, fields)
        if old is not None and self.requirement_place.now[old] != UNPLACED:
            return self.requirement_place.now[old]
        number = super().append_requirement(kind, json, fields)
        if old is not None:
            self.requirement_place.put(old, old + 1, number)
            fields_list, old_list = self.requirement["requirement_fields"][number], self._before.requirement_fields[old]
            self._moved_texts.place.put(old_list, old_list + 1, fields_list)
        return number

    def move_requirements(self, fresh: Sequence[int]) -> None:
        """Append the requirements that had the numbers *fresh*."""
        old, string, texts = self._before, self._moved_strings.place, self._moved_texts.place
        columns = self.requirement
        number = len(columns["requirement_type"])
        for first, end in stretches(fresh):
            rows = slice(first, end)
            columns["requirement_type"].extend(string.new_rows(old.requirement_type[rows]))
            columns["requirement_json"].extend(string.new_rows(old.requirement_json[rows]))
            columns["requirement_fields"].extend(texts.new_rows(old.requirement_fields[rows]))
            self.requirement_place.put(first, end, number)
            number += end - first

    def put(self, **columns: array[int]) -> None:
        """Append bundles by their columns; all other columns of theirs are 0."""
        start = self._added
        for name, values in columns.items():
            self._added = start + len(values)
            self.columns[f"bundle_{name}"][start : self._added] = values

    def merged_ranks(
        self, gone: Collection[int], brought: Collection[int]
    ) -> tuple[array[int], array[int], dict[int, int]]:
        """Merge the old versions, but for the old ranks *gone*, with those of the strings *brought* by packed bundles.

        *gone* are the ranks of packages that were not moved, if no moved package has them; some may be brought again.
        Return the rank of each old rank now (UNPLACED for those that are gone), the strings of the versions, ascending,
        and the ranks of *brought*.

        Raises UnmovableError where two texts are one version.
        """
        old, strings = self._before, self._moved_strings
        new: list[tuple[int, Key, int]] = []  # the old rank behind it, the key, and the string
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
        places, merged = numbers(), numbers()
        ranks: dict[int, int] = {}
        old_strings, now = old.rank_string, strings.place.now

        def move(end: int) -> None:
            start = len(places)
            places.extend(self._ascending(len(merged), len(merged) + end - start))
            merged.extend([now[string] for string in old_strings[start:end]])

        events = [(rank, 0, number) for number, (rank, _, _) in enumerate(new)] + [(rank, 1, 0) for rank in absent]
        events.sort()
        for rank, is_absent, number in events:
            move(rank)
            if is_absent:
                places.append(UNPLACED)
            else:
                ranks[new[number][2]] = len(merged)
                merged.append(new[number][2])
        move(len(old_strings))
        return places, merged, ranks | {string: places[rank] for string, rank in old_ranks.items()}

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


def stretches(rows: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and the end of each stretch of *rows* without a gap: 3, 4, 5, 8 are (3, 6) and (8, 9)."""
    if not rows:
        return
    if isinstance(rows, range):
        yield rows[0], rows[-1] + 1
        return
    first = before = rows[0]
    for row in rows[1:]:
        if row != before + 1:
            yield first, before + 1
            first = row
        before = row
    yield first, before + 1


def moved_marks(marks: array[int], length: int, fresh: Sequence[int] | None) -> Sequence[int]:
    """Return where the rows of each package end now, if they began at *marks* and the table had *length* rows."""
    if fresh is None or len(fresh) == marks[-1] - marks[0]:
        return shifted(marks[1:], length - marks[0])
    return [length + bisect_left(fresh, mark) for mark in marks[1:]]
