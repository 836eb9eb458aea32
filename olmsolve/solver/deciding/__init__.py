"""The deciding engine: the queue of choices, decided in its own order, over finite domains, learning from conflicts."""

from olmsolve.solver.deciding.engine import Engine, decide

__all__ = ["Engine", "decide"]
