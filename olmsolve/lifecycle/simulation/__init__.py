"""What a cluster will look like: plans are carried out on its state and it is resolved again, until nothing changes."""

from olmsolve.lifecycle.simulation.model import (
    CrdChange,
    Ending,
    NamespacePass,
    OperatorChange,
    Rules,
    Simulation,
    SimulationStep,
    SubscriptionChange,
)
from olmsolve.lifecycle.simulation.simulating import simulate

__all__ = [
    "CrdChange",
    "Ending",
    "NamespacePass",
    "OperatorChange",
    "Rules",
    "Simulation",
    "SimulationStep",
    "SubscriptionChange",
    "simulate",
]
