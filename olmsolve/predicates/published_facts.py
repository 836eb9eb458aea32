"""The facts that a bundle publishes through its properties, read once and typed.

Resolution needs four types, ``olm.package``, ``olm.gvk``, ``olm.label`` and ``olm.deprecated``; other types are not
interpreted. A malformed property publishes nothing here (validation reports it). CEL rules see every property,
malformed or not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, Final, Literal

import olmsolve._attrs as attrs
from olmsolve._named_tuples import NamedTuple
from olmsolve.errors import VersionError
from olmsolve.predicates.json_values import decoded, named
from olmsolve.predicates.properties import Property
from olmsolve.semver import Version, scheme_in_use


class GVK(NamedTuple):
    """A Kubernetes API: group, version and kind."""

    group: str
    version: str
    kind: str

    def __str__(self) -> str:
        return f"{self.group}/{self.version}/{self.kind}"


class Fact(NamedTuple):
    """A fact that bundles state and requirements ask for, and a key of tables of bundles: a package, an API or a label.

    >>> Fact("label", "certified") in set(published("shop", [Property("olm.label", {"label": "certified"})]).facts())
    True
    """

    kind: Literal["package", "api", "label"]
    value: str | GVK


GVK_NAMES: Final = frozenset(GVK._fields)
LABEL_NAMES: Final = frozenset({"label"})
PACKAGE_NAMES: Final = frozenset({"packageName", "version", "release"})
"""The fields of the values that are read here, which match in any letter case."""


_MOST_TEXTS: Final = 16_384
"""The most texts whose values are kept: a large catalog has so many."""


def _fetched(properties: tuple[Property, ...] | Callable[[], tuple[Property, ...]]) -> tuple[Property, ...]:
    return properties if isinstance(properties, tuple) else properties()


@attrs.frozen
class Published:
    """The facts that one bundle publishes.

    *package* is the package of the catalog that holds it ("" for an installed operator); *packages* are its
    ``olm.package`` properties, the version None where it is not a strict version; *version* is the bundle's own
    version, read tolerantly; *gvks* are the provided APIs, each once, in the order of the properties. *properties* are
    all properties of the bundle, or a function that fetches them each time: an index need not hold them in memory.
    """

    package: str
    packages: tuple[tuple[str, Version | None], ...]
    version: Version | None
    gvks: tuple[GVK, ...]
    labels: frozenset[str]
    deprecated: bool
    _properties: tuple[Property, ...] | Callable[[], tuple[Property, ...]] = attrs.field(repr=False, eq=_fetched)

    @property
    def properties(self) -> tuple[Property, ...]:
        """All properties of the bundle."""
        return _fetched(self._properties)

    def facts(self) -> Iterator[Fact]:
        """Yield the facts of the bundle, under which tables list it: packages, APIs and labels; some may come twice."""
        if self.package:
            # An installed operator is in no package of a catalog.
            yield Fact("package", self.package)
        for package, _ in self.packages:
            yield Fact("package", package)
        for gvk in self.gvks:
            yield Fact("api", gvk)
        for label in self.labels:
            yield Fact("label", label)

    def cel_properties(self) -> list[dict[str, Any]]:
        """Return the properties as CEL rules see them: a list of ``{"type": str, "value": JSON value}``."""
        return [{"type": property_.type, "value": property_.value} for property_ in self.properties]


def published(package: str, properties: Iterable[Property], *, version: str | None = None) -> Published:
    """Read the facts in *properties* of a bundle of *package*.

    *version* is the bundle's own version where its first ``olm.package`` property is not the source of it: an installed
    operator's object states its version.

    >>> from olmsolve.predicates import Property, published
    >>> facts = published("shop", [Property("olm.package", {"packageName": "shop", "version": "1.2.0"})])
    >>> str(facts.version)
    '1.2.0'
    """
    properties = tuple(properties)
    packages: list[tuple[str, Version | None]] = []
    gvks: dict[GVK, None] = {}
    labels: set[str] = set()
    deprecated = False
    own_version = version
    strict: Version | None = None  # the parsed `own_version`, so that it need not be parsed again
    for property_ in properties:
        kind = property_.type
        if kind == "olm.gvk":
            text = property_.held_text
            gvk = None if text is None else _gvk_in(text)
            if gvk is not None:
                gvks[gvk] = None
        elif kind == "olm.package":
            value = property_.value
            if isinstance(value, dict):
                value = named(value, PACKAGE_NAMES)
                name, text = value.get("packageName"), value.get("version")
                parsed = _strict(text)
                if isinstance(name, str):
                    packages.append((name, parsed))
                if parsed is not None and text == own_version:
                    strict = parsed
                # The first property that states a version states the bundle's own.
                elif own_version is None and isinstance(text, str):
                    own_version, strict = text, parsed
        elif kind == "olm.label":
            label = named(property_.value, LABEL_NAMES).get("label") if isinstance(property_.value, dict) else None
            if isinstance(label, str):
                labels.add(label)
        elif kind == "olm.deprecated":
            deprecated = True
    return Published(
        package=package,
        packages=tuple(packages),
        version=_tolerant(own_version) if strict is None else strict,
        gvks=tuple(gvks),
        labels=frozenset(labels),
        deprecated=deprecated,
        properties=properties,
    )


# Reading the JSON text of an API takes 1 µs, looking it up 0.05.
@lru_cache(_MOST_TEXTS)
def _gvk_in(text: bytes) -> GVK | None:
    """Return the API of the JSON *text*: the versions of a package repeat theirs, and share one value."""
    return _gvk(decoded(text))


def _gvk(value: Any) -> GVK | None:
    """Return the API of an ``olm.gvk`` value, None where the value is malformed; absent parts, and null, are empty."""
    if not isinstance(value, dict):
        return None
    get = named(value, GVK_NAMES).get
    # Go decodes null into a text field as an empty text.
    group, version, kind = ("" if part is None else part for part in (get("group"), get("version"), get("kind")))
    if isinstance(group, str) and isinstance(version, str) and isinstance(kind, str):
        return GVK(group, version, kind)
    return None


def published_version(properties: Iterable[Property]) -> Version | None:
    """Return the version that *properties* of a bundle publish, as :func:`published` reads it; None without one."""
    for property_ in properties:
        value = property_.value if property_.type == "olm.package" else None
        text = named(value, PACKAGE_NAMES).get("version") if isinstance(value, dict) else None
        # The first property that states a version states the bundle's own.
        if isinstance(text, str):
            return stated_version(text)
    return None


def stated_version(text: str) -> Version | None:
    """Return the version that a bundle states by *text*; None where it cannot be read, however tolerantly."""
    strict = _strict(text)
    return _tolerant(text) if strict is None else strict


def _strict(text: Any) -> Version | None:
    if isinstance(text, str) and (scheme := scheme_in_use()) is not None:
        return scheme.read(text)
    try:
        return Version.parse(text) if isinstance(text, str) else None
    except VersionError:
        return None


def _tolerant(text: str | None) -> Version | None:
    scheme = None if text is None else scheme_in_use()
    if text is not None and scheme is not None:
        return scheme.read(text)
    try:
        return Version.parse_tolerant(text) if text is not None else None
    except VersionError:
        return None
