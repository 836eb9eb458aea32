"""The deciding engine: the queue of choices, decided in its own order, over finite domains, learning from conflicts.

To be read in this order:

- :mod:`.domains`: variables, domains as sets of bits, the trail;
- :mod:`.variables` and :mod:`.compiling`: candidates as bits, constraints as masks;
- :mod:`.nogoods` and :mod:`.propagation`: conclusions from the decisions;
- :mod:`.analysis`: from a conflict to a nogood;
- :mod:`.engine`: the queue, decided, and what one run leaves to the next;
- :mod:`.core_oracle`: many runs over nearly the same problem, for cores.
"""

from olmsolve.solver.deciding.engine import Engine

__all__ = ["Engine"]
