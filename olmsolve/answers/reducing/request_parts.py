"""The parts of a request that a reduction takes out, and requests without some of them.

A part is named by a path, from its catalog down. Each kind of part has one function, which asks for each path whether
it stays; :func:`paths_of` lists what it asks. Requests to classic OLM and to OLM v1 have catalogs alike.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Final, TypeAlias

import olmsolve._attrs as attrs
from olmsolve import v1
from olmsolve._limits import checked
from olmsolve.answers.reducing.outcomes import AnyRequest
from olmsolve.catalog import Bundle, Catalog, Channel, ChannelEntry, Package
from olmsolve.classic import Request
from olmsolve.predicates import REQUIREMENT_TYPES, Property

Path: TypeAlias = tuple[Any, ...]
Stays: TypeAlias = Callable[[Path], bool]
Only: TypeAlias = Callable[[AnyRequest, Stays], AnyRequest]
"""A function that returns a request with only the parts whose paths stay. Each part is asked about once."""

_RESOLUTION: Final = frozenset({"olm.package", "olm.gvk", "olm.label", "olm.deprecated", *REQUIREMENT_TYPES})
_NO_CATALOG: Final = Catalog({})


def catalogs_of(request: AnyRequest) -> list[Catalog]:
    """Return the content of each catalog of *request*, in their order; an empty one where it has none."""
    if isinstance(request, Request):
        return [source.catalog for source in request.sources]
    return [catalog.catalog or _NO_CATALOG for catalog in request.catalogs]


def with_catalogs(request: AnyRequest, catalogs: Collection[Catalog]) -> AnyRequest:
    """Return *request* with other contents of its catalogs, in their order."""
    if isinstance(request, Request):
        pairs = zip(request.sources, catalogs, strict=True)
        return attrs.evolve(request, sources=tuple(attrs.evolve(source, catalog=catalog) for source, catalog in pairs))
    pairs_of_catalogs = zip(request.catalogs, catalogs, strict=True)
    return attrs.evolve(
        request,
        catalogs=tuple(
            attrs.evolve(catalog, catalog=content if catalog.catalog is not None else None)
            for catalog, content in pairs_of_catalogs
        ),
    )


def with_packages(request: AnyRequest, change: Callable[[int, Package], Package | None]) -> AnyRequest:
    """Return *request* with the package that *change* makes of each, by the number of its catalog; None drops it."""
    catalogs = []
    for number, catalog in enumerate(catalogs_of(request)):
        changed = {name: change(number, package) for name, package in catalog.packages.items()}
        packages = {name: package for name, package in changed.items() if package is not None}
        is_same = all(packages.get(name) is package for name, package in catalog.packages.items())
        # A catalog that stays keeps the index that was made of it.
        catalogs.append(catalog if is_same else Catalog(packages, origin=catalog.origin, scheme=catalog.scheme))
    return with_catalogs(request, catalogs)


def bare(package: Package, *, all_properties: bool) -> Package:
    """Return *package* without what resolution never reads: descriptions, images, other fields, where it was written.

    Without *all_properties* only the properties of types that OLM reads stay.
    """
    bundles = {
        name: Bundle(
            bundle.package,
            bundle.name,
            tuple(property_ for property_ in bundle.properties if all_properties or property_.type in _RESOLUTION),
        )
        for name, bundle in package.bundles.items()
    }
    channels = {
        name: Channel(emptied.package, emptied.name, emptied.entries) for name, emptied in package.channels.items()
    }
    return Package(package.name, package.default_channel, channels, bundles, package.deprecations)


def paths_of(request: AnyRequest, only: Only) -> list[Path]:
    """Return the path of each part of *request* that *only* asks for, in its order."""
    paths: list[Path] = []

    def noted(path: Path) -> bool:
        paths.append(path)
        return True

    only(request, noted)
    return paths


def only_packages(request: AnyRequest, stays: Stays) -> AnyRequest:
    """Return *request* with the packages that stay, by the paths (catalog, package)."""
    return with_packages(request, lambda number, package: package if stays((number, package.name)) else None)


def only_channels(request: AnyRequest, stays: Stays) -> AnyRequest:
    """Return *request* with the channels that stay, by the paths (catalog, package, channel).

    Bundles stay that are in these channels, or in none.
    """

    def change(number: int, package: Package) -> Package:
        channels = {name: other for name, other in package.channels.items() if stays((number, package.name, name))}
        if len(channels) == len(package.channels):
            return package
        dropped = {entry.name for channel in package.channels.values() for entry in channel.entries}
        entries = {entry.name for channel in channels.values() for entry in channel.entries}
        bundles = {name: bundle for name, bundle in package.bundles.items() if name in entries or name not in dropped}
        default = package.default_channel
        if default in package.channels and default not in channels:
            default = next(iter(channels), "")
        return attrs.evolve(package, default_channel=default, channels=channels, bundles=bundles)

    return with_packages(request, change)


def only_bundles(request: AnyRequest, stays: Stays) -> AnyRequest:
    """Return *request* with the bundles that stay, by the paths (catalog, package, bundle).

    An entry that replaced a removed entry now replaces what the removed one replaced.
    """

    def change(number: int, package: Package) -> Package:
        bundles = {name: bundle for name, bundle in package.bundles.items() if stays((number, package.name, name))}
        if len(bundles) == len(package.bundles):
            return package
        dropped = package.bundles.keys() - bundles.keys()
        channels = {name: without_entries(smaller, dropped) for name, smaller in package.channels.items()}
        return attrs.evolve(package, channels=channels, bundles=bundles)

    return with_packages(request, change)


def without_entries(channel: Channel, dropped: Collection[str]) -> Channel:
    """Return *channel* without the entries *dropped*; what replaces such an entry replaces what that one replaces."""
    below = {entry.name: entry.replaces for entry in channel.entries}
    entries: list[ChannelEntry] = []
    for entry in checked(channel.entries, every=64):
        if entry.name in dropped:
            continue
        replaces, seen = entry.replaces, {entry.name}
        while replaces in below and replaces in dropped and replaces not in seen:
            seen.add(replaces)
            replaces = below[replaces]
        entries.append(attrs.evolve(entry, replaces=replaces))
    return attrs.evolve(channel, entries=tuple(entries))


def only_properties(request: AnyRequest, stays: Stays) -> AnyRequest:
    """Return *request* with the properties that stay, by the paths (catalog, package, bundle, position)."""

    def bundle(number: int, whole: Bundle) -> Bundle:
        fewer = tuple(
            value
            for position, value in enumerate(whole.properties)
            if stays((number, whole.package, whole.name, position))
        )
        return whole if len(fewer) == len(whole.properties) else attrs.evolve(whole, properties=fewer)

    return with_bundles(request, bundle)


def with_bundles(request: AnyRequest, change: Callable[[int, Bundle], Bundle]) -> AnyRequest:
    """Return *request* with the bundle that *change* makes of each, by the number of its catalog."""

    def package(number: int, whole: Package) -> Package:
        bundles = {name: change(number, bundle) for name, bundle in whole.bundles.items()}
        # The package itself, if nothing changed: its index and whatever else is remembered of it stay good.
        if all(bundles[name] is bundle for name, bundle in whole.bundles.items()):
            return whole
        return attrs.evolve(whole, bundles=bundles)

    return with_packages(request, package)


def only_edges(request: AnyRequest, stays: Stays) -> AnyRequest:
    """Return *request* with the ``replaces``, ``skips`` and ``skipRange`` that stay.

    The paths are (catalog, package, channel, entry, field, position).
    """

    def entry(path: Path, whole: ChannelEntry) -> ChannelEntry:
        return ChannelEntry(
            whole.name,
            whole.replaces if whole.replaces and stays((*path, whole.name, "replaces", 0)) else "",
            tuple(name for position, name in enumerate(whole.skips) if stays((*path, whole.name, "skips", position))),
            whole.skip_range if whole.skip_range and stays((*path, whole.name, "skipRange", 0)) else "",
        )

    def change(number: int, package: Package) -> Package:
        channels = {
            name: attrs.evolve(
                channel, entries=tuple(entry((number, package.name, name), listed) for listed in channel.entries)
            )
            for name, channel in package.channels.items()
        }
        return package if channels == package.channels else attrs.evolve(package, channels=channels)

    return with_packages(request, change)


def only_deprecations(request: AnyRequest, stays: Stays) -> AnyRequest:
    """Return *request* with the ``olm.deprecations`` that stay, by the paths (catalog, package, position)."""

    def change(number: int, package: Package) -> Package:
        fewer = tuple(
            deprecation
            for position, deprecation in enumerate(package.deprecations)
            if stays((number, package.name, position))
        )
        return package if len(fewer) == len(package.deprecations) else attrs.evolve(package, deprecations=fewer)

    return with_packages(request, change)


def simpler_values(value: Any) -> Iterator[Any]:
    """Yield values of a requirement that are smaller than *value* by one step, the greatest step first.

    A compound becomes one of its parts or loses one; an explanation for people goes; a range loses an alternative or a
    term.
    """
    if isinstance(value, Mapping):
        for kind in ("all", "any", "not"):
            parts = value[kind].get("constraints") if isinstance(value.get(kind), Mapping) else None
            if isinstance(parts, list):
                if kind != "not":
                    yield from parts
                if len(parts) > 1:
                    for position in range(len(parts)):
                        yield {**value, kind: {"constraints": parts[:position] + parts[position + 1 :]}}
        if "failureMessage" in value:
            yield {key: content for key, content in value.items() if key != "failureMessage"}
        for key, content in value.items():
            if key == "versionRange" and isinstance(content, str):
                yield from ({**value, key: text} for text in _simpler_ranges(content))
            else:
                yield from ({**value, key: simpler} for simpler in simpler_values(content))
    elif isinstance(value, list):
        for position, content in enumerate(value):
            yield from ([*value[:position], simpler, *value[position + 1 :]] for simpler in simpler_values(content))


def _simpler_ranges(text: str) -> Iterator[str]:
    """Yield the range *text* without one of its alternatives (``||``); of a single one, without one of its terms."""
    alternatives = re.split(r" *\|\| *", text)
    if len(alternatives) > 1:
        for position in range(len(alternatives)):
            yield " || ".join(alternatives[:position] + alternatives[position + 1 :])
        return
    terms = text.split()
    if len(terms) > 1:
        for position in range(len(terms)):
            yield " ".join(terms[:position] + terms[position + 1 :])


def requirement_values(request: AnyRequest) -> list[Path]:
    """Return the paths of the properties that state requirements."""
    return [
        (number, package.name, bundle.name, position)
        for number, catalog in enumerate(catalogs_of(request))
        for package in catalog
        for bundle in package.bundles.values()
        for position, property_ in enumerate(bundle.properties)
        if property_.type in REQUIREMENT_TYPES
    ]


def value_at(request: AnyRequest, path: Path) -> Property:
    """Return the property at *path*."""
    number, package, bundle, position = path
    return catalogs_of(request)[number].packages[package].bundles[bundle].properties[position]


def with_value(request: AnyRequest, path: Path, value: Any) -> AnyRequest:
    """Return *request* with another *value* of the property at *path*."""
    number, package, name, position = path

    def change(catalog: int, bundle: Bundle) -> Bundle:
        if (catalog, bundle.package, bundle.name) != (number, package, name):
            return bundle
        values = list(bundle.properties)
        values[position] = Property(values[position].type, value)
        return attrs.evolve(bundle, properties=tuple(values))

    return with_bundles(request, change)


def simpler_wishes(request: AnyRequest) -> Iterator[AnyRequest]:
    """Yield *request* with one field of a wish, an operator or a catalog left out."""
    if isinstance(request, v1.ExtensionRequest):
        extension = request.extension
        simpler = [attrs.evolve(extension, selector=None), attrs.evolve(extension, version="")]
        simpler += [
            attrs.evolve(extension, channels=tuple(channel for channel in extension.channels if channel != name))
            for name in extension.channels
        ]
        yield from (attrs.evolve(request, extension=smaller) for smaller in simpler if smaller != extension)
        return
    for position, subscription in enumerate(request.subscriptions):
        for fields in (
            {"starting_csv": ""},
            {"source": "", "source_namespace": ""},
            {"channel": ""},
        ):
            changed = attrs.evolve(subscription, **fields)
            if changed != subscription:
                others = list(request.subscriptions)
                others[position] = changed
                yield attrs.evolve(request, subscriptions=tuple(others))
    for position, operator in enumerate(request.installed):
        for index in range(len(operator.properties)):
            fewer = operator.properties[:index] + operator.properties[index + 1 :]
            operators = list(request.installed)
            operators[position] = attrs.evolve(operator, properties=fewer)
            yield attrs.evolve(request, installed=tuple(operators))
    for position, source in enumerate(request.sources):
        if source.priority:
            sources = list(request.sources)
            sources[position] = attrs.evolve(source, priority=0)
            yield attrs.evolve(request, sources=tuple(sources))
