"""The selections of a search: which candidates they refuse and for which reason, and how one is taken back."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence

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
    Hopeless,
    Identifier,
    Incompatible,
    Listed,
    Needs,
    Prohibited,
    SharedGroup,
    Tree,
    Variables,
)
from olmsolve.solver.problem import CachedProblem
from olmsolve.solver.selection import Excludes, Inconsistent, Selection, Violation
from tests.scale import scaled
from tests.solver.bulk import random_problem


@attrs.frozen
class _Beside:
    """The constraints that count while *selected* is selected: the oracle of this module, which keeps nothing."""

    problem: CachedProblem
    needs: Sequence[Dependency]
    """The dependencies among the roots."""
    limits: Sequence[AtMost]
    refuted: Sequence[frozenset[Identifier]]
    selected: Sequence[Identifier]

    def groups(self, identifier: Identifier) -> set[GroupName]:
        own = self.problem.constraints(identifier)
        return {group for each in own if isinstance(each, Exclusive) for group in each.groups}

    def pairs(self, identifiers: Iterable[Identifier]) -> list[Incompatible]:
        return [
            each for name in identifiers for each in self.problem.constraints(name) if isinstance(each, Incompatible)
        ]

    def named(self, group: GroupName, *more: Identifier) -> list[Dependency]:
        """Return the needs for a member of *group*, if *more* are selected too."""
        brought = [each for name in (*self.selected, *more) for each in self.problem.constraints(name)]
        return [each for each in (*self.needs, *brought) if isinstance(each, Dependency) and each.group == group]

    def excluded(self, guard: Identifier, identifier: Identifier) -> bool:
        """Return whether *guard* asserts at once that *identifier* stays out."""
        if isinstance(identifier, Branch):
            return False
        trees = [each.tree for each in self.problem.constraints(guard) if isinstance(each, Formula)]
        return any(identifier in each.excluded for tree in trees for each in _asserted(tree))

    def broken(self, candidate: Identifier) -> set[str]:
        """Return the kinds of constraints that *candidate* breaks."""
        own, all_of_them = self.problem.constraints(candidate), {*self.selected, candidate}
        found = {"prohibited"} if any(isinstance(each, Prohibited) for each in own) else set()
        if any(
            candidate in (each.subject, each.other) and each.other in all_of_them for each in self.pairs(all_of_them)
        ):
            found.add("incompatible")
        groups = self.groups(candidate)
        if any(groups & self.groups(other) for other in self.selected):
            found.add("group")
        for group in groups:
            if any(candidate not in need.candidates for need in self.named(group)):
                found.add("needs")
        # Each need of the candidate is looked at by itself.
        for own_need in own:
            if isinstance(own_need, Dependency) and own_need.group is not None:
                members = {name for name in all_of_them if own_need.group in self.groups(name)}
                before = [need for need in self.named(own_need.group) if not members]
                if not set(members or own_need.candidates).intersection(*[e.candidates for e in (*before, own_need)]):
                    found.add("needs")
        if any(
            self.excluded(name, other) for name in all_of_them for other in all_of_them if candidate in (name, other)
        ):
            found.add("excluded")
        if any(candidate in limit.identifiers and self._full(limit) for limit in self.limits):
            found.add("limit")
        if any(candidate in some and some <= all_of_them for some in self.refuted):
            found.add("refuted")
        return found

    def _full(self, limit: AtMost) -> bool:
        return len(set(limit.identifiers).intersection(self.selected)) >= limit.limit

    def is_true(self, violation: Violation, candidate: Identifier) -> bool:
        """Return whether *violation* names what *candidate* breaks, with everything that is needed to prove it."""
        own, all_of_them = self.problem.constraints(candidate), {*self.selected, candidate}
        if isinstance(violation, SharedGroup):
            shared = self.groups(candidate) & self.groups(violation.holder)
            return violation.candidate == candidate and violation.holder in self.selected and violation.group in shared
        if isinstance(violation, Needs):
            known = self.named(violation.group, candidate)
            assert violation.candidate == candidate
            assert all(any(need is each for each in known) for need in violation.dependencies)
            accepted = set.intersection(*[set(need.candidates) for need in violation.dependencies])
            members = {name for name in all_of_them if violation.group in self.groups(name)}
            return set(violation.members) <= members and not accepted.intersection(violation.members or accepted)
        if isinstance(violation, Excludes):
            assert candidate in (violation.guard, violation.identifier)
            return {violation.guard, violation.identifier} <= all_of_them and self.excluded(
                violation.guard, violation.identifier
            )
        if isinstance(violation, Incompatible):
            assert candidate in (violation.subject, violation.other)
            return {violation.subject, violation.other} <= all_of_them
        if isinstance(violation, AtMost):
            return violation in self.limits and candidate in violation.identifiers and self._full(violation)
        if isinstance(violation, Inconsistent):
            return candidate in violation.identifiers and violation.identifiers <= all_of_them
        assert isinstance(violation, Prohibited)
        return any(violation is each for each in own)


def _asserted(tree: Tree) -> list[Exclusion]:
    """Return the exclusions of *tree* outside of disjunctions."""
    if isinstance(tree, Every):
        return [each for part in tree.parts for each in _asserted(part)]
    return [tree] if isinstance(tree, Exclusion) else []


def _branches(tree: Tree) -> list[Branch]:
    if isinstance(tree, FirstOf):
        return [each for branch in tree.branches for each in (branch, *_branches(branch.tree))]
    return [each for part in tree.parts for each in _branches(part)] if isinstance(tree, Every) else []


def _candidates(problem: Variables) -> list[Identifier]:
    """Return everything that a search of *problem* may select."""
    trees = [each.tree for own in problem.variables.values() for each in own if isinstance(each, Formula)]
    names = [name for name in problem.variables if not str(name).startswith("root")]
    return [*names, *(branch for tree in trees for branch in _branches(tree))]


def test_what_is_refused_breaks_something_and_nothing_else_is_refused() -> None:
    """An acceptance that breaks a constraint is a wrong plan, and a refusal without a reason a worse one.

    The selections come and go in any order that a search could take, so a selection that is taken back has to leave
    nothing behind.
    """
    kinds: Counter[str] = Counter()
    causes: Counter[str] = Counter()
    for seed in range(scaled(480)):
        generator = random.Random(f"selection {seed}")
        plain = random_problem(generator, "abcdefgh")
        candidates, problem = _candidates(plain), CachedProblem(plain)
        limits = [root for root in problem.roots if isinstance(root, AtMost)]
        needs = [root for root in problem.roots if isinstance(root, Dependency)]
        selection = Selection(limits)
        for need in needs:
            selection.require(need)
        refuted: list[frozenset[Identifier]] = []
        chosen: list[Identifier] = []
        for _ in range(12):
            if generator.random() < 0.3:
                refuted.append(frozenset(generator.sample(candidates, 2)))
                selection.forbid(refuted[-1])
            beside = _Beside(problem, needs, limits, refuted, chosen)
            assert list(selection.selected) == chosen
            accepted = []
            for candidate in candidates:
                if candidate not in selection.selected:
                    violation = selection.violation(candidate, problem.constraints(candidate))
                    broken = beside.broken(candidate)
                    assert bool(broken) == (violation is not None), (seed, candidate, broken)
                    if violation is None:
                        accepted.append(candidate)
                    else:
                        assert beside.is_true(violation, candidate), (seed, violation)
                        causes[type(violation).__name__] += 1
                    kinds.update(broken)
            if accepted and (not chosen or generator.random() < 0.7):
                chosen.append(generator.choice(accepted))
                selection.select(chosen[-1], problem.constraints(chosen[-1]))
            elif chosen:
                chosen.pop()
                selection.unselect()
    assert min(kinds.values()) > scaled(40), kinds
    assert len(kinds) == len(causes) == 7, causes


def test_a_candidate_is_hopeless_if_each_candidate_of_a_need_breaks_something() -> None:
    """The search looks one step ahead after a dead end; what it finds there becomes clauses, so it must be complete."""
    found = 0
    for seed in range(scaled(800)):
        generator = random.Random(f"hopeless {seed}")
        problem = CachedProblem(plain := random_problem(generator, "abcdefgh", formulas=False))
        candidates = _candidates(plain)
        selection = Selection()
        for _ in range(5):
            cache: dict[int, tuple[Violation, ...]] = {}
            accepted = [each for each in candidates if selection.violation(each, problem.constraints(each)) is None]
            for candidate in accepted:
                expected: Hopeless | None = None
                for need in problem.constraints(candidate):
                    if expected is None and isinstance(need, Dependency) and candidate not in need.candidates:
                        causes = [selection.violation(each, problem.constraints(each)) for each in need.candidates]
                        if None not in causes and not set(need.candidates) & selection.selected.keys():
                            expected = Hopeless(candidate, need, tuple(cause for cause in causes if cause is not None))
                own = problem.constraints(candidate)
                assert selection.hopeless(candidate, own, problem.constraints, cache) == expected, seed
                found += expected is not None
            left = [each for each in accepted if each not in selection.selected]
            if left:
                chosen = generator.choice(left)
                selection.select(chosen, problem.constraints(chosen))
    assert found > scaled(800)


def test_candidates_that_bundles_share_are_looked_at_once() -> None:
    """Hundreds of bundles share one tuple of a thousand candidates; each look at it would read all of them."""
    hopeless, possible = ("x", "y"), ("z",)
    constraints: dict[Identifier, Sequence[Constraint]] = {
        **{name: [Dependency(name, possible), Dependency(name, hopeless)] for name in "ab"},
        "x": [Prohibited("x")],
        "y": [Prohibited("y")],
        "z": [],
    }
    read: list[Identifier] = []

    def constraints_of(identifier: Identifier) -> Sequence[Constraint]:
        read.append(identifier)
        return constraints[identifier]

    cache: dict[int, tuple[Violation, ...]] = {}
    selection = Selection()
    for name in "ab":
        found = selection.hopeless(name, constraints[name], constraints_of, cache)
        assert found is not None
        assert found.violations == (Prohibited("x"), Prohibited("y"))
    assert read == ["z", "x", "y"]


def test_the_first_reason_is_told() -> None:
    """People read the reason: the constraints come in the order in which the problem states them."""
    selection = Selection()
    pair = Incompatible("a", "c")
    selection.select("a", [Exclusive("a", ("second", "first")), pair])
    groups = Exclusive("b", ("other", "first", "second"))
    assert selection.violation("b", [groups, Prohibited("b")]) == SharedGroup("first", "b", "a")
    assert selection.violation("b", [Prohibited("b"), groups]) == Prohibited("b")
    # Somebody else's objection comes before all of one's own.
    assert selection.violation("c", [Prohibited("c")]) is pair
    selection.select("e", [again := Incompatible("e", "c")])
    assert selection.violation("c", []) is pair
    selection.unselect()
    assert selection.violation("c", []) is pair
    selection.unselect()
    assert selection.violation("c", []) is None
    selection.select("e", [again])
    assert selection.violation("c", []) is again


def test_a_failed_need_is_told_alone() -> None:
    """A candidate outside the domain fails one need for certain; two disjoint needs fail together."""
    selection = Selection()
    first, second = Dependency("a", ("x", "y"), None, "g"), Dependency("b", ("y", "z"), None, "g")
    selection.require(first)
    selection.select("b", [second])
    assert selection.violation("x", [Exclusive("x", ("h", "g"))]) == Needs("g", "x", (second,), ("x",))
    assert selection.violation("z", [Exclusive("z", ("g",))]) == Needs("g", "z", (first,), ("z",))
    third = Dependency("c", ("x", "z"), None, "g")
    assert selection.violation("c", [third]) == Needs("g", "c", (first, second, third), ())
    selection.select("y", [Exclusive("y", ("g",))])
    assert selection.violation("c", [third]) == Needs("g", "c", (third,), ("y",))
    # What is taken back is no reason any more.
    selection.unselect()
    selection.unselect()
    selection.select("c", [third])
    fourth = Dependency("d", ("y",), None, "g")
    assert selection.violation("d", [fourth]) == Needs("g", "d", (first, third, fourth), ())


def test_exclusions_are_not_asked_about_branches() -> None:
    """An exclusion of a catalog tests the versions of bundles; a branch has none."""

    class Bundles(Listed):
        def __contains__(self, identifier: object) -> bool:
            assert not isinstance(identifier, Branch)
            return super().__contains__(identifier)

    rule = Exclusion(Bundles(("c",)))
    branch = Branch(Choice(("b",)))
    selection = Selection()
    selection.select("a", [Formula("a", rule)])
    assert selection.violation(branch, [Formula(branch, branch.tree)]) is None
    selection.select(branch, [Formula(branch, branch.tree)])
    assert selection.violation("d", [Formula("d", Every((rule, Choice(("b",)))))]) is None
    assert selection.violation("c", [Formula("c", Every((rule, Choice(("b",)))))]) == Excludes("c", "c")
    assert selection.violation("c", []) == Excludes("a", "c")
