"""What solving a problem gives: the preferred solution, or the preferred core."""

from __future__ import annotations

from typing import NamedTuple

import attrs

from olmsolve.solver.constraints import Constraint, Identifier

__all__ = ["Chosen", "Core", "Solution"]


class Chosen(NamedTuple):
    """A choice that was met: by selecting *identifier*, or (*selected_before*) by an earlier selection of it.

    *subject* is whose choice it was (None: the request's), *origin* what the constraint carried.
    """

    identifier: Identifier
    subject: Identifier | None
    origin: object
    selected_before: bool


class Solution(NamedTuple):
    """The preferred solution: *selected* in the order of their selection, and how each choice was met."""

    selected: tuple[Identifier, ...]
    choices: tuple[Chosen, ...]


@attrs.frozen
class Core:
    """There is no solution: *constraints* cannot hold together, and each of them is needed for that."""

    constraints: tuple[Constraint, ...]
