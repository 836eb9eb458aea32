"""The parts of a compound requirement that keep it from being met, found from a core.

Of ``all of (grey; none of (blue))`` beside a blue bundle, that is the second part alone: grey can be had.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from olmsolve.predicates import Predicate
from olmsolve.solver import (
    Choice,
    Constraint,
    Every,
    FirstOf,
    Formula,
    Incompatible,
    Limit,
    Listed,
    Mandatory,
    Tree,
    exclusions_of,
)


def opposed(core: Iterable[Constraint]) -> frozenset[Any]:
    """Return the candidates that some constraint of *core* speaks against: a choice with any other can be met."""
    return frozenset(number for constraint in core for number in _opposed(constraint))


def _opposed(constraint: Constraint) -> Iterator[Any]:
    if isinstance(constraint, Limit):
        yield from constraint.identifiers
    elif isinstance(constraint, Incompatible):
        yield constraint.subject
        yield constraint.other
    elif not isinstance(constraint, Mandatory):
        yield constraint.subject
    if isinstance(constraint, Formula):
        yield from ruled_out(constraint.tree)


def unmet_parts(formula: Formula, against: Collection[Any]) -> tuple[Predicate, ...]:
    """Return the parts of *formula* that are not met beside the core, which speaks *against* these candidates."""
    broken = (exclusion.origin.predicate for exclusion in exclusions_of(formula.tree) if exclusion.excluded)
    return (*(choice.origin for choice in unmet_choices(formula.tree, against, formula.subject)), *broken)


def unmet_choices(tree: Tree, against: Collection[Any], subject: Any) -> list[Choice]:
    """Return the choices that keep *tree*, a formula of *subject*, from being met; none if only exclusions do.

    A part of a conjunction that can be met, perhaps by *subject* itself, is no reason. A part that nothing at all can
    meet is reason enough: of "x and y", where nothing gives y, only the choice for y is returned.
    """
    if isinstance(tree, Choice):
        met = subject in tree.candidates or any(number not in against for number in tree.candidates)
        return [] if met else [tree]
    if isinstance(tree, Every):
        parts = [unmet_choices(part, against, subject) for part in tree.parts]
        hopeless = [part for part in parts if part and not any(choice.candidates for choice in part)]
        return hopeless[0] if hopeless else [choice for part in parts for choice in part]
    if isinstance(tree, FirstOf):
        return [choice for branch in tree.branches for choice in unmet_choices(branch.tree, against, subject)]
    return []


def ruled_out(tree: Tree) -> Iterator[Any]:
    """Yield the candidates of the core that *tree* rules out."""
    for exclusion in exclusions_of(tree):
        assert isinstance(exclusion.excluded, Listed)
        yield from exclusion.excluded.identifiers
