"""What a cluster will look like: plans are carried out on its state and it is resolved again, until nothing changes.

Reading order: ``model`` (rules and outcome), ``simulating`` (the rounds), ``passes`` (a namespace is resolved),
``applying`` (a plan is carried out), ``operators`` (operators make progress, with ``groups`` and ``copies``), ``left``
(what is left in the end), ``digests`` (states are told apart), ``failing`` (the names of operators that are to fail),
``situations`` (the verb, for clusters and for situations with their extensions).
"""

from olmsolve.lifecycle.simulation.left import NamespaceUnresolved, OperatorsUnsettled
from olmsolve.lifecycle.simulation.model import (
    CrdChange,
    Ending,
    GroupChange,
    NamespacePass,
    OperatorChange,
    Rules,
    Simulation,
    SimulationStep,
    SubscriptionChange,
)
from olmsolve.lifecycle.simulation.situations import simulate

__all__ = [
    "CrdChange",
    "Ending",
    "GroupChange",
    "NamespacePass",
    "NamespaceUnresolved",
    "OperatorChange",
    "OperatorsUnsettled",
    "Rules",
    "Simulation",
    "SimulationStep",
    "SubscriptionChange",
    "simulate",
]
