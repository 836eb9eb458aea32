"""Random catalogs, and families, needs and groups in them as the catalogs' own objects tell them, slowly worked out."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from olmsolve import Catalog, ConstraintError
from olmsolve.catalog.index import Group, groups_of
from olmsolve.predicates import (
    InPackage,
    published,
    requirements,
)
from olmsolve.semver import Version
from tests.index.plain_index import PlainSlot, plain_slots

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


def tidy_blobs(chosen: random.Random) -> Iterator[dict[str, Any]]:
    """Four packages of one channel each, from whose head down the versions fall, as in most catalogs."""
    for name in _NAMES:
        versions = sorted(chosen.sample(range(len(_VERSIONS)), chosen.randrange(1, 7)))
        bundles = [f"{name}.v{place}" for place in versions]
        for place, bundle in zip(versions, bundles, strict=True):
            properties = _properties(name, _VERSIONS[place], "", chosen)
            yield {"schema": "olm.bundle", "name": bundle, "package": name, "properties": properties}
        entries = [{"name": bundle, "replaces": below} for bundle, below in zip(bundles, ["", *bundles], strict=False)]
        yield {"schema": "olm.channel", "name": "stable", "package": name, "entries": entries}


def random_blobs(chosen: random.Random) -> Iterator[dict[str, Any]]:
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
                {"name": member, "replaces": members[n - 1] if n else ""} for n, member in enumerate(members)
            ]
            if entries and chosen.random() < 0.4:
                entries[-1] = entries[-1] | {"skips": [chosen.choice(bundles)]}
            if odd == "forked" and channel == "beta":
                entries = [{"name": bundle} for bundle in bundles]
            if entries:
                yield {"schema": "olm.channel", "name": channel, "package": name, "entries": entries}


def _properties(name: str, version: str, odd: str, chosen: random.Random) -> list[dict[str, Any]]:
    def of(package: str, text: str) -> dict[str, Any]:
        return {"type": "olm.package", "value": {"packageName": package, "version": text}}

    properties = [of(name, chosen.choice(_LOOSE) if odd == "loose" else version)]
    if odd == "two":
        properties.append(of(chosen.choice(_NAMES), chosen.choice(_VERSIONS)))
    elif odd == "other":
        properties = [of(chosen.choice([*_NAMES, "only said"]), version)]
    elif odd == "silent":
        properties = []
    for kind in chosen.sample([name, "X", "Y"], chosen.randrange(3)):
        if kind == name or chosen.random() < 0.3:
            properties.append({"type": "olm.gvk", "value": {"group": "g", "version": "v1", "kind": kind}})
    for _ in range(chosen.choice([0, 1, 1, 2, 3])):
        properties.append({"type": "olm.package.required", "value": _required(chosen)})
    if chosen.random() < 0.08:
        others = {"type": "olm.gvk.required", "value": {"group": "g", "version": "v1", "kind": "a"}}
        properties.append(chosen.choice([others, {"type": "olm.deprecated", "value": {}}]))
    return properties


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


class PlainFamilies:
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
            and any(
                slot.channel.package == name or name in [declared for declared, _ in facts.packages] for facts in every
            )
        ]

    def ordered(self, name: str) -> list[int] | None:
        """Return the candidates by version; None where versions do not say everything."""
        if name not in self._ordered:
            self._ordered[name] = self._by_version(name)
        return self._ordered[name]

    def _by_version(self, name: str) -> list[int] | None:
        candidates = self.candidates(name)
        if any(self.slots[number].fault or not _strict(self.slots[number]) for number in candidates):
            return None
        return sorted(candidates, key=lambda number: (self.version(number), number))

    def version(self, number: int) -> Version:
        (facts,) = self._facts[number]
        assert facts.version is not None
        return facts.version

    def needs(self, number: int) -> tuple[tuple[str, int, int], ...] | None:
        slot = self.slots[number]
        if slot.fault or self._facts[number][0].deprecated:
            return None
        try:
            stated = requirements(slot.bundles[0].properties)
        except ConstraintError:
            return None
        needs = []
        for requirement in stated:
            predicate = requirement.predicate
            if not isinstance(predicate, InPackage) or requirement.property_type != "olm.package.required":
                return None
            if not all(
                isinstance(part, str) for part in slot.bundles[0].properties[requirement.property_index].value.values()
            ):
                return None
            ordered = self.ordered(predicate.package) if predicate.package in self.names else None
            if ordered is None:
                return None
            places = [place for place, other in enumerate(ordered) if self.version(other) in predicate.versions]
            if places and places != list(range(places[0], places[-1] + 1)):
                return None
            needs.append((predicate.package, places[0], places[-1] + 1) if places else (predicate.package, 0, 0))
        return tuple(needs)

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
