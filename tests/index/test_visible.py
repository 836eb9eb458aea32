"""Several catalogs as one: their order, their numbers, and which candidates a bundle of each of them prefers."""

from __future__ import annotations

import pytest

from olmsolve.catalog import Source
from olmsolve.catalog.index import Group, Visible
from olmsolve.predicates import GVK, AllOf, HasLabel, InPackage, ProvidesGVK
from olmsolve.semver import BlangRange
from olmsolve.testing import catalog_of, package

DB = catalog_of(package("db").channel("stable", "1.0.0 < 1.1.0").having("olm.label", {"label": "l"}))
BOTH = catalog_of(package("db").channel("stable", "1.2.0"), package("web").channel("stable", "1.0.0"))
ANY_DB = InPackage("db", BlangRange.parse(">=1.0.0"))
SOURCES = (
    Source("a", "olm", 0, DB),
    Source("b", "team", 0, BOTH),
    Source("c", "olm", 5, DB),
    Source("d", "elsewhere", 9, BOTH),
)


@pytest.fixture
def visible() -> Visible:
    return Visible(SOURCES, ("team", "olm"))


def test_catalogs_are_in_the_order_of_preference(visible: Visible) -> None:
    """Priority, then the target namespace, then the name; catalogs of other namespaces are not seen at all."""
    assert [source.name for source in visible.sources] == ["c", "b", "a"]
    assert (visible.offsets, visible.size) == ([0, 2, 4], 6)
    assert [visible.find("b", "team"), visible.find("a", "olm"), visible.find("a", "team")] == [1, 2, None]
    assert visible.find("d", "elsewhere") is None


def test_each_slot_has_a_number_of_its_own(visible: Visible) -> None:
    """The number is the offset of the catalog and the slot's number there."""
    located = [visible.locate(number) for number in range(visible.size)]
    assert [(position, slot) for position, _, slot in located] == [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]
    assert all(index is visible.indexes[position] for position, index, _ in located)
    two = Visible(SOURCES[:2], ("olm", "team"))
    assert [two.locate(number)[::2] for number in range(two.size)] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert two.locate(3)[1] is two.indexes[1]
    alone = Visible(SOURCES[1:2], ("team",))
    assert alone.locate(1) == (0, alone.indexes[0], 1)


def test_a_bundle_prefers_its_own_catalog(visible: Visible) -> None:
    """The other catalogs come after it, by preference; the request itself has no catalog."""
    assert visible.candidates(ANY_DB, -1) == (0, 1, 2, 4, 5)
    assert visible.candidates(ANY_DB, 0) == (0, 1, 2, 4, 5)
    assert visible.candidates(ANY_DB, 1) == (2, 0, 1, 4, 5)
    assert visible.candidates(ANY_DB, 2) == (4, 5, 0, 1, 2)
    assert set(visible.narrowed(ANY_DB)) >= {0, 1, 2, 4, 5}
    assert max(visible.narrowed(None)) < visible.size
    only = Visible(SOURCES[:1], ("olm",))
    assert only.candidates(ANY_DB, -1) == (0, 1)


def test_at_most_one_group_has_all_candidates(visible: Visible) -> None:
    """A package or an API excludes; a label does not; of several parts that must hold, one that excludes is enough."""
    api = ProvidesGVK(GVK("g", "v1", "K"))
    assert visible.group(ANY_DB) == visible.package_group("db") == Group("package", "db")
    assert visible.group(api) == Group("api", "g/v1/K")
    assert visible.group(HasLabel("l")) is None
    assert visible.group(AllOf((HasLabel("l"), api, ANY_DB))) == Group("api", "g/v1/K")
    assert visible.group(AllOf((HasLabel("l"),))) is None
    assert (str(Group("package", "db")), str(Group("api", "g/v1/K"))) == ("package db", "the API g/v1/K")


def test_a_view_is_known_by_its_sources(visible: Visible) -> None:
    """A resolver keeps a view while the same sources are seen from the same namespaces."""
    assert visible.shows(SOURCES, ("team", "olm"))
    assert not visible.shows(SOURCES, ("olm", "team"))
    assert not visible.shows(SOURCES[:3], ("team", "olm"))
    assert not visible.shows((*SOURCES[:3], SOURCES[0]), ("team", "olm"))
