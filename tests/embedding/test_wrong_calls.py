"""Calls with the wrong value: one error that names the argument, before anything is done with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import olmsolve
from olmsolve import RequestError, catalog_of, package, request_for, v1
from olmsolve.predicates import GVK, ProvidesGVK
from olmsolve.testing import FleetShape

CATALOG = catalog_of(package("a").channel("stable", "1.0.0"))
PLAN: Any = olmsolve.resolve(request_for(CATALOG, "a"))
WRONG: Any = 5
ANY_BUNDLE: Any = lambda bundle: None  # noqa: E731 - a function where a list of them is meant


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: olmsolve.plan_text(WRONG), "resolution: must be a Resolution, not an int"),
        (lambda: olmsolve.plan_html(WRONG), "resolution: must be a Resolution, not an int"),
        (lambda: olmsolve.explanation_text(PLAN), "explanation: must be an Explanation, not a Resolution"),
        (lambda: olmsolve.explanation_markdown(PLAN), "explanation: must be an Explanation, not a Resolution"),
        (lambda: olmsolve.explanation_html(PLAN), "explained: must be an Explanation, not a Resolution"),
        (lambda: olmsolve.audit_text(WRONG), "report: must be an AuditReport, not an int"),
        (lambda: olmsolve.audit_html(WRONG), "report: must be an AuditReport, not an int"),
        (lambda: olmsolve.why_text(PLAN), "answer: must be a Why, not a Resolution"),
        (lambda: olmsolve.why_not_text(PLAN), "answer: must be a WhyNot, not a Resolution"),
        (lambda: olmsolve.update_graph_html(WRONG), "catalog: must be a Catalog, not an int"),
        (lambda: olmsolve.update_graph_dot(WRONG), "catalog: must be a Catalog, not an int"),
        (lambda: olmsolve.update_graph_mermaid(WRONG), "catalog: must be a Catalog, not an int"),
        (lambda: olmsolve.subset_catalog(WRONG, ["a"]), "catalog: must be a Catalog, not an int"),
        (lambda: olmsolve.merge_catalogs(CATALOG, WRONG), "catalogs[1]: must be a Catalog, not an int"),
        (lambda: olmsolve.remove_from_catalog(CATALOG, WRONG), "package: must be text, not an int"),
        (lambda: olmsolve.deprecate(WRONG, "a", "old"), "catalog: must be a Catalog, not an int"),
        (lambda: olmsolve.channel_path(WRONG, "a.v1.0.0"), "package: must be a Package, not an int"),
        (lambda: olmsolve.channel_path(CATALOG.packages["a"], WRONG), "installed: must be text, not an int"),
        (lambda: v1.resolve(WRONG), "request: must be an ExtensionRequest, not an int"),
        (lambda: olmsolve.why(PLAN, WRONG), "name: must be text, not an int"),
        (lambda: olmsolve.why_not(PLAN, WRONG), "package: must be text, not an int"),
        (
            lambda: ProvidesGVK(GVK("shop.example.com", "v1", WRONG)),
            "gvk: must have three texts (group, version and kind)",
        ),
        (lambda: FleetShape(clusters=-1), "clusters: must not be negative"),
        (
            lambda: v1.ExtensionRequest(v1.Extension("a"), [], validations=ANY_BUNDLE),
            "validations: must be several functions of a bundle, not a function (put it in a list)",
        ),
    ],
)
def test_a_wrong_argument_is_named(call: Callable[[], object], message: str) -> None:
    """Each was an AttributeError or a TypeError of a line within."""
    with pytest.raises(RequestError) as refused:
        call()
    assert str(refused.value) == message
