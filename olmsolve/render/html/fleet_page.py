"""The impact on a fleet as one page: classes of clusters with filters, and the update graphs that have changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from olmsolve._limits import checked
from olmsolve.catalog import Catalog, Package
from olmsolve.errors import CatalogError
from olmsolve.lifecycle.impact import ClusterClass, Gate, ImpactReport
from olmsolve.render.html.graph_page import drawing as update_drawing
from olmsolve.render.html.graph_page import graph_arrowheads, graph_hint, graph_legend
from olmsolve.render.html.page import Markup, bounded_list, element, mark, page, row_table, search_field, shortened
from olmsolve.render.impact import (
    ImpactLine,
    LineKind,
    fleet_updates,
    impact_lines,
    impact_summary,
    impact_title,
    only_cluster,
    reached_lines,
)
from olmsolve.render.layout import counted
from olmsolve.render.update_picture import pictures

# The filters for classes: a word of its ``data-state``, the colour of its mark, and words for people.
_STATES: Final = (
    ("new-failures", "bad", "newly fails"),
    ("stranded", "bad", "stranded operators"),
    ("orphaned", "bad", "no longer subscribed"),
    ("waiting", "held", "waits for approval"),
    ("unordered", "bad", "no safe order"),
    ("downgrades", "held", "downgrades"),
    ("major", "held", "major updates"),
    ("blocking", "held", "blocks OpenShift"),
    ("mended", "good", "newly possible"),
    ("updates", "update", "other bundles"),
    ("nothing", "kept", "nothing changes"),
)
_LINE_MARKS: Final = {
    LineKind.FAILS: "bad",
    LineKind.STRANDED: "bad",
    LineKind.ORPHANED: "bad",
    LineKind.WAITS: "held",
    LineKind.MENDED: "good",
    LineKind.ORDER: "held",
    LineKind.UNORDERED: "bad",
    LineKind.HELD: "held",
    LineKind.BLOCKS: "held",
    LineKind.LASTING: "kept",
}
_COLUMNS: Final = ("Package", "Before", "After", "Clusters")
_MOST_TITLE_NAMES: Final = 3  # clusters that the title of a class names
_MOST_GRAPHS: Final = 200  # pictures of packages on one page
# A class may hold thousands of findings; nobody reads more than the first on a page.
_MOST_LINES: Final = 60


def impact_html(
    report: ImpactReport,
    *,
    before: Mapping[str, Catalog] | None = None,
    after: Mapping[str, Catalog] | None = None,
    about: Sequence[str] = (),
) -> str:
    """Return *report* as an HTML document that ends with a line end.

    With the catalogs *before* and *after*, the update graphs of the packages that differ are drawn. The page lists as
    many names of each class as the report has. *about* says what the page was made of (files, catalogs).
    """
    graphs = list(_graphs(before or {}, after or {}))
    body: list[str] = [
        element("p", impact_summary(report), class_="summary"),
        *(
            [element("ul", *(element("li", line) for line in reached))]
            if (reached := list(reached_lines(report)))
            else []
        ),
        *_classes(report),
        *_without_answer(report),
    ]
    if graphs:
        body += [
            element("h2", f"{counted(len(graphs), 'package')} with other updates"),
            graph_legend(),
            graph_hint(),
            *graphs,
        ]
    return page(
        impact_title(report),
        [graph_arrowheads(), element("main", *body)] if graphs else [element("main", *body)],
        about=about,
        styles=["graph", "fleet"],
        scripts=["graph", "fleet"] if graphs else ["fleet"],
    )


def _classes(report: ImpactReport) -> Iterator[Markup]:
    """Yield the changes: for one cluster a list of all lines, for a fleet filters, and a section for each class."""
    if only_cluster(report):
        yield _updates(report)
        lines = list(impact_lines(report.classes[0].impact))
        yield element("ul", *map(_line, lines), class_="lines")
        return
    yield _filters(report)
    yield _updates(report)
    classes = (_class(class_of_clusters) for class_of_clusters in checked(sorted(report.classes, key=_severity)))
    yield element("section", element("h2", "Classes of clusters"), *classes, class_="classes")


def _states(class_: ClusterClass) -> tuple[str, ...]:
    impact = class_.impact
    states = {gate.value for gate in impact.gates - {Gate.UNREADABLE}}
    if impact.mended:
        states.add("mended")
    if impact.operators:
        states.add("updates")
    return tuple(state for state, _, _ in _STATES if state in (states or {"nothing"}))


def _severity(class_: ClusterClass) -> int:
    """Return how far down the page the class belongs: what fails comes first, the larger classes before others."""
    order = [state for state, _, _ in _STATES]
    return order.index(_states(class_)[0])


def _filters(report: ImpactReport) -> Markup:
    counts = {state: 0 for state, _, _ in _STATES}
    for class_ in report.classes:
        for state in _states(class_):
            counts[state] += class_.count
    buttons = [
        element(
            "button",
            f"{label} ",
            element("span", f"{counts[state]:,}", class_="count"),
            type="button",
            class_=f"state {colour}",
            data_state=state,
            aria_pressed="false",
            disabled=True,
        )
        for state, colour, label in _STATES
        if counts[state]
    ]
    keys = "Keys: / searches, Escape clears, the arrows go from class to class, Enter opens one."
    return element(
        "div",
        element("div", *buttons, class_="counts", role="group", aria_label="show clusters with"),
        search_field("Search", id="search", placeholder="part of a cluster, package or bundle"),
        element("p", "", id="shown", class_="soft", role="status", aria_live="polite"),
        element("p", keys, class_="soft keys", hidden=True),
    )


def _updates(report: ImpactReport) -> Markup:
    rows = fleet_updates(report)
    if not rows:
        return Markup("")
    is_one = bool(only_cluster(report))
    columns = _COLUMNS[:3] if is_one else _COLUMNS
    lines = [
        element(
            "tr",
            element(
                "th",
                row[0] if is_one else element("button", row[0], type="button", class_="find", data_find=row[0]),
                scope="row",
            ),
            *(
                element("td", element("code", cell), data_label=label)
                for cell, label in zip(row[1:], _COLUMNS[1:3], strict=True)
            ),
            *([] if is_one else [element("td", f"{count:,}", data_label=_COLUMNS[3])]),
        )
        for row, count in rows
    ]
    title = element("summary", f"{counted(len(rows), 'change')} of bundles at rest")
    return element("details", title, row_table(columns, lines), class_="updates-table", open=len(rows) <= 40)


def _class(class_: ClusterClass) -> Markup:
    names = ", ".join(class_.names[:_MOST_TITLE_NAMES])
    unnamed_count = class_.count - min(len(class_.names), _MOST_TITLE_NAMES)
    states = _states(class_)
    marks = [mark(colour, label) for state, colour, label in _STATES if state in states]
    title = [
        element("strong", counted(class_.count, "cluster")),
        f" {names}",
        f" and {unnamed_count:,} more" if unnamed_count else "",
        " ",
    ]
    lines = list(impact_lines(class_.impact))
    body: list[str] = []
    if lines:
        shown = [_line(line) for line in lines[:_MOST_LINES]]
        if len(lines) > _MOST_LINES:
            shown.append(element("li", f"and {counted(len(lines) - _MOST_LINES, 'more line')}", class_="soft"))
        body.append(element("ul", *shown, class_="lines"))
    if unnamed_count:
        unnamed = class_.count - len(class_.names)
        more = f" and {unnamed:,} that the report does not name" if unnamed else ""
        body.append(element("p", element("strong", "Clusters: "), f"{', '.join(class_.names)}{more}", class_="names"))
    return element(
        "details",
        element("summary", *title, *marks),
        *body,
        class_="item",
        data_state=" ".join(states),
        data_count=class_.count,
    )


def _line(line: ImpactLine) -> Markup:
    parts: list[str] = []
    if line.kind.value:
        parts += [mark(_LINE_MARKS[line.kind], line.kind.value), " "]
    parts.append(shortened(line.text))
    if line.details:
        parts.append(bounded_list(line.details, "line"))
    return element("li", *parts)


def _without_answer(report: ImpactReport) -> Iterator[Markup]:
    """Yield the sections of clusters that refuse the change, and of clusters that cannot be read."""
    if report.refusing_count:
        verb = "refuses" if report.refusing_count == 1 else "refuse"
        title = f"{counted(report.refusing_count, 'cluster')} {verb} the change"
        yield _listed(title, [cluster.reason for cluster in report.refusing], report.refusing_count)
    if report.unreadable_count:
        title = f"{counted(report.unreadable_count, 'cluster')} cannot be read"
        yield _listed(title, [cluster.reason for cluster in report.unreadable], report.unreadable_count)


def _listed(title: str, reasons: Sequence[str], count: int) -> Markup:
    unlisted = count - len(reasons)
    more = [element("li", f"and {counted(unlisted, 'more cluster')}", class_="soft")] if unlisted else []
    entries = [element("li", shortened(reason)) for reason in reasons]
    return element("section", element("h2", title), element("ul", *entries, *more))


def _graphs(before: Mapping[str, Catalog], after: Mapping[str, Catalog]) -> Iterator[Markup]:
    """Yield a drawing for each package whose channels or bundles differ, as it is with the new catalogs."""
    count = 0
    for key in sorted({*before, *after}):
        old, new = ({} if catalog is None else catalog.packages for catalog in (before.get(key), after.get(key)))
        for name in sorted({*old, *new}):
            was, now = old.get(name), new.get(name)
            # Both catalogs share the packages that no change touched, so that most drawings are ruled out by identity.
            if was is not now and _shape(was) != _shape(now):
                count += 1
                if count <= _MOST_GRAPHS:
                    yield _graph(name, was, now, after.get(key))


def _shape(package: Package | None) -> object:
    if package is None:
        return None
    return {name: channel.entries for name, channel in package.channels.items()}, set(package.bundles)


def _graph(name: str, was: Package | None, now: Package | None, catalog: Catalog | None) -> Markup:
    old, new = (set() if package is None else set(package.bundles) for package in (was, now))
    parts: list[str] = []
    for title, names in (("new", new - old), ("gone", old - new)):
        if names:
            parts += [mark("new" if title == "new" else "bad", title), f" {', '.join(sorted(names))} "]
    drawing: list[str] = []
    if now is not None and catalog is not None:
        try:
            drawing = [update_drawing(picture) for picture in pictures(catalog, package=name)]
        except CatalogError as error:
            drawing = [element("p", str(error), class_="note")]
    return element(
        "details",
        element("summary", element("strong", name), " ", *parts),
        *drawing,
        class_="package",
        data_package=name,
    )
