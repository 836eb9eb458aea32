"""Operator Lifecycle Manager classic (v0): subscriptions, their dependencies, and the preferred plan."""

from olmsolve.classic.paths import UpgradePath, path
from olmsolve.classic.reasons import Asked, Reason, Unsatisfiable
from olmsolve.classic.request import HealthPolicy, Installed, Request, Semantics, Subscription
from olmsolve.classic.resolving import Resolver, SemanticsName, resolve
from olmsolve.classic.unreadable import CatalogsUnreadable

__all__ = [
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
    "UpgradePath",
    "path",
    "resolve",
]
