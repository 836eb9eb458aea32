"""Requests under other names: consistent, in the same order, and with the same answer.

Names decide between equals: catalogs of one priority, packages and channels are taken by name. So each kind of name is
numbered in its order, with leading zeros: acme, zebra -> package-1, package-2.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve import classic, v1
from olmsolve._patterns import pattern
from olmsolve.answers.reducing import request_parts
from olmsolve.answers.reducing.outcomes import AnyRequest
from olmsolve.catalog import Bundle, Catalog, Channel, ChannelEntry, Deprecation, Package, namespace_and_name
from olmsolve.classic import Request, Semantics
from olmsolve.errors import RequestError
from olmsolve.predicates import GVK, NAMED_FIELDS, REQUIREMENT_TYPES, Property
from olmsolve.resolution import EXISTING, Resolution

_KNOWN: Final = frozenset({"olm.package", "olm.gvk", "olm.label", "olm.deprecated", *REQUIREMENT_TYPES})
_FORMS: Final[Mapping[str, str]] = {
    "packages": "package-{}",
    "groups": "group-{}.example.com",
    "kinds": "Kind{}",
    "labels": "label-{}",
    "bundles": "bundle-{}",
    "channels": "channel-{}",
    "catalogs": "catalog-{}",
    "namespaces": "namespace-{}",
    "subscriptions": "subscription-{}",
    "rules": "rule-{}",
    "texts": "text-{}",
}
"""The new name for each kind of name; the number is filled in."""

_LITERAL: Final = pattern(r"""(["'])((?:(?!\1)[^\\\n])*)\1""")


def anonymised(request: AnyRequest, semantics: Semantics = Semantics.DOCUMENTED) -> AnyRequest:
    """Return *request* with other names for everything that a name tells about its owner.

    Packages, APIs, labels, bundles, channels, catalogs, namespaces, subscriptions, and the texts in properties that OLM
    does not read are renamed, in CEL rules too; images, descriptions and messages are left out. Versions, ranges and
    the order of names stay.

    Raises:
        RequestError: under other names the answer would be another: a rule looks into a name, or computes with one.
    """
    for with_texts in (True, False):
        names = _Names(request, with_texts=with_texts)
        renamed = _renamed(request, names)
        if _renamed_outcome(renamed, semantics, None) == _renamed_outcome(request, semantics, names):
            return renamed
    raise RequestError(
        "cannot be renamed without changing its answer: a CEL rule looks into a name",
        hint="reduce it without renaming",
    )


def _renamed_outcome(request: AnyRequest, semantics: Semantics, names: _Names | None) -> Hashable:
    """Return how *request* ends, with the new *names* of its bundles if there are any."""
    try:
        answer = classic.resolve(request, semantics=semantics) if isinstance(request, Request) else v1.resolve(request)
    except Exception as error:  # noqa: BLE001 - a crash of olmsolve itself is what somebody may want to report, too
        return type(error).__name__
    if isinstance(answer, Resolution):
        return tuple(names.renamed("bundles", install.name) if names else install.name for install in answer.installs)
    return names.renamed("bundles", answer.bundle) if names else answer.bundle


class _Names:
    """The new name of each name in a request, by kind."""

    def __init__(self, request: AnyRequest, *, with_texts: bool) -> None:
        names_by_kind: dict[str, set[str]] = {kind: set() for kind in _FORMS}
        for kind, name in _names(request):
            names_by_kind[kind].add(name)
        if not with_texts:
            names_by_kind["texts"].clear()
        self._new: dict[str, dict[str, str]] = {}
        for kind, names in names_by_kind.items():
            digits = len(str(len(names)))
            self._new[kind] = {
                name: _FORMS[kind].format(f"{number:0{digits}}")
                for number, name in enumerate(sorted(names - {""}), start=1)
            }
        # A rule does not say of what kind a text is.
        self._anywhere = {name: new for kind in reversed(list(_FORMS)) for name, new in self._new[kind].items()}

    def renamed(self, kind: str, name: str) -> str:
        """Return the new name for *name*; a name that is not known, such as "", stays."""
        return self._new[kind].get(name, name)

    def rule(self, text: str) -> str:
        """Return the CEL rule *text* with new names in its literals."""
        return _LITERAL.sub(lambda match: f"{match[1]}{self._anywhere.get(match[2], match[2])}{match[1]}", text)


def _names(request: AnyRequest) -> Iterator[tuple[str, str]]:
    """Yield each name in *request* with its kind."""
    for package in (package for catalog in request_parts.catalogs_of(request) for package in catalog):
        yield "packages", package.name
        yield "channels", package.default_channel
        for channel in package.channels.values():
            yield "channels", channel.name
            for entry in channel.entries:
                yield from (("bundles", name) for name in (entry.name, entry.replaces, *entry.skips))
        for bundle in package.bundles.values():
            yield "bundles", bundle.name
            yield from _property_names(bundle.properties)
        for deprecation in package.deprecations:
            yield _DEPRECATED.get(deprecation.schema, "bundles"), deprecation.name
    if isinstance(request, Request):
        yield from _classic_names(request)
    else:
        yield "packages", request.extension.package
        yield from (("channels", name) for name in request.extension.channels)
        yield from (("catalogs", catalog.name) for catalog in request.catalogs)
        if request.installed is not None:
            yield "bundles", request.installed.name


def _classic_names(request: Request) -> Iterator[tuple[str, str]]:
    yield from (("namespaces", name) for name in request.namespaces)
    for source in (*request.sources, *request.unreadable):
        yield "catalogs", source.name
        yield "namespaces", source.namespace
    for subscription in request.subscriptions:
        yield "subscriptions", subscription.name
        yield "namespaces", subscription.namespace
        yield "packages", subscription.package
        yield "channels", subscription.channel
        yield "catalogs", subscription.source
        yield "namespaces", subscription.source_namespace
        yield "bundles", subscription.starting_csv
        yield "bundles", subscription.installed_csv
    for operator in request.installed:
        yield "bundles", operator.name
        yield "subscriptions", operator.subscription or ""
        yield from _property_names(operator.properties)
    for rule in request.house_rules:
        yield "rules", rule.name
        for bundles in _bundles_of(rule):
            yield from _names_of_bundles(bundles)


def _bundles_of(rule: classic.HouseRule) -> Iterator[classic.Bundles]:
    yield rule.bundles
    if isinstance(rule, classic.Never) and rule.beside is not None:
        yield rule.beside


def _names_of_bundles(bundles: classic.Bundles) -> Iterator[tuple[str, str]]:
    yield "packages", bundles.package
    yield "bundles", bundles.name
    if bundles.catalog not in ("", EXISTING):
        namespace, name = namespace_and_name(bundles.catalog)
        yield "namespaces", namespace
        yield "catalogs", name
    if bundles.api is not None:
        yield "groups", bundles.api.group
        yield "kinds", bundles.api.kind
    if bundles.constraint is not None:
        yield from _value_names(bundles.constraint.value)


_DEPRECATED: Final = {"olm.package": "packages", "olm.channel": "channels"}


def _property_names(properties: Iterable[Property]) -> Iterator[tuple[str, str]]:
    for property_ in properties:
        if property_.type in _KNOWN:
            yield from _value_names(property_.value)
        else:
            yield "texts", property_.type
            yield from (("texts", text) for text in _texts(property_.value))


def _value_names(value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, part in value.items():
            # The letter case of a field does not matter.
            kind = NAMED_FIELDS.get(key.lower())
            if kind is not None and isinstance(part, str):
                # The names in a rule are names elsewhere, or nobody's.
                yield from () if kind == "cel" else ((kind, part),)
            else:
                yield from _value_names(part)
    elif isinstance(value, list):
        for part in value:
            yield from _value_names(part)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)


def _renamed(request: AnyRequest, names: _Names) -> AnyRequest:
    catalogs = [
        Catalog(
            {package.name: package for package in (_package(original, names) for original in catalog)},
            scheme=catalog.scheme,
        )
        for catalog in request_parts.catalogs_of(request)
    ]
    request = request_parts.with_catalogs(request, catalogs)
    return _classic(request, names) if isinstance(request, Request) else _extension(request, names)


def _package(package: Package, names: _Names) -> Package:
    name = names.renamed("packages", package.name)
    channels = {
        renamed_channel.name: renamed_channel
        for renamed_channel in (_channel(name, channel, names) for channel in package.channels.values())
    }
    bundles = {
        renamed_bundle.name: renamed_bundle
        for renamed_bundle in (
            Bundle(name, names.renamed("bundles", bundle.name), _properties(bundle.properties, names))
            for bundle in package.bundles.values()
        )
    }
    deprecations = tuple(
        Deprecation(
            deprecation.schema,
            names.renamed(_DEPRECATED.get(deprecation.schema, "bundles"), deprecation.name),
            "deprecated",
        )
        for deprecation in package.deprecations
    )
    return Package(name, names.renamed("channels", package.default_channel), channels, bundles, deprecations)


def _channel(package: str, channel: Channel, names: _Names) -> Channel:
    entries = tuple(
        ChannelEntry(
            names.renamed("bundles", entry.name),
            names.renamed("bundles", entry.replaces),
            tuple(names.renamed("bundles", name) for name in entry.skips),
            entry.skip_range,
        )
        for entry in channel.entries
    )
    return Channel(package, names.renamed("channels", channel.name), entries)


def _properties(properties: Iterable[Property], names: _Names) -> tuple[Property, ...]:
    return tuple(
        Property(property_.type, _value(property_.value, names))
        if property_.type in _KNOWN
        else Property(names.renamed("texts", property_.type), _custom(property_.value, names))
        for property_ in properties
    )


def _value(value: Any, names: _Names) -> Any:
    """Return the value of a property that OLM reads, with new names and without messages for people."""
    if isinstance(value, list):
        return [_value(part, names) for part in value]
    if not isinstance(value, Mapping):
        return value
    renamed: dict[str, Any] = {}
    for key, part in value.items():
        kind = NAMED_FIELDS.get(key.lower())
        if key.lower() == "failuremessage":
            continue
        if not isinstance(part, str) or kind is None:
            renamed[key] = _value(part, names)
        else:
            renamed[key] = names.rule(part) if kind == "cel" else names.renamed(kind, part)
    return renamed


def _custom(value: Any, names: _Names) -> Any:
    """Return the value of a property that OLM does not read, with new texts."""
    if isinstance(value, str):
        return names.renamed("texts", value)
    if isinstance(value, list):
        return [_custom(part, names) for part in value]
    if isinstance(value, Mapping):
        return {key: _custom(part, names) for key, part in value.items()}
    return value


def _classic(request: Request, names: _Names) -> Request:
    return attrs.evolve(
        request,
        name="",
        namespaces=tuple(names.renamed("namespaces", name) for name in request.namespaces),
        sources=tuple(
            attrs.evolve(
                source,
                name=names.renamed("catalogs", source.name),
                namespace=names.renamed("namespaces", source.namespace),
            )
            for source in request.sources
        ),
        unreadable=tuple(
            attrs.evolve(
                source,
                name=names.renamed("catalogs", source.name),
                namespace=names.renamed("namespaces", source.namespace),
                error="unavailable",
            )
            for source in request.unreadable
        ),
        subscriptions=tuple(
            classic.Subscription(
                names.renamed("subscriptions", subscription.name),
                names.renamed("namespaces", subscription.namespace),
                names.renamed("packages", subscription.package),
                names.renamed("channels", subscription.channel),
                names.renamed("catalogs", subscription.source),
                names.renamed("namespaces", subscription.source_namespace),
                names.renamed("bundles", subscription.starting_csv),
                names.renamed("bundles", subscription.installed_csv),
            )
            for subscription in request.subscriptions
        ),
        installed=tuple(
            classic.Installed(
                names.renamed("bundles", operator.name),
                operator.version,
                _properties(operator.properties, names),
                None if operator.subscription is None else names.renamed("subscriptions", operator.subscription),
            )
            for operator in request.installed
        ),
        house_rules=tuple(_house_rule(house_rule, names) for house_rule in request.house_rules),
    )


def _house_rule(rule: classic.HouseRule, names: _Names) -> classic.HouseRule:
    renamed = attrs.evolve(rule, name=names.renamed("rules", rule.name), bundles=_bundles(rule.bundles, names))
    if isinstance(renamed, classic.Never) and renamed.beside is not None:
        return attrs.evolve(renamed, beside=_bundles(renamed.beside, names))
    return renamed


def _bundles(bundles: classic.Bundles, names: _Names) -> classic.Bundles:
    catalog, api, constraint = bundles.catalog, bundles.api, bundles.constraint
    if catalog not in ("", EXISTING):
        namespace, name = namespace_and_name(catalog)
        catalog = f"{names.renamed('namespaces', namespace)}/{names.renamed('catalogs', name)}"
    return attrs.evolve(
        bundles,
        package=names.renamed("packages", bundles.package),
        name=names.renamed("bundles", bundles.name),
        catalog=catalog,
        api=None
        if api is None
        else GVK(names.renamed("groups", api.group), api.version, names.renamed("kinds", api.kind)),
        constraint=None if constraint is None else _value(constraint.value, names),
    )


def _extension(request: v1.ExtensionRequest, names: _Names) -> v1.ExtensionRequest:
    installed = request.installed
    return attrs.evolve(
        request,
        name="",
        extension=attrs.evolve(
            request.extension,
            package=names.renamed("packages", request.extension.package),
            channels=tuple(names.renamed("channels", name) for name in request.extension.channels),
        ),
        catalogs=tuple(_cluster_catalog(catalog, names) for catalog in request.catalogs),
        installed=installed and attrs.evolve(installed, name=names.renamed("bundles", installed.name)),
    )


def _cluster_catalog(catalog: v1.ClusterCatalog, names: _Names) -> v1.ClusterCatalog:
    name = names.renamed("catalogs", catalog.name)
    labels = {key: name if key == v1.METADATA_NAME else value for key, value in catalog.labels.items()}
    return attrs.evolve(catalog, name=name, labels=labels, error=catalog.error and "unavailable")
