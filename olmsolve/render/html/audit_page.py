"""The findings of an audit as one page: a section for each cause, and in it the packages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from olmsolve._arguments import must_be
from olmsolve._limits import checked
from olmsolve.answers.auditing import AuditReport
from olmsolve.render.audit import AuditedCause, audit_causes, audit_summary, shared_title
from olmsolve.render.html.page import bounded_list, page, search_field
from olmsolve.render.markup import Markup, element


def audit_html(report: AuditReport, *, about: Sequence[str] = ()) -> str:
    """Return *report* as an HTML document that ends with a line end.

    The page lists the findings by cause, as :func:`audit_text` does. *about* says which catalogs were audited.
    """
    must_be(report, "AuditReport", "report")
    causes = list(checked(audit_causes(report)))
    body: list[str] = [element("p", audit_summary(report), class_="summary")]
    if causes:
        body += [search_field("Find a package or a bundle", ".causes > section"), _causes(causes)]
    return page("Audit of catalogs", [element("main", *body)], about=about, scripts=["reasons"])


def _causes(causes: Sequence[AuditedCause]) -> Markup:
    return element(
        "div", *(element("section", *_parts(cause), data_filter=_words(cause)) for cause in causes), class_="causes"
    )


def _words(cause: AuditedCause) -> str:
    texts = [word for name, catalog, sentences in cause.packages for word in (name, catalog, *sentences)]
    return " ".join((*texts, *cause.shared, *cause.reasons)).lower()


def _parts(cause: AuditedCause) -> Iterator[Markup]:
    if cause.shared:
        yield element("h2", shared_title(cause))
        yield bounded_list(cause.shared, "reason")
    for name, catalog, sentences in cause.packages:
        yield element("h3" if cause.shared else "h2", element("code", name), f" ({catalog})")
        yield bounded_list(sentences, "finding")
    if cause.reasons:
        yield element("p", "because", class_="soft")
        yield bounded_list(cause.reasons, "reason")
