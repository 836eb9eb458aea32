"""Boolean problems with preferences. Nothing here knows OLM.

The path of a problem through the room:

1. A caller states a lazy :class:`Problem` (:mod:`.problem`) in a closed list of :mod:`.constraints`, or gives
   :class:`Variables` whole.
2. :func:`solve` (:mod:`.search`) walks the :mod:`.queue` of choices, which defines the preferred solution. Most
   problems end at a glance (:mod:`.portable`, with :mod:`.selection`), without any solver.
3. After a dead end, the engine of :mod:`.deciding` takes over; or, for a named SAT solver of :mod:`.backends`, the
   portable search does, with an :mod:`.encoding` of the part that it has met (:mod:`.relaxation`, :mod:`.session`).
4. The result (:mod:`.answer`) is a :class:`Solution`, or a :class:`Core`: the preferred minimal one, which :mod:`.core`
   finds among the :mod:`.units` of the problem by asking a finder (:mod:`.finding`) what can hold together;
   :mod:`.leaping` spares it questions. Who wants all cores asks for the :mod:`.parts` that share nothing first.

A :class:`Budget` limits all of this. The modules are best read in the order in which they are named here. Beside the
path, :mod:`.clauses` gives whole problems to other solvers.

>>> from olmsolve.solver import Dependency, Exclusive, Mandatory, Variables, solve
>>> a, b2, b1 = Dependency("a", ("b2", "b1")), Exclusive("b2", ("b",)), Exclusive("b1", ("b",))
>>> solve(Variables({"a": [Mandatory("a"), a], "b2": [b2], "b1": [b1]})).selected
('a', 'b2')
"""

from olmsolve._limits import Cancellation
from olmsolve.solver.answer import Chosen, Core, Solution
from olmsolve.solver.budget import Budget
from olmsolve.solver.constraints import (
    AtMost,
    Branch,
    Choice,
    Constraint,
    Dependency,
    Every,
    Excluded,
    Exclusion,
    Exclusive,
    FirstOf,
    Formula,
    GroupName,
    Identifier,
    Incompatible,
    Listed,
    Mandatory,
    Prohibited,
    Tree,
    candidates_of,
    choices_of,
    exclusions_of,
)
from olmsolve.solver.parts import NumberedRoot, independent_parts, rank_among_parts
from olmsolve.solver.problem import FamilyView, MaskedNeeds, Problem, Root, Variables, materialize, reachable
from olmsolve.solver.search import attempt, solve
from olmsolve.solver.selection import Hopeless, Needs, SharedGroup
from olmsolve.solver.session import Session
from olmsolve.solver.trace import ToldTrace, Trace

__all__ = [
    "AtMost",
    "Branch",
    "Budget",
    "Cancellation",
    "Choice",
    "Chosen",
    "Constraint",
    "Core",
    "Dependency",
    "Every",
    "Excluded",
    "Exclusion",
    "Exclusive",
    "FamilyView",
    "FirstOf",
    "Formula",
    "GroupName",
    "Hopeless",
    "Identifier",
    "Incompatible",
    "Listed",
    "Mandatory",
    "MaskedNeeds",
    "Needs",
    "NumberedRoot",
    "Problem",
    "Prohibited",
    "Root",
    "Session",
    "SharedGroup",
    "Solution",
    "ToldTrace",
    "Trace",
    "Tree",
    "Variables",
    "attempt",
    "candidates_of",
    "choices_of",
    "exclusions_of",
    "independent_parts",
    "materialize",
    "rank_among_parts",
    "reachable",
    "solve",
]
