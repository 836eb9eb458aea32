"""Boolean problems with preferences. Nothing here knows OLM.

The path of a problem through the room:

1. A caller states a lazy :class:`Problem` (:mod:`.problem`) in a closed list of :mod:`.constraints`, or gives
   :class:`Variables` whole. The other modules ask a constraint the questions of :mod:`.stated_constraint`.
2. :func:`solve` (:mod:`.search`) walks the :mod:`.queue` of choices, which defines the preferred solution. Most
   problems end at a glance (:mod:`.queue`, with :mod:`.selection`), without any solver.
3. After a dead end, the engine of :mod:`.deciding` takes over; or, for a named SAT solver of :mod:`.backends`, the
   portable search does, with an :mod:`.encoding` of the part that it has met (:mod:`.session`), in which limits
   are :mod:`.counters`.
   Dense problems are walked in sets of bits instead (:mod:`.family_walk`), with their own clauses (:mod:`.ladders`).
4. The result is a :class:`Solution`, or a :class:`Core`: the preferred minimal one, which :mod:`.core` finds among the
   :mod:`.units` of the problem by asking an oracle (:mod:`.core_oracle`) what can hold together; :mod:`.rotation`,
   :mod:`.glancing` and :mod:`.family_rotation` spare it questions. Who wants all cores asks for the
   :mod:`.problem_parts` that share nothing first.

A :class:`Budget` (:mod:`.budget`) limits all of this. The modules are best read in the order in which they are named
here. Beside the path, :mod:`.clauses` gives whole problems to other solvers.

>>> from olmsolve.solver import Dependency, Exclusive, Mandatory, Variables, solve
>>> a, b2, b1 = Dependency("a", ("b2", "b1")), Exclusive("b2", ("b",)), Exclusive("b1", ("b",))
>>> solve(Variables({"a": [Mandatory("a"), a], "b2": [b2], "b1": [b1]})).selected
('a', 'b2')
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve._limits import Cancellation as Cancellation
    from olmsolve.solver import backends as backends
    from olmsolve.solver import clauses as clauses
    from olmsolve.solver import deciding as deciding
    from olmsolve.solver.budget import Budget as Budget
    from olmsolve.solver.budget import ToldTrace as ToldTrace
    from olmsolve.solver.budget import Trace as Trace
    from olmsolve.solver.constraints import AtMost as AtMost
    from olmsolve.solver.constraints import Constraint as Constraint
    from olmsolve.solver.constraints import Dependency as Dependency
    from olmsolve.solver.constraints import Exclusive as Exclusive
    from olmsolve.solver.constraints import Formula as Formula
    from olmsolve.solver.constraints import Incompatible as Incompatible
    from olmsolve.solver.constraints import Limit as Limit
    from olmsolve.solver.constraints import Mandatory as Mandatory
    from olmsolve.solver.constraints import Prohibited as Prohibited
    from olmsolve.solver.constraints import Renaming as Renaming
    from olmsolve.solver.counters import ClauseWriter as ClauseWriter
    from olmsolve.solver.formulas import Branch as Branch
    from olmsolve.solver.formulas import Choice as Choice
    from olmsolve.solver.formulas import Every as Every
    from olmsolve.solver.formulas import Excluded as Excluded
    from olmsolve.solver.formulas import Exclusion as Exclusion
    from olmsolve.solver.formulas import FirstOf as FirstOf
    from olmsolve.solver.formulas import GroupName as GroupName
    from olmsolve.solver.formulas import Identifier as Identifier
    from olmsolve.solver.formulas import Listed as Listed
    from olmsolve.solver.formulas import Tree as Tree
    from olmsolve.solver.formulas import candidates_of as candidates_of
    from olmsolve.solver.formulas import choices_of as choices_of
    from olmsolve.solver.formulas import exclusions_of as exclusions_of
    from olmsolve.solver.formulas import ruled_out as ruled_out
    from olmsolve.solver.problem import FamilyView as FamilyView
    from olmsolve.solver.problem import MaskedNeeds as MaskedNeeds
    from olmsolve.solver.problem import Problem as Problem
    from olmsolve.solver.problem import RestrictedProblem as RestrictedProblem
    from olmsolve.solver.problem import Root as Root
    from olmsolve.solver.problem import Run as Run
    from olmsolve.solver.problem import Variables as Variables
    from olmsolve.solver.problem import materialize as materialize
    from olmsolve.solver.problem import reachable as reachable
    from olmsolve.solver.problem_parts import NumberedRoot as NumberedRoot
    from olmsolve.solver.problem_parts import independent_parts as independent_parts
    from olmsolve.solver.problem_parts import rank_among_parts as rank_among_parts
    from olmsolve.solver.queue import Chosen as Chosen
    from olmsolve.solver.queue import Core as Core
    from olmsolve.solver.queue import Solution as Solution
    from olmsolve.solver.search import attempt as attempt
    from olmsolve.solver.search import solvable as solvable
    from olmsolve.solver.search import solve as solve
    from olmsolve.solver.selection import Hopeless as Hopeless
    from olmsolve.solver.selection import Needs as Needs
    from olmsolve.solver.selection import SharedGroup as SharedGroup
    from olmsolve.solver.session import Session as Session
else:
    __getattr__, __dir__ = lazily(__name__)
