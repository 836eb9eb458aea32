"""Answers about plans as pages: what differs between two of them, and why a bundle is in one.

Both show the picture of plans (``plan_page``): a comparison has one for each side, "why" the chain from a
subscription to the bundle.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from olmsolve.answers.questions import Why
from olmsolve.classic import PlanDiff
from olmsolve.render.html.page import bounded_list, mark, page
from olmsolve.render.html.plan_page import plan_svg
from olmsolve.render.markup import Markup, element, joined
from olmsolve.render.plan_picture import PlanEdge, PlanNode, PlanPicture, plan_picture
from olmsolve.render.questions import plan_diff_text
from olmsolve.resolution import Candidate, Resolution


def plan_diff_html(diff: PlanDiff) -> str:
    """Return *diff* as an HTML document that ends with a line end: the packages that differ, and both plans drawn."""
    counts = (("new", len(diff.gained), "gained"), ("held", len(diff.lost), "lost"))
    marks = [mark(kind, f"{count:,} {words}") for kind, count, words in counts if count]
    if diff.changed:
        marks.append(mark("replacing", f"{len(diff.changed):,} changed"))
    body = [element("p", joined(marks, " ") if marks else plan_diff_text(diff), class_="counts")]
    if diff.changes:
        rows = [
            element(
                "tr",
                element("th", change.package, scope="row"),
                element("td", *_named(change.before), data_label="Before"),
                element("td", *_named(change.after), data_label="After"),
            )
            for change in diff.changes
        ]
        headings = (element("th", heading, scope="col") for heading in ("Package", "Before", "After"))
        table = element("table", element("thead", element("tr", *headings)), element("tbody", *rows), class_="stack")
        body.append(element("div", table, class_="scroll"))
    for heading, answer in (("Before", diff.before), ("After", diff.after)):
        body.append(element("h2", heading))
        body += _drawn(answer)
    for bundle, texts in diff.differing:
        body.append(element("p", f"{bundle} has constraints that the two read differently: {'; '.join(texts)}"))
    return page("What differs between two plans", [element("main", *body)], styles=["plan"])


def _named(candidate: Candidate | None) -> tuple[str | Markup, ...]:
    return ("-",) if candidate is None else (element("code", candidate.name), f" ({_where(candidate)})")


def _where(candidate: Candidate) -> str:
    return ", ".join(filter(None, (candidate.channel, candidate.catalog)))


def _drawn(answer: object) -> Iterator[Markup]:
    """Yield the picture of a plan or the names of its bundles, or why there is none."""
    if not isinstance(answer, Resolution):
        yield element("p", "There is no plan:")
        yield bounded_list(str(answer).splitlines()[1:] or [str(answer)], "reason")
        return
    picture = plan_picture(answer)
    if picture.nodes:
        yield element("div", plan_svg(picture), class_="scroll drawing")
    drawn = {node.name for node in picture.nodes}
    others = [install.name for install in answer.installs if install.name not in drawn]
    if others:
        yield bounded_list([element("li", element("code", name)) for name in others], "bundle")
    if not answer.installs:
        yield element("p", "Nothing to install.")


def why_html(why: Why) -> str:
    """Return *why* as an HTML document that ends with a line end: the chain as a picture, and what looked better."""
    nodes: list[PlanNode] = []
    requirements: list[str] = []
    for link in why.chain:
        wanted = link.wanted_by
        if not nodes and wanted is not None:
            kind = "subscription" if wanted.subscription else "house rule"
            nodes.append(PlanNode(wanted.subscription or wanted.house_rule or wanted.bundle, "wish", 0, 0, (kind,)))
        if wanted is not None:
            requirements.append(str(wanted.requirement or ""))
        candidate = link.candidate
        details = (candidate.version, _where(candidate))
        nodes.append(PlanNode(candidate.name, "new", len(nodes), 0, tuple(filter(None, details))))
    edges = [
        PlanEdge(first, second, requirement, True)
        for (first, second), requirement in zip(pairwise(range(len(nodes))), requirements, strict=False)
    ]
    body = [element("div", plan_svg(PlanPicture(tuple(nodes), tuple(edges))), class_="scroll drawing")]
    body.append(bounded_list(list(map(str, why.chain)), "link"))
    if why.also_for:
        body += [element("h2", "Also for"), bounded_list(list(map(str, why.also_for)), "other")]
    better = [*map(str, why.passed_over), *map(str, why.outranked)]
    if better:
        body += [element("h2", "What looked better"), bounded_list(better, "candidate")]
    return page(f"Why {why.candidate.name} is in the plan", [element("main", *body)], styles=["plan"])
