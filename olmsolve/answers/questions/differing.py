"""The differences between two answers: to another request, over other catalogs, or under other semantics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from olmsolve._limits import Cancellation, limited
from olmsolve.catalog import namespace_and_name
from olmsolve.classic import ClassicProblem, Installed, Request, Semantics, SemanticsName, resolve
from olmsolve.errors import CatalogError, RequestError
from olmsolve.predicates import published, semantics_differ
from olmsolve.resolution import EXISTING, SCHEMA_VERSION, Candidate, Resolution, ResolutionFailure
from olmsolve.solver.backends import DEFAULT, BackendLike


@attrs.frozen
class Change:
    """A package whose bundle differs: *before* and *after*, None if the answer leaves no bundle of it."""

    package: str
    before: Candidate | None
    after: Candidate | None

    def __str__(self) -> str:
        if self.before is None:
            return f"{self.package}: gains {self.after}"
        if self.after is None:
            return f"{self.package}: loses {self.before}"
        return f"{self.package}: {self.replacement}"

    @property
    def replacement(self) -> str:
        """What becomes what, as text; the versions are named where nothing else tells *before* from *after*."""
        before, after = str(self.before), str(self.after)
        if before == after:
            # A catalog may change the version of a bundle and keep its name.
            before, after = (f"{before}{_version(each)}" for each in (self.before, self.after))
        return f"{before} becomes {after}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "package": self.package,
            "before": self.before and self.before.to_dict(),
            "after": self.after and self.after.to_dict(),
        }


@attrs.frozen
class PlanDiff:
    """The differences, package by package, between the clusters that two answers would leave.

    *changes* are by package; a failure leaves the installed operators as they are. *differing* compares two
    semantics: the bundles of either plan with a constraint that the semantics read differently, each with these
    constraints as text.
    """

    before: Resolution | ResolutionFailure | CatalogError
    after: Resolution | ResolutionFailure | CatalogError
    changes: tuple[Change, ...]
    differing: tuple[tuple[Candidate, tuple[str, ...]], ...] = ()

    @property
    def gained(self) -> tuple[Candidate, ...]:
        return tuple(each.after for each in self.changes if each.before is None and each.after is not None)

    @property
    def lost(self) -> tuple[Candidate, ...]:
        return tuple(each.before for each in self.changes if each.after is None and each.before is not None)

    @property
    def changed(self) -> tuple[Change, ...]:
        return tuple(each for each in self.changes if each.before is not None and each.after is not None)

    def __bool__(self) -> bool:
        """Return whether the clusters differ, or only one of the answers is a plan."""
        return bool(self.changes) or isinstance(self.before, Resolution) != isinstance(self.after, Resolution)

    def __str__(self) -> str:
        lines = [str(change) for change in self.changes]
        for name, answer in (("before", self.before), ("after", self.after)):
            if not isinstance(answer, Resolution):
                lines.append(f"{name}: there is no plan")
        return "\n".join(lines) or "nothing changes"

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON data; docs/why.md gives the meaning of the fields."""
        return {
            "schema": "olmsolve.diff",
            "schemaVersion": SCHEMA_VERSION,
            "planBefore": isinstance(self.before, Resolution),
            "planAfter": isinstance(self.after, Resolution),
            "changes": [change.to_dict() for change in self.changes],
            "differing": [
                {"candidate": candidate.to_dict(), "constraints": list(constraints)}
                for candidate, constraints in self.differing
            ],
        }


def diff(
    request: Request, other: Request, *, semantics: SemanticsName = Semantics.DOCUMENTED, backend: BackendLike = DEFAULT
) -> PlanDiff:
    """Compare the clusters that *request* and *other* would leave.

    *other* may have other subscriptions, operators or catalogs, or the same ones with another priority.

    Raises:
        RequestError: one of them is not a classic request.
    """
    for each in (request, other):
        if not isinstance(each, Request):
            raise RequestError(f"a {type(each).__name__} is no classic request")
    before, after = (_answer(each, semantics, backend) for each in (request, other))
    return PlanDiff(before, after, _changes(_left(request, before), _left(other, after)))


def compare_semantics(
    request: Request,
    *,
    backend: BackendLike = DEFAULT,
    timeout: float | None = None,
    conflicts: int | None = None,
    cancel: Cancellation | None = None,
) -> PlanDiff:
    """Compare OLM's documentation with its shipped controller, and name the constraints behind each difference.

    *before* is the answer under DOCUMENTED semantics, *after* the one under CONTROLLER. *timeout*, *conflicts* and
    *cancel* are limits as in :func:`olmsolve.resolve`, for all of it together.

    Raises:
        RequestError: *request* is not a classic request: OLM v1 has no dependencies, and so no two semantics.
        BackendError: there is no such backend, or it cannot keep a limit.
        Incomplete: a limit was met, or the caller cancelled.
    """
    if not isinstance(request, Request):
        raise RequestError(f"a {type(request).__name__} is no classic request", hint="OLM v1 has one semantics")
    both = (Semantics.DOCUMENTED, Semantics.CONTROLLER)
    with limited(timeout=timeout, conflicts=conflicts, cancel=cancel):
        before, after = (_answer(request, semantics, backend) for semantics in both)
        changes = _changes(_left(request, before), _left(request, after))
        return PlanDiff(before, after, changes, _differing(request, before, after))


def _version(candidate: Candidate | None) -> str:
    version = candidate.version if candidate is not None else ""
    return f" in version {version}" if version else " without a version"


def _answer(
    request: Request, semantics: SemanticsName, backend: BackendLike
) -> Resolution | ResolutionFailure | CatalogError:
    try:
        return resolve(request, semantics=semantics, backend=backend)
    except (ResolutionFailure, CatalogError) as failure:
        return failure


def _left(request: Request, answer: Resolution | ResolutionFailure | CatalogError) -> Mapping[str, Candidate]:
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


def _changes(before: Mapping[str, Candidate], after: Mapping[str, Candidate]) -> tuple[Change, ...]:
    return tuple(
        Change(package, before.get(package), after.get(package))
        for package in sorted({*before, *after})
        if before.get(package) != after.get(package)
    )


def _differing(
    request: Request, *answers: Resolution | ResolutionFailure | CatalogError
) -> tuple[tuple[Candidate, tuple[str, ...]], ...]:
    """Return the bundles of the plans with constraints that the two semantics read differently."""
    if not any(isinstance(answer, Resolution) and answer.differing for answer in answers):
        return ()  # nor can every request that fails be stated as a problem
    problem = ClassicProblem.of(request, Semantics.DOCUMENTED)
    found: dict[Candidate, tuple[str, ...]] = {}
    for answer in answers:
        if isinstance(answer, Resolution):
            for candidate in answer.differing:
                found[candidate] = _constraints(problem, candidate)
    return tuple(sorted(found.items(), key=lambda pair: (pair[0].package, pair[0].name, pair[0].channel)))


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
    return tuple(str(each.predicate) for each in requirements if semantics_differ(each.predicate))
