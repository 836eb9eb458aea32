"""Brute force over small problems, sharing nothing with encoding and search: every set of identifiers is tried."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from olmsolve.solver import (
    AtMost,
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
    Mandatory,
    Prohibited,
    Tree,
    Variables,
)

Model = frozenset[Identifier]


def holds(tree: Tree, model: Model) -> bool:
    if isinstance(tree, Choice):
        return any(candidate in model for candidate in tree.candidates)
    if isinstance(tree, Exclusion):
        return not any(identifier in tree.excluded for identifier in model)
    if isinstance(tree, Every):
        return all(holds(part, model) for part in tree.parts)
    return any(holds(branch.tree, model) for branch in tree.branches)


def judge(constraint: Constraint) -> Callable[[Model], bool]:
    """Return whether *constraint* holds in a model (Exclusive is judged over sets: see :func:`models`).

    Its kind is looked at once, and not for each of a thousand models.
    """
    if isinstance(constraint, Limit):
        assert isinstance(constraint, AtMost)
        limited, limit = constraint.identifiers, constraint.limit
        return lambda model: sum(identifier in model for identifier in limited) <= limit
    subject = constraint.subject
    if isinstance(constraint, Mandatory):
        return lambda model: subject in model
    holds_beside = _judge_beside_subject(constraint)
    return holds_beside if subject is None else lambda model: subject not in model or holds_beside(model)


def _judge_beside_subject(constraint: Constraint) -> Callable[[Model], bool]:
    """Return whether *constraint* holds in a model that has its subject."""
    if isinstance(constraint, Prohibited):
        return lambda model: False
    if isinstance(constraint, Dependency):
        candidates = frozenset(constraint.candidates)
        return lambda model: not candidates.isdisjoint(model)
    if isinstance(constraint, Incompatible):
        other = constraint.other
        return lambda model: other not in model
    if isinstance(constraint, Formula):
        tree = constraint.tree
        return lambda model: holds(tree, model)
    return lambda model: True


def meets(constraint: Constraint, model: Model) -> bool:
    """Whether one constraint holds in *model*, as :func:`judge` says."""
    return judge(constraint)(model)


def models(constraints: Sequence[Constraint], identifiers: Iterable[Identifier]) -> list[Model]:
    """Every set of *identifiers* in which all *constraints* hold.

    The sets grow by one identifier after the other, and none takes two members of a group: no larger set mends that.
    """
    groups: dict[GroupName, set[Identifier]] = {}
    for constraint in constraints:
        if isinstance(constraint, Exclusive):
            for group in constraint.groups:
                groups.setdefault(group, set()).add(constraint.subject)
    grown: list[Model] = [frozenset()]
    for identifier in identifiers:
        rivals = {rival for members in groups.values() if identifier in members for rival in members}
        grown += [model | {identifier} for model in grown if rivals.isdisjoint(model)]
    for constraint in constraints:
        grown = list(filter(judge(constraint), grown))
    return grown


def all_constraints(problem: Variables) -> list[Constraint]:
    return [constraint for constraints in problem.variables.values() for constraint in constraints]


def preferred(problem: Variables) -> list[Identifier] | None:
    """The solution by its definition, None if there is none."""
    identifiers = [identifier for identifier in problem.variables if not str(identifier).startswith("root")]
    remaining = models(all_constraints(problem), identifiers)
    if not remaining:
        return None
    selected: list[Identifier] = []
    queue: list[Tree | Dependency | Mandatory] = [r for r in problem.roots if not isinstance(r, Limit)]
    while queue:
        choice = queue.pop(0)
        if isinstance(choice, FirstOf):
            if any(settled(branch.tree, selected) for branch in choice.branches):
                continue
            for branch in choice.branches:
                kept = [model for model in remaining if holds(branch.tree, model)]
                if kept:
                    remaining = kept
                    queue.extend(leaves(branch.tree))
                    break
            continue
        assert isinstance(choice, Mandatory | Dependency | Choice)
        candidates = (choice.subject,) if isinstance(choice, Mandatory) else choice.candidates
        if any(candidate in selected for candidate in candidates):
            continue
        for candidate in candidates:
            kept = [model for model in remaining if candidate in model]
            if kept:
                remaining = kept
                selected.append(candidate)
                for constraint in problem.variables[candidate]:
                    if isinstance(constraint, Dependency):
                        queue.append(constraint)
                    elif isinstance(constraint, Formula):
                        queue.extend(leaves(constraint.tree))
                break
    return selected


def leaves(tree: Tree) -> list[Tree]:
    if isinstance(tree, Every):
        return [leaf for part in tree.parts for leaf in leaves(part)]
    return [] if isinstance(tree, Exclusion) else [tree]


def settled(tree: Tree, selected: Sequence[Identifier]) -> bool:
    """Whether *tree* is met already, whatever will be selected."""
    if isinstance(tree, Choice):
        return any(candidate in selected for candidate in tree.candidates)
    if isinstance(tree, Exclusion):
        return not tree.excluded
    if isinstance(tree, Every):
        return all(settled(part, selected) for part in tree.parts)
    return any(settled(branch.tree, selected) for branch in tree.branches)
