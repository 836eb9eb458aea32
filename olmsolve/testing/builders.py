"""Builders of small catalogs and requests: a package in one expression, a request in one line.

>>> catalog = catalog_of(
...     package("etcd").channel("stable", "0.9.0 < 0.9.2 < 0.9.4").requires("vault", ">=1.0.0", at="0.9.4"),
...     package("vault").channel("stable", "1.0.0"),
... )
>>> request = request_for(catalog, "etcd@stable")
>>> [subscription.package for subscription in request.subscriptions]
['etcd']
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

import attrs

from olmsolve.catalog import Catalog, Source, fbc
from olmsolve.classic import Installed, Request, Subscription
from olmsolve.errors import RequestError
from olmsolve.predicates import GVK, published

NAMESPACE: Final = "operators"
"""The target namespace of a built request."""
CATALOG_NAMESPACE: Final = "olm"
"""The namespace of its catalogs."""

_ENTRY: Final = re.compile(r"(\()?([^\s()]+)(\))?")
_WISH: Final = re.compile(r"(?P<package>[^@=]+)(@(?P<channel>[^=]+))?(=(?P<starting>.+))?")

Blob = dict[str, Any]


@attrs.frozen
class _Statement:
    """A property of the bundles of one package: of the version *at*, or of all where that is ""."""

    type: str
    value: Any
    at: str

    def property_blob(self) -> dict[str, Any]:
        return {"type": self.type, "value": self.value}


@attrs.frozen
class PackageBuilder:
    """A package under construction; each method returns a new builder. *at* names one version, "" means all.

    Bundles are named ``PACKAGE.vVERSION``. The first channel is the default one.
    """

    name: str
    _channels: tuple[Blob, ...] = attrs.field(default=(), repr=False)
    _versions: tuple[str, ...] = ()
    _statements: tuple[_Statement, ...] = attrs.field(default=(), repr=False)
    _discouraged: tuple[Blob, ...] = attrs.field(default=(), repr=False)

    def channel(self, name: str, chain: str, *, skip_range: str = "") -> PackageBuilder:
        """Add a channel whose *chain* lists versions upwards: each entry replaces the one before it.

        A version in parentheses is skipped by the next one: ``"1.0.0 < (1.0.1) < 1.0.2"``. *skip_range* belongs to the
        head.

        Raises:
            ValueError: *chain* is no chain.
        """
        entries: list[Blob] = []
        skipped: list[str] = []
        below = ""
        versions = []
        for text in chain.split("<"):
            match = _ENTRY.fullmatch(text.strip())
            if match is None or (match[1] is None) != (match[3] is None):
                raise ValueError(f"not a chain such as '1.0.0 < (1.0.1) < 1.0.2': {chain!r}")
            versions.append(match[2])
            entry: Blob = {"name": self.bundle(match[2])}
            if below:
                entry["replaces"] = below
            if match[1]:
                skipped.append(entry["name"])
            else:
                if skipped:
                    entry["skips"] = skipped
                below, skipped = entry["name"], []
            entries.append(entry)
        if skipped:
            raise ValueError(f"the last version of a chain cannot be skipped: {chain!r}")
        if skip_range:
            entries[-1]["skipRange"] = skip_range
        blob = {"schema": "olm.channel", "package": self.name, "name": name, "entries": entries}
        known = tuple(dict.fromkeys((*self._versions, *versions)))
        return attrs.evolve(self, channels=(*self._channels, blob), versions=known)

    def bundle(self, version: str) -> str:
        """Return the name of the bundle with this *version*."""
        return f"{self.name}.v{version}"

    def provides(self, api: str, *, at: str = "") -> PackageBuilder:
        """Let bundles provide *api*, written ``group/version/Kind``."""
        return self.having("olm.gvk", _gvk(api), at=at)

    def labelled(self, label: str, *, at: str = "") -> PackageBuilder:
        """Let bundles carry *label*."""
        return self.having("olm.label", {"label": label}, at=at)

    def requires(self, package: str, versions: str = ">=0.0.0", *, at: str = "") -> PackageBuilder:
        """Let bundles require another *package* in a range of *versions*."""
        return self.having("olm.package.required", {"packageName": package, "versionRange": versions}, at=at)

    def requires_api(self, api: str, *, at: str = "") -> PackageBuilder:
        """Let bundles require *api*, written ``group/version/Kind``."""
        return self.having("olm.gvk.required", _gvk(api), at=at)

    def constrained(self, constraint: Mapping[str, Any], *, at: str = "") -> PackageBuilder:
        """Let bundles state *constraint*, the value of an ``olm.constraint`` property."""
        return self.having("olm.constraint", dict(constraint), at=at)

    def having(self, type: str, value: Any, *, at: str = "") -> PackageBuilder:  # noqa: A002 - the name of the field
        """Let bundles have a property of any *type*."""
        return attrs.evolve(self, statements=(*self._statements, _Statement(type, value, at)))

    def deprecated(self, *, at: str = "", message: str = "deprecated") -> PackageBuilder:
        """Deprecate the package, or its bundle *at*, in ``olm.deprecations``, which warns and excludes nothing."""
        reference = {"schema": "olm.bundle", "name": self.bundle(at)} if at else {"schema": "olm.package"}
        entry = {"reference": reference, "message": message}
        return attrs.evolve(self, discouraged=(*self._discouraged, entry))

    def blobs(self) -> list[Blob]:
        """Return the blobs of the package.

        Raises:
            ValueError: there is no channel, or a method named a version that no channel has.
        """
        if not self._channels:
            raise ValueError(f"package {self.name} has no channel: add one, such as .channel('stable', '1.0.0')")
        unknown = {statement.at for statement in self._statements} - {"", *self._versions}
        if unknown:
            raise ValueError(f"package {self.name} has no version {min(unknown)}: it has {', '.join(self._versions)}")
        blobs: list[Blob] = [
            {"schema": "olm.package", "name": self.name, "defaultChannel": self._channels[0]["name"]},
            *self._channels,
        ]
        for version in self._versions:
            package_property = {"type": "olm.package", "value": {"packageName": self.name, "version": version}}
            stated = [
                listed_statement.property_blob()
                for listed_statement in self._statements
                if listed_statement.at in ("", version)
            ]
            blobs.append(
                {
                    "schema": "olm.bundle",
                    "package": self.name,
                    "name": self.bundle(version),
                    "image": f"registry.example.com/{self.name}:{version}",
                    "properties": [package_property, *stated],
                }
            )
        if self._discouraged:
            blobs.append({"schema": "olm.deprecations", "package": self.name, "entries": list(self._discouraged)})
        return blobs


def package(name: str) -> PackageBuilder:
    """Begin a package: ``package("etcd").channel("stable", "0.9.0 < 0.9.2 < 0.9.4")``."""
    return PackageBuilder(name)


def catalog_of(*packages: PackageBuilder) -> Catalog:
    """Return a catalog of *packages*.

    Raises:
        ValueError: a package has no channel, or a statement about a version that it does not have.
        CatalogError: two packages have the same name.

    >>> from olmsolve.testing import catalog_of, package
    >>> catalog_of(package("etcd").channel("stable", "0.9.0 < 0.9.2 < 0.9.4"))
    <Catalog a built catalog: 1 packages, 1 channels, 3 bundles>
    """
    return fbc.from_blobs(
        [blob for listed_package in packages for blob in listed_package.blobs()], origin="a built catalog"
    )


def request_for(catalog: Catalog, *wishes: str, installed: Iterable[str] | str = ()) -> Request:
    """Return a request for *wishes* over *catalog*, in a namespace where the bundles *installed* run.

    A wish is written as on the command line: ``PACKAGE``, ``PACKAGE@CHANNEL`` or ``PACKAGE@CHANNEL=FIRST_BUNDLE``. It
    becomes a subscription of the package's name, which owns an installed bundle of that package; other installed
    bundles belong to nobody and must stay.

    Raises:
        RequestError: a wish is written otherwise, or the catalog has no bundle of an installed name.

    >>> from olmsolve import resolve
    >>> from olmsolve.testing import catalog_of, package, request_for
    >>> catalog = catalog_of(package("etcd").channel("stable", "0.9.0 < 0.9.2"))
    >>> [install.name for install in resolve(request_for(catalog, "etcd")).installs]
    ['etcd.v0.9.2']
    """
    subscriptions = [_subscription(wish) for wish in wishes]
    owners = {subscription.package for subscription in subscriptions}
    names = [installed] if isinstance(installed, str) else installed
    return Request(
        namespaces=(NAMESPACE, CATALOG_NAMESPACE),
        sources=[Source("catalog", CATALOG_NAMESPACE, 0, catalog)],
        subscriptions=subscriptions,
        installed=[_installed(catalog, name, owners) for name in names],
    )


def _subscription(wish: str) -> Subscription:
    match = _WISH.fullmatch(wish)
    if match is None:
        raise RequestError(
            "not of the form PACKAGE[@CHANNEL][=BUNDLE]", field=repr(wish), hint="for example etcd@stable"
        )
    return Subscription(
        name=match["package"],
        namespace=NAMESPACE,
        package=match["package"],
        channel=match["channel"] or "",
        starting_csv=match["starting"] or "",
    )


def _installed(catalog: Catalog, name: str, owners: set[str]) -> Installed:
    for each in catalog:
        bundle = each.bundles.get(name)
        if bundle is not None:
            version = published(each.name, bundle.properties).version
            owner = each.name if each.name in owners else None
            return Installed(name, "" if version is None else str(version), bundle.properties, owner)
    raise RequestError("no package of the catalog has this bundle", field=f"installed {name}")


def _gvk(text: str) -> dict[str, str]:
    """Return the API that is written ``group/version/Kind``. Raises ValueError."""
    parts = text.split("/")
    if len(parts) != 3 or not all(parts):
        raise ValueError(f"an API is written group/version/Kind, not {text!r}")
    return GVK(*parts)._asdict()
