"""The packed index answers as a plain one over the catalog's own objects does."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from olmsolve import Catalog, Property
from olmsolve.catalog import Bundle, Channel, ChannelEntry, OwnPackage, Package, bundle_of
from olmsolve.catalog.fbc import from_blobs
from olmsolve.catalog.index import COLUMNS, CatalogIndex, Fault, index_of
from olmsolve.errors import RequestError
from olmsolve.predicates import GVK, AllOf, AnyOf, HasLabel, InPackage, NoneOf, Predicate, ProvidesGVK, Requirement
from olmsolve.semver import BlangRange, Version
from olmsolve.testing import COMPOUND, DENSE, WIDE, RequestShape, random_request
from tests.index.plain_index import (
    PlainSlot,
    check_candidates,
    check_channels,
    check_objects,
    check_slots,
    check_updates,
)
from tests.recorded import real_catalog
from tests.scale import sampled, scaled

_RECORDED = ("community-2021", "community-prod", "fbc-v4.12", "fbc-v4.20", "upstream-2021")


def _distinct_requirements(index: CatalogIndex) -> list[Predicate]:
    """Return the distinct requirements of the bundles of a catalog."""
    every = (index.requires(number) for number in range(len(index)))
    return list(
        dict.fromkeys(
            r.predicate for requirements in every if not isinstance(requirements, Fault) for r in requirements
        )
    )


def _check(catalog: Catalog, index: CatalogIndex, predicates: Iterable[Predicate] = ()) -> list[PlainSlot]:
    slots = check_slots(index, catalog)
    check_channels(index, catalog, slots)
    check_objects(index, slots)
    for predicate in (*_distinct_requirements(index), *predicates):
        check_candidates(index, slots, predicate)
    return slots


@pytest.mark.parametrize("shape", [COMPOUND, DENSE, WIDE], ids=["compound", "dense", "wide"])
@pytest.mark.parametrize("seed", range(12))
def test_generated_catalogs(seed: int, shape: RequestShape) -> None:
    """Small catalogs with everything that can be odd in them: broken channels, several packages, labels, rules."""
    request = random_request(random.Random(seed), attrs.evolve(shape, odd=0.3))

    for source in request.sources:
        index = index_of(source.catalog)
        slots = _check(source.catalog, index)
        for name in {slot.entry.name for slot in slots} | {"", "no such bundle"}:
            for version in (None, Version(1, 0, 0), Version(1, 1, 0)):
                check_updates(index, slots, name, version)


@pytest.mark.parametrize("name", sampled(_RECORDED, 2))
def test_recorded_catalogs(name: str) -> None:
    """Real catalogs hold what nobody would think of; the short run takes every second."""
    catalog = real_catalog(f"{name}.jsonl.gz")
    index = index_of(catalog)
    slots = check_slots(index, catalog)
    chosen = random.Random(1)
    if len(slots) < 5000:
        check_channels(index, catalog, slots)
    predicates = _distinct_requirements(index)
    for predicate in chosen.sample(predicates, min(len(predicates), 2_000_000 // len(slots) // 40)):
        check_candidates(index, slots, predicate)
    for number in chosen.sample(range(len(slots)), 8):
        check_updates(index, slots, index.bundle(number), index.version(number))


_TEXTS = st.sampled_from(
    ["a", "b", "a/b", "", "é", "\ud83d", "1.0.0", "v1.0.0", "1.0.0+x", "1.0.0+y", "2.0.0-rc.1", "01.2"]
)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _TEXTS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_TEXTS, inner, max_size=2),
    max_leaves=4,
)
_PROPERTIES = st.one_of(
    st.builds(lambda n, v: Property("olm.package", {"packageName": n, "version": v}), _TEXTS, _TEXTS),
    st.builds(lambda g, v, k: Property("olm.gvk", {"group": g, "version": v, "kind": k}), _TEXTS, _TEXTS, _TEXTS),
    st.builds(lambda n: Property("olm.label", {"label": n}), _TEXTS),
    st.builds(lambda n: Property("olm.label.required", {"label": n}), _TEXTS),
    st.builds(lambda n: Property("olm.package.required", {"packageName": n, "versionRange": ">=1.0.0"}), _TEXTS),
    st.builds(
        Property, st.sampled_from(["olm.package", "olm.gvk", "olm.constraint", "olm.gvk.required", "x"]), _VALUES
    ),
    st.just(Property("olm.deprecated", {})),
)
_PREDICATES: list[Predicate] = [
    *(ProvidesGVK(GVK(*parts)) for parts in (("a", "b", "a/b"), ("a/b", "a", "b"), ("", "", ""), ("é", "\ud83d", "a"))),
    *(
        InPackage(name, BlangRange.parse(text))
        for name in ("a", "a/b", "é")
        for text in (">=1.0.0", "<2.0.0", "!=1.0.0")
    ),
    HasLabel("a"),
    HasLabel("no such label"),
    NoneOf((HasLabel("b"),)),
]
_PREDICATES += [AnyOf((_PREDICATES[0], HasLabel("a"))), AllOf((NoneOf((HasLabel("a"),)), _PREDICATES[5]))]


@settings(max_examples=scaled(150), deadline=None)
@given(st.dictionaries(_TEXTS.filter(bool), st.lists(st.lists(_PROPERTIES, max_size=5), max_size=4), max_size=3))
def test_any_properties(contents: dict[str, list[list[Property]]]) -> None:
    """Properties of any value, well-formed or not: the columns hold what reading them gives."""
    packages = {}
    for name, bundles in contents.items():
        by_name = {
            f"{name}.{n}": Bundle(name, f"{name}.{n}", tuple(properties)) for n, properties in enumerate(bundles)
        }
        entries = tuple(ChannelEntry(bundle, f"{name}.{n - 1}" if n else "") for n, bundle in enumerate(by_name))
        channels = {channel: Channel(name, channel, entries) for channel in ("stable", "alpha")}
        packages[name] = Package(name, "stable", channels, by_name)
    catalog = Catalog(packages)
    _check(catalog, index_of(catalog), _PREDICATES)


class _Text(str):
    """A text that is not quite a str."""

    __slots__ = ()


@pytest.mark.parametrize(
    "value",
    [
        {"all": {"constraints": ({"gvk": {"group": "g", "version": "v1", "kind": "K"}},)}},
        {"package": {"packageName": _Text("a"), "versionRange": ">=1.0.0"}, "failureMessage": 10**30},
        {"cel": {"rule": float("inf")}},
        {"any": {"constraints": [{"package": {"packageName": "a", "versionRange": ">=1.0.0 " * 4000}}]}},
    ],
    ids=["tuple", "large integer", "infinity", "large"],
)
def test_what_json_cannot_hold(value: object) -> None:
    """Catalogs made in memory may have values of other types: these are asked for where they are."""
    bundle = Bundle("a", "a.v1", (Property("x", 1), Property("olm.constraint", value)))
    channel = Channel("a", "stable", (ChannelEntry("a.v1"),))
    catalog = Catalog({"a": Package("a", "stable", {"stable": channel}, {"a.v1": bundle})})
    check_slots(index_of(catalog), catalog)


@pytest.mark.parametrize("value", [{1: "a"}, {"all": 10**5000}, {"all": {2, 3}}], ids=["key", "integer", "set"])
def test_what_cannot_be_written_is_no_property(value: object) -> None:
    """A property is refused where it is made, by whoever can still say where the value came from."""
    with pytest.raises(RequestError, match="value: is not a JSON value"):
        Property("olm.constraint", value)


def _nested(levels: int, value: Callable[[object], object]) -> object:
    nested: object = "x"
    for _ in range(levels):
        nested = value(nested)
    return nested


def test_shared_parts_are_not_written_out() -> None:
    """Forty YAML aliases, of which each repeats the next twice, are larger than any memory once they are text."""
    with pytest.raises(RequestError, match="value: is not a JSON value: it has more than 1,000,000 parts"):
        Property("olm.constraint", {"all": _nested(40, lambda inner: [inner, inner])})


def test_a_requirement_is_parsed_once() -> None:
    """Ranges and rules are the costly part of a catalog, and most are written many times."""
    needs = {"type": "olm.package.required", "value": {"packageName": "b", "versionRange": ">=1.0.0"}}
    names = [f"a.v{number}" for number in range(3)]
    blobs: list[dict[str, object]] = [
        {"schema": "olm.bundle", "name": name, "package": "a", "properties": [needs] * (number + 1)}
        for number, name in enumerate(names)
    ]
    entries = [{"name": name, "replaces": names[n - 1] if n else ""} for n, name in enumerate(names)]
    blobs.append({"schema": "olm.channel", "name": "stable", "package": "a", "entries": entries})
    index = index_of(from_blobs(blobs))
    requirements = [index.requires(number) for number in range(3)]
    parsed = [requirement for requires in requirements if isinstance(requires, tuple) for requirement in requires]
    assert [requirement.property_index for requirement in parsed] == [0, 1, 2, 0, 1, 0]
    assert all(
        isinstance(requirement, Requirement) and requirement.predicate is parsed[0].predicate for requirement in parsed
    )


def test_ranks_stand_for_versions() -> None:
    """A search by numbers relies on this: a range is spans of ranks, and equal versions have one rank."""
    versions = ("1.0.0", "1.0.0+build", "2.0.0-rc.1", "2.0.0", "10.0.0")
    blobs: list[dict[str, object]] = [
        {
            "schema": "olm.bundle",
            "name": f"a.v{version}",
            "package": "a",
            "properties": [{"type": "olm.package", "value": {"packageName": "a", "version": version}}],
        }
        for version in versions
    ]
    entries = [{"name": f"a.v{v}", "replaces": f"a.v{versions[n - 1]}" if n else ""} for n, v in enumerate(versions)]
    blobs.append({"schema": "olm.channel", "name": "stable", "package": "a", "entries": entries})
    index = index_of(from_blobs(blobs))
    ranks = {index.bundle(number): index.rank(number) for number in range(len(index))}
    assert [ranks[f"a.v{version}"] for version in versions] == [0, 0, 1, 2, 3]
    assert set(index.columns.name_ranked) == {1}
    assert index.spans(BlangRange.parse(">=1.0.0 <2.0.0 || >2.0.0")) == ((0, 2), (3, 4))
    assert index.spans(BlangRange.parse(">20.0.0")) == ()


def _bundle(package: str, name: str, listed: tuple[Any, ...], version: str | None) -> Bundle:
    """Return a bundle as the loader makes one whose list is shared."""
    return bundle_of(Bundle, package, name, listed, "", {}, None, 0, None, version, None)


class _MadeWhenAsked(Mapping[str, Bundle]):
    """Bundles that nobody holds: each look makes new objects, at addresses where others have just been.

    With *own* they hold their properties as a reader of files makes them: a list without the version, and the version.
    """

    def __init__(self, package: str, count: int, own: bool) -> None:
        self._package = package
        self._names = [f"b{number}" for number in range(count)]
        self._own = (OwnPackage(package),) if own else ()

    def __getitem__(self, name: str) -> Bundle:
        number = int(name[1:])
        kinds = (f"{self._package}{number}", f"{self._package}{number + 1}")
        gvks = [Property("olm.gvk", {"group": "g", "version": "v1", "kind": kind}) for kind in kinds]
        required = {"packageName": self._package + name, "versionRange": f">={number}.0.0"}
        listed: tuple[Any, ...] = (*self._own, *gvks, Property("olm.package.required", required))
        return _bundle(self._package, name, listed, f"{number}.0.0" if self._own else None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


@pytest.mark.parametrize("own", [False, True])
def test_bundles_that_are_made_when_asked_for(own: bool) -> None:
    """A catalog may come from a database: its objects are gone before the next ones are made."""
    packages: list[dict[str, Package]] = [{}, {}]
    for name in "pqrs":
        lazy = _MadeWhenAsked(name, 20, own)
        entries = tuple(ChannelEntry(bundle, f"b{number - 1}" if number else "") for number, bundle in enumerate(lazy))
        channels = {"stable": Channel(name, "stable", entries)}
        for contents, bundles in zip(packages, (lazy, dict(lazy)), strict=True):
            contents[name] = Package(name, "stable", channels, bundles)
    columns = [CatalogIndex(Catalog(package)).columns for package in packages]

    assert {name: getattr(columns[0], name) for name in COLUMNS} == {
        name: getattr(columns[1], name) for name in COLUMNS
    }


@pytest.mark.parametrize("versions", [("1.0.0", "v2.0.0", "3.0.0", "none", ""), ("4.0", "5.0.0", "6.0.0")], ids=str)
@pytest.mark.parametrize("name", ["p", "another"])
def test_bundles_that_share_a_list_have_their_own_versions(versions: tuple[str, ...], name: str) -> None:
    """What was read once of the list holds for strict versions alone, and only if it says that it is of the package."""
    listed: tuple[Any, ...] = (
        Property("olm.gvk", {"group": "g", "version": "v1", "kind": "K"}),
        OwnPackage(name),
        Property("olm.package.required", {"packageName": "q", "versionRange": ">=1.0.0"}),
    )
    bundles = {f"p.{text}": _bundle("p", f"p.{text}", listed, text) for text in versions}
    entries = tuple(ChannelEntry(bundle, below) for bundle, below in zip(bundles, ("", *bundles), strict=False))
    catalog = Catalog({"p": Package("p", "stable", {"stable": Channel("p", "stable", entries)}, bundles)})
    index = index_of(catalog)
    slots = _check(catalog, index)
    strict = {f"p.{text}" for text in versions if len(text) == len("1.0.0")}
    assert [index.rank(number) >= 0 for number in range(len(slots))] == [slot.entry.name in strict for slot in slots]


@pytest.mark.parametrize("value", [1, None, "text", [], {}, {"packageName": "a"}, {"version": "1.0.0"}], ids=str)
@pytest.mark.parametrize("kind", ["olm.package", "olm.gvk", "olm.label", "olm.deprecated"])
def test_any_value_of_a_known_type(kind: str, value: object) -> None:
    """Values of other shapes say nothing, also beside those that say something."""
    known = Property("olm.package", {"packageName": "a", "version": "1.0.0"})
    bundles = {
        name: Bundle("a", name, properties)
        for name, properties in {
            "a.v1": (Property(kind, value),),
            "a.v2": (Property(kind, value), known),
            "a.v3": (known, Property(kind, value)),
        }.items()
    }
    entries = tuple(ChannelEntry(bundle, below) for bundle, below in zip(bundles, ("", *bundles), strict=False))
    catalog = Catalog({"a": Package("a", "stable", {"stable": Channel("a", "stable", entries)}, bundles)})
    _check(catalog, index_of(catalog), _PREDICATES)
