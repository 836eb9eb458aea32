"""Mutants of explanations that make no difference."""

from __future__ import annotations

from typing import Final

from tests.mutants.equivalence import Equivalent

__all__ = ["EQUIVALENT"]

EQUIVALENT: Final[tuple[Equivalent, ...]] = ()
