"""How far ``olmsolve bench`` is to be believed: false alarms of equal code, and slowdowns that are planted."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import olmsolve
from benchmarks.measuring import table
from olmsolve.testing import timing
from olmsolve.testing.timing.report import PhaseTimes

_CATALOG = str(Path(olmsolve.__file__).parent / "examples" / "catalogs" / "commons")
_OF_EACH = 28
_QUICK = 7
_SEEDS = 7
_COMPARISONS = 1000
_SLOWER = 0.2

_Process: TypeAlias = dict[str, Any]
"""The figures of one process, as ``olmsolve.testing.timing.measuring`` writes them."""

_PROGRAM = """\
import sys
from time import process_time
from olmsolve.testing.timing import measuring

def slower(work):
    if not {share}:
        return work

    def run(*arguments, **options):
        begin = process_time()
        done = work(*arguments, **options)
        end = process_time() + (process_time() - begin) * {share}
        while process_time() < end:
            pass
        return done
    return run

seconds = measuring._seconds
measuring._seconds = lambda call: seconds(slower(call))
measuring.load = slower(measuring.load)
sys.stdout.write(measuring.main(sys.stdin.read()))
"""
"""A process of a benchmark that takes longer for everything that is timed."""


def run(*, quick: bool = False) -> None:
    """Measure 28 processes of equal code and 28 that take 20 % longer, in turn, and compare seven with seven.

    To measure a thousand comparisons anew would take hours, so they are drawn: seven processes, one of each hash seed,
    with seven others. *quick*: seven processes of each.
    """
    of_each = _QUICK if quick else _OF_EACH
    usual: list[_Process] = []
    slowed: list[_Process] = []
    for number in range(of_each):
        for share, processes in ((0.0, usual), (_SLOWER, slowed)):
            processes.append(_process(share, number % _SEEDS + 1))
    draw = random.Random(1)
    alarms: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    for _ in range(_COMPARISONS):
        pairs = [draw.sample(range(seed, of_each, _SEEDS), 2 if of_each > _SEEDS else 1) for seed in range(_SEEDS)]
        before = _report([usual[pair[0]] for pair in pairs])
        again = _report([usual[pair[-1]] for pair in pairs])
        later = _report([slowed[pair[-1]] for pair in pairs])
        found = [change.phase for change in timing.changes(again, before) if change.is_slower]
        alarms.update([*found, *(["any"] if found else [])])
        seen.update(change.phase for change in timing.changes(later, before) if change.is_slower)
    names = [phase for phase, _, count, _ in usual[0]["phases"] if count]
    rows = [(name, f"{alarms[name]:,} of {_COMPARISONS:,}", f"{seen[name]:,} of {_COMPARISONS:,}") for name in names]
    rows.append(("any", f"{alarms['any']:,} of {_COMPARISONS:,}", ""))
    table(("phase", "equal code called slower", f"code that takes {_SLOWER:.0%} longer found"), rows)
    busy = [process["busy"] for process in (*usual, *slowed)]
    print(f"\nWhile this was measured, a second of CPU time took {sum(busy) / len(busy):.1f} seconds")


def _process(share: float, seed: int) -> _Process:
    """Return the figures of one new process, which takes *share* longer for everything that is timed."""
    work = {
        "catalogs": {"commons": (_CATALOG, 0)},
        "documents": [],
        "every": "package",
        "backends": ["deciding"],
        "semantics": "documented",
        "passes": 1,
        "timeout": None,
    }
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM.format(share=share)],
        input=json.dumps(work),
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONHASHSEED": str(seed)},
    )
    figures: _Process = json.loads(done.stdout)
    return figures


def _report(processes: Sequence[_Process]) -> timing.BenchReport:
    """Return the report of a benchmark that these *processes* measured."""
    phases = tuple(
        PhaseTimes(name, backend, count, tuple(process["phases"][place][3] for process in processes))
        for place, (name, backend, count, _) in enumerate(processes[0]["phases"])
    )
    return timing.BenchReport(
        version=processes[0]["version"],
        python="",
        semantics="documented",
        catalogs=(),
        yardstick=tuple(process["yardstick"] for process in processes),
        phases=phases,
        counts=(),
        requests=(),
        busy=tuple(process["busy"] for process in processes),
    )


if __name__ == "__main__":
    run(quick="--quick" in sys.argv)
