"""The differences between two answers: to another request, over other catalogs, or under other semantics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from olmsolve import events
from olmsolve._arguments import type_with_article
from olmsolve._limits import Cancellation, scoped
from olmsolve.catalog import namespace_and_name
from olmsolve.classic import ClassicProblem, Installed, PlanChange, PlanDiff, Request, Semantics, SemanticsName, resolve
from olmsolve.errors import CatalogError, RequestError
from olmsolve.predicates import published, semantics_differ
from olmsolve.resolution import EXISTING, Candidate, Resolution, ResolutionFailure
from olmsolve.solver.backends import DEFAULT, BackendLike


def diff(
    request: Request, other: Request, *, semantics: SemanticsName = Semantics.DOCUMENTED, backend: BackendLike = DEFAULT
) -> PlanDiff:
    """Compare the clusters that *request* and *other* would leave.

    *other* may have other subscriptions, operators or catalogs, or the same ones with another priority.

    Raises:
        RequestError: one of them is not a classic request.
    """
    for compared in (request, other):
        if not isinstance(compared, Request):
            raise RequestError(f"{type_with_article(compared)} is not a classic request")
    before, after = (_answer(compared, semantics, backend) for compared in (request, other))
    return PlanDiff(
        before, after, _changes(_operators_afterwards(request, before), _operators_afterwards(other, after))
    )


def compare_semantics(
    request: Request,
    *,
    backend: BackendLike = DEFAULT,
    timeout: float | None = None,
    conflicts: int | None = None,
    cancel: Cancellation | None = None,
    observer: events.Observer | None = None,
) -> PlanDiff:
    """Compare OLM's documentation with its shipped controller, and name the constraints that cause each difference.

    *before* is the answer under DOCUMENTED semantics, *after* the one under CONTROLLER. *timeout*, *conflicts*,
    *cancel* and *observer* are as in :func:`olmsolve.resolve`, for all of it together.

    Raises:
        RequestError: *request* is not a classic request: OLM v1 has no dependencies, and so no two semantics.
        BackendError: there is no such backend, or it cannot keep a limit.
        Incomplete: a limit was met, or the caller cancelled.
    """
    if not isinstance(request, Request):
        raise RequestError(f"{type_with_article(request)} is not a classic request", hint="OLM v1 has one semantics")
    both = (Semantics.DOCUMENTED, Semantics.CONTROLLER)
    with scoped(timeout=timeout, conflicts=conflicts, cancel=cancel, observer=observer):
        before, after = (_answer(request, semantics, backend) for semantics in both)
        changes = _changes(_operators_afterwards(request, before), _operators_afterwards(request, after))
        return PlanDiff(before, after, changes, _differing(request, before, after))


def _answer(
    request: Request, semantics: SemanticsName, backend: BackendLike
) -> Resolution | ResolutionFailure | CatalogError:
    try:
        return resolve(request, semantics=semantics, backend=backend)
    except (ResolutionFailure, CatalogError) as failure:
        return failure


def _operators_afterwards(
    request: Request, answer: Resolution | ResolutionFailure | CatalogError
) -> Mapping[str, Candidate]:
    """Return the operators on the cluster afterwards, by package (or by name, if they have no package)."""
    if isinstance(answer, Resolution):
        candidates: Sequence[Candidate] = [*answer.kept, *(install.candidate for install in answer.installs)]
    else:
        candidates = [_installed(operator) for operator in request.installed]
    return {candidate.package or candidate.name: candidate for candidate in candidates}


def _installed(operator: Installed) -> Candidate:
    facts = published("", operator.properties, version=operator.version or None)
    package = facts.packages[0][0] if facts.packages else ""
    return Candidate(operator.name, package, "", EXISTING, operator.version or str(facts.version or ""))


def _changes(before: Mapping[str, Candidate], after: Mapping[str, Candidate]) -> tuple[PlanChange, ...]:
    before, after = _with_packages_of(before, after), _with_packages_of(after, before)
    return tuple(
        PlanChange(package, before.get(package), after.get(package))
        for package in sorted({*before, *after})
        if not _is_same(before.get(package), after.get(package))
    )


def _with_packages_of(operators: Mapping[str, Candidate], others: Mapping[str, Candidate]) -> Mapping[str, Candidate]:
    """Return *operators* by the packages that *others* know of; on a cluster, perhaps only a subscription names one."""
    packages = {candidate.name: package for package, candidate in others.items()}
    return {
        package if candidate.package else packages.get(candidate.name, package): candidate
        for package, candidate in operators.items()
    }


def _is_same(one: Candidate | None, other: Candidate | None) -> bool:
    """Return whether both are the same; an installed operator is, even if one request states fewer facts of it."""
    if one is None or other is None:
        return one is other
    return one == other or (one.name == other.name and one.catalog == other.catalog == EXISTING)


def _differing(
    request: Request, *answers: Resolution | ResolutionFailure | CatalogError
) -> tuple[tuple[Candidate, tuple[str, ...]], ...]:
    """Return the bundles of the plans with constraints that the two semantics read differently."""
    if not any(isinstance(answer, Resolution) and answer.differing for answer in answers):
        return ()  # nor can every request that fails be stated as a problem
    problem = ClassicProblem.of_request(request, Semantics.DOCUMENTED)
    constraints: dict[Candidate, tuple[str, ...]] = {}
    for answer in answers:
        if isinstance(answer, Resolution):
            for candidate in answer.differing:
                constraints[candidate] = _constraints(problem, candidate)
    return tuple(sorted(constraints.items(), key=lambda pair: (pair[0].package, pair[0].name, pair[0].channel)))


def _constraints(problem: ClassicProblem, candidate: Candidate) -> tuple[str, ...]:
    """Return the constraints of *candidate* that the two semantics read differently, as text."""
    if candidate.catalog == EXISTING:
        number = problem.visible.size + problem.installed.names.index(candidate.name)
    else:
        namespace, name = namespace_and_name(candidate.catalog)
        position = problem.visible.find(name, namespace)
        assert position is not None
        index = problem.visible.indexes[position]
        slots = index.channel(candidate.package, candidate.channel).all
        slot = next(slot for slot in slots if index.slots[slot].entry.name == candidate.name)
        number = problem.visible.offsets[position] + slot
    requirements = problem.requirements(number)
    return tuple(str(requirement.predicate) for requirement in requirements if semantics_differ(requirement.predicate))
