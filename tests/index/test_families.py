"""Requirements, candidates and groups as numbers mean what the catalog's own objects say, slowly worked out.

The limit of members is made small, and a second thread comes in, behind the door.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest

from olmsolve import Catalog, Property
from olmsolve.catalog import fbc
from olmsolve.catalog.fbc import from_blobs
from olmsolve.catalog.index import CatalogIndex, FactTable, Fault, Group, families, index_of
from olmsolve.predicates import (
    GVK,
    AllOf,
    AnyOf,
    HasLabel,
    InPackage,
    NoneOf,
    ProvidesGVK,
)
from olmsolve.semver import BlangRange
from olmsolve.testing import COMPOUND, DENSE, WIDE, RequestShape, catalog_of, package, random_request
from tests.index.plain_families import PlainFamilies, random_blobs
from tests.index.plain_index import plain_slots
from tests.index_files.files import loaded_through_index, write_blobs
from tests.recorded import real_catalog
from tests.scale import scaled


def _check(index: CatalogIndex, catalog: Catalog) -> dict[str, int]:
    """Compare everything; how often what was found."""
    plain = PlainFamilies(catalog)
    columns = index.columns
    places = {columns.string(string): place for place, string in enumerate(columns.name_string)}
    assert places.keys() == plain.names
    seen = {"needs": 0, "empty": 0, "no needs": 0, "families": 0, "no family": 0, "subsumed": 0, "others": 0}
    for name, place in places.items():
        family, members = index.family(place), plain.members(name)
        assert index.family(place) is family
        seen["no family" if family is None else "families"] += 1
        if family is None or members is None:
            assert (family, members) == (None, None)
            continue
        assert (family.group, list(family.slots)) == (Group("package", name), members)
        ordered = plain.ordered(name)
        assert ordered is not None
        bits = [1 << (members.index(number) + 1) for number in ordered]
        assert list(family.prefixes) == [sum(bits[:count]) for count in range(len(bits) + 1)]
    for number in range(len(index)):
        expected = plain.needs(number)
        needs = index.needs(number)
        named = None if expected is None else tuple((places[name], first, end) for name, first, end in expected)
        assert needs == named
        home = plain.home(number)
        assert index.family_of(number) == (-1 if home is None else places[home])
        others = plain.other_groups(number)
        assert index.other_groups(number) == others
        seen["others"] += home is not None and len(others) > 0
        seen["subsumed"] += home is not None and len(index.groups(number)) - len(others) > 1
        seen["no needs" if needs is None else "needs"] += 1
        if needs is None:
            continue
        requires = index.requires(number)
        assert not isinstance(requires, Fault)
        assert index.rules(number) == (requires, index.deprecated(number), index.groups(number))
        for requirement, (place, first, end) in zip(requires, needs, strict=True):
            seen["empty"] += first == end
            slots = index.slots_meeting(place, first, end)
            assert slots == index.candidates(requirement.predicate)
            assert index.slots_meeting(place, first, end) is slots
            family = index.family(place)
            if family is not None:
                bits_found = family.prefixes[end] ^ family.prefixes[first]
                assert [s for j, s in enumerate(family.slots) if bits_found >> (j + 1) & 1] == list(slots)
    return seen


def test_random_catalogs() -> None:
    """Versions that are not strict, forked channels, two packages of one bundle, skipped entries, empty matches."""
    total: dict[str, int] = {}
    for seed in range(scaled(250)):
        catalog = from_blobs(random_blobs(random.Random(seed)))
        for key, count in _check(index_of(catalog), catalog).items():
            total[key] = total.get(key, 0) + count
    # Nothing was compared in vain.
    assert min(total.values()) > scaled(100), total


def test_random_catalogs_from_files(tmp_path: Path) -> None:
    """Families are the same from a file as from the catalog."""
    for seed in range(30):
        path = write_blobs(tmp_path / f"{seed}.jsonl", random_blobs(random.Random(seed)))
        index, built = index_of(loaded_through_index(path)), index_of(fbc.load(path))
        for name in ("requirement_name", "requirement_first", "requirement_end"):
            assert getattr(index.columns, name) == getattr(built.columns, name)
        _check(index, fbc.load(path))


@pytest.mark.parametrize("shape", [COMPOUND, DENSE, WIDE], ids=["compound", "dense", "wide"])
@pytest.mark.parametrize("seed", range(6))
def test_generated_requests(seed: int, shape: RequestShape) -> None:
    """The catalogs that resolvers are tested with."""
    for source in random_request(random.Random(seed), attrs.evolve(shape, odd=0.3)).sources:
        _check(index_of(source.catalog), source.catalog)


@pytest.mark.parametrize("name", ["community-2021", "community-prod", "fbc-v4.20"])
def test_recorded_catalogs(name: str) -> None:
    """Real catalogs: the slots of an interval are the candidates of the requirement, and homes are families' slots."""
    catalog = real_catalog(f"{name}.jsonl.gz")
    index = index_of(catalog)
    known = 0
    for number in range(len(index)):
        needs, requires = index.needs(number), index.requires(number)
        if needs is not None:
            assert not isinstance(requires, Fault)
            assert [index.slots_meeting(*need) for need in needs] == [index.candidates(r.predicate) for r in requires]
            known += len(needs)
    homes = {number: index.family_of(number) for number in range(len(index))}
    for name_ in range(len(index.columns.name_string)):
        family = index.family(name_)
        assert [n for n, home in homes.items() if home == name_] == list(family.slots if family else ())
    # In the others each bundle that requires packages requires APIs as well, or packages that are not there.
    assert (known > 0) == (name == "community-prod")


def test_same_requirements_as_parsed_ones() -> None:
    """The short way to a predicate is a short way to what parsing the property gives, errors included."""
    chosen = random.Random(5)
    for _ in range(scaled(300)):
        blobs = list(random_blobs(chosen))
        catalog = from_blobs(blobs)
        index = index_of(catalog)
        for number, slot in enumerate(plain_slots(catalog)):
            requirements, expected = index.requires(number), slot.requires()
            assert requirements == expected
            if not isinstance(requirements, Fault) and not isinstance(expected, Fault):
                for one, other in zip(requirements, expected, strict=True):
                    assert type(one.predicate) is type(other.predicate)
                    if isinstance(one.predicate, InPackage) and isinstance(other.predicate, InPackage):
                        assert attrs.asdict(one.predicate) == attrs.asdict(other.predicate)


def test_an_api_of_a_skipped_bundle() -> None:
    """A skipped bundle of another package is no candidate, but a subscription can start at it: its API excludes."""
    api = {"type": "olm.gvk", "value": {"group": "g", "version": "v1", "kind": "K"}}

    def blobs(*skipped: dict[str, Any]) -> Iterator[dict[str, Any]]:
        for name, properties in (("a.v1", (api,)), ("b.v1", skipped), ("b.v2", ())):
            own = {"packageName": name[0], "version": f"{name[-1]}.0.0"}
            every = [{"type": "olm.package", "value": own}, *properties]
            yield {"schema": "olm.bundle", "name": name, "package": name[0], "properties": every}
        yield {"schema": "olm.channel", "name": "stable", "package": "a", "entries": [{"name": "a.v1"}]}
        entries = [{"name": "b.v2", "skips": ["b.v1"]}, {"name": "b.v1"}]
        yield {"schema": "olm.channel", "name": "stable", "package": "b", "entries": entries}

    with_api, without = index_of(from_blobs(blobs(api))), index_of(from_blobs(blobs()))
    assert [with_api.bundle(number) for number in range(3)] == ["a.v1", "b.v2", "b.v1"]
    assert [with_api.other_groups(number) for number in range(3)] == [
        (Group("api", "g/v1/K"),),
        (),
        (Group("package", "b"), Group("api", "g/v1/K")),
    ]
    assert [without.other_groups(number) for number in range(3)] == [(), (), (Group("package", "b"),)]


def test_large_families_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sets of bits grow with the square of their members; what is large keeps its lists of slots."""
    catalog = from_blobs(random_blobs(random.Random(3)))
    index = index_of(catalog)
    sizes = {name: len(family.slots) for name in range(4) if (family := index.family(name)) is not None}
    largest = max(sizes.values())
    monkeypatch.setattr(families, "MOST_MEMBERS", largest)
    fresh = CatalogIndex(catalog)
    assert all(fresh.family(name) == index.family(name) for name in range(4))
    monkeypatch.setattr(families, "MOST_MEMBERS", largest - 1)
    fresh = CatalogIndex(catalog)
    for name, size in sizes.items():
        assert (fresh.family(name) is None) == (size == largest)
        assert all(
            (fresh.family_of(n) < 0) == (size == largest) for n in range(len(index)) if index.family_of(n) == name
        )


def _asked_by_two(index: CatalogIndex, number: int, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the family of a slot, twice: for a caller, and for one who asks while the first is at work."""
    real_family = families.FamilyTable.family
    answers: list[int] = []

    def slow(table: families.FamilyTable, name: int) -> families.Family | None:
        # As another thread would, between any two steps of the first.
        monkeypatch.setattr(families.FamilyTable, "family", real_family)
        answers.append(index.family_of(number))
        return real_family(table, name)

    monkeypatch.setattr(families.FamilyTable, "family", slow)
    answers.append(index.family_of(number))
    monkeypatch.setattr(families.FamilyTable, "family", real_family)
    return answers


def test_other_packages_may_stand_between_the_slots_of_a_family() -> None:
    """Default channels come first, so the others of a package are apart: slots 0 and 3, with two of another between."""
    index = index_of(
        catalog_of(
            package("a").channel("stable", "1.0.0").channel("alpha", "2.0.0"),
            package("b").channel("stable", "1.0.0 < 1.1.0"),
        )
    )
    known_families = [index.family(index.name_number(name)) for name in ("a", "b")]
    assert [family and family.slots for family in known_families] == [(0, 3), (1, 2)]


def test_threads_that_ask_for_one_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """An index is shared: who asks while another thread is at work on the same slot gets the same answer."""
    catalog = from_blobs(random_blobs(random.Random(3)))
    index = index_of(catalog)
    expected = [index.family_of(number) for number in range(len(index))]
    for number, home in enumerate(expected):
        assert set(_asked_by_two(CatalogIndex(catalog), number, monkeypatch)) == {home}
    assert len(set(expected)) > 2


class _Shared(dict[int, Any]):
    """A table into which another thread enters what somebody has looked for in vain, before that one goes on."""

    def __init__(self, enter: Callable[[int], object]) -> None:
        super().__init__()
        self._enter = enter

    def get(self, key: int, default: Any = None) -> Any:
        value = super().get(key, default)
        self[key] = self._enter(key)
        return value


def test_threads_that_ask_for_the_same_needs() -> None:
    """Who finds nothing, while another thread enters what was looked for, does not take it for needs without bits."""
    catalog = from_blobs(random_blobs(random.Random(3)))
    expected, index = index_of(catalog), CatalogIndex(catalog)
    table: Any = index.needs.__self__  # type: ignore[attr-defined]
    columns = index.columns
    rows = {columns.bundle_requires[columns.slot_bundle[slot]]: slot for slot in range(len(index)) if index.needs(slot)}
    table._needs = _Shared(lambda row: expected.needs(rows[row]))
    table._needs_in_bits = _Shared(expected.needs_in_bits)
    needs = [(index.needs(slot), expected.needs(slot)) for slot in rows.values()]
    bits = [(index.needs_in_bits(slot), expected.needs_in_bits(slot)) for slot in range(len(index))]
    assert len(needs) == 5
    for made, told in needs + bits:
        assert made == told


def test_properties_that_are_no_json_have_no_needs() -> None:
    """A requirement that columns cannot hold is read from the catalog's objects."""
    catalog = from_blobs(random_blobs(random.Random(0)))
    unreadable = Property("olm.package.required", {"packageName": "a", "versionRange": (">=1.0.0",)})
    packages = {
        name: attrs.evolve(
            package,
            bundles={
                key: attrs.evolve(bundle, properties=(*bundle.properties, unreadable))
                for key, bundle in package.bundles.items()
            },
        )
        for name, package in catalog.packages.items()
    }
    index = index_of(Catalog(packages))
    assert [index.needs(number) for number in range(len(index))] == [None] * len(index)


def test_bundles_that_no_bits_describe() -> None:
    """A requirement of an API, a requirement of the bundle's own package, and a catalog with nothing in it."""
    index = index_of(
        catalog_of(
            package("api").channel("stable", "1.0.0").requires_api("g/v1/K"),
            package("own").channel("stable", "1.0.0").requires("own", ">=0.5.0"),
            package("web").channel("stable", "1.0.0").requires("own", ">=1.0.0"),
        )
    )
    described = {index.package(slot): index.needs_in_bits(slot) for slot in range(len(index))}
    assert {name: bits is not None for name, bits in described.items()} == {"api": False, "own": False, "web": True}


def test_few_bundles_are_tested_for_alternatives() -> None:
    """Alternatives of APIs, labels and packages narrow the bundles down; a rule that any bundle may meet does not."""
    index = index_of(catalog_of(*(package(name).channel("stable", "1.0.0 < 1.1.0") for name in "abc")))
    versions = BlangRange.parse(">=1.1.0")
    two = AnyOf((InPackage("a", versions), InPackage("c", versions)))
    assert {index.package(slot) for slot in index.narrowed(two)} == {"a", "c"}
    assert index.narrowed(AnyOf((InPackage("a", versions), NoneOf((two,))))) is index.narrowed(None)
    assert len(index.narrowed(None)) == len(index)
    # Of parts that must all hold, the one that leaves the fewest bundles is enough.
    both = AllOf((NoneOf((two,)), two, InPackage("c", versions)))
    assert {index.package(slot) for slot in index.narrowed(both)} == {"c"}


def test_versions_are_found_without_a_look_at_bundles(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are bisected where all are strict, as APIs and labels are looked up: no facts of many bundles are made."""
    versions = " < ".join(f"1.{n}.0" for n in range(9))
    index = index_of(catalog_of(package("a").channel("stable", versions).provides("g/v1/K").labelled("l")))

    def looked_at(*_: object) -> None:
        raise AssertionError("a bundle was looked at")

    monkeypatch.setattr(FactTable, "published", looked_at)
    assert len(index.candidates(InPackage("a", BlangRange.parse(">=1.2.0 <1.7.0")))) == 5
    assert len(index.candidates(ProvidesGVK(GVK("g", "v1", "K")))) == len(index.candidates(HasLabel("l"))) == 9
