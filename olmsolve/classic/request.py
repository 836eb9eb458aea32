"""Requests to classic OLM: one namespace's subscriptions, over catalogs and installed operators.

Plain values; :mod:`olmsolve.requests` reads them from documents. The fields follow OLM's Subscription and
CatalogSource objects.
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

import attrs

from olmsolve.catalog import Source, UnreadableSource
from olmsolve.errors import RequestError
from olmsolve.predicates import Property

if TYPE_CHECKING:
    from olmsolve.eligibility import Eligibility


class Semantics(enum.Enum):
    """The bundles that the compound constraints ``all``, ``any`` and ``not`` are about.

    DOCUMENTED: all selected bundles together, as OLM's documentation says. CONTROLLER: each candidate bundle
    alone, as the shipped controller does.
    """

    DOCUMENTED = "documented"
    CONTROLLER = "controller"


class HealthPolicy(enum.Enum):
    """The requests that are resolved although a visible catalog cannot be read.

    STRICT: none, as in OLM. REFERENCED: those whose answer is the same whatever that catalog holds. IGNORE: all, as if
    it were not there; only a subscription that names it fails.
    """

    STRICT = "strict"
    REFERENCED = "referenced"
    IGNORE = "ignore"


@attrs.frozen
class Installed:
    """An operator on the cluster, in the target namespace.

    *subscription* names the subscription that owns it. None means that the operator names none: then it must stay,
    unless a subscription's *installed_csv* names it. *version* is "" where the object has none. With *gives_way*, it
    makes way for an operator whose installation has failed, and only a namespace that fails forward leaves it behind.
    """

    name: str
    version: str = ""
    properties: tuple[Property, ...] = attrs.field(default=(), repr=False)
    subscription: str | None = None
    gives_way: bool = False


@attrs.frozen
class Subscription:
    """The wish for a package, from a channel of a catalog.

    An empty *channel* means all channels of the package, an empty *source* all visible catalogs; a *source* comes
    with its *source_namespace*, as in the object of a cluster, and *namespace* is the target namespace ("": the same).
    *starting_csv* names the bundle to begin with, *installed_csv* the operator that the subscription owns.
    """

    name: str
    namespace: str
    package: str
    channel: str = ""
    source: str = ""
    source_namespace: str = ""
    starting_csv: str = ""
    installed_csv: str = ""

    @property
    def catalog(self) -> str:
        """The catalog as ``namespace/name``, like the key of a source; "" for all visible catalogs."""
        return f"{self.source_namespace}/{self.source}" if self.source else ""


def _strings(values: Iterable[str]) -> tuple[str, ...]:
    if isinstance(values, str):
        raise RequestError("must be several names, not one text", field="namespaces")
    return tuple(values)


# A function for each field: type checkers take the type of an argument from its converter, and know no generic one.
def _sources(values: Iterable[Source]) -> tuple[Source, ...]:
    return tuple(values)


def _unreadable(values: Iterable[UnreadableSource]) -> tuple[UnreadableSource, ...]:
    return tuple(values)


def _subscriptions(values: Iterable[Subscription]) -> tuple[Subscription, ...]:
    return tuple(values)


def _installed(values: Iterable[Installed]) -> tuple[Installed, ...]:
    return tuple(values)


def _eligibility(values: Iterable[Eligibility]) -> tuple[Eligibility, ...]:
    return tuple(values)


@attrs.frozen
class Request:
    """Everything that a resolution depends on; making one checks that it does not contradict itself.

    *namespaces*: the target namespace first, then the global ones; catalogs of other namespaces are not visible.
    *subscriptions* are served in the order given. *unreadable* are the catalogs whose content cannot be had, and
    *health_policy* (also as text) says what is resolved in spite of them. A bundle that *eligibility* refuses (see
    :mod:`olmsolve.cluster.eligibility`) is never selected, whoever requires it; installed operators are not refused.

    Raises:
        RequestError: an empty list of namespaces, repeated names, a subscription of another namespace or with half
            the name of a catalog, or operators and subscriptions that disagree about who owns what.
    """

    namespaces: tuple[str, ...] = attrs.field(converter=_strings)
    sources: tuple[Source, ...] = attrs.field(converter=_sources)
    subscriptions: tuple[Subscription, ...] = attrs.field(converter=_subscriptions)
    installed: tuple[Installed, ...] = attrs.field(converter=_installed, default=())
    name: str = ""
    unreadable: tuple[UnreadableSource, ...] = attrs.field(converter=_unreadable, default=())
    health_policy: HealthPolicy = attrs.field(converter=HealthPolicy, default=HealthPolicy.STRICT)
    eligibility: tuple[Eligibility, ...] = attrs.field(converter=_eligibility, default=())
    # The check that nothing is owned twice finds the owners as well.
    _owners: dict[str, Subscription] = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        if not self.namespaces:
            raise RequestError("at least the target namespace is needed", field="namespaces")
        # Readable or not, a catalog is known by its name: one that is in both lists would be two.
        keys = [*(source.key for source in self.sources), *(source.key for source in self.unreadable)]
        _refuse_duplicates("catalogs", keys)
        _refuse_duplicates("installed", (operator.name for operator in self.installed))
        _refuse_duplicates("subscriptions", (subscription.name for subscription in self.subscriptions))
        for position, subscription in enumerate(self.subscriptions):
            self._check(subscription, f"subscriptions[{position}]")
        object.__setattr__(self, "_owners", self._find_owners())

    def _check(self, subscription: Subscription, field: str) -> None:
        target = self.namespaces[0]
        if subscription.namespace not in ("", target):
            raise RequestError(
                f"subscription {subscription.name!r} is of namespace {subscription.namespace!r}, "
                f"but this request is for {target!r}",
                field=f"{field}.namespace",
                hint="the first of namespaces is the target; each namespace is resolved by a request of its own",
            )
        if subscription.source_namespace and not subscription.source:
            raise RequestError(
                f"subscription {subscription.name!r} names the namespace of a catalog, but no catalog",
                field=f"{field}.source",
                hint="without source, all visible catalogs are considered: then leave out sourceNamespace as well",
            )
        if subscription.source and not subscription.source_namespace:
            alike = [source.namespace for source in self.sources if source.name == subscription.source]
            raise RequestError(
                f"subscription {subscription.name!r} names catalog {subscription.source!r} without its namespace",
                field=f"{field}.sourceNamespace",
                hint=f"did you mean {' or '.join(alike)}?" if alike else "a catalog is named by both",
            )

    def owners(self) -> dict[str, Subscription]:
        """Return the owning subscription of each installed operator that has one, by the operator's name.

        An operator is owned when it names a subscription of this request, or when a subscription's
        *installed_csv* names it. An *installed_csv* that is not installed counts as absent.
        """
        return self._owners.copy()

    def _find_owners(self) -> dict[str, Subscription]:
        """Return :meth:`owners`. Raises RequestError where operators and subscriptions disagree."""
        subscriptions = {subscription.name: subscription for subscription in self.subscriptions}
        claims_of: dict[str, list[Subscription]] = {}
        for subscription in self.subscriptions:
            claims_of.setdefault(subscription.installed_csv, []).append(subscription)
        owners: dict[str, Subscription] = {}
        owned: dict[str, str] = {}
        for position, operator in enumerate(self.installed):
            field = f"installed[{position}].subscription"
            claims = list(claims_of.get(operator.name, ()))
            named = subscriptions.get(operator.subscription) if operator.subscription is not None else None
            if named is not None and named not in claims:
                claims.append(named)
            if claims and operator.subscription is not None and named is None:
                says = f"{operator.name!r} belongs to {operator.subscription!r}, which is not in the request"
                raise RequestError(
                    f"{says}, but subscription {claims[0].name!r} claims it by installedCSV", field=field
                )
            if len(claims) > 1:
                names = " and ".join(repr(claim.name) for claim in claims)
                raise RequestError(f"{operator.name!r} is owned by two subscriptions: {names}", field=field)
            for owner in claims:
                if owner.name in owned:
                    both = f"{owned[owner.name]!r} and {operator.name!r}"
                    raise RequestError(f"subscription {owner.name!r} owns two operators: {both}", field=field)
                owned[owner.name] = operator.name
                owners[operator.name] = owner
        return owners


def _refuse_duplicates(field: str, names: Iterable[str]) -> None:
    for name, count in Counter(names).items():
        if count > 1:
            raise RequestError(f"{name!r} is given {count} times", field=field)
