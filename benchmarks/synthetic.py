"""The synthetic problem at several sizes, for olmsolve and five tools that a user could pick instead."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import attrs

from benchmarks.measuring import table
from benchmarks.synthetic_problem import generated, write
from olmsolve import Unsatisfiable, resolve
from olmsolve.catalog.index import index_of

__all__ = ["PEERS", "Case", "Figure", "figure_of", "measure", "run"]

PEERS = {
    "libsolv": "libsolv",
    "resolvo": "resolvo",
    "clingo": "clingo",
    "cp_sat": "CP-SAT",
    "resolvelib_pip": "resolvelib",
}
"""The modules of benchmarks.peers, and what they are called in tables."""

_SEEDS = range(1, 21)
_QUICK_SEEDS = range(1, 8)
# What takes longer varies less, and is measured once.
_REPEATED_BELOW = 20.0


@attrs.frozen
class Case:
    """One problem of the generator."""

    size: str
    hard: bool
    unsat: bool

    def __str__(self) -> str:
        return f"{self.size} {'hard' if self.hard else 'easy'}, {'unsat' if self.unsat else 'sat'}"


@attrs.frozen
class Figure:
    """CPU seconds of one tool on one case, the least of its runs; *note* says why there are none.

    *load* and *index* are olmsolve's alone. *above* is the sum of the selected versions' numbers.
    """

    build: float = 0.0
    solve: float = 0.0
    load: float = 0.0
    index: float = 0.0
    selected: int | None = None
    above: int | None = None
    explanation: int | None = None
    note: str = ""

    @property
    def total(self) -> float:
        """From ready data to the answer."""
        return self.build + self.solve


def run(*, quick: bool = False, peers: bool = False) -> None:
    """Solve the problems of sizes S, M and L; *quick*: S and M, once, and soon out of patience.

    *peers* solve them too, those of the dependency group ``peers``.
    """
    sizes, limit, runs = ("SM", 4, 1) if quick else ("SML", 60, 3)
    tools = ("olmsolve", *PEERS) if peers else ("olmsolve",)
    cases = [Case(size, hard, unsat) for size in sizes for hard in (False, True) for unsat in (False, True)]
    measured = {}
    for case, figures in measured_cases(cases, limit=limit, runs=runs, tools=tools):
        measured[case] = figures
        print(f"measured: {case}", file=sys.stderr)
    _print_ours(measured, runs)
    _print_seeds(_QUICK_SEEDS if quick else _SEEDS)
    if peers:
        _print_peers(measured, limit, runs)


def measured_cases(
    cases: Sequence[Case], *, limit: int, runs: int, tools: Sequence[str] = ("olmsolve", *PEERS)
) -> Iterator[tuple[Case, dict[str, Figure]]]:
    """Each case with the best figures of *tools*, run in turn. What was stopped at the *limit* is not run again."""
    for case in cases:
        with tempfile.TemporaryDirectory() as temporary:
            catalog = Path(temporary, "catalog.jsonl")
            write(generated(case.size, hard=case.hard, unsat=case.unsat), catalog)
            # Without a solution, who needs no cause can ask for less.
            asked = (*tools, "verdict") if case.unsat and "olmsolve" in tools else tools
            found: dict[str, list[Figure]] = {tool: [] for tool in asked}
            for number in range(runs):
                for tool, figures in found.items():
                    if number == 0 or (not figures[0].note and figures[0].total < _REPEATED_BELOW):
                        figures.append(measure(tool, case, catalog, limit))
            yield case, {tool: min(figures, key=lambda figure: figure.total) for tool, figures in found.items()}


def measure(tool: str, case: Case, catalog: Path, limit: int) -> Figure:
    """One run of *tool* in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.synthetic_once", tool, case.size]
    command += ["--catalog", str(catalog), "--limit", str(limit)]
    command += ["--hard"] * case.hard + ["--unsat"] * case.unsat
    try:
        run = subprocess.run(command, capture_output=True, check=False, timeout=5 * limit + 120)
    except subprocess.TimeoutExpired:
        return Figure(note=f">{limit}")
    return figure_of(run, limit)


def figure_of(run: subprocess.CompletedProcess[bytes], limit: int) -> Figure:
    """Return what a finished process printed; its exit code counts only where it printed nothing.

    A tool that dies while its process ends has answered before.
    """
    if not run.stdout.endswith(b"}\n"):
        # The second is what the kernel sends to a process that does not heed the first.
        if run.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            return Figure(note=f">{limit}")
        said = run.stderr.decode(errors="replace").strip().splitlines()
        return Figure(note=f"failed: {said[-1] if said else run.returncode}")
    found: dict[str, Any] = json.loads(run.stdout)
    if "missing" in found:
        return Figure(note="missing")
    wrong = found.pop("faults")
    return Figure(**found, note=f"wrong: {wrong[0]}" if wrong else "")


def _print_ours(measured: dict[Case, dict[str, Figure]], runs: int) -> None:
    print(f"olmsolve's CPU seconds, from the ready index to the answer, and before (least of {runs}):")
    rows = []
    for case, figures in measured.items():
        ours = figures["olmsolve"]
        verdict = _cell(figures["verdict"]) if case.unsat else ""
        before = ("", "") if ours.note else (f"{ours.load:.3f}", f"{ours.index:.3f}")
        rows.append((str(case), _cell(ours), verdict, *before, _cause(ours) if case.unsat else _answer(ours)))
    table(("", "answer", "verdict alone", "loading JSON", "index", "packages, mean version; or core"), rows)


def _print_seeds(seeds: Sequence[int]) -> None:
    """Print how the effort varies between problems that differ in nothing but their seed."""
    print(f"\nmilliseconds of CPU to the answer for the seeds {seeds[0]} to {seeds[-1]} of size S:")
    rows = []
    for hard in (False, True):
        for unsat in (False, True):
            times = sorted(_solving(seed, hard=hard, unsat=unsat) * 1e3 for seed in seeds)
            rows.append(
                (str(Case("S", hard, unsat)), *(f"{time:.1f}" for time in (times[0], median(times), times[-1])))
            )
    table(("", "least", "median", "most"), rows)


def _solving(seed: int, *, hard: bool, unsat: bool) -> float:
    problem = generated("S", hard=hard, unsat=unsat, seed=seed)
    catalog = problem.catalog()
    index_of(catalog)
    request = problem.request(catalog)
    started = time.process_time()
    with contextlib.suppress(Unsatisfiable):
        resolve(request)
    return time.process_time() - started


def _print_peers(measured: dict[Case, dict[str, Figure]], limit: int, runs: int) -> None:
    print(f"\nCPU seconds from ready data to the answer, building the tool's own problem included (least of {runs}):")
    rows = []
    for case, figures in measured.items():
        peers = [figures[peer].total for peer in PEERS if peer in figures and not figures[peer].note]
        ours = figures["olmsolve"]
        ratio = f"{min(peers) / ours.total:.2f}x" if peers and not ours.note else ""
        rows.append((str(case), _cell(ours), *(_cell(figures[peer]) for peer in PEERS), ratio))
    table(("", "olmsolve", *PEERS.values(), "best peer / ours"), rows)
    print(f">{limit}: no answer after {limit} s of CPU; missing: not installed (the group `peers`)")
    print("\nthe same until olmsolve knows that there is no solution, without a core:")
    rows = [_verdict(case, figures) for case, figures in measured.items() if case.unsat]
    table(("", "olmsolve", "best peer", "best peer / ours"), rows)
    print("\nhow the peers' seconds divide into building their problem + solving it:")
    rows = [(str(case), *(_parts(figures[peer]) for peer in PEERS)) for case, figures in measured.items()]
    table(("", *PEERS.values()), rows)
    tools = {"olmsolve": "olmsolve", **PEERS}
    print("\npackages in the answer, and the mean number of the version (higher is what the request prefers):")
    rows = [(str(c), *(_answer(f[tool]) for tool in tools)) for c, f in measured.items() if not c.unsat]
    table(("", *tools.values()), rows)
    print("\nwhat each names as the cause where nothing can be (its unit is in benchmarks/README.md):")
    rows = [(str(c), *(_cause(f[tool]) for tool in tools)) for c, f in measured.items() if c.unsat]
    table(("", *tools.values()), rows)


def _verdict(case: Case, figures: dict[str, Figure]) -> tuple[str, ...]:
    ours, peers = figures["verdict"], [figures[peer] for peer in PEERS if not figures[peer].note]
    if ours.note or not peers:
        return str(case), _cell(ours), "", ""
    best = min(peers, key=lambda figure: figure.total)
    return str(case), _cell(ours), _cell(best), f"{best.total / ours.total:.2f}x"


def _cell(figure: Figure) -> str:
    return figure.note or (f"{figure.total:.4f}" if figure.total < 0.1 else f"{figure.total:.3f}")


def _parts(figure: Figure) -> str:
    return figure.note or f"{figure.build:.3f} + {figure.solve:.3f}"


def _answer(figure: Figure) -> str:
    if figure.note or not figure.selected:
        return figure.note
    return f"{figure.selected}, {(figure.above or 0) / figure.selected:.2f}"


def _cause(figure: Figure) -> str:
    return figure.note or ("none" if figure.explanation is None else str(figure.explanation))
