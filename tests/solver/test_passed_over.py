"""What a run passed over: every candidate that a choice wanted more, and something that truly rules it out."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence

from olmsolve.solver import (
    AtMost,
    Branch,
    Constraint,
    Dependency,
    Exclusive,
    Formula,
    GroupName,
    Identifier,
    Incompatible,
    Mandatory,
    Prohibited,
    SharedGroup,
    Solution,
    Trace,
    Variables,
)
from tests.scale import scaled
from tests.solver import oracle
from tests.solver.bulk import random_problem
from tests.solver.engines import decided_solution
from tests.solver.test_families import packages

_CONSTRAINTS = (AtMost, Dependency, Formula, Incompatible, Mandatory, Prohibited)


def _problems() -> Iterator[Variables]:
    for seed in range(scaled(1600)):
        yield random_problem(random.Random(f"passed over {seed}"), "abcdefghijk", formulas=seed % 2 == 0)
        yield packages(random.Random(f"passed over {seed}"), 4, 3)


class _Recorder(Trace):
    """A trace that keeps what was passed over, and why."""

    observed = True

    def __init__(self) -> None:
        super().__init__()
        self.passed: list[tuple[Identifier, object]] = []

    def passed_over(self, identifier: Identifier, cause: object) -> None:
        self.passed.append((identifier, cause))


def test_each_cause_rules_out_its_candidate() -> None:
    """Somebody who asks why the wanted version was not taken acts on the answer, so it must be true and complete."""
    kinds: Counter[str] = Counter()
    for problem in _problems():
        observer = _Recorder()
        solution = decided_solution(problem, families=getattr(problem, "families", None), trace=observer)
        if solution is None:
            assert observer.passed == []
            continue
        for identifier, cause in observer.passed:
            if not isinstance(identifier, Branch):
                assert cause is None or _rules_out(problem, solution, identifier, cause), problem
                kinds[type(cause).__name__] += 1
        if not any(isinstance(constraint, Formula) for own in problem.variables.values() for constraint in own):
            assert [identifier for identifier, _ in observer.passed] == _more_wanted(problem, solution)
    assert min(kinds[kind] for kind in ("Dependency", "Prohibited", "Incompatible", "Mandatory", "str")) > 0, kinds
    assert kinds["NoneType"] < kinds["Dependency"]


def test_another_member_of_the_group_was_taken() -> None:
    """The holder is named beside the group: nobody has to find out which version came first."""
    members: list[Identifier] = ["new", "old"]
    variables: dict[Identifier, Sequence[Constraint]] = {
        "first root": [Dependency(None, ("old", "new"), None, "package")],
        "last root": [Dependency(None, ("new", "other"))],
        **{name: [Exclusive(name, ("package",))] for name in members},
        "other": [],
    }
    observer = _Recorder()
    solution = decided_solution(Variables(variables), trace=observer)
    assert solution is not None
    assert solution.selected == ("old", "other")
    assert observer.passed == [("new", SharedGroup("package", "new", "old"))]


def _rules_out(problem: Variables, solution: Solution, identifier: Identifier, cause: object) -> bool:
    """Return whether *identifier* breaks *cause* beside the selected candidates, or in place of its group's holders."""
    selected = frozenset(solution.selected)
    own = _groups(problem, identifier)
    mates = {mate for mate in selected if own & _groups(problem, mate)}
    if isinstance(cause, SharedGroup):
        return cause.candidate == identifier and cause.holder in mates and cause.group in own
    if isinstance(cause, str):
        return cause in own and any(cause in _groups(problem, mate) for mate in mates)
    assert isinstance(cause, _CONSTRAINTS), cause
    # A formula may be met by branches that its own exclusions rule out, which the run tells of one by one.
    beside = selected | {identifier}
    models = (beside, beside - (mates - {cause.subject}) if isinstance(cause, Dependency) else beside - mates)
    return isinstance(cause, Formula) or not all(map(oracle.judge(cause), models))


def _groups(problem: Variables, identifier: Identifier) -> set[GroupName]:
    own = problem.constraints(identifier)
    return {group for constraint in own if isinstance(constraint, Exclusive) for group in constraint.groups}


def _more_wanted(problem: Variables, solution: Solution) -> list[Identifier]:
    """Return the candidates that come before the answer of each choice, for the choices that selected something."""
    numbers: Counter[Identifier | None] = Counter()
    preferred: list[Identifier] = []
    for chosen in solution.choices:
        constraints = problem.roots if chosen.subject is None else problem.constraints(chosen.subject)
        choices = [constraint for constraint in constraints if isinstance(constraint, Dependency | Mandatory)]
        choice = choices[numbers[chosen.subject]]
        numbers[chosen.subject] += 1
        if isinstance(choice, Dependency) and not chosen.selected_before:
            candidates = list(choice.candidates)
            preferred += candidates[: candidates.index(chosen.identifier)]
    return preferred
