"""The values of a compiled problem: what its variables stand for, its clauses, and its sizes.

They are what programs read, and most are what ``olmsolve compile -o json`` writes; ``compiled`` makes them.
"""

from __future__ import annotations

from typing import ClassVar, TypeAlias

import olmsolve._attrs as attrs
from olmsolve._records import Record, documented, field, record
from olmsolve.classic.request import Semantics
from olmsolve.predicates import Predicate
from olmsolve.resolution import Candidate
from olmsolve.solver import Constraint


@record(layout=("kind", ...))
class _Symbol(Record):
    """The meaning of a variable, as documents have it."""

    kind: ClassVar[str]


@record(kind="candidate")
class _SelectedCandidate(_Symbol):
    """A candidate is selected."""

    candidate: Candidate = field(path="*")


@record(kind="branch")
class CompiledBranch(_Symbol):
    """One way to meet a compound *requirement* of *bundle* is taken; *path* has its positions, from the outside in.

    In "all of (API a, any of (package b, no package c))" the path of "no package c" is (1, 1).
    """

    bundle: Candidate = field()
    requirement: Predicate = field("The requirement that the variable is a part of.", written=str)
    path: tuple[int, ...] = field("The positions that lead to the part, from 0, from the outside in.")

    def __str__(self) -> str:
        return f"{self.bundle} meets {self.requirement} by part {'.'.join(str(step + 1) for step in self.path)}"


@record(kind="group")
class CompiledGroup(_Symbol):
    """A bundle before the current ones of a *package* or *api* is selected (the other of the two is empty)."""

    package: str = field(
        "The package of which at most one bundle is selected; null for an API.", empty="null", default=""
    )
    api: str = field("The API of which at most one provider is selected; null for a package.", empty="null", default="")

    def __str__(self) -> str:
        return f"an earlier bundle of {f'package {self.package}' if self.package else f'the API {self.api}'}"


@record(kind="place", layout=("kind", "subscription", "house_rule", "count"))
class CompiledPlace(_Symbol):
    """None of the first *count* candidates of a *subscription*, or of a demand (*house_rule*), is selected.

    The other of the two is empty. Only WCNF and OPB have such variables.
    """

    subscription: str = field("The subscription whose candidates it is about.", empty="absent")
    count: int = field("The variable is true where none of so many first candidates is selected.")
    house_rule: str = field("The house rule whose candidates it is about.", empty="absent", default="")

    def __str__(self) -> str:
        whose = f"house rule {self.house_rule!r}" if self.house_rule else f"subscription {self.subscription}"
        return f"{whose} takes no bundle of its first {self.count}"


@record(kind="limit", says="room that earlier bundles leave by house rule {house_rule!r}")
class CompiledLimit(_Symbol):
    """The room that earlier candidates leave of the limit of a *house_rule* on a sum."""

    house_rule: str = field("The house rule that limits a sum.")


CompiledMeaning: TypeAlias = Candidate | CompiledBranch | CompiledGroup | CompiledPlace | CompiledLimit
"""The meaning of a variable; it is true when the candidate is selected, or the statement holds."""


def _symbol(
    meaning: CompiledMeaning,
) -> _SelectedCandidate | CompiledBranch | CompiledPlace | CompiledGroup | CompiledLimit:
    return _SelectedCandidate(meaning) if isinstance(meaning, Candidate) else meaning


@record(definition="cnfVariable", about="The meaning of a number in the clauses.")
class CompiledVariable(Record):
    """A variable by its *number*, and what it *stands_for*."""

    number: int = field("The number of the variable in the clauses.", schema={"minimum": 1})
    stands_for: CompiledMeaning = field(path="*", written=_symbol)


@attrs.frozen
class CompiledClause:
    """A clause: one of *literals* (a variable, or minus a variable) is true.

    *constraint* is where it comes from; :mod:`olmsolve.solver.constraints` documents the clauses of each kind.
    """

    number: int
    literals: tuple[int, ...]
    constraint: Constraint = attrs.field(repr=False, eq=False)


@record(layout=(..., "variables"))
class CompiledCounts(Record):
    """The sizes of a compiled problem."""

    candidates: int = field("Variables that stand for candidates.")
    branches: int = field("Variables that stand for parts of requirements.")
    groups: int = field("Variables that stand for packages, APIs and what is left of limits.")
    clauses: int = field("Clauses.")
    literals: int = field("Literals of all clauses.")
    places: int = field("Variables that only WCNF and OPB have.")

    @property
    @documented("Variables of the clauses: candidates, branches and groups.")
    def variables(self) -> int:
        return self.candidates + self.branches + self.groups


@record(
    definition="olmsolve.cnf",
    title="The meaning of the numbers in the clauses",
    about="docs/cnf.md gives the meaning of the fields.",
    groups={"preferences": "How much of the order of preference the weights carry."},
)
class SymbolTable(Record):
    """The meanings of the variables of a compiled problem."""

    semantics: Semantics = field("The semantics of compound constraints.")
    whole: bool = field(
        "Whether all candidates of the visible catalogs have variables, and not only those that the request reaches."
    )
    counts: CompiledCounts = field()
    weighted: int = field("How many subscriptions have weights.", path="preferences.weighted")
    choosing: int = field("How many subscriptions have a choice.", path="preferences.of")
    variables: tuple[CompiledVariable, ...] = field("The meaning of each variable of the clauses.")
    places: tuple[CompiledVariable, ...] = field("The meaning of the variables that only WCNF and OPB have.")
