"""Laws of the engine that decides, wherever its decisions lead: what it concludes follows, and nothing is missed.

The laws drive propagation with random decisions, which reach far more states than the order of a queue does; so they
look behind the door. Sets of bits are read as sets of candidates, and every model of a small problem is listed by brute
force.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import pytest

from olmsolve.solver import (
    AtMost,
    Branch,
    Choice,
    Constraint,
    Dependency,
    Every,
    Exclusive,
    FirstOf,
    Formula,
    GroupName,
    Identifier,
    Incompatible,
    Prohibited,
    Tree,
    Variables,
)
from olmsolve.solver.deciding.analysis import Blamed, _needs_group, analyse
from olmsolve.solver.deciding.domains import Domains
from tests.scale import scaled
from tests.solver import oracle
from tests.solver.bulk import random_problem
from tests.solver.driven import Run
from tests.solver.test_families import packages

_NAMES = "abcdefgh"


def _problems(name: str, count: int, *, formulas: bool) -> Iterator[tuple[Variables, random.Random]]:
    """Yield problems of both kinds: with every constraint, and in families."""
    for seed in range(count):
        generator = random.Random(f"{name} {seed}")
        if seed % 2:
            problem: Variables = random_problem(generator, _NAMES, formulas=formulas)
        else:
            problem = packages(generator, 4, 3)
        if not formulas and any(isinstance(constraint, Formula) for constraint in oracle.all_constraints(problem)):
            continue
        if all(list(root.mentions()) for root in problem.roots if not isinstance(root, AtMost)):
            yield problem, generator


def _missed(run: Run) -> Iterator[str]:
    """Yield what propagation should have concluded: of each candidate that must be selected, and of each nogood."""
    must = run.must()
    groups: dict[GroupName, Identifier] = {}
    for identifier, variable in must.items():
        for constraint in run.problem.constraints(identifier):
            if isinstance(constraint, Dependency):
                yield from _missed_choice(run, constraint.candidates)
            elif isinstance(constraint, Formula):
                yield from _missed_tree(run, constraint.tree, must)
            elif isinstance(constraint, Exclusive):
                for group in constraint.groups:
                    if groups.setdefault(group, identifier) != identifier:
                        yield f"{identifier} beside {groups[group]} in {group}"
                    own = run.propagation.variables.excluded_by(group)
                    if run.families is not None and own not in (None, variable) and run.domains.domains[own] != 1:
                        yield f"{group} is held by {identifier}"
            elif isinstance(constraint, Prohibited) or (
                isinstance(constraint, Incompatible) and run.is_left(constraint.other)
            ):
                yield str(constraint)
    for identifier, compiled in run.propagation.compiled.items():
        if not run.learned and run.is_left(identifier) and compiled.impossible is None:
            for constraint in run.problem.constraints(identifier):
                if isinstance(constraint, Dependency) and identifier not in constraint.candidates:
                    others = [
                        candidate
                        for candidate in constraint.candidates
                        if run.propagation.variables.variable_of(candidate)[0] != compiled.variable
                    ]
                    if not any(map(run.is_left, others)):
                        yield f"{identifier} lacks {constraint}"
    for root in run.roots:
        if isinstance(root, AtMost):
            if sum(identifier in must for identifier in root.identifiers) > root.limit:
                yield str(root)
        else:
            yield from _missed_choice(run, tuple(root.mentions()))
    seen: set[int] = set()
    watches: dict[int, int] = {}
    for watched in run.propagation.nogoods.watched.values():
        for _, nogood in watched:
            watches[id(nogood)] = watches.get(id(nogood), 0) + 1
            if id(nogood) not in seen:
                seen.add(id(nogood))
                open_ = [(v, mask) for v, mask in nogood.conditions if run.domains.domains[v] & ~mask]
                if not open_ or (len(open_) == 1 and run.domains.domains[open_[0][0]] & open_[0][1]):
                    yield f"nogood {nogood.conditions}"
    if any(count > 2 for count in watches.values()):
        yield "a nogood is watched more than twice"


def _missed_choice(run: Run, candidates: Sequence[Identifier]) -> Iterator[str]:
    """Yield that a choice has nothing left, or that the only variable left was not narrowed to its candidates."""
    where = [run.propagation.variables.variable_of(candidate) for candidate in candidates if run.is_left(candidate)]
    if len({variable for variable, _ in where}) < 2:
        bits = sum({bit for _, bit in where})
        if not where or run.domains.domains[where[0][0]] & ~bits:
            yield f"one of {candidates}"


def _missed_tree(run: Run, tree: Tree, must: dict[Identifier, int]) -> Iterator[str]:
    if isinstance(tree, Choice):
        yield from _missed_choice(run, tree.candidates)
    elif isinstance(tree, FirstOf):
        yield from _missed_choice(run, tree.branches)
    elif isinstance(tree, Every):
        for part in tree.parts:
            yield from _missed_tree(run, part, must)
    elif any(not isinstance(identifier, Branch) and identifier in tree.excluded for identifier in must):
        yield f"{tree} beside {must}"


class Models:
    """The models of *problem* by brute force; of a problem without formulas, whose branches are in no model."""

    def __init__(self, problem: Variables) -> None:
        self.names = [variable for variable in problem.variables if not str(variable).startswith("root")]
        self.all = oracle.models(oracle.all_constraints(problem), self.names)

    def with_(self, identifiers: Sequence[Identifier]) -> list[oracle.Model]:
        return [model for model in self.all if model.issuperset(identifiers)]


def _value(domains: Domains, variable: int, model: oracle.Model) -> int:
    """Return the bit of *variable* that *model* selects; 1 stands for none."""
    bits = [1 << n for n, member in enumerate(domains.members[variable]) if member is not None and member in model]
    assert len(bits) < 2, "the candidates of a variable exclude each other"
    return bits[0] if bits else 1


def _wrong(run: Run, models: Models) -> Iterator[str]:
    """Yield the conclusions that do not follow from the problem and the decisions up to their level."""
    domains = run.domains
    for event, variable in enumerate(domains.variables):
        if domains.reasons[event] is not None:
            for model in models.with_(run.decisions[: domains.levels[event]]):
                if not _value(domains, variable, model) & domains.keeps[event]:
                    yield f"event {event} rules out {model}"


def _holds(run: Run, variable: int, mask: int) -> bool:
    return not run.domains.domains[variable] & ~mask


@pytest.mark.parametrize("ahead", [0, 2])
def test_conclusions_follow_and_none_is_missed(ahead: int) -> None:
    """A conclusion too many loses solutions, one too few costs conflicts: 2 to the power of what was missed."""
    conflicts = refuted = solved = 0
    for problem, generator in _problems(f"conclusions {ahead}", scaled(640), formulas=False):
        run, models = Run(problem, ahead=ahead), Models(problem)
        while True:
            conflict = run.propagation.run()
            assert not list(_wrong(run, models)), problem
            assert run.propagation.steps_ahead == ahead
            if conflict is None:
                assert not list(_missed(run)), problem
                if not run.decide(generator):
                    assert frozenset(run.must()) in models.all, problem
                    solved += 1
                    break
                continue
            conflicts += 1
            assert run.domains.domains[conflict] == 0
            if not _taken_back(run, models, conflict):
                refuted += 1
                break
    assert min(conflicts, refuted, solved) > scaled(80), (conflicts, refuted, solved)


def _taken_back(run: Run, models: Models, conflict: int) -> bool:
    """Learn from *conflict* and hold the nogood to its laws; return whether there was a decision to take back."""
    domains = run.domains
    nogood, level = analyse(domains, conflict)
    # No model has what cannot hold together, and all of it held here.
    for model in models.all:
        assert not all(_value(domains, variable, model) & mask for variable, mask in nogood.conditions)
    assert all(_holds(run, variable, mask) for variable, mask in nogood.conditions)
    assert len({variable for variable, _ in nogood.conditions}) == len(nogood.conditions)
    if not level:
        assert not nogood.conditions
        assert not models.all
        return False
    # Later conclusions that rest on earlier decisions alone stay.
    kept = [-1] * len(domains.domains)
    for event, variable in enumerate(domains.variables):
        if domains.levels[event] < level:
            kept[variable] &= domains.keeps[event]
    run.learned += 1
    start = domains.starts[level - 1]
    run.propagation.backtrack(level - 1)
    del run.decisions[level - 1 :]
    assert domains.domains == kept
    # What they did not narrow is no event, which would take memory after each conflict.
    assert all(before & ~keep for before, keep in zip(domains.before, domains.keeps, strict=True))
    # Propagation looks at what they narrowed once more, and at nothing else.
    assert domains.pending == domains.variables[start:]
    assert len(domains.starts) == level - 1
    # One condition depends on the decision that was taken back; the others hold, so it is ruled out at once.
    open_ = [condition for condition in nogood.conditions if not _holds(run, *condition)]
    assert len(open_) == 1
    run.propagation.nogoods.add(nogood)
    assert not domains.domains[open_[0][0]] & open_[0][1]
    return True


@pytest.mark.parametrize("ahead", [0, 2])
def test_a_refutation_rests_on_what_it_blames(ahead: int) -> None:
    """Cores start from there: constraints and groups that have a model together would be no conflict."""
    refuted = solved = 0
    for problem, generator in _problems(f"blamed {ahead}", scaled(640), formulas=True):
        run = Run(problem, ahead=ahead)
        names = [variable for variable in problem.variables if not str(variable).startswith("root")]
        level, nogood = 1, None
        while level:
            conflict = run.propagation.run()
            if conflict is not None:
                nogood, level = run.learn(conflict)
                continue
            assert not list(_missed(run)), problem
            if not run.decide(generator):
                selected = [identifier for identifier in run.must() if not isinstance(identifier, Branch)]
                own = [constraint for name in names if name in selected for constraint in problem.variables[name]]
                for constraint in (*own, *problem.roots):
                    assert oracle.meets(constraint, frozenset(selected)), problem
                solved += 1
                break
        else:
            assert nogood is not None
            assert not _hold_together(problem, run.blamed(nogood), names), problem
            refuted += 1
    assert min(refuted, solved) > scaled(64), (refuted, solved)


def _hold_together(problem: Variables, blamed: Blamed, names: Sequence[Identifier]) -> bool:
    """Return whether what is *blamed* has a model; the formula of a branch stands for the one that it is part of."""
    owners = {
        branch: constraint
        for constraint in oracle.all_constraints(problem)
        if isinstance(constraint, Formula)
        for branch in _branches(constraint.tree)
    }
    constraints: list[Constraint] = []
    for constraint in blamed.constraints:
        assert isinstance(constraint, Constraint)
        inner = isinstance(constraint, Formula) and isinstance(constraint.subject, Branch)
        constraints.append(owners[constraint.subject] if inner else constraint)  # type: ignore[index]
    for group, members in blamed.groups.items():
        # A prohibited candidate may be among the members of a family that its group does not have.
        others = set(members) - _members(problem, group)
        assert all(Prohibited(other) in problem.variables[other] for other in others)
        constraints.append(AtMost(1, tuple(members)))
    for group, members in blamed.broken.items():
        constraints.append(AtMost(1, tuple({*members, *_members(problem, group)})))
    return bool(oracle.models(constraints, names))


def _branches(tree: Tree) -> Iterator[Branch]:
    """Yield the branches of *tree*, those inside branches too."""
    if isinstance(tree, FirstOf):
        for branch in tree.branches:
            yield branch
            yield from _branches(branch.tree)
    elif isinstance(tree, Every):
        for part in tree.parts:
            yield from _branches(part)


def _members(problem: Variables, group: GroupName) -> set[Identifier]:
    """Return the candidates that name *group*."""
    return {
        constraint.subject
        for own in problem.variables.values()
        for constraint in own
        if isinstance(constraint, Exclusive) and group in constraint.groups
    }


def test_only_merged_conditions_of_both_kinds_need_their_group() -> None:
    """A core names a group only if it matters that at most one of its candidates is selected.

    Brute force over all sets of three candidates: where a set that meets the intersection of two masks may break one of
    them, only the group keeps such sets away.
    """
    sets = [{n for n in (1, 2, 3) if number >> n & 1} for number in range(0, 16, 2)]

    def is_met(mask: int, selected: set[int]) -> bool:
        """Return whether one of *mask* is selected; with bit 0, whether no other one is."""
        inside = {n for n in selected if mask >> n & 1}
        return inside == selected if mask & 1 else bool(inside)

    for one in (-1, *range(16)):
        for other in (-1, *range(16)):
            both = one & other
            alone = all(is_met(one, set_) and is_met(other, set_) for set_ in sets if is_met(both, set_))
            if not alone or (both and 15 not in (one, other)):
                assert _needs_group(one, other) is not alone, (one, other)
