"""Changes to a request in OLM's own verbs: of subscriptions, or that remove an operator or repair a catalog.

Every change can apply itself to a request. Its ``rank`` orders the kinds from the smallest change to the largest: fixes
are ordered by the number of their changes, then by this order. Few conflicts need another kind
(:mod:`.rare_changes`), and a short command does not wait 0.5 ms for these.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import olmsolve._attrs as attrs
from olmsolve._records import Record, field, record
from olmsolve.classic import Request


@record(definition="change", layout=("kind", "text", ...))
class ChangeOfRequest(Record):
    """A change of a request for subscriptions, or of the cluster."""

    kind: ClassVar[str]
    brings_a_catalog: ClassVar[bool] = False


@record
class _OfSubscription(ChangeOfRequest):
    """A change of one subscription; the fields after its name are new values of the subscription's own fields."""

    subscription: str = field("The subscription to change.")

    def apply(self, request: Request) -> Request:
        names = [field.name for field in attrs.fields(type(self)) if field.name != "subscription"]
        return self._evolved(request, **{name: getattr(self, name) for name in names})

    def _evolved(self, request: Request, **fields: Any) -> Request:
        return attrs.evolve(request, subscriptions=with_fields(request.subscriptions, self.subscription, **fields))


def without_operator(request: Request, name: str) -> Request:
    return attrs.evolve(request, installed=[operator for operator in request.installed if operator.name != name])


def with_fields(values: Iterable[Any], name: str, **fields: Any) -> list[Any]:
    """Return *values*, with other *fields* for the one called *name*."""
    return [attrs.evolve(value, **fields) if value.name == name else value for value in values]


@record
class ChangeStart(_OfSubscription):
    """Set another ``startingCSV``, or remove it ("")."""

    rank: ClassVar[int] = 1
    start: str = field("The bundle, empty for none.")

    def apply(self, request: Request) -> Request:
        return self._evolved(request, starting_csv=self.start)

    def __str__(self) -> str:
        if not self.start:
            return f"remove startingCSV from subscription {self.subscription}"
        return f"set startingCSV of subscription {self.subscription} to {self.start}"


@record(says="switch subscription {subscription} to channel {channel}")
class ChangeChannel(_OfSubscription):
    """Switch to another channel of the same package."""

    rank: ClassVar[int] = 2
    channel: str = field("The channel, empty for none.")


@record(says="correct the package of subscription {subscription} to {package}")
class ChangePackage(_OfSubscription):
    """Correct the name of a package that does not exist to a similar one."""

    rank: ClassVar[int] = 3
    package: str = field("The package that it should name.")


@record(says="let subscription {subscription} use catalog {source_namespace}/{source}")
class ChangeCatalog(_OfSubscription):
    """Take the package from another visible catalog."""

    rank: ClassVar[int] = 4
    source: str = field("The catalog, empty for any.")
    source_namespace: str = field("Its namespace.")


@record(says="repair catalog {namespace}/{name}, which cannot be read")
class RepairCatalog(ChangeOfRequest):
    """Let OLM read a catalog again; its content is unknown, so the plan is what all others give without it."""

    rank: ClassVar[int] = 6
    name: str = field("The name of the catalog.")
    namespace: str = field("The namespace of the catalog.")

    def apply(self, request: Request) -> Request:
        key = f"{self.namespace}/{self.name}"
        kept = [source for source in request.unreadable if source.key != key]
        return attrs.evolve(request, unreadable=kept)


@record(says="remove the installed operator {operator}")
class RemoveOperator(ChangeOfRequest):
    """Uninstall an installed operator."""

    rank: ClassVar[int] = 10
    operator: str = field("The installed operator.")

    def apply(self, request: Request) -> Request:
        return without_operator(request, self.operator)


@record(says="delete subscription {subscription}")
class DropSubscription(ChangeOfRequest):
    """Delete a subscription; the operator that it owns stays, as on a cluster."""

    rank: ClassVar[int] = 11
    subscription: str = field("The subscription to change.")

    def apply(self, request: Request) -> Request:
        kept = [wish for wish in request.subscriptions if wish.name != self.subscription]
        return attrs.evolve(request, subscriptions=kept)
