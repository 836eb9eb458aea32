"""Digests that tie a certificate to what it is about: its request, and the content of each catalog.

They cover what the definition of the preferred plan reads, as it reads it, and nothing else. So a catalog has one
digest whatever its format, the order of its files and blobs, its icons and descriptions; and two requests with one
digest, over catalogs with the same digests, have the same answer. They guard against mistakes: whoever forges a
certificate can give it the right digests, and still has to prove its claim.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any, Final

from olmsolve._limits import checked
from olmsolve._patterns import pattern
from olmsolve.answers.verification.world import World
from olmsolve.catalog import Catalog, Channel, Package, Source
from olmsolve.classic import Bundles, HouseRule, Installed, Never, Request, Subscription
from olmsolve.errors import RequestError
from olmsolve.predicates import OwnValue, Property

_ALGORITHM: Final = "sha256"
# Past this, numbers of JSON are no longer exact in every reader.
_EXACT: Final = 2**53
# Matches JSON text with a fraction or an exponent outside of its strings; possessive, so that it never goes back.
_HAS_FRACTION: Final = pattern(r'(?:[^"0-9]++|"(?:[^"\\]++|\\.)*+"|[0-9]++(?![0-9.eE]))*+[0-9]++[.eE]')


def request_digest(request: Request, world: World) -> str:
    """Return the digest of *request* without the content of its catalogs; *world* has its candidates.

    It covers the namespaces, the names and priorities of the catalogs that are seen, the subscriptions, the installed
    operators, the house rules, and which bundles the system constraints refuse: constraints are functions, of which
    nothing else can be compared. The order of the subscriptions and rules counts, and the order of the operators and
    catalogs does not. A catalog that cannot be read is left out, since a verdict names it.
    """
    target, *others = request.namespaces
    return _digest(
        [
            _text([target, sorted({*others} - {target})]),
            _text(sorted([source.namespace, source.name, source.priority] for source in world.sources)),
            _text(list(map(_subscription, request.subscriptions))),
            _text(sorted(map(_operator, request.installed), key=lambda operator: str(operator[0]))),
            _text(list(map(_rule, request.house_rules))),
            _text(sorted(world.refused)),
        ]
    )


def catalog_digests(sources: Iterable[Source]) -> dict[tuple[str, str], str]:
    """Return the digest of the content of each of *sources*, by its namespace and name."""
    return {(source.namespace, source.name): catalog_digest(source.catalog) for source in sources}


def catalog_digest(catalog: Catalog) -> str:
    """Return the digest of the packages of *catalog*, made once and kept with it.

    It covers their default channels, the entries of their channels that have a bundle, and the properties of these
    bundles, in their order, which is the order of their requirements.
    """
    return catalog.derived(__name__, lambda: _catalog_digest(catalog))


def _catalog_digest(catalog: Catalog) -> str:
    return _digest(_package(package) for package in sorted(checked(catalog), key=lambda package: package.name))


def _package(package: Package) -> str:
    """Return what the definition reads of *package*, as text."""
    channels = sorted(package.channels.values(), key=lambda channel: channel.name)
    entries = {channel.name: _entries(package, channel) for channel in checked(channels)}
    named = sorted({name for listed in entries.values() for name, *_ in listed})
    bundles = [[name, *map(_property, package.bundles[name].properties)] for name in checked(named, every=16)]
    return _text([package.name, package.default_channel, [[name, listed] for name, listed in entries.items()], bundles])


def _entries(package: Package, channel: Channel) -> list[list[Any]]:
    """Return the entries of *channel* that have a bundle, by name; of entries with one name the last one counts."""
    entries = {entry.name: entry for entry in channel.entries if entry.name in package.bundles}
    return [
        [name, entry.replaces, sorted(set(entry.skips)), entry.skip_range] for name, entry in sorted(entries.items())
    ]


def _property(stated: Property) -> list[Any]:
    return [stated.type, stated.value]


def _subscription(subscription: Subscription) -> list[str]:
    return [
        subscription.name,
        subscription.package,
        subscription.channel,
        subscription.source_namespace,
        subscription.source,
        subscription.starting_csv,
        subscription.installed_csv,
    ]


def _operator(operator: Installed) -> list[Any]:
    properties = list(map(_property, operator.properties))
    return [operator.name, operator.version, operator.subscription, operator.replaced_by, properties]


def _rule(rule: HouseRule) -> list[Any]:
    beside = rule.beside if isinstance(rule, Never) else None
    return [rule.kind, rule.name, _bundles(rule.bundles), None if beside is None else _bundles(beside)]


def _bundles(bundles: Bundles) -> list[Any]:
    return [
        bundles.package,
        None if bundles.versions is None else str(bundles.versions),
        bundles.name,
        None if bundles.api is None else list(bundles.api),
        bundles.catalog,
        None if bundles.constraint is None else bundles.constraint.value,
    ]


def _digest(texts: Iterable[str]) -> str:
    """Return the digest of *texts*, each of which is JSON on one line."""
    digest = hashlib.new(_ALGORITHM)
    for text in texts:
        digest.update(text.encode("utf-8", "surrogatepass"))
        digest.update(b"\n")
    return f"{_ALGORITHM}:{digest.hexdigest()}"


def _number(value: object) -> float:
    """Return a Decimal, which keeps the zeros of 4.10, as a number. Raises RequestError for a predicate."""
    if isinstance(value, OwnValue):
        raise RequestError(f"{value} is a predicate of a program, which a certificate cannot hold", field="properties")
    return float(value)  # type: ignore[arg-type]  # JSON has all other types


def _text(value: Any) -> str:
    """Return *value* as JSON text, the same for equal values: with sorted keys, and 1 for 1.0.

    CEL rules, which alone read numbers, take every number for a double. Most values have no fraction, so they are
    written as they are, and walked through only where the text has one.
    """
    text = json.dumps(value, sort_keys=True, default=_number)
    return json.dumps(_with_plain_numbers(json.loads(text)), sort_keys=True) if _HAS_FRACTION.match(text) else text


def _with_plain_numbers(value: Any) -> Any:
    """Return *value* with whole numbers in place of the doubles that are equal to them."""
    if isinstance(value, dict):
        return {key: _with_plain_numbers(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return list(map(_with_plain_numbers, value))
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT else value
