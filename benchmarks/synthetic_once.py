"""One measurement in a process of its own: ``python -m benchmarks.synthetic_once TOOL ...`` prints one JSON object.

The clock is the CPU time of this process, all its threads included. It starts after imports, after the generator and,
for olmsolve, after the index; a tiny problem of each outcome has been solved then, so that nothing is imported or set
up lazily inside the measurement. What exists by then is frozen for the garbage collector, for every tool alike.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import importlib
import json
import resource
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from benchmarks.synthetic_problem import Answer, generated, write
from olmsolve import Request, Unsatisfiable, is_satisfiable, load, resolve
from olmsolve.catalog.index import index_of
from olmsolve.testing.synthetic import DenseProblem

__all__ = ["main"]

_MET = DenseProblem([[[(2, 0, 1)]], [[(2, 0, 0)]], [[], []]], [0, 1])
_UNMET = DenseProblem([[[(2, 1, 1)]], [[(2, 0, 0)]], [[], []]], [0, 1])


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tool", help="olmsolve; verdict, for olmsolve without reasons; or a module of benchmarks.peers")
    parser.add_argument("size")
    parser.add_argument("--catalog", type=Path, help="olmsolve's catalog file, written before")
    parser.add_argument("--hard", action="store_true")
    parser.add_argument("--unsat", action="store_true")
    parser.add_argument("--limit", type=int, default=60, help="seconds of CPU for the measured part")
    options = parser.parse_args(arguments)
    try:
        prepare = _OURS.get(options.tool) or _peer(options.tool)
    except ImportError as error:
        print(json.dumps({"missing": str(error)}))
        return 0
    for tiny in (_MET, _UNMET):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "catalog.jsonl")
            write(tiny, file)
            prepare(tiny, file)[0]()()
    problem = generated(options.size, hard=options.hard, unsat=options.unsat)
    build, ready = prepare(problem, options.catalog)
    gc.collect()
    gc.freeze()
    # Beyond the limit the kernel ends this process, whatever the tool is doing; the caller sees that.
    used = int(_cpu())
    resource.setrlimit(resource.RLIMIT_CPU, (used + options.limit + 1, used + options.limit + 2))
    started = _cpu()
    solve = build()
    built = _cpu()
    answer = solve()
    ended = _cpu()
    found: dict[str, object] = {**ready, "build": built - started, "solve": ended - built}
    found["explanation"] = answer.explanation
    found["selected"] = None if answer.selected is None else len(answer.selected)
    found["faults"] = _judged(problem, answer, options.unsat)
    found["above"] = None if answer.selected is None else sum(answer.selected.values())
    # At once: some tools die when their process ends, and their answer counts all the same.
    print(json.dumps(found), flush=True)
    return 0


def _cpu() -> float:
    """CPU seconds of this process. (``time.process_time`` becomes coarse on Linux once there is a limit on them.)"""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


_Build = Callable[[], Callable[[], Answer]]
_Prepare = Callable[[DenseProblem, Path], tuple[_Build, dict[str, float]]]


def _judged(problem: DenseProblem, answer: Answer, unsat: bool) -> list[str]:
    if answer.selected is None:
        return [] if unsat else ["a solution exists"]
    return ["there is no solution"] if unsat else problem.faults(answer.selected)[:3]


def _peer(name: str) -> _Prepare:
    module = importlib.import_module(f"benchmarks.peers.{name}")
    return lambda problem, _: (lambda: module.prepare(problem), {})


def _ours(answer: Callable[[Request], Answer], problem: DenseProblem, file: Path) -> tuple[_Build, dict[str, float]]:
    started = _cpu()
    catalog = load(file)
    loaded = _cpu()
    index_of(catalog)
    ready = {"load": loaded - started, "index": _cpu() - loaded}

    def build() -> Callable[[], Answer]:
        request = problem.request(catalog)
        return lambda: answer(request)

    return build, ready


def _resolved(request: Request) -> Answer:
    try:
        plan = resolve(request)
    except Unsatisfiable as failure:
        return Answer(None, len(failure.core))
    selected = {}
    for install in plan.installs:
        package, version = install.package, install.version
        selected[int(package[3:])] = int(version.split(".")[1])
    return Answer(selected)


def _judged_only(request: Request) -> Answer:
    """A solution counts as nothing selected, since this does not say which."""
    return Answer({} if is_satisfiable(request) else None)


_OURS: dict[str, _Prepare] = {"olmsolve": partial(_ours, _resolved), "verdict": partial(_ours, _judged_only)}


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError):
        sys.exit(main(sys.argv[1:]))
