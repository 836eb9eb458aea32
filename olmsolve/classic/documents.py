"""Requests for classic OLM as documents: the parts that no value of a request states.

:mod:`olmsolve.requests` reads them, and takes the names of the fields from these classes and from those of the request.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from olmsolve._records import Record, field, record
from olmsolve.classic.request_parts import HealthPolicy, Installed, Subscription

_BLOB: Final = {"description": "A blob of a file-based catalog.", "type": "object", "additionalProperties": True}
_BLOBS: Final = {"items": _BLOB}
_BLOBS_OR_NULL: Final = {"type": ["array", "null"], **_BLOBS}


def _contents(**meanings: str) -> list[dict[str, Any]]:
    """Return the schemas of a catalog's content: a file, blobs or an error, each with its meaning."""
    types: Mapping[str, dict[str, Any]] = {
        "file": {"type": "string"},
        "blobs": {"type": "array"},
        "error": {"type": "string", "minLength": 1},
    }
    return [
        {"required": [name], "properties": {name: {"description": meaning, **types[name]}}}
        for name, meaning in meanings.items()
    ]


@record(definition="property")
class WrittenPropertyValue(Record):
    """A property of a bundle."""

    type: str = field("Its type.", schema={"minLength": 1})
    value: Any = field("Any JSON value.")


@record(
    schema={
        "oneOf": _contents(
            file="Where the catalog is: a path, an image or a URL.",
            blobs="The blobs of the catalog.",
            error="Why the catalog cannot be read.",
        )
    }
)
class CatalogDocument(Record):
    """A CatalogSource: exactly one of file, blobs and error says what it contains."""

    name: str = field("Its name.")
    namespace: str = field("Its namespace; the target namespace if absent.", empty="kept", default="")
    priority: int = field(
        "Higher ones come first; 0 if absent.",
        empty="kept",
        schema={"minimum": -(2**63), "maximum": 2**63 - 1},
        default=0,
    )
    file: str = field(
        "A folder or a file with a file-based catalog, relative to the document's folder.", empty="nullable", default=""
    )
    blobs: tuple[Any, ...] | None = field(
        "The catalog itself, blob by blob.", empty="optional", schema=_BLOBS_OR_NULL, default=None
    )
    error: str = field("Why the content is unavailable.", empty="nullable", default="")


@record(
    definition="olmsolve.request",
    title="A request document for classic OLM",
    about="What olmsolve resolve REQUEST reads; docs/documents.md gives the meaning of the fields. An absent field and "
    "null are the same.",
    marked=False,
)
class RequestDocument(Record):
    """A request for classic OLM."""

    name: str = field("A name for people.", empty="kept", default="")
    namespaces: tuple[str, ...] = field(
        "The target namespace first, then the global ones.", schema={"minItems": 1}, kw_only=True
    )
    catalogs: tuple[CatalogDocument, ...] = field("The catalogs that there are.", kw_only=True)
    unreadable: HealthPolicy = field(
        "What is resolved where a visible catalog cannot be read; strict if absent.",
        empty="kept",
        default=HealthPolicy.STRICT,
    )
    installed: tuple[Installed, ...] = field("The operators of the target namespace.", empty="kept", default=())
    subscriptions: tuple[Subscription, ...] = field("The wanted packages, served in this order.", kw_only=True)
    house_rules: tuple[Any, ...] = field(
        "What is forbidden, demanded or preferred in addition to OLM's own rules.",
        empty="nullable",
        schema={"items": {"$ref": "#/$defs/houseRule"}},
        default=(),
    )
