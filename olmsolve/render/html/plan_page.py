"""Plans as pages: what is to be installed, as a table and as a tree of who wants what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from olmsolve.render.html.page import page
from olmsolve.render.markup import Markup, element
from olmsolve.resolution import Candidate, Install, Resolution

__all__ = ["plan_body", "plan_html"]

# Elements that are nested deeper than a browser's parser allows are pulled out of their parents.
_DEEPEST = 24


def plan_html(resolution: Resolution) -> str:
    """*resolution* as an HTML document that ends with a line end."""
    title = f"Plan: {_count(len(resolution.installs), 'bundle')} to install"
    if not resolution.installs:
        title = "Plan: nothing to install"
    return page(title, [element("main", *plan_body(resolution))], styles=["reasons"], scripts=["reasons"])


def plan_body(resolution: Resolution) -> Iterator[Markup]:
    """The parts of the page: a table of what is installed, the tree of why, what stays and what differs."""
    if resolution.installs:
        if len(resolution.installs) > 8:
            yield _filter()
        yield installs_table(resolution)
        yield element("h2", "For whom")
        yield element("div", *_Tree(resolution.installs).blocks(), class_="tree")
    if resolution.kept:
        yield element("h2", "Kept")
        yield element("ul", *(element("li", *_kept(candidate)) for candidate in resolution.kept))
    if resolution.differing:
        names = ", ".join(dict.fromkeys(candidate.name for candidate in resolution.differing))
        other = "controller" if resolution.semantics == "documented" else "documented"
        yield element(
            "p",
            f"This plan follows {resolution.semantics} semantics; under {other} semantics, all, any or not in the"
            f" constraints of {names} mean something else.",
            class_="note",
        )


def installs_table(resolution: Resolution) -> Markup:
    """What is to be installed, a row a bundle, in the order in which it was chosen."""
    gives_way = {install: old.name for old, install in resolution.replaced}
    headings = ["Bundle", "Version", "Channel", "Catalog", "Replaces"]
    rows = [
        element(
            "tr",
            element("th", element("code", install.name), scope="row"),
            *(element("td", cell) for cell in (install.version, install.channel, install.catalog)),
            element("td", element("code", gives_way[install]) if install in gives_way else ""),
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


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


class _Tree:
    """Each bundle below the one that it was selected for; whom it serves besides is said beside it."""

    def __init__(self, installs: Iterable[Install]) -> None:
        self._below: dict[str, list[Install]] = {}
        for install in installs:
            first = install.wanted_by[0] if install.wanted_by else None
            self._below.setdefault(first.bundle if first else "", []).append(install)
        self._waiting: list[Install] = []

    def blocks(self) -> Iterator[Markup]:
        # Whoever is wanted by something that is no install of this plan (an operator that stays) is a root too.
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
