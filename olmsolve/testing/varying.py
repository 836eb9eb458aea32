"""Somebody's own catalog, changed a little: the part that wishes can reach, with bundles dropped, ranges narrowed.

The changes are drawn as whole numbers, by whoever asks: a strategy of Hypothesis, or a seeded generator.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve.answers.reducing import without_entries
from olmsolve.catalog import Bundle, Catalog, Package
from olmsolve.predicates import REQUIREMENT_TYPES, Property

MOST: Final = 21
"""The greatest number that is drawn for a bundle: 0 drops it, the four greatest change it."""

ALTERNATIVE_NESTED: Final = MOST - 3
"""The number that makes a requirement a part of an alternative: a compound in a compound, which has two meanings."""

_ALTERNATIVES_CHANGED: Final = (ALTERNATIVE_NESTED, MOST - 2)
_CONSTRAINT: Final = "olm.constraint"
AS_CONSTRAINT: Final[Mapping[str, str]] = {"olm.package.required": "package", "olm.gvk.required": "gvk"}
"""The field of ``olm.constraint`` that says the same as a property of this type."""


@attrs.frozen
class Variation:
    """A part of a catalog, changed a little: the packages *wished* for and all that they can need.

    *changes* says what was changed, a sentence each; ``str()`` joins them. *has_own_alternatives* is True where
    alternatives were changed: what they mean is nothing that the author of the catalog has written.
    """

    catalog: Catalog
    wished: tuple[str, ...]
    changes: tuple[str, ...]
    has_own_alternatives: bool = False

    def __str__(self) -> str:
        return "; ".join(self.changes) or "nothing changed"


def varied(
    catalog: Catalog, wished: Sequence[str], names: Iterable[str], newest: Mapping[str, str], draw: Callable[[], int]
) -> Variation:
    """Return the packages *names* of *catalog*, each bundle changed as its number from *draw* says (0 to 21).

    *newest* has the highest version of each package, below which ranges are narrowed. One number in twenty-two drops
    the bundle, as many deprecate it, narrow a range that it requires, or change its alternatives: their order, a
    requirement becomes one of two, the other of which a wish meets already, or a part of the first of two.
    """
    changes: list[str] = []
    has_own_alternatives = False
    packages: dict[str, Package] = {}
    dropped: list[str] = []
    for name in names:
        package = catalog.packages[name]
        bundles: dict[str, Bundle] = {}
        for bundle in package.bundles.values():
            # A number shrinks towards 0, which drops the bundle, then to 1, which leaves it as it is: both the bundles
            # and the changes of a shrunk example matter.
            number = draw()
            if number == 0:
                dropped.append(bundle.name)
                continue
            bundles[bundle.name], change = _changed(bundle, number, newest, wished)
            has_own_alternatives |= bool(change) and number in _ALTERNATIVES_CHANGED
            changes.extend(filter(None, [change]))
        channels = {key: without_entries(channel, dropped) for key, channel in package.channels.items()}
        channels = {key: channel for key, channel in channels.items() if channel.entries}
        if bundles:
            packages[name] = attrs.evolve(package, channels=channels, bundles=bundles)
    kept = sum(len(package.bundles) for package in packages.values())
    if dropped:
        are_few = len(dropped) <= kept
        changes.insert(
            0, f"without {', '.join(dropped)}" if are_few else f"{kept} of {kept + len(dropped)} bundles are left"
        )
    part = Catalog(packages, origin=f"part of {catalog.origin}", scheme=catalog.scheme)
    return Variation(part, tuple(wished), tuple(changes), has_own_alternatives)


def _changed(bundle: Bundle, number: int, newest: Mapping[str, str], wished: Sequence[str]) -> tuple[Bundle, str]:
    """Return *bundle* with the change that *number* stands for, and a sentence about it ("" without a change).

    *newest* has the highest version of each package, and *wished* are the packages that somebody subscribes to.
    """
    if number in _ALTERNATIVES_CHANGED:
        return _with_alternatives(bundle, wished, is_nested=number == ALTERNATIVE_NESTED)
    if number == MOST - 1:
        deprecated = Property("olm.deprecated", {})
        return attrs.evolve(bundle, properties=(*bundle.properties, deprecated)), f"{bundle.name} is deprecated"
    if number == MOST:
        for index, property_ in enumerate(bundle.properties):
            if property_.type in REQUIREMENT_TYPES:
                value, change = _narrower(property_.value, newest)
                if change:
                    narrowed = _with_property(bundle, index, Property(property_.type, value))
                    return narrowed, f"{bundle.name} requires {change}"
    return bundle, ""


def _with_alternatives(bundle: Bundle, wished: Sequence[str], *, is_nested: bool) -> tuple[Bundle, str]:
    """Return *bundle* with the alternatives of its first ``any`` in another order, or else with two where it had one.

    Alternatives are tried in their order, and one that is met already comes before alternatives that add a bundle. With
    *is_nested*, the first alternative has a part that is met already beside the requirement itself, and is not met yet.
    """
    if not is_nested:
        for index, property_ in enumerate(bundle.properties):
            if property_.type != _CONSTRAINT:
                continue
            value, is_turned = _turned(property_.value)
            if is_turned:
                return _with_constraint(bundle, index, value), f"{bundle.name} has its alternatives in another order"
    other = next((name for name in wished if name != bundle.package), None)
    if other is None:
        return bundle, ""
    met = _any_version(other)
    for index, property_ in enumerate(bundle.properties):
        field = AS_CONSTRAINT.get(property_.type)
        if field is None and property_.type != _CONSTRAINT:
            continue
        stated = property_.value if field is None else {field: property_.value}
        if is_nested:
            # A package that nobody has: as an alternative it is never met.
            value = {"any": {"constraints": [{"all": {"constraints": [met, stated]}}, _any_version("nowhere")]}}
            what = f"package {other} and what it did before, or package nowhere"
            return _with_constraint(bundle, index, value), f"{bundle.name} requires {what}"
        if field is not None:
            value = {"any": {"constraints": [stated, met]}}
            return _with_constraint(
                bundle, index, value
            ), f"{bundle.name} requires package {other} or what it did before"
    return bundle, ""


def _any_version(package: str) -> dict[str, Any]:
    return {"package": {"packageName": package, "versionRange": ">=0.0.0"}}


def _with_constraint(bundle: Bundle, index: int, value: Any) -> Bundle:
    return _with_property(bundle, index, Property(_CONSTRAINT, value))


def _with_property(bundle: Bundle, index: int, property_: Property) -> Bundle:
    return attrs.evolve(bundle, properties=(*bundle.properties[:index], property_, *bundle.properties[index + 1 :]))


def _turned(value: Any) -> tuple[Any, bool]:
    """Return *value* with the parts of its first ``any`` turned around, and whether there is one of several parts."""
    copy = json.loads(json.dumps(value))
    for part in mappings_in(copy):
        alternatives = part.get("any")
        parts = alternatives.get("constraints") if isinstance(alternatives, dict) else None
        if isinstance(parts, list) and len(parts) > 1:
            parts.reverse()
            return copy, True
    return copy, False


def _narrower(value: Any, newest: Mapping[str, str]) -> tuple[Any, str]:
    """Return *value* with its first range below the *newest* version of the package, and a text about that.

    The text is "" where no part of the value is a range of one alternative.
    """
    copy = json.loads(json.dumps(value))
    for part in mappings_in(copy):
        package, versions = part.get("packageName"), part.get("versionRange")
        if isinstance(package, str) and isinstance(versions, str) and package in newest and "||" not in versions:
            part["versionRange"] = f"{versions} <{newest[package]}"
            return copy, f"package {package} in {part['versionRange']}"
    return copy, ""


def mappings_in(value: Any) -> Iterator[dict[str, Any]]:
    """Yield the mappings in *value*, the outer ones first."""
    waiting = [value]
    while waiting:
        part = waiting.pop(0)
        if isinstance(part, dict):
            yield part
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)
