"""Catalogs put together into one, without a contradiction swallowed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import attrs

from olmsolve.authoring.compose.refusals import refuse, refuse_new_faults
from olmsolve.authoring.compose.written import joined_deprecations, with_entries
from olmsolve.catalog import Blob, Bundle, Catalog, Channel, ChannelEntry, Deprecation, Origin, Package
from olmsolve.predicates import published

__all__ = ["merge"]


def merge(*catalogs: Catalog) -> Catalog:
    """One catalog with everything that *catalogs* hold, in their order.

    A package of several catalogs gets the channels, bundles and deprecations of all. What is there twice must be
    the same twice: two bundles of one name, two entries of one channel, two default channels or two messages of a
    deprecation that differ are refused, and so are two bundles of one version. Description, icon and further fields
    of a package or channel are those of the first catalog that has them. Blobs of other schemas are kept, once
    where they are equal.

    The result is valid (as :func:`olmsolve.validate` judges) where all *catalogs* are, because channels that do not
    make one chain together are refused too.

    Raises :class:`~olmsolve.errors.CatalogError` that names the object and both places.
    """
    merged: dict[str, Package] = {}
    parts: dict[str, list[Package]] = {}
    for catalog in catalogs:
        for package in catalog:
            known = merged.get(package.name)
            merged[package.name] = package if known is None else _packages(known, package)
            parts.setdefault(package.name, []).append(package)
    for name, several in parts.items():
        if len(several) > 1 and any(merged[name] != part for part in several):
            _refuse_equal_versions(merged[name])
            refuse_new_faults(merged[name], *several)
    return Catalog(merged, _others(catalogs), " + ".join(filter(None, (catalog.origin for catalog in catalogs))))


def _packages(one: Package, other: Package) -> Package:
    default = one.default_channel or other.default_channel
    if other.default_channel and other.default_channel != default:
        reason = f"the default channel is {other.default_channel!r}, but {default!r} {_at(one.origin)}"
        refuse(reason, package=one.name, origin=other.origin)
    channels = dict(one.channels)
    for name, channel in other.channels.items():
        channels[name] = _channels(channels[name], channel) if name in channels else channel
    bundles = dict(one.bundles)
    for name, bundle in other.bundles.items():
        if name in bundles and bundles[name] != bundle:
            what = ", ".join(_differing(bundles[name], bundle))
            reason = f"the bundle is not the same {_at(bundles[name].origin)} (its {what})"
            refuse(reason, package=one.name, bundle=name, origin=bundle.origin)
        bundles.setdefault(name, bundle)
    return attrs.evolve(
        one,
        default_channel=default,
        channels=channels,
        bundles=bundles,
        deprecations=_deprecations(one, other),
        description=one.description or other.description,
        extra=_joined(one.extra, other.extra),
        origin=one.origin or other.origin,
        deprecations_blob=joined_deprecations(one.deprecations_blob, other.deprecations_blob),
    )


def _channels(one: Channel, other: Channel) -> Channel:
    if one == other:
        return one
    entries: dict[str, ChannelEntry] = {entry.name: entry for entry in one.entries}
    for entry in other.entries:
        known = entries.setdefault(entry.name, entry)
        if known != entry:
            what = ", ".join(_differing(known, entry))
            reason = f"the entry is not the same {_at(one.origin)} (its {what})"
            refuse(reason, package=one.package, channel=one.name, bundle=entry.name, origin=other.origin)
    properties = (*one.properties, *(each for each in other.properties if each not in one.properties))
    made = with_entries(one, entries.values(), other)
    return attrs.evolve(made, properties=properties, extra=_joined(one.extra, other.extra))


def _deprecations(one: Package, other: Package) -> tuple[Deprecation, ...]:
    known = {(each.schema, each.name): each for each in one.deprecations}
    for each in other.deprecations:
        first = known.setdefault((each.schema, each.name), each)
        if first != each:
            what = f"{each.schema} {each.name}".rstrip()
            reason = f"the deprecation of {what} has another message {_at(one.origin)}"
            refuse(reason, package=one.name, origin=other.origin)
    return tuple(known.values())


def _refuse_equal_versions(package: Package) -> None:
    """Two names for one version: likely the same bundle, renamed."""
    seen: dict[tuple[str, str], Bundle] = {}
    for bundle in package.bundles.values():
        version = str(published(package.name, bundle.properties).version or bundle.name)
        first = seen.setdefault((version, _release(bundle)), bundle)
        if first is not bundle:
            reason = f"the bundle has the version {version}, as {first.name} has {_at(first.origin)}"
            refuse(reason, package=package.name, bundle=bundle.name, origin=bundle.origin)


def _release(bundle: Bundle) -> str:
    """What tells bundles of one version apart (bundles are named after it), "" where there is none."""
    values = [item.value for item in bundle.properties if item.type == "olm.package"]
    release = values[0].get("release") if values and isinstance(values[0], dict) else None
    return release if isinstance(release, str) else ""


def _others(catalogs: Iterable[Catalog]) -> tuple[Blob, ...]:
    kept: list[Blob] = []
    buckets: dict[tuple[str, str, str], list[Blob]] = {}
    for catalog in catalogs:
        mine: list[Blob] = []
        for blob in catalog.others:
            identity = blob.schema, str(blob.value.get("package", "")), str(blob.value.get("name", ""))
            # What one catalog holds twice it may hold twice: only what another brought before is left out.
            if blob not in buckets.get(identity, ()):
                mine.append(blob)
        for blob in mine:
            identity = blob.schema, str(blob.value.get("package", "")), str(blob.value.get("name", ""))
            buckets.setdefault(identity, []).append(blob)
        kept += mine
    return tuple(kept)


def _joined(one: Mapping[str, Any], other: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**other, **one} if other else one


def _differing(one: Any, other: Any) -> list[str]:
    """The names of the fields in which two frozen values differ."""
    fields = [field for field in attrs.fields(type(one)) if field.eq]
    return [field.name for field in fields if getattr(one, field.name) != getattr(other, field.name)]


def _at(origin: Origin | None) -> str:
    return f"at {origin}" if origin is not None else "in the catalog before"
