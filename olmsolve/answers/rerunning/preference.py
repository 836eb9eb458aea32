"""The first choice that stands between a plan and another solution of its request."""

from __future__ import annotations

import attrs

from olmsolve.answers.rerunning.order import OrderRule, order_rule
from olmsolve.answers.rerunning.rerun import Rerun
from olmsolve.resolution import Candidate, WantedBy
from olmsolve.solver import Solution


@attrs.frozen
class Preference:
    """The first choice that would have to be made differently: for *wanted_by*, *chosen* comes before *other*.

    *rule* is the rule of the order that puts it first. *other* is None if the choice is between the alternatives of a
    compound requirement.
    """

    wanted_by: WantedBy | None
    chosen: Candidate
    other: Candidate | None
    rule: OrderRule | None

    def __str__(self) -> str:
        if self.other is None:
            return f"for {self.wanted_by}, the way that {self.chosen} belongs to is written first"
        return f"for {self.wanted_by}, {self.chosen} comes before {self.other}: {self.rule}"


def preference_of(rerun: Rerun, forced: Solution) -> Preference | None:
    """Return the first choice of the plan that the forced plan makes differently; None if it makes all alike."""
    problem = rerun.problem
    forced_selected = set(forced.selected)
    for chosen in rerun.solution.choices:
        if chosen.selected_before or chosen.identifier in forced_selected:
            continue
        # All earlier choices agree, so the forced plan has this wish too, and meets it with another candidate.
        wanted_by = rerun.wanted_by(chosen)
        one = problem.candidate(chosen.identifier)
        other = next((each for each in rerun.candidates(chosen) if each in forced_selected), None)
        if other is None:
            return Preference(wanted_by, one, None, None)
        assert isinstance(chosen.identifier, int)
        subject = chosen.subject if isinstance(chosen.subject, int) else None
        rule = order_rule(problem, chosen.identifier, other, subject)
        return Preference(wanted_by, one, problem.candidate(other), rule)
    return None
