"""A request as clauses: the same selections as the definition allows, in every format, and back to a plan.

The short run takes an eighteenth of the samples, one in 36 of those that brute force looks at.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from pathlib import Path

import attrs
import pytest
from pysat.solvers import Solver

import olmsolve
from olmsolve import Candidate, CatalogError, Installed, Request, RequestError, Semantics, Unsatisfiable
from olmsolve.catalog import UnreadableSource
from olmsolve.classic import (
    CompiledBranch,
    CompiledClause,
    CompiledProblem,
    OnePerAPI,
    OnePerPackage,
    compile_request,
)
from olmsolve.solver import Prohibited
from olmsolve.testing import COMPOUND, SMALL, RequestShape, catalog_of, package, random_request, reference, request_for
from tests.classic.clause_texts import clauses_of, read_wcnf, served
from tests.recorded import VENDORED, Record, records, request_of, shared
from tests.scale import sampled, scaled

EXAMPLES = Path(olmsolve.__file__).parent / "examples"
SMALL_COMPOUND = RequestShape(packages=4, bundles=2, channels=1, requirement=0.65, compound=0.95, odd=0.02)
# Brute force looks at every subset of so many candidates.
MOST = 11


def upgrade() -> Request:
    return olmsolve.read_request(EXAMPLES / "upgrade.yaml")


def selections(compiled: CompiledProblem) -> Iterator[frozenset[Candidate]]:
    """The selections of all models, by a SAT solver that reads the DIMACS lines."""
    candidates = [
        variable.stands_for for variable in compiled.variables() if isinstance(variable.stands_for, Candidate)
    ]
    with Solver("minisat22", bootstrap_with=clauses_of(compiled.to_dimacs())) as solver:
        for number in range(1, len(candidates) + 1):
            solver.add_clause([number, -number])
        while solver.solve():
            model = solver.get_model()[: len(candidates)]
            yield frozenset(candidates[literal - 1] for literal in model if literal > 0)
            solver.add_clause([-literal for literal in model])


def valid_selections(request: Request, semantics: Semantics, known: Iterable[Candidate]) -> set[frozenset[Candidate]]:
    """The valid selections of *known* candidates by the brute-force reference."""
    search = reference.prepare(request, semantics, 0)
    if search is None:
        return set()
    plain = [
        (offered, search.world.find(offered.catalog, offered.package, offered.channel, offered.name))
        for offered in known
    ]
    # A channel without an order is one candidate for the solver, which nothing selects.
    there = [(offered, candidate) for offered, candidate in plain if candidate is not None]
    valid = set()
    for bits in product((False, True), repeat=len(there)):
        pairs = [pair for pair, bit in zip(there, bits, strict=True) if bit]
        if search.grants([candidate for _, candidate in pairs]):
            valid.add(frozenset(offered for offered, _ in pairs))
    return valid


@pytest.mark.parametrize("semantics", list(Semantics))
@pytest.mark.parametrize("shape", [SMALL, SMALL_COMPOUND], ids=["small", "compound"])
def test_the_models_are_the_valid_selections(shape: RequestShape, semantics: Semantics) -> None:
    """Other programs trust the clauses alone, so they must say exactly what a valid selection is.

    There are 1,700 requests, and one in 36 of them in the short run.
    """
    compared = with_models = branches = 0
    for seed in range(scaled(1700, 36)):
        request = random_request(random.Random(f"compiled {seed}"), shape)
        try:
            compiled = olmsolve.compile(request, semantics=semantics)
        except CatalogError:
            continue
        counts = compiled.counts
        if counts.candidates > MOST:
            continue
        known = [variable.stands_for for variable in compiled.variables() if isinstance(variable.stands_for, Candidate)]
        all_models = list(selections(compiled))
        assert set(all_models) == valid_selections(request, semantics, known), seed
        assert len(all_models) == len(set(all_models)), seed
        assert bool(all_models) == olmsolve.is_satisfiable(request, semantics=semantics), seed
        compared += 1
        with_models += bool(all_models)
        branches += counts.branches > 0
    assert compared > scaled(1000, 36)
    assert scaled(300, 36) < with_models < compared
    assert shape is SMALL or semantics is Semantics.CONTROLLER or branches > scaled(100, 36)


def test_whole_catalogs_have_all_valid_selections() -> None:
    """A program that adds wishes of its own needs the bundles that the request does not reach."""
    larger = 0
    for seed in range(scaled(600, 18)):
        request = random_request(random.Random(f"whole {seed}"), SMALL_COMPOUND)
        try:
            compiled = olmsolve.compile(request, whole=True)
        except CatalogError:
            continue
        near = olmsolve.compile(request)
        # What the request reaches has the same numbers in both.
        assert [compiled.variable(number + 1) for number in range(near.counts.candidates)] == [
            variable for variable in near.variables() if isinstance(variable.stands_for, Candidate)
        ]
        search = reference.prepare(request, Semantics.DOCUMENTED, 0)
        known = [variable.stands_for for variable in compiled.variables() if isinstance(variable.stands_for, Candidate)]
        if search is None or len(known) > MOST:
            continue
        # Only startingCSV selects an entry that another one skips; the reference has no exclusions for the others.
        plain = {
            offered: search.world.find(offered.catalog, offered.package, offered.channel, offered.name)
            for offered in known
        }
        usual = [
            offered
            for offered, candidate in plain.items()
            if candidate is not None and candidate in search.world.selectable
        ]
        expected = valid_selections(request, Semantics.DOCUMENTED, usual)
        assert {selection for selection in selections(compiled) if selection <= set(usual)} == expected, seed
        larger += len(known) > near.counts.candidates
    assert larger > scaled(50, 18)


def _verdicts_differ(vectors: Iterable[Record]) -> list[str]:
    """The names of requests whose clauses have a model although the request has no plan, or none although it has."""
    wrong = []
    for record in vectors:
        request = request_of(record)
        for semantics in Semantics:
            try:
                text = olmsolve.compile(request, semantics=semantics).to_dimacs(comments=False)
                with Solver("minisat22", bootstrap_with=clauses_of(text)) as solver:
                    verdict = solver.solve()
            except CatalogError:
                verdict = False
            if verdict != olmsolve.is_satisfiable(request, semantics=semantics):
                wrong.append(record["name"])
    return wrong


def test_recorded_requests_have_the_same_verdict() -> None:
    """One in 24 of the generated requests in the short run, and all of the upstream scenarios."""
    assert _verdicts_differ(sampled(records(VENDORED / "classic_random.jsonl.gz"), 36)) == []
    assert _verdicts_differ(records(VENDORED / "classic_controller_faults.jsonl.gz")) == []
    assert _verdicts_differ(records(shared() / "conformance" / "upstream" / "classic.jsonl.gz")) == []


def test_real_requests_have_the_same_verdict() -> None:
    """Requests over the community's catalogs; one in ten in the short run, because some have megabytes of clauses."""
    real_records = records(shared() / "conformance" / "classic" / "real.jsonl.gz")
    assert _verdicts_differ(sampled(real_records, 10)) == []


def test_any_model_becomes_a_plan_and_the_preferred_one_the_plan_of_resolve() -> None:
    """What another solver finds is told like our own answers; what nobody wants is left out of the plan."""
    plans = 0
    # In plan 104, a subscription has the newest entry of its channel already.
    for seed in {*range(scaled(400, 18)), 104}:
        request = random_request(random.Random(f"decoded {seed}"), COMPOUND)
        try:
            preferred = olmsolve.resolve(request)
        except (Unsatisfiable, CatalogError):
            continue
        plans += 1
        compiled = olmsolve.compile(request)
        names = preferred.selected
        numbers = [variable.number for variable in compiled.variables() if variable.stands_for in names]
        decoded = compiled.decode(numbers)
        assert decoded.plan == preferred, seed
        assert set(decoded.selected) == set(names), seed
        with Solver("cadical153", bootstrap_with=[clause.literals for clause in compiled.clauses()]) as solver:
            assert solver.solve()
            other = compiled.decode(solver.get_model())
        wanted = set(other.plan.selected)
        assert wanted <= set(other.selected), seed
        model = [variable.number for variable in compiled.variables() if variable.stands_for in wanted]
        assert compiled.decode(model).plan == other.plan, seed
    assert plans > scaled(100, 18)


def test_a_selection_that_is_not_valid_names_the_clause() -> None:
    """Somebody has changed the request, or the solver is wrong: the clause says which rule is broken."""
    compiled = olmsolve.compile(upgrade())
    with pytest.raises(RequestError) as raised:
        compiled.decode([2, 3, 4, 6, 11])
    assert str(raised.value) == (
        "model: breaks clause 1 (1 0): keyring.v1.0.1 is installed, belongs to no subscription and must stay "
        "(a model meets all clauses; the same request, semantics and whole= give the same variables)"
    )
    with pytest.raises(RequestError, match=r"breaks clause 5 \(-2 -3 0\): storefront.v2.0.0 .* cannot stay"):
        compiled.decode([1, 2, 3, 4, 6, 11])


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ([1, 99], "99 is not a literal of variables 1 to 24"),
        ([1, 2, -1], "has both 1 and -1"),
        (["1"], "has an element that is not a literal: 1"),
        ([True], "has an element that is not a literal: True"),
        ("v 1 two 0", "has an element that is not a literal"),
        ("s UNSATISFIABLE", "has an element that is not a literal"),
    ],
)
def test_what_is_no_model_is_refused(model: Iterable[int] | str, message: str) -> None:
    """Models come from other programs, through files."""
    with pytest.raises(RequestError, match=message):
        olmsolve.compile(upgrade()).decode(model)


def test_each_clause_says_which_rule_it_is_from() -> None:
    """Whoever looks at a clause wants the subscription or the bundle behind it."""
    compiled = olmsolve.compile(upgrade())
    reasons = {str(compiled.reason(clause)).split(",")[0].split(":")[0] for clause in compiled.clauses()}
    assert "keyring.v1.0.1 is installed" in reasons
    assert "at most one bundle of package courier" in reasons
    assert "at most one bundle provides the API ledger.example.com/v1/Database" in reasons
    assert [clause.number for clause in compiled.clauses()] == list(range(1, compiled.counts.clauses + 1))
    assert next(compiled.clauses()) == CompiledClause(1, (1,), next(compiled.clauses()).constraint)


def test_branches_say_which_part_of_a_requirement_they_are() -> None:
    """A compound requirement has variables of its own, whose meaning cannot be guessed from the clauses."""
    for seed in range(200):
        compiled = olmsolve.compile(random_request(random.Random(seed), SMALL_COMPOUND))
        branches = [
            variable.stands_for for variable in compiled.variables() if isinstance(variable.stands_for, CompiledBranch)
        ]
        if branches:
            assert str(branches[0]).startswith(f"{branches[0].bundle} meets any of")
            assert str(branches[0]).endswith("by part 1")
            number, branch = next(
                (variable.number, variable.stands_for)
                for variable in compiled.variables()
                if variable.stands_for == branches[0]
            )
            table = compiled.to_dict()["variables"]
            assert isinstance(branch, CompiledBranch)
            assert table[number - 1] == {
                "number": number,
                "kind": "branch",
                "bundle": branch.bundle.to_dict(),
                "requirement": str(branch.requirement),
                "path": [0],
            }
            return
    raise AssertionError("no request with branches")


def test_the_cheapest_models_have_the_first_bundles_of_the_preferred_plan() -> None:
    """The documented promise of WCNF and OPB: what each subscription takes is what the preferred plan takes."""
    compared = 0
    # In plan 129, a subscription has the newest entry of its channel already.
    for seed in {*range(scaled(600, 18)), 129}:
        request = random_request(random.Random(f"weights {seed}"), RequestShape(packages=4, subscriptions=3, odd=0.0))
        try:
            plan = olmsolve.resolve(request)
        except (Unsatisfiable, CatalogError):
            continue
        compiled = olmsolve.compile(request)
        if compiled.counts.candidates > MOST or compiled.preferences[1] == 0:
            continue
        assert compiled.preferences[0] == compiled.preferences[1]
        variables, hard, costs = read_wcnf(compiled.to_wcnf())
        best = cheapest(variables, hard, costs)
        expected = served(request, set(plan.selected))
        assert served(request, compiled.decode(best).selected) == expected, seed
        compared += 1
    assert compared > scaled(100, 18)


def cheapest(variables: int, hard: list[list[int]], costs: Mapping[int, int]) -> list[int]:
    """A model of least cost: each step asks a SAT solver for a cheaper one, until there is none."""
    best: list[int] = []
    bound = sum(costs.values()) + 1
    with Solver("minisat22", bootstrap_with=hard) as solver:
        for variable in range(1, variables + 1):
            solver.add_clause([variable, -variable])
        while solver.solve():
            model: list[int] = solver.get_model()
            cost = sum(costs.get(literal, 0) for literal in model)
            if cost < bound:
                best, bound = model, cost
            solver.add_clause([-literal for literal in model if abs(literal) in costs] or [])
    return best


def test_the_symbol_table_is_data() -> None:
    """Programs in other languages read the meaning of each variable from JSON."""
    compiled = olmsolve.compile(upgrade())
    table = json.loads(json.dumps(compiled.to_dict()))
    assert table["schema"] == "olmsolve.cnf"
    assert table["counts"]["variables"] == len(table["variables"]) == compiled.counts.variables
    assert [variable["number"] for variable in table["variables"]] == list(range(1, compiled.counts.variables + 1))
    assert table["variables"][1] == {
        "number": 2,
        "kind": "candidate",
        "name": "storefront.v2.0.0",
        "package": "storefront",
        "channel": "2.x",
        "catalog": "olm/orchard",
        "version": "2.0.0",
    }
    assert table["variables"][18] == {"number": 19, "kind": "group", "package": "ledgerdb", "api": None}
    assert table["places"][0] == {"number": 23, "kind": "place", "subscription": "shop", "count": 1}


def test_a_request_that_nothing_can_serve_has_an_empty_clause() -> None:
    """Each format has a way to write what cannot hold, though none of its literals is left."""
    request = olmsolve.read_request(
        {"namespaces": ["ns"], "catalogs": [], "subscriptions": [{"name": "etcd", "package": "etcd"}]}
    )
    compiled = olmsolve.compile(request)
    assert list(compiled.to_dimacs(comments=False)) == ["p cnf 0 1\n", "0\n"]
    assert list(compiled.to_wcnf(comments=False)) == ["p wcnf 0 1 1\n", "1 0\n"]
    assert list(compiled.to_opb(comments=False)) == ["* #variable= 1 #constraint= 1\n", "+0 x1 >= 1 ;\n"]
    with pytest.raises(RequestError, match=r"breaks clause 1 \(0\): subscription etcd names package etcd"):
        compiled.decode([])


def test_only_classic_requests_have_clauses() -> None:
    """OLM v1 filters and sorts; clauses for that would only pretend a search."""
    extension = olmsolve.read_extension_request({"extension": {"packageName": "etcd"}, "catalogs": []})
    with pytest.raises(RequestError, match="has no clauses: OLM v1 resolves without a search"):
        olmsolve.compile(extension)  # type: ignore[arg-type]


def test_equal_requests_have_equal_clauses() -> None:
    """A clause is its literals: tests and tools compare them, and print them in a line."""
    one, other = (list(olmsolve.compile(upgrade()).clauses()) for _ in range(2))
    assert one == other
    assert "constraint" not in repr(one[0])


def test_a_compiled_request_says_what_it_was_made_of() -> None:
    """Whoever gets it without the request can ask it; numbers that stand for nothing are refused."""
    request = upgrade()
    compiled = olmsolve.compile(request)
    assert compiled.request is request
    assert not compile_request(request).whole
    counts = compiled.counts
    assert repr(compiled) == f"<CompiledProblem of {counts.variables} variables and {counts.clauses} clauses>"
    first, *_ = compiled.variables()
    assert compiled.variable(1) == first
    for number in (0, -1, compiled.counts.variables + 1):
        with pytest.raises(RequestError, match=f"variables go from 1 to {compiled.counts.variables}, not {number}"):
            compiled.variable(number)
    # A clause stands for its literals: its constraint says where they are from, and would be compared by identity.
    assert CompiledClause(1, (1,), Prohibited(1)) == CompiledClause(1, (1,), Prohibited(2))


def test_whole_catalogs_have_all_bundles_and_operators() -> None:
    """What the request does not reach as well, and without it only what it reaches."""
    catalog = catalog_of(*(package(name).channel("stable", "1.0.0") for name in ("app", "idle", "more")))
    request = attrs.evolve(request_for(catalog, "app"), installed=[Installed("own.v1", "1.0.0")])

    def names(*, whole: bool) -> set[str]:
        variables = olmsolve.compile(request, whole=whole).variables()
        return {variable.stands_for.name for variable in variables if isinstance(variable.stands_for, Candidate)}

    assert names(whole=False) == {"app.v1.0.0", "own.v1"}
    assert names(whole=True) == {"app.v1.0.0", "idle.v1.0.0", "more.v1.0.0", "own.v1"}


def test_files_have_comments_unless_they_are_left_out() -> None:
    """A file should say what it is about; who does not want that says so."""
    compiled = olmsolve.compile(upgrade())
    for write in (compiled.to_dimacs, compiled.to_wcnf, compiled.to_opb):
        assert list(write()) == list(write(comments=True)) != list(write(comments=False))


def test_a_catalog_that_cannot_be_read_has_no_clauses() -> None:
    """Clauses without its bundles would have models that OLM never makes a plan of."""
    gone = UnreadableSource("gone", "olm", 0, "no such image")
    request = attrs.evolve(upgrade(), unreadable=[gone])
    with pytest.raises(Unsatisfiable, match="nothing is resolved while a visible catalog cannot be read"):
        olmsolve.compile(request)
    assert olmsolve.compile(attrs.evolve(request, health_policy="ignore")).counts.clauses


def test_comments_name_the_bundles_of_each_group_once() -> None:
    """The pairs of a group are many clauses: one comment says where they are from, with all that each excludes."""
    compiled = olmsolve.compile(upgrade())
    lines = list(compiled.to_dimacs())
    staying = str(compiled.reason(next(compiled.clauses())))
    assert sum(staying in line for line in lines) == 1
    pairs = 0
    for clause in compiled.clauses():
        reason = compiled.reason(clause)
        if isinstance(reason, OnePerPackage | OnePerAPI):
            meant = [compiled.variable(abs(literal)).stands_for for literal in clause.literals]
            assert list(reason.candidates) == [meaning for meaning in meant if isinstance(meaning, Candidate)]
            pairs += 1
    assert pairs
