"""What candidates ask for, in terms of places: worked out once, when a candidate is first looked at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from olmsolve.solver.constraints import (
    Choice,
    Constraint,
    Dependency,
    Every,
    Exclusion,
    Exclusive,
    Formula,
    GroupName,
    Identifier,
    Incompatible,
    Prohibited,
    Tree,
)
from olmsolve.solver.deciding.domains import Condition, Reason
from olmsolve.solver.deciding.variables import VariableTable
from olmsolve.solver.problem import MaskedNeeds

__all__ = ["CompiledCandidate", "Need", "Shared", "compile_constraints", "sketched"]


class Shared(NamedTuple):
    """The source of a reason: a choice of which some candidates share their subject's group, which excludes them."""

    constraint: Constraint
    group: GroupName


class Need(NamedTuple):
    """A choice among the *mask* of one *place*, for *subject*; *chosen* is the condition that that is selected.

    *candidates* has the choice's order; None stands for that of the bits. *source* is what asks for it, or the
    position of the dependency among those of the subject. Reasons are made when they are asked for, because most
    never are.
    """

    place: int
    mask: int
    chosen: tuple[Condition, ...]
    subject: Identifier
    source: Constraint | Shared | int
    candidates: Sequence[Identifier] | None

    @property
    def met(self) -> Reason:
        """Why the place is narrowed to the mask when the subject is selected."""
        return self.chosen, self

    @property
    def unmet(self) -> Reason:
        """Why the subject is ruled out when nothing of the mask is left."""
        return ((self.place, ~self.mask),), self


class CompiledCandidate:
    """The constraints of one candidate, which is *bit* of *place*; *chosen* is the condition that it is selected.

    *sketched*: the needs are all the choices that it brings.
    """

    __slots__ = (
        "bit",
        "chosen",
        "conflicts",
        "exclusions",
        "groups",
        "impossible",
        "needs",
        "place",
        "sketched",
        "spread",
    )

    def __init__(self, place: int, bit: int) -> None:
        self.place = place
        self.bit = bit
        self.chosen: tuple[Condition, ...] = ((place, bit),)
        self.sketched = False
        self.impossible: Reason | None = None
        self.groups: tuple[GroupName, ...] = ()
        self.conflicts: tuple[Incompatible, ...] = ()
        self.needs: tuple[Need, ...] = ()
        # Choices whose candidates are in several places: the conditions that cannot all hold.
        self.spread: tuple[tuple[tuple[Condition, ...], Constraint | Shared], ...] = ()
        self.exclusions: tuple[tuple[Exclusion, Constraint], ...] = ()


def sketched(
    identifier: Identifier, place: int, bit: int, sketch: MaskedNeeds, variables: VariableTable
) -> CompiledCandidate:
    """The rules of the candidate that is *bit* of *place*, from its *sketch*."""
    rules = CompiledCandidate(place, bit)
    rules.sketched = True
    rules.groups = sketch.groups
    chosen, place_for = rules.chosen, variables.place
    rules.needs = tuple(
        [Need(place_for(group), mask, chosen, identifier, n, None) for n, (group, mask) in enumerate(sketch.needs)]
    )
    return rules


def compile_constraints(
    identifier: Identifier, constraints: Sequence[Constraint], variables: VariableTable
) -> CompiledCandidate:
    """The rules of a candidate with these *constraints*."""
    group = next((c.groups[0] for c in constraints if isinstance(c, Exclusive) and c.groups), None)
    rules = CompiledCandidate(*variables.of(identifier, group))
    for constraint in constraints:
        if isinstance(constraint, Dependency):
            _choose(rules, identifier, constraint.candidates, constraint.group, constraint, variables)
        elif isinstance(constraint, Exclusive):
            rules.groups += constraint.groups
        elif isinstance(constraint, Prohibited):
            rules.impossible = (), constraint
        elif isinstance(constraint, Incompatible):
            if constraint.other == identifier:
                rules.impossible = (), constraint
            else:
                rules.conflicts += (constraint,)
        elif isinstance(constraint, Formula):
            _assert_tree(rules, identifier, constraint.tree, constraint, variables)
    return rules


def _assert_tree(
    rules: CompiledCandidate, subject: Identifier, tree: Tree, origin: Constraint, variables: VariableTable
) -> None:
    if isinstance(tree, Choice):
        _choose(rules, subject, tree.candidates, None, origin, variables)
    elif isinstance(tree, Every):
        for part in tree.parts:
            _assert_tree(rules, subject, part, origin, variables)
    elif isinstance(tree, Exclusion):
        rules.exclusions += ((tree, origin),)
    else:
        _choose(rules, subject, tree.branches, None, origin, variables)


def _choose(
    rules: CompiledCandidate,
    subject: Identifier,
    candidates: Sequence[Identifier],
    group: GroupName | None,
    origin: Constraint,
    variables: VariableTable,
) -> None:
    masks = variables.masks(candidates, group)
    if len(masks) == 1 and masks[0][0] != rules.place:
        # By far the most common.
        rules.needs += (Need(*masks[0], rules.chosen, subject, origin, candidates),)
        return
    if any(place == rules.place and mask & rules.bit for place, mask in masks):
        return  # The subject itself meets it.
    # What shares the subject's place excludes it.
    others = [(place, mask) for place, mask in masks if place != rules.place]
    source: Constraint | Shared = origin
    group = variables.group_of(rules.place)
    if group is not None and len(others) < len(masks):
        source = Shared(origin, group)
    if not others:
        rules.impossible = (), source
    elif len(others) == 1:
        place, mask = others[0]
        rules.needs += (Need(place, mask, rules.chosen, subject, source, candidates),)
    else:
        rules.spread += (((*rules.chosen, *((place, ~mask) for place, mask in others)), source),)
