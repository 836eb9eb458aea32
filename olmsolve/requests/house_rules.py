"""House rules as documents: the field ``houseRules`` of a request, or a document with nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from olmsolve import events
from olmsolve._limits import Cancellation, scoped
from olmsolve.catalog import Origin
from olmsolve.catalog.fbc import plain
from olmsolve.classic import AtLeastOne, Bundles, HouseRule, Never, Prefer
from olmsolve.errors import CatalogError, RequestError
from olmsolve.fields import DocumentLocation, Fields
from olmsolve.requests.documents import RequestSource, opened

HOUSE_RULES: Final = "houseRules"
_KINDS: Final = (Never.kind, AtLeastOne.kind, Prefer.kind)
_BUNDLES: Final = ("package", "versions", "name", "api", "catalog", "constraint")


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
    fields.refuse_unknown(("name", *_KINDS, "beside"))
    name = fields.required_text("name")
    given = [kind for kind in _KINDS if fields.has(kind)]
    if len(given) != 1:
        raise fields.error(f"says {' and '.join(given) or 'nothing'}", hint=f"one of {', '.join(_KINDS)}")
    kind = given[0]
    if kind != Never.kind and fields.has("beside"):
        raise fields.error("goes with never alone", "beside")
    bundles = _bundles(fields, kind)
    if kind == Never.kind:
        return Never(bundles, _bundles(fields, "beside") if fields.has("beside") else None, name=name)
    return AtLeastOne(bundles, name=name) if kind == AtLeastOne.kind else Prefer(bundles, name=name)


def _bundles(fields: Fields, name: str) -> Bundles:
    """Return the bundles in the field *name*: an object, or the name of a package alone."""
    if isinstance(fields.values[name], str):
        return Bundles(fields.required_text(name))
    part = fields.part(name)
    part.refuse_unknown(_BUNDLES)
    try:
        return Bundles(
            part.text("package"),
            versions=part.text("versions") or None,
            name=part.text("name"),
            api=part.text("api") or None,
            catalog=part.text("catalog"),
            constraint=_constraint(part) if part.has("constraint") else None,
        )
    except RequestError as error:
        raise part.error(error.reason, "" if error.field == "bundles" else error.field, error.hint) from None


def _constraint(fields: Fields) -> Mapping[str, Any]:
    try:
        # Copied, so that nobody can change it afterwards; documents in memory may hold anything.
        copied: Mapping[str, Any] = plain({"value": fields.raw("constraint")}, Origin(""))["value"]
    except CatalogError as error:
        raise fields.error(error.reason, "constraint") from None
    return copied
