"""Plans as pages: what changes, who brought what in as a drawing and as a tree, what stays, and what is held back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from olmsolve.answers.held_back import HeldBackOperator
from olmsolve.cluster import Hindrance
from olmsolve.render.html.page import page
from olmsolve.render.html.page_parts import held_back_section, mark, search_field
from olmsolve.render.layout import counted
from olmsolve.render.markup import Markup, element, joined
from olmsolve.render.plan_picture import PlanPicture, plan_picture
from olmsolve.render.plan_svg import MANY_LINES, plan_svg
from olmsolve.render.plans import semantics_note
from olmsolve.resolution import Install, Resolution

# Browsers limit nesting; deeper branches become trees of their own, with a link.
_DEEPEST = 24
# A short table needs no search.
_SHORT = 8


def plan_html(
    resolution: Resolution, *, held_back: Sequence[HeldBackOperator] = (), hindrances: Sequence[Hindrance] = ()
) -> str:
    """Return *resolution* as an HTML document that ends with a line end.

    *held_back* is what :func:`olmsolve.held_back` says of the plan, and *hindrances* what the objects of a cluster say;
    a plan by itself knows neither.
    """
    title = f"Plan: {counted(len(resolution.installs), 'bundle')} to install"
    if not resolution.installs:
        title = "Plan: nothing to install"
    body = element("main", *_summary(resolution, held_back, hindrances), *_body(resolution, held_back, hindrances))
    return page(title, [body], styles=["reasons", "plan"], scripts=["reasons", "plan"])


def _summary(
    resolution: Resolution, held_back: Sequence[HeldBackOperator], hindrances: Sequence[Hindrance]
) -> Iterator[Markup]:
    """Yield the line of counts that are not 0."""
    new = len(resolution.installs) - len(resolution.replaced)
    held = len(held_back) + len(hindrances)
    counts = [
        ("new", new, "new"),
        ("replacing", len(resolution.replaced), f"replace{'s' if len(resolution.replaced) == 1 else ''} an operator"),
        ("kept", len(resolution.kept), "kept"),
        ("held", held, "held back"),
    ]
    shown = [mark(kind, f"{count:,} {words}") for kind, count, words in counts if count]
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
        yield search_field("Bundles", "[data-filter]")
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
    hint = "Choose a box to see whom it is there for, and what it brings in."
    yield element("p", hint, id="told", role="status", aria_live="polite")
    yield element("div", plan_svg(picture), class_="scroll drawing")
    omitted = (picture.omitted, "further bundle"), (picture.omitted_edges, "further line")
    if words := " and ".join(counted(count, noun) for count, noun in omitted if count):
        yield element("p", f"Not drawn, for their number: {words}; the tree below has all.", class_="soft")


def installs_table(resolution: Resolution) -> Markup:
    """Return the table of bundles to install, in the order in which the resolver chose them."""
    replaced_by = {install: old.name for old, install in resolution.replaced}
    rows = [
        _row(
            install,
            [install.version, install.channel, install.catalog],
            element("code", replaced_by[install]) if install in replaced_by else "",
        )
        for install in resolution.installs
    ]
    headings = ("Bundle", "Version", "Channel", "Catalog", "Replaces")
    return element("div", _table(headings, rows), class_="scroll")


def _row(install: Install, facts: Iterable[str], replaced: str) -> Markup:
    labels = ("Version", "Channel", "Catalog")
    return element(
        "tr",
        element("th", element("code", install.name), scope="row"),
        *(element("td", fact, data_label=label) for label, fact in zip(labels, facts, strict=True)),
        element("td", replaced, data_label="Replaces"),
        data_filter=f"{install.name} {install.package} {install.channel} {install.catalog}".lower(),
    )


def _table(headings: Iterable[str], rows: Iterable[Markup]) -> Markup:
    head = element("thead", element("tr", *(element("th", heading, scope="col") for heading in headings)))
    return element("table", head, element("tbody", *rows), class_="stack")


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
    return element("div", _table(("Operator", "Version", ""), rows), class_="scroll")


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
