"""Requirements in the columns of an index: each property as it is, and each list of them looked up once."""

from __future__ import annotations

from typing import Any

import pytest

from olmsolve import Catalog
from olmsolve.catalog import Bundle, Channel, ChannelEntry, Package
from olmsolve.catalog.index import Fault, index_of
from olmsolve.errors import ConstraintError
from olmsolve.events import CatalogIndexed, Observer, observed
from olmsolve.predicates import InPackage, Property, requirements
from olmsolve.testing import catalog_of, package

RANGE = {"packageName": "db", "versionRange": ">=1.0.0"}


def _catalog(*values: tuple[str, Any]) -> Catalog:
    """A package with one bundle for each of *values*, the type and value of its only property."""
    bundles = {f"a.v{n}": Bundle("a", f"a.v{n}", (Property(*each),)) for n, each in enumerate(values)}
    entries = tuple(ChannelEntry(name, f"a.v{n - 1}" if n else "") for n, name in enumerate(bundles))
    return Catalog({"a": Package("a", "stable", {"stable": Channel("a", "stable", entries)}, bundles)})


def _read(kind: str, value: object) -> object:
    """Return the requirements of one property, or the path and the reason of its fault."""
    try:
        return requirements([Property(kind, value)])
    except ConstraintError as error:
        return error.path, error.reason


@pytest.mark.parametrize("kind", ["olm.package.required", "olm.gvk.required", "olm.label.required", "olm.constraint"])
@pytest.mark.parametrize(
    "value",
    [1, "text", None, RANGE, {"packageName": "db"}, {}, {**RANGE, "more": "x"}, {"versionRange": ">=1.0.0"}, [RANGE]],
    ids=str,
)
def test_a_property_means_what_reading_it_gives(kind: str, value: object) -> None:
    """Alone in its catalog, and beside others that columns hold in the same way."""
    for values in ([(kind, value)], [(kind, 1), (kind, value), (kind, True), ("olm.package.required", RANGE)]):
        index = index_of(_catalog(*values))
        for slot in range(len(index)):
            type_, own = values[len(values) - 1 - slot]
            found = index.requires(slot)
            assert ((found.property, found.reason) if isinstance(found, Fault) else found) == _read(type_, own)


@pytest.mark.parametrize("fields", [RANGE, dict(reversed(RANGE.items())), {**RANGE, "more": "x"}], ids=str)
def test_fields_may_stand_in_any_order(fields: dict[str, str]) -> None:
    """The interval of a requirement is worked out from its two fields, wherever they are."""
    other = catalog_of(package("db").channel("stable", "0.9.0 < 1.0.0 < 1.1.0")).packages["db"]
    catalog = Catalog({**_catalog(("olm.package.required", fields)).packages, "db": other})
    index = index_of(catalog)
    [need] = index.needs(0) or ()
    assert [index.version_text(slot) for slot in index.slots_meeting(*need)] == ["1.1.0", "1.0.0"]


def test_warming_gives_each_list_of_requirements_once() -> None:
    """Candidates are looked up by the caller, who need not do so for each of many equal bundles."""
    versions = " < ".join(f"1.{minor}.0" for minor in range(12))
    index = index_of(
        catalog_of(
            package("app").channel("stable", versions).requires("db", ">=1.0.0"),
            package("db").channel("stable", "1.0.0 < 2.0.0"),
            package("web").channel("stable", "1.0.0").requires("app", "<2.0.0"),
        )
    )
    assert not index.dense
    assert sorted(str(each) for each in index.warm()) == ["package app in <2.0.0", "package db in >=1.0.0"]
    assert [str(each) for each in index.warm({"web", "nope"})] == ["package app in <2.0.0"]
    assert list(index.warm({"db"})) == []
    assert all(isinstance(each, InPackage) for each in index.warm())


def test_warming_a_dense_catalog_leaves_bits_to_the_search() -> None:
    """Where nearly each bundle has requirements of its own, searches look at intervals and at no predicate."""
    index = index_of(
        catalog_of(package("app").channel("stable", "1.0.0").requires("db"), package("db").channel("stable", "1.0.0"))
    )
    assert index.dense
    assert list(index.warm()) == []


def test_a_value_that_columns_cannot_hold_has_no_interval() -> None:
    """It is kept as JSON, whose number among the strings must not be taken for one of fields."""
    other = catalog_of(package("db").channel("stable", "0.9.0 < 1.0.0 < 1.1.0")).packages["db"]
    values = [("olm.package.required", {**RANGE, "more": [number]}) for number in range(20)]
    index = index_of(Catalog({**_catalog(*values, ("olm.package.required", RANGE)).packages, "db": other}))
    assert [index.needs(slot) is None for slot in range(21)] == [False, *[True] * 20]


@pytest.mark.parametrize("kind", ["olm.gvk.required", "olm.constraint"])
def test_only_requirements_of_packages_have_intervals(kind: str) -> None:
    """Another property with the same two fields does not parse, and must not be searched as bits."""
    other = catalog_of(package("db").channel("stable", "1.0.0 < 1.1.0")).packages["db"]
    index = index_of(Catalog({**_catalog((kind, RANGE), ("olm.package.required", RANGE)).packages, "db": other}))
    assert [index.needs(slot) is None for slot in range(2)] == [False, True]


def test_an_observer_is_told_once_how_large_a_catalog_is() -> None:
    """From the outside, indexing is where the time of a first question goes."""

    class Told(Observer):
        def __init__(self) -> None:
            self.events: list[CatalogIndexed] = []

        def indexed(self, event: CatalogIndexed) -> None:
            self.events.append(event)

    told = Told()
    with observed(told):
        index_of(_catalog(("x", 1), ("y", 2)))
    [event] = told.events
    assert (event.packages, event.bundles, event.candidates) == (1, 2, 2)
