"""Changes to a request, in OLM's own verbs, and fixes: sets of changes that were resolved and gave a plan.

Every change can apply itself to a request. The classes stand in order from the smallest change to the largest: fixes
are ordered by the number of their changes, then by this order, their ``rank``.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter
from typing import Any, ClassVar, TypeAlias

import attrs

from olmsolve._frozen import shared_repr
from olmsolve._worded import Worded, camel
from olmsolve.catalog import Catalog, Source
from olmsolve.classic import Request, Subscription
from olmsolve.eligibility import Eligibility
from olmsolve.predicates import Property
from olmsolve.resolution import EXISTING, Resolution


@attrs.frozen
@shared_repr
class _ChangeOfRequest(Worded):
    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON data: the kind, the text and the fields."""
        return {**super().to_dict(), **self._fields()}

    def _fields(self) -> dict[str, Any]:
        return {camel(name): value for name, value in attrs.asdict(self).items()}


@attrs.frozen
@shared_repr
class _OfSubscription(_ChangeOfRequest):
    """A change of one subscription; the fields after its name are new values of the subscription's own fields."""

    subscription: str

    def apply(self, request: Request) -> Request:
        fields = attrs.asdict(self)
        return self._evolved(request, **{name: value for name, value in fields.items() if name != "subscription"})

    def _evolved(self, request: Request, **fields: Any) -> Request:
        wishes = [
            attrs.evolve(wish, **fields) if wish.name == self.subscription else wish for wish in request.subscriptions
        ]
        return attrs.evolve(request, subscriptions=wishes)


@attrs.frozen
@shared_repr
class AwaitUpdate(_ChangeOfRequest):
    """Change nothing and wait: operator *newer* is being installed, and then takes the place of *operator*."""

    rank: ClassVar[int] = 0
    operator: str
    newer: str

    def apply(self, request: Request) -> Request:
        return attrs.evolve(request, installed=[each for each in request.installed if each.name != self.operator])

    def __str__(self) -> str:
        return f"wait until {self.newer}, whose installation is under way, has replaced {self.operator}"


@attrs.frozen
@shared_repr
class ChangeStart(_OfSubscription):
    """Set another ``startingCSV``, or remove it ("")."""

    rank: ClassVar[int] = 1
    start: str

    def apply(self, request: Request) -> Request:
        return self._evolved(request, starting_csv=self.start)

    def __str__(self) -> str:
        if not self.start:
            return f"remove startingCSV from subscription {self.subscription}"
        return f"set startingCSV of subscription {self.subscription} to {self.start}"


@attrs.frozen
@shared_repr
class ChangeChannel(_OfSubscription):
    """Switch to another channel of the same package."""

    rank: ClassVar[int] = 2
    channel: str

    def __str__(self) -> str:
        return f"switch subscription {self.subscription} to channel {self.channel}"


@attrs.frozen
@shared_repr
class ChangePackage(_OfSubscription):
    """Correct the name of a package that does not exist to a similar one."""

    rank: ClassVar[int] = 3
    package: str

    def __str__(self) -> str:
        return f"let subscription {self.subscription} name package {self.package}"


@attrs.frozen
@shared_repr
class ChangeCatalog(_OfSubscription):
    """Take the package from another visible catalog."""

    rank: ClassVar[int] = 4
    source: str
    source_namespace: str

    def __str__(self) -> str:
        return f"let subscription {self.subscription} use catalog {self.source_namespace}/{self.source}"


@attrs.frozen
@shared_repr
class LetOwn(_ChangeOfRequest):
    """Let a subscription own an installed operator, which must stay otherwise; *new* creates the subscription."""

    rank: ClassVar[int] = 5
    operator: str
    subscription: str
    package: str
    new: bool = False

    def apply(self, request: Request) -> Request:
        installed = [
            attrs.evolve(operator, subscription=self.subscription) if operator.name == self.operator else operator
            for operator in request.installed
        ]
        subscriptions = list(request.subscriptions)
        if self.new:
            wish = Subscription(self.subscription, request.namespaces[0], self.package, installed_csv=self.operator)
            subscriptions.append(wish)
        return attrs.evolve(request, installed=installed, subscriptions=subscriptions)

    def __str__(self) -> str:
        if self.new:
            return f"create a subscription for package {self.package} that owns the installed {self.operator}"
        return f"let subscription {self.subscription} own the installed {self.operator}"


@attrs.frozen
@shared_repr
class RemoveCatalog(_ChangeOfRequest):
    """Delete a catalog that cannot be read, or repair it: its content is unknown, so the plan does without it."""

    rank: ClassVar[int] = 6
    name: str
    namespace: str

    def apply(self, request: Request) -> Request:
        kept = [each for each in request.unreadable if (each.name, each.namespace) != (self.name, self.namespace)]
        return attrs.evolve(request, unreadable=kept)

    def __str__(self) -> str:
        return f"delete catalog {self.namespace}/{self.name}, which cannot be read"


@attrs.frozen
@shared_repr
class ShowCatalog(_ChangeOfRequest):
    """Create a catalog once more in the target namespace, where it is not visible yet."""

    rank: ClassVar[int] = 7
    name: str
    namespace: str
    target: str

    def apply(self, request: Request) -> Request:
        copies = [
            attrs.evolve(source, namespace=self.target)
            for source in request.sources
            if (source.name, source.namespace) == (self.name, self.namespace)
        ]
        return attrs.evolve(request, sources=(*request.sources, *copies))

    def __str__(self) -> str:
        return f"create catalog {self.target}/{self.name} with the content of {self.namespace}/{self.name}"


@attrs.frozen
@shared_repr
class AddCatalog(_ChangeOfRequest):
    """Add a catalog that the caller offers."""

    rank: ClassVar[int] = 8
    # Catalogs cannot be hashed; the key names one among the catalogs offered.
    source: Source = attrs.field(eq=attrgetter("key"))

    def apply(self, request: Request) -> Request:
        return attrs.evolve(request, sources=(*request.sources, self.source))

    def __str__(self) -> str:
        return f"add catalog {self.source.key}"

    def _fields(self) -> dict[str, Any]:
        source = self.source
        return {"name": source.name, "namespace": source.namespace, "priority": source.priority}


@attrs.frozen
@shared_repr
class ChangeCluster(_ChangeOfRequest):
    """Change the cluster so that a system constraint lets a bundle pass; *remedy* says how.

    *refusing* is the constraint of the request, *instead* what takes its place, None if nothing does.
    """

    rank: ClassVar[int] = 8
    remedy: str
    refusing: Eligibility = attrs.field(eq=False, repr=False)
    instead: Eligibility | None = attrs.field(eq=False, repr=False)

    def apply(self, request: Request) -> Request:
        kept = [self.instead if each is self.refusing else each for each in request.eligibility]
        return attrs.evolve(request, eligibility=[each for each in kept if each is not None])

    def __str__(self) -> str:
        return self.remedy

    def _fields(self) -> dict[str, Any]:
        return {"remedy": self.remedy}


@attrs.frozen
@shared_repr
class LiftRule(_ChangeOfRequest):
    """Lift a house rule, which OLM itself does not know."""

    rank: ClassVar[int] = 8
    house_rule: str

    def apply(self, request: Request) -> Request:
        return attrs.evolve(request, house_rules=[rule for rule in request.house_rules if rule.name != self.house_rule])

    def __str__(self) -> str:
        return f"lift the house rule {self.house_rule!r}"


@attrs.frozen
@shared_repr
class FailForward(_ChangeOfRequest):
    """Let the operator group of *namespace* fail forward: operators that give way to a failed one are left behind."""

    rank: ClassVar[int] = 8
    namespace: str

    def apply(self, request: Request) -> Request:
        return attrs.evolve(request, installed=[each for each in request.installed if not each.gives_way])

    def __str__(self) -> str:
        return (
            f"let the operator group of {self.namespace} fail forward"
            " (spec.upgradeStrategy: TechPreviewUnsafeFailForward)"
        )


@attrs.frozen
@shared_repr
class AcceptDeprecated(_ChangeOfRequest):
    """Remove ``olm.deprecated``, which OLM never selects, from a bundle of a catalog or an installed operator."""

    rank: ClassVar[int] = 9
    catalog: str
    package: str
    bundle: str

    def apply(self, request: Request) -> Request:
        if self.catalog == EXISTING:
            installed = [
                attrs.evolve(operator, properties=_accepted(operator.properties))
                if operator.name == self.bundle
                else operator
                for operator in request.installed
            ]
            return attrs.evolve(request, installed=installed)
        sources = [
            attrs.evolve(source, catalog=self._changed(source.catalog)) if source.key == self.catalog else source
            for source in request.sources
        ]
        return attrs.evolve(request, sources=sources)

    def _changed(self, catalog: Catalog) -> Catalog:
        package = catalog.packages[self.package]
        bundle = package.bundles[self.bundle]
        accepted = attrs.evolve(bundle, properties=_accepted(bundle.properties))
        changed = attrs.evolve(package, bundles={**package.bundles, self.bundle: accepted})
        return attrs.evolve(catalog, packages={**catalog.packages, self.package: changed})

    def __str__(self) -> str:
        where = "the installed" if self.catalog == EXISTING else f"catalog {self.catalog}, bundle"
        return f"accept a deprecated bundle: take olm.deprecated from {where} {self.bundle}"


def _accepted(properties: Iterable[Property]) -> tuple[Property, ...]:
    return tuple(each for each in properties if each.type != "olm.deprecated")


@attrs.frozen
@shared_repr
class RemoveOperator(_ChangeOfRequest):
    """Uninstall an installed operator."""

    rank: ClassVar[int] = 10
    operator: str

    def apply(self, request: Request) -> Request:
        return attrs.evolve(request, installed=[each for each in request.installed if each.name != self.operator])

    def __str__(self) -> str:
        return f"remove the installed operator {self.operator}"


@attrs.frozen
@shared_repr
class DropSubscription(_ChangeOfRequest):
    """Delete a subscription; the operator that it owns stays, as on a cluster."""

    rank: ClassVar[int] = 11
    subscription: str

    def apply(self, request: Request) -> Request:
        left = [wish for wish in request.subscriptions if wish.name != self.subscription]
        return attrs.evolve(request, subscriptions=left)

    def __str__(self) -> str:
        return f"delete subscription {self.subscription}"


RequestChange: TypeAlias = (
    AwaitUpdate
    | ChangeStart
    | ChangeChannel
    | ChangePackage
    | ChangeCatalog
    | LetOwn
    | RemoveCatalog
    | ShowCatalog
    | AddCatalog
    | ChangeCluster
    | LiftRule
    | FailForward
    | AcceptDeprecated
    | RemoveOperator
    | DropSubscription
)
"""One change: ``rank`` is its position among the kinds, ``apply(request)`` returns the changed request."""


@attrs.frozen
@shared_repr
class Fix:
    """*changes* that give the request a plan together, and not if any of them is left out.

    *request* is the changed request, *resolution* the plan that resolving it gave.
    """

    changes: tuple[RequestChange, ...]
    resolution: Resolution = attrs.field(repr=False)
    request: Request = attrs.field(repr=False, eq=False)

    def __str__(self) -> str:
        return "; and ".join(map(str, self.changes))

    def to_dict(self) -> dict[str, Any]:
        return {
            "text": str(self),
            "changes": [change.to_dict() for change in self.changes],
            "resolution": self.resolution.to_dict(),
        }
