"""One side of a comparison: a situation, simulated to rest."""

from __future__ import annotations

import attrs

from olmsolve.errors import Incomplete, OlmsolveError
from olmsolve.lifecycle.simulation import Simulation, simulate
from olmsolve.requests import Situation
from olmsolve.solver.backends import BackendLike


@attrs.frozen
class Side:
    """A *situation* simulated to rest, or the *error* that stands for the simulation."""

    situation: Situation
    simulation: Simulation | None = None
    error: OlmsolveError | None = None


def simulated(situation: Situation, approve: bool, backend: BackendLike) -> Side:
    """Simulate *situation*, with *approve* with all install plans approved.

    Raises:
        Incomplete: a limit was met, or the caller cancelled.
    """
    try:
        return Side(situation, simulate(situation, approve=approve, backend=backend))
    except Incomplete:
        raise
    except OlmsolveError as error:
        return Side(situation, error=error)
