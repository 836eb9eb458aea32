"""Requests and catalogs as a few lines that a person reads at a glance, for the failures of tests.

::

    package a, default channel stable
      stable: a.v1.0.0 < a.v1.1.0
      a.v1.1.0 requires package b in >=1.0.0
    wishes: a from stable
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator

from olmsolve import v1
from olmsolve.catalog import Bundle, Catalog, Channel, Package
from olmsolve.classic import Request, Subscription
from olmsolve.errors import ConstraintError
from olmsolve.predicates import REQUIREMENT_TYPES, Property, published, required
from olmsolve.semver import VersionScheme, reading_by


def outline(value: Catalog | Request | v1.ExtensionRequest) -> str:
    """Return *value* as lines: each package with its channels and what its bundles say, then what is wished for."""
    match value:
        case Catalog():
            lines = list(_catalog(value))
        case Request():
            lines = list(_request(value))
        case v1.ExtensionRequest():
            lines = list(_extension_request(value))
    return "\n".join(lines)


def _request(request: Request) -> Iterator[str]:
    if request.name:
        yield request.name
    for source in request.sources:
        yield f"catalog {source.key}, priority {source.priority}"
        yield from (f"  {line}" for line in _catalog(source.catalog))
    for unreadable in request.unreadable:
        yield f"catalog {unreadable.key} cannot be read: {unreadable.error}"
    yield f"namespaces: {', '.join(request.namespaces)}"
    owners = request.owners()
    for operator in request.installed:
        owner = owners.get(operator.name)
        yield f"installed: {operator.name}, {'owned by ' + owner.name if owner else 'must stay'}"
        yield from (f"  {operator.name} {text}" for text in _statements(operator.properties))
    yield from (f"wish {subscription.name}: {_wish(subscription)}" for subscription in request.subscriptions)


def _wish(subscription: Subscription) -> str:
    parts = [f"package {subscription.package}"]
    if subscription.channel:
        parts.append(f"from channel {subscription.channel}")
    if subscription.source:
        parts.append(f"of catalog {subscription.catalog}")
    if subscription.starting_csv:
        parts.append(f"beginning with {subscription.starting_csv}")
    return " ".join(parts)


def _extension_request(request: v1.ExtensionRequest) -> Iterator[str]:
    for catalog in request.catalogs:
        state = "" if catalog.available else ", unavailable"
        yield f"catalog {catalog.name}, priority {catalog.priority}{state}"
        yield from (f"  {line}" for line in _catalog(catalog.catalog or Catalog({})))
    if request.installed is not None:
        yield f"installed: {request.installed.name} in version {request.installed.version}"
    extension = request.extension
    parts = [f"package {extension.package}"]
    if extension.version:
        parts.append(f"in {extension.version}")
    if extension.channels:
        parts.append(f"from {', '.join(extension.channels)}")
    if not extension.enforces_edges:
        parts.append("by any update")
    yield f"wish: {' '.join(parts)}"


def _catalog(catalog: Catalog) -> Iterator[str]:
    if catalog.scheme is not None:
        yield f"{catalog.scheme.name} versions"
    for package in catalog:
        yield from _package(package, catalog.scheme)


def _package(package: Package, scheme: VersionScheme | None) -> Iterator[str]:
    yield f"package {package.name}, default channel {package.default_channel or 'none'}"
    for channel in package.channels.values():
        yield f"  {channel.name}: {', '.join(_entries(channel)) or 'no entry'}"
    for bundle in package.bundles.values():
        yield from (f"  {bundle.name} {text}" for text in _bundle(package, bundle, scheme))
    for deprecation in package.deprecations:
        yield f"  deprecated: {deprecation.name or deprecation.schema}"


def _entries(channel: Channel) -> Iterator[str]:
    """Yield the entries; a plain chain is one text: ``a.v1 < a.v2``."""
    chain = list(channel.entries)
    pairs = itertools.pairwise(chain)
    is_plain = all(not entry.skips and not entry.skip_range for entry in chain)
    if chain and is_plain and not chain[0].replaces and all(new.replaces == old.name for old, new in pairs):
        yield " < ".join(entry.name for entry in chain)
        return
    for entry in chain:
        facts = [f"replaces {entry.replaces}"] if entry.replaces else []
        if entry.skips:
            facts.append(f"skips {' '.join(entry.skips)}")
        if entry.skip_range:
            facts.append(f"skipRange {entry.skip_range}")
        yield f"{entry.name} ({', '.join(facts)})" if facts else entry.name


def _bundle(package: Package, bundle: Bundle, scheme: VersionScheme | None) -> Iterator[str]:
    with reading_by(scheme):
        version = published(package.name, bundle.properties).version
    if version is None or not bundle.name.endswith(f".v{version}"):
        yield f"has version {version or 'none'}"
    yield from _statements(bundle.properties, package.name)


def _statements(properties: tuple[Property, ...], package: str = "") -> Iterator[str]:
    """Yield a text for each of *properties*, except the ``olm.package`` of the bundle's own *package*."""
    for index, property_ in enumerate(properties):
        if property_.type in REQUIREMENT_TYPES:
            try:
                yield f"requires {required(property_.type, property_.value, index)}"
            except ConstraintError as error:
                yield f"has a broken requirement: {error}"
        elif property_.type != "olm.package":
            yield f"has {property_.type} {json.dumps(property_.value, ensure_ascii=False)}"
        elif package and property_.value.get("packageName") != package:
            yield f"is also of package {property_.value.get('packageName')} {property_.value.get('version')}"
