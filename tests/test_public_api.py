"""The public surface: a change to it is a decision, so it has to be made here as well."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import attrs
import pytest

import olmsolve
from olmsolve._public import public_names
from tests.architecture.imports import NAMES

VERBS = {
    "audit",
    "backends",
    "certificate",
    "compare_semantics",
    "compile",
    "diff",
    "explanation",
    "held_back",
    "impact",
    "is_satisfiable",
    "lint",
    "load",
    "observed",
    "plan",
    "read_cluster",
    "read_extension_request",
    "read_posted",
    "read_request",
    "read_situation",
    "resolve",
    "simulate",
    "validate",
    "verify",
    "why",
    "why_not",
}
VALUES = {
    "AtLeastOne",
    "BlangRange",
    "Broken",
    "Bundle",
    "Bundles",
    "CannotStayBeside",
    "Channel",
    "ChannelEntry",
    "Deprecated",
    "MastermindsRange",
    "MustStay",
    "Never",
    "NotEligible",
    "OnePerAPI",
    "OnePerPackage",
    "Package",
    "Prefer",
    "Reason",
    "Requires",
    "RuleDemands",
    "RuleForbids",
    "RuleKeepsApart",
    "SubscriptionWants",
    "UnknownCatalog",
    "UnknownChannel",
    "UnknownPackage",
    "UnknownStartingCSV",
    "Version",
    "Backend",
    "Candidate",
    "Catalog",
    "Explanation",
    "ExtensionDiff",
    "ExtensionWhy",
    "ExtensionWhyNot",
    "Finding",
    "HeldBackBundle",
    "HeldBackOperator",
    "ImpactReport",
    "Install",
    "Installed",
    "Policy",
    "Property",
    "AuditReport",
    "Request",
    "Resolution",
    "Simulation",
    "Situation",
    "SituationPlan",
    "Source",
    "Subscription",
    "Verdict",
    "WantedBy",
    "Why",
    "WhyNot",
}
ERRORS = {
    "BackendError": "OlmsolveError",
    "CatalogError": "OlmsolveError",
    "CelError": "OlmsolveError",
    "CompileError": "CelError",
    "ConstraintError": "OlmsolveError",
    "EvaluationError": "CelError",
    "Incomplete": "OlmsolveError",
    "ManifestError": "RequestError",
    "OlmsolveError": "Exception",
    "RangeError": "OlmsolveError",
    "RequestError": "OlmsolveError",
    "ResolutionError": "ResolutionFailure",
    "ResolutionFailure": "OlmsolveError",
    "Unsatisfiable": "ResolutionFailure",
    "VersionError": "OlmsolveError",
}
# What can be passed, and how: "/" and "*" as Python writes them.
SIGNATURES: dict[str, tuple[Callable[..., Any], str]] = {
    "audit": (
        olmsolve.audit,
        "sources, *, executor, semantics, backend, timeout, conflicts, cancel, observer, progress, resume",
    ),
    "why": (olmsolve.why, "resolution, name, *, request, reasons, timeout, conflicts, cancel, observer"),
    "why_not": (
        olmsolve.why_not,
        "resolution, package, *, version, channel, catalog, request, timeout, conflicts, cancel, observer",
    ),
    "held_back": (olmsolve.held_back, "answer, *, request, timeout, conflicts, cancel, observer"),
    "diff": (olmsolve.diff, "request, other, *, semantics, backend, timeout, conflicts, cancel, observer"),
    "compare_semantics": (olmsolve.compare_semantics, "request, *, backend, timeout, conflicts, cancel, observer"),
    "certificate": (olmsolve.certificate, "outcome, request, *, timeout, conflicts, cancel, observer"),
    "verify": (olmsolve.verify, "certificate, request, *, semantics, timeout, cancel, observer"),
    "explanation": (
        olmsolve.explanation,
        "failure, *, request, catalogs, fixes, tries, timeout, conflicts, cancel, observer",
    ),
    "compile": (olmsolve.compile, "request, *, semantics, whole, timeout, cancel, observer"),
    "simulate": (
        olmsolve.simulate,
        "situation, *, approve, failing, verify, backend, most_steps, timeout, conflicts, cancel, observer",
    ),
    "impact": (
        olmsolve.impact,
        (
            "clusters, *, before, after, changes, changes_before, policy, policy_before, approve, openshift, executor,"
            " backend, timeout, conflicts, cancel, observer, progress, resume, names"
        ),
    ),
    "plan": (olmsolve.plan, "situation, *, backend, timeout, conflicts, cancel, observer"),
    "lint": (olmsolve.lint, "catalog, *, second_opinion, timeout, cancel, observer"),
    "validate": (olmsolve.validate, "catalog, *, advice, timeout, cancel, observer"),
    "load": (olmsolve.load, "path, *, progress, drop, index, note, before, timeout, cancel, observer"),
    "read_request": (olmsolve.read_request, "source, *, load, timeout, cancel, observer"),
    "read_extension_request": (olmsolve.read_extension_request, "source, *, load, timeout, cancel, observer"),
    "read_posted": (olmsolve.read_posted, "documents, *, catalogs, policy, files, load, timeout, cancel, observer"),
    "read_cluster": (olmsolve.read_cluster, "sources, *, timeout, cancel, observer"),
    "read_situation": (olmsolve.read_situation, "sources, *, catalogs, policy, load, timeout, cancel, observer"),
    "resolve": (olmsolve.resolve, "request, *, semantics, backend, timeout, conflicts, cancel, observer"),
    "Resolver": (olmsolve.Resolver, "sources, *, semantics, backend, unreadable, health_policy, keep"),
    "Resolver.resolve": (
        olmsolve.Resolver.resolve,
        "self, subscriptions, *, namespaces, installed, eligibility, house_rules, timeout, conflicts, cancel, observer",
    ),
    "Resolver.is_satisfiable": (
        olmsolve.Resolver.is_satisfiable,
        "self, subscriptions, *, namespaces, installed, eligibility, house_rules, timeout, conflicts, cancel, observer",
    ),
    "Resolver.request": (
        olmsolve.Resolver.request,
        "self, subscriptions, *, namespaces, installed, eligibility, house_rules",
    ),
    "Resolver.warm": (olmsolve.Resolver.warm, "self, *, namespaces, packages, timeout, cancel, observer"),
    "limited": (olmsolve.limited, "*, timeout, conflicts, cancel"),
    "Source": (olmsolve.Source, "name, namespace, priority, catalog"),
    "Subscription": (
        olmsolve.Subscription,
        "name, namespace, package, channel, source, source_namespace, starting_csv, installed_csv, *, origin",
    ),
    "Installed": (
        olmsolve.Installed,
        "name, version, properties, subscription, gives_way, replaced_by, stalled_by, stall, *, origin",
    ),
    "Property": (olmsolve.Property, "type, value"),
    "Request": (
        olmsolve.Request,
        (
            "namespaces, sources, subscriptions, installed, name, unreadable, health_policy, eligibility, house_rules,"
            " hidden"
        ),
    ),
}


def names() -> list[str]:
    """Every name of the facade; type checkers know no ``__all__``, because it is made when it is asked for."""
    listed: list[str] = vars(olmsolve).get("__all__") or getattr(olmsolve, "__all__")  # noqa: B009
    return listed


def test_the_names() -> None:
    """A name that appears here is a promise, and one that disappears breaks somebody's program."""
    rooms = {name for name in names() if f"olmsolve.{name}" in NAMES}
    assert set(names()) == public_names("olmsolve") | rooms | {"__version__"}
    assert public_names("olmsolve") >= VERBS | VALUES | set(ERRORS)
    assert names() == sorted(names(), key=str)


def test_each_name_is_there_and_says_what_it_is() -> None:
    """The facade imports lazily, so a name that it cannot find would only fail in somebody's program."""
    for name in names():
        value = getattr(olmsolve, name)
        assert name == "__version__" or inspect.getdoc(value), name
        assert name in dir(olmsolve)


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_help_lists_each_verb(verb: str) -> None:
    """``help(olmsolve)`` begins with one line for each verb, before the pages of details."""
    assert f"``{verb}``" in (olmsolve.__doc__ or "")


def test_other_names_are_errors_as_usual() -> None:
    """A lazy module must still refuse what it does not have."""
    with pytest.raises(AttributeError, match="no attribute 'nonesuch'"):
        getattr(olmsolve, "nonesuch")  # noqa: B009 - type checkers refuse the attribute


@pytest.mark.parametrize(("name", "parent"), ERRORS.items())
def test_the_error_tree(name: str, parent: str) -> None:
    """Callers decide by class what to do about a failure."""
    error = getattr(olmsolve, name)
    assert parent in [base.__name__ for base in error.__mro__[1:2]]


def test_values_are_immutable() -> None:
    """They are shared between threads and requests."""
    for name in VALUES:
        value = getattr(olmsolve, name)
        assert attrs.has(value), name
        assert value.__setattr__ is not object.__setattr__, name


@pytest.mark.parametrize(("called", "parameters"), SIGNATURES.values(), ids=SIGNATURES.keys())
def test_signatures(called: Callable[..., Any], parameters: str) -> None:
    """Renaming a parameter, or letting it be passed by position, is a change of the interface."""
    assert _written(inspect.signature(called)) == parameters


def _written(signature: inspect.Signature) -> str:
    names = []
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in names:
            names.append("*")
        names.append(parameter.name)
    return ", ".join(names)


def test_semantics_have_two_names() -> None:
    """The strings are accepted wherever the enumeration is, and stand in documents."""
    assert [semantics.value for semantics in olmsolve.Semantics] == ["documented", "controller"]
