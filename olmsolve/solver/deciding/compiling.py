"""Compiled candidates: constraints as masks and conditions on variables, made once, when a candidate is first met."""

from __future__ import annotations

from collections.abc import Sequence

from olmsolve._named_tuples import NamedTuple
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


class Shared(NamedTuple):
    """The source of a reason: a *constraint* some candidates of which share their subject's *group*.

    The group excludes these candidates, so a conclusion from the constraint rests on the group as well.
    """

    constraint: Constraint
    group: GroupName


class Need(NamedTuple):
    """A choice that *subject* brings: its *variable* must have a value in *mask*.

    *chosen* is the condition that the subject is selected. *candidates* has the order of the choice; None means the
    order of the bits. *source* is the constraint, or the number of the dependency if the subject has masked needs.

    Selecting ``a.v1``, which needs one of the members 0b0110 of variable 7, narrows variable 7 to 0b0110; and once
    the domain of variable 7 is 0b1001, ``a.v1`` is ruled out. The reasons are made on demand: most are never read.
    """

    variable: int
    mask: int
    chosen: tuple[Condition, ...]
    subject: Identifier
    source: Constraint | Shared | int
    candidates: Sequence[Identifier] | None

    @property
    def met(self) -> Reason:
        """The reason why a selected subject narrows the variable to the mask."""
        return self.chosen, self

    @property
    def unmet(self) -> Reason:
        """The reason why the subject is ruled out once no value of the mask is left.

        The complement of the mask, ``~0b0110`` for two values, is the condition "none of the two".
        """
        return ((self.variable, ~self.mask),), self


class CompiledCandidate:
    """The constraints of one candidate, which has the value of *bit* of *variable*.

    *chosen* is the condition that it is selected. If it is *masked*, its needs are all the choices that it brings.
    """

    __slots__ = (
        "bit",
        "chosen",
        "exclusions",
        "groups",
        "impossible",
        "incompatible",
        "masked",
        "needs_by_mask",
        "spread",
        "variable",
    )

    def __init__(self, variable: int, bit: int) -> None:
        self.variable: int = variable
        self.bit: int = bit
        self.chosen: tuple[Condition, ...] = ((variable, bit),)
        self.masked: bool = False
        # Why it can never be selected.
        self.impossible: Reason | None = None
        self.groups: tuple[GroupName, ...] = ()
        self.incompatible: tuple[Incompatible, ...] = ()
        # Each need comes after its variable and its mask: loops unpack plain tuples in half the time that they take for
        # the fields of a named one.
        self.needs_by_mask: tuple[tuple[int, int, Need], ...] = ()
        # Choices with candidates of several variables: the conditions that cannot all hold.
        self.spread: tuple[tuple[tuple[Condition, ...], Constraint | Shared], ...] = ()
        self.exclusions: tuple[tuple[Exclusion, Constraint], ...] = ()


def compile_masks(
    identifier: Identifier, where: Condition, masked: MaskedNeeds, variables: VariableTable
) -> CompiledCandidate:
    """Return the compiled candidate from its masked needs; *where* is its variable and its bit there.

    Nothing has to be looked up but the variable of each need: the masks are used as they are.
    """
    compiled = CompiledCandidate(*where)
    compiled.masked = True
    compiled.groups = masked.groups
    chosen, by_group, new = compiled.chosen, variables.by_group, tuple.__new__
    by_mask: list[tuple[int, int, Need]] = []
    for number, (group, mask) in enumerate(masked.needs):
        variable = by_group.get(group)
        if variable is None:
            variable = variables.of_group(group)
        # As `Need(...)`, without a call in Python for each of 4,848 needs of the hard verdict of 20,000 bundles.
        by_mask.append((variable, mask, new(Need, (variable, mask, chosen, identifier, number, None))))
    compiled.needs_by_mask = tuple(by_mask)
    return compiled


def compile_constraints(
    identifier: Identifier, constraints: Sequence[Constraint], variables: VariableTable
) -> CompiledCandidate:
    """Return the candidate *identifier* compiled with its *constraints*; its first group is its variable."""
    group: GroupName | None = None
    for constraint in constraints:
        if isinstance(constraint, Exclusive) and constraint.groups:
            group = constraint.groups[0]
            break
    compiled = CompiledCandidate(*variables.variable_of(identifier, group))
    for constraint in constraints:
        if isinstance(constraint, Dependency):
            _add_choice(compiled, identifier, constraint.candidates, constraint.group, constraint, variables)
        elif isinstance(constraint, Exclusive):
            compiled.groups += constraint.groups
        elif isinstance(constraint, Prohibited):
            compiled.impossible = (), constraint
        elif isinstance(constraint, Incompatible):
            if constraint.other == identifier:
                compiled.impossible = (), constraint
            else:
                compiled.incompatible += (constraint,)
        elif isinstance(constraint, Formula):
            _add_tree(compiled, identifier, constraint.tree, constraint, variables)
    return compiled


def _add_tree(
    compiled: CompiledCandidate, subject: Identifier, tree: Tree, source: Constraint, variables: VariableTable
) -> None:
    """Add the choices and exclusions that hold with *tree*; a branch keeps its own."""
    if isinstance(tree, Choice):
        _add_choice(compiled, subject, tree.candidates, None, source, variables)
    elif isinstance(tree, Every):
        for part in tree.parts:
            _add_tree(compiled, subject, part, source, variables)
    elif isinstance(tree, Exclusion):
        compiled.exclusions += ((tree, source),)
    else:
        _add_choice(compiled, subject, tree.branches, None, source, variables)


def _add_choice(
    compiled: CompiledCandidate,
    subject: Identifier,
    candidates: Sequence[Identifier],
    group: GroupName | None,
    constraint: Constraint,
    variables: VariableTable,
) -> None:
    """Add the choice among *candidates*: a need if they share one variable, else conditions on several."""
    conditions = variables.conditions_of(candidates, group)
    if len(conditions) == 1 and conditions[0][0] != compiled.variable:
        # By far the most common case.
        variable, mask = conditions[0]
        need = Need(variable, mask, compiled.chosen, subject, constraint, candidates)
        compiled.needs_by_mask += ((variable, mask, need),)
        return
    # Candidates with the subject's own variable are excluded by the subject.
    others: list[Condition] = []
    for condition in conditions:
        if condition[0] != compiled.variable:
            others.append(condition)
        elif condition[1] & compiled.bit:
            return  # The subject itself meets the choice.
    source: Constraint | Shared = constraint
    group = variables.group_of(compiled.variable)
    if group is not None and len(others) < len(conditions):
        source = Shared(constraint, group)
    if not others:
        compiled.impossible = (), source
    elif len(others) == 1:
        variable, mask = others[0]
        need = Need(variable, mask, compiled.chosen, subject, source, candidates)
        compiled.needs_by_mask += ((variable, mask, need),)
    else:
        compiled.spread += (((*compiled.chosen, *((variable, ~mask) for variable, mask in others)), source),)
