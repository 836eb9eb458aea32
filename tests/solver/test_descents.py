"""The way to a core: leaps over long rows of steps, and the cheaper question first.

A leap changes no core, and only very long cores show what it saves; so these tests look behind the door.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Set as AbstractSet
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from olmsolve.solver import Budget, Constraint, Core, Dependency, Identifier, Mandatory, Prohibited, Variables, solve
from olmsolve.solver import core as descent
from olmsolve.solver.backends import find
from olmsolve.solver.core import Leaps, preferred_core
from olmsolve.solver.core_oracle import SatOracle
from olmsolve.solver.deciding.core_oracle import DecidingOracle
from olmsolve.solver.problem import CachedProblem
from olmsolve.solver.session import Session
from olmsolve.solver.units import BLOCK, GROUP, ROOT, Rank
from tests.scale import scaled
from tests.solver.bulk import random_problem
from tests.solver.dense import DensePackages, denser
from tests.solver.test_problem_parts import mixtures


class Groups:
    """A problem of which only the groups are known."""

    def met_groups(self) -> list[str]:
        return ["d", "b", "a", "c"]


@pytest.mark.parametrize("last", [(BLOCK, 9), (BLOCK, 1), (GROUP, "d"), (GROUP, "b"), (GROUP, "a"), (ROOT, 5)], ids=str)
def test_a_leap_ends_with_the_first_contradiction(last: Rank) -> None:
    """From any core, halving comes to the first contradiction, or to the rank after it, within a few questions."""
    ranks: list[Rank] = [(ROOT, n) for n in range(8)] + [(BLOCK, n) for n in range(12)] + [(GROUP, n) for n in "abcd"]
    for first in ranks[1 : ranks.index(last) + 1]:
        probed: list[Rank] = []

        def probe(before: Rank, members: AbstractSet[Rank]) -> set[Rank] | None:
            probed.append(before)  # noqa: B023 - called within this round
            return {first} if first < before else None  # noqa: B023

        leaps = Leaps(Groups())  # type: ignore[arg-type]
        steps = [leaps.follow({last}, frozenset(), probe) for _ in range(6)]
        assert steps[:5] == [{last}] * 5
        (end,) = steps[5]
        assert 0 <= ranks.index(end) - ranks.index(first) <= 1
        assert len(probed) <= 8


def test_a_leap_replaces_every_sixth_step() -> None:
    """Most cores are found in fewer steps, where halving would only add questions; after a leap, it begins anew."""
    leaps = Leaps(CachedProblem(Variables({})))
    steps_with_questions: set[int] = set()
    for step in range(1, 14):

        def probe(before: Rank, members: AbstractSet[Rank], step: int = step) -> None:
            steps_with_questions.add(step)

        leaps.follow({(BLOCK, 9)}, frozenset(), probe)
    assert steps_with_questions == {6, 12}


@given(mixtures(formulas=True), st.sampled_from(["deciding", "python"]))
@settings(max_examples=scaled(40), deadline=None)
def test_leaps_change_no_core(problem: Variables, backend: str) -> None:
    """Halving saves questions; which core is preferred is a matter of the problem alone."""
    with patch.object(descent, "_STEPS", 10_000):
        slowly = solve(problem, backend=backend)
    with patch.object(descent, "_STEPS", 1):
        assert repr(solve(problem, backend=backend)) == repr(slowly)


def test_a_problem_with_a_solution_has_no_core() -> None:
    """Who asks all the same is told so, instead of getting an empty core."""
    problem = CachedProblem(
        Variables({"a": [Mandatory("a"), Dependency("a", ("c", "b"))], "b": [], "c": [Prohibited("c")]})
    )
    with pytest.raises(ValueError, match="has a solution"):
        preferred_core(problem, find("python"), Budget())


@pytest.mark.parametrize("packages", [1, 20])
def test_versions_that_all_lack_something_get_clauses_together(packages: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Often all versions of a package lack one provider: a model for each of 200 took 0.15 s, of 20 packages 0.8."""
    versions = 200
    variables: dict[Identifier, list[Constraint]] = {}
    for package in range(packages):
        names = tuple(f"p{package}.v{version}" for version in range(versions))
        variables[f"wish{package}"] = [Mandatory(f"wish{package}"), Dependency(f"wish{package}", names)]
        variables.update({name: [Dependency(name, ())] for name in names})
    models = 0
    solved = Session.solve

    def counted(session: Session, *arguments: Any) -> bool:
        nonlocal models
        models += 1
        return solved(session, *arguments)

    monkeypatch.setattr(Session, "solve", counted)
    core = solve(Variables(variables))
    assert isinstance(core, Core)
    assert len(core.constraints) == 2 + versions
    assert 0 < models < 60


def test_a_question_may_take_any_number_of_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """A candidate that lacks one provider may have a hundred needs behind another, each met with a model of its own.

    Each model gives clauses to twice as many candidates beside the selected ones as the model before, and after 63
    doublings that would be more than Python counts.
    """
    monkeypatch.setattr(SatOracle, "_is_witnessed", lambda *_: False)  # most walks answer such questions
    steps, wanted = 100, tuple(f"x{number}" for number in range(12))
    variables: dict[Identifier, list[Constraint]] = {"wish": [Mandatory("wish"), Dependency("wish", wanted)]}
    variables.update({name: [Dependency(name, ("m0",)), Dependency(name, ("p0",))] for name in wanted})
    for step in range(steps):
        # What is in vain ends as far from the wish as the other needs, and so is asked about last.
        variables[f"m{step}"] = [Dependency(f"m{step}", (f"m{step + 1}",))]
        variables[f"p{step}"] = [Dependency(f"p{step}", (f"q{step}", f"p{step + 1}"))]
        variables[f"q{step}"] = [Dependency(f"q{step}", ())]
    variables |= {f"m{steps}": [Dependency(f"m{steps}", ())], f"p{steps}": []}
    core = solve(Variables(variables))
    assert isinstance(core, Core)
    assert len(core.constraints) == 2 + len(wanted) + steps + 1


def test_the_whole_problem_is_asked_where_the_core_alone_can_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    """A question about a core costs least, but for a group of a dense problem, whose core alone has no families."""
    conflict, probe = DecidingOracle.conflict, DecidingOracle.probe
    alone: list[tuple[Rank | None, bool]] = [(None, False)]
    questions: Counter[bool] = Counter()
    problem: Variables

    def about_the_core(finder: DecidingOracle, last: Rank | None, members: AbstractSet[Rank]) -> set[Rank] | None:
        answer = conflict(finder, last, members)
        alone.append((last, answer is None))
        return answer

    def about_all(finder: DecidingOracle, last: Rank, members: AbstractSet[Rank]) -> set[Rank] | None:
        at_once = last[0] == GROUP and isinstance(problem, DensePackages)
        assert (alone[-1] == (last, True)) != at_once
        questions[at_once] += 1
        return probe(finder, last, members)

    monkeypatch.setattr(DecidingOracle, "conflict", about_the_core)
    monkeypatch.setattr(DecidingOracle, "probe", about_all)
    monkeypatch.setattr(Leaps, "follow", lambda leaps, core, members, probe: core)
    generator = random.Random(4)
    for number in range(scaled(400)):
        problem = denser(generator) if number % 2 else random_problem(generator)
        solve(problem)
        alone.append((None, False))
    assert min(questions[True], questions[False]) > 5, questions
