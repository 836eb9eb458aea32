"""Simulations as text: the events of each step, and the work left at the end."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from olmsolve.lifecycle.simulation import Simulation, SimulationStep
from olmsolve.render.extension_simulation import extension_simulation_text
from olmsolve.render.layout import Style, paragraph, plain
from olmsolve.render.simulation_events import ending_text, step_events


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
    lines.append(style.bold(ending_text(found)))
    for each in found.left:
        lines += paragraph(str(each), style.width, indent="  ", hanging="      ")
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
