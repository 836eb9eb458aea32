"""A check whether a plan holds with one candidate exchanged, by a look at constraints instead of a search.

Most newer bundles need what the plan has already. To solve the request for each of them would take quadratic time where
every subscription is held back.
"""

from __future__ import annotations

from collections.abc import Collection

from olmsolve.answers.rerunning import Rerun
from olmsolve.resolution import Candidate
from olmsolve.solver import (
    Choice,
    Chosen,
    Constraint,
    Dependency,
    Every,
    Exclusion,
    Exclusive,
    Formula,
    GroupName,
    Identifier,
    Incompatible,
    Tree,
    candidates_of,
    exclusions_of,
)


class PlanTables:
    """The plan of *rerun*, in the tables that tell at once what an exchange touches.

    They hold the selected candidates by number and by value, who holds each at-most-one group, whom each candidate
    serves, and what the compound requirements of the selected candidates speak of.
    """

    def __init__(self, rerun: Rerun) -> None:
        self._rerun = rerun
        self._numbers = frozenset(rerun.selected)
        self.by_candidate: dict[Candidate, int] = {rerun.problem.candidate(number): number for number in rerun.selected}
        # An operator that stays because its own entry is chosen again is found by either.
        for number in rerun.selected:
            for operator in () if rerun.problem.is_installed(number) else rerun.problem.updated_by(number):
                self.by_candidate.setdefault(rerun.problem.candidate(operator), number)
        self._holders: dict[GroupName, int] = {}
        self._choices: set[Identifier] = set()
        self._exclusions: dict[object, Exclusion] = {}
        self._ruled_out: dict[object, frozenset[int]] = {}
        for number in rerun.selected:
            for constraint in rerun.problem.constraints(number):
                if isinstance(constraint, Exclusive):
                    self._holders.update(dict.fromkeys(constraint.groups, number))
                elif isinstance(constraint, Formula):
                    self._choices.update(candidates_of(constraint.tree))
                    # Bundles share requirements. An exclusion is told by its predicate, which is its origin.
                    self._exclusions.update((each.origin, each) for each in exclusions_of(constraint.tree))
        self._served: dict[Identifier, list[Chosen]] = {}
        for chosen in rerun.solution.choices:
            self._served.setdefault(chosen.identifier, []).append(chosen)

    def fits(self, root: Dependency, selected: int, number: int) -> bool:
        """Return True if the plan holds with *number* in place of *selected* for *root*; False if nobody knows yet."""
        # Which branch of a compound requirement holds may change with either of the two, and what it needs with it.
        if self._is_in_formulas(selected) or self._is_in_formulas(number):
            return False
        others = _Others(self._numbers, selected)
        if not all(self._holds(each, others, number) for each in self._rerun.problem.constraints(number)):
            return False
        served = (each for each in self._served.get(selected, ()) if each.origin is not root.origin)
        return all(number in self._rerun.candidates(each) for each in served)

    def _is_in_formulas(self, number: int) -> bool:
        return number in self._choices or any(number in each.excluded for each in self._exclusions.values())

    def _holds(self, constraint: Constraint, others: _Others, number: int) -> bool:
        """Return whether *constraint* of the candidate *number* is known to hold beside *others*."""
        if isinstance(constraint, Dependency):
            return others.have_one_of(constraint.candidates)
        if isinstance(constraint, Incompatible):
            # An update excludes the operator that it replaces, which is the one to give way here.
            return constraint.other not in others
        if isinstance(constraint, Exclusive):
            left = others.without
            return all(self._holders.get(group, left) == left for group in constraint.groups)
        return isinstance(constraint, Formula) and self._is_met(constraint.tree, others, number)

    def _is_met(self, tree: Tree, others: _Others, number: int) -> bool:
        """Return whether *tree*, required by the candidate *number*, is met by *others*."""
        if isinstance(tree, Choice):
            return others.have_one_of(tree.candidates)
        if isinstance(tree, Exclusion):
            return number not in tree.excluded and self._excluded(tree) <= {others.without}
        if isinstance(tree, Every):
            return all(self._is_met(part, others, number) for part in tree.parts)
        return any(self._is_met(branch.tree, others, number) for branch in tree.branches)

    def _excluded(self, exclusion: Exclusion) -> frozenset[int]:
        """Return the selected candidates that *exclusion* rules out."""
        found = self._ruled_out.get(exclusion.origin)
        if found is None:
            found = frozenset(each for each in self._numbers if each in exclusion.excluded)
            self._ruled_out[exclusion.origin] = found
        return found


class _Others:
    """The *selected* candidates of a plan but for one, *without*."""

    def __init__(self, selected: frozenset[int], without: int) -> None:
        self._selected = selected
        self.without = without

    def __contains__(self, number: object) -> bool:
        return number in self._selected and number != self.without

    def have_one_of(self, candidates: Collection[Identifier]) -> bool:
        """Return whether any of *candidates* is selected."""
        return any(each in self for each in candidates)
