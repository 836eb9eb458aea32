"""The features of drawn requests and their answers: what a report says of them, and what requests are drawn for.

A generator that never draws something finds no fault in it, and nobody sees that in a number of requests.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Any, Final

from olmsolve import v1
from olmsolve.answers.reducing import AnyRequest
from olmsolve.classic import Request
from olmsolve.errors import Incomplete
from olmsolve.predicates import REQUIREMENT_TYPES
from olmsolve.resolution import Resolution
from olmsolve.testing.laws import outcome_of
from olmsolve.testing.varying import mappings_in

CHANNEL: Final = "channel named"
FIRST: Final = "first bundle named"
REMOVED: Final = "first bundle that a skipRange removes"
INSTALLED: Final = "operator installed"
UPDATED: Final = "operator updated"
CATALOGS: Final = "several catalogs"
CHANGED: Final = "catalog changed"
ALTERNATIVES: Final = "alternatives among requirements of the plan"
NEEDED: Final = "bundle that only a requirement selects"

COVERED: Final = (CHANNEL, FIRST, REMOVED, INSTALLED, UPDATED, CATALOGS, CHANGED, ALTERNATIVES, NEEDED)
"""The features of a classic request and its plan, in the order of reports."""


class Goal(Enum):
    """An ending that a request should have; to reach it, the request is drawn anew a few times.

    Without goals, a third of the requests would have a plan: hardly any over some catalogs, nearly all over others.
    """

    ANY = "any"
    PLAN = "plan"
    FAILURE = "failure"
    WISHES = "wishes"
    UPDATED = UPDATED
    REMOVED = REMOVED
    ALTERNATIVES = ALTERNATIVES
    NEEDED = NEEDED


GOALS: Final = (
    Goal.NEEDED,
    Goal.UPDATED,
    Goal.ANY,
    Goal.WISHES,
    Goal.FAILURE,
    Goal.ALTERNATIVES,
    Goal.REMOVED,
    Goal.PLAN,
    Goal.FAILURE,
    Goal.UPDATED,
    Goal.ANY,
)
"""The goals of requests by their numbers, over and over."""

FOR_EXTENSIONS: Final = frozenset({Goal.ANY, Goal.PLAN, Goal.FAILURE})
NEEDS_PLAN: Final = frozenset({Goal.PLAN, Goal.WISHES, Goal.UPDATED, Goal.ALTERNATIVES, Goal.NEEDED})


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
    any_parts = (part.get("any") for part in mappings_in(value))
    lists = (alternatives.get("constraints") for alternatives in any_parts if isinstance(alternatives, dict))
    return any(isinstance(parts, list) and len(parts) > 1 for parts in lists)


def features(request: AnyRequest) -> set[str]:
    """Return all that *request* and its answer are examples of: features that reports count, and endings."""
    try:
        outcome: object = v1.resolve(request) if isinstance(request, v1.ExtensionRequest) else outcome_of(request)
    except Incomplete:
        raise
    except Exception:  # noqa: BLE001 - the laws tell of errors and crashes
        return {Goal.FAILURE.value}
    goals = {Goal.ANY.value, *covered(request, outcome)}
    is_plan = isinstance(request, v1.ExtensionRequest) or isinstance(outcome, Resolution)
    goals.add((Goal.PLAN if is_plan else Goal.FAILURE).value)
    if isinstance(request, Request) and is_plan and len(request.subscriptions) > 1:
        goals.add(Goal.WISHES.value)
    return goals
