"""Journeys as a page: versions as columns, operators as rows, what happens to each in its cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import olmsolve._attrs as attrs
from olmsolve._limits import checked
from olmsolve.lifecycle.journey import (
    ExtensionChannelChange,
    Journey,
    JourneyConflict,
    JourneyStage,
    JourneyUpdate,
    PlanApproval,
    SubscriptionChannelChange,
)
from olmsolve.render.html.page import Markup, element, mark, page
from olmsolve.render.journeys import (
    in_one,
    journey_title,
    notes_at,
    phases,
    phases_title,
    suppositions,
    update_text,
)
from olmsolve.render.layout import counted

_Row = tuple[str, str]
"""The namespace, "" for an extension, and the subscription, extension or operator."""


def journey_html(journey: Journey, *, about: Sequence[str] = ()) -> str:
    """Return the journey *journey* as an HTML document that ends with a line end.

    *about* says what the page was made of (files, catalogs).
    """
    body = [_counts(journey), _grid(journey)]
    if journey.conflicts:
        items = [_conflict(number, conflict) for number, conflict in enumerate(journey.conflicts, start=1)]
        body.append(element("section", element("h2", "What stops it"), *items))
    if journey.ways:
        ways = [element("li", str(way)) for way in journey.ways]
        body.append(element("section", element("h2", f"Together, these lead to {journey.to}"), element("ul", *ways)))
    body += [element("p", supposition) for supposition in suppositions(journey)]
    body += [_phase(journey, numbers) for numbers in phases(journey)]
    if journey.standing:
        faults = [element("li", fault) for fault in journey.standing]
        body.append(
            element(
                "section",
                element("h2", "Faults that the cluster already has, and that stay"),
                element("ul", *faults),
            )
        )
    body.append(
        element(
            "p",
            "Computed from objects, catalogs and options with the digest ",
            element("code", journey.digest),
            class_="digest",
        )
    )
    return page(journey_title(journey).rstrip("."), [element("main", *body)], about=about, styles=["journey"])


def _counts(journey: Journey) -> Markup:
    state = mark("good", f"reaches {journey.to}") if journey.is_reached else mark("bad", f"ends at {journey.furthest}")
    parts = [state, " ", mark("waits" if journey.changes else "good", counted(journey.changes, "change") + " by hand")]
    parts += [" ", mark("update", counted(journey.updates, "update"))]
    if journey.conflicts:
        parts += [" ", mark("bad", counted(len(journey.conflicts), "conflict"))]
    return element("p", *parts, class_="counts")


def _grid(journey: Journey) -> Markup:
    reasons = [reason for conflict in journey.conflicts for reason in conflict.reasons]
    blocked = {(reason.subject, reason.version) for reason in reasons}
    # The packages in the way of a namespace are subscriptions of it.
    packages = {
        (operator.package, operator.namespace): operator.owner
        for stage in journey.stages
        for operator in stage.operators
    }
    for reason in reasons:
        owners = [packages.get((name, reason.subject), "") for name in reason.package.split(", ")]
        blocked |= {(f"{reason.subject}/{owner}", reason.version) for owner in owners if owner}
    columns = [_Column(tuple(journey.stages[number] for number in numbers)) for numbers in phases(journey)]
    reached = {stage.version for stage in journey.stages}
    unreached = sorted({version for _, version in blocked} - reached, key=_numbers)
    rows: dict[_Row, str] = {}
    for stage in journey.stages:
        rows |= {
            (operator.namespace, operator.owner or operator.bundle): operator.package for operator in stage.operators
        }
    named = {_row_name(row) for row in rows}
    # A namespace that is not resolved has a row of its own.
    rows |= {(subject, ""): "" for subject, _ in sorted(blocked) if subject not in named}
    heads = [element("th", column.title, scope="col") for column in columns]
    heads += [element("th", f"{version} (not reached)", scope="col", class_="unreached") for version in unreached]
    body = []
    for row in checked(sorted(rows)):
        cells = [_cell(row, rows[row], column, blocked) for column in columns]
        cells += [_cell(row, rows[row], _Column((), version), blocked) for version in unreached]
        package = rows[row]
        below = element("span", package, class_="channel") if package and package != row[1] else ""
        body.append(element("tr", element("th", _row_name(row), below, scope="row"), *cells))
    head = element("tr", element("th", "operator", scope="col"), *heads)
    table = element("table", element("thead", head), element("tbody", *body), class_="journey")
    return element("section", element("div", table, class_="wide", tabindex="0", role="region", aria_label="Versions"))


@attrs.frozen
class _Column:
    """Versions at which nothing happens after the first, in one column; or one *unreached* version."""

    stages: tuple[JourneyStage, ...]
    unreached: str = ""

    @property
    def title(self) -> str:
        """The versions of the column."""
        first, last = self.stages[0], self.stages[-1]
        notes = " (without a stop)" if first.passed and first is last else ""
        return f"{first.version}{notes}" if first is last else f"{first.version} to {last.version}"

    @property
    def versions(self) -> tuple[str, ...]:
        """The versions of the column, one by one."""
        return tuple(stage.version for stage in self.stages) or (self.unreached,)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _row_name(row: _Row) -> str:
    namespace, owner = row
    return "/".join(filter(None, (namespace, owner)))


def _cell(row: _Row, package: str, column: _Column, blocked: set[tuple[str, str]]) -> Markup:
    parts: list[str] = []
    is_blocked = any((_row_name(row), version) in blocked for version in column.versions)
    if column.stages:
        stage = column.stages[-1]
        parts += _steps(stage, row)
        for operator in stage.operators:
            if (operator.namespace, operator.owner or operator.bundle) == row:
                until = f", up to {operator.maximum}" if operator.maximum else ""
                channel = f"{operator.channel}{until}" if operator.channel else until.lstrip(", ")
                parts.append(element("b", _short(operator.bundle, package), title=operator.bundle))
                parts += [element("span", channel, class_="channel") if channel else ""]
                parts += [mark("waits", "deprecated")] if operator.notes else []
    if is_blocked:
        parts.append(mark("bad", "blocked"))
    return element("td", *parts, class_="blocked" if is_blocked else None)


def _short(bundle: str, package: str) -> str:
    """Return *bundle* without the name of its package, which is in the row: ``v1.2.0``."""
    return bundle.removeprefix(f"{package}.") if package else bundle


def _steps(stage: JourneyStage, row: _Row) -> Iterator[Markup]:
    """Yield what happens to *row* at *stage*: changes by hand, and updates as arrows."""
    yield from _arrows(stage.arrival, row)
    for made in stage.changes:
        change = made.change
        if isinstance(change, SubscriptionChannelChange) and (change.namespace, change.subscription) == row:
            yield element("span", f"channel {change.channel}", class_="hand")
        if isinstance(change, ExtensionChannelChange) and ("", change.extension) == row:
            yield element("span", f"channel {change.channel}", class_="hand")
        arrows = list(_arrows(made.updates, row))
        if arrows and isinstance(change, PlanApproval):
            yield element("span", "approved", class_="hand")
        yield from arrows


def _arrows(updates: Sequence[JourneyUpdate], row: _Row) -> Iterator[Markup]:
    for update, count in in_one([update for update in updates if (update.namespace, update.owner) == row]):
        before = _short(update.before, update.package) or "nothing"
        steps = f" ({count} steps)" if count > 1 else ""
        yield element("span", f"{before} → {_short(update.after, update.package)}{steps}", class_="arrow")


def _conflict(number: int, conflict: JourneyConflict) -> Markup:
    items: list[Markup] = []
    for reason in conflict.reasons:
        more = [element("li", f"otherwise: {reason.cause}")] if reason.cause else []
        more += [element("li", f"in the way: {reason.package}")] if ", " in reason.package else []
        more.append(element("li", f"then: {reason.effect}"))
        more += [element("li", str(change)) for change in reason.outlook]
        items.append(element("li", str(reason), element("ul", *more)))
    kind = "way out" if conflict.ways else "part of the way out"
    items += [element("li", mark("good", kind), " ", str(way)) for way in conflict.ways or conflict.jointly]
    return element("article", element("h3", f"Conflict {number}"), element("ul", *items))


def _phase(journey: Journey, numbers: Sequence[int]) -> Markup:
    number = numbers[-1]
    stage = journey.stages[number]
    items = [element("li", f"by itself: {update_text(*update)}") for update in in_one(stage.arrival)]
    for made in stage.changes:
        lines = [element("li", update_text(*update)) for update in in_one(made.updates)]
        items.append(
            element("li", mark("waits", "by hand"), " ", str(made.change), element("ul", *lines) if lines else "")
        )
    items += [element("li", f"note: {note}") for note in notes_at(journey, number)]
    shown = element("ul", *items) if items else element("p", "Nothing changes.")
    return element("section", element("h2", phases_title(journey, numbers)), shown)
