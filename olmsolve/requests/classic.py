"""Documents that ask classic OLM for something: subscriptions over catalogs, installed operators and house rules."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import olmsolve._attrs as attrs
from olmsolve import events
from olmsolve._limits import Cancellation, scoped
from olmsolve.catalog import Catalog, Origin, Source, UnreadableSource, fbc
from olmsolve.catalog.fbc import plain
from olmsolve.classic import (
    CatalogDocument,
    HealthPolicy,
    Installed,
    Request,
    RequestDocument,
    Subscription,
    WrittenPropertyValue,
)
from olmsolve.errors import CatalogError, RequestError
from olmsolve.fields import DocumentLocation, Fields, read_record
from olmsolve.predicates import Property
from olmsolve.requests.documents import RequestSource, opened

if TYPE_CHECKING:
    from olmsolve.classic import Bundles, HouseRule


def classic_request(fields: Fields, folder: Path, load: Callable[[Path], Catalog]) -> Request:
    """Return the request that *fields* describe; a catalog's ``file`` is relative to *folder* and read by *load*.

    Two sources of one file share the catalog that *load* returned.
    """
    fields.refuse_undeclared(RequestDocument)
    namespaces = fields.require("namespaces").texts("namespaces")
    if not namespaces:
        raise fields.error("must hold the target namespace at least", "namespaces")
    target = namespaces[0]
    subscriptions = fields.require("subscriptions").each("subscriptions", lambda item: _subscription(item, target))
    installed = fields.each("installed", _installed)
    house_rules = house_rules_of(fields)
    policy, load_once = _policy(fields), cache(load)
    # Catalogs come last: a mistake elsewhere should not have to wait for megabytes to load.
    sources = fields.require("catalogs").each("catalogs", lambda item: _source(item, target, folder, load_once))
    try:
        return Request(
            namespaces=namespaces,
            sources=(source for source in sources if isinstance(source, Source)),
            subscriptions=subscriptions,
            installed=installed,
            name=fields.text("name"),
            unreadable=(source for source in sources if isinstance(source, UnreadableSource)),
            health_policy=policy,
            house_rules=house_rules,
        )
    except RequestError as error:
        raise attrs.evolve(error, source=fields.source) from None


def _subscription(fields: Fields, target: str) -> Subscription:
    fields.refuse_undeclared(Subscription)
    return read_record(Subscription, fields, namespace=fields.text("namespace", target))


def _installed(fields: Fields) -> Installed:
    fields.refuse_undeclared(Installed)
    return read_record(Installed, fields, properties=fields.each("properties", _property))


def _property(fields: Fields) -> Property:
    fields.refuse_undeclared(WrittenPropertyValue)
    if "value" not in fields.values:
        raise fields.error("is missing", "value")
    value = _copied(fields.values["value"], fields)
    return Property(fields.required_text("type"), value)


def _copied(value: object, fields: Fields, name: str = "") -> Any:
    """Return a copy of *value*, the field *name*: nobody can change it afterwards, and documents may hold anything."""
    try:
        return plain({"value": value}, Origin(""))["value"]
    except CatalogError as error:
        raise fields.error(error.reason, name) from None


def _policy(fields: Fields) -> HealthPolicy:
    text = fields.text("unreadable", HealthPolicy.STRICT.value)
    try:
        return HealthPolicy(text)
    except ValueError:
        choices = ", ".join(policy.value for policy in HealthPolicy)
        raise fields.error(f"there is no policy {text!r}", "unreadable", f"known: {choices}") from None


def _source(fields: Fields, target: str, folder: Path, load: Callable[[Path], Catalog]) -> Source | UnreadableSource:
    fields.refuse_undeclared(CatalogDocument)
    name = fields.required_text("name")
    namespace = fields.text("namespace", target)
    priority = fields.integer("priority")
    has_blobs = fields.has("blobs")
    has_file = fields.has("file")
    error = fields.text("error")
    if error:
        if has_blobs or has_file:
            raise fields.error("holds an error, and content too", hint="a catalog that cannot be read has none")
        return UnreadableSource(name, namespace, priority, error)
    if has_blobs == has_file:
        both = "holds both blobs and file" if has_blobs else "holds neither blobs nor file"
        raise fields.error(both, hint="exactly one of them says what the catalog contains")
    if has_file:
        return Source(name, namespace, priority, load(fbc.path_from(folder, fields.required_text("file"))))
    blobs = fields.raws("blobs")
    origin = f"{fields.source or 'request'}, {fields.path}.blobs"
    return Source(name, namespace, priority, fbc.from_blobs(blobs, origin=origin))


HOUSE_RULES: Final = "houseRules"
_KINDS: Final = ("never", "atLeastOne", "prefer", "totalAtMost")
_GOES_WITH: Final = {
    "beside": "never",
    "smallest": "prefer",
    "largest": "prefer",
    "of": "totalAtMost",
    "limit": "totalAtMost",
}
"""The further fields of house rules, by the kind that has them."""


def read_house_rules(
    source: RequestSource,
    *,
    timeout: float | None = None,
    cancel: Cancellation | None = None,
    observer: events.Observer | None = None,
) -> tuple[HouseRule, ...]:
    """Read a document whose only field is ``houseRules``; docs/house-rules.md describes it.

    *source* is as for :func:`olmsolve.read_request`. *timeout*, *cancel* and *observer* are as in
    :func:`olmsolve.resolve`.

    Raises:
        RequestError: the document cannot be read, or a rule has a wrong field; the error names it by its path.
        Incomplete: a limit was met, or the caller cancelled.
    """
    with scoped(timeout=timeout, cancel=cancel, observer=observer):
        document, _, name = opened(source)
        fields = Fields(document, location=DocumentLocation(name))
        fields.refuse_unknown((HOUSE_RULES,))
        return house_rules_of(fields.require(HOUSE_RULES))


def house_rules_of(fields: Fields) -> tuple[HouseRule, ...]:
    """Return the house rules in the field ``houseRules``; none if it is absent."""
    return tuple(fields.each(HOUSE_RULES, _house_rule))


def _house_rule(fields: Fields) -> HouseRule:
    # Most documents have no rules, and need not load them.
    from olmsolve.classic import AtLeastOne, HouseRuleDocument, Never, Prefer, TotalAtMost

    fields.refuse_undeclared(HouseRuleDocument)
    name = fields.required_text("name")
    given = [kind for kind in _KINDS if fields.has(kind)]
    if len(given) != 1:
        raise fields.error(f"says {' and '.join(given) or 'nothing'}", hint=f"one of {', '.join(_KINDS)}")
    kind = given[0]
    for field, goes_with in _GOES_WITH.items():
        if kind != goes_with and fields.has(field):
            raise fields.error(f"goes only with {goes_with}", field)
    if kind in (Prefer.kind, TotalAtMost.kind):
        return _rule_about_numbers(fields, kind, name)
    bundles = _bundles(fields, kind)
    if kind == Never.kind:
        return Never(bundles, _bundles(fields, "beside") if fields.has("beside") else None, name=name)
    assert kind == AtLeastOne.kind
    return AtLeastOne(bundles, name=name)


def _rule_about_numbers(fields: Fields, kind: str, name: str) -> HouseRule:
    """Return a rule of *kind*; if it names no bundles (``prefer: {}``), it is about all."""
    from olmsolve.classic import EVERY, Prefer, TotalAtMost

    # A field without anything in it is no wish for nothing: a number says what the rule is about.
    is_open = fields.values[kind] in ({}, None) and (
        kind == TotalAtMost.kind or fields.has("smallest") or fields.has("largest")
    )
    bundles = EVERY if is_open else _bundles(fields, kind)
    try:
        if kind == TotalAtMost.kind:
            return TotalAtMost(
                bundles, limit=fields.require("limit").integer("limit"), of=fields.required_text("of"), name=name
            )
        smallest, largest = fields.text("smallest") or None, fields.text("largest") or None
        return Prefer(bundles, name=name, smallest=smallest, largest=largest)
    except RequestError as error:
        raise fields.error(error.reason, error.field, error.hint) from None


def _bundles(fields: Fields, name: str) -> Bundles:
    """Return the bundles in the field *name*: an object, or the name of a package alone."""
    from olmsolve.classic import Bundles

    if isinstance(fields.values[name], str):
        return Bundles(fields.required_text(name))
    part = fields.part(name)
    part.refuse_undeclared(Bundles)
    try:
        return Bundles(
            part.text("package"),
            versions=part.text("versions") or None,
            name=part.text("name"),
            api=part.text("api") or None,
            catalog=part.text("catalog"),
            constraint=_copied(part.raw("constraint"), part, "constraint") if part.has("constraint") else None,
        )
    except RequestError as error:
        raise part.error(error.reason, "" if error.field == "bundles" else error.field, error.hint) from None
