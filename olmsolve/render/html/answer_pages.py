"""Answers as small pages: what differs between two plans, why a bundle is in one, and the findings of an audit.

The first two draw pictures as for plans (``plan_page``): a comparison one for each side, "why" the chain from a
subscription to the bundle. The page of an audit has a section for each cause, with a list of packages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from olmsolve._arguments import must_be
from olmsolve._limits import checked
from olmsolve.answers.auditing import AuditReport
from olmsolve.answers.questions import Why
from olmsolve.classic import PlanDiff
from olmsolve.render.audit import AuditedCause, audit_causes, audit_summary, shared_title
from olmsolve.render.html.page import Markup, bounded_list, element, joined, mark, page, row_table, search_field
from olmsolve.render.html.plan_page import plan_svg
from olmsolve.render.plan_picture import PlanEdge, PlanNode, PlanPicture, plan_picture
from olmsolve.render.questions import plan_diff_text
from olmsolve.resolution import Candidate, Resolution


def plan_diff_html(diff: PlanDiff) -> str:
    """Return *diff* as an HTML document that ends with a line end: the packages that differ, and both plans drawn."""
    counts = (("new", len(diff.gained), "gained"), ("held", len(diff.lost), "lost"))
    marks = [mark(kind, f"{count:,} {label}") for kind, count, label in counts if count]
    if diff.changed:
        marks.append(mark("replacing", f"{len(diff.changed):,} changed"))
    body = [element("p", joined(marks, " ") if marks else plan_diff_text(diff), class_="counts")]
    if diff.changes:
        rows = [
            element(
                "tr",
                element("th", change.package, scope="row"),
                element("td", *_candidate_parts(change.before), data_label="Before"),
                element("td", *_candidate_parts(change.after), data_label="After"),
            )
            for change in diff.changes
        ]
        body.append(row_table(("Package", "Before", "After"), rows))
    for heading, answer in (("Before", diff.before), ("After", diff.after)):
        body.append(element("h2", heading))
        body += _drawn(answer)
    for bundle, texts in diff.differing:
        body.append(element("p", f"{bundle} has constraints that the two read differently: {'; '.join(texts)}"))
    return page("What differs between two plans", [element("main", *body)], styles=["plan"])


def _candidate_parts(candidate: Candidate | None) -> tuple[str | Markup, ...]:
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
    """Return *why* as an HTML document that ends with a line end: the chain, and better candidates."""
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


def audit_html(report: AuditReport, *, about: Sequence[str] = ()) -> str:
    """Return *report* as an HTML document that ends with a line end.

    The page lists the findings by cause, as :func:`audit_text` does. *about* says which catalogs were audited.
    """
    must_be(report, "AuditReport", "report")
    causes = list(checked(audit_causes(report)))
    body: list[str] = [element("p", audit_summary(report), class_="summary")]
    if causes:
        body += [search_field("Find a package or a bundle", data_filters=".causes > section"), _causes(causes)]
    return page("Audit of catalogs", [element("main", *body)], about=about, scripts=["reasons"])


def _causes(causes: Sequence[AuditedCause]) -> Markup:
    return element(
        "div",
        *(element("section", *_cause_parts(cause), data_filter=_filter_text(cause)) for cause in causes),
        class_="causes",
    )


def _filter_text(cause: AuditedCause) -> str:
    texts = [word for name, catalog, sentences in cause.packages for word in (name, catalog, *sentences)]
    return " ".join((*texts, *cause.shared, *cause.reasons)).lower()


def _cause_parts(cause: AuditedCause) -> Iterator[Markup]:
    if cause.shared:
        yield element("h2", shared_title(cause))
        yield bounded_list(cause.shared, "reason")
    for name, catalog, sentences in cause.packages:
        yield element("h3" if cause.shared else "h2", element("code", name), f" ({catalog})")
        yield bounded_list(sentences, "finding")
    if cause.reasons:
        yield element("p", "because", class_="soft")
        yield bounded_list(cause.reasons, "reason")
