"""House rules as documents. Beside the other documents, since most requests have no rules and need not load this."""

from __future__ import annotations

from typing import Any, Final

from olmsolve._records import Record, field, record

_BUNDLES: Final = {"anyOf": [{"type": "string", "minLength": 1}, {"$ref": "#/$defs/houseBundles"}]}
_BUNDLES_OR_ALL: Final = {"anyOf": [*_BUNDLES["anyOf"], {"type": ["object", "null"], "maxProperties": 0}]}


def _without(*names: str) -> dict[str, Any]:
    """Return the part of a schema that refuses objects with one of the fields *names*."""
    return {"not": {"anyOf": [{"required": [name]} for name in names]}}


@record(
    definition="houseRule",
    about="A house rule (docs/house-rules.md).",
    schema={
        "oneOf": [
            {"required": ["never"], **_without("smallest", "largest", "of", "limit")},
            {"required": ["atLeastOne"], **_without("beside", "smallest", "largest", "of", "limit")},
            {"required": ["prefer"], **_without("beside", "of", "limit")},
            {"required": ["totalAtMost", "of", "limit"], **_without("beside", "smallest", "largest")},
        ]
    },
)
class HouseRuleDocument(Record):
    """A house rule: bundles, or the name of their package."""

    name: str = field("Its author's own words for it.", schema={"minLength": 1})
    never: Any = field("What is never selected.", empty="optional", schema=_BUNDLES, default=None)
    beside: Any = field("What is never selected together with it.", empty="optional", schema=_BUNDLES, default=None)
    at_least_one: Any = field(
        "The bundles of which at least one is selected.", empty="optional", schema=_BUNDLES, default=None
    )
    prefer: Any = field("What is selected first.", empty="optional", schema=_BUNDLES_OR_ALL, default=None)
    smallest: str | None = field(
        "The type of the property by whose number they are sorted.", empty="absent", default=None
    )
    largest: str | None = field(
        "The type of the property by whose number they are sorted, the largest first.", empty="absent", default=None
    )
    total_at_most: Any = field(
        "The bundles whose sum is limited; all bundles if empty.",
        empty="optional",
        schema=_BUNDLES_OR_ALL,
        default=None,
    )
    of: str = field("The type of the property whose numbers are added up.", empty="absent", default="")
    limit: int | None = field("The highest sum that is allowed.", empty="optional", schema={"minimum": 0}, default=None)
