"""The audit of one package: the questions of its users, which the resolver answers one request at a time.

Can a bundle be installed? One request answers this: a subscription that starts with it, in a namespace where nothing is
installed. The same answer serves updates. An operator that a subscription owns gives way to its update, so it neither
helps nor hinders it: the update is possible exactly if the new bundle can be installed by itself. One question remains
where updates end: can the installed operator stay?

Also here: the dead ends of steps from many nodes, each node visited once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

import olmsolve._attrs as attrs
from olmsolve._limits import checked
from olmsolve.answers.auditing.report import (
    AuditedChannel,
    AuditedPackage,
    AuditFinding,
    AuditReason,
    BrokenChannel,
    CircularUpdates,
    DeadBecause,
    DeadBundle,
    EmptyChannel,
    HeadNotInstallable,
    NoUpdate,
    UpdateNotInstallable,
)
from olmsolve.catalog import Channel, Package, Source
from olmsolve.catalog.update_graph import ClassicChannel, bundle_version
from olmsolve.classic import (
    Broken,
    ClassicResolver,
    Installed,
    SemanticsName,
    Subscription,
    SubscriptionWants,
    Unsatisfiable,
)
from olmsolve.errors import CatalogError
from olmsolve.predicates import published
from olmsolve.resolution import Resolution
from olmsolve.semver import Version
from olmsolve.solver.backends import BackendLike

End = tuple[str, ...]


def dead_ends(nodes: Iterable[str], step: Callable[[str], str | None], *, goal: str) -> dict[End, tuple[str, ...]]:
    """Return each end short of *goal* to which *step* leads, with the *nodes* that come there, in order.

    An end is a single node without a step, or the nodes of a circle in walking order, beginning with the one that
    comes first in *nodes* (a single node, if it steps to itself). For the steps a-b, b-c, d-e, e-d and the goal g::

        dead_ends("abcde", step, goal="g") == {("c",): ("a", "b", "c"), ("d", "e"): ("d", "e")}
    """
    nodes = tuple(nodes)
    positions = {node: position for position, node in enumerate(nodes)}
    # Walks end early at a node whose end an earlier walk has found, so that all walks together take one step a node.
    end_of: dict[str, End] = {goal: (goal,)}
    for start in nodes:
        trail: dict[str, int] = {}
        node = start
        while node not in end_of:
            if node in trail:
                end_of[node] = _circle(list(trail)[trail[node] :], positions)
                break
            trail[node] = len(trail)
            following = step(node)
            if following is None:
                end_of[node] = (node,)
                break
            node = following
        for passed in trail:
            end_of.setdefault(passed, end_of[node])
    result: dict[End, list[str]] = {}
    for node in nodes:
        if end_of[node] != (goal,):
            result.setdefault(end_of[node], []).append(node)
    return {end: tuple(stop) for end, stop in result.items()}


def _circle(nodes: list[str], positions: dict[str, int]) -> End:
    """Return the circle *nodes* turned so that the node of the lowest position comes first."""
    first = min(range(len(nodes)), key=lambda index: positions.get(nodes[index], len(positions)))
    return (*nodes[first:], *nodes[:first])


TARGET: Final = "operators"
"""The namespace of every question; its name does not matter to any of them."""


class Auditor:
    """An auditor of packages of *sources*, all of them visible to every question. Threads may share it."""

    def __init__(self, sources: Iterable[Source], semantics: SemanticsName, backend: BackendLike) -> None:
        self._resolver = ClassicResolver(sources, semantics=semantics, backend=backend)
        self._sources = {source.key: source for source in self._resolver.sources}
        others = {source.namespace for source in self._resolver.sources} - {TARGET}
        self._namespaces = (TARGET, *sorted(others))
        self._installable: set[tuple[str, str, str]] = set()

    def audit(self, catalog: str, package: str) -> AuditedPackage:
        """Audit *package* of the source called *catalog* (``namespace/name``).

        Raises:
            Incomplete: a limit was met.
            BackendError: there is no such backend, or it cannot keep a limit.
        """
        source = self._sources[catalog]
        return _PackageAudit(self, source, source.catalog.packages[package]).run()

    def audit_all(self, packages: Iterable[tuple[str, str]]) -> Iterator[AuditedPackage]:
        """Yield the audits of *packages*, pairs of a catalog and a package, one after the other."""
        return (self.audit(catalog, package) for catalog, package in checked(packages))

    def resolve(self, wish: Subscription, installed: Iterable[Installed]) -> Resolution:
        """Return the plan for *wish* alone. Raises what :meth:`~olmsolve.classic.ClassicResolver.resolve` raises."""
        installed = tuple(installed)
        plan = self._resolver.resolve([wish], namespaces=self._namespaces, installed=installed)
        if not installed:
            self._installable.update((install.catalog, install.package, install.name) for install in plan.installs)
        return plan

    def known_installable(self, catalog: str, package: str, bundle: str) -> bool:
        """Return whether an earlier plan selected *bundle*; then it has a plan of its own, and need not be asked about.

        The earlier plan holds everything that the bundle needs, so these together are a plan for it alone. This
        answers most questions for free: the plan for ``a`` shows that ``b`` and ``c``, which it pulled in, can be
        installed. Which channel it came from does not matter. A channel with the bundle in its order can install it if
        any channel can: there it is a candidate, and may even meet requirements of its own.
        """
        # 10,443 of 17,517 questions about a catalog of 333 packages: its audit takes 0.6 s, and 1.3 without.
        return (catalog, package, bundle) in self._installable


@attrs.frozen
class _NotInstallable:
    """The *reasons* why a bundle cannot be installed, or cannot stay.

    *broken* names bundles of the package that the resolver forbids outright, since their requirements do not parse.
    """

    reasons: tuple[AuditReason, ...]
    broken: tuple[str, ...] = ()


class _PackageAudit:
    """The audit of one package; it remembers the bundles that cannot be installed, by channel."""

    def __init__(self, auditor: Auditor, source: Source, package: Package) -> None:
        self._auditor = auditor
        self._source = source
        self._package = package
        self._versions = _versions(package)
        self._refusals: dict[tuple[str, str], _NotInstallable] = {}

    def run(self) -> AuditedPackage:
        """Audit the channels by name, then every bundle; bundles reuse the answers that the channels got."""
        channels: list[AuditedChannel] = []
        findings: list[AuditFinding] = []
        channels_of: dict[str, list[_ChannelAudit]] = {}
        for name in sorted(self._package.channels):
            channel = _ChannelAudit(self._package, self._package.channels[name], self._versions)
            channels.append(AuditedChannel(name, channel.head, len(channel.bundles)))
            findings.extend(self._audit_channel(channel))
            for bundle in channel.bundles:
                channels_of.setdefault(bundle, []).append(channel)
        for bundle in sorted(self._package.bundles):
            findings.extend(self._dead(bundle, channels_of.get(bundle, ())))
        size = len(self._package.bundles)
        return AuditedPackage(self._source.key, self._package.name, size, tuple(channels), tuple(findings))

    def _audit_channel(self, channel: _ChannelAudit) -> Iterable[AuditFinding]:
        """Yield the findings about a channel: its order, its head, and the ends of its updates."""
        key = self._source.key, self._package.name
        if channel.graph.order.fault:
            error = CatalogError(channel.graph.order.fault, origin=str(channel.channel.origin or ""))
            yield BrokenChannel(*key, channel.name, reasons=(error,))
        elif not channel.bundles:
            yield EmptyChannel(*key, channel.name)
        else:
            refusal = self._refusal(channel, channel.head)
            if refusal is not None:
                instead = self._served(channel)
                yield HeadNotInstallable(*key, channel.name, channel.head, instead, reasons=refusal.reasons)
            yield from self._stops(channel)

    # -- questions to the resolver

    def _refusal(self, channel: _ChannelAudit, bundle: str) -> _NotInstallable | None:
        """Return why *bundle* of *channel* cannot be installed by itself; None if it can."""
        if self._auditor.known_installable(self._source.key, self._package.name, bundle):
            return None
        key = channel.name, bundle
        if key not in self._refusals:
            try:
                self._resolve(channel, starting=bundle)
            except (Unsatisfiable, CatalogError) as error:
                self._refusals[key] = _refused(error, self._package.name)
            else:
                return None
        return self._refusals[key]

    def _served(self, channel: _ChannelAudit) -> str:
        """Return the bundle that a subscription to *channel* gets, "" if there is no plan."""
        try:
            plan = self._resolve(channel)
        except (Unsatisfiable, CatalogError):
            return ""
        return plan.installs[0].name

    def _why_not_stay(self, channel: _ChannelAudit, bundle: str) -> tuple[AuditReason, ...]:
        """Return why the installed *bundle*, which nothing updates, cannot stay; nothing if it can."""
        operator = Installed(bundle, properties=self._package.bundles[bundle].properties, subscription="audit")
        try:
            self._resolve(channel, installed=[operator])
        except (Unsatisfiable, CatalogError) as error:
            return _refused(error, self._package.name).reasons
        return ()

    def _resolve(
        self, channel: _ChannelAudit, *, starting: str = "", installed: Iterable[Installed] = ()
    ) -> Resolution:
        wish = Subscription(
            name="audit",
            namespace=TARGET,
            package=self._package.name,
            channel=channel.name,
            source=self._source.name,
            source_namespace=self._source.namespace,
            starting_csv=starting,
        )
        return self._auditor.resolve(wish, installed)

    # -- updates

    def _stops(self, channel: _ChannelAudit) -> Iterable[AuditFinding]:
        """Yield a finding for each end of updates before the head of the channel."""
        key = self._source.key, self._package.name, channel.name

        def step(bundle: str) -> str | None:
            for update in channel.updates[bundle]:
                if self._refusal(channel, update) is None:
                    # A bundle whose own skipRange contains its version updates to itself, again and again.
                    return update
            return None

        older = [bundle for bundle in channel.bundles if bundle != channel.head]
        for end, versions in dead_ends(older, step, goal=channel.head).items():
            if len(end) > 1:
                yield CircularUpdates(*key, end, versions)
                continue
            bundle = end[0]
            staying = self._why_not_stay(channel, bundle)
            updates = self._considered(channel, bundle)
            if not updates:
                yield NoUpdate(*key, bundle, versions, staying)
                continue
            refusal = self._refusal(channel, updates[0])
            reasons = () if refusal is None else refusal.reasons
            yield UpdateNotInstallable(*key, bundle, versions, staying, updates, reasons=reasons)

    def _considered(self, channel: _ChannelAudit, bundle: str) -> tuple[str, ...]:
        """Return the updates of *bundle* that the resolver would try; an update to the bundle itself ends the list."""
        updates = channel.updates[bundle]
        if bundle in updates and self._refusal(channel, bundle) is None:
            return updates[: updates.index(bundle)]
        return tuple(update for update in updates if update != bundle)

    # -- bundles

    def _dead(self, bundle: str, channels: Iterable[_ChannelAudit]) -> Iterable[AuditFinding]:
        """Yield a finding if *bundle* cannot be installed from any of the *channels* that have it."""
        key = self._source.key, self._package.name, bundle
        refusals: list[_NotInstallable] = []
        for channel in channels:
            refusal = self._refusal(channel, bundle)
            if refusal is None:
                return
            refusals.append(refusal)
        if not refusals:
            yield DeadBundle(*key, DeadBecause.NO_CHANNEL)
            return
        deprecated = published(self._package.name, self._package.bundles[bundle].properties).deprecated
        prohibited = deprecated or bundle in refusals[0].broken
        because = DeadBecause.PROHIBITED if prohibited else DeadBecause.UNSATISFIABLE
        yield DeadBundle(*key, because, reasons=refusals[0].reasons)


class _ChannelAudit:
    """A channel with its *head*, its *bundles* (ordered ones first) and the *updates* of each, from the head down."""

    def __init__(self, package: Package, channel: Channel, versions: Mapping[str, Version | None]) -> None:
        self.channel = channel
        self.name = channel.name
        self.graph = ClassicChannel(channel, package.bundles)
        chain = self.graph.order.chain
        self.head = chain[0] if chain else ""
        names = {entry.name for entry in channel.entries if entry.name in package.bundles}
        self.bundles = (*chain, *sorted(names.difference(chain)))
        self.updates = {name: tuple(self.graph.updates(name, versions.get(name))) for name in checked(self.bundles)}


def _versions(package: Package) -> Mapping[str, Version | None]:
    """Return the versions of the bundles; none if no channel has a ``skipRange``, the only place that needs them."""
    entries = (entry for channel in package.channels.values() for entry in channel.entries)
    if not any(entry.skip_range for entry in entries):
        return {}
    return {name: bundle_version(package, name) for name in package.bundles}


def _refused(error: Unsatisfiable | CatalogError, package: str) -> _NotInstallable:
    """Return the reasons of *error* without the audit's own subscription, which the finding names itself."""
    unsatisfiable = error.__cause__ if isinstance(error, CatalogError) else error
    core = unsatisfiable.core if isinstance(unsatisfiable, Unsatisfiable) else ()
    broken = [r.candidate.name for r in core if isinstance(r, Broken) and r.candidate.package == package]
    if isinstance(error, CatalogError):
        # A copy has no traceback, which would keep all that the resolver had in memory.
        return _NotInstallable((attrs.evolve(error),), tuple(broken))
    return _NotInstallable(
        tuple(constraint for constraint in core if not isinstance(constraint, SubscriptionWants)), tuple(broken)
    )
