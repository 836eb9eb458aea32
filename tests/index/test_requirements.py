"""Requirements in the columns of an index: each property as it is, and each list of them looked up once."""

from __future__ import annotations

import time
from typing import Any

import pytest

from olmsolve import Catalog
from olmsolve.catalog import Bundle, Channel, ChannelEntry, Package, Source, update_graph
from olmsolve.catalog.fbc import from_blobs
from olmsolve.catalog.index import CatalogIndex, Fault, Visible, index_of
from olmsolve.errors import ConstraintError
from olmsolve.events import CatalogIndexed, Observer, observed
from olmsolve.predicates import InPackage, Property, requirements
from olmsolve.testing import catalog_of, package

RANGE = {"packageName": "db", "versionRange": ">=1.0.0"}


def _catalog(*values: tuple[str, Any]) -> Catalog:
    """A package with one bundle for each of *values*, the type and value of its only property."""
    bundles = {f"a.v{n}": Bundle("a", f"a.v{n}", (Property(*value),)) for n, value in enumerate(values)}
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
            requirements = index.requires(slot)
            assert (
                (requirements.property, requirements.reason) if isinstance(requirements, Fault) else requirements
            ) == _read(type_, own)


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
    assert sorted(str(predicate) for predicate in index.warm()) == ["package app in <2.0.0", "package db in >=1.0.0"]
    assert [str(predicate) for predicate in index.warm({"web", "nope"})] == ["package app in <2.0.0"]
    assert list(index.warm({"db"})) == []
    assert all(isinstance(predicate, InPackage) for predicate in index.warm())


def test_a_list_of_two_texts_ends_where_it_ends() -> None:
    """The texts of requirements stand behind each other: the second half of one is not made of the next one's."""
    halves = [("olm.package.required", {"packageName": "db"}), ("olm.package.required", {"versionRange": ">=0.0.0"})]
    other = catalog_of(package("db").channel("stable", "1.0.0")).packages["db"]
    index = index_of(Catalog({**_catalog(("olm.label", {"label": "l"}), *halves).packages, "db": other}))
    assert [index.requires(slot) for slot in (0, 2)] == [_read(*halves[1]), ()]
    assert isinstance(index.requires(1), Fault)
    assert [index.needs(slot) for slot in range(3)] == [None, None, ()]


def test_a_range_that_no_version_is_in_is_an_empty_interval() -> None:
    """A search is told so by two equal numbers, and need not read the requirement."""
    other = catalog_of(package("db").channel("stable", "0.9.0 < 1.0.0 < 1.1.0")).packages["db"]
    texts = (">=0.9.5 <1.0.0", "<0.1.0", ">2.0.0", "<0.1.0 || >2.0.0")
    values = [("olm.package.required", {"packageName": "db", "versionRange": text}) for text in texts]
    index = index_of(Catalog({**_catalog(*values).packages, "db": other}))
    for slot in range(4):
        [need] = index.needs(slot) or ()
        assert index.slots_meeting(*need) == ()


@pytest.mark.parametrize("kind", ["olm.constraint", "olm.package.required"])
@pytest.mark.parametrize("order", [1, -1])
def test_a_requirement_may_be_written_in_several_ways(kind: str, order: int) -> None:
    """White space and escapes are no difference, whichever comes first."""
    texts = [b'{"more":{},"x":"a"}', b'{"more": {}, "x": "a"}', b'{"more":{},"x":"\\u0061"}'][::order]
    bundles = {
        f"a.v{number}": Bundle("a", f"a.v{number}", (Property.from_text(kind, text),))
        for number, text in enumerate(texts)
    }
    index = index_of(Catalog({"a": Package("a", "", {}, bundles)}))
    assert len(index.columns.requirement_type) == 1


@pytest.mark.parametrize(("bundles", "dense"), [(3, True), (4, False), (5, False)])
def test_a_dense_catalog_has_more_than_one_requirement_for_four_bundles(bundles: int, dense: bool) -> None:
    """A view of several catalogs is dense if one of them is."""
    versions = " < ".join(f"1.{minor}.0" for minor in range(bundles))
    catalog = catalog_of(package("app").channel("stable", versions).requires("db"))
    other = catalog_of(package("db").channel("stable", "1.0.0"))
    assert index_of(catalog).dense is dense
    for sources in ((catalog, other), (other, catalog), (catalog,)):
        view = Visible([Source(f"s{number}", "olm", 0, source) for number, source in enumerate(sources)], ("olm",))
        assert view.dense is dense
    assert not Visible([], ("olm",)).dense


def test_what_is_warmed_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """A service warms a catalog so that its first requests wait for nothing that later ones do not wait for."""
    entries = [
        {"name": "app.v2", "replaces": "app.v1", "skipRange": "<1.5.0"},
        {"name": "app.v1"},
    ]
    blobs: list[dict[str, Any]] = [{"schema": "olm.channel", "package": "app", "name": "stable", "entries": entries}]
    blobs.append({"schema": "olm.channel", "package": "app", "name": "forked", "entries": [{**e} for e in entries]})
    blobs[1]["entries"][0]["replaces"] = ""
    requires = {"type": "olm.gvk.required", "value": {"group": "g", "version": "v1", "kind": "K"}}
    for number in range(1, 9):
        properties = [{"type": "olm.package", "value": {"packageName": "app", "version": f"{number}.0.0"}}, requires]
        blobs.append({"schema": "olm.bundle", "package": "app", "name": f"app.v{number}", "properties": properties})
    # A bundle that can never be selected, whose requirements nobody can look up.
    blobs.append({"schema": "olm.channel", "package": "bad", "name": "stable", "entries": [{"name": "bad.v1"}]})
    broken = {"type": "olm.gvk.required", "value": {"group": 1}}
    blobs.append({"schema": "olm.bundle", "package": "bad", "name": "bad.v1", "properties": [broken]})
    catalog_index = index_of(from_blobs(blobs))
    assert not catalog_index.dense

    def looked_up(index: CatalogIndex) -> object:
        return (
            [index.rules(slot) for slot in range(len(index))],
            [index.offered("app", channel) for channel in ("", "stable", "forked")],
            index.skip_range("<1.5.0"),
        )

    expected = looked_up(catalog_index)
    warmed = CatalogIndex(catalog_index.catalog, catalog_index.columns)
    assert [str(predicate) for predicate in warmed.warm()] == ["the API g/v1/K"]

    def nothing(*_: object) -> None:
        raise AssertionError("was not warmed")

    for method in ("requires", "deprecated", "groups", "_numbered", "_slots_of"):
        monkeypatch.setattr(CatalogIndex, method, nothing)
    monkeypatch.setattr(update_graph, "skip_range", nothing)
    assert looked_up(warmed) == expected


def test_a_missing_field_is_not_filled_in() -> None:
    """Whatever text stands first in the index, be it a version that is a range as well, and the name of a package."""
    first = catalog_of(package("1.0.0").channel("stable", "1.0.0")).packages["1.0.0"]
    values = [("olm.package.required", {name: "1.0.0"}) for name in ("packageName", "versionRange")]
    # Another field in its place, behind a requirement that has both.
    values += [("olm.package.required", {"packageName": "1.0.0", name: ">=1.0.0"}) for name in ("versionRange", "more")]
    index = index_of(Catalog({"1.0.0": first, **_catalog(*values).packages}))
    assert [index.needs(slot) is None for slot in range(5)] == [False, True, False, True, True]


def test_a_requirement_takes_one_row_in_all_packages() -> None:
    """A catalog counts as dense by its distinct requirements, and thousands of bundles have the same few."""
    needs: list[dict[str, Any]] = [RANGE, {**RANGE, "more": "x"}, {**RANGE, "more": 1}]
    properties: list[dict[str, Any]] = [{"type": "olm.package.required", "value": value} for value in needs]
    properties.append({"type": "olm.gvk.required", "value": {"group": "g", "version": "v1", "kind": "K"}})
    blobs: list[dict[str, object]] = [
        {"schema": "olm.bundle", "package": name, "name": f"{name}.v{number}", "properties": properties[::order]}
        for name, order in (("a", 1), ("b", -1))
        for number in range(9)
    ]
    index = index_of(from_blobs(blobs))
    assert len(index.columns.requirement_type) == len(properties)
    assert not index.dense


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

    class Recorder(Observer):
        def __init__(self) -> None:
            self.events: list[CatalogIndexed] = []

        def indexed(self, event: CatalogIndexed) -> None:
            self.events.append(event)

    observer = Recorder()
    before = time.perf_counter()
    with observed(observer):
        index_of(_catalog(("x", 1), ("y", 2)))
    [event] = observer.events
    assert 0 < event.seconds <= time.perf_counter() - before
    assert (event.packages, event.bundles, event.candidates) == (1, 2, 2)
