"""Journeys as a page: versions as columns, operators as rows, what happens to each in its cell."""

from __future__ import annotations

from collections.abc import Iterator

from olmsolve.lifecycle.journey import (
    ExtensionChannelChange,
    Journey,
    JourneyConflict,
    JourneyStage,
    PlanApproval,
    SubscriptionChannelChange,
)
from olmsolve.render.html.page import mark, page
from olmsolve.render.journeys import journey_title, phase_title
from olmsolve.render.layout import counted
from olmsolve.render.markup import Markup, element

_Row = tuple[str, str]
"""The namespace, "" for an extension, and the subscription, extension or operator."""


def journey_html(found: Journey) -> str:
    """Return the journey *found* as an HTML document that ends with a line end."""
    body = [_counts(found), _grid(found)]
    if found.conflicts:
        items = [_conflict(number, each) for number, each in enumerate(found.conflicts, start=1)]
        body.append(element("section", element("h2", "What ends it"), *items))
    if found.ways:
        ways = [element("li", str(way)) for way in found.ways]
        body.append(element("section", element("h2", f"Together, these lead to {found.to}"), element("ul", *ways)))
    body += [_phase(found, number) for number in range(len(found.stages))]
    if found.standing:
        faults = [element("li", each) for each in found.standing]
        body.append(
            element(
                "section",
                element("h2", "Faults that the cluster has without any of this, and that stay"),
                element("ul", *faults),
            )
        )
    body.append(
        element("p", "Computed from objects, catalogs and options with the digest ", element("code", found.digest))
    )
    return page(journey_title(found).rstrip("."), [element("main", *body)], styles=["journey"])


def _counts(found: Journey) -> Markup:
    state = mark("good", f"reaches {found.to}") if found.is_reached else mark("bad", f"ends at {found.furthest}")
    parts = [state, " ", mark("waits", counted(found.changes, "change") + " by hand")]
    parts += [" ", mark("update", counted(found.updates, "update"))]
    if found.conflicts:
        parts += [" ", mark("bad", counted(len(found.conflicts), "conflict"))]
    return element("p", *parts, class_="counts")


def _grid(found: Journey) -> Markup:
    blocked = {(reason.subject, reason.version) for conflict in found.conflicts for reason in conflict.reasons}
    versions = [stage.version for stage in found.stages]
    versions += sorted({version for _, version in blocked} - set(versions), key=_numbers)
    rows: dict[_Row, None] = {}
    for stage in found.stages:
        rows |= dict.fromkeys((each.namespace, each.owner or each.bundle) for each in stage.operators)
    named = {f"{namespace}/{owner}" if namespace else owner for namespace, owner in rows}
    # A namespace that is not resolved has a row of its own.
    rows |= dict.fromkeys((subject, "") for subject, _ in sorted(blocked) if subject not in named)
    head = element("tr", element("th", "operator", scope="col"), *(_heading(found, each) for each in versions))
    body = [
        element(
            "tr", element("th", _row_name(row), scope="row"), *(_cell(found, row, each, blocked) for each in versions)
        )
        for row in sorted(rows)
    ]
    table = element("table", element("thead", head), element("tbody", *body), class_="journey")
    return element("section", element("div", table, class_="wide", tabindex="0", role="region", aria_label="Versions"))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _row_name(row: _Row) -> str:
    namespace, owner = row
    return "/".join(filter(None, (namespace, owner)))


def _heading(found: Journey, version: str) -> Markup:
    stage = next((each for each in found.stages if each.version == version), None)
    note = " (not reached)" if stage is None else " (without a stop)" if stage.passed else ""
    return element("th", f"{version}{note}", scope="col", class_="unreached" if stage is None else None)


def _cell(found: Journey, row: _Row, version: str, blocked: set[tuple[str, str]]) -> Markup:
    parts: list[str] = []
    stage = next((each for each in found.stages if each.version == version), None)
    is_blocked = (_row_name(row), version) in blocked
    if stage is not None:
        parts += _steps(stage, row)
        for each in stage.operators:
            if (each.namespace, each.owner or each.bundle) == row:
                until = f", up to {each.maximum}" if each.maximum else ""
                channel = f"{each.channel}{until}" if each.channel else until.lstrip(", ")
                parts += [element("b", each.bundle), element("span", channel, class_="channel") if channel else ""]
                parts += [mark("waits", "deprecated")] if each.notes else []
    if is_blocked:
        parts.append(mark("bad", "blocked"))
    return element("td", *parts, class_="blocked" if is_blocked else None)


def _steps(stage: JourneyStage, row: _Row) -> Iterator[Markup]:
    """Yield what happens to *row* at *stage*: changes by hand, and updates as arrows."""
    for update in stage.arrival:
        if (update.namespace, update.owner) == row:
            yield _arrow(update.before, update.after)
    for made in stage.changes:
        change = made.change
        if isinstance(change, SubscriptionChannelChange) and (change.namespace, change.subscription) == row:
            yield element("span", f"channel {change.channel}", class_="hand")
        if isinstance(change, ExtensionChannelChange) and ("", change.extension) == row:
            yield element("span", f"channel {change.channel}", class_="hand")
        for update in made.updates:
            if (update.namespace, update.owner) == row:
                if isinstance(change, PlanApproval):
                    yield element("span", "approved", class_="hand")
                yield _arrow(update.before, update.after)


def _arrow(before: str, after: str) -> Markup:
    return element("span", f"{before or 'nothing'} → {after}", class_="arrow")


def _conflict(number: int, conflict: JourneyConflict) -> Markup:
    items: list[Markup] = []
    for reason in conflict.reasons:
        more = [element("li", f"otherwise: {reason.cause}")] if reason.cause else []
        more += [element("li", str(each)) for each in reason.outlook]
        items.append(element("li", str(reason), element("ul", *more) if more else ""))
    kind = "way out" if conflict.ways else "part of the way out"
    items += [element("li", mark("good", kind), " ", str(way)) for way in conflict.ways or conflict.jointly]
    return element("article", element("h3", f"Conflict {number}"), element("ul", *items))


def _phase(found: Journey, number: int) -> Markup:
    stage = found.stages[number]
    items = [element("li", f"by itself: {update}") for update in stage.arrival]
    for made in stage.changes:
        updates = element("ul", *(element("li", str(each)) for each in made.updates)) if made.updates else ""
        items.append(element("li", mark("waits", "by hand"), " ", str(made.change), updates))
    items += [
        element("li", f"note: {note}") for note in dict.fromkeys(n for each in stage.operators for n in each.notes)
    ]
    shown = element("ul", *items) if items else element("p", "Nothing changes.")
    return element("section", element("h2", phase_title(found, number)), shown)
