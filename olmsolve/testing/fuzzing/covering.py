"""The features of drawn requests and their answers, so that a report can say what its requests covered.

A generator that never draws something finds no fault in it, and nobody sees that in a number of requests.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from olmsolve.answers.reducing import AnyRequest
from olmsolve.classic import Request
from olmsolve.predicates import REQUIREMENT_TYPES
from olmsolve.resolution import Resolution

CHANNEL: Final = "channel named"
FIRST: Final = "first bundle named"
REMOVED: Final = "first bundle that a skipRange removes"
INSTALLED: Final = "operator installed"
UPDATED: Final = "operator updated"
CATALOGS: Final = "several catalogs"
CHANGED: Final = "catalog changed"
ALTERNATIVES: Final = "alternatives among requirements of the plan"
NEEDED: Final = "bundle that is needed alone"

COVERED: Final = (CHANNEL, FIRST, REMOVED, INSTALLED, UPDATED, CATALOGS, CHANGED, ALTERNATIVES, NEEDED)
"""The features of a classic request and its plan, in the order of reports."""


def covered(request: AnyRequest, outcome: object) -> Iterator[str]:
    """Yield the features of *request* and its *outcome*, a plan or why there is none."""
    if not isinstance(request, Request):
        return
    wishes = request.subscriptions
    if any(wish.channel for wish in wishes):
        yield CHANNEL
    if any(wish.starting_csv for wish in wishes):
        yield FIRST
    if any(getattr(reason, "removed_by", ()) for reason in getattr(outcome, "core", ())):
        yield REMOVED
    if request.installed:
        yield INSTALLED
    if len(request.sources) > 1:
        yield CATALOGS
    if request.name:
        yield CHANGED
    if isinstance(outcome, Resolution):
        yield from _of_plan(request, outcome)


def _of_plan(request: Request, plan: Resolution) -> Iterator[str]:
    if any(install.replaces for install in plan.installs):
        yield UPDATED
    contents = {source.key: source.catalog for source in request.sources}
    bundles = (
        contents[install.catalog].packages[install.package].bundles[install.name]
        for install in plan.installs
        if install.catalog in contents
    )
    stated = (item.value for bundle in bundles for item in bundle.properties if item.type in REQUIREMENT_TYPES)
    if any(map(_has_alternatives, stated)):
        yield ALTERNATIVES
    wished = {wish.package for wish in request.subscriptions}
    if any(install.package not in wished for install in plan.installs):
        yield NEEDED


def _has_alternatives(value: Any) -> bool:
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            alternatives = part.get("any")
            parts = alternatives.get("constraints") if isinstance(alternatives, dict) else None
            if isinstance(parts, list) and len(parts) > 1:
                return True
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)
    return False
