"""Changes that few conflicts need: of operators that give way, of which catalogs are seen, of rules, of the cluster."""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter
from typing import ClassVar, TypeAlias

import olmsolve._attrs as attrs
from olmsolve._records import Record, field, record
from olmsolve.answers.explain.changes import (
    ChangeCatalog,
    ChangeChannel,
    ChangeOfRequest,
    ChangePackage,
    ChangeStart,
    DropSubscription,
    RemoveOperator,
    RepairCatalog,
    with_fields,
    without_operator,
)
from olmsolve.catalog import Catalog, Source
from olmsolve.classic import Request, Subscription
from olmsolve.eligibility import Eligibility
from olmsolve.predicates import Property
from olmsolve.resolution import EXISTING


@record(says="wait until {newer}, whose installation is under way, has replaced {operator}")
class AwaitUpdate(ChangeOfRequest):
    """Change nothing and wait: operator *newer* is being installed, and then takes the place of *operator*."""

    rank: ClassVar[int] = 0
    operator: str = field("The operator that gives way.")
    newer: str = field("The operator whose installation is under way.")

    def apply(self, request: Request) -> Request:
        return without_operator(request, self.operator)


@record
class SettleUpdate(ChangeOfRequest):
    """Let the pending operator *newer* take the place of *operator*, which works meanwhile and is not removed."""

    rank: ClassVar[int] = 0
    operator: str = field("The operator that gives way.")
    newer: str = field("The operator that is pending.")
    cause: str = field(
        "Why it is pending: the older operator refuses, the newer one lacks something, or the older one is not ready.",
        schema={"enum": ["refused", "lacking", "unready"]},
    )

    def apply(self, request: Request) -> Request:
        return without_operator(request, self.operator)

    def __str__(self) -> str:
        if self.cause == "refused":
            return f"wait until {self.operator} lets {self.newer} replace it, or override its condition Upgradeable"
        if self.cause == "unready":
            return f"repair {self.operator}: {self.newer} replaces it only once it works"
        return f"provide what the status of {self.newer} says is missing, so that it can replace {self.operator}"


@record
class LetOwn(ChangeOfRequest):
    """Let a subscription own an installed operator, which must stay otherwise; *new* creates the subscription."""

    rank: ClassVar[int] = 5
    operator: str = field("The installed operator.")
    subscription: str = field("The subscription that owns it then.")
    package: str = field("The package of the operator.")
    new: bool = field("Whether the subscription is new.", default=False)

    def apply(self, request: Request) -> Request:
        installed = with_fields(request.installed, self.operator, subscription=self.subscription)
        subscriptions = list(request.subscriptions)
        if self.new:
            wish = Subscription(self.subscription, request.namespaces[0], self.package, installed_csv=self.operator)
            subscriptions.append(wish)
        return attrs.evolve(request, installed=installed, subscriptions=subscriptions)

    def __str__(self) -> str:
        if self.new:
            return f"create a subscription for package {self.package} that owns the installed {self.operator}"
        return f"let subscription {self.subscription} own the installed {self.operator}"


@record(says="let namespace {namespace} see no global catalogs (an annotation of its operator group)")
class ExcludeGlobalCatalogs(ChangeOfRequest):
    """Let a namespace resolve from its own catalogs alone, so that a global one that fails does not hold it up."""

    rank: ClassVar[int] = 7
    namespace: str = field("The namespace to change.")

    def apply(self, request: Request) -> Request:
        return attrs.evolve(request, namespaces=[self.namespace])


@record(says="create catalog {target}/{name} with the content of {namespace}/{name}")
class ShowCatalog(ChangeOfRequest):
    """Create a catalog once more in the target namespace, where it is not visible yet."""

    rank: ClassVar[int] = 7
    brings_a_catalog: ClassVar[bool] = True
    name: str = field("The name of the catalog.")
    namespace: str = field("The namespace of the catalog.")
    target: str = field("The namespace that sees it then.")

    def apply(self, request: Request) -> Request:
        key = f"{self.namespace}/{self.name}"
        copies = [attrs.evolve(source, namespace=self.target) for source in request.sources if source.key == key]
        return attrs.evolve(request, sources=(*request.sources, *copies))


@record
class _Place(Record):
    """A catalog on a cluster."""

    name: str = field("The name of the catalog.")
    namespace: str = field("The namespace of the catalog.")
    priority: int = field("Its priority.", schema={"minimum": None})


def _source_place(source: Source) -> _Place:
    return _Place(source.name, source.namespace, source.priority)


@record(says="add catalog {source.key}")
class AddCatalog(ChangeOfRequest):
    """Add a catalog that the caller offers."""

    rank: ClassVar[int] = 8
    brings_a_catalog: ClassVar[bool] = True
    # Catalogs cannot be hashed; the key names one among the catalogs offered.
    source: Source = field(path="*", written=_source_place, eq=attrgetter("key"))

    def apply(self, request: Request) -> Request:
        return attrs.evolve(request, sources=(*request.sources, self.source))


@record(says="{remedy}")
class ChangeCluster(ChangeOfRequest):
    """Change the cluster so that a system constraint lets a bundle pass; *remedy* says how.

    *refusing* is the constraint of the request, *instead* what takes its place, None if nothing does.
    """

    rank: ClassVar[int] = 8
    remedy: str = field("What changes.")
    refusing: Eligibility = attrs.field(eq=False, repr=False)
    instead: Eligibility | None = attrs.field(eq=False, repr=False)

    def apply(self, request: Request) -> Request:
        # By identity: two system constraints may be equal, and one of them refuses.
        kept = [self.instead if constraint is self.refusing else constraint for constraint in request.eligibility]
        return attrs.evolve(request, eligibility=[constraint for constraint in kept if constraint is not None])


@record(says="lift the house rule {house_rule!r}")
class LiftRule(ChangeOfRequest):
    """Lift a house rule, which OLM itself does not know."""

    rank: ClassVar[int] = 8
    house_rule: str = field("The name of the rule.")

    def apply(self, request: Request) -> Request:
        return attrs.evolve(request, house_rules=[rule for rule in request.house_rules if rule.name != self.house_rule])


@record(says="let the operator group of {namespace} fail forward (spec.upgradeStrategy: TechPreviewUnsafeFailForward)")
class FailForward(ChangeOfRequest):
    """Let the operator group of *namespace* fail forward: operators that give way to a failed one are left behind."""

    rank: ClassVar[int] = 8
    namespace: str = field("The namespace to change.")

    def apply(self, request: Request) -> Request:
        return attrs.evolve(request, installed=[operator for operator in request.installed if not operator.gives_way])


@record
class AcceptDeprecated(ChangeOfRequest):
    """Remove ``olm.deprecated``, which OLM never selects, from a bundle of a catalog or an installed operator."""

    rank: ClassVar[int] = 9
    catalog: str = field("The catalog of the bundle, namespace/name.")
    package: str = field("The package of the bundle.")
    bundle: str = field("The bundle that counts as not deprecated.")

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
        return f"accept a deprecated bundle: remove olm.deprecated from {where} {self.bundle}"


def _accepted(properties: Iterable[Property]) -> tuple[Property, ...]:
    return tuple(property_ for property_ in properties if property_.type != "olm.deprecated")


RequestChange: TypeAlias = (
    AwaitUpdate
    | SettleUpdate
    | ChangeStart
    | ChangeChannel
    | ChangePackage
    | ChangeCatalog
    | LetOwn
    | RepairCatalog
    | ExcludeGlobalCatalogs
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
