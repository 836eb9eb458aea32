"""Plain package requirements as intervals, worked out while a catalog is packed.

A requirement is read here once for all requests, in numbers only. For example, with versions of package db in the
catalog and their ranks among all versions::

    name_ranks of db == (3, 5, 8, 9)       its slots' versions 1.0.0, 1.1.0, 1.2.0, 2.0.0
    ">=1.1.0 <2.0.0" is the span of ranks (5, 9): versions of other packages have ranks as well
    bisected in name_ranks: the interval (1, 3), the slots of 1.1.0 and 1.2.0
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence

from olmsolve._limits import checked
from olmsolve.catalog.index.schema import NONE
from olmsolve.catalog.index.tables import Lists, Strings, numbers
from olmsolve.errors import RangeError
from olmsolve.predicates import PACKAGE_FIELDS, PACKAGE_REQUIRED
from olmsolve.semver import BlangRange, Key, well_formed

_Spans = Sequence[tuple[int, int]]


def interval_columns(
    strings: Strings,
    texts: Lists,
    requirement: Mapping[str, array[int]],
    names: Mapping[str, int],
    ranks: Sequence[Key],
    postings: Mapping[str, array[int]],
    rows: Iterable[int] | None = None,
    known: tuple[array[int], array[int], array[int]] | None = None,
) -> dict[str, array[int]]:
    """Return the columns ``requirement_name``, ``requirement_first`` and ``requirement_end``.

    *requirement* has the other columns of requirements, *names* the numbers of packages' names, *ranks* the sort keys
    of the versions, ascending, and *postings* the columns ``name_starts``, ``name_ranks`` and ``name_ranked``. No
    string is added. With *rows*, only these requirements are looked at, and *known* has the columns for the others.
    """
    package_field, range_field = map(strings.find, PACKAGE_FIELDS)
    name_of, spans_of = _NameOfString(strings, names), _SpansOfString(strings, ranks)
    name_starts, name_ranks, name_ranked = (postings[f"name_{column}"] for column in ("starts", "ranks", "ranked"))
    starts, items = texts.starts, texts.items
    kind = strings.find(PACKAGE_REQUIRED)
    types, jsons, lists = (requirement[f"requirement_{column}"] for column in ("type", "json", "fields"))
    if known is not None:
        found_name, found_first, found_end = known
    else:
        found_name = numbers([NONE]) * len(types)
        found_first, found_end = numbers([0]) * len(types), numbers([0]) * len(types)
    for number in checked(range(len(types)) if rows is None else rows, every=256):
        fields = lists[number]
        if types[number] != kind or jsons[number]:
            continue
        begin = starts[fields]
        if starts[fields + 1] - begin == 4 and items[begin] == package_field and items[begin + 2] == range_field:
            # The two fields in their usual order: no dict of four numbers for each of many requirements.
            name, range_string = name_of[items[begin + 1]], items[begin + 3]
        else:
            end = starts[fields + 1]
            pairs = dict(zip(items[begin:end:2], items[begin + 1 : end : 2], strict=True))
            # An absent field counts as empty, and string 0 is the empty one.
            name, range_string = name_of[pairs.get(package_field, 0)], pairs.get(range_field, 0)
        if name == NONE or not name_ranked[name] or (spans := spans_of[range_string]) is None:
            continue
        start = name_starts[name]
        if len(spans) == 1:
            # Nearly all ranges are one span, for which two bisections do.
            lower, upper = spans[0]
            stop = name_starts[name + 1]
            first = bisect_left(name_ranks, lower, start, stop)
            end = bisect_left(name_ranks, upper, first, stop)
        else:
            first, end = _interval(name_ranks, start, name_starts[name + 1], spans)
        if first < end:
            found_name[number], found_first[number], found_end[number] = name, first - start, end - start
        elif first == end:
            found_name[number] = name
    return {"requirement_name": found_name, "requirement_first": found_first, "requirement_end": found_end}


def _interval(ranks: Sequence[int], start: int, stop: int, spans: _Spans) -> tuple[int, int]:
    """Return the interval of positions from *start* to *stop* whose *ranks* are in *spans*.

    Several spans can be one interval: between ``<1.0.0 || >1.0.0`` nothing is left out where no version is 1.0.0.
    (1, 0) stands for positions that are not one interval.
    """
    first = end = low = start
    for lower, upper in spans:
        low = bisect_left(ranks, lower, low, stop)
        high = bisect_left(ranks, upper, low, stop)
        if low == high:
            continue
        if first == end:
            first = low
        elif low != end:
            return 1, 0
        end = low = high
    return first, end


class _NameOfString(dict[int, int]):
    """The number of a package's name by the number of its string, NONE for other strings; each looked up once."""

    def __init__(self, strings: Strings, names: Mapping[str, int]) -> None:
        super().__init__()
        self._strings = strings
        self._names = names

    def __missing__(self, string: int) -> int:
        name = self[string] = self._names.get(well_formed(self._strings.text_of(string)), NONE)
        return name


class _SpansOfString(dict[int, "_Spans | None"]):
    """The spans of ranks in a range by the number of its string, None if it does not parse; parsed once for each."""

    def __init__(self, strings: Strings, ranks: Sequence[Key]) -> None:
        super().__init__()
        self._strings = strings
        self._ranks = ranks

    def __missing__(self, string: int) -> _Spans | None:
        spans = self[string] = self._spans(well_formed(self._strings.text_of(string)))
        return spans

    def _spans(self, text: str) -> _Spans | None:
        try:
            cuts = BlangRange.parse(text).cuts
        except RangeError:
            return None
        ranks = [bisect_left(self._ranks, cut) for cut in cuts]
        return tuple(zip(ranks[::2], ranks[1::2], strict=True))
