"""What an index remembers for requests has a limit: a catalog may live for months, and requests bring their own.

What is remembered changes no answer, so it is counted behind the door.
"""

from __future__ import annotations

import random
from collections.abc import Sized

import attrs
import pytest

from olmsolve.catalog import Source
from olmsolve.catalog.fbc import from_blobs
from olmsolve.catalog.index import (
    CatalogIndex,
    FactTable,
    Packed,
    candidates,
    catalog_index,
    families,
    index_of,
    visible,
)
from olmsolve.catalog.index.candidates import CandidateTable
from olmsolve.catalog.index.facts import CatalogObjects
from olmsolve.catalog.index.families import FamilyTable
from olmsolve.predicates import InPackage
from olmsolve.semver import BlangRange
from olmsolve.testing import catalog_of, package

CATALOG = catalog_of(
    package("db").channel("stable", " < ".join(f"1.{minor}.0" for minor in range(9))),
    *(package(f"app-{n}").channel("stable", "1.0.0").requires("db", f">=1.{n}.0") for n in range(8)),
)
PREDICATES = [InPackage("db", BlangRange.parse(text)) for text in (f">=1.{minor}.0" for minor in range(9))]


@pytest.fixture(params=[1, 3])
def most(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """A limit that is reached soon."""
    limit: int = request.param
    for module in (candidates, catalog_index, families, visible):
        monkeypatch.setattr(module, "MOST_REMEMBERED", limit)
    return limit


def test_answers_do_not_depend_on_the_limit(most: int) -> None:
    """What was forgotten is worked out anew, in any order of questions."""
    usual, limited = index_of(CATALOG), CatalogIndex(CATALOG)
    slots = [*range(len(usual))] * 3
    random.Random(most).shuffle(slots)
    for slot in slots:
        predicate = PREDICATES[slot % len(PREDICATES)]
        assert limited.candidates(predicate) == usual.candidates(predicate)
        assert limited.spans(predicate.versions) == usual.spans(predicate.versions)
        assert limited.needs_in_bits(slot) == usual.needs_in_bits(slot)
        for need in usual.needs(slot) or ():
            assert limited.slots_meeting(*need) == usual.slots_meeting(*need)
        assert limited.name_number(usual.package(slot)) == usual.name_number(usual.package(slot)) >= 0
        assert limited.name_number(f"unknown {slot}") == -1


def test_no_more_than_the_limit_is_remembered(most: int) -> None:
    """However many questions there are; and what is asked for again at once is not worked out again."""
    index = CatalogIndex(CATALOG)
    table = CandidateTable(index.columns, FactTable(index.columns, CatalogObjects(CATALOG)))
    numbers = FamilyTable(index.columns, index.group, index.groups)
    for slot in range(len(index)):
        predicate = PREDICATES[slot % len(PREDICATES)]
        assert table.slots_for(predicate) is table.slots_for(predicate)
        assert table.spans(predicate.versions) is table.spans(predicate.versions)
        assert numbers.needs_in_bits(slot) is numbers.needs_in_bits(slot)
        for need in numbers.needs(slot) or ():
            assert numbers.slots_meeting(*need) is numbers.slots_meeting(*need)
        index.name_number(f"unknown {slot}")
        remembered: tuple[Sized, ...] = (
            table._candidates,
            table._spans,
            numbers._needs_in_bits,
            numbers._slots_meeting,
            index._names,
        )
        assert max(map(len, remembered)) <= most


def test_views_of_several_catalogs_keep_to_the_limit(most: int) -> None:
    """Candidates of several catalogs are put together for each question."""
    other = from_blobs([])
    view = visible.Visible((Source("a", "olm", 0, CATALOG), Source("b", "olm", 0, other)), ("olm",))
    for predicate in PREDICATES * 2:
        candidates = view.candidates(predicate, -1)
        assert candidates == index_of(CATALOG).candidates(predicate)
        assert view.candidates(predicate, -1) is candidates
        assert len(view._candidates) <= most


def test_a_warmed_view_looks_nothing_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Candidates of what bundles require, and the numbers of the packages that they name, are there when it is asked.

    The bundles have requirements of few kinds: where each has its own, searches do not ask for them.
    """
    versions = " < ".join(f"1.{minor}.0" for minor in range(9))
    catalog = catalog_of(
        package("db").channel("stable", versions).provides("g/v1/K"),
        package("app").channel("stable", versions).requires("db").requires_api("g/v1/K"),
    )
    sources = Source("a", "olm", 0, catalog), Source("b", "olm", 0, CATALOG)
    view = visible.Visible(sources, ("olm",))
    app = view.indexes[0].channel("app", "stable").all[0]
    requires = view.indexes[0].requires(app)
    assert isinstance(requires, tuple)
    predicates = [requirement.predicate for requirement in requires]

    def answers_of(view: visible.Visible) -> list[object]:
        return [(view.candidates(predicate, 0), view.group(predicate)) for predicate in predicates]

    expected = answers_of(visible.Visible(sources, ("olm",)))
    fresh = visible.Visible((Source("a", "olm", 0, attrs.evolve(catalog)), *sources[1:]), ("olm",))
    fresh.warm({"app"})

    def looked_up(*_: object) -> None:
        raise AssertionError("was not warmed")

    monkeypatch.setattr(CandidateTable, "slots_for", looked_up)
    monkeypatch.setattr(visible.Visible, "_ordered", looked_up)
    monkeypatch.setattr(Packed, "name", looked_up)
    assert answers_of(fresh) == expected
