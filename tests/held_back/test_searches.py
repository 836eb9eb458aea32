"""The searches behind the answer: which of them a look at a table saves, and the limit that each has.

The answer is the same without a saved search, and where the limit is a long one, so only the searches show them.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

import olmsolve
from olmsolve import Resolution, Semantics
from olmsolve._limits import Limits, current
from olmsolve.answers.held_back.obstacle_finder import PlanTables
from olmsolve.solver import solve
from tests.held_back.test_held_back import answer_to, any_request, named, plans
from tests.scale import scaled


@pytest.mark.parametrize("semantics", list(Semantics))
def test_a_look_at_constraints_says_what_a_search_says(semantics: Semantics, monkeypatch: pytest.MonkeyPatch) -> None:
    """Saving a search may never change an answer: here each bundle is looked at, and then searched for.

    Beside the recorded requests there are 300 random ones, and 60 in the short run.
    """
    random = Random(20)
    answers = [answer_to(any_request(random) | {"semantics": semantics}) for _ in range(scaled(300, 5))]
    resolutions = [answer for answer in answers if isinstance(answer, Resolution)]
    resolutions += [plan for _, _, plan in plans(semantics)]
    fits = PlanTables.fits
    saved: list[bool] = []

    def noted(tables: PlanTables, root: Any, selected: int, number: int) -> bool:
        saved.append(fits(tables, root, selected, number))
        return saved[-1]

    monkeypatch.setattr(PlanTables, "fits", noted)
    looked = [olmsolve.held_back(plan) for plan in resolutions]
    monkeypatch.setattr(PlanTables, "fits", lambda *_: False)
    assert [olmsolve.held_back(plan) for plan in resolutions] == looked
    assert min(saved.count(True), saved.count(False)) > scaled(50, 5)


def test_every_search_has_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """One search without the limit would run on for as long as it likes."""
    scopes: list[Limits] = []

    def noted(*arguments: Any, **keywords: Any) -> Any:
        scopes.append(current())
        return solve(*arguments, **keywords)

    for module in ("held_back.obstacle_finder", "rerunning"):
        monkeypatch.setattr(f"olmsolve.answers.{module}.solve", noted)
    olmsolve.held_back(answer_to(named("channel-and-dependency")), timeout=600)
    assert len(scopes) > 1
    assert all(scope is scopes[0] and scope.limited for scope in scopes)
