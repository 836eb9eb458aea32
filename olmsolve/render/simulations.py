"""Simulations as text: the events of each step, in the order in which text and pages tell them, and the work left."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Literal, TypeAlias

import olmsolve._attrs as attrs
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
    # OLM has seen it happen, and what follows is computed.
    said = hindrances_text(simulation.reports, width=style.width, colour=style.colour)
    lines = [said, ""] if said else []
    for step in simulation.steps:
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
    for done in step.passes:
        by_namespace[done.namespace] += _pass_events(done)
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


def _pass_events(done: NamespacePass) -> Iterator[Event]:
    if done.error:
        yield Event("failure", done.namespace, f"not resolved: {done.error}")
    elif done.failure is not None:
        reasons = tuple(reason["text"] for reason in done.failure.to_dict()["constraints"])
        yield Event("failure", done.namespace, "cannot be resolved, because these cannot hold together:", reasons)
    plan = done.sync.plan
    if plan is not None and done.resolution is not None:
        approval = "manual" if plan.phase == "RequiresApproval" else "automatic"
        text = f"{plan.name} ({approval}): {_planned(done.resolution, plan.csv_names)}"
        yield Event("plan", done.namespace, text)


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
