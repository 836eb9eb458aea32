"""Operator Lifecycle Manager classic (v0): subscriptions, their dependencies, and the preferred plan."""

from olmsolve.classic.paths import UpgradePath, path
from olmsolve.classic.reasons import Asked, Reason, Unsatisfiable
from olmsolve.classic.request import HealthPolicy, Installed, Request, Semantics, Subscription
from olmsolve.classic.resolving import Resolver, SemanticsName, is_satisfiable, resolve
from olmsolve.classic.sharing import Agreement, UnsatisfiableTogether, resolve_together
from olmsolve.classic.unreadable import CatalogsUnreadable

__all__ = [
    "Agreement",
    "Asked",
    "CatalogsUnreadable",
    "HealthPolicy",
    "Installed",
    "Reason",
    "Request",
    "Resolver",
    "Semantics",
    "SemanticsName",
    "Subscription",
    "Unsatisfiable",
    "UnsatisfiableTogether",
    "UpgradePath",
    "is_satisfiable",
    "path",
    "resolve",
    "resolve_together",
]
