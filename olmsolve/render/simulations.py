"""Simulations, put in order for text and pages: the events of each step, the work left, and a timeline.

The timeline shows for each subscription and each extension what it had from which step to which. Column 0 is the
cluster as it was, column n the cluster after step n. An update in step 2 of three steps::

    ledger    0-1: ledger.v1.0.0    2-3: ledger.v1.1.0
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Literal, TypeAlias

import olmsolve._attrs as attrs
from olmsolve._limits import checked
from olmsolve.cluster import ClusterState
from olmsolve.cluster.objects import ClusterServiceVersion, SubscriptionObject
from olmsolve.lifecycle.simulation import (
    Circle,
    CrdChange,
    Ending,
    GroupChange,
    NamespacePass,
    OperatorChange,
    Simulation,
    SimulationStep,
    SubscriptionChange,
)
from olmsolve.render.extension import extension_simulation_text
from olmsolve.render.held_back import hindrances_text
from olmsolve.render.layout import Style, counted, paragraph, plain
from olmsolve.resolution import Candidate, Resolution
from olmsolve.v1 import ExtensionSimulation


def simulation_text(found: Simulation, *, width: int = 80, colour: bool = False) -> str:
    """Return the steps of *found* and its end as text; *width* is in characters."""
    style = Style(width, colour)
    parts: list[str] = []
    if found.steps or found.last or found.left or (found.extensions is None and not found.errors):
        parts.append(_namespaces_text(found, style))
    if found.extensions is not None:
        parts += [style.bold("Extensions of OLM v1:")] if parts else []
        parts.append(extension_simulation_text(found.extensions.to_dict(), width=width, colour=colour))
    for error in found.errors:
        lines = paragraph(str(error.error), style.width, indent="  ", hanging="      ")
        parts.append("\n".join((style.bold(plain(f"Not simulated: {error.question.name}")), *lines)))
    return "\n\n".join(parts)


def _namespaces_text(simulation: Simulation, style: Style) -> str:
    # What the cluster itself reports comes first, before the computed steps.
    hindrance_text = hindrances_text(simulation.reports, width=style.width, colour=style.colour)
    lines = [hindrance_text, ""] if hindrance_text else []
    for step in checked(simulation.steps):
        lines += [*_step_lines(step, style), ""]
    lines.append(style.bold(ending_text(simulation)))
    for waiting in simulation.left:
        lines += paragraph(str(waiting), style.width, indent="  ", hanging="      ")
    return "\n".join(lines)


def _step_lines(step: SimulationStep, style: Style) -> Iterator[str]:
    yield style.bold(f"Step {step.number}")
    for namespace, events in groupby(step_events(step), key=lambda event: event.namespace):
        if not namespace:
            for event in events:
                yield from paragraph(event.text, style.width, indent="  ", hanging="      ")
            continue
        yield plain(f"  Namespace {namespace}")
        for event in events:
            hanging = "      " if event.kind in ("failure", "plan") else "        "
            yield from paragraph(event.text, style.width, indent="    ", hanging=hanging)
            for reason in event.reasons:
                yield from paragraph(f"- {reason}", style.width, indent="      ", hanging="        ")


ARROW = " > "

EventKind: TypeAlias = Literal["failure", "plan", "group", "operator", "subscription", "crd", "trouble"]
"""A namespace is not resolved, or has a new plan; an object has changed; or a plan could not be carried out."""


@attrs.frozen
class Event:
    """One sentence about a step; *namespace* is "" for the whole cluster.

    *reasons* are the constraints of a failure; *phase* is the last phase of an operator, "" of everything else.
    """

    kind: EventKind
    namespace: str
    text: str
    reasons: tuple[str, ...] = ()
    phase: str = ""


def ending_text(simulation: Simulation) -> str:
    """Return how *simulation* ended, as a sentence without its full stop where a list of what is left follows."""
    steps = counted(len(simulation.steps), "step")
    if simulation.ended is Ending.CYCLE:
        before = f"after step {simulation.repeats}" if simulation.repeats else "before the first step"
        if any(isinstance(hindrance, Circle) and hindrance.stands for hindrance in simulation.left):
            return f"In a circle: after {steps}, the subscriptions are as they were {before}; this is left:"
        end = "; this is left:" if simulation.left else "."
        return f"Never at rest: after {steps}, the cluster is as it was {before}{end}"
    if simulation.ended is Ending.LIMIT:
        return f"Not at rest after {steps}, the limit."
    if not simulation.steps:
        what = "nothing changes" if simulation.left else "there is nothing to do"
        return f"At rest: {what}{'; this is left:' if simulation.left else '.'}"
    return f"At rest after {steps}{'; this is left:' if simulation.left else '.'}"


def step_events(step: SimulationStep) -> Iterator[Event]:
    """Yield the events of *step*: namespace by namespace in the order of their passes, then of the whole cluster."""
    # Namespaces in the order of their passes, then the ones where only groups or operators changed.
    namespaces = dict.fromkeys(pass_.namespace for pass_ in step.passes)
    namespaces.update(dict.fromkeys(group.namespace for group in step.groups))
    namespaces.update(dict.fromkeys(operator.namespace for operator in step.operators))
    by_namespace: dict[str, list[Event]] = {name: [] for name in namespaces}
    for pass_ in step.passes:
        by_namespace[pass_.namespace] += _pass_events(pass_)
    alone = namespaces.keys() - {operator.namespace for operator in step.operators}
    for group in step.groups:
        by_namespace[group.namespace] += _group_events(group, alone=group.namespace in alone)
    for change in step.operators:
        by_namespace[change.namespace].append(_operator_event(change))
    for subscription in step.subscriptions:
        if subscription.after.namespace in by_namespace:
            by_namespace[subscription.after.namespace] += _subscription_events(subscription)
    for events in by_namespace.values():
        yield from events
    for crd in step.crds:
        yield Event("crd", "", _crd_text(crd))
    for trouble in step.troubles:
        yield Event("trouble", "", str(trouble))


def _pass_events(pass_: NamespacePass) -> Iterator[Event]:
    if pass_.error:
        yield Event("failure", pass_.namespace, f"not resolved: {pass_.error}")
    elif pass_.failure is not None:
        reasons = tuple(reason["text"] for reason in pass_.failure.to_dict()["constraints"])
        yield Event("failure", pass_.namespace, "cannot be resolved, because these cannot hold together:", reasons)
    plan = pass_.sync.plan
    if plan is not None and pass_.resolution is not None:
        approval = "manual" if plan.phase == "RequiresApproval" else "automatic"
        text = f"{plan.name} ({approval}): {_planned(pass_.resolution, plan.csv_names)}"
        yield Event("plan", pass_.namespace, text)


def _planned(resolution: Resolution, names: tuple[str, ...]) -> str:
    replaced: dict[str, Candidate] = {install.name: old for old, install in resolution.replaced}
    return ", ".join(f"{name} for {replaced[name].name}" if name in replaced else name for name in names)


def _operator_event(change: OperatorChange) -> Event:
    phases = [phase or "new" for phase in change.phases]
    # A phase that is fine needs no reason.
    why = f" ({change.reason})" if phases[-1] not in ("Succeeded", "gone") and change.reason else ""
    return Event("operator", change.namespace, f"operator {change.name}: {ARROW.join(phases)}{why}", phase=phases[-1])


def _group_events(change: GroupChange, *, alone: bool) -> Iterator[Event]:
    """Yield what a group's targets have become; where the group changes *alone*, the APIs that it lost as well.

    The APIs of a group follow its operators, which have their own lines where they change.
    """
    (targets, apis), (now, apis_now) = change.before, change.after
    parts = [f"targets {_targets(targets)}{ARROW}{_targets(now)}"] if targets != now else []
    lost = sorted(set(apis.split(",")) - set(apis_now.split(",")) - {""})
    parts += [f"no longer provides {', '.join(lost)}"] if lost and alone else []
    if parts:
        yield Event("group", change.namespace, f"operator group {change.name}: {'; '.join(parts)}")


def _targets(namespaces: tuple[str, ...]) -> str:
    return "all namespaces" if namespaces == ("",) else ", ".join(namespaces) or "nothing"


def _subscription_events(change: SubscriptionChange) -> Iterator[Event]:
    before, after = change.before, change.after
    parts: list[str] = []
    if before is None:
        parts.append(f"new, has {after.installed_csv}" if after.installed_csv else "new")
    elif before.installed_csv != after.installed_csv:
        parts.append(f"has {before.installed_csv or 'nothing'}{ARROW}{after.installed_csv}")
    if after.current_csv != after.installed_csv and (before is None or before.current_csv != after.current_csv):
        parts.append(f"waits for {after.current_csv}")
    if parts:
        yield Event("subscription", after.namespace, f"subscription {after.name}: {', '.join(parts)}")


def _crd_text(change: CrdChange) -> str:
    after = ", ".join(change.after) or "no version"
    return f"CRD {change.name}: {', '.join(change.before) or 'new'}{ARROW}{after}"


NOTHING = "nothing"
"""The label of a span without an operator."""


@attrs.frozen
class Moment:
    """The state at one time: *label* names a bundle, *kind* is good, waits or bad, *note* says why."""

    label: str
    kind: str
    note: str = ""


@attrs.frozen
class Span:
    """The same *moment* from the column *first* to the column *last*."""

    first: int
    last: int
    moment: Moment


@attrs.frozen
class TimelineRow:
    """The *spans* of one subscription or extension, without a gap; *group* is its namespace, "" for an extension."""

    group: str
    name: str
    spans: tuple[Span, ...]

    @property
    def is_still(self) -> bool:
        """Whether the row has one span from beginning to end, and that span is good."""
        return len(self.spans) == 1 and self.spans[0].moment.kind == "good"


def subscription_rows(simulation: Simulation, columns: int) -> tuple[TimelineRow, ...]:
    """Return a row for each subscription of *simulation*, as far as the column *columns*, by namespace and name."""
    steps = simulation.steps[:columns]
    moments: dict[tuple[str, str], list[tuple[int, Moment]]] = {}
    owners: dict[tuple[str, str], set[tuple[str, str]]] = {}

    def note(state: ClusterState, column: int, subscription: SubscriptionObject) -> None:
        key = subscription.namespace, subscription.name
        for name in (subscription.installed_csv, subscription.current_csv):
            owners.setdefault((subscription.namespace, name), set()).add(key)
        moment = _moment(state, subscription)
        history = moments.setdefault(key, [] if column == 0 else [(0, Moment(NOTHING, "good"))])
        if not history or history[-1][1] != moment:
            history.append((column, moment))

    for subscription in simulation.start.all(SubscriptionObject):
        note(simulation.start, 0, subscription)
    for column, step in enumerate(steps, start=1):
        touched = {(subscription.after.namespace, subscription.after.name) for subscription in step.subscriptions}
        for change in step.operators:
            touched |= owners.get((change.namespace, change.name), set())
        for namespace, name in sorted(touched):
            after = step.state.get(SubscriptionObject, namespace, name)
            if after is not None:
                note(step.state, column, after)
    return tuple(
        TimelineRow(namespace, name, _spans(moments[namespace, name], len(steps)))
        for namespace, name in sorted(moments)
    )


def extension_rows(simulation: ExtensionSimulation, columns: int) -> tuple[TimelineRow, ...]:
    """Return a row for each extension of *simulation*, as far as the column *columns*, in the order of their names."""
    moments: dict[str, list[tuple[int, Moment]]] = {}
    for round_ in simulation.rounds[:columns]:
        for update in round_.updates:
            name = update.extension or update.package
            history = moments.setdefault(name, [(0, Moment(update.before or NOTHING, "good"))])
            history.append((round_.number, Moment(update.bundle, "good")))
    for resting in simulation.resting:
        moments.setdefault(resting.extension or resting.package, [(0, Moment(resting.bundle, "good"))])
    for failed in simulation.failed:
        name = failed.extension or failed.package
        history = moments.setdefault(name, [(0, Moment(NOTHING, "bad"))])
        column, moment = history[-1]
        history[-1] = (column, Moment(moment.label, "bad", str(failed.error)))
    last = len(simulation.rounds[:columns])
    return tuple(TimelineRow("", name, _spans(moments[name], last)) for name in sorted(moments))


def _spans(moments: Sequence[tuple[int, Moment]], last: int) -> tuple[Span, ...]:
    ends: Iterable[int] = [*(column - 1 for column, _ in moments[1:]), last]
    return tuple(Span(first, end, moment) for (first, moment), end in zip(moments, ends, strict=True))


def _moment(state: ClusterState, subscription: SubscriptionObject) -> Moment:
    current, pending = subscription.installed_csv, subscription.current_csv
    csv = state.get(ClusterServiceVersion, subscription.namespace, current) if current else None
    label = current or NOTHING
    if csv is not None and csv.phase not in ("Succeeded", ""):
        return Moment(label, "bad", ": ".join(filter(None, (csv.phase, csv.reason, csv.message))))
    if pending and pending != current:
        following = state.get(ClusterServiceVersion, subscription.namespace, pending)
        phase = following.phase if following is not None else ""
        failed = phase == "Failed"
        return Moment(label, "bad" if failed else "waits", f"{pending} {'failed' if failed else 'is to come'}")
    if any(
        condition.type == "ResolutionFailed" and condition.status == "True" for condition in subscription.conditions
    ):
        return Moment(label, "bad", "its namespace cannot be resolved")
    return Moment(label, "good")
