"""The deciding engine beside SAT solvers: plans, minimal cores and verdicts alone, which must be equal on all of them.

The problems are the dense ones, and the recorded requests, each group of these in one row, as a hundred small dense
ones are. One SAT solver comes from another package and is given as an object; it keeps nothing from question to
question, so the large problems are left out for it. At 100,000 bundles only the quickest solver by name is measured,
and each problem once.
"""

from __future__ import annotations

import gc
import gzip
import importlib.util
import json
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import attrs

from benchmarks.measuring import shared, table
from benchmarks.synthetic_problem import generated
from olmsolve import Catalog, Request, Unsatisfiable, is_satisfiable, load, read_request, resolve
from olmsolve.catalog.index import index_of
from olmsolve.solver.backends import Backend, from_function
from olmsolve.testing.synthetic import DenseShape, dense_problem

__all__ = ["run"]

_Ask: TypeAlias = Callable[[Request, "str | Backend"], object]

_DEFAULT: Final = "deciding"
_NAMED: Final = ("minisat22", "glucose4", "cadical195")
_QUICKEST: Final = "minisat22"
_FOREIGN: Final = "picosat"
# How often each question is asked; the least counts. What takes longer than the patience, in seconds, is asked once.
_RUNS: Final = {"S": 3, "M": 2, "L": 1}
_PATIENCE: Final = 4.0
_FIELDS: Final = ("namespaces", "catalogs", "subscriptions", "installed")
_RECORDED: Final = Path(__file__).parents[1] / "tests/conformance/classic_random.jsonl.gz"


def run(*, quick: bool = False) -> None:
    """Measure the recorded requests and the sizes S, M and L; *quick*: some of the requests, S, and M easy.

    Raises:
        AssertionError: two engines give different plans or cores.
    """
    foreign = [] if importlib.util.find_spec("pycosat") is None else [from_function(_picosat, _FOREIGN)]
    every: list[str | Backend] = [_DEFAULT, *_NAMED, *foreign]
    named: list[str | Backend] = [_DEFAULT, *_NAMED]
    by_size: dict[str, list[str | Backend]] = {"S": every, "M": named, "L": [_DEFAULT, _QUICKEST]}
    rows = [_row_together(name, requests, every) for name, requests in _recorded(10 if quick else 1)]
    several = list(_without_solution(10 if quick else 100))
    rows.append(_row_together(f"{len(several)} dense problems of 20 to 100 packages, core", several, named))
    for size in "SM" if quick else "SML":
        for hard in (False,) if quick and size == "M" else (False, True):
            for unsat in (False, True):
                rows += _rows(size, by_size[size], hard=hard, unsat=unsat)
                print(f"measured: {', '.join(rows[-1])}", file=sys.stderr)
    print("CPU seconds from the ready index to the plan or the minimal core, or to the verdict, and their ratio:")
    table(("", *map(_name, every)), [(*row, *[""] * (1 + len(every) - len(row))) for row in rows])


def _picosat(clauses: Sequence[Sequence[int]]) -> Sequence[int] | None:
    import pycosat

    model: Any = pycosat.solve(clauses)
    return None if model == "UNSAT" else model


def _name(engine: str | Backend) -> str:
    return engine if isinstance(engine, str) else engine.name


def _recorded(step: int) -> Iterator[tuple[str, list[Request]]]:
    """Yield the recorded requests with a name for each group of them, of the random ones each *step*-th."""
    lines = gzip.decompress(_RECORDED.read_bytes()).decode().splitlines()[::step]
    yield f"{len(lines):,} random requests", [_request(line, load) for line in lines]
    folder = shared()
    if folder is None:
        return
    catalogs: dict[str, Catalog] = {}

    def loaded(file: Path) -> Catalog:
        if file.name not in catalogs:
            catalogs[file.name] = load(folder / "catalogs" / file.name)
        return catalogs[file.name]

    lines = gzip.decompress((folder / "conformance/classic/real.jsonl.gz").read_bytes()).decode().splitlines()
    yield f"{len(lines):,} requests on real catalogs", [_request(line, loaded) for line in lines]


def _request(line: str, loading: Callable[[Path], Catalog]) -> Request:
    record = json.loads(line)
    return read_request({field: record[field] for field in _FIELDS if field in record}, load=loading)


def _without_solution(count: int) -> Iterator[Request]:
    """Yield requests over random dense problems without a solution: for a few of them, the core alone is hard."""
    chosen = random.Random(1)
    for _ in range(count):
        packages, versions = chosen.choice((20, 30, 40, 60, 100)), chosen.choice((5, 10, 20, 30))
        shape = DenseShape(packages, versions, requirements=chosen.choice((1, 2, 3)), roots=chosen.choice((2, 4, 8)))
        hardness: Literal["easy", "hard"] = "hard" if chosen.random() < 0.5 else "easy"
        yield dense_problem(shape, hardness, satisfiable=False, seed=chosen.randrange(10**6)).request()


def _row_together(name: str, requests: Sequence[Request], engines: Sequence[str | Backend]) -> tuple[str, ...]:
    """Return the row of all *requests* together."""
    for request in requests:
        # What the first engine works out would otherwise be ready for the second.
        for source in request.sources:
            index_of(source.catalog)
        _answer(request, _DEFAULT)
    seconds: list[float] = []
    answers: list[list[object]] = []
    for engine in engines:
        # What was read for all rows would else be collected in one engine's time: 0.8 s in a row of 0.1.
        gc.collect()
        started = time.process_time()
        answers.append([_answer(request, engine) for request in requests])
        seconds.append(time.process_time() - started)
    assert all(each == answers[0] for each in answers), f"{name}: the engines differ"
    return name, *_cells(seconds)


def _rows(size: str, engines: Sequence[str | Backend], *, hard: bool, unsat: bool) -> list[tuple[str, ...]]:
    """Return the rows of one dense problem: with a core and without if it has no solution."""
    problem = generated(size, hard=hard, unsat=unsat)
    catalog = problem.catalog()
    name = f"{size} {'hard' if hard else 'easy'}"

    def row(title: str, ask: _Ask) -> tuple[str, ...]:
        measured = _measured(lambda: problem.request(attrs.evolve(catalog)), engines, ask, _RUNS[size])
        assert len({answer for _, answer in measured}) == 1, f"{title}: the engines differ"
        return title, *_cells([seconds for seconds, _ in measured])

    if not unsat:
        return [row(name, _answer)]
    return [row(f"{name}, core", _answer), row(f"{name}, no solution", _verdict)]


def _measured(
    new: Callable[[], Request], engines: Sequence[str | Backend], ask: _Ask, runs: int
) -> list[tuple[float, object]]:
    """Return the least CPU seconds of *runs* in turn for each of *engines*, each over a new index, and the answers."""
    found = [(float("inf"), object()) for _ in engines]
    for number in range(runs):
        for position, engine in enumerate(engines):
            if number and found[position][0] > _PATIENCE:
                continue
            request = new()
            index_of(request.sources[0].catalog)
            gc.collect()
            started = time.process_time()
            answer = ask(request, engine)
            found[position] = min(found[position][0], time.process_time() - started), answer
    return found


def _answer(request: Request, engine: str | Backend) -> object:
    try:
        return tuple(map(str, resolve(request, backend=engine).installs))
    except Unsatisfiable as failure:
        return tuple(map(str, failure.core))


def _verdict(request: Request, engine: str | Backend) -> object:
    return is_satisfiable(request, backend=engine)


def _cells(seconds: Sequence[float]) -> list[str]:
    return [_digits(seconds[0]), *(f"{_digits(each)} ({each / seconds[0]:.1f}x)" for each in seconds[1:])]


def _digits(seconds: float) -> str:
    return f"{seconds:.4f}" if seconds < 0.1 else f"{seconds:.2f}"
