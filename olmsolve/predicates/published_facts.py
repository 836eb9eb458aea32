"""The facts that a bundle publishes through its properties, read once and typed.

Only what resolution asks for is interpreted: ``olm.package``, ``olm.gvk``, ``olm.label`` and
``olm.deprecated``. A malformed property publishes nothing here (finding it is validation's work); every
property, malformed or not, stays visible to CEL rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import attrs

from olmsolve._frozen import quickly_made
from olmsolve.errors import VersionError
from olmsolve.predicates.properties import Property
from olmsolve.semver import Version

__all__ = ["GVK", "Published", "published"]


class GVK(NamedTuple):
    """A Kubernetes API: group, version and kind."""

    group: str
    version: str
    kind: str

    def __str__(self) -> str:
        return f"{self.group}/{self.version}/{self.kind}"


def _read(held: tuple[Property, ...] | Callable[[], tuple[Property, ...]]) -> tuple[Property, ...]:
    return held if isinstance(held, tuple) else held()


@quickly_made
@attrs.frozen
class Published:
    """What one bundle publishes.

    *package* is the package of the catalog that holds it ("" for an installed operator); *packages* are its
    ``olm.package`` properties, the version None where it is not a strict version; *version* is the bundle's
    own version, read tolerantly; *gvks* are the provided APIs, each once, in the order of the properties.
    *properties* are all of them, or what fetches them whenever they are asked for.
    """

    package: str
    packages: tuple[tuple[str, Version | None], ...]
    version: Version | None
    gvks: tuple[GVK, ...]
    labels: frozenset[str]
    deprecated: bool
    _held: tuple[Property, ...] | Callable[[], tuple[Property, ...]] = attrs.field(
        alias="properties", repr=False, eq=_read
    )

    @property
    def properties(self) -> tuple[Property, ...]:
        """All properties of the bundle."""
        return _read(self._held)

    def cel_properties(self) -> list[dict[str, Any]]:
        """The properties as CEL rules see them: a list of ``{"type", "value"}``."""
        return [{"type": item.type, "value": item.value} for item in self.properties]


def published(package: str, properties: Iterable[Property], *, version: str | None = None) -> Published:
    """Read *properties* of a bundle of *package*.

    *version* is the bundle's own version where something else than its first ``olm.package`` property says it
    (an installed operator's object).
    """
    properties = tuple(properties)
    packages: list[tuple[str, Version | None]] = []
    gvks: dict[GVK, None] = {}
    labels: set[str] = set()
    deprecated = False
    own = version
    strict: Version | None = None  # the version that `own` is, where it was parsed already
    for item in properties:
        kind = item.type
        if kind == "olm.gvk":
            gvk = _gvk(item.value)
            if gvk is not None:
                gvks[gvk] = None
        elif kind == "olm.package":
            value = item.value
            if isinstance(value, dict):
                name, text = value.get("packageName"), value.get("version")
                parsed = _strict(text)
                if isinstance(name, str):
                    packages.append((name, parsed))
                if parsed is not None and text == own:
                    strict = parsed
                elif own is None and isinstance(text, str):
                    own, strict = text, parsed
        elif kind == "olm.label":
            value = item.value
            if isinstance(value, dict) and isinstance(value.get("label"), str):
                labels.add(value["label"])
        elif kind == "olm.deprecated":
            deprecated = True
    return Published(
        package=package,
        packages=tuple(packages),
        version=_tolerant(own) if strict is None else strict,
        gvks=tuple(gvks),
        labels=frozenset(labels),
        deprecated=deprecated,
        properties=properties,
    )


def _gvk(value: Any) -> GVK | None:
    if not isinstance(value, dict):
        return None
    get = value.get
    parts = get("group", ""), get("version", ""), get("kind", "")
    for part in parts:
        if not isinstance(part, str):
            return None
    return GVK._make(parts)


def _strict(text: Any) -> Version | None:
    try:
        return Version.parse(text) if isinstance(text, str) else None
    except VersionError:
        return None


def _tolerant(text: str | None) -> Version | None:
    try:
        return Version.parse_tolerant(text) if text is not None else None
    except VersionError:
        return None
