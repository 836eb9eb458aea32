"""What a search refuses beside its selections, and for which reason: observers are told, and brute force agrees."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import attrs

from olmsolve.solver import (
    AtMost,
    Branch,
    Choice,
    Constraint,
    Dependency,
    Every,
    Exclusion,
    Exclusive,
    FirstOf,
    Formula,
    GroupName,
    Identifier,
    Incompatible,
    Limit,
    Listed,
    Mandatory,
    Needs,
    Prohibited,
    SharedGroup,
    Solution,
    Trace,
    Tree,
    Variables,
    attempt,
)
from olmsolve.solver.backends import PORTABLE
from tests.scale import scaled
from tests.solver import oracle
from tests.solver.bulk import random_problem


class _Recorder(Trace):
    """A trace that keeps what was passed over, and why."""

    observed = True

    def __init__(self) -> None:
        super().__init__()
        self.passed: list[tuple[Identifier, object]] = []

    def passed_over(self, identifier: Identifier, cause: object) -> None:
        self.passed.append((identifier, cause))


@attrs.frozen
class _Beside:
    """The constraints that count while *selected* is selected: the oracle of this module, which keeps nothing."""

    problem: Variables
    needs: Sequence[Dependency]
    """The dependencies among the roots."""
    limits: Sequence[AtMost]
    selected: Sequence[Identifier]

    def constraints(self, identifier: Identifier) -> Sequence[Constraint]:
        return (
            [Formula(identifier, identifier.tree)]
            if isinstance(identifier, Branch)
            else self.problem.constraints(identifier)
        )

    def groups(self, identifier: Identifier) -> set[GroupName]:
        own = self.constraints(identifier)
        return {group for constraint in own if isinstance(constraint, Exclusive) for group in constraint.groups}

    def pairs(self, identifiers: Iterable[Identifier]) -> list[Incompatible]:
        return [
            constraint
            for name in identifiers
            for constraint in self.constraints(name)
            if isinstance(constraint, Incompatible)
        ]

    def named(self, group: GroupName, *more: Identifier) -> list[Dependency]:
        """Return the needs for a member of *group*, if *more* are selected too."""
        brought = [constraint for name in (*self.selected, *more) for constraint in self.constraints(name)]
        return [
            constraint
            for constraint in (*self.needs, *brought)
            if isinstance(constraint, Dependency) and constraint.group == group
        ]

    def excluded(self, guard: Identifier, identifier: Identifier) -> bool:
        """Return whether *guard* asserts at once that *identifier* stays out."""
        if isinstance(identifier, Branch):
            return False
        trees = [constraint.tree for constraint in self.constraints(guard) if isinstance(constraint, Formula)]
        return any(identifier in exclusion.excluded for tree in trees for exclusion in _asserted(tree))

    def broken(self, candidate: Identifier) -> set[str]:
        """Return the kinds of constraints that *candidate* breaks."""
        own, all_of_them = self.constraints(candidate), {*self.selected, candidate}
        violations = {"prohibited"} if any(isinstance(constraint, Prohibited) for constraint in own) else set()
        if any(
            candidate in (pair.subject, pair.other) and pair.other in all_of_them for pair in self.pairs(all_of_them)
        ):
            violations.add("incompatible")
        groups = self.groups(candidate)
        if any(groups & self.groups(other) for other in self.selected):
            violations.add("group")
        for group in groups:
            if any(candidate not in need.candidates for need in self.named(group)):
                violations.add("needs")
        # Each need of the candidate is looked at by itself.
        for own_need in own:
            if isinstance(own_need, Dependency) and own_need.group is not None:
                members = {name for name in all_of_them if own_need.group in self.groups(name)}
                before = [need for need in self.named(own_need.group) if not members]
                if not set(members or own_need.candidates).intersection(*[e.candidates for e in (*before, own_need)]):
                    violations.add("needs")
        if any(
            self.excluded(name, other) for name in all_of_them for other in all_of_them if candidate in (name, other)
        ):
            violations.add("excluded")
        if any(candidate in limit.identifiers and self._full(limit) for limit in self.limits):
            violations.add("limit")
        return violations

    def _full(self, limit: AtMost) -> bool:
        return len(set(limit.identifiers).intersection(self.selected)) >= limit.limit

    def is_true(self, violation: object, candidate: Identifier) -> bool:
        """Return whether *violation* names what *candidate* breaks, with everything that is needed to prove it."""
        own, all_of_them = self.constraints(candidate), {*self.selected, candidate}
        if isinstance(violation, SharedGroup):
            shared = self.groups(candidate) & self.groups(violation.holder)
            return violation.candidate == candidate and violation.holder in self.selected and violation.group in shared
        if isinstance(violation, Needs):
            known = self.named(violation.group, candidate)
            assert violation.candidate == candidate
            assert all(any(need is dependency for dependency in known) for need in violation.dependencies)
            accepted = set.intersection(*[set(need.candidates) for need in violation.dependencies])
            members = {name for name in all_of_them if violation.group in self.groups(name)}
            return set(violation.members) <= members and not accepted.intersection(violation.members or accepted)
        if isinstance(violation, Incompatible):
            assert candidate in (violation.subject, violation.other)
            return {violation.subject, violation.other} <= all_of_them
        if isinstance(violation, AtMost):
            return violation in self.limits and candidate in violation.identifiers and self._full(violation)
        if isinstance(violation, Prohibited):
            return any(violation is constraint for constraint in own)
        # What an exclusion rules out is told as a pair of its own kind: who excludes, and what.
        guard, excluded = violation.guard, violation.identifier  # type: ignore[attr-defined]
        assert candidate in (guard, excluded)
        return {guard, excluded} <= all_of_them and self.excluded(guard, excluded)


def _asserted(tree: Tree) -> list[Exclusion]:
    """Return the exclusions of *tree* outside of disjunctions."""
    if isinstance(tree, Every):
        return [exclusion for part in tree.parts for exclusion in _asserted(part)]
    return [tree] if isinstance(tree, Exclusion) else []


def _replayed(problem: Variables, passed: Sequence[tuple[Identifier, object]], solution: Solution) -> Counter[str]:
    """Take the queue of a search without dead ends by its definition; return the kinds of constraints that refused.

    Each candidate before the answer of a choice was passed over for a true reason, and the answer breaks nothing.
    """
    limits = [root for root in problem.roots if isinstance(root, AtMost)]
    needs = [root for root in problem.roots if isinstance(root, Dependency)]
    kinds: Counter[str] = Counter()
    selected: list[Identifier] = []
    upcoming = iter([*passed, (None, None)])
    following, cause = next(upcoming)
    queue: list[Tree | Dependency | Mandatory] = [root for root in problem.roots if not isinstance(root, Limit)]
    for choice in queue:
        if _is_met(choice, selected):
            continue
        for candidate in _candidates(choice):
            beside = _Beside(problem, needs, limits, selected)
            broken = beside.broken(candidate)
            if candidate != following:
                assert not broken
                selected.append(candidate)
                for own in beside.constraints(candidate):
                    if isinstance(own, Dependency):
                        queue.append(own)
                    elif isinstance(own, Formula):
                        queue += oracle.leaves(own.tree)
                break
            assert broken
            assert beside.is_true(cause, candidate)
            kinds.update({*broken, type(cause).__name__})
            following, cause = next(upcoming)
    assert following is None
    assert solution.selected == tuple(identifier for identifier in selected if not isinstance(identifier, Branch))
    return kinds


def _candidates(choice: Tree | Dependency | Mandatory) -> Sequence[Identifier]:
    if isinstance(choice, FirstOf):
        return choice.branches
    assert isinstance(choice, Mandatory | Dependency | Choice)
    return (choice.subject,) if isinstance(choice, Mandatory) else choice.candidates


def _is_met(choice: Tree | Dependency | Mandatory, selected: Sequence[Identifier]) -> bool:
    """Return whether an earlier selection has met *choice*; a branch that was selected has met its formula."""
    if any(candidate in selected for candidate in _candidates(choice)):
        return True
    return isinstance(choice, FirstOf) and any(
        oracle.settled(branch.tree, selected) or _holds_selected(branch.tree, selected) for branch in choice.branches
    )


def _holds_selected(tree: Tree, selected: Sequence[Identifier]) -> bool:
    if isinstance(tree, FirstOf):
        return any(branch in selected or _holds_selected(branch.tree, selected) for branch in tree.branches)
    return isinstance(tree, Every) and all(
        oracle.settled(part, selected) or _holds_selected(part, selected) for part in tree.parts
    )


def test_what_is_refused_breaks_something_and_nothing_else_is_refused() -> None:
    """An acceptance that breaks a constraint is a wrong plan, and a refusal without a reason a worse one."""
    kinds: Counter[str] = Counter()
    for seed in range(scaled(20_000)):
        generator = random.Random(f"selection {seed}")
        # Long choices, and a limit, since small problems refuse little before they come to a dead end.
        more: list[Constraint] = [Dependency(None, tuple(generator.sample("abcdefgh", 4))) for _ in range(2)]
        more.append(AtMost(generator.randint(0, 2), tuple(generator.sample("abcdefgh", 3))))
        problem = Variables({**random_problem(generator, "abcdefgh").variables, "root more": more})
        observer = _Recorder()
        solution = attempt(problem, backend=PORTABLE, trace=observer)
        if not observer.conflicts:
            assert solution is not None
            kinds += _replayed(problem, observer.passed, solution)
    assert min(kinds.values()) > scaled(40), kinds
    assert len(kinds) == 6 + 6, kinds


def _passed(wanted: Sequence[Sequence[str]], constraints: Mapping[Identifier, Sequence[Constraint]]) -> list[object]:
    """Return the reasons for what is passed over in choices among *wanted*, bundles with these *constraints*."""
    roots = [Dependency(None, tuple(candidates)) for candidates in wanted]
    names: dict[Identifier, Sequence[Constraint]] = {name: [] for candidates in wanted for name in candidates}
    observer = _Recorder()
    problem = Variables({"roots": roots, **names, **constraints})
    assert attempt(problem, trace=observer) is not None
    assert observer.conflicts == 0
    return [cause for _, cause in observer.passed]


def test_the_first_reason_is_told() -> None:
    """People read the reason: the constraints come in the order in which the problem states them."""
    pair, second_pair = Incompatible("a", "c"), Incompatible("e", "c")
    first: dict[Identifier, Sequence[Constraint]] = {
        "a": [Exclusive("a", ("second", "first")), pair],
        "e": [second_pair],
    }
    groups = Exclusive("b", ("other", "first", "second"))
    wanted = ["a"], ["b", "x"]
    assert _passed(wanted, {**first, "b": [groups, Prohibited("b")]}) == [SharedGroup("first", "b", "a")]
    assert _passed(wanted, {**first, "b": [Prohibited("b"), groups]}) == [Prohibited("b")]
    # Somebody else's objection comes before all of one's own, and the first of two objections counts.
    for roots, objection in [("a", pair), ("ae", pair), ("ea", second_pair)]:
        causes = _passed([*roots, "cx"], {**first, "c": [Prohibited("c")]})
        assert len(causes) == 1
        assert causes[0] is objection


def test_a_failed_need_is_told_alone() -> None:
    """A candidate outside the domain fails one need for certain; two disjoint needs fail together."""

    def need(subject: str, *candidates: str) -> Dependency:
        return Dependency(subject, candidates, None, "g")

    first, second, third = need("a", "x", "y"), need("b", "y", "z"), need("c", "x", "z")
    members: dict[Identifier, Sequence[Constraint]] = {name: [Exclusive(name, ("h", "g"))] for name in "xyz"}
    stated: dict[Identifier, Sequence[Constraint]] = {"a": [first], "b": [second], "c": [third], **members}
    # The wishes for x and z come before the needs have selected y.
    assert _passed(["a", "b", "xy"], stated) == [Needs("g", "x", (second,), ("x",))]
    assert _passed(["a", "b", "zy"], stated) == [Needs("g", "z", (first,), ("z",))]
    assert _passed(["a", "b", "cw"], {**stated, "w": []})[0] == Needs("g", "c", (first, second, third), ())
    # Once y is selected, the need of c fails by itself.
    assert _passed(["a", "b", "y", "cw"], {**stated, "w": []})[-1] == Needs("g", "c", (third,), ("y",))


def test_exclusions_are_not_asked_about_branches() -> None:
    """An exclusion of a catalog tests the versions of bundles; a branch has none."""

    class Bundles(Listed):
        def __contains__(self, identifier: object) -> bool:
            assert not isinstance(identifier, Branch)
            return super().__contains__(identifier)

    rule = Exclusion(Bundles(("c",)))
    either = FirstOf((Branch(Choice(("b",))), Branch(Choice(("d",)))))
    stated: dict[Identifier, Sequence[Constraint]] = {
        "a": [Formula("a", Every((rule, either)))],
        "d": [Formula("d", Every((rule, either)))],
    }
    # The one that excludes is told, and what: c excludes itself before it looks at others.
    for own, guard in (([], "a"), ([Formula("c", Every((rule, either)))], "c")):
        (cause,) = _passed(["a", "d", "cx"], {**stated, "b": [], "c": own})
        assert (cause.guard, cause.identifier) == (guard, "c")  # type: ignore[attr-defined]
