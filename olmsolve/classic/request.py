"""Requests to classic OLM: one namespace's subscriptions, over catalogs and installed operators.

Plain values; :mod:`olmsolve.requests` reads them from documents. The fields follow OLM's Subscription and
CatalogSource objects.
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import olmsolve._attrs as attrs
from olmsolve._arguments import every, is_a, is_text
from olmsolve.catalog import Source, UnreadableSource, fbc
from olmsolve.classic.request_parts import HealthPolicy, Installed, Subscription
from olmsolve.eligibility import Eligibility, constraints, refuse_local_functions
from olmsolve.errors import RequestError

if TYPE_CHECKING:
    from olmsolve.classic.house_rules import HouseRule
    from olmsolve.classic.plan_diff import PlanDiff
    from olmsolve.resolution import Resolution


class Semantics(enum.Enum):
    """The meaning of a request where OLM's documentation and the shipped controller differ.

    DOCUMENTED: the compound constraints ``all``, ``any`` and ``not`` are about all selected bundles together, and no
    ``startingCSV`` begins with a version that a ``skipRange`` has taken out of its channel. CONTROLLER: they are about
    each candidate bundle alone, and a ``startingCSV`` names any entry.
    """

    DOCUMENTED = "documented"
    CONTROLLER = "controller"


def house_rules_in(values: Iterable[HouseRule]) -> tuple[HouseRule, ...]:
    """Return *values* as a tuple. Raises RequestError unless they are several rules.

    Most requests have none, and do not wait for the classes of rules to load.
    """
    if values in ((), []):
        return ()
    from olmsolve.classic.house_rules import as_house_rules

    return as_house_rules(values)


# A function for each field: type checkers take the type of an argument from its converter, and know no generic one.
def _strings(values: Iterable[str]) -> tuple[str, ...]:
    return every(values, str, "namespaces")


def _sources(values: Iterable[Source]) -> tuple[Source, ...]:
    return every(values, Source, "sources")


def _unreadable(values: Iterable[UnreadableSource]) -> tuple[UnreadableSource, ...]:
    return every(values, UnreadableSource, "unreadable")


def _subscriptions(values: Iterable[Subscription]) -> tuple[Subscription, ...]:
    return every(values, Subscription, "subscriptions")


def _installed(values: Iterable[Installed]) -> tuple[Installed, ...]:
    return every(values, Installed, "installed")


def _policy(value: HealthPolicy | str) -> HealthPolicy:
    if isinstance(value, HealthPolicy):
        return value
    try:
        return HealthPolicy(value)
    except ValueError:
        choices = ", ".join(policy.value for policy in HealthPolicy)
        raise RequestError(f"there is no policy {value!r}", field="health_policy", hint=f"known: {choices}") from None


class HiddenCatalogs:
    """The catalogs of a cluster that a namespace does not see; they decide nothing, and may explain a failure.

    *find* returns them when they are first asked for, because most requests never load them. *global_namespace* is the
    one whose catalogs all namespaces see, unless an annotation of the operator group, *excluded_by*, says otherwise. A
    pickle leaves all of it behind.
    """

    __slots__ = ("_find", "excluded_by", "global_namespace")

    def __init__(
        self,
        find: Callable[[], Iterable[Source | UnreadableSource]] = tuple,
        global_namespace: str = "",
        excluded_by: str = "",
    ) -> None:
        self._find = find
        self.global_namespace: str = global_namespace
        self.excluded_by: str = excluded_by

    def all(self) -> tuple[Source | UnreadableSource, ...]:
        """Return the catalogs; an :class:`UnreadableSource` for one whose content is not known."""
        return tuple(self._find())

    def __reduce__(self) -> tuple[type[HiddenCatalogs], tuple[()]]:
        return HiddenCatalogs, ()


@attrs.frozen
class Request:
    """Everything that a resolution depends on; making one checks that it does not contradict itself.

    *namespaces*: the target namespace first, then the global ones; catalogs of other namespaces are not visible.
    *subscriptions* are served in the order given. *unreadable* are the catalogs whose content is not available, and
    *health_policy* (also as text) says what is resolved in spite of them. A bundle that *eligibility* refuses (see
    :func:`olmsolve.cluster_eligibility`) is never selected, whoever requires it; installed operators are not refused.
    *house_rules* forbid, demand or prefer bundles in addition to OLM's own rules (docs/house-rules.md). *hidden* are
    other catalogs of the cluster, which only an explanation looks at.

    Raises:
        RequestError: an empty list of namespaces, repeated names, a subscription of another namespace or with half
            the name of a catalog, a catalog with a slash in its name or namespace, operators and subscriptions that
            disagree about who owns what, or a field has the wrong type.

    >>> import olmsolve
    >>> catalog = olmsolve.load("olmsolve/examples/catalogs/commons")
    >>> request = olmsolve.Request(
    ...     namespaces=["shop"],
    ...     sources=[olmsolve.Source("commons", "shop", 0, catalog)],
    ...     subscriptions=[olmsolve.Subscription("db", "shop", "ledgerdb", channel="stable")],
    ... )
    >>> [install.name for install in olmsolve.resolve(request).installs]
    ['ledgerdb.v5.3.0', 'keyring.v1.0.2']
    """

    namespaces: tuple[str, ...] = attrs.field(converter=_strings)
    sources: tuple[Source, ...] = attrs.field(converter=_sources)
    subscriptions: tuple[Subscription, ...] = attrs.field(converter=_subscriptions)
    installed: tuple[Installed, ...] = attrs.field(converter=_installed, default=())
    name: str = attrs.field(default="", validator=is_text)
    unreadable: tuple[UnreadableSource, ...] = attrs.field(converter=_unreadable, default=())
    health_policy: HealthPolicy = attrs.field(converter=_policy, default=HealthPolicy.STRICT)
    eligibility: tuple[Eligibility, ...] = attrs.field(converter=constraints, default=())
    house_rules: tuple[HouseRule, ...] = attrs.field(converter=house_rules_in, default=())
    # They only explain a failure, so two requests that differ in them are the same question.
    hidden: HiddenCatalogs = attrs.field(factory=HiddenCatalogs, eq=False, repr=False, validator=is_a(HiddenCatalogs))
    # The check that nothing is owned twice finds the owners as well.
    _owners: dict[str, Subscription] = attrs.field(init=False, eq=False, repr=False)

    if TYPE_CHECKING:

        def _answered(self) -> Resolution: ...

        def _compared(self, difference: PlanDiff) -> PlanDiff: ...

    def __attrs_post_init__(self) -> None:
        if not self.namespaces:
            raise RequestError("at least the target namespace is needed", field="namespaces")
        # Readable or not, a catalog is known by its name: one that is in both lists would be two.
        catalogs = [*self.sources, *self.unreadable]
        for position, source in enumerate(catalogs):
            if "/" in source.name or "/" in source.namespace:
                _refuse_slashes(f"catalogs[{position}]", name=source.name, namespace=source.namespace)
        _refuse_duplicates("catalogs", [source.key for source in catalogs])
        _refuse_duplicates("installed", [operator.name for operator in self.installed])
        _refuse_duplicates("house_rules", [rule.name for rule in self.house_rules])
        if self.house_rules:
            from olmsolve.classic.house_rules import read_by_catalogs

            # The class is frozen; a rule's range of versions is read once it is known which catalogs it is about.
            object.__setattr__(self, "house_rules", read_by_catalogs(self.house_rules, self.sources))
        _refuse_duplicates("subscriptions", [subscription.name for subscription in self.subscriptions])
        for position, subscription in enumerate(self.subscriptions):
            self._check(subscription, f"subscriptions[{position}]")
        object.__setattr__(self, "_owners", self._find_owners())

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields for a pickle. Raises RequestError for a local function, which no other process finds."""
        refuse_local_functions(self.eligibility)
        for position, rule in enumerate(self.house_rules):
            refuse_local_functions(rule.functions(), f"house_rules[{position}]")
        return {field.name: getattr(self, field.name) for field in attrs.fields(Request)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            # Without the constructor's checks: the fields come from a request that had passed them.
            object.__setattr__(self, name, value)

    def _check(self, subscription: Subscription, field: str) -> None:
        target = self.namespaces[0]
        if subscription.namespace not in ("", target):
            raise RequestError(
                f"subscription {subscription.name!r} is of namespace {subscription.namespace!r}, "
                f"but this request is for {target!r}",
                field=f"{field}.namespace",
                hint="the first of namespaces is the target; each namespace is resolved by a request of its own",
            )
        if "/" in subscription.source or "/" in subscription.source_namespace:
            _refuse_slashes(field, source=subscription.source, sourceNamespace=subscription.source_namespace)
        if subscription.source_namespace and not subscription.source:
            raise RequestError(
                f"subscription {subscription.name!r} names the namespace of a catalog, but no catalog",
                field=f"{field}.source",
                hint="without source, all visible catalogs are considered: then leave out sourceNamespace too",
            )
        if subscription.source and not subscription.source_namespace:
            alike = [source.namespace for source in self.sources if source.name == subscription.source]
            raise RequestError(
                f"subscription {subscription.name!r} names catalog {subscription.source!r} without its namespace",
                field=f"{field}.sourceNamespace",
                hint=f"did you mean {' or '.join(alike)}?" if alike else "a catalog is named by both",
            )

    def to_dict(self) -> dict[str, Any]:
        """Return the request as a document, which :func:`olmsolve.read_request` makes an equal request of.

        Catalogs are written as their blobs.

        Raises:
            RequestError: the request has *eligibility*, which is made of functions.
        """
        # A request is no record: its document holds the blobs of whole catalogs, and cannot hold functions.
        if self.eligibility:
            hint = "attrs.evolve(request, eligibility=()) leaves them out"
            raise RequestError("functions cannot be written down", field="eligibility", hint=hint)
        from olmsolve.classic.documents import CatalogDocument, RequestDocument

        readable = (CatalogDocument(*_key(source), blobs=tuple(fbc.blobs(source.catalog))) for source in self.sources)
        others = (CatalogDocument(*_key(source), error=str(source.error) or "unknown") for source in self.unreadable)
        return RequestDocument(
            name=self.name,
            namespaces=self.namespaces,
            catalogs=(*readable, *others),
            unreadable=self.health_policy,
            installed=self.installed,
            subscriptions=self.subscriptions,
            house_rules=self.house_rules,
        ).to_dict()

    def owners(self) -> dict[str, Subscription]:
        """Return the owning subscription of each installed operator that has one, by the operator's name.

        An operator is owned when it names a subscription of this request, or when a subscription's
        *installed_csv* names it. An *installed_csv* that is not installed counts as absent.
        """
        # Callers may change their copy; the request stays as it is.
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
            wish = subscriptions.get(operator.subscription) if operator.subscription is not None else None
            if wish is not None and wish not in claims:
                claims.append(wish)
            if claims and operator.subscription is not None and wish is None:
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


def _key(source: Source | UnreadableSource) -> tuple[str, str, int]:
    return source.name, source.namespace, source.priority


def _refuse_slashes(field: str, **names: str) -> None:
    """Refuse *names* with a slash: catalog ``c`` of namespace ``a/b`` would read like ``b/c`` of namespace ``a``."""
    for part, name in names.items():
        if "/" in name:
            hint = "namespace/name identifies a catalog, and no name in a cluster contains a slash"
            raise RequestError(f"{name!r} holds a slash", field=f"{field}.{part}", hint=hint)


def _refuse_duplicates(field: str, names: Sequence[str]) -> None:
    # A set shows in a third of the time of a count that nothing is given twice, and short requests have four lists.
    if len(set(names)) == len(names):
        return
    for name, count in Counter(names).items():
        if count > 1:
            raise RequestError(f"{name!r} is given {count} times", field=field)
