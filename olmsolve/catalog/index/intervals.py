"""What plain package requirements mean in numbers, worked out while a catalog is packed."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence

from olmsolve.catalog.index.packed import NONE
from olmsolve.catalog.index.tables import Lists, Strings, numbers
from olmsolve.errors import RangeError
from olmsolve.predicates import PACKAGE_FIELDS, PACKAGE_REQUIRED
from olmsolve.semver import BlangRange, Key, well_formed

__all__ = ["intervals"]

_Spans = Sequence[tuple[int, int]]


def intervals(
    strings: Strings,
    texts: Lists,
    requirement: Mapping[str, array[int]],
    names: Mapping[str, int],
    ranks: Sequence[Key],
    postings: Mapping[str, array[int]],
) -> dict[str, array[int]]:
    """The columns ``requirement_name``, ``requirement_first`` and ``requirement_end``.

    *ranks* are the keys of the versions, ascending; *postings* has the columns ``name_starts``, ``name_ranks`` and
    ``name_ranked``. No string is added.
    """
    package, said = map(strings.find, PACKAGE_FIELDS)
    of_name, of_range = _Names(strings, names), _Ranges(strings, ranks)
    name_starts, name_ranks, name_ranked = (postings[f"name_{each}"] for each in ("starts", "ranks", "ranked"))
    starts, items = texts.starts, texts.items
    kind = strings.find(PACKAGE_REQUIRED)
    types, jsons, lists = (requirement[f"requirement_{each}"] for each in ("type", "json", "fields"))
    found_name = numbers([NONE]) * len(types)
    found_first, found_end = numbers([0]) * len(types), numbers([0]) * len(types)
    for place, (type_, json, fields) in enumerate(zip(types, jsons, lists, strict=True)):
        if type_ != kind or json:
            continue
        at = starts[fields]
        if starts[fields + 1] - at == 4 and items[at] == package and items[at + 2] == said:
            name, spans = of_name[items[at + 1]], of_range[items[at + 3]]
        else:
            end = starts[fields + 1]
            pairs = dict(zip(items[at:end:2], items[at + 1 : end : 2], strict=True))
            # A field that is absent is empty, and so is string 0.
            name, spans = of_name[pairs.get(package, 0)], of_range[pairs.get(said, 0)]
        if name == NONE or spans is None or not name_ranked[name]:
            continue
        start = name_starts[name]
        if len(spans) == 1:
            # Nearly all.
            lower, upper = spans[0]
            stop = name_starts[name + 1]
            first = bisect_left(name_ranks, lower, start, stop)
            end = bisect_left(name_ranks, upper, first, stop)
        else:
            first, end = _interval(name_ranks, start, name_starts[name + 1], spans)
        if first < end:
            found_name[place], found_first[place], found_end[place] = name, first - start, end - start
        elif first == end:
            found_name[place] = name
    return {"requirement_name": found_name, "requirement_first": found_first, "requirement_end": found_end}


def _interval(ranks: Sequence[int], start: int, stop: int, spans: _Spans) -> tuple[int, int]:
    """The places from *start* to *stop* whose *ranks* are in *spans*; (1, 0) if they are not one interval."""
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


class _Names(dict[int, int]):
    """The place of a package's name by that of the string, NONE if there is none; looked up once."""

    def __init__(self, strings: Strings, names: Mapping[str, int]) -> None:
        super().__init__()
        self._strings = strings
        self._names = names

    def __missing__(self, place: int) -> int:
        found = self[place] = self._names.get(well_formed(self._strings.text_of(place)), NONE)
        return found


class _Ranges(dict[int, "_Spans | None"]):
    """The spans of ranks in a range by the place of the string, None if it does not parse; parsed once."""

    def __init__(self, strings: Strings, ranks: Sequence[Key]) -> None:
        super().__init__()
        self._strings = strings
        self._ranks = ranks

    def __missing__(self, place: int) -> _Spans | None:
        found = self[place] = self._spans(well_formed(self._strings.text_of(place)))
        return found

    def _spans(self, text: str) -> _Spans | None:
        try:
            cuts = BlangRange.parse(text).cuts
        except RangeError:
            return None
        places = [bisect_left(self._ranks, cut) for cut in cuts]
        return tuple(zip(places[::2], places[1::2], strict=True))
