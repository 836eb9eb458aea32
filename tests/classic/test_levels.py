"""Exact exports: level by level, optimisers of other houses find the preferred plan of every recorded request."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterable, Iterator

import pytest
from pysat.examples.rc2 import RC2
from pysat.formula import WCNF

import olmsolve
from olmsolve import CatalogError, Request, RequestError, TotalAtMost, Unsatisfiable
from olmsolve.classic import CompiledLevel
from olmsolve.cluster import ClusterState
from olmsolve.cluster.objects import read_manifests
from olmsolve.errors import NamespaceError
from olmsolve.testing import (
    COMPOUND,
    catalog_of,
    classic_request,
    package,
    random_document,
    random_house_rules,
    request_for,
)
from tests.conformance.cluster_runs import VENDORED_RUNS, Run
from tests.recorded import VENDORED, records, request_of, shared, with_properties
from tests.scale import LONG

Optimiser = Callable[[CompiledLevel], "Iterable[int] | None"]


def rc2(level: CompiledLevel) -> Iterable[int] | None:
    """A MaxSAT solver of python-sat, through the text of the level."""
    with RC2(WCNF(from_string="".join(level.to_wcnf()))) as solver:
        model: list[int] | None = solver.compute()
    return model


def clasp(level: CompiledLevel) -> Iterable[int] | None:
    """The optimiser inside of clingo, clause by clause."""
    clingo = pytest.importorskip("clingo", reason="clingo is not installed")
    control = clingo.Control(["--warn=none"])
    with control.backend() as backend:
        atoms = [0, *(backend.add_atom() for _ in range(level.variables))]
        backend.add_rule(atoms[1:], choice=True)
        for clause in level.clauses():
            backend.add_rule([], [-atoms[literal] if literal > 0 else atoms[-literal] for literal in clause])
        backend.add_minimize(0, [(atoms[place], 1) for place in level.places])
    best: list[int] | None = None
    with control.solve(yield_=True) as models:
        for model in models:
            best = [variable for variable in range(1, level.variables + 1) if model.is_true(atoms[variable])]
    return best


def cp_sat(level: CompiledLevel) -> Iterable[int] | None:
    """CP-SAT of OR-Tools, with one Boolean for each variable."""
    cp_model = pytest.importorskip("ortools.sat.python.cp_model", reason="ortools is not installed")
    model = cp_model.CpModel()
    variables = [model.new_bool_var(f"x{number}") for number in range(level.variables + 1)]
    for clause in level.clauses():
        model.add_bool_or([variables[literal] if literal > 0 else ~variables[-literal] for literal in clause])
    model.minimize(sum(variables[place] for place in level.places))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    if solver.solve(model) != cp_model.OPTIMAL:
        return None
    return [number for number in range(1, level.variables + 1) if solver.boolean_value(variables[number])]


def upstream() -> Iterator[Request]:
    """Recorded requests of the controller's own tests, and about real catalogs, with bundles of them installed, too."""
    for path in ("conformance/upstream/classic.jsonl.gz", "conformance/classic/real.jsonl.gz"):
        upstream_records = records(shared() / path)
        yield from map(request_of, upstream_records if LONG else upstream_records[::10])
    installed = records(shared() / "conformance/classic/steady.jsonl.gz")
    yield from (request_of(with_properties(record)) for record in (installed if LONG else installed[::400]))


def recorded() -> Iterator[Request]:
    """Recorded requests: random and wild ones, of clusters at rest and of clusters that are stuck."""
    for name in ("random", "wild", "controller_faults"):
        all_records = records(VENDORED / f"classic_{name}.jsonl.gz")
        for record in all_records if LONG else all_records[:: max(1, len(all_records) // 30)]:
            # Some wild ones are refused before anything is resolved.
            with contextlib.suppress(RequestError):
                yield request_of(record)
    for name in VENDORED_RUNS:
        yield from _requests_of_runs(records(VENDORED / f"{name}.jsonl.gz"))


def drawn() -> Iterator[Request]:
    """Random requests with house rules."""
    for seed in range(400 if LONG else 12):
        chance = random.Random(f"levels {seed}")
        document = random_document(chance, COMPOUND)
        document["houseRules"] = random_house_rules(chance, document, COMPOUND)
        yield classic_request(document)


def _requests_of_runs(runs: list[Run]) -> Iterator[Request]:
    """What each namespace of a recorded cluster asked, where its catalogs could be read."""
    for run in runs if LONG else runs[:: max(1, len(runs) // 15)]:
        state = ClusterState.of(read_manifests((manifest, None) for manifest in run["before"]))
        contents = {key: olmsolve.from_blobs(blobs) for key, blobs in run["contents"].items() if blobs is not None}
        if len(contents) < len(run["contents"]):
            continue
        policy = olmsolve.Policy(kubernetes=run["simulate"].get("kubernetes"))
        for question in olmsolve.Situation.of_cluster(state, contents, policy).questions:
            # A namespace that is being deleted, or whose catalogs are missing, asks nothing.
            with contextlib.suppress(NamespaceError, RequestError):
                request = question.request()
                if isinstance(request, Request):
                    yield request


@pytest.mark.parametrize("requests", [upstream, recorded, drawn], ids=lambda source: source.__name__)
@pytest.mark.parametrize("optimise", [rc2, clasp, cp_sat], ids=lambda optimiser: optimiser.__name__)
def test_optimisers_find_the_preferred_plan(optimise: Optimiser, requests: Callable[[], Iterator[Request]]) -> None:
    """The plan is equal in all its parts: bundles, whose they are, what is replaced; all requests in the long run."""
    plans = none = 0
    for request in requests():
        try:
            expected: olmsolve.Resolution | None = olmsolve.resolve(request)
        except Unsatisfiable:
            expected = None
        except CatalogError:
            continue
        assert olmsolve.compile(request).preferred(optimise) == expected, request.name
        plans += expected is not None
        none += expected is None
    assert min(plans, none) > 1, (plans, none)


def test_rules_about_numbers_are_part_of_the_levels() -> None:
    """A limit on a sum makes a choice take its second candidate, here as in ``resolve``."""
    catalog = catalog_of(
        package("a").channel("stable", "1.0.0 < 2.0.0").having("size", 5, at="2.0.0").having("size", 1, at="1.0.0"),
        package("b").channel("stable", "1.0.0").having("size", 4),
    )
    request = olmsolve.evolve(
        request_for(catalog, "a", "b"), house_rules=[TotalAtMost(limit=8, of="size", name="room")]
    )
    levels: list[CompiledLevel] = []

    def watched(level: CompiledLevel) -> Iterable[int] | None:
        levels.append(level)
        return rc2(level)

    plan = olmsolve.compile(request).preferred(watched)
    assert plan is not None
    assert plan == olmsolve.resolve(request)
    assert [install.name for install in plan.installs] == ["a.v1.0.0", "b.v1.0.0"]
    # The first model need not be good; a level is asked only where it lacks the first candidate.
    assert levels[0].places == ()
    text = "".join(levels[-1].to_opb())
    assert text.startswith(f"* #variable= {levels[-1].variables} #constraint= ")
    assert "min: +1 x" in text or not levels[-1].places


def test_an_optimiser_that_contradicts_itself_is_refused() -> None:
    """No model after one, or a model without any candidate of a choice: neither becomes a plan."""
    compiled = olmsolve.compile(request_for(catalog_of(package("a").channel("stable", "1.0.0")), "a"))
    assert compiled.preferred(lambda level: None) is None
    answers: list[Iterable[int] | None] = [(), None]
    with pytest.raises(RequestError, match="there was a model, and then no model with its selections"):
        compiled.preferred(lambda level: answers.pop(0))
    with pytest.raises(RequestError, match="a model selects no candidate of a choice"):
        compiled.preferred(lambda level: ())
