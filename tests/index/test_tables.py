"""The tables of strings and lists while a catalog is packed, and which values they keep as JSON.

A catalog reaches few of their cases, so the tables are asked themselves.
"""

from __future__ import annotations

import json
from array import array
from decimal import Decimal

import pytest

from olmsolve.catalog.index import NONE, tables
from olmsolve.catalog.index.lanes import distinct, is_all, reach, shifted
from olmsolve.catalog.index.packed import hash_table
from olmsolve.catalog.index.tables import Lists, Strings, joined, json_text, numbers, starts
from olmsolve.errors import CatalogError

MOST = 1 << 14


def test_shared_strings_are_kept_once() -> None:
    """A name is known by one number wherever it occurs; string 0 is the empty one."""
    strings = Strings()
    assert strings.find("db") == NONE
    number = strings.number_of("db")
    assert (strings.number_of("db"), strings.find("db"), strings.text_of(number)) == (number, number, "db")
    assert (strings.number_of(""), strings.scoped(""), strings.text_of(0)) == (0, 0, "")
    other = strings.number_of("half \ud800")
    assert strings.text_of(other) == "half \ud800"
    assert len({0, number, other}) == 3


def test_names_of_bundles_belong_to_their_package() -> None:
    """A name that comes again in another package is another string, and none of the shared ones."""
    strings = Strings()
    first = strings.scoped("db.v1")
    assert strings.scoped("db.v1") == first
    strings.end_scope()
    second = strings.scoped("db.v1")
    assert second != first
    assert strings.number_of("db.v1") not in (first, second)
    assert {strings.text_of(number) for number in (first, second)} == {"db.v1"}


def test_more_text_than_32_bits_count_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The greatest number stands for "there is none", so it is no place in the text; checked with a smaller one."""
    monkeypatch.setattr(tables, "NONE", 10)
    Strings().number_of("x" * 9)
    with pytest.raises(CatalogError, match="more than 4 GiB"):
        Strings().number_of("x" * 10)
    strings = Strings()
    strings.scoped("äää")
    with pytest.raises(CatalogError, match="more than 4 GiB"):
        strings.scoped("bbbb")


def test_equal_lists_are_kept_once_until_they_are_forgotten() -> None:
    """List 0 is the empty one, for ever."""
    lists = Lists()
    number = lists.number_of((3, 1))
    assert lists.number_of((3, 1)) == number
    assert lists.number_of(()) == 0
    assert (lists.at(number).tolist(), lists.at(0).tolist()) == ([3, 1], [])
    assert (lists.new(()), lists.at(lists.new([3, 1])).tolist()) == (0, [3, 1])
    lists.forget()
    assert lists.number_of((3, 1)) != number
    assert lists.number_of(()) == 0


def test_a_table_of_names_is_two_thirds_full_at_most() -> None:
    """A search for a name that is not there ends at a free place; a file should not be larger than this needs."""
    # The example of the documentation: both begin at place 3 of 4, and the second goes on at the first place.
    assert hash_table(["cache", "queue"]).tolist() == [1, NONE, NONE, 0]
    for size in range(40):
        table = hash_table([f"name {number}" for number in range(size)])
        assert sorted(number for number in table if number != NONE) == [*range(size)]
        assert len(table) / 3 <= table.count(NONE) <= len(table) / 3 + 1


def test_lists_are_joined_with_their_starts() -> None:
    """List *n* goes from start *n* to the next start, so there is one start more than there are lists."""
    lists = [numbers([4, 5]), numbers(), numbers([6])]
    assert starts(lists).tolist() == [0, 2, 2, 3]
    assert joined(lists).tolist() == [4, 5, 6]


@pytest.mark.parametrize(
    "value",
    ["x" * MOST, [1] * (MOST - 1), {"a": {"b": [True, None, 1.5, "c"]}}, {"k" * (MOST - 2): 1}, "half \ud800"],
    ids=["text", "list", "nested", "key", "surrogate"],
)
def test_small_values_are_kept_as_json(value: object) -> None:
    """Each part counts, and each character of a text: 16,384 of them are small."""
    text = json_text(value)
    assert text is not None
    assert json.loads(text) == value


@pytest.mark.parametrize(
    "value",
    [
        "x" * (MOST + 1),
        [1] * MOST,
        {"a": "x" * MOST},
        {"k" * (MOST - 1): 1},
        {1: "a"},
        {"a": {1: "a"}},
        [float("inf")],
        {"a": Decimal("4.10")},
        ("a",),
        [["a", ("b",)]],
        10**5000,
    ],
    ids=["text", "list", "value", "key", "number as key", "within", "infinity", "decimal", "tuple", "deep", "integer"],
)
def test_other_values_stay_in_the_catalog(value: object) -> None:
    """Large ones would fill the index, and others would come back from JSON as another value."""
    assert json_text(value) is None


def test_questions_about_whole_columns() -> None:
    """Columns are compared as a whole, or as a text in UTF-32, which has no number from 1,114,112 on."""
    for values in (
        [],
        [0, 0],
        [0, 5, 0, 5, 7],
        [3, 3],
        [0xD800, 0, 0xDFFF],
        [0x10FFFF, 0],
        [0x110000, 0, NONE],
        [NONE],
    ):
        assert distinct(numbers(values)) == {*values}
        for number in (0, 3, NONE):
            assert is_all(numbers(values), number) is all(value == number for value in values)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 255, 256, 257, (1 << 16) - 1, 1 << 16, (1 << 16) + 1])
def test_columns_of_any_length_are_raised(count: int) -> None:
    """The ones of all lanes are cut out of kept ones up to 65,535 lanes, and new beyond."""
    values = numbers(range(count))
    assert shifted(values, 7) == numbers(range(7, count + 7))
    assert shifted(numbers(range(7, count + 7)), -7) == values
    assert shifted(values, 1, 3) == numbers(range(1, 3 * count + 1, 3))


@pytest.mark.parametrize("count", [0, 1, 63, 64, 4095, 4096, 4097, 9000])
def test_numbers_that_reach_a_limit(count: int) -> None:
    """One number beyond its rows is noticed wherever it stands, and no number before the limit is taken for it."""
    for limit in (1, 300, 1 << 16, (1 << 31) - 1, 1 << 31, (1 << 31) + 1, NONE):
        values = numbers([limit - 1, 0]) * count
        assert not reach(values, limit)
        assert not reach(numbers([NONE]) * count + values, limit, but_none=True)
        for position in {0, count // 2, len(values) - 1} if count else ():
            for wrong in {limit, min(limit + 1, NONE), NONE}:
                changed = values[:]
                changed[position] = wrong
                assert reach(changed, limit)
                assert reach(changed, limit, but_none=True) is (wrong != NONE)
    assert not reach(array("Q", [1 << 40]) * count, (1 << 40) + 1)
    assert reach(array("Q", [1 << 40]) * count, 1 << 40) is (count > 0)
