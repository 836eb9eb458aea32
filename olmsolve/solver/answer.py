"""The answers of the solver: the preferred solution, or the preferred core."""

from __future__ import annotations

import olmsolve._attrs as attrs
from olmsolve._named_tuples import NamedTuple
from olmsolve.solver.constraints import Constraint, Identifier


class Chosen(NamedTuple):
    """A choice and the candidate that met it.

    The choice selected *identifier*, or found it selected already (*selected_before*). *subject* brought the choice
    (None: it is a root), *origin* was carried by its constraint.
    """

    identifier: Identifier
    subject: Identifier | None
    origin: object
    selected_before: bool


class Solution(NamedTuple):
    """The preferred solution: identifiers in the order of their selection, and how each of the *choices* was met."""

    selected: tuple[Identifier, ...]
    choices: tuple[Chosen, ...]


@attrs.frozen
class Core:
    """A minimal unsatisfiable subset: *constraints* cannot hold together, and can without any one of them."""

    constraints: tuple[Constraint, ...]
