"""The cluster half of a situation: objects, contents and settings, and the request of each namespace and extension.

Subscriptions, installed operators, priorities and visible catalogs come from the objects, by the rules of
:mod:`olmsolve.cluster`. The caller gives the content of each catalog, because a catalog's object only names it. A
missing content is an error; nothing is guessed.

OLM puts the entries of all visible catalogs together before it orders a channel. Where a subscription names no catalog
and two catalogs have the channel, it then has several heads (even where both have the same entries), and OLM refuses to
choose. :func:`olmsolve.resolve` takes the catalogs in their order of preference instead; whoever asks about a cluster
learns what OLM would do.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Final

import olmsolve._attrs as attrs
from olmsolve._arguments import warn_deprecated
from olmsolve.catalog import Catalog, ChannelEntry, Source, UnreadableSource
from olmsolve.classic import HealthPolicy, HiddenCatalogs, Installed, Request, Semantics, Subscription
from olmsolve.cluster import (
    ClusterState,
    Hindrance,
    NamespaceObjects,
    NamespaceUnresolvable,
    ProjectionError,
    csv_snapshot,
    distinct_wishes,
    groups_as_written,
    held_in_cluster,
    left_behind,
    namespace_fault,
    objects_fault,
    updates_stalled,
    updates_under_way,
    without_deleted,
)
from olmsolve.cluster.catalogs import DEFAULT_GLOBAL_NAMESPACE, EXCLUDE_GLOBAL, visible_namespaces
from olmsolve.cluster.install_plans import noted_subscriptions
from olmsolve.cluster.objects import CatalogSource, ClusterExtension, ClusterServiceVersion, SubscriptionObject
from olmsolve.cluster.operator_groups import ClusterGroups, pruned
from olmsolve.eligibility import Eligibility
from olmsolve.errors import CatalogError, OlmsolveError, RequestError
from olmsolve.requests.contents import Contents, MissingContentError, missing_content, refuse_unknown_contents
from olmsolve.requests.extension_owners import ExtensionOwners, extension_request_of
from olmsolve.requests.policy import ClassicQuestion, ExtensionQuestion, Policy, Question, eligibility_under

if TYPE_CHECKING:
    from olmsolve import v1


def open_channels_fault(subscriptions: Iterable[SubscriptionObject], request: Request) -> str:
    """Return why OLM cannot resolve the *request* of *subscriptions*, for one that names no catalog; "" if it can."""
    installed = {operator.name for operator in request.installed}
    faults = (open_channel_fault(subscription, request.sources, installed) for subscription in subscriptions)
    return next(filter(None, faults), "")


def open_channel_fault(
    subscription: SubscriptionObject, sources: Iterable[Source], installed: Container[str] | None
) -> str:
    """Return why OLM cannot order the candidates of *subscription* over *sources*, in its words; "" if it can.

    *installed* are the names of the namespace's operators; None means that the subscription's own operator is there.

    As recorded: for a subscription with ``startingCSV``, only the entries of that name count. No recording shows a
    subscription whose operator is installed, so such a subscription is not judged.
    """
    has = subscription.installed_csv
    if subscription.source or subscription.source_namespace or (has and (installed is None or has in installed)):
        return ""
    # By channel (the default channel first), the entries of each catalog.
    channels: dict[tuple[bool, str], list[list[ChannelEntry]]] = {}
    for source in sorted(sources, key=lambda source: source.rank(subscription.namespace)):
        package = source.catalog.packages.get(subscription.package)
        if package is None:
            continue
        for channel in package.channels.values():
            if subscription.channel in ("", channel.name):
                key = channel.name != package.default_channel, channel.name
                entries = [
                    entry
                    for entry in channel.entries
                    if entry.name in package.bundles and subscription.starting_csv in ("", entry.name)
                ]
                channels.setdefault(key, []).extend([entries] if entries else [])
    # Only by the key: entries have no order.
    for (_, name), several in sorted(channels.items(), key=lambda named: named[0]):
        # The resolution itself checks the order within one catalog.
        chains = list(_chains([*itertools.chain(*several)])) if len(several) > 1 else []
        if len(chains) > 1:
            return (
                "a unique replacement chain within a channel is required to determine the relative order between "
                f"channel entries, but {len(chains)} replacement chains were found in channel "
                f'"{name}" of package "{subscription.package}": {", ".join(chains)}'
            )
    return ""


def _chains(entries: Sequence[ChannelEntry]) -> Iterator[str]:
    """Yield the chains of *entries*, each as its first and last name; of two entries with one name, the last counts."""
    by_name = {entry.name: index for index, entry in enumerate(entries)}
    named = {name for entry in entries for name in (entry.replaces, *entry.skips)}
    skipped = {name for entry in entries for name in entry.skips}
    followed = {index for name, index in by_name.items() if name in named}
    for head, entry in enumerate(entries):
        if head in followed:
            continue
        chain: list[str] = []
        seen: set[int] = set()
        index: int | None = head
        while index is not None and index not in seen:
            seen.add(index)
            entry = entries[index]
            chain += [] if entry.name in skipped else [entry.name]
            index = by_name.get(entry.replaces)
        yield "[]" if not chain else chain[0] if len(chain) == 1 else f"{chain[0]}...{chain[-1]}"


_NO_CONTENT: Final = "its content was not given"


# Kubernetes clusters with OLM have the first, OpenShift the second.
_GLOBAL_NAMESPACES: Final = (DEFAULT_GLOBAL_NAMESPACE, "openshift-marketplace")


@attrs.frozen(eq=False, slots=False)
class ClusterSituation:
    """The objects of a cluster (*state*), the *contents* of its catalogs, and the *policy* of the situation."""

    state: ClusterState
    contents: Contents
    policy: Policy = attrs.field(factory=Policy)

    @property
    def global_namespace(self) -> str:
        """The namespace whose catalogs all others see: the policy's, else the first usual one that has a catalog."""
        if self.policy.global_namespace is not None:
            return self.policy.global_namespace
        usual = (name for name in _GLOBAL_NAMESPACES if self.state.all(CatalogSource, name))
        return next(usual, DEFAULT_GLOBAL_NAMESPACE)

    @property
    def semantics(self) -> Semantics:
        """The semantics of compound constraints: the policy's, else what the controller of a cluster applies."""
        return self.policy.semantics or Semantics.CONTROLLER

    @property
    def health_policy(self) -> HealthPolicy:
        """The policy for resolving where a catalog cannot be read."""
        return self.policy.health_policy or HealthPolicy.STRICT

    @cached_property
    # Each request asks for it: the requests of 60 namespaces take 8 ms, and 13 if each makes its own.
    def staying(self) -> ClusterState:
        """The objects, except objects that are being deleted and that no finalizer keeps: OLM resolves without them."""
        return without_deleted(self.state)

    @cached_property
    # One index for all namespaces of the cluster: each question asks it, and making it reads every group and operator.
    # The plans of 60 namespaces take 110 ms, and 450 where each makes its own.
    def groups(self) -> ClusterGroups:
        """The operator groups, each with the targets and the APIs that it will have once OLM has looked at it."""
        return groups_as_written(pruned(self.staying)[0])

    @property
    def settled_groups(self) -> ClusterGroups:
        """The same as :attr:`groups`, which takes its place. Deprecated."""
        warn_deprecated("ClusterSituation.settled_groups", "ClusterSituation.groups")
        return self.groups

    @property
    def namespaces(self) -> tuple[str, ...]:
        """The namespaces that have subscriptions, by name."""
        return namespaces_with_subscriptions(self.state)

    @property
    def extensions(self) -> tuple[str, ...]:
        """The names of the ClusterExtensions."""
        return tuple(extension.name for extension in self.state.all(ClusterExtension))

    def questions(self) -> Iterator[Question]:
        """Yield the question of each namespace with subscriptions, then of each ClusterExtension, by name."""
        for namespace in self.namespaces:
            yield ClassicQuestion(namespace, False, self.semantics, partial(self.request, namespace))
        for extension in self.extensions:
            yield ExtensionQuestion(extension, False, self.semantics, partial(self.extension_request, extension))

    def eligibility(self, namespace: str) -> tuple[Eligibility, ...]:
        """Return what must not be installed in *namespace*, by its operator group, the versions and the caller."""
        return eligibility_under(self.policy, self.groups if self.policy.operator_groups else None, namespace)

    def request(self, namespace: str) -> Request:
        """Return the request of *namespace*. Raises RequestError and CatalogError as :meth:`written_request` does.

        Under the semantics of the controller, a channel that OLM cannot order is a NamespaceError as well.
        """
        request = self.written_request(namespace)
        if self.semantics is Semantics.CONTROLLER:
            fault = open_channels_fault(self.staying.all(SubscriptionObject, namespace), request)
            if fault:
                remedy = "name the catalog in spec.source and spec.sourceNamespace of the subscription"
                raise NamespaceUnresolvable(namespace, fault, remedy).error()
        return request

    def written_request(self, namespace: str) -> Request:
        """Return the request of *namespace*: its subscriptions over the catalogs that it sees, and its operators.

        Channels that OLM cannot order are in it too; :meth:`request` refuses them.

        A namespace sees its own catalogs and the global ones, unless its operator group hides the latter. A visible
        catalog whose content is a :class:`CatalogError` is unreadable, and the health policy says what is resolved
        then; a catalog without content is unreadable too, but an error under the strict policy.

        Raises:
            NamespaceError: the namespace does not have exactly one operator group, an operator cannot be read, or two
                subscriptions own one operator.
            RequestError: a catalog has no content, a content has no catalog, or objects contradict each other;
                :class:`ManifestError` where one object is at fault.
        """
        objects = NamespaceObjects.picked_from(self.staying, namespace)
        # The dump may be from a moment at which OLM had not noted an operator that is there, as it does before it
        # resolves.
        subscriptions = noted_subscriptions(objects.subscriptions, objects.plans, objects.csv_names, objects.groups)
        objects = attrs.evolve(objects, subscriptions=subscriptions)
        _refuse_unresolvable(objects)
        refuse_unknown_contents(self.contents, self.state)
        sources = self.visible_sources(objects)
        seen = visible_namespaces(namespace, objects.groups, self.global_namespace)
        hidden = HiddenCatalogs(
            partial(_hidden_sources, self.state, self.contents, seen),
            self.global_namespace,
            EXCLUDE_GLOBAL if self.global_namespace not in ("", *seen) else "",
        )
        try:
            return attrs.evolve(self.request_of(objects, sources), hidden=hidden)
        except ProjectionError as error:
            fault = namespace_fault(objects)
            assert fault is not None, "it reads the operators as the request does"
            kind = ClusterServiceVersion.KIND if error.object else ""
            raise attrs.evolve(
                fault.error(), reason=error.reason, kind=kind, object=error.object, field=error.field
            ) from None

    def request_of(self, objects: NamespaceObjects, sources: Iterable[Source | UnreadableSource]) -> Request:
        """Return the request that the *objects* of a namespace make over those *sources* that it sees.

        Every way from a cluster to a request leads through here: resolving, planning and simulating ask the same.

        Raises:
            NamespaceError: the namespace does not have exactly one operator group, or two subscriptions with one
                operator want different things.
            ProjectionError: what an operator says of itself cannot be read.
        """
        _refuse_unresolvable(objects)
        subscriptions = distinct_wishes(objects.subscriptions)
        namespaces = visible_namespaces(objects.namespace, objects.groups, self.global_namespace)
        visible = [source for source in sources if source.namespace in namespaces]
        giving_way = _giving_way(objects)
        coming = updates_under_way(objects.csvs, objects.conditions)
        stalled = updates_stalled(objects.csvs, objects.conditions)
        origins = {csv.name: str(csv.origin) for csv in objects.csvs if csv.origin is not None}
        return Request(
            namespaces=namespaces,
            sources=[source for source in visible if isinstance(source, Source)],
            subscriptions=map(_subscription, subscriptions),
            installed=[
                Installed(
                    entry.name,
                    entry.version,
                    entry.published,
                    entry.subscription,
                    gives_way=entry.name in giving_way,
                    replaced_by=coming.get(entry.name, ""),
                    stalled_by=stalled[entry.name].newer if entry.name in stalled else "",
                    stall=stalled[entry.name].cause if entry.name in stalled else "",
                    origin=origins.get(entry.name, ""),
                )
                for entry in csv_snapshot(objects.csvs, subscriptions, objects.groups)
            ],
            name=objects.namespace,
            unreadable=[source for source in visible if isinstance(source, UnreadableSource)],
            health_policy=self.health_policy,
            eligibility=self.eligibility(objects.namespace),
            house_rules=self.policy.house_rules,
        )

    def visible_sources(self, objects: NamespaceObjects) -> list[Source | UnreadableSource]:
        """Return the catalogs that the namespace of *objects* sees, each with its content.

        Raises:
            ManifestError: a visible catalog has no content (under the strict health policy).
        """
        sources: list[Source | UnreadableSource] = []
        for namespace in visible_namespaces(objects.namespace, objects.groups, self.global_namespace):
            for catalog in self.staying.all(CatalogSource, namespace):
                content = self.contents.get(catalog.key)
                if content is None and self.health_policy is HealthPolicy.STRICT:
                    raise missing_content(catalog, catalog.key)
                sources.append(_source(catalog, content))
        return sources

    def refuse_missing_contents(self, objects: NamespaceObjects) -> None:
        """Raise a ManifestError for a catalog without content that the namespace of *objects* sees.

        A namespace that cannot be resolved for its objects looks at no catalog.
        """
        if not objects_fault(objects):
            for missing in self._missing_contents(objects):
                raise missing

    def missing_contents(self, namespace: str) -> tuple[MissingContentError, ...]:
        """Return the errors of the catalogs that *namespace* sees and whose content was not given."""
        return tuple(self._missing_contents(NamespaceObjects.picked_from(self.state, namespace)))

    def _missing_contents(self, objects: NamespaceObjects) -> Iterator[MissingContentError]:
        for namespace in visible_namespaces(objects.namespace, objects.groups, self.global_namespace):
            for catalog in self.staying.all(CatalogSource, namespace):
                if catalog.key not in self.contents:
                    yield missing_content(catalog, catalog.key)

    def hindrances(self, namespace: str) -> tuple[Hindrance, ...]:
        """Return what the objects say that holds *namespace* back, such as an install plan that waits.

        Raises:
            CatalogError: a catalog cannot be read.
        """
        return held_in_cluster(
            self.state, namespace, contents=self.contents, global_namespace=self.global_namespace, groups=self.groups
        )

    def extension_request(self, name: str) -> v1.ExtensionRequest:
        """Return the request of the ClusterExtension *name*. Raises RequestError and CatalogError.

        Of several extensions for one package, or for one API, all but the owner are refused the bundles with it.
        """
        request = self._extension_request(name)
        constraints, checks = self._owners.constraints(name), self._owners.checks(name, request.checks)
        return attrs.evolve(request, eligibility=(*request.eligibility, *constraints), checks=checks)

    def _extension_request(self, name: str) -> v1.ExtensionRequest:
        # Made once: the owners of APIs look at the requests of all extensions.
        if name not in self._made:
            made = extension_request_of(self.state, self.contents, name)
            self._made[name] = self.policy.applied_to_extension(made)
        return self._made[name]

    @cached_property
    def _made(self) -> dict[str, v1.ExtensionRequest]:
        return {}

    @cached_property
    def _owners(self) -> ExtensionOwners:
        return ExtensionOwners(self.state, self._extension_request)


def _giving_way(objects: NamespaceObjects) -> frozenset[str]:
    """Return the operators that failing forward would leave behind; none where their chains are broken."""
    try:
        return left_behind(objects.csvs)
    except OlmsolveError:
        return frozenset()


def _hidden_sources(
    state: ClusterState, contents: Contents, seen: Collection[str]
) -> Iterator[Source | UnreadableSource]:
    """Yield the catalogs of *state* outside the namespaces that are *seen*; one without content as unreadable."""
    for catalog in state.all(CatalogSource):
        if catalog.namespace in seen:
            continue
        try:
            content = contents.get(catalog.key)
        except CatalogError as error:
            content = error
        yield _source(catalog, content)


def _source(catalog: CatalogSource, content: Catalog | CatalogError | None) -> Source | UnreadableSource:
    """Return *catalog* with its *content*; unreadable where that is an error, or None because nobody gave it."""
    if isinstance(content, Catalog):
        return Source(catalog.name, catalog.namespace, catalog.priority, content)
    return UnreadableSource(catalog.name, catalog.namespace, catalog.priority, content or _NO_CONTENT)


def namespaces_with_subscriptions(state: ClusterState) -> tuple[str, ...]:
    """Return the namespaces that have subscriptions, by name."""
    return tuple(dict.fromkeys(subscription.namespace for subscription in state.all(SubscriptionObject)))


def only_namespace(state: ClusterState) -> str:
    """Return the one namespace with subscriptions.

    Raises:
        RequestError: there are several, or none.
    """
    namespaces = namespaces_with_subscriptions(state)
    if len(namespaces) == 1:
        return namespaces[0]
    what = (
        f"subscriptions are in {len(namespaces)} namespaces: {', '.join(namespaces[:10])}"
        if namespaces
        else "no subscriptions"
    )
    raise RequestError(
        what, field="namespace", hint="choose one" if namespaces else "there is no question for classic OLM"
    )


def _subscription(given: SubscriptionObject) -> Subscription:
    return Subscription(
        name=given.name,
        namespace=given.namespace,
        package=given.package,
        channel=given.channel,
        source=given.source,
        source_namespace=given.source_namespace,
        starting_csv=given.starting_csv,
        installed_csv=given.installed_csv,
        origin=str(given.origin or ""),
    )


def _refuse_unresolvable(objects: NamespaceObjects) -> None:
    """Raise a NamespaceError unless there is one operator group, and each operator has one owner at most."""
    fault = objects_fault(objects)
    if fault is not None:
        raise fault.error()
