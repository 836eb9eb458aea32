"""Simulation of a cluster: plans are carried out on its state and it is resolved again until nothing changes.

Reading order: ``model`` (settings and outcome), ``simulating`` (the rounds), ``passes`` (a namespace is resolved, and
what is left in the end), ``circles`` (states are compared, and come back), ``situation_runs`` (the verb, with the
extensions of OLM v1, and as 0.2.0 was asked). What a plan does to the objects is in ``effects``.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.lifecycle.effects import most_passes as most_passes
    from olmsolve.lifecycle.simulation.circles import Circle as Circle
    from olmsolve.lifecycle.simulation.circles import Digests as Digests
    from olmsolve.lifecycle.simulation.model import MOST_STEPS as MOST_STEPS
    from olmsolve.lifecycle.simulation.model import CrdChange as CrdChange
    from olmsolve.lifecycle.simulation.model import Ending as Ending
    from olmsolve.lifecycle.simulation.model import GroupChange as GroupChange
    from olmsolve.lifecycle.simulation.model import NamespacePass as NamespacePass
    from olmsolve.lifecycle.simulation.model import OperatorChange as OperatorChange
    from olmsolve.lifecycle.simulation.model import Simulation as Simulation
    from olmsolve.lifecycle.simulation.model import SimulationSettings as SimulationSettings
    from olmsolve.lifecycle.simulation.model import SimulationStep as SimulationStep
    from olmsolve.lifecycle.simulation.model import SubscriptionChange as SubscriptionChange
    from olmsolve.lifecycle.simulation.passes import NamespaceUnresolved as NamespaceUnresolved
    from olmsolve.lifecycle.simulation.passes import OperatorsUnsettled as OperatorsUnsettled
    from olmsolve.lifecycle.simulation.simulating import simulate_cluster as simulate_cluster
    from olmsolve.lifecycle.simulation.situation_runs import Rules as Rules
    from olmsolve.lifecycle.simulation.situation_runs import simulate as simulate
else:
    __getattr__, __dir__ = lazily(__name__)
