"""The parts of a request: subscriptions, installed operators, and which requests an unreadable catalog stops.

They are values for programs and records of documents at once; fields follow OLM's Subscription.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve._arguments import every, is_flag, is_name, is_name_or_none, is_text
from olmsolve._records import Record, declared, meaning
from olmsolve.predicates import Property


class HealthPolicy(enum.Enum):
    """The requests that are resolved although a visible catalog cannot be read.

    STRICT: none, as in OLM. REFERENCED: requests whose answer is the same whatever that catalog holds. IGNORE: all, as
    if it were not there; only a subscription that names it fails.
    """

    STRICT = "strict"
    REFERENCED = "referenced"
    IGNORE = "ignore"


def _properties(values: Iterable[Property]) -> tuple[Property, ...]:
    return every(values, Property, "properties")


_WRITTEN_PROPERTIES: Final = {"items": {"$ref": "#/$defs/property"}}


def text_or_empty(value: object) -> str:
    """Return *value* as text for a document, "" for None."""
    return "" if value is None else str(value)


def value_or_empty(property_: Property | None) -> Mapping[str, Any]:
    """Return the value of *property_*, an object, for a document; an empty one for None."""
    return {} if property_ is None else property_.value


def _written(properties: Iterable[Property]) -> tuple[Any, ...]:
    return tuple({"type": property_.type, "value": property_.value} for property_ in properties)


@declared(about="An installed operator.", layout=("name", "version", "subscription", ...))
@attrs.frozen
class Installed(Record):
    """An operator on the cluster, in the target namespace.

    *subscription* names the subscription that owns it. None means that the operator names none: then it must stay,
    unless a subscription's *installed_csv* names it. *version* is "" if the object has none. *origin* is the file and
    line of the object, or "".

    With *gives_way*, it makes way for an operator whose installation has failed; only a namespace that fails forward
    leaves it behind. *replaced_by* names the operator that is being installed in its place, or is "".

    *stalled_by* names the operator that should take its place but is pending. *stall* is the cause: ``refused`` (by the
    older one's OperatorCondition), ``lacking`` (the newer one lacks something) or ``unready`` (the older one is not
    ready). Only ways out depend on these two.
    """

    name: str = attrs.field(validator=is_name, metadata=meaning("The name of its bundle.", empty="refused"))
    version: str = attrs.field(default="", validator=is_text, metadata=meaning("Its version.", empty="kept"))
    properties: tuple[Property, ...] = attrs.field(
        default=(),
        repr=False,
        converter=_properties,
        metadata=meaning("The properties of its bundle.", empty="kept", written=_written, schema=_WRITTEN_PROPERTIES),
    )
    subscription: str | None = attrs.field(
        default=None,
        validator=is_name_or_none,
        metadata=meaning("The subscription that owns it; without one it must stay.", empty="nullable"),
    )
    gives_way: bool = attrs.field(
        default=False,
        validator=is_flag,
        metadata=meaning("Whether it makes way for an operator whose installation has failed.", empty="nullable"),
    )
    replaced_by: str = attrs.field(
        default="",
        validator=is_text,
        metadata=meaning("The operator whose installation is under way, and that takes its place.", empty="nullable"),
    )
    stalled_by: str = attrs.field(
        default="",
        validator=is_text,
        metadata=meaning("The operator that was to take its place, and is pending.", empty="nullable"),
    )
    stall: str = attrs.field(
        default="",
        validator=is_text,
        metadata=meaning("Why that one is pending: refused, lacking or unready.", empty="nullable"),
    )
    origin: str = attrs.field(default="", eq=False, repr=False, kw_only=True, validator=is_text)


@declared(about="A wanted package.")
@attrs.frozen
class Subscription(Record):
    """The wish for a package, from a channel of a catalog.

    An empty *channel* means all channels of the package, an empty *source* all visible catalogs; a *source* comes
    with its *source_namespace*, as in the object of a cluster, and *namespace* is the target namespace ("": the same).
    *starting_csv* names the bundle to begin with, *installed_csv* the operator that the subscription owns. *origin* is
    the file and line of the object on a cluster, "" where there is none.
    """

    name: str = attrs.field(validator=is_name, metadata=meaning("Its name.", empty="refused"))
    namespace: str = attrs.field(
        validator=is_name, metadata=meaning("Its namespace; the target namespace if absent.", empty="nullable")
    )
    package: str = attrs.field(validator=is_name, metadata=meaning("The wanted package.", empty="refused"))
    channel: str = attrs.field(
        default="",
        validator=is_text,
        metadata=meaning("The channel; all, the default one first, if absent or empty.", empty="nullable"),
    )
    source: str = attrs.field(
        default="",
        validator=is_text,
        metadata=meaning("The catalog; all visible ones if absent or empty.", empty="nullable"),
    )
    source_namespace: str = attrs.field(
        default="", validator=is_text, metadata=meaning("The namespace of the catalog.", empty="nullable")
    )
    starting_csv: str = attrs.field(
        default="",
        validator=is_text,
        metadata=meaning("The bundle to begin with where nothing is installed.", path="startingCSV", empty="nullable"),
    )
    installed_csv: str = attrs.field(
        default="",
        validator=is_text,
        metadata=meaning("The operator that it owns.", path="installedCSV", empty="nullable"),
    )
    origin: str = attrs.field(default="", eq=False, repr=False, kw_only=True, validator=is_text)

    @property
    def catalog(self) -> str:
        """The catalog as ``namespace/name``, like the key of a source; "" for all visible catalogs."""
        return f"{self.source_namespace}/{self.source}" if self.source else ""
