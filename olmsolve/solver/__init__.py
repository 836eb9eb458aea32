"""Boolean problems with preferences, and nothing of OLM: problem, constraints, encoding, search, cores, backends."""

from olmsolve.solver.budget import Budget, Cancellation
from olmsolve.solver.constraints import (
    AtMost,
    Branch,
    Choice,
    Conflict,
    Constraint,
    Dependency,
    Every,
    Excluded,
    Exclusion,
    Exclusive,
    FirstOf,
    Formula,
    Identifier,
    Mandatory,
    Prohibited,
    Tree,
)
from olmsolve.solver.problem import Problem, Root, Variables, materialize, reachable
from olmsolve.solver.search import Chosen, Core, Solution, solve

__all__ = [
    "AtMost",
    "Branch",
    "Budget",
    "Cancellation",
    "Choice",
    "Chosen",
    "Conflict",
    "Constraint",
    "Core",
    "Dependency",
    "Every",
    "Excluded",
    "Exclusion",
    "Exclusive",
    "FirstOf",
    "Formula",
    "Identifier",
    "Mandatory",
    "Problem",
    "Prohibited",
    "Root",
    "Solution",
    "Tree",
    "Variables",
    "materialize",
    "reachable",
    "solve",
]
