"""A request as clauses (CNF) that any SAT solver takes, and the way back from a solver's model to a plan.

docs/cnf.md says what the variables and clauses mean, and what of the order of preference each format carries.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

import olmsolve._attrs as attrs
from olmsolve._arguments import counted
from olmsolve._limits import checked
from olmsolve.catalog.index import Group
from olmsolve.classic.compiled_symbols import (
    CompiledBranch,
    CompiledClause,
    CompiledCounts,
    CompiledGroup,
    CompiledLimit,
    CompiledPlace,
    CompiledVariable,
    SymbolTable,
)
from olmsolve.classic.context import RequestContext
from olmsolve.classic.failure import reason_for
from olmsolve.classic.house_rules import AtLeastOne, TotalAtMost
from olmsolve.classic.problem import ClassicProblem, Wish
from olmsolve.classic.reasons import Reason
from olmsolve.classic.request import Request, Semantics
from olmsolve.classic.resolving import SemanticsName, resolution_of, semantics_named
from olmsolve.classic.unreadable import check_catalogs_before_solving
from olmsolve.errors import RequestError
from olmsolve.predicates import Requirement
from olmsolve.resolution import Candidate, Resolution
from olmsolve.solver import AtMost, Constraint
from olmsolve.solver.backends import DEFAULT
from olmsolve.solver.clauses import (
    CNF,
    BranchOf,
    EncodedIdentifier,
    Lines,
    LostPlace,
    RootWeights,
    Soft,
    TextClause,
    dimacs,
    opb,
    read_literals,
    wcnf,
)

if TYPE_CHECKING:
    from olmsolve.classic.compiled_levels import LevelOptimiser

_HOW_TO_COMPILE: Final = "the same request, semantics and whole= give the same variables"


@attrs.frozen
class DecodedModel:
    """The bundles and operators that a model *selected*, and the *plan* that they make.

    The plan leaves out what nobody wants: a model may select more than it has to.
    """

    selected: tuple[Candidate, ...]
    plan: Resolution


class CompiledProblem:
    """The clauses of one *request* under *semantics*; :func:`compile_request` makes it.

    Everything that grows with the catalogs comes as an iterator. Two compilations of equal requests have the same
    variables and clauses, and are equal.
    """

    def __init__(self, problem: ClassicProblem, *, whole: bool) -> None:
        self._problem = problem
        self.whole = whole
        # With families, most constraints are read off the index.
        problem.families  # noqa: B018 - made on first use
        size = problem.visible.size + len(problem.installed.names)
        self._cnf = CNF(problem, range(size) if whole else ())
        self._numbers = {identifier: number for number, identifier in enumerate(self._cnf.identifiers, start=1)}
        self._weights = RootWeights(problem.roots)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CompiledProblem):
            return NotImplemented
        return (self.request, self.semantics, self.whole) == (other.request, other.semantics, other.whole)

    def __hash__(self) -> int:
        return hash((self.request, self.semantics, self.whole))

    def __repr__(self) -> str:
        counts = self.counts
        return f"<CompiledProblem of {counted(counts.variables, 'variable')} and {counted(counts.clauses, 'clause')}>"

    @property
    def request(self) -> Request:
        """The request that was compiled."""
        return self._problem.request

    @property
    def semantics(self) -> Semantics:
        """The meaning of compound constraints in this problem."""
        return self._problem.semantics

    @property
    def counts(self) -> CompiledCounts:
        """The numbers of variables, clauses and literals."""
        cnf = self._cnf
        candidates = len(cnf.identifiers)
        others = [
            cnf.meaning(variable) for variable in checked(range(candidates + 1, cnf.variable_count + 1), every=256)
        ]
        branches = sum(isinstance(other, BranchOf) for other in others)
        groups = len(others) - branches
        return CompiledCounts(
            candidates, branches, groups, cnf.clause_count, cnf.literal_count, places=len(self._weights)
        )

    @property
    def preferences(self) -> tuple[int, int]:
        """The number of choices of subscriptions that have weights in WCNF and OPB, and the number of all choices."""
        return self._weights.carried, self._weights.choosing

    def variables(self) -> Iterator[CompiledVariable]:
        """Yield the variables in their order: candidates, then branches and groups."""
        return map(self.variable, range(1, self._cnf.variable_count + 1))

    def variable(self, number: int) -> CompiledVariable:
        """Return the variable *number*.

        Raises:
            RequestError: there is no such variable.
        """
        if not 1 <= number <= self._cnf.variable_count:
            raise RequestError(f"variables go from 1 to {self._cnf.variable_count}, not {number}", field="number")
        meaning = self._cnf.meaning(number)
        if isinstance(meaning, EncodedIdentifier):
            return CompiledVariable(number, self._problem.candidate(meaning.identifier))
        if isinstance(meaning, BranchOf):
            requirement: Requirement = meaning.formula.origin
            bundle = self._problem.candidate(meaning.formula.subject)
            return CompiledVariable(number, CompiledBranch(bundle, requirement.predicate, meaning.path))
        if isinstance(meaning.serves, Group):
            return CompiledVariable(number, CompiledGroup(**{meaning.serves.kind: meaning.serves.name}))
        assert not isinstance(meaning.serves, (str, tuple)), "other helpers serve limits"
        rule: TotalAtMost = meaning.serves.origin
        return CompiledVariable(number, CompiledLimit(rule.name))

    def clauses(self) -> Iterator[CompiledClause]:
        """Yield the clauses in their order, each with its constraint."""
        for number, (literals, constraint) in enumerate(self._cnf.clauses(), start=1):
            yield CompiledClause(number, literals, constraint)

    def reason(self, clause: CompiledClause) -> Reason:
        """Return the constraint of *clause* in words of OLM, as an unsatisfiable request names it."""
        return self._reason(clause.constraint, clause.literals)

    def to_dimacs(self, *, comments: bool = True) -> Lines:
        """Yield the clauses as the lines of a DIMACS CNF file; it carries no preference.

        With *comments*, the file says what each variable stands for and where the clauses come from.
        """
        cnf = self._cnf
        return dimacs(self._heading(comments, ()), cnf.variable_count, cnf.clause_count, self._text(comments, ()))

    def to_wcnf(self, *, comments: bool = True) -> Lines:
        """Yield the clauses and the preferences as the lines of a WCNF file, for MaxSAT solvers."""
        places = self._places()
        soft = [Soft(-place.variable, place.weight) for place in places]
        return wcnf(*self._weighted(comments, places), soft, self._weights.highest)

    def to_opb(self, *, comments: bool = True) -> Lines:
        """Yield the clauses and the preferences as the lines of an OPB file, for pseudo-Boolean solvers."""
        places = self._places()
        return opb(*self._weighted(comments, places), [Soft(place.variable, place.weight) for place in places])

    def preferred(self, optimise: LevelOptimiser) -> Resolution | None:
        """Return the plan of :func:`olmsolve.resolve`, found by an optimiser of yours; None where there is no plan.

        *optimise* returns the literals of the best model of each level, one choice after the other, None where there
        is none (docs/cnf.md). Raises RequestError where it contradicts itself.
        """
        from olmsolve.classic.compiled_levels import preferred_plan

        return preferred_plan(self._problem, optimise)

    def to_dict(self) -> dict[str, Any]:
        """Return the symbol table, a record made for this alone; docs/cnf.md says what the fields mean."""
        variables = tuple(checked(self.variables(), every=64))
        places = tuple(CompiledVariable(place.variable, _compiled_place(place)) for place in self._places())
        return SymbolTable(self.semantics, self.whole, self.counts, *self.preferences, variables, places).to_dict()

    def decode(self, model: Iterable[int] | str) -> DecodedModel:
        """Return what *model* selects, and the plan that this makes, once all constraints are met.

        *model* has literals, such as ``[1, -2, 3]``, or is the text that a solver printed. Variables that it does not
        mention are false. Only candidates count: branches, groups and places follow from them.

        Raises:
            RequestError: *model* is no assignment of these variables, or breaks a clause, which the error names.
        """
        chosen = self._true_candidates(_literals(model))
        selected = {self._cnf.identifiers[number - 1] for number in chosen}
        broken = self._cnf.first_broken(selected)
        if broken is not None:
            number, clause = broken
            text = " ".join(map(str, (*clause.literals, 0)))
            raise RequestError(
                f"breaks clause {number} ({text}): {self._reason(clause.constraint, clause.literals)}",
                field="model",
                hint="a model meets all clauses; " + _HOW_TO_COMPILE,
            )
        plan = resolution_of(self._problem, self._cnf.solution_within(selected), DEFAULT)
        names = tuple(self._problem.candidate(self._cnf.identifiers[number - 1]) for number in sorted(chosen))
        return DecodedModel(names, plan)

    def _true_candidates(self, literals: Iterable[int]) -> set[int]:
        """Return the variables of candidates that *literals* make true. Raises RequestError."""
        most = self._cnf.variable_count + len(self._weights)
        values: dict[int, bool] = {}
        for literal in literals:
            variable = abs(literal)
            if not 1 <= variable <= most:
                raise RequestError(
                    f"{literal} is not a literal of variables 1 to {most}", field="model", hint=_HOW_TO_COMPILE
                )
            if values.setdefault(variable, literal > 0) != (literal > 0):
                raise RequestError(f"has both {variable} and -{variable}", field="model")
        candidates = len(self._cnf.identifiers)
        return {variable for variable, value in values.items() if value and variable <= candidates}

    def _places(self) -> list[LostPlace]:
        return list(self._weights.places(self._numbers.__getitem__, self._cnf.variable_count + 1))

    def _weighted(
        self, comments: bool, places: list[LostPlace]
    ) -> tuple[Iterable[str], int, int, Iterable[TextClause]]:
        """Return heading, variables, number of clauses and clauses of a file that carries preferences."""
        cnf = self._cnf
        variables, count = cnf.variable_count + len(places), cnf.clause_count + len(places)
        return self._heading(comments, places), variables, count, self._text(comments, places)

    def _heading(self, comments: bool, places: list[LostPlace] | tuple[()]) -> Iterator[str]:
        if not comments:
            return
        kind = "all candidates" if self.whole else "the candidates that the request reaches"
        yield f"olmsolve: {kind}, {self.semantics.value} semantics"
        if places:
            weighted, choosing = self.preferences
            omission = "" if weighted == choosing else "; the weights of the others would not fit into 63 bits"
            yield f"weights: the order of the first {weighted} of {choosing} subscriptions with a choice{omission}"
        for variable in checked(self.variables(), every=64):
            yield f"{variable.number} {variable.stands_for}"
        for place in places:
            yield f"{place.variable} {_compiled_place(place)}"

    def _text(self, comments: bool, places: Iterable[LostPlace]) -> Iterator[TextClause]:
        before: Constraint | None = None
        for literals, constraint in self._cnf.clauses():
            is_new = comments and constraint is not before  # the clauses of one constraint are neighbours
            yield TextClause(literals, str(self._reason(constraint, literals)) if is_new else "")
            before = constraint
        for place in places:
            yield TextClause(place.literals, str(_compiled_place(place)) if comments else "")

    def _reason(self, constraint: Constraint, literals: Iterable[int]) -> Reason:
        if constraint.groups:
            identifiers = self._cnf.identifiers
            members = [identifiers[abs(literal) - 1] for literal in literals if abs(literal) <= len(identifiers)]
            constraint = AtMost(1, tuple(members), constraint.groups[0])
        return reason_for(self._problem, constraint)


def compile_request(
    request: Request, *, semantics: SemanticsName = Semantics.DOCUMENTED, whole: bool = False
) -> CompiledProblem:
    """Return *request* as clauses: over the candidates that it reaches, or with *whole* over all of the catalogs.

    The models of the clauses are the valid selections. Bundles that the request does not reach can be selected too,
    unless something excludes them; nobody wants them, so they are left out by default.

    Raises:
        Unsatisfiable: OLM resolves nothing, because a catalog cannot be read (``health_policy``).
        CatalogError: a channel that a subscription names is broken, or the requirements of an operator that must stay.
        Incomplete: a limit was met, or the caller cancelled.
    """
    meant = semantics_named(semantics)
    if request.unreadable:
        check_catalogs_before_solving(request, RequestContext(request, meant, DEFAULT))
    return CompiledProblem(ClassicProblem.of_request(request, meant), whole=whole)


def _compiled_place(place: LostPlace) -> CompiledPlace:
    origin: Wish | AtLeastOne = place.root.origin
    if isinstance(origin, AtLeastOne):
        return CompiledPlace("", place.lost, origin.name)
    return CompiledPlace(origin.subscription.name, place.lost)


def _literals(model: Iterable[int] | str) -> Iterator[int]:
    """Yield the literals of *model*. Raises RequestError where it has something else."""
    try:
        for literal in read_literals(model) if isinstance(model, str) else model:
            if not isinstance(literal, int) or isinstance(literal, bool):
                raise TypeError(literal)
            if literal:  # a solver ends its line of literals with 0
                yield literal
    except (TypeError, ValueError) as error:
        raise RequestError(
            f"has an element that is not a literal: {error}", field="model", hint="such as [1, -2, 3]"
        ) from None
