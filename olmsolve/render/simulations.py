"""Simulations as text: the events of each step, and the work left at the end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from olmsolve.lifecycle.simulation import (
    CrdChange,
    Ending,
    GroupChange,
    NamespacePass,
    OperatorChange,
    Simulation,
    SimulationStep,
    SubscriptionChange,
)
from olmsolve.render.extension_simulation import extension_simulation_text
from olmsolve.render.layout import Style, paragraph, plain
from olmsolve.resolution import Candidate, Resolution

_ARROW: Final = " > "


def simulation_text(found: Simulation, *, width: int = 80, colour: bool = False) -> str:
    """Return the steps of *found* and its end as text; *width* is in characters."""
    style = Style(width, colour)
    parts: list[str] = []
    if found.steps or found.last or found.left or (found.extensions is None and not found.errors):
        parts.append(_namespaces_text(found, style))
    if found.extensions is not None:
        parts += [style.bold("Extensions of OLM v1:")] if parts else []
        parts.append(extension_simulation_text(found.extensions.to_dict(), width=width, colour=colour))
    for each in found.errors:
        lines = paragraph(str(each.error), style.width, indent="  ", hanging="      ")
        parts.append("\n".join((style.bold(plain(f"Not simulated: {each.question.name}")), *lines)))
    return "\n\n".join(parts)


def _namespaces_text(found: Simulation, style: Style) -> str:
    lines: list[str] = []
    for step in found.steps:
        lines += [*_step_lines(step, style), ""]
    lines.append(style.bold(_end_line(found)))
    for each in found.left:
        lines += paragraph(str(each), style.width, indent="  ", hanging="      ")
    return "\n".join(lines)


def _end_line(found: Simulation) -> str:
    count = len(found.steps)
    steps = f"{count} step{'' if count == 1 else 's'}"
    if found.ended is Ending.CYCLE:
        before = f"after step {found.repeats}" if found.repeats else "before the first step"
        return f"Never at rest: after {steps} the cluster is as it was {before}."
    if found.ended is Ending.LIMIT:
        return f"Not at rest after {steps}, the most that were asked for."
    if not count:
        what = "nothing changes" if found.left else "there is nothing to do"
        return f"At rest: {what}{'; this is left:' if found.left else '.'}"
    return f"At rest after {steps}{'; this is left:' if found.left else '.'}"


def _step_lines(step: SimulationStep, style: Style) -> Iterator[str]:
    yield style.bold(f"Step {step.number}")
    # Namespaces in the order of their passes, then the ones where only groups or operators changed.
    namespaces = dict.fromkeys(each.namespace for each in step.passes)
    namespaces.update(dict.fromkeys(each.namespace for each in step.groups))
    namespaces.update(dict.fromkeys(each.namespace for each in step.operators))
    passes = {each.namespace: each for each in step.passes}
    for namespace in namespaces:
        done = passes.get(namespace)
        lines = [] if done is None else list(_pass_lines(done, style))
        operators = [change for change in step.operators if change.namespace == namespace]
        for group in step.groups:
            if group.namespace == namespace:
                lines += _group_lines(group, style, alone=not operators)
        for change in operators:
            lines += _operator_lines(change, style)
        for subscription in step.subscriptions:
            if subscription.after.namespace == namespace:
                lines += _subscription_lines(subscription, style)
        if lines:
            yield plain(f"  Namespace {namespace}")
            yield from lines
    for crd in step.crds:
        yield from paragraph(_crd_line(crd), style.width, indent="  ", hanging="      ")
    for trouble in step.troubles:
        yield from paragraph(str(trouble), style.width, indent="  ", hanging="      ")


def _pass_lines(done: NamespacePass, style: Style) -> Iterator[str]:
    def sentence(text: str) -> list[str]:
        return paragraph(text, style.width, indent="    ", hanging="      ")

    if done.error:
        yield from sentence(f"not resolved: {done.error}")
    elif done.failure is not None:
        yield from sentence("cannot be resolved, because these cannot hold together:")
        for reason in done.failure.to_dict()["constraints"]:
            yield from paragraph(f"- {reason['text']}", style.width, indent="      ", hanging="        ")
    plan = done.sync.plan
    if plan is not None and done.resolution is not None:
        approval = "manual" if plan.phase == "RequiresApproval" else "automatic"
        yield from sentence(f"{plan.name} ({approval}): {_planned(done.resolution, plan.csv_names)}")


def _planned(resolution: Resolution, names: tuple[str, ...]) -> str:
    replaced: dict[str, Candidate] = {install.name: old for old, install in resolution.replaced}
    return ", ".join(f"{name} for {replaced[name].name}" if name in replaced else name for name in names)


def _operator_lines(change: OperatorChange, style: Style) -> Iterator[str]:
    phases = [phase or "new" for phase in change.phases]
    # A phase that is fine needs no reason.
    why = f" ({change.reason})" if phases[-1] not in ("Succeeded", "gone") and change.reason else ""
    text = f"operator {change.name}: {_ARROW.join(phases)}{why}"
    yield from paragraph(text, style.width, indent="    ", hanging="        ")


def _group_lines(change: GroupChange, style: Style, *, alone: bool) -> Iterator[str]:
    """Yield what a group's targets have become; where the group changes *alone*, the APIs that it lost as well.

    The APIs of a group follow its operators, which have their own lines where they change.
    """
    (targets, apis), (now, apis_now) = change.before, change.after
    parts = [f"targets {_targets(targets)}{_ARROW}{_targets(now)}"] if targets != now else []
    lost = sorted(set(apis.split(",")) - set(apis_now.split(",")) - {""})
    parts += [f"provides {', '.join(lost)} no more"] if lost and alone else []
    if parts:
        text = f"operator group {change.name}: {'; '.join(parts)}"
        yield from paragraph(text, style.width, indent="    ", hanging="        ")


def _targets(namespaces: tuple[str, ...]) -> str:
    return "all namespaces" if namespaces == ("",) else ", ".join(namespaces) or "nothing"


def _subscription_lines(change: SubscriptionChange, style: Style) -> Iterator[str]:
    before, after = change.before, change.after
    parts: list[str] = []
    if before is None:
        parts.append(f"new, has {after.installed_csv}" if after.installed_csv else "new")
    elif before.installed_csv != after.installed_csv:
        parts.append(f"has {before.installed_csv or 'nothing'}{_ARROW}{after.installed_csv}")
    if after.current_csv != after.installed_csv and (before is None or before.current_csv != after.current_csv):
        parts.append(f"waits for {after.current_csv}")
    if parts:
        text = f"subscription {after.name}: {', '.join(parts)}"
        yield from paragraph(text, style.width, indent="    ", hanging="        ")


def _crd_line(change: CrdChange) -> str:
    after = ", ".join(change.after) or "no version"
    return f"CRD {change.name}: {', '.join(change.before) or 'new'}{_ARROW}{after}"
