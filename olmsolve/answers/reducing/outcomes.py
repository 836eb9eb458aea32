"""Predicates over reduced requests, each of which remembers the outcome of the original."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Final, TypeAlias

import olmsolve._attrs as attrs
from olmsolve import classic, v1
from olmsolve.answers.questions import compare_semantics
from olmsolve.classic import Reason, Request, Semantics, Unsatisfiable
from olmsolve.errors import OlmsolveError, RequestError
from olmsolve.predicates import Predicate, leaves
from olmsolve.resolution import Candidate, Resolution

AnyRequest: TypeAlias = Request | v1.ExtensionRequest
"""A request to classic OLM or to OLM v1."""

Keeps: TypeAlias = Callable[[AnyRequest], bool]
"""A predicate on requests: whether one still shows what matters."""


def same_outcome(request: AnyRequest, semantics: Semantics = Semantics.DOCUMENTED) -> Keeps:
    """Return a predicate: does a request end as *request* does?

    Plans are alike if they install bundles of the same names in the same order, failures if their cores have the same
    kinds of constraints. Broken catalogs and crashes (exceptions that are no OlmsolveError) are alike by their class.
    """
    expected = _outcome(request, semantics)
    return lambda other: _outcome(other, semantics) == expected


def same_core(request: AnyRequest, semantics: Semantics = Semantics.DOCUMENTED) -> Keeps:
    """Return a predicate: has a request a core that says the same as the core of *request*?

    Cores say the same if their constraints are of the same kinds, about the same subscriptions, packages and APIs, and
    if each requirement names nothing that it does not name in *request*. Without a core the outcome has to be the same.
    """
    answer = _answer(request, semantics)
    if not isinstance(answer, Unsatisfiable):
        return same_outcome(request, semantics)
    expected = _gists(answer)

    def holds(other: AnyRequest) -> bool:
        outcome = _answer(other, semantics)
        if not isinstance(outcome, Unsatisfiable):
            return False
        gists = _gists(outcome)
        return gists.keys() == expected.keys() and all(names <= expected[gist] for gist, names in gists.items())

    return holds


def same_difference(request: AnyRequest, semantics: Semantics = Semantics.DOCUMENTED) -> Keeps:
    """Return a predicate: do both semantics answer a request differently, in the way in which they do *request*?

    *semantics* is there for programs that take all three predicates alike.

    Raises:
        RequestError: both semantics answer *request* alike, or it is for OLM v1.
    """
    expected = _difference(request)
    if not isinstance(request, Request) or expected is None:
        hint = "reduce its outcome or its core instead"
        raise RequestError("documented and controller semantics do not differ on this request", hint=hint)
    return lambda other: _difference(other) == expected


KEPT: Final = {"outcome": same_outcome, "core": same_core, "difference": same_difference}
"""The predicates by what they keep."""


def _outcome(request: AnyRequest, semantics: Semantics) -> Hashable:
    answer = _answer(request, semantics)
    if isinstance(answer, Resolution):
        return "plan", tuple(install.name for install in answer.installs)
    if isinstance(answer, v1.ExtensionResolution):
        return "bundle", answer.bundle
    if isinstance(answer, Unsatisfiable):
        return "no plan", frozenset(reason.kind for reason in answer.core)
    return "error", type(answer).__name__


def _difference(request: AnyRequest) -> Hashable | None:
    """Return the outcomes under both semantics and the packages that differ, None if nothing differs."""
    if not isinstance(request, Request):
        return None
    compared = compare_semantics(request)
    kinds = tuple(
        "plan" if isinstance(outcome, Resolution) else "error" for outcome in (compared.before, compared.after)
    )
    changed = tuple(sorted(change.package for change in compared.changes))
    return (kinds, changed) if compared else None


def _answer(request: AnyRequest, semantics: Semantics) -> object:
    """Return the answer to *request*, or the exception that it ends with, whichever that is."""
    try:
        if isinstance(request, Request):
            return classic.resolve(request, semantics=semantics)
        return v1.resolve(request)
    except OlmsolveError as error:
        return error
    except Exception as error:  # noqa: BLE001 - a crash of olmsolve itself is what somebody may want to reduce
        return error


def _gists(failure: Unsatisfiable) -> dict[Hashable, set[str]]:
    """Map what each constraint of the core is about to the APIs, packages and labels that its requirements name.

    Bundles are left out: these become fewer, and a constraint of several packages may be about any bundle of them.
    """
    gists: dict[Hashable, set[str]] = {}
    for reason in failure.core:
        names = gists.setdefault(_subject(reason), set())
        if isinstance(reason, classic.Requires):
            names.update(_names_in(reason.predicate))
    return gists


def _subject(reason: Reason) -> Hashable:
    """Return the kind of *reason*, and the subscriptions, packages and APIs that it is about."""
    named: list[Hashable] = []
    for field in attrs.fields(type(reason)):
        value = getattr(reason, field.name)
        if isinstance(value, classic.Subscription):
            named.append(("subscription", value.name))
        elif isinstance(value, Candidate):
            named.append(("package", value.package or value.name))
        elif field.name in ("package", "api"):
            named.append((field.name, str(value)))
    about = frozenset(candidate.package or candidate.name for candidate in reason.candidates_named())
    return reason.kind, tuple(named), about


def _names_in(predicate: Predicate) -> Iterator[str]:
    """Yield the API, the package, the label or the rule of each part of *predicate*; ranges may become shorter."""
    return (str(leaf.fact or leaf) for leaf in leaves(predicate))
