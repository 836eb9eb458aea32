"""Rounds over a cluster: every namespace is resolved, its plans are carried out, and what has happened is noted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import olmsolve._attrs as attrs
from olmsolve._limits import checked
from olmsolve._near_names import did_you_mean, similar_names
from olmsolve._records import evolve
from olmsolve.catalog import Catalog
from olmsolve.classic import HealthPolicy
from olmsolve.cluster import PROVIDED_APIS_ANNOTATION, ClusterState, Hindrance, NamespaceObjects, reported_in_cluster
from olmsolve.cluster.install_plans import old_plans
from olmsolve.cluster.objects import (
    ClusterServiceVersion,
    CustomResourceDefinition,
    InstallPlan,
    OperatorGroup,
    SubscriptionObject,
)
from olmsolve.errors import RequestError
from olmsolve.lifecycle.effects import (
    Entry,
    as_found,
    has_copies,
    operator_keys,
    plans_carried_out,
    reason_of,
    retargeted,
    settled,
    with_copies,
    without_going,
)
from olmsolve.lifecycle.simulation.circles import Circle, Digests, came_back, turning
from olmsolve.lifecycle.simulation.model import (
    CrdChange,
    Ending,
    GroupChange,
    NamespacePass,
    OperatorChange,
    Simulation,
    SimulationSettings,
    SimulationStep,
    SubscriptionChange,
)
from olmsolve.lifecycle.simulation.passes import (
    OperatorsUnsettled,
    deprecation_changes,
    left_over,
    namespace_pass,
    noted_in,
    prospective_pass,
)
from olmsolve.requests import ClusterSituation, Contents, namespaces_with_subscriptions, refuse_unknown_contents


def simulate_cluster(
    cluster: ClusterSituation,
    settings: SimulationSettings,
    *,
    namespaces: Iterable[str] | None = None,
    is_only: bool = True,
) -> Simulation:
    """Simulate the objects of *cluster*, as :func:`~olmsolve.lifecycle.simulation.simulate` says.

    Where a namespace is not the only thing that is asked about (*is_only*), it stays unresolved if its catalogs have
    no content.

    Raises:
        RequestError: a content has no catalog, a namespace no subscription, or no operator has the name of one that is
            to fail.
        ManifestError: a catalog that a namespace sees has no content (under the strict health policy).
    """
    chosen = _chosen(cluster.state, namespaces)
    if is_only:
        refuse_unknown_contents(cluster.contents, cluster.state)
        if cluster.health_policy is HealthPolicy.STRICT:
            for namespace in cluster.namespaces if chosen is None else chosen:
                cluster.refuse_missing_contents(NamespaceObjects.picked_from(cluster.state, namespace))
    return _Simulating(cluster, chosen, settings).run()


def _chosen(state: ClusterState, namespaces: Iterable[str] | None) -> tuple[str, ...] | None:
    """Return *namespaces* in their order, None where the whole cluster is simulated."""
    if namespaces is None:
        return None
    with_subscriptions = namespaces_with_subscriptions(state)
    chosen = tuple(dict.fromkeys(namespaces))
    for name in chosen:
        if name not in with_subscriptions:
            hint = (
                f"there are some in {', '.join(with_subscriptions[:10])}"
                if with_subscriptions
                else "no subscription is among the cluster's objects"
            )
            raise RequestError(f"no subscription is in {name!r}", field="namespaces", hint=hint)
    return chosen


class _Simulating:
    """The simulation of the *chosen* namespaces, or (None) of all that a cluster has at the time."""

    def __init__(self, cluster: ClusterSituation, chosen: tuple[str, ...] | None, settings: SimulationSettings) -> None:
        self._cluster, self._chosen, self._settings = cluster, chosen, settings
        self._contents = cluster.contents
        self._digests = Digests()
        self._stuck = False
        self._operator_count = self._operator_passes = 0

    def _resolved_in(self, state: ClusterState) -> tuple[str, ...]:
        """Return the namespaces that OLM resolves: a plan can bring a subscription, a deletion take the last one."""
        namespaces = namespaces_with_subscriptions(state)
        return namespaces if self._chosen is None else tuple(name for name in self._chosen if name in namespaces)

    def _planned_in(self, state: ClusterState) -> tuple[str, ...]:
        """Return the namespaces whose plans OLM carries out: it asks a plan for no subscription."""
        if self._chosen is not None:
            return self._chosen
        return tuple(dict.fromkeys((*self._resolved_in(state), *(plan.namespace for plan in state.all(InstallPlan)))))

    def _at(self, state: ClusterState) -> ClusterSituation:
        return attrs.evolve(self._cluster, state=state)

    def run(self) -> Simulation:
        state = self._cluster.state
        refuse_unknown_failing(self._settings.failing, state, self._contents, self._planned_in(state))
        self._copies = has_copies(state)
        state = self._start = self._copied(self._with_deprecations(as_found(state)))
        seen = {self._digests.digest_of(state): 0}
        steps: list[SimulationStep] = []
        while True:
            step = self._round(state, len(steps) + 1)
            if step.digest == (steps[-1].digest if steps else next(iter(seen))):
                # Keep the state before this step, which made at most one more plan without effect.
                resting_state = _without_old_plans(_with_approved(state, step.state), self._resolved_in(state))
                since, circles = came_back(steps, resting_state)
                how = Ending.CYCLE if circles else Ending.REST
                return self._ended(steps, how, resting_state, step, since, circles)
            steps.append(step)
            state = step.state
            # The state was there before, and the same state takes the same steps: from here on everything repeats
            # itself.
            if step.digest in seen:
                since = seen[step.digest]
                return self._ended(steps, Ending.CYCLE, state, step, since, turning(steps[since:]))
            seen[step.digest] = step.number
            if len(steps) >= self._settings.most_steps or self._stuck:
                return self._ended(steps, Ending.LIMIT, state, step)

    def _with_deprecations(self, state: ClusterState) -> ClusterState:
        names = self._resolved_in(state)
        return state.having(
            *(change for name in checked(names) for change in deprecation_changes(state, self._contents, name))
        )

    def _copied(self, state: ClusterState) -> ClusterState:
        return with_copies(state) if self._copies else state

    def _ended(
        self,
        steps: Sequence[SimulationStep],
        how: Ending,
        state: ClusterState,
        last: SimulationStep,
        repeats: int | None = None,
        circles: Iterable[Circle] = (),
    ) -> Simulation:
        passes = self._prospects(state, last)
        hindrances = left_over(state, passes, self._resolved_in(state), everywhere=self._chosen is None)
        unsettled = (trouble for trouble in last.troubles if isinstance(trouble, OperatorsUnsettled))
        troubles = (*circles, *unsettled, *hindrances)
        return Simulation(
            tuple(steps),
            how,
            state,
            passes,
            troubles,
            repeats,
            reports=self._reports(),
            start=self._start,
            is_unchanging=how is Ending.REST and last.state == state,
            operator_count=self._operator_count,
            operator_passes=self._operator_passes,
        )

    def _reports(self) -> tuple[Hindrance, ...]:
        before = self._cluster
        names = checked(self._resolved_in(before.state))
        return tuple(
            report for name in names for report in reported_in_cluster(before.state, name, before.global_namespace)
        )

    def _prospects(self, state: ClusterState, last: SimulationStep) -> tuple[NamespacePass, ...]:
        """Return the *last* passes; a namespace that waits in its pass says whether it could be resolved otherwise.

        A plan that waits would hide what keeps all later updates away.
        """
        cluster = self._at(state)
        return tuple(
            pass_ if pass_.request is not None or pass_.error else prospective_pass(pass_, cluster, self._settings)
            for pass_ in last.passes
        )

    def _round(self, before: ClusterState, number: int) -> SimulationStep:
        state, gone = without_going(before)
        names = self._resolved_in(state)
        state = state.having(*(subscription for name in checked(names) for subscription in noted_in(state, name)))
        cluster = self._at(state)
        passes = [namespace_pass(cluster, name, self._settings) for name in checked(names)]
        for position, pass_ in enumerate(checked(passes)):
            named_pass = _with_plan_name(pass_, state)
            passes[position] = named_pass
            state = state.having(
                *named_pass.sync.subscriptions, *([named_pass.sync.plan] if named_pass.sync.plan else [])
            )
        approve = self._settings.approve
        kubernetes = self._cluster.policy.kubernetes
        planned = self._planned_in(state)
        state, failed = plans_carried_out(state, planned, self._contents, approve=approve, kubernetes=kubernetes)
        troubles: list[Hindrance] = [*failed]
        # Every operator is judged again: a plan or an administrator may have changed its group, or another's APIs.
        state = retargeted(state)
        keys = tuple(operator_keys(state))
        outcome = settled(state, keys, self._settings.failing, self._cluster.policy.kubernetes)
        state = self._copied(outcome.state)
        self._stuck = bool(outcome.pending)
        self._operator_count = max(self._operator_count, len(keys))
        self._operator_passes = max(self._operator_passes, outcome.passes)
        if outcome.pending:
            troubles.append(OperatorsUnsettled("", len(outcome.pending), outcome.passes))
        names = self._resolved_in(state)
        state = state.having(*(subscription for name in checked(names) for subscription in noted_in(state, name)))
        state = _without_old_plans(self._with_deprecations(state), names)
        return SimulationStep(
            number=number,
            passes=tuple(passes),
            operators=tuple(_operator_changes(before, state, (*gone, *outcome.log))),
            subscriptions=tuple(_subscription_changes(before, state)),
            crds=tuple(_crd_changes(before, state)),
            groups=tuple(_group_changes(before, state)),
            troubles=tuple(troubles),
            digest=self._digests.digest_of(state),
            state=state,
        )


def _without_old_plans(state: ClusterState, namespaces: Iterable[str]) -> ClusterState:
    old = (old_plans(state.all(InstallPlan, name)) for name in checked(namespaces))
    return state.without(*(plan for plans in old for plan in plans))


def _with_approved(state: ClusterState, after: ClusterState) -> ClusterState:
    """Return *state* with the plans that waited in it and were approved until *after*.

    OLM never looks at a plan without steps, but it waits for nobody any more.
    """
    waiting = [plan for plan in state.all(InstallPlan) if plan.phase == "RequiresApproval"]
    later = (after.get(InstallPlan, plan.namespace, plan.name) for plan in waiting)
    return state.having(*(plan for plan in later if plan is not None and plan.approved))


def _with_plan_name(pass_: NamespacePass, state: ClusterState) -> NamespacePass:
    """Return *pass_* with a name for its new plan, as the cluster would make one."""
    plan = pass_.sync.plan
    if plan is None:
        return pass_
    name = base = f"install-{plan.spec_generation}"
    count = 0
    # A cluster ends the name with random letters; here it has to be the same in each run.
    while state.get(InstallPlan, plan.namespace, name) is not None:
        count += 1
        name = f"{base}-{count}"
    subscriptions = tuple(
        evolve(subscription, install_plan=name) if subscription.install_plan == "install-" else subscription
        for subscription in pass_.sync.subscriptions
    )
    named = evolve(plan, metadata=evolve(plan.metadata, name=name))
    return evolve(pass_, sync=attrs.evolve(pass_.sync, subscriptions=subscriptions, plan=named))


def _operator_changes(before: ClusterState, after: ClusterState, log: Iterable[Entry]) -> Iterator[OperatorChange]:
    phases: dict[tuple[str, str], list[str]] = {}
    reasons: dict[tuple[str, str], str] = {}
    for csv in after.all(ClusterServiceVersion):
        if not csv.is_copied and before.get(ClusterServiceVersion, csv.namespace, csv.name) is None:
            phases[csv.namespace, csv.name] = [""]
    for namespace, name, phase, why in log:
        key = namespace, name
        if key not in phases:
            former = before.get(ClusterServiceVersion, namespace, name)
            phases[key] = [former.phase if former is not None else ""]
        phases[key].append(phase)
        reasons[key] = why
    for csv in after.all(ClusterServiceVersion):
        former = before.get(ClusterServiceVersion, csv.namespace, csv.name)
        if former is not None and not csv.is_copied and reason_of(former) != reason_of(csv):
            # The reason alone has changed.
            phases.setdefault((csv.namespace, csv.name), [csv.phase])
    for namespace, name in sorted(phases):
        now = after.get(ClusterServiceVersion, namespace, name)
        why = reason_of(now) if now is not None else reasons.get((namespace, name), "")
        if now is not None and phases[namespace, name] == [""]:
            phases[namespace, name].append(now.phase)
        yield OperatorChange(namespace, name, tuple(phases[namespace, name]), why)


def _subscription_changes(before: ClusterState, after: ClusterState) -> Iterator[SubscriptionChange]:
    for subscription in after.all(SubscriptionObject):
        earlier = before.get(SubscriptionObject, subscription.namespace, subscription.name)
        if earlier != subscription:
            yield SubscriptionChange(earlier, subscription)


def _group_changes(before: ClusterState, after: ClusterState) -> Iterator[GroupChange]:
    for group in after.all(OperatorGroup):
        earlier = before.get(OperatorGroup, group.namespace, group.name)
        assert earlier is not None, "no plan creates operator groups"
        if earlier != group:
            yield GroupChange(group.namespace, group.name, _surface(earlier), _surface(group))


def _surface(group: OperatorGroup) -> tuple[tuple[str, ...], str]:
    return group.namespaces, group.metadata.annotations.get(PROVIDED_APIS_ANNOTATION, "")


def _crd_changes(before: ClusterState, after: ClusterState) -> Iterator[CrdChange]:
    for crd in after.all(CustomResourceDefinition):
        earlier = before.get(CustomResourceDefinition, "", crd.name)
        versions = tuple(version.name for version in crd.versions)
        old = () if earlier is None else tuple(version.name for version in earlier.versions)
        if earlier is None or old != versions:
            yield CrdChange(crd.name, old, versions)


def refuse_unknown_failing(
    failing: Iterable[str], state: ClusterState, contents: Contents, namespaces: Sequence[str]
) -> None:
    """Raise a RequestError for a member of *failing* (``namespace/name``) that no step can install.

    A step can install, in each of the simulated *namespaces*, the bundles of *contents* and the operators of its
    install plans; an operator that is there already may be on its way to work.
    """
    for key in sorted(failing):
        namespace, slash, name = key.partition("/")
        if not slash or not namespace or not name:
            raise _fault(key, "is not of the form NAMESPACE/NAME", "for example shop/ledger.v2.0.1")
        present = {csv.name for csv in state.all(ClusterServiceVersion, namespace) if not csv.is_copied}
        if name in present:
            continue
        if namespace not in namespaces:
            near = [f"{similar}/{name}" for similar in similar_names(namespace, namespaces)]
            hint = did_you_mean(near) or f"simulated are {', '.join(namespaces[:10])}"
            raise _fault(key, f"nothing is installed in namespace {namespace}", hint)
        present.update(csv_name for plan in state.all(InstallPlan, namespace) for csv_name in plan.csv_names)
        packages = [
            package
            for content in contents.values()
            if isinstance(content, Catalog)
            for package in content.packages.values()
        ]
        if name in present or any(name in package.bundles for package in packages):
            continue
        names = sorted(present.union(*(package.bundles for package in packages)))
        meant = did_you_mean([f"{namespace}/{similar}" for similar in similar_names(name, names)])
        raise _fault(key, "no catalog has a bundle of this name, and no such operator is installed", meant)


def _fault(key: str, reason: str, hint: str) -> RequestError:
    return RequestError(reason, field=f"failing {key}", hint=hint)
