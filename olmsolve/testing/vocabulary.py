"""The words that generated catalogs and requests are made of: invented ones, or those of somebody's own catalog."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve._arguments import by_name, every
from olmsolve.catalog import Catalog
from olmsolve.predicates import GVK, PACKAGE_REQUIRED, REQUIREMENT_TYPES, Property, published
from olmsolve.semver import reading_by

_KNOWN: Final = frozenset({"olm.package", "olm.gvk", "olm.label", "olm.deprecated", *REQUIREMENT_TYPES})
_MOST_WORDS: Final = 50
"""The most words of a kind that are taken from a catalog: more make failures longer and find no more."""
_LONGEST_VALUE: Final = 200
"""The longest value of a custom property that is taken, in bytes of JSON."""


def _packages(values: Mapping[str, Iterable[str]]) -> Mapping[str, tuple[str, ...]]:
    packages = by_name(values, "packages", object, "versions by the names of their packages")
    return {name: every(versions, str, f"packages[{name!r}]") for name, versions in packages.items()}


# A function for each field: type checkers take the type of an argument from its converter, and know no generic one.
def _apis(values: Iterable[GVK]) -> tuple[GVK, ...]:
    return every(values, GVK, "apis")


def _labels(values: Iterable[str]) -> tuple[str, ...]:
    return every(values, str, "labels")


def _ranges(values: Iterable[str]) -> tuple[str, ...]:
    return every(values, str, "ranges")


def _rules(values: Iterable[str]) -> tuple[str, ...]:
    return every(values, str, "rules")


def _properties(values: Iterable[Property]) -> tuple[Property, ...]:
    return every(values, Property, "properties")


@attrs.frozen(eq=False)
class Vocabulary:
    """The names and texts that strategies draw from; each shrinks towards the first of its kind.

    *packages* maps the name of a package to its versions, ascending. *ranges* are the texts of
    ``versionRange``, *rules* CEL rules, *properties* further properties of bundles, which rules may read.
    """

    packages: Mapping[str, tuple[str, ...]] = attrs.field(converter=_packages)
    apis: tuple[GVK, ...] = attrs.field(default=(), converter=_apis)
    labels: tuple[str, ...] = attrs.field(default=(), converter=_labels)
    ranges: tuple[str, ...] = attrs.field(default=(), converter=_ranges)
    rules: tuple[str, ...] = attrs.field(default=(), converter=_rules)
    properties: tuple[Property, ...] = attrs.field(default=(), converter=_properties)

    @classmethod
    def of(cls, *catalogs: Catalog) -> Vocabulary:
        """Return the words of *catalogs*: at most 50 of each kind but packages, in their order there."""
        packages: dict[str, dict[str, None]] = {}
        apis: dict[GVK, None] = {}
        labels: dict[str, None] = {}
        ranges: dict[str, None] = {}
        rules: dict[str, None] = {}
        others: dict[tuple[str, bytes], Property] = {}
        for catalog, package in [(one, package) for one in catalogs for package in one]:
            versions = packages.setdefault(package.name, {})
            with reading_by(catalog.scheme):
                facts = [published(package.name, bundle.properties) for bundle in package.bundles.values()]
            stated_versions = sorted(fact.version for fact in facts if fact.version is not None)
            versions.update(dict.fromkeys(map(str, stated_versions)))
            for fact in facts:
                apis.update(dict.fromkeys(fact.gvks))
                labels.update(dict.fromkeys(sorted(fact.labels)))
                for property_ in fact.properties:
                    for kind, text in _texts(property_):
                        (rules if kind == "rule" else ranges).setdefault(text)
                    if property_.type not in _KNOWN and len(property_.text) <= _LONGEST_VALUE:
                        others.setdefault((property_.type, property_.text), property_)
        return cls(
            {name: tuple(versions) for name, versions in packages.items()},
            apis=_first(apis),
            labels=_first(labels),
            ranges=_first(ranges),
            rules=_first(rules),
            properties=_first(others.values()),
        )

    def api_of(self, package: str) -> GVK | None:
        """Return the API that generated bundles of *package* provide: the one at its position, None without any."""
        return self.apis[list(self.packages).index(package) % len(self.apis)] if self.apis else None


def _first(words: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(words)[:_MOST_WORDS]


def _texts(property_: Property) -> Iterator[tuple[str, str]]:
    """Yield the ranges and the rules in the value of a requirement, each with its kind: "range" or "rule"."""
    if property_.type == PACKAGE_REQUIRED or property_.type == "olm.constraint":
        yield from _within(property_.value)


def _within(value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for name, part in value.items():
            if name in ("rule", "versionRange") and isinstance(part, str):
                yield ("rule" if name == "rule" else "range"), part
            else:
                yield from _within(part)
    elif isinstance(value, list):
        for part in value:
            yield from _within(part)


def _api(letter: str) -> GVK:
    return GVK(f"{letter}.example.com", "v1", letter.upper())


INVENTED: Final = Vocabulary(
    packages=dict.fromkeys("abcdef", ("1.0.0", "1.1.0", "1.2.0-rc1", "1.2.0", "2.0.0")),
    apis=tuple(map(_api, "abcdef")),
    labels=("certified", "edge"),
    ranges=(">=0.0.0", "<1.2.0", ">=1.1.0", "1.x", ">=2.0.0", "!=1.1.0", "<1.1.0 || >=1.2.0-rc1", "1.0.0"),
    rules=(
        'properties.exists(p, p.type == "color" && p.value == "red")',
        'properties.exists(p, p.type == "tier" && p.value >= 2)',
        '!properties.exists(p, p.type == "color")',
        'properties.all(p, p.type != "tier")',
    ),
    properties=(Property("color", "red"), Property("color", "blue"), *(Property("tier", tier) for tier in (1, 2, 3))),
)
"""Six packages a to f with five versions each, an API for each of them, two labels and four rules."""
