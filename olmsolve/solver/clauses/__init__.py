"""Problems as clauses for other solvers: what a problem means without our search.

:mod:`.cnf` has the clauses and the meaning of each variable, :mod:`.preferences` the preferences as optimisers read
them, at once or one choice after the other, and :mod:`.formats` the texts of files.

>>> from olmsolve.solver import Dependency, Prohibited, Variables
>>> from olmsolve.solver.clauses import CNF
>>> variables = {"root": [Dependency(None, ("v2", "v1"))], "v2": [Prohibited("v2")], "v1": []}
>>> [clause.literals for clause in CNF(Variables(variables)).clauses()]
[(1, 2), (-1,)]
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.solver.clauses.cnf import CNF as CNF
    from olmsolve.solver.clauses.cnf import BranchOf as BranchOf
    from olmsolve.solver.clauses.cnf import ConstraintClause as ConstraintClause
    from olmsolve.solver.clauses.cnf import EncodedIdentifier as EncodedIdentifier
    from olmsolve.solver.clauses.cnf import Meaning as Meaning
    from olmsolve.solver.clauses.formats import Lines as Lines
    from olmsolve.solver.clauses.formats import Soft as Soft
    from olmsolve.solver.clauses.formats import TextClause as TextClause
    from olmsolve.solver.clauses.formats import dimacs as dimacs
    from olmsolve.solver.clauses.formats import opb as opb
    from olmsolve.solver.clauses.formats import read_literals as read_literals
    from olmsolve.solver.clauses.formats import wcnf as wcnf
    from olmsolve.solver.clauses.preferences import Level as Level
    from olmsolve.solver.clauses.preferences import LostPlace as LostPlace
    from olmsolve.solver.clauses.preferences import NoOptimumError as NoOptimumError
    from olmsolve.solver.clauses.preferences import RootWeights as RootWeights
    from olmsolve.solver.clauses.preferences import preferred_by as preferred_by
    from olmsolve.solver.constraints import holds as holds
else:
    __getattr__, __dir__ = lazily(__name__)
