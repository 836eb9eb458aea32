"""Plans as pages: what changes, who brought what in as a drawing and as a tree, what stays, and what is held back.

The drawing is SVG: boxes from left to right, with a line from whoever wants a bundle to the bundle. Colours come from
the page's style (``render/html/plan.css``), by class. Shapes and words repeat everything that colours say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from olmsolve._arguments import must_be
from olmsolve.answers.held_back import HeldBackOperator
from olmsolve.cluster import Hindrance
from olmsolve.render.html.page import Markup, element, held_back_section, joined, mark, page, row_table, search_field
from olmsolve.render.layout import counted
from olmsolve.render.plan_picture import PlanEdge, PlanNode, PlanPicture, plan_picture
from olmsolve.render.plans import semantics_note
from olmsolve.resolution import Install, Resolution

MANY_LINES: Final = 100
"""If more lines lead to bundles that are also needed, a page shows only the lines of the chosen box."""

# Pixels: the height of a box, from row to row, between two columns, and around the whole.
_HEIGHT: Final = 40
_ROW: Final = 54
_GAP: Final = 56
_MARGIN: Final = 8
# Pixels of a character, as in graph_page: boxes are laid out before a browser has measured their texts.
_CHARACTER: Final = 7.3
_SMALL_CHARACTER: Final = 6.1
_NARROWEST: Final = 120
_LONGEST: Final = 38


def plan_svg(picture: PlanPicture) -> Markup:
    """Return *picture* as one ``svg`` element."""
    columns, rows = picture.size
    widths = [_NARROWEST] * columns
    for node in picture.nodes:
        widths[node.column] = max(widths[node.column], _width(node))
    lefts = [_MARGIN + sum(widths[:column]) + column * _GAP for column in range(columns)]
    width = lefts[-1] + widths[-1] + _MARGIN if columns else 0
    height = 2 * _MARGIN + rows * _ROW
    corners = [(lefts[node.column], _MARGIN + node.row * _ROW) for node in picture.nodes]
    # Reversed, since what comes later is drawn above: the lines to the first wishes lie on top.
    edges = [_edge(edge, picture.nodes, corners, widths) for edge in reversed(picture.edges)]
    wishes = _wishes(picture)
    also = sum(not edge.first for edge in picture.edges)
    boxes = [
        _box(number, node, corners[number], widths[node.column], "; ".join(wishes.get(number, ())))
        for number, node in enumerate(picture.nodes)
    ]
    return element(
        "svg",
        *edges,
        *boxes,
        class_="dependencies many" if also > MANY_LINES else "dependencies",
        viewBox=f"0 0 {width} {height}",
        width=width,
        height=height,
        role="group",
        aria_label="who brought what in",
    )


def _width(node: PlanNode) -> int:
    name = _CHARACTER * min(len(node.name), _LONGEST)
    return int(max(name, _SMALL_CHARACTER * len(_detail(node)))) + 24


def _detail(node: PlanNode) -> str:
    return _cut(" · ".join(node.details), _LONGEST + 4)


def _cut(text: str, longest: int) -> str:
    """Return *text* with its middle left out where it is too long: versions are at the end."""
    if len(text) <= longest:
        return text
    half = (longest - 1) // 2
    return f"{text[:half]}…{text[-half:]}"


def _wishes(picture: PlanPicture) -> dict[int, list[str]]:
    """Map each node to the parties that it is there for, in words."""
    texts: dict[int, list[str]] = {}
    for edge in picture.edges:
        source = picture.nodes[edge.source]
        who = f"subscription {source.name}" if source.kind == "wish" else source.name
        text = f"{who}, which requires {edge.requirement}" if edge.requirement else who
        texts.setdefault(edge.target, []).append(text)
    return texts


def _edge(edge: PlanEdge, nodes: tuple[PlanNode, ...], corners: list[tuple[int, int]], widths: list[int]) -> Markup:
    source, target = nodes[edge.source], nodes[edge.target]
    (left, top), (to_left, to_top) = corners[edge.source], corners[edge.target]
    start, end = left + widths[source.column], to_left - 2
    height, to_height = top + _HEIGHT // 2, to_top + _HEIGHT // 2
    if target.column > source.column and height == to_height and target.column == source.column + 1:
        path = f"M{start} {height}H{end}"
    elif target.column > source.column:
        # Lines that leave one box share their way down, and turn just before the column of their target.
        turn = end - _GAP // 2 + 2
        path = f"M{start} {height}C{turn} {height} {turn} {height} {turn} {(height + to_height) // 2}"
        path += f"S{turn} {to_height} {end} {to_height}"
    else:
        # Backwards, or down one column: out to the right, and back to the right side of the target.
        end = to_left + widths[target.column] + 2
        turn = max(start, end) + _GAP // 2
        path = f"M{start} {height}C{turn} {height} {turn} {to_height} {end} {to_height}"
    text = f"{source.name} requires {edge.requirement}" if edge.requirement else f"subscription {source.name}"
    return element(
        "path",
        element("title", f"{text}: {target.name}"),
        class_="wants first" if edge.first else "wants also",
        d=path,
        data_from=edge.source,
        data_to=edge.target,
    )


def _box(number: int, node: PlanNode, corner: tuple[int, int], width: int, wishes: str) -> Markup:
    x, y = corner
    tooltip = "; ".join(filter(None, (node.name, *node.details, f"for {wishes}" if wishes else "")))
    return element(
        "g",
        element("title", tooltip),
        element("rect", x=x, y=y, width=width, height=_HEIGHT, rx=_HEIGHT // 2 if node.kind == "wish" else 6),
        element("text", _cut(node.name, _LONGEST), class_="title", x=x + 12, y=y + 17),
        element("text", _detail(node), class_="detail", x=x + 12, y=y + 32),
        class_=f"node {node.kind}",
        tabindex=0,
        role="button",
        data_number=number,
        data_told=tooltip,
    )


# Browsers limit nesting; deeper branches become trees of their own, with a link.
_DEEPEST = 24
# A short table needs no search.
_SHORT = 8


def plan_html(
    resolution: Resolution,
    *,
    held_back: Sequence[HeldBackOperator] = (),
    hindrances: Sequence[Hindrance] = (),
    about: Sequence[str] = (),
) -> str:
    """Return *resolution* as an HTML document that ends with a line end.

    *held_back* is what :func:`olmsolve.held_back` says of the plan, and *hindrances* are what the objects of a cluster
    say; a plan itself has neither. *about* says what the page was made of (files, catalogs).
    """
    must_be(resolution, "Resolution", "resolution")
    title = f"Plan: {counted(len(resolution.installs), 'bundle')} to install"
    if not resolution.installs:
        title = "Plan: nothing to install"
    body = element("main", *_summary(resolution, held_back, hindrances), *_body(resolution, held_back, hindrances))
    return page(title, [body], about=about, styles=["reasons", "plan"], scripts=["reasons", "plan"])


def _summary(
    resolution: Resolution, held_back: Sequence[HeldBackOperator], hindrances: Sequence[Hindrance]
) -> Iterator[Markup]:
    """Yield the line of counts that are not 0."""
    new = len(resolution.installs) - len(resolution.replaced)
    held_count = len(held_back) + len(hindrances)
    counts = [
        ("new", new, "new"),
        ("replacing", len(resolution.replaced), f"replace{'s' if len(resolution.replaced) == 1 else ''} an operator"),
        ("kept", len(resolution.kept), "kept"),
        ("held", held_count, "held back"),
    ]
    shown = [mark(kind, f"{count:,} {label}") for kind, count, label in counts if count]
    if shown:
        yield element("p", joined(shown, " "), class_="counts")


def _body(
    resolution: Resolution, held_back: Sequence[HeldBackOperator], hindrances: Sequence[Hindrance]
) -> Iterator[Markup]:
    picture = plan_picture(resolution)
    if picture.nodes:
        yield from _drawing(picture)
    if resolution.installs:
        yield element("h2", "To install")
    if len(resolution.installs) + len(resolution.kept) > _SHORT:
        yield search_field("Bundles", data_filters="[data-filter]")
    if resolution.installs:
        yield installs_table(resolution)
        yield element("h2", "For whom")
        yield element("div", *_Tree(resolution.installs).blocks(), class_="tree")
    yield from held_back_section(held_back, hindrances)
    if resolution.kept:
        yield element("h2", "Kept")
        yield _kept_table(resolution)
    if resolution.differing:
        yield element("p", semantics_note(resolution, "This plan"), class_="note")


def _drawing(picture: PlanPicture) -> Iterator[Markup]:
    yield element("h2", "Who brought what in")
    samples = [
        ("new", "new"),
        ("replacing", "replaces an installed operator"),
        ("kept", "stays, and needs what it points to"),
        ("wish", "subscription"),
    ]
    kinds = {node.kind for node in picture.nodes}
    legend = [
        element("li", element("span", class_=f"sample {kind}"), f" {meaning}")
        for kind, meaning in samples
        if kind in kinds
    ]
    if also := sum(not edge.first for edge in picture.edges):
        when = " (of the chosen box)" if also > MANY_LINES else ""
        legend.append(element("li", element("span", class_="sample also"), f" also needs it{when}"))
    yield element("ul", *legend, class_="legend", aria_label="what the shapes mean")
    hint = "Choose a box to see who needs it, and what it brings in."
    yield element("p", hint, id="told", role="status", aria_live="polite")
    yield element("div", plan_svg(picture), class_="scroll drawing")
    omitted = (picture.omitted, "further bundle"), (picture.omitted_edges, "further line")
    if omission := " and ".join(counted(count, noun) for count, noun in omitted if count):
        yield element("p", f"Not drawn, for their number: {omission}; the tree below has all.", class_="soft")


def installs_table(resolution: Resolution) -> Markup:
    """Return the table of bundles to install, in the order in which the resolver chose them."""
    replaced_by = {install: old.name for old, install in resolution.replaced}
    rows = [
        _row(install, [element("code", old) if (old := replaced_by.get(install)) else ""] if replaced_by else [])
        for install in resolution.installs
    ]
    headings = ("Bundle", "Version", "Channel", "Catalog", *(["Replaces"] if replaced_by else []))
    return row_table(headings, rows)


def _row(install: Install, replaced: Iterable[str]) -> Markup:
    facts = {"Version": install.version, "Channel": install.channel, "Catalog": install.catalog}
    return element(
        "tr",
        element("th", element("code", install.name), scope="row"),
        *(element("td", fact, data_label=label) for label, fact in facts.items()),
        *(element("td", name, data_label="Replaces") for name in replaced),
        data_filter=f"{install.name} {install.package} {install.channel} {install.catalog}".lower(),
    )


def _kept_table(resolution: Resolution) -> Markup:
    rows = [
        element(
            "tr",
            element("th", element("code", candidate.name), scope="row"),
            element("td", candidate.version, data_label="Version"),
            element("td", mark("kept", "stays")),
            data_filter=f"{candidate.name} {candidate.package}".lower(),
        )
        for candidate in resolution.kept
    ]
    return row_table(("Operator", "Version", ""), rows)


class _Tree:
    """Each bundle below the first bundle that wants it; a text beside it names the others."""

    def __init__(self, installs: Iterable[Install]) -> None:
        self._below: dict[str, list[Install]] = {}
        for install in installs:
            first = install.wanted_by[0] if install.wanted_by else None
            self._below.setdefault(first.bundle if first else "", []).append(install)
        self._waiting: list[Install] = []

    def blocks(self) -> Iterator[Markup]:
        """Yield the trees: roots first, then the branches that were too deep for them."""
        # A bundle that a kept operator wants is a root too, because the kept operator has no line here.
        names = {install.name for installs in self._below.values() for install in installs}
        for wanting in [name for name in self._below if name not in names]:
            for install in self._below[wanting]:
                yield self._branch(install, 1)
        while self._waiting:
            install = self._waiting.pop(0)
            yield element("div", self._branch(install, 1), id=f"of-{install.name}")

    def _branch(self, install: Install, depth: int) -> Markup:
        wanted, *others = install.wanted_by or (None,)
        reason = f" for {wanted}" if wanted is not None and not wanted.bundle else ""
        if wanted is not None and wanted.requirement:
            reason = f" to meet: {wanted.requirement}"
        also = element("span", f"; also for {'; '.join(map(str, others))}", class_="soft") if others else ""
        line = [element("code", install.name), reason, also]
        below = self._below.pop(install.name, [])
        if not below:
            return element("p", *line, class_="leaf")
        if depth >= _DEEPEST:
            self._below[install.name] = below
            self._waiting.append(install)
            return element("p", *line, element("a", " …", href=f"#of-{install.name}"), class_="leaf")
        return element(
            "details",
            element("summary", *line),
            *(self._branch(child, depth + 1) for child in below),
            open=True,
        )
