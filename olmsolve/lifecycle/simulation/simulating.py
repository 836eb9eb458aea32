"""Rounds over a cluster: every namespace is resolved, its plans are carried out, and what has happened is noted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import attrs

from olmsolve.classic import HealthPolicy
from olmsolve.cluster import ClusterState
from olmsolve.cluster.catalogs import visible_namespaces
from olmsolve.cluster.install_plans import transition
from olmsolve.cluster.objects import (
    CatalogSource,
    ClusterServiceVersion,
    CustomResourceDefinition,
    InstallPlan,
    OperatorGroup,
    SubscriptionObject,
)
from olmsolve.cluster.operator_groups import ClusterGroups
from olmsolve.errors import ManifestError, RequestError
from olmsolve.lifecycle.simulation.applying import carried_out
from olmsolve.lifecycle.simulation.digests import Digests
from olmsolve.lifecycle.simulation.model import (
    CrdChange,
    Ending,
    NamespacePass,
    OperatorChange,
    Rules,
    Simulation,
    SimulationStep,
    SubscriptionChange,
)
from olmsolve.lifecycle.simulation.operators import Entry, as_found, reason_of, settled, unsettled
from olmsolve.lifecycle.simulation.passes import namespace_pass, noted
from olmsolve.requests import Contents, namespaces_with_subscriptions, refuse_unknown_contents

MOST_STEPS: Final = 1000
"""The bound on steps, where none is given."""
_RULES: Final = Rules()


def simulate(
    state: ClusterState,
    contents: Contents,
    rules: Rules = _RULES,
    *,
    namespaces: Iterable[str] | None = None,
    most_steps: int = MOST_STEPS,
) -> Simulation:
    """Carry out what is planned for the cluster *state*, and resolve again, until nothing changes.

    *contents* are the catalogs by ``namespace/name``, *namespaces* those to be resolved (default: all that have
    subscriptions); *rules* say what is assumed. A step is one round over all namespaces. A namespace that cannot be
    resolved stays as it is, and the others go on. The simulation always ends: a state that was there before is
    recognised, and *most_steps* bounds how many there are.

    Raises:
        RequestError: a content has no catalog, or a namespace no subscription.
        ManifestError: a catalog that a namespace sees has no content (under the strict health policy).
    """
    chosen = _chosen(state, namespaces)
    return _Simulating(contents, chosen, rules).run(state, most_steps)


def _chosen(state: ClusterState, namespaces: Iterable[str] | None) -> tuple[str, ...]:
    found = namespaces_with_subscriptions(state)
    if namespaces is None:
        return found
    chosen = tuple(dict.fromkeys(namespaces))
    for name in chosen:
        if name not in found:
            hint = f"there are some in {', '.join(found[:10])}" if found else "the cluster has no subscription"
            raise RequestError(f"no subscription is in {name!r}", field="namespaces", hint=hint)
    return chosen


class _Simulating:
    def __init__(self, contents: Contents, namespaces: tuple[str, ...], rules: Rules) -> None:
        self._contents, self._namespaces, self._rules = contents, namespaces, rules
        self._digests = Digests()
        self._stuck = False

    def run(self, state: ClusterState, most_steps: int) -> Simulation:
        _check_contents(state, self._contents, self._namespaces, self._rules)
        state = as_found(state)
        seen = {self._digests.of(state): 0}
        steps: list[SimulationStep] = []
        while True:
            step = self._round(state, len(steps) + 1)
            if step.digest == (steps[-1].digest if steps else next(iter(seen))):
                # Keep the state before this step, which made at most one more plan without effect.
                return self._ended(steps, Ending.REST, state, step)
            steps.append(step)
            state = step.state
            if step.digest in seen:
                return self._ended(steps, Ending.CYCLE, state, step, seen[step.digest])
            seen[step.digest] = step.number
            if len(steps) >= most_steps or self._stuck:
                return self._ended(steps, Ending.LIMIT, state, step)

    def _ended(
        self,
        steps: Sequence[SimulationStep],
        how: Ending,
        state: ClusterState,
        last: SimulationStep,
        repeats: int | None = None,
    ) -> Simulation:
        left = tuple(dict.fromkeys((*last.troubles, *_left(state, last.passes, self._namespaces))))
        return Simulation(tuple(steps), how, state, last.passes, left, repeats)

    def _round(self, before: ClusterState, number: int) -> SimulationStep:
        state = before.having(*(item for name in self._namespaces for item in noted(before, name)))
        groups = ClusterGroups(state)
        passes = [namespace_pass(state, self._contents, name, self._rules, groups) for name in self._namespaces]
        for position, done in enumerate(passes):
            named = _named(done, state)
            passes[position] = named
            state = state.having(*named.sync.subscriptions, *([named.sync.plan] if named.sync.plan else []))
        state, troubles = self._carried_out(state)
        fresh = self._fresh(before, state) if number > 1 else unsettled(state)
        outcome = settled(state, fresh, self._rules.failing)
        state = outcome.state
        self._stuck = bool(outcome.pending)
        if outcome.pending:
            count = len(outcome.pending)
            troubles.append(f"{count} operators had not come to rest after {outcome.passes} passes over all of them")
        state = state.having(*(item for name in self._namespaces for item in noted(state, name)))
        return SimulationStep(
            number=number,
            passes=tuple(passes),
            operators=tuple(_operator_changes(before, state, outcome.log)),
            subscriptions=tuple(_subscription_changes(before, state)),
            crds=tuple(_crd_changes(before, state)),
            troubles=tuple(troubles),
            digest=self._digests.of(state),
            state=state,
        )

    def _carried_out(self, state: ClusterState) -> tuple[ClusterState, list[str]]:
        """Return *state* after every plan that may be carried out, with a sentence for each plan that failed."""
        troubles = []
        for namespace in self._namespaces:
            for plan in state.all(InstallPlan, namespace):
                if plan.phase == "RequiresApproval" and (plan.approved or self._rules.approve):
                    plan = transition(attrs.evolve(plan, approved=True), now=plan.start_time)
                if plan.phase != "Installing":
                    continue
                state, done = carried_out(plan, state, self._contents)
                if done.phase == "Failed":
                    troubles.append(f"install plan {done.key} failed: {done.message}")
        return state, troubles

    def _fresh(self, before: ClusterState, after: ClusterState) -> set[tuple[str, str]]:
        """Return the operators that are new, and the operators that they replace."""
        fresh = set()
        for namespace in self._namespaces:
            for csv in after.all(ClusterServiceVersion, namespace):
                if before.get(ClusterServiceVersion, namespace, csv.name) is None:
                    fresh |= {(namespace, csv.name), (namespace, csv.replaces)}
        return fresh


def _named(done: NamespacePass, state: ClusterState) -> NamespacePass:
    """Return the pass *done* with a name for its new plan, as the cluster would make one."""
    plan = done.sync.plan
    if plan is None:
        return done
    name = base = f"install-{plan.spec_generation}"
    count = 0
    while state.get(InstallPlan, plan.namespace, name) is not None:
        count += 1
        name = f"{base}-{count}"
    subscriptions = tuple(
        attrs.evolve(item, install_plan=name) if item.install_plan == "install-" else item
        for item in done.sync.subscriptions
    )
    named = attrs.evolve(plan, metadata=attrs.evolve(plan.metadata, name=name))
    return attrs.evolve(done, sync=attrs.evolve(done.sync, subscriptions=subscriptions, plan=named))


def _operator_changes(before: ClusterState, after: ClusterState, log: Iterable[Entry]) -> Iterator[OperatorChange]:
    phases: dict[tuple[str, str], list[str]] = {}
    reasons: dict[tuple[str, str], str] = {}
    for csv in after.all(ClusterServiceVersion):
        if not csv.is_copied and before.get(ClusterServiceVersion, csv.namespace, csv.name) is None:
            phases[csv.namespace, csv.name] = [""]
    for namespace, name, phase, why in log:
        key = namespace, name
        if key not in phases:
            known = before.get(ClusterServiceVersion, namespace, name)
            phases[key] = [known.phase if known is not None else ""]
        phases[key].append(phase)
        reasons[key] = why
    for namespace, name in sorted(phases):
        now = after.get(ClusterServiceVersion, namespace, name)
        # The reason may have changed without a new phase.
        why = reason_of(now) if now is not None else reasons.get((namespace, name), "")
        yield OperatorChange(namespace, name, tuple(phases[namespace, name]), why)


def _subscription_changes(before: ClusterState, after: ClusterState) -> Iterator[SubscriptionChange]:
    for item in after.all(SubscriptionObject):
        known = before.get(SubscriptionObject, item.namespace, item.name)
        if known != item:
            yield SubscriptionChange(known, item)


def _crd_changes(before: ClusterState, after: ClusterState) -> Iterator[CrdChange]:
    for crd in after.all(CustomResourceDefinition):
        known = before.get(CustomResourceDefinition, "", crd.name)
        versions = tuple(version.name for version in crd.versions)
        old = () if known is None else tuple(version.name for version in known.versions)
        if known is None or old != versions:
            yield CrdChange(crd.name, old, versions)


def _left(state: ClusterState, passes: Iterable[NamespacePass], namespaces: Iterable[str]) -> Iterator[str]:
    """Yield a sentence for each thing in *state* that is not as its subscriptions want it."""
    for done in passes:
        if done.error:
            yield f"namespace {done.namespace} is not resolved: {done.error}"
        elif done.failure is not None:
            yield f"namespace {done.namespace} cannot be resolved: {_reasons(done.failure.to_dict())}"
    for namespace in namespaces:
        for plan in state.all(InstallPlan, namespace):
            if plan.phase == "RequiresApproval" and not plan.approved:
                yield f"install plan {plan.key} waits for approval: {', '.join(plan.csv_names) or 'nothing'}"
        for csv in state.all(ClusterServiceVersion, namespace):
            if csv.phase != "Succeeded" and not csv.is_copied:
                why = f" ({reason_of(csv)})" if csv.reason else ""
                yield f"operator {csv.key} is {csv.phase or 'unknown'}{why}"


def _reasons(failure: dict[str, Any]) -> str:
    return "; ".join(constraint["text"] for constraint in failure.get("constraints", ()))


def _check_contents(state: ClusterState, contents: Contents, namespaces: Iterable[str], rules: Rules) -> None:
    """Refuse a content without a catalog; and, where nothing else would be resolved, a catalog without content."""
    refuse_unknown_contents(contents, state, classic_only=True)
    if rules.health_policy is not HealthPolicy.STRICT:
        return
    for namespace in namespaces:
        groups = state.all(OperatorGroup, namespace)
        for where in visible_namespaces(namespace, groups, rules.global_namespace):
            for catalog in state.all(CatalogSource, where):
                if catalog.key not in contents:
                    raise ManifestError(
                        f"namespace {namespace} sees it, and its content was not given (--catalog {catalog.key}=PATH)",
                        source=str(catalog.origin or ""),
                        kind=catalog.KIND,
                        object=catalog.key,
                    )
