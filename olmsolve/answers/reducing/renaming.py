"""Requests under other names: consistent, in the same order, and with the same answer.

Names decide between equals: catalogs of one priority, packages and channels are taken by name. So each kind of name is
numbered in its order, with leading zeros: acme, zebra -> package-1, package-2.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
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

# A text in a CEL rule, without escapes: the quote that begins it ends it.
_LITERAL: Final = pattern(r"""(["'])((?:(?!\1)[^\\\n])*)\1""")


def anonymised(request: AnyRequest, semantics: Semantics = Semantics.DOCUMENTED) -> AnyRequest:
    """Return *request* with other names, so that no name says anything about its owner.

    Packages, APIs, labels, bundles, channels, catalogs, namespaces, subscriptions, and the texts in properties that OLM
    does not read are renamed, in CEL rules too; images, descriptions and messages are left out. Versions, ranges and
    the order of names stay.

    Raises:
        RequestError: under other names the answer would be another: a rule looks into a name, or computes with one.
    """
    for with_texts in (True, False):
        names = _NewNames(request, with_texts=with_texts)
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
    """The names in a request, by kind: it notes each name and returns it as it is.

    So the function that renames them also collects the names: it alone says where a request has names.
    """

    def __init__(self) -> None:
        self.by_kind: dict[str, set[str]] = {kind: set() for kind in _FORMS}

    def renamed(self, kind: str, name: str) -> str:
        """Return the new name for *name*, which is of this *kind*."""
        self.by_kind[kind].add(name)
        return name

    def rule(self, text: str) -> str:
        """Return the CEL rule *text* as it is: the names in it are noted elsewhere, or name nothing in the request."""
        return text


class _NewNames(_Names):
    """The new name of each name in *request*, by kind. *with_texts* renames texts that OLM does not read as well."""

    def __init__(self, request: AnyRequest, *, with_texts: bool) -> None:
        names = _Names()
        _renamed(request, names)
        self._new: dict[str, dict[str, str]] = {}
        for kind, of_kind in names.by_kind.items():
            old = sorted(of_kind - {""}) if with_texts or kind != "texts" else []
            # OLM sorts channels, catalogs and subscriptions by name, so zeros in front keep their order.
            digits = len(str(len(of_kind)))
            self._new[kind] = {
                name: _FORMS[kind].format(f"{number:0{digits}}") for number, name in enumerate(old, start=1)
            }
        # A rule does not say what kind of name a text is. If several kinds have the name, the first of _FORMS counts.
        self._anywhere = {name: new for kind in reversed(list(_FORMS)) for name, new in self._new[kind].items()}

    def renamed(self, kind: str, name: str) -> str:
        """Return the new name for *name*; one that is not known, such as "", stays."""
        return self._new[kind].get(name, name)

    def rule(self, text: str) -> str:
        """Return the CEL rule *text* with new names in its literals."""
        return _LITERAL.sub(lambda match: f"{match[1]}{self._anywhere.get(match[2], match[2])}{match[1]}", text)


_DEPRECATED: Final = {"olm.package": "packages", "olm.channel": "channels"}


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
                names.renamed("subscriptions", operator.subscription or "") or None,
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
