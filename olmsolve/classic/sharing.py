"""Several namespaces resolved at once, over the definitions of APIs that they share.

OLM resolves each namespace by itself. But a CustomResourceDefinition belongs to the whole cluster: operators of two
namespaces that own the same one work together only if they mean the same by it. OLM's documentation says what is
supported ("Limitations for multitenant Operator management"): operators that provide exactly the same versions of the
API. Here that is a constraint, so that an update in one namespace waits until the others can follow, or all go at once.

Exactly: a kind of a group has at most one *definition* among all bundles selected in all namespaces and all operators
that stay. A bundle's ``olm.gvk`` properties say which definition it gives, see :class:`Agreement`. All other rules
are those for one namespace. Namespaces choose in the order given, breadth first over all of them: where two cannot both
have what they prefer, the earlier one has it.
"""

from __future__ import annotations

import enum
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from olmsolve import events
from olmsolve._arguments import every, must_be
from olmsolve._limits import Cancellation, scoped
from olmsolve._records import Record, documented, field, record
from olmsolve.classic.context import RequestContext
from olmsolve.classic.failure import failure, reason_for
from olmsolve.classic.problem import ClassicProblem
from olmsolve.classic.reasons import Reason, Unsatisfiable
from olmsolve.classic.request import Request, Semantics
from olmsolve.classic.resolving import SemanticsName, resolution_of, semantics_named
from olmsolve.classic.shared_problem import Defines, Definition, SharedProblem
from olmsolve.classic.unmet import opposed
from olmsolve.classic.unreadable import (
    check_catalogs_after_solving,
    check_catalogs_before_solving,
    possible_provider,
)
from olmsolve.errors import RequestError
from olmsolve.resolution import Candidate, Resolution, ResolutionFailure
from olmsolve.solver import AtMost, Constraint, Core, Dependency, Prohibited, solve
from olmsolve.solver.backends import DEFAULT, BackendLike


class Agreement(enum.Enum):
    """The condition under which two bundles give the same definition of a kind.

    VERSIONS: both provide exactly the same versions of it, as OLM's documentation demands. BUNDLE: they are the same
    version of the same package, so that even the schemas are the same.
    """

    VERSIONS = "versions"
    BUNDLE = "bundle"


@record(says="{candidate} defines {definition.api} {definition}")
class GivesDefinition(Reason):
    """A bundle gives the *api* (``group/Kind``) a definition."""

    candidate: Candidate
    definition: Definition


@record
class OneDefinition(Reason):
    """A cluster has one definition of the *api* (``group/Kind``), so not all of *definitions*."""

    api: str
    definitions: tuple[Definition, ...]

    def __str__(self) -> str:
        return f"the cluster has one definition of {self.api}, either {' or '.join(map(str, self.definitions))}"


@record(about="A constraint of a core, with its namespace.")
class _ReasonOfNamespace(Record):
    """A reason with its namespace, "" for one of the whole cluster."""

    namespace: str = field("The namespace.")
    reason: Reason = field(path="*")


def _with_namespaces(core: Iterable[tuple[str, Reason]]) -> tuple[_ReasonOfNamespace, ...]:
    return tuple(_ReasonOfNamespace(namespace, reason) for namespace, reason in core)


@record(
    definition="olmsolve.unsatisfiable-together",
    title="A failure of several namespaces at once",
    about="Constraints of several namespaces that cannot hold together (docs/shared-definitions.md).",
    layout=("_is_unsatisfiable", "namespaces", "core"),
)
class UnsatisfiableTogether(ResolutionFailure):
    """The namespaces cannot all be resolved together: the reasons in *core* cannot hold together.

    Each reason comes with its namespace, "" for the whole cluster.
    """

    core: tuple[tuple[str, Reason], ...] = field("The core.", path="constraints", written=_with_namespaces)

    @property
    @documented("", path="unsatisfiable", schema={"const": True, "type": None})
    def _is_unsatisfiable(self) -> bool:
        return True

    @property
    @documented("The namespaces that take part.")
    def namespaces(self) -> tuple[str, ...]:
        """The namespaces that the core is about, each once."""
        return tuple(dict.fromkeys(namespace for namespace, _ in self.core if namespace))

    def __str__(self) -> str:
        names = " and ".join(self.namespaces)
        lines = [f"the namespaces cannot be resolved together ({names}); these cannot hold together:"]
        lines.extend(f"  - {f'{namespace}: ' if namespace else ''}{reason}" for namespace, reason in self.core)
        return "\n".join(lines)


def resolve_together(
    requests: Iterable[Request],
    *,
    agreement: Agreement = Agreement.VERSIONS,
    semantics: SemanticsName = Semantics.DOCUMENTED,
    backend: BackendLike = DEFAULT,
    timeout: float | None = None,
    conflicts: int | None = None,
    cancel: Cancellation | None = None,
    observer: events.Observer | None = None,
) -> dict[str, Resolution]:
    """Return the preferred plans of several namespaces, by namespace, which agree on the definitions that they share.

    *requests* are one for each namespace, the most important first; the other parameters are as for
    :func:`olmsolve.resolve`. If the separate plans of the namespaces agree, they are the result.

    Raises:
        UnsatisfiableTogether: there are no such plans; the core names the namespaces.
        RequestError: two requests are for one namespace.
        CatalogError: a part of a catalog that decides a request is broken.
        BackendError: there is no such backend, or it cannot keep a limit.
        Incomplete: a limit was met, or the caller cancelled.
    """
    several = every(requests, Request, "requests")
    must_be(agreement, "Agreement", "agreement")
    with scoped(timeout=timeout, conflicts=conflicts, cancel=cancel, observer=observer):
        return _resolved_together(several, agreement, semantics_named(semantics), backend)


def _resolved_together(
    requests: Sequence[Request], agreement: Agreement, meaning: Semantics, backend: BackendLike
) -> dict[str, Resolution]:
    names = [request.namespaces[0] for request in requests]
    for position, name in enumerate(names):
        if name in names[:position]:
            raise RequestError(f"{name!r} is the namespace of two requests", field=f"requests[{position}].namespaces")
    for name, request in zip(names, requests, strict=True):
        with _in_namespace(name):
            check_catalogs_before_solving(request, RequestContext(request, meaning, backend))
    problems = [ClassicProblem.of(request, meaning) for request in requests]
    shared = SharedProblem(problems, by_bundle=agreement is Agreement.BUNDLE)
    outcome = solve(shared, backend=backend)
    if isinstance(outcome, Core):
        raise _failure(shared, names, outcome, backend)
    resolutions = {}
    for position, (name, problem) in enumerate(zip(names, problems, strict=True)):
        part = shared.part(outcome, position)
        with _in_namespace(name):
            check_catalogs_after_solving(problem, part, RequestContext(problem.request, meaning, backend))
        resolutions[name] = resolution_of(problem, part, backend)
    return resolutions


@contextmanager
def _in_namespace(name: str) -> Iterator[None]:
    """Raise the failure of one namespace as a failure of all, with the name of the namespace."""
    try:
        yield
    except Unsatisfiable as failed:
        raise UnsatisfiableTogether(tuple((name, reason) for reason in failed.core)) from None


def _failure(shared: SharedProblem, names: Sequence[str], core: Core, backend: BackendLike) -> Exception:
    """Return the exception for *core*: the first fault of a catalog in it, else its reasons by namespace."""
    reasons: list[tuple[str, Reason]] = []
    against = opposed(core.constraints)
    for constraint in core.constraints:
        if isinstance(constraint, AtMost) and isinstance(constraint.identifiers[0], tuple):
            # A group holds definitions of one kind, or candidates of one namespace: its first member tells which.
            definitions = [shared.definition(identifier) for identifier in constraint.identifiers]
            if definitions[0] is not None:
                contradicting = sorted((definition for definition in definitions if definition is not None), key=str)
                reasons.append(("", OneDefinition(definitions[0].api, tuple(contradicting))))
                continue
        position, inner = shared.in_namespace(constraint)
        problem = shared.problems[position]
        if isinstance(inner, Prohibited):
            fault = failure(problem, Core((inner,)), backend)
            if not isinstance(fault, Unsatisfiable):
                return fault
        reasons.append((names[position], _reason(problem, inner, shared.opposed_in(position, against))))
    for name, problem in zip(names, shared.problems, strict=True):
        provider = possible_provider(problem.request, [reason for namespace, reason in reasons if namespace == name])
        if provider is not None:
            reasons.append((name, provider))
    return UnsatisfiableTogether(tuple(reasons))


def _reason(problem: ClassicProblem, constraint: Constraint, against: Collection[Any]) -> Reason:
    if isinstance(constraint, Dependency) and isinstance(constraint.origin, Defines):
        return GivesDefinition(problem.candidate(constraint.subject), constraint.origin.definition)
    return reason_for(problem, constraint, against)
