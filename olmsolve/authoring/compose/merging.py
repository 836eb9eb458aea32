"""Merging catalogs into one: every contradiction between them is an error."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import olmsolve._attrs as attrs
from olmsolve._arguments import must_be
from olmsolve._limits import checked
from olmsolve._records import evolve
from olmsolve.authoring.compose.entries import joined_deprecations, with_entries
from olmsolve.authoring.compose.refusals import refuse_new_faults
from olmsolve.catalog import Blob, Bundle, Catalog, Channel, ChannelEntry, Deprecation, Origin, Package
from olmsolve.catalog.update_graph import bundle_version
from olmsolve.errors import CatalogError, raise_all
from olmsolve.semver import VersionScheme


def merge_catalogs(*catalogs: Catalog) -> Catalog:
    """Return one catalog with everything in *catalogs*, in their order.

    A package of several catalogs gets the channels, bundles and deprecations of all. Duplicates must be equal: bundles
    of one name, entries of one name in a channel, default channels of a package, messages of a deprecation. Two bundles
    of one version are refused, whatever their names. Description, icon and further fields of a package or channel come
    from the first catalog that has them. Blobs of other schemas are kept; equal blobs of several catalogs, once.

    The result is valid (as :func:`olmsolve.validate` judges) if all *catalogs* are: channels whose entries do not make
    one chain together are refused too.

    Raises:
        CatalogError: two catalogs contradict each other, or have versions of two kinds; the error names the object and
            both locations. Several contradictions are one :class:`~olmsolve.errors.CatalogErrors`.

    >>> import olmsolve
    >>> orchard = olmsolve.load("olmsolve/examples/catalogs/orchard")
    >>> commons = olmsolve.load("olmsolve/examples/catalogs/commons")
    >>> [*olmsolve.merge_catalogs(orchard, commons).packages]
    ['parcels', 'storefront', 'courier', 'ember', 'keyring', 'ledgerdb']
    """
    for position, catalog in enumerate(catalogs):
        must_be(catalog, "Catalog", f"catalogs[{position}]")
    schemes = {catalog.scheme for catalog in catalogs}
    if len(schemes) > 1:
        kinds = " and ".join(sorted("semantic" if scheme is None else scheme.name for scheme in schemes))
        raise CatalogError(f"catalogs with {kinds} versions cannot be one catalog")
    scheme = next(iter(schemes), None)
    merging = _Merging(scheme)
    merged: dict[str, Package] = {}
    parts: dict[str, list[Package]] = {}
    for catalog in catalogs:
        for package in checked(catalog):
            earlier = merged.get(package.name)
            merged[package.name] = package if earlier is None else merging.package(earlier, package)
            parts.setdefault(package.name, []).append(package)
    # Only a package that the merge changed can have new faults.
    for name, several in checked(parts.items()):
        if len(several) > 1 and any(merged[name] != part for part in several):
            merging.judge(merged[name], several)
    raise_all(merging.conflicts)
    origin = " + ".join(filter(None, (catalog.origin for catalog in catalogs)))
    return Catalog(merged, _merged_others(catalogs), origin, scheme=scheme)


class _Merging:
    """Packages made of several, and the *conflicts* on the way: of two contradicting parts the first is taken."""

    def __init__(self, scheme: VersionScheme | None = None) -> None:
        self.conflicts: list[CatalogError] = []
        self._scheme = scheme
        self._packages: set[str] = set()

    def judge(self, merged: Package, parts: Sequence[Package]) -> None:
        """Find versions that occur twice in *merged*, and other faults that none of its *parts* has.

        A package whose parts contradict each other is passed over: its faults would only follow from that.
        """
        if merged.name in self._packages:
            return
        self._equal_versions(merged)
        if merged.name not in self._packages:
            try:
                refuse_new_faults(merged, *parts)
            except CatalogError as error:
                self.conflicts.append(error)

    def _conflict(
        self, reason: str, package: str, origin: Origin | None, *, channel: str = "", bundle: str = ""
    ) -> None:
        self._packages.add(package)
        where = str(origin) if origin is not None else ""
        self.conflicts.append(CatalogError(reason, origin=where, package=package, channel=channel, bundle=bundle))

    def package(self, one: Package, other: Package) -> Package:
        default = one.default_channel or other.default_channel
        if other.default_channel and other.default_channel != default:
            reason = f"the default channel is {other.default_channel!r}, but {default!r} {_at_origin(one.origin)}"
            self._conflict(reason, one.name, other.origin)
        channels = dict(one.channels)
        for name, channel in checked(other.channels.items()):
            channels[name] = self._channel(channels[name], channel) if name in channels else channel
        bundles = dict(one.bundles)
        for name, bundle in checked(other.bundles.items(), every=64):
            if name in bundles and bundles[name] != bundle:
                what = ", ".join(_differing_fields(bundles[name], bundle))
                reason = f"the bundle is not the same {_at_origin(bundles[name].origin)} (its {what})"
                self._conflict(reason, one.name, bundle.origin, bundle=name)
            bundles.setdefault(name, bundle)
        return evolve(
            one,
            default_channel=default,
            channels=channels,
            bundles=bundles,
            deprecations=self._deprecations(one, other),
            description=one.description or other.description,
            extra=_first_of_each(one.extra, other.extra),
            origin=one.origin or other.origin,
            _deprecations_blob=joined_deprecations(one.deprecations_blob, other.deprecations_blob),
        )

    def _channel(self, one: Channel, other: Channel) -> Channel:
        if one == other:
            return one
        entries: dict[str, ChannelEntry] = {entry.name: entry for entry in one.entries}
        for entry in other.entries:
            earlier = entries.setdefault(entry.name, entry)
            if earlier != entry:
                what = ", ".join(_differing_fields(earlier, entry))
                reason = f"the entry is not the same {_at_origin(one.origin)} (its {what})"
                self._conflict(reason, one.package, other.origin, channel=one.name, bundle=entry.name)
        properties = (
            *one.properties,
            *(property_ for property_ in other.properties if property_ not in one.properties),
        )
        made = with_entries(one, entries.values(), other)
        return attrs.evolve(made, properties=properties, extra=_first_of_each(one.extra, other.extra))

    def _deprecations(self, one: Package, other: Package) -> tuple[Deprecation, ...]:
        merged = {(deprecation.schema, deprecation.name): deprecation for deprecation in one.deprecations}
        for deprecation in other.deprecations:
            first = merged.setdefault((deprecation.schema, deprecation.name), deprecation)
            if first != deprecation:
                what = f"{deprecation.schema} {deprecation.name}".rstrip()
                reason = f"the deprecation of {what} has another message {_at_origin(one.origin)}"
                self._conflict(reason, one.name, other.origin)
        return tuple(merged.values())

    def _equal_versions(self, package: Package) -> None:
        """Refuse two bundles of one version: likely one bundle under two names."""
        seen: dict[tuple[str, str], Bundle] = {}
        for bundle in checked(package.bundles.values(), every=64):
            version = str(bundle_version(package, bundle.name, self._scheme) or bundle.name)
            first = seen.setdefault((version, _release(bundle)), bundle)
            if first is not bundle:
                reason = f"the bundle has the version {version}, which {first.name} also has {_at_origin(first.origin)}"
                self._conflict(reason, package.name, bundle.origin, bundle=bundle.name)


def _release(bundle: Bundle) -> str:
    """Return the release of *bundle*, which distinguishes bundles of one version; "" if it has none."""
    values = [property_.value for property_ in bundle.properties if property_.type == "olm.package"]
    release = values[0].get("release") if values and isinstance(values[0], dict) else None
    return release if isinstance(release, str) else ""


def _merged_others(catalogs: Iterable[Catalog]) -> tuple[Blob, ...]:
    kept: list[Blob] = []
    buckets: dict[tuple[str, str, str], list[Blob]] = {}
    for catalog in catalogs:
        # A catalog may hold a blob twice, and then keeps it twice: only blobs of earlier catalogs are left out.
        mine = [blob for blob in catalog.others if blob not in buckets.get(_identity(blob), ())]
        for blob in mine:
            buckets.setdefault(_identity(blob), []).append(blob)
        kept += mine
    return tuple(kept)


def _identity(blob: Blob) -> tuple[str, str, str]:
    return blob.schema, str(blob.value.get("package", "")), str(blob.value.get("name", ""))


def _first_of_each(one: Mapping[str, Any], other: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**other, **one} if other else one


def _differing_fields(one: Any, other: Any) -> list[str]:
    """Return the names of the fields in which two values of one frozen class differ."""
    fields = [field for field in attrs.fields(type(one)) if field.eq]
    return [field.name for field in fields if getattr(one, field.name) != getattr(other, field.name)]


def _at_origin(origin: Origin | None) -> str:
    return f"at {origin}" if origin is not None else "in the catalog before"
