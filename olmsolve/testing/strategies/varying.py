"""Somebody's own catalog, changed a little: the part that wishes can reach, with bundles dropped, ranges narrowed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

import attrs
from hypothesis import strategies as st

from olmsolve.catalog import Bundle, Catalog, Channel, Package
from olmsolve.errors import ConstraintError
from olmsolve.predicates import (
    REQUIREMENT_TYPES,
    AllOf,
    AnyOf,
    NoneOf,
    Predicate,
    Property,
    Published,
    published,
    requirements,
)
from olmsolve.testing.strategies.content import vocabulary_of

_NUMBERS: Final = 20
"""The greatest number that is drawn for a bundle: 0 drops it, the two greatest change it."""


@attrs.frozen
class Variation:
    """A part of a catalog, changed a little: the packages *wished* for and all that they can need.

    *changes* says what was changed, a sentence each; ``str()`` joins them.
    """

    catalog: Catalog
    wished: tuple[str, ...]
    changes: tuple[str, ...]

    def __str__(self) -> str:
        return "; ".join(self.changes) or "nothing changed"


@st.composite
def variations(draw: st.DrawFn, catalog: Catalog, *, most_packages: int = 2) -> Variation:
    """Draw variations of *catalog* for wishes of one to *most_packages* of its packages.

    The packages that these can need come along whole, but for a few bundles: one in twenty is dropped, and as many are
    deprecated, or require a narrower range. A failing example shrinks towards few packages and few bundles.
    """
    reaching, words = catalog.derived(__name__, lambda: (reach(catalog), vocabulary_of(catalog)))
    wished = draw(st.lists(st.sampled_from(list(words.packages)), min_size=1, max_size=most_packages, unique=True))
    newest = {name: versions[-1] for name, versions in words.packages.items() if versions}
    names = dict.fromkeys(wished)
    for name in wished:
        names.update(dict.fromkeys(reaching[name]))
    changes: list[str] = []
    packages: dict[str, Package] = {}
    dropped: list[str] = []
    for name in names:
        package = catalog.packages[name]
        bundles: dict[str, Bundle] = {}
        for bundle in package.bundles.values():
            # A number shrinks towards 0, which drops the bundle, then to 1, which leaves it as it is: both the bundles
            # and the changes of a shrunk example matter.
            number = draw(st.integers(0, _NUMBERS))
            if number == 0:
                dropped.append(bundle.name)
                continue
            bundles[bundle.name], change = _changed(bundle, number, newest)
            changes.extend(filter(None, [change]))
        channels = {key: _without(channel, bundles) for key, channel in package.channels.items()}
        channels = {key: channel for key, channel in channels.items() if channel.entries}
        if bundles:
            packages[name] = attrs.evolve(package, channels=channels, bundles=bundles)
    kept = sum(len(package.bundles) for package in packages.values())
    if dropped:
        few = len(dropped) <= kept
        changes.insert(
            0, f"without {', '.join(dropped)}" if few else f"{kept} of {kept + len(dropped)} bundles are left"
        )
    return Variation(Catalog(packages, origin=f"part of {catalog.origin}"), tuple(wished), tuple(changes))


def reach(catalog: Catalog) -> Mapping[str, tuple[str, ...]]:
    """Map each package of *catalog* to the packages that it can need, directly or not: providers of requirements."""
    facts = [
        (package.name, published(package.name, each.properties))
        for package in catalog
        for each in package.bundles.values()
    ]
    providers: dict[Predicate, frozenset[str]] = {}
    direct: dict[str, set[str]] = {package.name: set() for package in catalog}
    for name, fact in facts:
        for leaf in _leaves(fact):
            if leaf not in providers:
                providers[leaf] = frozenset(other for other, each in facts if leaf.test(each))
            direct[name] |= providers[leaf]
    return {name: tuple(sorted(_closure(name, direct))) for name in direct}


def _closure(name: str, direct: Mapping[str, set[str]]) -> set[str]:
    found: set[str] = set()
    waiting = [name]
    while waiting:
        for other in direct[waiting.pop()] - found:
            found.add(other)
            waiting.append(other)
    return found


def _leaves(facts: Published) -> Iterator[Predicate]:
    """Yield the parts of a bundle's requirements that are no compounds; nothing where they do not parse."""
    try:
        waiting = [requirement.predicate for requirement in requirements(facts.properties)]
    except ConstraintError:
        return
    while waiting:
        predicate = waiting.pop()
        if isinstance(predicate, AllOf | AnyOf | NoneOf):
            waiting.extend(predicate.parts)
        else:
            yield predicate


def _changed(bundle: Bundle, number: int, newest: Mapping[str, str]) -> tuple[Bundle, str]:
    """Return *bundle* with the change that *number* stands for, and a sentence about it ("" without a change).

    *newest* has the highest version of each package.
    """
    if number == _NUMBERS - 1:
        deprecated = Property("olm.deprecated", {})
        return attrs.evolve(bundle, properties=(*bundle.properties, deprecated)), f"{bundle.name} is deprecated"
    if number == _NUMBERS:
        for index, each in enumerate(bundle.properties):
            if each.type in REQUIREMENT_TYPES:
                value, change = _narrower(each.value, newest)
                if change:
                    rest = (*bundle.properties[:index], Property(each.type, value), *bundle.properties[index + 1 :])
                    return attrs.evolve(bundle, properties=rest), f"{bundle.name} requires {change}"
    return bundle, ""


def _narrower(value: Any, newest: Mapping[str, str]) -> tuple[Any, str]:
    """Return *value* with its first range below the *newest* version of the package, and a text about that.

    The text is "" where no part of the value is a range of one alternative.
    """
    copy = json.loads(json.dumps(value))
    waiting = [copy]
    while waiting:
        part = waiting.pop(0)
        if isinstance(part, dict):
            package, versions = part.get("packageName"), part.get("versionRange")
            if isinstance(package, str) and isinstance(versions, str) and package in newest and "||" not in versions:
                part["versionRange"] = f"{versions} <{newest[package]}"
                return copy, f"package {package} in {part['versionRange']}"
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)
    return copy, ""


def _without(channel: Channel, bundles: Mapping[str, Bundle]) -> Channel:
    """Return *channel* without the entries whose bundles are gone; what replaced such an entry replaces what it did."""
    below = {entry.name: entry.replaces for entry in channel.entries}
    entries = []
    for entry in channel.entries:
        if entry.name not in bundles:
            continue
        replaces, seen = entry.replaces, {entry.name}
        while replaces in below and replaces not in bundles and replaces not in seen:
            seen.add(replaces)
            replaces = below[replaces]
        entries.append(attrs.evolve(entry, replaces=replaces))
    return attrs.evolve(channel, entries=tuple(entries))
