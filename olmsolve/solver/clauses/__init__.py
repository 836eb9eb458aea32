"""Problems as clauses for other solvers: what a problem means without our search.

:mod:`.cnf` has the clauses and the meaning of each variable, :mod:`.weights` what of the preferences optimisers can be
told, :mod:`.formats` the texts of files.

>>> from olmsolve.solver import Dependency, Prohibited, Variables
>>> from olmsolve.solver.clauses import CNF
>>> variables = {"root": [Dependency(None, ("v2", "v1"))], "v2": [Prohibited("v2")], "v1": []}
>>> [clause.literals for clause in CNF(Variables(variables)).clauses()]
[(1, 2), (-1,)]
"""

from olmsolve.solver.clauses.cnf import CNF, BranchOf, ConstraintClause, EncodedIdentifier, Meaning, holds
from olmsolve.solver.clauses.formats import Lines, Soft, TextClause, dimacs, opb, read_literals, wcnf
from olmsolve.solver.clauses.weights import LostPlace, RootWeights

__all__ = [
    "CNF",
    "BranchOf",
    "ConstraintClause",
    "EncodedIdentifier",
    "Lines",
    "LostPlace",
    "Meaning",
    "RootWeights",
    "Soft",
    "TextClause",
    "dimacs",
    "holds",
    "opb",
    "read_literals",
    "wcnf",
]
