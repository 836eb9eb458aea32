"""The differences between two plans, or between a plan and a failure, as values."""

from __future__ import annotations

from olmsolve._records import Record, field, record
from olmsolve.errors import CatalogError
from olmsolve.resolution import Candidate, Resolution, ResolutionFailure


@record
class PlanChange(Record):
    """A package whose bundle differs: *before* and *after*, None if the answer leaves no bundle of it."""

    package: str = field("The package.")
    before: Candidate | None = field("Its bundle in the first plan.")
    after: Candidate | None = field("Its bundle in the second plan.")

    def __str__(self) -> str:
        if self.before is None:
            return f"{self.package}: gains {self.after}"
        if self.after is None:
            return f"{self.package}: loses {self.before}"
        return f"{self.package}: {self.replacement}"

    @property
    def replacement(self) -> str:
        """Both bundles as text; the versions are named where *before* and *after* differ in nothing else."""
        before, after = str(self.before), str(self.after)
        if before == after:
            # A catalog may change the version of a bundle and keep its name.
            before, after = (f"{before}{_version(candidate)}" for candidate in (self.before, self.after))
        return f"{before} becomes {after}"


@record
class DifferentConstraints(Record):
    """A bundle with constraints that two semantics read differently."""

    candidate: Candidate = field()
    constraints: tuple[str, ...] = field("The constraints, in words.")


def _different_constraints(pairs: tuple[tuple[Candidate, tuple[str, ...]], ...]) -> list[DifferentConstraints]:
    return [DifferentConstraints(*pair) for pair in pairs]


def _is_plan(answer: object) -> bool:
    return isinstance(answer, Resolution)


@record(
    definition="olmsolve.diff",
    title="What differs between two plans",
    about="docs/why.md gives the meaning of the fields.",
)
class PlanDiff(Record):
    """The differences, package by package, between the clusters that two answers would leave.

    A failure leaves the installed operators as they are.
    """

    before: Resolution | ResolutionFailure | CatalogError = field(
        "Whether the first request has a plan.", path="planBefore", written=_is_plan
    )
    after: Resolution | ResolutionFailure | CatalogError = field(
        "Whether the second has one.", path="planAfter", written=_is_plan
    )
    changes: tuple[PlanChange, ...] = field("The packages that differ.")
    differing: tuple[tuple[Candidate, tuple[str, ...]], ...] = field(
        "If the semantics are compared: the bundles whose constraints they read differently.",
        written=_different_constraints,
        default=(),
    )

    @property
    def gained(self) -> tuple[Candidate, ...]:
        return tuple(change.after for change in self.changes if change.before is None and change.after is not None)

    @property
    def lost(self) -> tuple[Candidate, ...]:
        return tuple(change.before for change in self.changes if change.after is None and change.before is not None)

    @property
    def changed(self) -> tuple[PlanChange, ...]:
        return tuple(change for change in self.changes if change.before is not None and change.after is not None)

    def __bool__(self) -> bool:
        """Return whether the clusters differ, or only one of the answers is a plan."""
        return bool(self.changes) or isinstance(self.before, Resolution) != isinstance(self.after, Resolution)

    def __str__(self) -> str:
        lines = [str(change) for change in self.changes]
        for name, answer in (("before", self.before), ("after", self.after)):
            if not isinstance(answer, Resolution):
                lines.append(f"{name}: there is no plan")
        return "\n".join(lines) or "nothing changes"


def _version(candidate: Candidate | None) -> str:
    version = candidate.version if candidate is not None else ""
    return f" in version {version}" if version else " without a version"
