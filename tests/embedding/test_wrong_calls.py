"""Calls with the wrong value: one error that names the argument, before anything is done with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import olmsolve
from olmsolve import BlangRange, MastermindsRange, RequestError, Version, catalog_of, classic, package, request_for, v1
from olmsolve.catalog import rendered, split, write
from olmsolve.predicates import GVK, ProvidesGVK
from olmsolve.testing import FleetShape, bench, fuzz, reduced

CATALOG = catalog_of(package("a").channel("stable", "1.0.0"))
REQUEST = request_for(CATALOG, "a")
PLAN: Any = olmsolve.resolve(REQUEST)
FAILURE: Any = olmsolve.Unsatisfiable(())
RESOLVER = olmsolve.Resolver(REQUEST.sources)
BUNDLE = CATALOG.packages["a"].bundles["a.v1.0.0"]
EDGES = olmsolve.EntryEdges()
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
        (lambda: request_for(WRONG, "a"), "catalog: must be a Catalog, not an int"),
        (lambda: request_for(CATALOG, WRONG), "wishes[0]: must be text, not an int"),
        (lambda: request_for(CATALOG, installed=WRONG), "installed: must be several (text), not an int"),
        (lambda: package("a").channel(WRONG, "1.0.0"), "name: must be text, not an int"),
        (lambda: package("a").channel("s", "1.0.0", skip_range=WRONG), "skip_range: must be text, not an int"),
        (lambda: package("a").requires("b", WRONG), "versions: must be text, not an int"),
        (lambda: package("a").requires("b", at=WRONG), "at: must be text, not an int (put it in quotes)"),
        (lambda: package("a").having(WRONG, 5), "type: must be text, not an int (put it in quotes)"),
        (lambda: package("a").labelled(WRONG), "label: must be text, not an int"),
        (lambda: package("a").provides(WRONG), "api: must be text, not an int"),
        (
            lambda: package("a").constrained(WRONG),
            "constraint: must be a mapping of fields by their names, not an int",
        ),
        (lambda: package("a").deprecated(at=WRONG), "at: must be text, not an int"),
        (lambda: package("a").deprecated(message=WRONG), "message: must be text, not an int"),
        (lambda: olmsolve.explanation(FAILURE, fixes=-1), "fixes: must be 0 or more, not -1"),
        (lambda: olmsolve.explanation(FAILURE, tries=-1), "tries: must be 0 or more, not -1"),
        (lambda: olmsolve.explanation(FAILURE, fixes=EDGES), "fixes: must be a whole number, not an EntryEdges"),  # type: ignore[arg-type]
        (lambda: fuzz(REQUEST.sources, cases=-1), "cases: must be 0 or more, not -1"),
        (lambda: fuzz(REQUEST.sources, seed="x"), "seed: must be a whole number, not a str"),  # type: ignore[arg-type]
        (lambda: fuzz(REQUEST.sources, seconds="x"), "seconds: must be a number, not a str"),  # type: ignore[arg-type]
        (lambda: fuzz(WRONG), "sources: must be several (Source), not an int"),
        (lambda: fuzz(requests=["x"]), "request: must be a Request or an ExtensionRequest, not a str"),  # type: ignore[list-item]
        (
            lambda: bench(["a"], semantics="x"),  # type: ignore[arg-type]
            "semantics: there are no semantics 'x' (documented or controller)",
        ),
        (lambda: bench(WRONG), "catalogs: must be several (text), not an int"),
        (lambda: bench("a.yaml"), "catalogs: must be a list of names, not one text (['a.yaml'])"),
        (lambda: bench([CATALOG]), "catalogs[0]: must be text, not a Catalog"),  # type: ignore[list-item]
        (lambda: bench({"a": WRONG}), "catalogs['a']: must be text, not an int"),
        (lambda: bench((), documents=WRONG), "documents: must be several (text), not an int"),
        (lambda: bench((), backends="cdcl"), "backends: must be a list of names, not one text (['cdcl'])"),
        (lambda: reduced(REQUEST, WRONG), "keeps: must be a function of a request, not an int"),
        (lambda: reduced(WRONG), "request: must be a Request or an ExtensionRequest, not an int"),
        (lambda: olmsolve.json_schema(WRONG), "name: must be text, not an int"),
        (lambda: Version.parse(WRONG), "text: must be text, not an int"),
        (lambda: Version.parse([]), "text: must be text, not a list"),  # type: ignore[arg-type]
        (lambda: Version.parse_tolerant(WRONG), "text: must be text, not an int"),
        (lambda: BlangRange.parse(WRONG), "text: must be text, not an int"),
        (lambda: BlangRange.parse([]), "text: must be text, not a list"),  # type: ignore[arg-type]
        (lambda: MastermindsRange.parse(WRONG), "text: must be text, not an int"),
        (
            lambda: olmsolve.verify(olmsolve.certificate(PLAN, REQUEST), None),  # type: ignore[arg-type]
            "request: must be a Request, not None",
        ),
        (lambda: olmsolve.add_bundle(WRONG, BUNDLE, "s"), "catalog: must be a Catalog, not an int"),
        (lambda: olmsolve.add_bundle(CATALOG, "x", "s"), "bundle: must be a Bundle, not a str"),  # type: ignore[arg-type]
        (lambda: olmsolve.add_bundle(CATALOG, BUNDLE, WRONG), "channel: must be text, not an int"),
        (
            lambda: olmsolve.add_bundle(CATALOG, BUNDLE, "s", skips="a.v1"),
            "skips: must be a list of names, not one text (['a.v1'])",
        ),
        (
            lambda: olmsolve.add_bundle(CATALOG, BUNDLE, "s", skipped_by="a.v1"),
            "skipped_by: must be a list of names, not one text (['a.v1'])",
        ),
        (
            lambda: olmsolve.set_edges(CATALOG, "a", "stable", "a.v1.0.0", WRONG),
            "edges: must be an EntryEdges, not an int",
        ),
        (lambda: olmsolve.set_edges(CATALOG, "a", "stable", WRONG, EDGES), "bundle: must be text, not an int"),
        (lambda: olmsolve.set_edges(CATALOG, "a", WRONG, "a.v1.0.0", EDGES), "channel: must be text, not an int"),
        (lambda: olmsolve.promote(CATALOG, "a", "", WRONG, "fast"), "source: must be text, not an int"),
        (lambda: olmsolve.promote(CATALOG, "a", "", "stable", WRONG), "target: must be text, not an int"),
        (lambda: olmsolve.promote(CATALOG, "a", WRONG, "stable", "fast"), "bundle: must be text, not an int"),
        (
            lambda: olmsolve.promote(CATALOG, "a", "", "stable", "fast", WRONG),
            "edges: must be an EntryEdges, not an int",
        ),
        (lambda: olmsolve.deprecate(CATALOG, "a", WRONG), "message: must be text, not an int"),
        (lambda: olmsolve.set_default_channel(CATALOG, "a", WRONG), "channel: must be text, not an int"),
        (lambda: olmsolve.subset_catalog(CATALOG, "a"), "keep: must be several, not one text (['a'])"),
        (
            lambda: olmsolve.subset_catalog(CATALOG, [WRONG]),
            "keep[0]: must be a Keep or the name of a package, not an int",
        ),
        (lambda: olmsolve.subset_catalog(CATALOG, drop="a"), "drop: must be several, not one text (['a'])"),
        (lambda: olmsolve.remove_from_catalog(CATALOG, "a", versions=WRONG), "versions: must be text, not an int"),
        (
            lambda: olmsolve.remove_from_catalog(CATALOG, "a", channels="stable"),
            "channels: must be a list of names, not one text (['stable'])",
        ),
        (
            lambda: olmsolve.remove_from_catalog(CATALOG, "a", bundles=WRONG),
            "bundles: must be several (text), not an int",
        ),
        (lambda: write(CATALOG, None), "path: must be a path, not None"),  # type: ignore[arg-type]
        (lambda: write(WRONG, "a.yaml"), "catalog: must be a Catalog, or several blobs, not an int"),
        (
            lambda: write(CATALOG, "a.yaml", "xml"),  # type: ignore[arg-type]
            "format: there is no format 'xml' (json, jsonl, yaml)",
        ),
        (lambda: split(CATALOG, None), "folder: must be a path, not None"),  # type: ignore[arg-type]
        (
            lambda: list(rendered(CATALOG, "xml")),  # type: ignore[arg-type]
            "format: there is no format 'xml' (json, jsonl, yaml)",
        ),
        (
            lambda: olmsolve.channel_path(CATALOG.packages["a"], "a.v1.0.0", mode="fast"),  # type: ignore[arg-type]
            "mode: there is no mode 'fast' (controller or shortest)",
        ),
        (
            lambda: olmsolve.channel_path(CATALOG.packages["a"], "a.v1.0.0", scheme="pep440"),  # type: ignore[arg-type]
            "scheme: must be a VersionScheme, not a str (Catalog.scheme is a catalog's)",
        ),
        (
            lambda: olmsolve.channel_path(CATALOG.packages["a"], "a.v1.0.0", version="1.0.0"),  # type: ignore[arg-type]
            "version: must be a Version, not a str",
        ),
        (lambda: olmsolve.channel_path(CATALOG.packages["a"], "a.v1.0.0", to=WRONG), "to: must be text, not an int"),
        (
            lambda: olmsolve.channel_path(CATALOG.packages["a"], "a.v1.0.0", channel=WRONG),
            "channel: must be text, not an int",
        ),
        (
            lambda: olmsolve.cluster_eligibility(WRONG, "shop"),
            "cluster: must be a ClusterState or a ClusterGroups, not an int",
        ),
        (lambda: olmsolve.cluster_eligibility(None, WRONG), "namespace: must be text, not an int"),
        (lambda: olmsolve.group_eligibility(olmsolve.ClusterState(), WRONG), "namespace: must be text, not an int"),
        (
            lambda: olmsolve.resolve_together(REQUEST),  # type: ignore[arg-type]
            "requests: must be several (Request), not a Request (put it in a list)",
        ),
        (lambda: olmsolve.resolve_together([REQUEST], agreement=WRONG), "agreement: must be an Agreement, not an int"),
        (
            lambda: olmsolve.resolve_together([REQUEST], semantics=WRONG),
            "semantics: there are no semantics 5 (documented or controller)",
        ),
        (lambda: RESOLVER.warm(namespaces=WRONG), "namespaces: must be several (text), not an int"),
        (
            lambda: RESOLVER.warm(namespaces="shop"),
            "namespaces: must be a list of names, not one text (['shop'])",
        ),
        (lambda: RESOLVER.warm(namespaces=["shop"], packages=WRONG), "packages: must be several (text), not an int"),
        (lambda: RESOLVER.path([], namespaces=["shop"], to=WRONG), "to: must be text, not an int"),
        (lambda: classic.subscription_paths(REQUEST, mode=WRONG), "mode: there is no mode 5 (controller or shortest)"),
        (lambda: v1.path(WRONG), "request: must be an ExtensionRequest, not an int"),
    ],
)
def test_a_wrong_argument_is_named(call: Callable[[], object], message: str) -> None:
    """Each was an AttributeError or a TypeError of a line within."""
    with pytest.raises(RequestError) as refused:
        call()
    assert str(refused.value) == message


def test_help_lists_the_classes_that_a_program_begins_with() -> None:
    """``help(olmsolve)`` names those that no other line leads to."""
    text = olmsolve.__doc__ or ""
    assert [name for name in ("Resolver", "CatalogStore", "package", "catalog_of") if f"``{name}``" not in text] == []
