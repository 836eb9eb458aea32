"""Plans as pages: a table of the bundles to install, and a tree of who wants which bundle."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from olmsolve.render.html.page import page
from olmsolve.render.layout import counted
from olmsolve.render.markup import Markup, element
from olmsolve.render.plans import semantics_note
from olmsolve.resolution import Candidate, Install, Resolution

# Browsers limit nesting; deeper branches become trees of their own, with a link.
_DEEPEST = 24


def plan_html(resolution: Resolution) -> str:
    """Return *resolution* as an HTML document that ends with a line end."""
    title = f"Plan: {counted(len(resolution.installs), 'bundle')} to install"
    if not resolution.installs:
        title = "Plan: nothing to install"
    return page(title, [element("main", *plan_body(resolution))], styles=["reasons"], scripts=["reasons"])


def plan_body(resolution: Resolution) -> Iterator[Markup]:
    """Yield the parts of the page: the table of installs, the tree, kept operators, and notes."""
    if resolution.installs:
        # A short table needs no search.
        if len(resolution.installs) > 8:
            yield _filter()
        yield installs_table(resolution)
        yield element("h2", "For whom")
        yield element("div", *_Tree(resolution.installs).blocks(), class_="tree")
    if resolution.kept:
        yield element("h2", "Kept")
        yield element("ul", *(element("li", *_kept(candidate)) for candidate in resolution.kept))
    if resolution.differing:
        yield element("p", semantics_note(resolution, "This plan"), class_="note")


def installs_table(resolution: Resolution) -> Markup:
    """Return the table of bundles to install, in the order in which the resolver chose them."""
    replaced_by = {install: old.name for old, install in resolution.replaced}
    headings = ["Bundle", "Version", "Channel", "Catalog", "Replaces"]
    rows = [
        element(
            "tr",
            element("th", element("code", install.name), scope="row"),
            *(element("td", cell) for cell in (install.version, install.channel, install.catalog)),
            element("td", element("code", replaced_by[install]) if install in replaced_by else ""),
            data_filter=f"{install.name} {install.package} {install.channel} {install.catalog}".lower(),
        )
        for install in resolution.installs
    ]
    head = element("thead", element("tr", *(element("th", heading, scope="col") for heading in headings)))
    return element("div", element("table", head, element("tbody", *rows)), class_="scroll")


def _filter() -> Markup:
    field = element("input", type="search", data_filters="tr", placeholder="part of a name", autocomplete="off")
    return element("p", element("label", "Bundles: ", field), class_="filter", hidden=True)


def _kept(candidate: Candidate) -> Iterable[str]:
    yield element("code", candidate.name)
    if candidate.version:
        yield f", version {candidate.version}"


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
        reason = "" if wanted is None else f" for subscription {wanted.subscription}" if wanted.subscription else ""
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
            *(self._branch(each, depth + 1) for each in below),
            open=True,
        )
