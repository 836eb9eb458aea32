"""Simulations as pages: a timeline of all operators, each step by itself, and what is left at the end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from olmsolve.lifecycle.simulation import Simulation, SimulationStep
from olmsolve.render.held_back import held_back_groups
from olmsolve.render.html.page import Markup, bounded_list, element, joined, mark, page, shortened, unanswered_section
from olmsolve.render.layout import counted
from olmsolve.render.simulations import (
    Event,
    EventKind,
    Span,
    TimelineRow,
    ending_text,
    extension_rows,
    step_events,
    subscription_rows,
)
from olmsolve.resolution import MOST_REASONS
from olmsolve.v1 import ExtensionRound, ExtensionSimulation

# Nobody turns more pages than this; the JSON form has every step.
_MOST_STEPS: Final = 200

_MARKS: Final[dict[EventKind, tuple[str, str]]] = {
    "failure": ("bad", "not resolved"),
    "plan": ("update", "install plan"),
    "trouble": ("bad", "failed"),
}
_PHASES: Final = {"Succeeded": "good", "gone": "kept", "Failed": "bad"}


def simulation_html(found: Simulation, *, about: Sequence[str] = ()) -> str:
    """Return *found* as an HTML document that ends with a line end.

    The arrow keys left and right go from step to step. Of more than 200 steps the first 200 are shown.
    *about* says what the page was made of (files, catalogs).
    """
    rows = subscription_rows(found, _MOST_STEPS)
    body: list[Markup] = [_counts(found, rows)]
    if found.reports:
        said = bounded_list(map(str, found.reports), "line")
        body.append(element("section", element("h2", "The cluster's objects say"), said))
    has_namespaces = bool(found.steps or found.last or found.left)
    if found.steps:
        sections = list(_step_sections(found.steps[:_MOST_STEPS]))
        body.append(_player("Steps", "Step", "subscription", rows, sections, len(found.steps)))
    if has_namespaces:
        body.append(_end(found))
    if found.extensions is not None:
        body += _extensions(found.extensions)
    body += unanswered_section("Not simulated", found.errors)
    title = ending_text(found).rstrip(".:") if has_namespaces or found.extensions is None else "Extensions at rest"
    title = title.removesuffix("; this is left")
    return page(title, [element("main", *body)], about=about, styles=["timeline"], scripts=["timeline"])


def _counts(simulation: Simulation, rows: Sequence[TimelineRow]) -> Markup:
    """Return the counts of what has changed and what is left."""
    shown = [("update", counted(len(simulation.steps), "step"))] if simulation.steps else []
    changed = sum(len({span.moment.label for span in row.spans}) > 1 for row in rows)
    shown += [("good", f"{counted(changed, 'subscription')} updated")] if changed else []
    shown += [("waits", f"{len(simulation.left):,} left over")] if simulation.left else []
    if simulation.extensions is not None:
        updated = {update.extension for round_ in simulation.extensions.rounds for update in round_.updates}
        shown += [("update", f"{counted(len(updated), 'extension')} updated")] if updated else []
        failed = len(simulation.extensions.failed)
        shown += [("bad", f"{counted(failed, 'extension')} fail{'s' if failed == 1 else ''}")] if failed else []
    return element("p", joined((mark(kind, label) for kind, label in shown), " "), class_="counts")


def _player(
    heading: str, noun: str, member: str, rows: Sequence[TimelineRow], sections: Sequence[Markup], total: int
) -> Markup:
    """Return the timeline of *rows* and the *sections* of its columns, with buttons that go from one to the next.

    *noun* names a column, *member* a row, and *total* is how many columns there would be without a bound.
    """
    last = len(sections)
    moving = [row for row in rows if not row.is_still]
    still = [row for row in rows if row.is_still]
    parts: list[Markup] = [element("h2", heading)]
    if moving:
        label = f"timeline of the {member}s"
        table = _table(noun, moving, last)
        parts.append(element("div", table, class_="scroll timeline", tabindex=0, role="group", aria_label=label))
    if still:
        lines = [
            element(
                "li", "/".join(filter(None, (row.group, row.name))), " ", element("code", row.spans[0].moment.label)
            )
            for row in still
        ]
        text = f"{counted(len(still), member)} without a change"
        parts.append(element("details", element("summary", text), element("ul", *lines), class_="still"))
    parts.append(
        element(
            "p",
            element("button", "← before", type="button", data_go="-1"),
            element("span", "", class_="at-step", role="status", aria_live="polite"),
            element("button", "next →", type="button", data_go="1"),
            class_="turn",
            hidden=True,
        )
    )
    parts += sections
    if total > last:
        parts.append(element("p", f"Steps {last + 1:,} to {total:,} are in the JSON form only.", class_="soft"))
    return element("section", *parts, data_player=noun, data_last=last)


def _table(noun: str, rows: Sequence[TimelineRow], last: int) -> Markup:
    heads = [element("th", "", scope="col", class_="name"), element("th", "now", scope="col", data_column=0)]
    heads += [
        element(
            "th",
            element("a", str(number), href=f"#{noun.lower()}-{number}", aria_label=f"{noun} {number}"),
            scope="col",
            data_column=number,
        )
        for number in range(1, last + 1)
    ]
    bodies: list[Markup] = []
    for group, members in groupby(rows, key=lambda row: row.group):
        lines = [_timeline_row(row) for row in members]
        if group:
            name = element("th", element("code", group), scope="rowgroup", class_="name", colspan=1)
            lines.insert(0, element("tr", name, element("td", colspan=last + 1), class_="group"))
        bodies.append(element("tbody", *lines))
    return element("table", element("thead", element("tr", *heads)), *bodies)


def _timeline_row(row: TimelineRow) -> Markup:
    return element("tr", element("th", row.name, scope="row", class_="name"), *(_cell(row, span) for span in row.spans))


def _cell(row: TimelineRow, span: Span) -> Markup:
    moment = span.moment
    changed = " changed" if span.first else ""
    tooltip = f"{row.name}: {moment.label}{f' ({shortened(moment.note)})' if moment.note else ''}"
    signs = {"bad": "✗ ", "waits": "… ", "good": ""}
    return element(
        "td",
        element("span", f"{signs[moment.kind]}{moment.label}", class_=f"span {moment.kind}{changed}", title=tooltip),
        colspan=span.last - span.first + 1,
        data_from=span.first,
        data_to=span.last,
    )


def _step_sections(steps: Iterable[SimulationStep]) -> Iterator[Markup]:
    """Yield a section for each step; a failure of a namespace is reported at its first step only."""
    first_failures: dict[str, tuple[int, Event]] = {}
    for step in steps:
        parts: list[Markup] = [element("h3", f"Step {step.number}")]
        for namespace, events in groupby(step_events(step), key=lambda event: event.namespace):
            lines: list[Markup] = []
            for event in events:
                since, first_failure = first_failures.get(namespace, (0, None))
                if event.kind == "failure" and event == first_failure:
                    lines.append(_line(Event("failure", namespace, f"still as in step {since}")))
                    continue
                if event.kind == "failure":
                    first_failures[namespace] = step.number, event
                lines.append(_line(event))
            heading = element("h4", "Namespace ", element("code", namespace)) if namespace else element("h4", "Cluster")
            parts += [heading, element("ul", *lines, class_="events")]
        yield element("section", *parts, id=f"step-{step.number}", class_="step", data_step=step.number)


def _line(event: Event) -> Markup:
    kind, label = _MARKS.get(event.kind, ("kept", "changed"))
    if event.phase:
        kind, label = _PHASES.get(event.phase, "waits"), event.phase
    inside: list[str] = [mark(kind, label), " ", shortened(event.text)]
    if event.reasons:
        inside.append(bounded_list(event.reasons[:MOST_REASONS], "constraint"))
    if len(event.reasons) > MOST_REASONS:
        inside.append(f"... and {len(event.reasons) - MOST_REASONS} more")
    return element("li", *inside)


def _end(simulation: Simulation) -> Markup:
    parts = [element("h2", "At the end"), element("p", ending_text(simulation))]
    if simulation.left:
        parts.append(bounded_list(map(str, simulation.left), "line", class_="left"))
    return element("section", *parts)


def _extensions(simulation: ExtensionSimulation) -> Iterator[Markup]:
    rows = extension_rows(simulation, _MOST_STEPS)
    sections = [_round_section(round_) for round_ in simulation.rounds[:_MOST_STEPS]]
    if sections:
        yield _player("Extensions of OLM v1", "Round", "extension", rows, sections, len(simulation.rounds))
    else:
        yield element("h2", "Extensions of OLM v1")
        yield bounded_list((f"{row.name}: {row.spans[0].moment.label}" for row in rows), "extension")
    troubles = [f"{failure.extension or failure.package} fails: {failure.error}" for failure in simulation.failed]
    for resting in simulation.resting:
        groups = held_back_groups([bundle.to_dict() for bundle in resting.held_back])
        troubles += [
            f"{resting.extension or resting.package} stays on {resting.bundle}; held back: {text}" for text in groups
        ]
    if troubles:
        yield element("section", element("h3", "Left over, or held back"), bounded_list(troubles, "line"))


def _round_section(round_: ExtensionRound) -> Markup:
    lines = [
        element(
            "li",
            mark("update", "update" if update.before else "new"),
            f" {update.extension or update.package}: ",
            *([element("code", update.before), " → "] if update.before else []),
            element("code", update.bundle),
            element("span", f" ({update.catalog})", class_="soft"),
        )
        for update in round_.updates
    ]
    return element(
        "section",
        element("h3", f"Round {round_.number}"),
        element("ul", *lines, class_="events"),
        id=f"round-{round_.number}",
        class_="step",
        data_step=round_.number,
    )
