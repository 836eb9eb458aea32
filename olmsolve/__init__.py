"""Resolve Operator Lifecycle Manager requests: fast, exactly, and with reasons.

Three things to know: a :class:`Catalog` (:func:`load` reads one), a request (:func:`read_request` reads one
from a document), and :func:`resolve`, which returns a :class:`Resolution` or raises :class:`Unsatisfiable`.

Names are imported from their rooms when they are first used, so that a tool that only reads catalogs does
not pay for the resolver.
"""

from typing import TYPE_CHECKING

from olmsolve._version import __version__

if TYPE_CHECKING:
    from olmsolve._verbs import is_satisfiable, resolve
    from olmsolve.auditing import Report, audit
    from olmsolve.catalog import Catalog, Property, Source
    from olmsolve.certifying import certificate
    from olmsolve.checks import Finding, Severity, lint, validate
    from olmsolve.classic import (
        Installed,
        Request,
        Resolver,
        Semantics,
        Subscription,
        Unsatisfiable,
    )
    from olmsolve.errors import (
        BackendError,
        CatalogError,
        CelError,
        CompileError,
        ConstraintError,
        EvaluationError,
        Incomplete,
        ManifestError,
        OlmsolveError,
        RangeError,
        RequestError,
        VersionError,
    )
    from olmsolve.explain import Explanation, explanation
    from olmsolve.index_files import load
    from olmsolve.questions import PlanDiff, Why, WhyNot, compare_semantics, diff, why, why_not
    from olmsolve.requests import read_cluster, read_request
    from olmsolve.resolution import Candidate, Install, Resolution, ResolutionFailure, WantedBy
    from olmsolve.simulation import Simulation, simulate
    from olmsolve.verification import Verdict, verify

__all__ = [
    "BackendError",
    "Candidate",
    "Catalog",
    "CatalogError",
    "CelError",
    "CompileError",
    "ConstraintError",
    "EvaluationError",
    "Explanation",
    "Finding",
    "Incomplete",
    "Install",
    "Installed",
    "ManifestError",
    "OlmsolveError",
    "PlanDiff",
    "Property",
    "RangeError",
    "Report",
    "Request",
    "RequestError",
    "Resolution",
    "ResolutionFailure",
    "Resolver",
    "Semantics",
    "Severity",
    "Simulation",
    "Source",
    "Subscription",
    "Unsatisfiable",
    "Verdict",
    "VersionError",
    "WantedBy",
    "Why",
    "WhyNot",
    "__version__",
    "audit",
    "certificate",
    "compare_semantics",
    "diff",
    "explanation",
    "is_satisfiable",
    "lint",
    "load",
    "read_cluster",
    "read_request",
    "resolve",
    "simulate",
    "validate",
    "verify",
    "why",
    "why_not",
]

_ROOMS = {
    "_verbs": ("is_satisfiable", "resolve"),
    "auditing": ("Report", "audit"),
    "catalog": ("Catalog", "Property", "Source"),
    "certifying": ("certificate",),
    "checks": ("Finding", "Severity", "lint", "validate"),
    "classic": ("Installed", "Request", "Resolver", "Semantics", "Subscription", "Unsatisfiable"),
    "errors": (
        "BackendError",
        "CatalogError",
        "CelError",
        "CompileError",
        "ConstraintError",
        "EvaluationError",
        "Incomplete",
        "ManifestError",
        "OlmsolveError",
        "RangeError",
        "RequestError",
        "VersionError",
    ),
    "explain": ("Explanation", "explanation"),
    "index_files": ("load",),
    "questions": ("PlanDiff", "Why", "WhyNot", "compare_semantics", "diff", "why", "why_not"),
    "requests": ("read_cluster", "read_request"),
    "resolution": ("Candidate", "Install", "Resolution", "ResolutionFailure", "WantedBy"),
    "simulation": ("Simulation", "simulate"),
    "verification": ("Verdict", "verify"),
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}


def __getattr__(name: str) -> object:
    room = _ROOM_OF.get(name)
    if room is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{room}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
