"""Builders of catalogs in memory and of requests over them: a package in one expression, a request in one line.

>>> catalog = catalog_of(
...     package("etcd").channel("stable", "0.9.0 < 0.9.2 < 0.9.4").requires("vault", ">=1.0.0", at="0.9.4"),
...     package("vault").channel("stable", "1.0.0"),
... )
>>> request = request_for(catalog, "etcd@stable")
>>> [subscription.package for subscription in request.subscriptions]
['etcd']
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve._arguments import every, is_name, is_text, must_be, wrong_type
from olmsolve._patterns import pattern
from olmsolve.catalog import Bundle, Catalog, Package, Source, fbc
from olmsolve.classic import Installed, Request, Subscription
from olmsolve.eligibility import AcceptedBy, CandidateTest
from olmsolve.errors import RequestError
from olmsolve.predicates import GVK, Predicate, Property, published
from olmsolve.semver import VersionScheme, reading_by

NAMESPACE: Final = "operators"
"""The target namespace of a built request."""
CATALOG_NAMESPACE: Final = "olm"
"""The namespace of its catalogs."""

# A version; in brackets, one that the next version skips.
_ENTRY: Final = pattern(r"(\()?([^\s()]+)(\))?")
_WISH: Final = pattern(r"(?P<package>[^@=]+)(@(?P<channel>[^=]+))?(=(?P<starting>.+))?")

_REQUIRED: Final = "olm.package.required"
_ALL_VERSIONS: Final = ">=0.0.0"
"""The range of a requirement that names none; all versions of a scheme are ``*``."""

Blob = dict[str, Any]


@attrs.frozen
class _Statement:
    """A property of the bundles of one package: of the version *at*, or of all where that is ""."""

    type: str = attrs.field(validator=is_name)
    value: Any
    at: str = attrs.field(validator=is_text)

    @property
    def is_written(self) -> bool:
        """Whether JSON can hold the value."""
        return not isinstance(self.value, Predicate)

    def property_blob(self) -> dict[str, Any]:
        if not self.is_written:
            raise RequestError(f"{self.type}: {self.value} is a predicate of a program, which cannot be written down")
        return {"type": self.type, "value": self.value}


@attrs.frozen
class PackageBuilder:
    """A package under construction; each method returns a new builder. *at* names one version, "" means all.

    Bundles are named ``PACKAGE.vVERSION``. The first channel is the default one.
    """

    name: str = attrs.field(validator=is_name)
    _channels: tuple[Blob, ...] = attrs.field(default=(), repr=False)
    _versions: tuple[str, ...] = ()
    _statements: tuple[_Statement, ...] = attrs.field(default=(), repr=False)
    _discouraged: tuple[Blob, ...] = attrs.field(default=(), repr=False)

    def channel(self, name: str, chain: str, *, skip_range: str = "") -> PackageBuilder:
        """Add a channel whose *chain* lists versions upwards: each entry replaces the one before it.

        A version in parentheses is skipped by the next one: ``"1.0.0 < (1.0.1) < 1.0.2"``. *skip_range* belongs to the
        head.

        Raises:
            RequestError: *chain* is no chain, or *name* is empty.
        """
        must_be(name, "str", "name")
        must_be(skip_range, "str", "skip_range")
        if not name:
            raise RequestError("must not be empty", field="name", hint="the name of the channel")
        if not isinstance(chain, str):
            raise wrong_type(chain, "text", "chain", "versions upwards, such as '1.0.0 < 1.1.0'")
        entries: list[Blob] = []
        skipped: list[str] = []
        below = ""
        versions = []
        for text in chain.split("<"):
            match = _ENTRY.fullmatch(text.strip())
            if match is None or (match[1] is None) != (match[3] is None):
                raise RequestError(f"is not a chain such as '1.0.0 < (1.0.1) < 1.0.2': {chain!r:.80}", field="chain")
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
            raise RequestError(f"the last version of a chain cannot be skipped: {chain!r:.80}", field="chain")
        if skip_range:
            entries[-1]["skipRange"] = skip_range
        blob = {"schema": "olm.channel", "package": self.name, "name": name, "entries": entries}
        # Channels share versions, and each becomes one bundle, in the order in which it is first named.
        all_versions = tuple(dict.fromkeys((*self._versions, *versions)))
        return attrs.evolve(self, channels=(*self._channels, blob), versions=all_versions)

    def check_versions(self, scheme: VersionScheme) -> None:
        """Raise RequestError for a text that is not a version of *scheme*."""
        for version in self._versions:
            if scheme.read(version) is None:
                raise RequestError(f"{version!r} is not a {scheme.name} version", field=f"package {self.name}")

    def bundle(self, version: str) -> str:
        """Return the name of the bundle with this *version*."""
        return f"{self.name}.v{version}"

    def provides(self, api: str, *, at: str = "") -> PackageBuilder:
        """Let bundles provide *api*, written ``group/version/Kind``."""
        return self.having("olm.gvk", _gvk(api), at=at)

    def labelled(self, label: str, *, at: str = "") -> PackageBuilder:
        """Let bundles carry *label*."""
        must_be(label, "str", "label")
        return self.having("olm.label", {"label": label}, at=at)

    def requires(self, what: str | Predicate | CandidateTest, versions: str = "", *, at: str = "") -> PackageBuilder:
        """Let bundles require another package, called *what*, in a range of *versions*; "" stands for all versions.

        Other than the name of a package, *what* is a predicate, or a function that says whether a candidate (a
        :class:`~olmsolve.eligibility.CandidateFacts` with a package, version and properties) is good enough.

        >>> def is_free(candidate):
        ...     "an app with a free licence"
        ...     return candidate.value("licence") in ("MIT", "GPL-3.0")
        >>> package("editor").channel("stable", "1.0.0").requires("speech", ">=1.2.0").requires(is_free)
        PackageBuilder(name='editor', _versions=('1.0.0',))
        """
        must_be(versions, "str", "versions")
        if isinstance(what, str):
            return self.having(_REQUIRED, {"packageName": what, "versionRange": versions}, at=at)
        if versions:
            raise RequestError("go only with the name of a package", field="versions")
        if not isinstance(what, Predicate) and not callable(what):
            raise wrong_type(what, "the name of a package, a predicate or a function of a candidate", "requires")
        return self.having("olm.constraint", what if isinstance(what, Predicate) else AcceptedBy(what), at=at)

    def requires_api(self, api: str, *, at: str = "") -> PackageBuilder:
        """Let bundles require *api*, written ``group/version/Kind``."""
        return self.having("olm.gvk.required", _gvk(api), at=at)

    def constrained(self, constraint: Mapping[str, Any], *, at: str = "") -> PackageBuilder:
        """Let bundles state *constraint*, the value of an ``olm.constraint`` property."""
        if not isinstance(constraint, Mapping):
            raise wrong_type(constraint, "a mapping of fields by their names", "constraint")
        return self.having("olm.constraint", dict(constraint), at=at)

    def having(self, type: str, value: Any, *, at: str = "") -> PackageBuilder:  # noqa: A002 - the name of the field
        """Let bundles have a property of any *type*."""
        return attrs.evolve(self, statements=(*self._statements, _Statement(type, value, at)))

    def deprecated(self, *, at: str = "", message: str = "deprecated") -> PackageBuilder:
        """Deprecate the package, or its bundle *at*, in ``olm.deprecations``, which warns and excludes nothing."""
        must_be(at, "str", "at")
        must_be(message, "str", "message")
        reference = {"schema": "olm.bundle", "name": self.bundle(at)} if at else {"schema": "olm.package"}
        entry = {"reference": reference, "message": message}
        return attrs.evolve(self, discouraged=(*self._discouraged, entry))

    def blobs(self) -> list[Blob]:
        """Return the blobs of the package.

        Raises:
            RequestError: there is no channel, a method named a version that no channel has, or bundles require a
                predicate, which JSON cannot hold.
        """
        for statement in self._statements:
            statement.property_blob()
        return self.ranged(_ALL_VERSIONS).written_blobs()

    def ranged(self, default: str) -> PackageBuilder:
        """Return the package with the range *default* where a requirement names none."""

        def filled(statement: _Statement) -> _Statement:
            if statement.type != _REQUIRED or statement.value.get("versionRange") != "":
                return statement
            return attrs.evolve(statement, value={**statement.value, "versionRange": default})

        return attrs.evolve(self, statements=tuple(map(filled, self._statements)))

    def _properties(self, version: str) -> list[Property]:
        """Return the properties of the bundle with this *version*, predicates included."""
        stated = [Property(other.type, other.value) for other in self._statements if other.at in ("", version)]
        return [Property("olm.package", {"packageName": self.name, "version": version}), *stated]

    def with_predicates(self, package: Package) -> Package:
        """Return *package*, which is made of the blobs without predicates, with the predicates that bundles require."""
        if all(statement.is_written for statement in self._statements):
            return package
        bundles = {self.bundle(version): self._properties(version) for version in self._versions}
        made: dict[str, Bundle] = {
            name: attrs.evolve(package.bundles[name], properties=properties) for name, properties in bundles.items()
        }
        return attrs.evolve(package, bundles=made)

    def written_blobs(self) -> list[Blob]:
        """Return :meth:`blobs` without predicates."""
        statements = [statement for statement in self._statements if statement.is_written]
        if not self._channels:
            hint = "add one, such as .channel('stable', '1.0.0')"
            raise RequestError("has no channel", field=f"package {self.name}", hint=hint)
        unknown = {statement.at for statement in self._statements} - {"", *self._versions}
        if unknown:
            has = f"it has {', '.join(self._versions)}"
            raise RequestError(f"has no version {min(unknown)}: {has}", field=f"package {self.name}")
        blobs: list[Blob] = [
            {"schema": "olm.package", "name": self.name, "defaultChannel": self._channels[0]["name"]},
            *self._channels,
        ]
        for version in self._versions:
            package_property = {"type": "olm.package", "value": {"packageName": self.name, "version": version}}
            stated = [statement.property_blob() for statement in statements if statement.at in ("", version)]
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


def catalog_of(*packages: PackageBuilder, scheme: VersionScheme | str | None = None) -> Catalog:
    """Return a catalog of *packages*, with the versions and ranges of a *scheme*; None for semantic versions.

    The schemes ``"pep440"`` (versions of Python packages, which needs the package ``packaging``) and ``"calendar"``
    (24.04.1) are known by name; :class:`olmsolve.VersionScheme` shows how to make your own.

    Raises:
        RequestError: a package has no channel, a statement about a version that it does not have, or a text that is not
            a version of *scheme*.
        CatalogError: two packages have the same name, or there is no scheme of this name.

    >>> from olmsolve import catalog_of, package
    >>> catalog_of(package("etcd").channel("stable", "0.9.0 < 0.9.2 < 0.9.4"))
    <Catalog a built catalog: 1 package, 1 channel, 3 bundles>
    """
    for builder in packages:
        if not isinstance(builder, PackageBuilder):
            raise wrong_type(builder, "a package under construction", "packages", 'olmsolve.package("name") begins one')
    packages = tuple(builder.ranged(_ALL_VERSIONS if scheme is None else "*") for builder in packages)
    made = fbc.from_blobs([blob for builder in packages for blob in builder.written_blobs()], origin="a built catalog")
    whole = {builder.name: builder.with_predicates(made.packages[builder.name]) for builder in packages}
    catalog = Catalog(whole, made.others, made.origin, scheme=scheme)
    if catalog.scheme is not None:
        for builder in packages:
            builder.check_versions(catalog.scheme)
    return catalog


def request_for(catalog: Catalog, *wishes: str, installed: Iterable[str] | str = ()) -> Request:
    """Return a request for *wishes* over *catalog*, in a namespace where the bundles *installed* run.

    A wish is written as on the command line: ``PACKAGE``, ``PACKAGE@CHANNEL`` or ``PACKAGE@CHANNEL=FIRST_BUNDLE``. It
    becomes a subscription of the package's name, which owns an installed bundle of that package; other installed
    bundles belong to nobody and must stay.

    Raises:
        RequestError: a wish has another form, or the catalog has no bundle of an installed name.

    >>> from olmsolve import catalog_of, package, request_for, resolve
    >>> catalog = catalog_of(package("etcd").channel("stable", "0.9.0 < 0.9.2"))
    >>> [install.name for install in resolve(request_for(catalog, "etcd")).installs]
    ['etcd.v0.9.2']
    """
    must_be(catalog, "Catalog", "catalog")
    subscriptions = [_subscription(wish) for wish in every(wishes, str, "wishes")]
    owners = {subscription.package for subscription in subscriptions}
    names = [installed] if isinstance(installed, str) else every(installed, str, "installed")
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
    for package in catalog:
        bundle = package.bundles.get(name)
        if bundle is not None:
            with reading_by(catalog.scheme):
                version = published(package.name, bundle.properties).version
            owner = package.name if package.name in owners else None
            return Installed(name, "" if version is None else str(version), bundle.properties, owner)
    raise RequestError("no package of the catalog has this bundle", field=f"installed {name}")


def _gvk(text: str) -> dict[str, str]:
    """Return the API that is written ``group/version/Kind``. Raises RequestError."""
    must_be(text, "str", "api")
    parts = text.split("/")
    if len(parts) != 3 or not all(parts):
        raise RequestError(f"is written group/version/Kind, not {text!r:.80}", field="api")
    return GVK(*parts)._asdict()
