"""Namespaces of classic OLM as a part of a cluster: changes are made on their objects, and simulated to rest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import olmsolve._attrs as attrs
from olmsolve._limits import checked
from olmsolve._records import evolve
from olmsolve.catalog import Catalog
from olmsolve.cluster import (
    ClusterState,
    NamespaceUnresolvable,
    OperatorNotWorking,
    PlanFailed,
    operators_blocking_update,
)
from olmsolve.cluster.objects import ClusterServiceVersion, InstallPlan, SubscriptionObject
from olmsolve.eligibility import Eligibility
from olmsolve.lifecycle.impact import Footprint, simulation_footprint
from olmsolve.lifecycle.journey.bounds import (
    NOTHING,
    Bound,
    BoundedWish,
    JourneyTables,
    WishRules,
    before,
)
from olmsolve.lifecycle.journey.model import (
    Demands,
    JourneyChange,
    JourneyRule,
    JourneyUpdate,
    PlanApproval,
    SubscriptionChannelChange,
)
from olmsolve.lifecycle.journey.objects import (
    names_operator,
    newest_plans,
    original_csvs,
    subject_of,
    subjects_of,
    version_of,
    waiting_plans,
)
from olmsolve.lifecycle.journey.searching import JourneyPart, JourneyState, Rank
from olmsolve.lifecycle.simulation import (
    Circle,
    Digests,
    Ending,
    NamespaceUnresolved,
    Simulation,
    SimulationSettings,
    simulate_cluster,
)
from olmsolve.requests import ClusterSituation, Contents, namespaces_with_subscriptions, scheme_in
from olmsolve.semver import Version

_REFUSED: Final = "OperatorConditionNotUpgradeable"
"""OLM's reason for an operator that waits because the one before it refuses to be replaced."""


class ClusterAsRun(ClusterSituation):
    """A cluster whose OLM installs what it installs in fact: it does not ask a bundle for the cluster's version."""

    def eligibility(self, namespace: str) -> tuple[Eligibility, ...]:
        """Return what must not be installed in *namespace*, by its operator group and the caller."""
        plain = attrs.evolve(self.policy, kubernetes=None, openshift=None)
        return ClusterSituation(self.state, self.contents, plain).eligibility(namespace)


class NamespacesPart(JourneyPart[ClusterState]):
    """The namespaces of *cluster*, on the way through the stages of *tables*; the cluster's state has nothing else."""

    def __init__(self, cluster: ClusterSituation, tables: JourneyTables, settings: SimulationSettings) -> None:
        super().__init__(cluster, tables.stages)
        self._tables = tables
        self._settings = settings
        self._digests = Digests()
        self._wishes: dict[str, BoundedWish] = {}
        self._first: JourneyState[ClusterState] | None = None
        self._rules: dict[tuple[int, str, Demands], WishRules] = {}
        self.excused: frozenset[tuple[int, str, JourneyRule]] = frozenset()
        self._inherited: NamespacesPart | None = None
        self.namespaces: tuple[str, ...] = namespaces_with_subscriptions(cluster.state)
        self.footprint: Footprint = Footprint()

    def excuse_as(self, other: NamespacesPart) -> None:
        """Excuse only the faults that *other* starts with: whatever a way out breaks is no fault of the start."""
        self._inherited = other

    def start(self) -> JourneyState[ClusterState]:
        """Return the namespaces at rest at the first stage, and note what is at fault there already."""
        run = self._simulated(self.given.state, 0)
        state = self._rested(run)
        broken = {
            (subject, JourneyRule.WORKS)
            for csv in checked(original_csvs(run.start))
            if csv.phase != "Succeeded"
            for subject in (subject_of(csv, run.start),)
        }
        # The state that OLM reaches by itself at today's version is there whatever anybody decides.
        broken.update(state.unmet)
        numbers = range(len(self._stages))
        excused = {(number, *pair) for pair in broken for number in numbers}
        # An operator that does not support the cluster's version runs on it already, so the start is excused.
        excused |= {(0, subject, JourneyRule.SUPPORTS) for subject, stages in state.unsupported.items() if 0 in stages}
        self.excused = frozenset(excused) if self._inherited is None else self._inherited.excused
        named = {subject for subject, _ in broken}
        self.standing: tuple[str, ...] = tuple(
            str(trouble)
            for trouble in run.left
            if trouble.namespace in named or names_operator(trouble, named, run.state)
        )
        self._wishes = dict(self._bounded(state))
        self._first = state
        return state

    def moved(self, state: JourneyState[ClusterState], stage: int) -> JourneyState[ClusterState]:
        """Return *state* at rest once the cluster, and with it each catalog, has come to *stage*."""
        return self._rested(self._simulated(state.value, stage))

    def changed(
        self, state: JourneyState[ClusterState], change: JourneyChange, stage: int
    ) -> JourneyState[ClusterState]:
        """Return *state* at rest after a *change* at *stage*."""
        return self._rested(self._simulated(applied(state.value, change), stage))

    def changes(self, state: JourneyState[ClusterState], stage: int) -> Iterator[tuple[Rank, JourneyChange]]:
        """Yield the approvals and the other channels that are possible in *state* at *stage*."""
        contents = self._stages[stage].contents
        for plan in waiting_plans(state.value):
            change = PlanApproval(plan.namespace, plan.name, plan.csv_names)
            yield ("1", plan.namespace, plan.name), change
        for wish in state.value.all(SubscriptionObject):
            key = f"{wish.source_namespace}/{wish.source}"
            content = contents.get(key)
            package = content.packages.get(wish.package) if isinstance(content, Catalog) else None
            for channel in sorted(package.channels) if package is not None else ():
                if channel != wish.channel:
                    yield (
                        ("2", wish.namespace, wish.name, channel),
                        SubscriptionChannelChange(wish.namespace, wish.name, wish.package, wish.channel, channel),
                    )

    def bound(
        self, state: JourneyState[ClusterState], stage: int, demands: Demands, change: JourneyChange | None = None
    ) -> Bound | None:
        """Return what is needed at least: changed channels and approvals, and updates.

        An approval updates each subscription of its namespace once at most, so a namespace needs as many approvals as
        the subscription with the most updates.
        """
        channels = updates = 0
        approvals: dict[str, int] = {}
        counted: set[tuple[str, str]] = set()
        for wish in checked(state.value.all(SubscriptionObject), every=16):
            channel = wish.channel
            if isinstance(change, SubscriptionChannelChange) and change.subscription == wish.name:
                channel = change.channel if change.namespace == wish.namespace else channel
            bound = self._bound_of(wish, channel, stage, demands)
            if bound is None:
                return None
            channels += bound.channels
            if (wish.namespace, wish.installed_csv) not in counted:
                counted.add((wish.namespace, wish.installed_csv))
                updates += bound.updates
            if bound.updates > approvals.get(wish.namespace, 0):
                approvals[wish.namespace] = bound.updates
        manual = {wish.namespace for wish in state.value.all(SubscriptionObject) if wish.approval == "Manual"}
        needed = {namespace: count for namespace, count in approvals.items() if namespace in manual}
        if isinstance(change, PlanApproval) and needed.get(change.namespace):
            # The search counts the approval itself.
            needed[change.namespace] -= 1
        return Bound(channels + sum(needed.values()), updates)

    def is_demanded(self, stage: int, subject: str, rule: JourneyRule) -> bool:
        """Return whether the rule counts: not where it was broken before the start."""
        return (stage, subject, rule) not in self.excused

    def hopeless(self, demands: Demands) -> tuple[str, ...]:
        """Return the subscriptions that alone keep the part from every journey that *demands* ask for."""
        if self._first is None:
            self.start()
        assert self._first is not None
        state = self._first.value
        wishes = checked(state.all(SubscriptionObject), every=16)
        bounds = ((wish, self._bound_of(wish, wish.channel, 0, demands)) for wish in wishes)
        return tuple(wish.key for wish, bound in bounds if bound is None)

    def subjects(self) -> dict[str, tuple[JourneyRule, ...]]:
        """Return the subjects of the part at the start, each with the rules that it has to keep."""
        rules: dict[str, tuple[JourneyRule, ...]] = {}
        for subject in sorted(set(subjects_of(self.given.state).values())):
            rules[subject] = (JourneyRule.SUPPORTS, JourneyRule.WORKS)
        return rules | dict.fromkeys(self.namespaces, (JourneyRule.SETTLES, JourneyRule.RESOLVES, JourneyRule.INSTALLS))

    def _bound_of(self, subscription: SubscriptionObject, channel: str, stage: int, demands: Demands) -> Bound | None:
        wish = self._wishes.get(subscription.key)
        if wish is None or not channel or not subscription.installed_csv:
            return NOTHING
        rules = self._rules.get((self.last, subscription.key, demands))
        if rules is None:
            numbers, at = frozenset(range(self.last + 1)), subscription.namespace
            rules = self._rules[self.last, subscription.key, demands] = WishRules(
                frozenset(number for number in numbers if demands(number, subscription.key, JourneyRule.SUPPORTS)),
                frozenset(number for number in numbers - self.passed if demands(number, at, JourneyRule.RESOLVES)),
                self.last,
            )
        if not rules.support and not rules.resolve:
            return NOTHING
        bounds = self._tables.bounds(wish, rules)
        stays = bounds.bound(stage, subscription.installed_csv, channel)
        if subscription.current_csv in ("", subscription.installed_csv):
            return stays
        # An older catalog may have led to what waits for approval, and no edge of this version need lead there.
        comes = bounds.bound(stage, subscription.current_csv, channel)
        if stays is None or comes is None:
            return stays if comes is None else Bound(comes.channels, comes.updates + 1)
        return Bound(min(stays.channels, comes.channels), min(stays.updates, comes.updates + 1))

    def _bounded(self, state: JourneyState[ClusterState]) -> Iterator[tuple[str, BoundedWish]]:
        """Yield the subscriptions whose package is known at each stage, with what they have at first."""
        numbers = frozenset(range(len(self._stages)))
        for wish in checked(state.value.all(SubscriptionObject), every=16):
            csv = state.value.get(ClusterServiceVersion, wish.namespace, wish.installed_csv)
            catalog = f"{wish.source_namespace}/{wish.source}"
            if csv is None or not self._tables.package(catalog, wish.package).is_known or not wish.channel:
                continue
            supported = numbers - state.unsupported.get(wish.key, frozenset())
            version = version_of(csv, scheme_in(self.given.contents, catalog))
            yield wish.key, BoundedWish(catalog, wish.package, csv.name, version, wish.channel, supported)

    def _simulated(self, state: ClusterState, stage: int) -> Simulation:
        at = self._stages[stage]
        policy = attrs.evolve(self.given.policy, kubernetes=at.kubernetes, openshift=at.version)
        run = simulate_cluster(ClusterAsRun(state, at.contents, policy), self._settings, is_only=False)
        self.footprint = self.footprint.united(simulation_footprint(run))
        return run

    def _rested(self, simulation: Simulation) -> JourneyState[ClusterState]:
        state = simulation.state
        newest = tuple(waiting_plans(state))
        plans = (plan for plan in state.all(InstallPlan) if _matters(plan, newest))
        waiting = [(plan.namespace, plan.csv_names, plan.phase) for plan in plans]
        unmet: dict[tuple[str, JourneyRule], str] = {}
        for unresolved in simulation.left:
            if isinstance(unresolved, (NamespaceUnresolved, NamespaceUnresolvable)):
                unmet.setdefault((unresolved.namespace, JourneyRule.RESOLVES), str(unresolved))
        for namespace, why in _unsettled(simulation, self.namespaces, self.given.contents):
            unmet.setdefault((namespace, JourneyRule.SETTLES), why)
        for plan in newest_plans(state):
            if plan.phase == "Failed":
                failed = PlanFailed(plan.namespace, plan.name, plan.csv_names, plan.message)
                unmet.setdefault((plan.namespace, JourneyRule.INSTALLS), str(failed))
        for csv in checked(original_csvs(state)):
            if csv.phase != "Succeeded":
                hindrance = OperatorNotWorking(csv.namespace, csv.name, csv.phase, csv.reason, csv.message)
                unmet.setdefault((subject_of(csv, state), JourneyRule.WORKS), str(hindrance))
        return JourneyState(
            state,
            f"{self._digests.digest_of(state)} {sorted(waiting)}",
            tuple(_updates(simulation)),
            unmet,
            dict(self._unsupported(state)),
            # Nothing on the way changes the condition of the operator before it.
            frozenset(subject_of(csv, state) for csv in checked(original_csvs(state)) if csv.reason == _REFUSED),
        )

    def _unsupported(self, state: ClusterState) -> Iterator[tuple[str, frozenset[int]]]:
        """Yield each operator of *state* that does not work with the version of every stage, with those stages."""
        stages_by_rule: dict[str, set[int]] = {}
        csvs = original_csvs(state)
        for number, stage in enumerate(self._stages):
            for blocking in checked(operators_blocking_update(csvs, before(stage.version))):
                csv = state.get(ClusterServiceVersion, blocking.namespace, blocking.name)
                assert csv is not None
                stages_by_rule.setdefault(subject_of(csv, state), set()).add(number)
        for subject, stages in stages_by_rule.items():
            yield subject, frozenset(stages)


def applied(state: ClusterState, change: JourneyChange) -> ClusterState:
    """Return *state* with a *change* by hand, before OLM reacts to it."""
    if isinstance(change, PlanApproval):
        plan = state.get(InstallPlan, change.namespace, change.plan)
        assert plan is not None
        return state.having(evolve(plan, approved=True))
    assert isinstance(change, SubscriptionChannelChange)
    subscription = state.get(SubscriptionObject, change.namespace, change.subscription)
    assert subscription is not None
    return state.having(evolve(subscription, channel=change.channel))


def _matters(plan: InstallPlan, waiting: Sequence[InstallPlan]) -> bool:
    """Return whether the state of *plan* decides what OLM does next: a plan that is done, or replaced, is history."""
    return plan.phase not in ("Complete", "RequiresApproval") or plan in waiting


def _updates(simulation: Simulation) -> Iterator[JourneyUpdate]:
    for step in simulation.steps:
        for change in step.subscriptions:
            had = change.before.installed_csv if change.before is not None else ""
            has = change.after.installed_csv
            if has and has != had:
                yield JourneyUpdate(change.namespace, change.name, change.after.package, had, has)


def _unsettled(simulation: Simulation, namespaces: Iterable[str], contents: Contents) -> Iterator[tuple[str, str]]:
    """Yield each namespace whose updates in *simulation* go round in a circle or lead back, and why."""
    if simulation.ended is not Ending.REST:
        circles = [trouble for trouble in simulation.left if isinstance(trouble, Circle)]
        yield from ((circle.namespace, str(circle)) for circle in circles)
        if not circles:
            yield from ((namespace, "it does not come to rest") for namespace in namespaces)
    versions: dict[tuple[str, str], Version | None] = {}
    for state in (simulation.start, *(step.state for step in simulation.steps)):
        wishes = state.all(SubscriptionObject)
        catalogs = {(wish.namespace, wish.installed_csv): f"{wish.source_namespace}/{wish.source}" for wish in wishes}
        for csv in checked(state.all(ClusterServiceVersion), every=64):
            scheme = scheme_in(contents, catalogs.get((csv.namespace, csv.name), ""))
            versions[csv.namespace, csv.name] = version_of(csv, scheme)
    for update in _updates(simulation):
        had = versions.get((update.namespace, update.before))
        has = versions.get((update.namespace, update.after))
        if had is not None and has is not None and has < had:
            yield update.namespace, f"{update}, an older version"
