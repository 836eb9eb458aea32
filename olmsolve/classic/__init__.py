"""Operator Lifecycle Manager classic (v0): subscriptions, their dependencies, and the preferred plan."""

from olmsolve.classic.paths import UpgradePath, path
from olmsolve.classic.reasons import Asked, Reason, Unsatisfiable
from olmsolve.classic.request import Installed, Request, Semantics, Subscription
from olmsolve.classic.resolving import Resolver, SemanticsName, resolve

__all__ = [
    "Asked",
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
