"""resolvelib: the backtracking search in pip and other Python tools, written in Python.

Its provider is this module: a requirement is a package with a window of versions, candidates come highest first, and
what is looked at next follows pip: the causes of the last backtracking before others, then the fewest candidates left,
then what stands later in the catalog, which others may need: the best of eight orders that were tried.
Nothing is built beforehand, the search asks for what it needs. The explanation counts the requirements that
resolvelib names as causes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from resolvelib import AbstractProvider, BaseReporter, ResolutionImpossible, Resolver
from resolvelib.structs import RequirementInformation

from benchmarks.synthetic_problem import Answer
from olmsolve.testing.synthetic import DenseProblem

__all__ = ["prepare"]


class Window(NamedTuple):
    package: int
    low: int
    high: int


class Pin(NamedTuple):
    package: int
    version: int


_Cause: TypeAlias = "RequirementInformation[Window, Pin]"


class _Provider(AbstractProvider[Window, Pin, int]):  # type: ignore[misc] # its types are skipped
    def __init__(self, problem: DenseProblem) -> None:
        self._requires = problem.requires

    def identify(self, requirement_or_candidate: Window | Pin) -> int:
        return requirement_or_candidate[0]

    def narrow_requirement_selection(
        self,
        identifiers: Iterable[int],
        resolutions: Mapping[int, Pin],
        candidates: Mapping[int, Iterator[Pin]],
        information: Mapping[int, Iterator[_Cause]],
        backtrack_causes: Sequence[_Cause],
    ) -> Iterable[int]:
        causes = {cause.requirement.package for cause in backtrack_causes}
        causes |= {cause.parent.package for cause in backtrack_causes if cause.parent is not None}
        every = list(identifiers)
        return [identifier for identifier in every if identifier in causes] or every

    def get_preference(
        self,
        identifier: int,
        resolutions: Mapping[int, Pin],
        candidates: Mapping[int, Iterator[Pin]],
        information: Mapping[int, Iterator[_Cause]],
        backtrack_causes: Sequence[_Cause],
    ) -> tuple[int, int]:
        return sum(1 for _ in candidates[identifier]), -identifier

    def find_matches(
        self,
        identifier: int,
        requirements: Mapping[int, Iterator[Window]],
        incompatibilities: Mapping[int, Iterator[Pin]],
    ) -> list[Pin]:
        low, high = 0, len(self._requires[identifier]) - 1
        for window in requirements[identifier]:
            low, high = max(low, window.low), min(high, window.high)
        refused = {pin.version for pin in incompatibilities[identifier]}
        return [Pin(identifier, version) for version in range(high, low - 1, -1) if version not in refused]

    def is_satisfied_by(self, requirement: Window, candidate: Pin) -> bool:
        return requirement.low <= candidate.version <= requirement.high

    def get_dependencies(self, candidate: Pin) -> list[Window]:
        return [Window(*window) for window in self._requires[candidate.package][candidate.version]]


def prepare(problem: DenseProblem) -> Callable[[], Answer]:
    resolver = Resolver(_Provider(problem), BaseReporter[Window, Pin, int]())
    wanted = [Window(root, 0, len(problem.requires[root]) - 1) for root in problem.roots]

    def solve() -> Answer:
        try:
            result = resolver.resolve(wanted, max_rounds=10**9)
        except ResolutionImpossible as error:
            return Answer(None, len(error.causes))
        return Answer({package: pin.version for package, pin in result.mapping.items()})

    return solve
