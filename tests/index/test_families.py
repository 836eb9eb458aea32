"""Requirements, candidates and groups as numbers mean what the catalog's own objects say, slowly worked out."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest

from olmsolve import Catalog, ConstraintError, Property
from olmsolve.catalog import fbc
from olmsolve.catalog.fbc import from_blobs
from olmsolve.catalog.index import CatalogIndex, Fault, Group, families, groups_of, index_of
from olmsolve.catalog.index.facts import FactTable
from olmsolve.predicates import (
    GVK,
    AllOf,
    AnyOf,
    HasLabel,
    InPackage,
    NoneOf,
    ProvidesGVK,
    published,
    requirements,
)
from olmsolve.semver import BlangRange, Version
from olmsolve.testing import catalog_of, package
from olmsolve.testing.random_requests import COMPOUND, DENSE, WIDE, RequestShape, random_request
from tests.index.plain_index import PlainSlot, plain_slots
from tests.index_files.files import loaded_through_index, write_blobs
from tests.recorded import real_catalog
from tests.scale import scaled

_VERSIONS = ("1.0.0", "1.0.0+a", "1.0.0+b", "1.1.0-rc.1", "1.1.0", "1.2.0", "2.0.0", "10.0.0")
_LOOSE = ("v1.0.0", "1.0", "01.0.0", "none", "")
_RANGES = (
    ">=1.0.0",
    "<1.1.0",
    "1.0.0",
    "!=1.1.0",
    "<1.1.0 || >1.2.0",
    ">=1.0.0 <1.1.0 || >=1.1.0 <2.0.0",
    "1.x",
    ">=3.0.0 <4.0.0",
    ">2.0.0 <1.0.0",
    ">=1.0.0 || <0.1.0",
    "no range",
    "",
    ">=1.0.0-\udc00",
)
_NAMES = ("a", "b", "c", "d")


def _tidy_blobs(chosen: random.Random) -> Iterator[dict[str, Any]]:
    """Four packages of one channel each, from whose head down the versions fall, as in most catalogs."""
    for name in _NAMES:
        versions = sorted(chosen.sample(range(len(_VERSIONS)), chosen.randrange(1, 7)))
        bundles = [f"{name}.v{place}" for place in versions]
        for place, bundle in zip(versions, bundles, strict=True):
            properties = _properties(name, _VERSIONS[place], "", chosen)
            yield {"schema": "olm.bundle", "name": bundle, "package": name, "properties": properties}
        entries = [{"name": each, "replaces": below} for each, below in zip(bundles, ["", *bundles], strict=False)]
        yield {"schema": "olm.channel", "name": "stable", "package": name, "entries": entries}


def _random_blobs(chosen: random.Random) -> Iterator[dict[str, Any]]:
    """Four packages; one in three has something by which versions do not say everything."""
    for name in _NAMES:
        odd = chosen.choice(["", "", "", "", "loose", "two", "other", "forked", "silent"])
        yield {"schema": "olm.package", "name": name, "defaultChannel": chosen.choice(["stable", "beta", "none"])}
        versions = sorted(chosen.sample(range(len(_VERSIONS)), chosen.randrange(1, 7)))
        bundles = [f"{name}.v{place}" for place in versions]
        strange = chosen.choice(bundles)
        for place, bundle in zip(versions, bundles, strict=True):
            yield {
                "schema": "olm.bundle",
                "name": bundle,
                "package": name,
                "properties": _properties(name, _VERSIONS[place], odd if bundle == strange else "", chosen),
            }
        for channel in ("alpha", "beta", "stable"):
            members = [bundle for bundle in bundles if chosen.random() < 0.7]
            entries: list[dict[str, Any]] = [
                {"name": each, "replaces": members[n - 1] if n else ""} for n, each in enumerate(members)
            ]
            if entries and chosen.random() < 0.4:
                entries[-1] = entries[-1] | {"skips": [chosen.choice(bundles)]}
            if odd == "forked" and channel == "beta":
                entries = [{"name": each} for each in bundles]
            if entries:
                yield {"schema": "olm.channel", "name": channel, "package": name, "entries": entries}


def _properties(name: str, version: str, odd: str, chosen: random.Random) -> list[dict[str, Any]]:
    def of(package: str, text: str) -> dict[str, Any]:
        return {"type": "olm.package", "value": {"packageName": package, "version": text}}

    found = [of(name, chosen.choice(_LOOSE) if odd == "loose" else version)]
    if odd == "two":
        found.append(of(chosen.choice(_NAMES), chosen.choice(_VERSIONS)))
    elif odd == "other":
        found = [of(chosen.choice([*_NAMES, "only said"]), version)]
    elif odd == "silent":
        found = []
    for kind in chosen.sample([name, "X", "Y"], chosen.randrange(3)):
        if kind == name or chosen.random() < 0.3:
            found.append({"type": "olm.gvk", "value": {"group": "g", "version": "v1", "kind": kind}})
    for _ in range(chosen.choice([0, 1, 1, 2, 3])):
        found.append({"type": "olm.package.required", "value": _required(chosen)})
    if chosen.random() < 0.08:
        others = {"type": "olm.gvk.required", "value": {"group": "g", "version": "v1", "kind": "a"}}
        found.append(chosen.choice([others, {"type": "olm.deprecated", "value": {}}]))
    return found


def _required(chosen: random.Random) -> Any:
    name = chosen.choice([*_NAMES, *_NAMES, *_NAMES, "only said"])
    text = chosen.choice(_RANGES[:10])
    fields: list[tuple[str, Any]] = [("packageName", name), ("versionRange", text)]
    match chosen.randrange(20):
        case 0:
            return dict(fields[::-1])
        case 1:
            return dict([*fields, ("more", "said")])
        case 2:
            return dict(fields[: chosen.randrange(2)])
        case 3:
            odd: dict[str, Any] = chosen.choice([{"versionRange": 1}, {"packageName": None}, {"more": 1}])
            return chosen.choice([dict(fields) | odd, {"more": name, "versionRange": text}])
        case 4:
            return {"packageName": name, "versionRange": chosen.choice(_RANGES)}
        case 5:
            return {"packageName": chosen.choice(["nowhere", "", "\udc00", "é"]), "versionRange": text}
        case _:
            return dict(fields)


class _Plain:
    """What an index must tell of families, from the catalog's own objects."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.slots = plain_slots(catalog)
        # The package that holds it, and what it publishes.
        self.bundles = [
            (package.name, published(package.name, bundle.properties), bundle.properties)
            for package in catalog
            for bundle in package.bundles.values()
        ]
        self.names = set(catalog.packages) | {name for _, facts, _ in self.bundles for name, _ in facts.packages}
        self._facts = [
            [published(slot.channel.package, bundle.properties) for bundle in slot.bundles] for slot in self.slots
        ]
        self._ordered: dict[str, list[int] | None] = {}
        self._members: dict[str, list[int] | None] = {}
        self._needs: dict[int, tuple[tuple[str, int, int], ...] | None] = {}

    def candidates(self, name: str) -> list[int]:
        """Return the slots of a name, with any version or none."""
        return [
            number
            for number, (slot, every) in enumerate(zip(self.slots, self._facts, strict=True))
            if slot.eligible
            and any(slot.channel.package == name or name in [said for said, _ in facts.packages] for facts in every)
        ]

    def ordered(self, name: str) -> list[int] | None:
        """Return the candidates by version; None where versions do not say everything."""
        if name not in self._ordered:
            self._ordered[name] = self._by_version(name)
        return self._ordered[name]

    def _by_version(self, name: str) -> list[int] | None:
        found = self.candidates(name)
        if any(self.slots[number].fault or not _strict(self.slots[number]) for number in found):
            return None
        return sorted(found, key=lambda number: (self.version(number), number))

    def version(self, number: int) -> Version:
        (facts,) = self._facts[number]
        assert facts.version is not None
        return facts.version

    def needs(self, number: int) -> tuple[tuple[str, int, int], ...] | None:
        slot = self.slots[number]
        if slot.fault or self._facts[number][0].deprecated:
            return None
        try:
            asked = requirements(slot.bundles[0].properties)
        except ConstraintError:
            return None
        found = []
        for each in asked:
            predicate = each.predicate
            if not isinstance(predicate, InPackage) or each.property_type != "olm.package.required":
                return None
            if not all(
                isinstance(part, str) for part in slot.bundles[0].properties[each.property_index].value.values()
            ):
                return None
            ordered = self.ordered(predicate.package) if predicate.package in self.names else None
            if ordered is None:
                return None
            places = [place for place, other in enumerate(ordered) if self.version(other) in predicate.versions]
            if places and places != list(range(places[0], places[-1] + 1)):
                return None
            found.append((predicate.package, places[0], places[-1] + 1) if places else (predicate.package, 0, 0))
        return tuple(found)

    def members(self, name: str) -> list[int] | None:
        """The slots of a family."""
        if name not in self._members:
            undeclared = any(package == name and name not in dict(facts.packages) for package, facts, _ in self.bundles)
            self._members[name] = None if undeclared or self.ordered(name) is None else self.candidates(name)
        return self._members[name]

    def home(self, number: int) -> str | None:
        homes = [name for name in self.names if number in (self.members(name) or ())]
        assert len(homes) < 2
        return homes[0] if homes else None

    def other_groups(self, number: int) -> tuple[Group, ...]:
        if self.slots[number].fault:
            return ()
        groups, home = groups_of(self._facts[number][0]), self.home(number)
        return groups if home is None else tuple(group for group in groups if not self._is_within(group, home))

    def _is_within(self, group: Group, home: str) -> bool:
        """Return whether *group* is the group of *home*, or all bundles in it are of this package alone."""
        return group == Group("package", home) or all(
            {name for name, _ in facts.packages} == {home} for _, facts, _ in self.bundles if group in groups_of(facts)
        )


def _strict(slot: PlainSlot) -> bool:
    """Whether the slot's bundle has one version: one property tells it, as versions are written strictly."""
    values = [item.value for item in slot.bundles[0].properties if item.type == "olm.package"]
    try:
        return len(values) == 1 and bool(Version.parse(values[0]["version"]))
    except ValueError:
        return False


def _check(index: CatalogIndex, catalog: Catalog) -> dict[str, int]:
    """Compare everything; how often what was found."""
    plain = _Plain(catalog)
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
        for each, (place, first, end) in zip(requires, needs, strict=True):
            seen["empty"] += first == end
            found = index.slots_meeting(place, first, end)
            assert found == index.candidates(each.predicate)
            assert index.slots_meeting(place, first, end) is found
            family = index.family(place)
            if family is not None:
                bits_found = family.prefixes[end] ^ family.prefixes[first]
                assert [s for j, s in enumerate(family.slots) if bits_found >> (j + 1) & 1] == list(found)
    return seen


def _check_bits(index: CatalogIndex, catalog: Catalog) -> dict[str, int]:
    """Compare needs as bits, and as runs of slots, with the slots that meet them; how often what was found."""
    plain = _Plain(catalog)
    columns = index.columns
    places = {columns.string(string): place for place, string in enumerate(columns.name_string)}
    seen = {"bits": 0, "no bits": 0, "runs": 0, "no runs": 0, "none needed": 0}
    for number in range(len(index)):
        needs, home = plain.needs(number), plain.home(number)
        found = index.needs_in_bits(number)
        families = [plain.members(name) for name, _, _ in needs or ()]
        if needs is None or home is None or None in families or home in [name for name, _, _ in needs]:
            assert found is None
            seen["no bits"] += 1
            continue
        assert found is not None
        bits, others = found
        assert others == plain.other_groups(number)
        assert [group for group, _ in bits] == [Group("package", name) for name, _, _ in needs]
        for (_, mask), members, (name, first, end) in zip(bits, families, needs, strict=True):
            ordered = plain.ordered(name)
            assert members is not None
            assert ordered is not None
            assert _of_bits(mask, members) == set(ordered[first:end])
        seen["bits"] += 1
    for name, place in places.items():
        if index.family(place) is None:
            continue
        members = plain.members(name)
        assert members is not None
        for number, runs in zip(members, index.needs_in_runs(place), strict=True):
            needs = plain.needs(number)
            falling = all(_falls(plain, other) for other, _, _ in needs or ())
            own = name in [other for other, _, _ in needs or ()]
            assert (runs is None) == (needs is None or own or not falling or bool(plain.other_groups(number)))
            if runs is None:
                seen["no runs"] += 1
                continue
            assert needs is not None
            seen["runs" if runs else "none needed"] += 1
            assert [group for group, _, _ in runs] == [Group("package", other) for other, _, _ in needs]
            for (_, start, stop), (other, first, end) in zip(runs, needs, strict=True):
                slots, ordered = plain.members(other), plain.ordered(other)
                assert slots is not None
                assert ordered is not None
                assert set(slots[start:stop]) == set(ordered[first:end])
    return seen


def _of_bits(mask: int, members: list[int]) -> set[int]:
    """Return the slots of a family whose bits are in *mask*; bit 0 is nobody's."""
    assert not mask & 1
    assert mask >> len(members) + 1 == 0
    return {slot for place, slot in enumerate(members) if mask >> place + 1 & 1}


def _falls(plain: _Plain, name: str) -> bool:
    """Return whether *name* has a family whose versions fall from slot to slot."""
    members = plain.members(name)
    return members is not None and plain.ordered(name) == members[::-1]


def test_needs_as_bits_and_as_runs() -> None:
    """Solvers ask for needs as sets of bits, and for whole families as runs: both stand for the same slots."""
    total: dict[str, int] = {}
    for seed in range(scaled(250)):
        for blobs in (_random_blobs, _tidy_blobs):
            catalog = from_blobs(blobs(random.Random(seed)))
            for key, count in _check_bits(index_of(catalog), catalog).items():
                total[key] = total.get(key, 0) + count
    assert min(total.values()) > scaled(50), total


def test_random_catalogs() -> None:
    """Versions that are not strict, forked channels, two packages of one bundle, skipped entries, empty matches."""
    total: dict[str, int] = {}
    for seed in range(scaled(250)):
        catalog = from_blobs(_random_blobs(random.Random(seed)))
        for key, count in _check(index_of(catalog), catalog).items():
            total[key] = total.get(key, 0) + count
    # Nothing was compared in vain.
    assert min(total.values()) > scaled(100), total


def test_random_catalogs_from_files(tmp_path: Path) -> None:
    """Families are the same from a file as from the catalog."""
    for seed in range(30):
        path = write_blobs(tmp_path / f"{seed}.jsonl", _random_blobs(random.Random(seed)))
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
        blobs = list(_random_blobs(chosen))
        catalog = from_blobs(blobs)
        index = index_of(catalog)
        for number, slot in enumerate(plain_slots(catalog)):
            found, expected = index.requires(number), slot.requires()
            assert found == expected
            if not isinstance(found, Fault) and not isinstance(expected, Fault):
                for one, other in zip(found, expected, strict=True):
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
    catalog = from_blobs(_random_blobs(random.Random(3)))
    index = index_of(catalog)
    sizes = {name: len(family.slots) for name in range(4) if (family := index.family(name)) is not None}
    largest = max(sizes.values())
    monkeypatch.setattr(families, "MOST_MEMBERS", largest)
    again = CatalogIndex(catalog)
    assert all(again.family(name) == index.family(name) for name in range(4))
    monkeypatch.setattr(families, "MOST_MEMBERS", largest - 1)
    again = CatalogIndex(catalog)
    for name, size in sizes.items():
        assert (again.family(name) is None) == (size == largest)
        assert all(
            (again.family_of(n) < 0) == (size == largest) for n in range(len(index)) if index.family_of(n) == name
        )


def _asked_by_two(index: CatalogIndex, number: int, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the family of a slot, twice: for a caller, and for one who asks while the first is at work."""
    made = families.FamilyTable.family
    found: list[int] = []

    def slow(table: families.FamilyTable, name: int) -> families.Family | None:
        # As another thread would, between any two steps of the first.
        monkeypatch.setattr(families.FamilyTable, "family", made)
        found.append(index.family_of(number))
        return made(table, name)

    monkeypatch.setattr(families.FamilyTable, "family", slow)
    found.append(index.family_of(number))
    monkeypatch.setattr(families.FamilyTable, "family", made)
    return found


def test_other_packages_may_stand_between_the_slots_of_a_family() -> None:
    """Default channels come first, so the others of a package are apart: slots 0 and 3, with two of another between."""
    index = index_of(
        catalog_of(
            package("a").channel("stable", "1.0.0").channel("alpha", "2.0.0"),
            package("b").channel("stable", "1.0.0 < 1.1.0"),
        )
    )
    found = [index.family(index.name_number(name)) for name in ("a", "b")]
    assert [family and family.slots for family in found] == [(0, 3), (1, 2)]


def test_threads_that_ask_for_one_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """An index is shared: who asks while another thread is at work on the same slot gets the same answer."""
    catalog = from_blobs(_random_blobs(random.Random(3)))
    index = index_of(catalog)
    expected = [index.family_of(number) for number in range(len(index))]
    for number, home in enumerate(expected):
        assert set(_asked_by_two(CatalogIndex(catalog), number, monkeypatch)) == {home}
    assert len(set(expected)) > 2


def test_properties_that_are_no_json_have_no_needs() -> None:
    """A requirement that columns cannot hold is read from the catalog's objects."""
    catalog = from_blobs(_random_blobs(random.Random(0)))
    held = Property("olm.package.required", {"packageName": "a", "versionRange": (">=1.0.0",)})
    packages = {
        name: attrs.evolve(
            package,
            bundles={
                key: attrs.evolve(bundle, properties=(*bundle.properties, held))
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
