"""Tables of an index whose rows come from the index of the version before, with new numbers.

Each remembers the *place* of every old row: the number that it has now, or UNPLACED. Whoever adds a row that was there
before finds its place, or gives it one.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from heapq import merge
from itertools import pairwise
from operator import itemgetter
from typing import Final, overload

from olmsolve.catalog.index.bundle_columns import BundleColumns
from olmsolve.catalog.index.packed import Packed
from olmsolve.catalog.index.schema import DEPRECATED, NONE, PLAIN
from olmsolve.catalog.index.tables import Lists, Strings, numbers, shifted
from olmsolve.semver import Key, Version

UNPLACED: Final = -1
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
        or not USUAL_FLAGS.issuperset(columns.bundle_flags)
        or any(columns.channel_fault)
        # Lists of bundles' names are one package's own, but for a list of the empty name.
        or any(number and not any(columns.texts(number)) for number in {*columns.slot_skips})
        or any(number and not any(columns.texts(number)) for number in {*columns.channel_empty_entries})
        # Several texts may be one version, of which the index keeps the first.
        or list(map(columns.rank_string.__getitem__, columns.bundle_rank)) != columns.bundle_version.tolist()
    ):
        raise UnmovableError


class MovedStrings(Strings):
    """The strings, with those of the version before that get a place again; *place* has the number of each."""

    def __init__(self, before: Packed) -> None:
        self._before = before
        self.place = [UNPLACED] * (len(before.string_starts) - 1)
        self._old = _shared_strings(before)
        self.shared: set[int] = {*self._old.values()}
        super().__init__()
        self.place[0] = 0

    def number_of(self, text: str) -> int:
        number = self._shared.get(text)
        if number is None:
            old = self._old.get(text)
            number = UNPLACED if old is None else self.place[old]
            if number == UNPLACED:
                number = self._add(text)
                if old is not None:
                    self.place[old] = number
            self._shared[text] = number
        return number

    def find(self, text: str) -> int:
        number = self._shared.get(text)
        if number is None:
            old = self._old.get(text)
            number = UNPLACED if old is None else self.place[old]
        return NONE if number == UNPLACED else number

    def old(self, text: str) -> int | None:
        """Return the number that *text* had, None if it was not there."""
        return self._old.get(text)

    def of_old(self, number: int) -> int:
        """Return the string that had this *number*, which is added unless it has a place."""
        row = self.place[number]
        if row == UNPLACED:
            starts = self._before.string_starts
            self.text += self._before.text[starts[number] : starts[number + 1]]
            self.starts.append(len(self.text))
            row = self.place[number] = len(self.starts) - 2
        return row

    def move(self, first: int, end: int) -> None:
        """Append the strings that had the numbers from *first* to *end*, but for those that have a place."""
        starts = self._before.string_starts
        for begin, until in stretches(fresh_rows(self.place, first, end)):
            number, shift = len(self.starts) - 1, len(self.text) - starts[begin]
            self.text += self._before.text[starts[begin] : starts[until]]
            self.starts.extend(shifted(starts[begin + 1 : until + 1], shift))
            self.place[begin:until] = range(number, number + until - begin)


def _shared_strings(before: Packed) -> dict[str, int]:
    """Return the numbers of the strings that all packages share; names of bundles are their packages' own."""
    starts, text = before.string_starts, before.text
    own_strings = {0, *before.bundle_name, *before.slot_replaces}
    for number in {*before.slot_skips, *before.channel_empty_entries}:
        own_strings.update(before.texts_string[before.texts_starts[number] : before.texts_starts[number + 1]])
    shared = set(range(len(starts) - 1)) - own_strings
    return {text[starts[string] : starts[string + 1]].decode("utf-8", "surrogatepass"): string for string in shared}


class MovedTexts(Lists):
    """The lists of strings; *place* has the number of each list of the version before."""

    def __init__(self, before: Packed) -> None:
        super().__init__()
        self.place = [0, *[UNPLACED] * (len(before.texts_starts) - 2)]

    def number_of(self, items: tuple[int, ...]) -> int:
        # Names of bundles are their packages' own, and lists of them, but for the empty name.
        if items and not any(items):
            raise UnmovableError
        return super().number_of(items)


class MovedBundles(BundleColumns):
    """The columns of bundles, which find requirements and APIs of the version before."""

    def __init__(
        self, strings: MovedStrings, texts: MovedTexts, names: dict[str, int], size: int, before: Packed
    ) -> None:
        super().__init__(strings, texts, names, size)
        self._before = before
        self._moved_strings = strings
        self._moved_texts = texts
        self.requirement_place = [UNPLACED] * len(before.requirement_type)
        self.gvk_place = [UNPLACED] * len(before.gvk_text)
        self._old_requirements: dict[tuple[int, ...], int] | None = None
        self._near: dict[tuple[int, ...], int] = {}
        # That these texts are strict versions is known; their keys are not asked for.
        strict: Key = ()
        self.versions |= dict.fromkeys(map(before.string, before.rank_string), strict)

    def gvk_row(self, gvk: tuple[str, str, str]) -> int:
        row = self.gvks.get(gvk)
        if row is None:
            row = self.gvks[gvk] = len(self.gvks)
            old = self._before.gvk(*gvk)
            if old >= 0:
                self.gvk_place[old] = row
        return row

    def move_gvks(self, first: int, end: int) -> None:
        """Append the APIs that had the numbers from *first* to *end*, but for those that have a place."""
        for old in range(first, end):
            if self.gvk_place[old] == UNPLACED:
                self.gvk_place[old] = len(self.gvks)
                self.gvks[self._before.gvk_parts(old)] = len(self.gvks)

    def append_requirement(self, kind: str, json: str, fields: Sequence[str]) -> int:
        old = self._old_requirement(kind, json, fields)
        if old is not None and self.requirement_place[old] != UNPLACED:
            return self.requirement_place[old]
        number = super().append_requirement(kind, json, fields)
        if old is not None:
            self.requirement_place[old] = number
            fields_list = self.requirement["requirement_fields"][number]
            self._moved_texts.place[self._before.requirement_fields[old]] = fields_list
        return number

    def move_requirements(self, fresh: Sequence[int]) -> None:
        """Append the requirements that had the numbers *fresh*."""
        old, string, texts = self._before, self._moved_strings.place, self._moved_texts.place
        columns = self.requirement
        number = len(columns["requirement_type"])
        for first, end in stretches(fresh):
            rows = slice(first, end)
            columns["requirement_type"].extend([string[row] for row in old.requirement_type[rows]])
            columns["requirement_json"].extend([string[row] for row in old.requirement_json[rows]])
            columns["requirement_fields"].extend([texts[row] for row in old.requirement_fields[rows]])
            self.requirement_place[rows] = range(number, number + end - first)
            number += end - first

    def put(self, **columns: Iterable[int]) -> None:
        """Append bundles by their columns; all other columns of theirs are 0."""
        start = self._added
        for name, values in columns.items():
            made = numbers(values)
            self._added = start + len(made)
            self.columns[f"bundle_{name}"][start : self._added] = made

    def merged_ranks(self, kept: Collection[int], brought: Iterable[int]) -> tuple[list[int], list[int]]:
        """Merge the versions of the old ranks *kept* with those of the strings *brought* by packed bundles.

        Return the rank of each old rank now (0 for those that are gone), and the strings of the versions, ascending.

        Raises UnmovableError where two texts are one version.
        """
        old, strings = self._before, self._moved_strings
        keys = LazyKeys(old.string, old.rank_string)
        rank_of = {string: rank for rank, string in enumerate(old.rank_string)}
        ranks = {*kept}
        new: list[tuple[int, Key, int]] = []  # the old rank behind it, the key, and the string
        for string in brought:
            text = strings.text_of(string)
            old_string = strings.old(text)
            rank = None if old_string is None else rank_of.get(old_string)
            if rank is not None:
                ranks.add(rank)
                continue
            key = self.versions[text]
            assert key is not None  # the bundle is a usual one
            position = bisect_left(keys, key)
            if position < len(keys) and keys[position] == key:
                raise UnmovableError
            new.append((position, key, string))
        new.sort()
        if any(first[1] == second[1] for first, second in pairwise(new)):
            raise UnmovableError
        moved = [(rank, 1, strings.place[old.rank_string[rank]]) for rank in sorted(ranks)]
        merged = list(merge([(rank, 0, string) for rank, _, string in new], moved, key=itemgetter(0, 1)))
        places = [0] * len(old.rank_string)
        for number, (rank, is_old, _) in enumerate(merged):
            if is_old:
                places[rank] = number
        return places, [string for _, _, string in merged]

    def _old_requirement(self, kind: str, json: str, fields: Sequence[str]) -> int | None:
        """Return the number of the same requirement in the version before, None if it was not there."""
        of = self._moved_strings.old
        key = [0 if not text else of(text) for text in (kind, json, *fields)]
        if None in key:
            return None
        number = self._near.get(tuple(key))  # type: ignore[arg-type]
        if number is not None:
            return number
        if self._old_requirements is None:
            self._old_requirements = self._by_content(range(len(self._before.requirement_type)))
        return self._old_requirements.get(tuple(key))  # type: ignore[arg-type]

    def look_near(self, package: int) -> None:
        """Look for requirements among those of an old *package* first: mostly they are there, and all need no dict."""
        before = self._before
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


def fresh_rows(place: Sequence[int], first: int, end: int) -> Sequence[int]:
    """Return the rows from *first* to *end* that have no place yet."""
    if max(place[first:end], default=UNPLACED) == UNPLACED:
        return range(first, end)
    return [row for row in range(first, end) if place[row] == UNPLACED]


def stretches(rows: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and the end of each stretch of *rows* without a gap: 3, 4, 5, 8 are (3, 6) and (8, 9)."""
    if not rows:
        return
    if rows[-1] - rows[0] == len(rows) - 1:
        yield rows[0], rows[-1] + 1
        return
    first = before = rows[0]
    for row in rows[1:]:
        if row != before + 1:
            yield first, before + 1
            first = row
        before = row
    yield first, before + 1


def moved_stretches(place: Sequence[int]) -> Iterator[tuple[slice, slice]]:
    """Yield the stretches of old rows that were moved together, each with where it is now.

    Places 7, 8, UNPLACED, 3 are the rows 0 and 1, which are now 7 and 8, and row 3, which is now 3.
    """
    first = 0
    while first < len(place):
        row, end = place[first], first + 1
        if row != UNPLACED:
            while end < len(place) and place[end] == row + end - first:
                end += 1
            yield slice(first, end), slice(row, row + end - first)
        first = end


def moved_marks(marks: array[int], length: int, fresh: Sequence[int] | None) -> Sequence[int]:
    """Return where the rows of each package end now, if they began at *marks* and the table had *length* rows."""
    if fresh is None or len(fresh) == marks[-1] - marks[0]:
        return shifted(marks[1:], length - marks[0])
    return [length + bisect_left(fresh, mark) for mark in marks[1:]]
