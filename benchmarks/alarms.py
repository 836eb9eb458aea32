"""How far ``olmsolve bench`` is to be believed: false alarms of equal code, and slowdowns that are planted."""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from pathlib import Path

import olmsolve
from benchmarks.measuring import table
from olmsolve.testing import timing

_CATALOG = str(Path(olmsolve.__file__).parent / "examples" / "catalogs" / "commons")
_EQUAL = 50
_PLANTED = 10
_QUICK = 2
_SLOWER = 0.2

_PROGRAM = """\
import sys
from time import process_time
from olmsolve.testing.timing import measuring

def slower(work):
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
    """Compare equal code 50 times with itself, and ten times with code that takes 20 % longer; *quick*: twice each."""
    equal, planted = (_QUICK, _QUICK) if quick else (_EQUAL, _PLANTED)
    slower: Counter[str] = Counter()
    alarms = 0
    ratios: list[float] = []
    before = timing.bench([_CATALOG], passes=1)
    busy = list(before.busy)
    for _ in range(equal):
        report = timing.bench([_CATALOG], passes=1)
        found = [change for change in timing.changes(report, before) if change.is_slower]
        slower.update(change.phase for change in found)
        ratios += [change.ratio for change in found]
        alarms += bool(found)
        busy += report.busy
        before = report
    seen: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as temporary:
        program = Path(temporary) / "program.py"
        program.write_text(_PROGRAM.format(share=_SLOWER), "utf-8")
        python = Path(temporary) / "python"
        # Whatever module is to run, this program runs in its place.
        python.write_text(f"#!/bin/sh\nexec {sys.executable} {program}\n", "utf-8")
        python.chmod(0o755)
        for _ in range(planted):
            report = timing.bench([_CATALOG], passes=1, beside=python)
            seen.update(change.phase for change in report.changes if change.verdict == "faster")
    phases = [phase.phase for phase in before.phases]
    rows = [(phase, f"{slower[phase]} of {equal}", f"{seen[phase]} of {planted}") for phase in phases]
    rows.append(("any", f"{alarms} of {equal}", f"{max(seen.values(), default=0)} of {planted}"))
    table(("phase", "equal code called slower", f"code that takes {_SLOWER:.0%} longer found"), rows)
    if ratios:
        print(f"\nEqual code was said to take {', '.join(f'{ratio:.2f}' for ratio in sorted(ratios))} times as long.")
    print(f"\nWhile this was measured, a second of CPU time took {sum(busy) / len(busy):.1f} seconds")


if __name__ == "__main__":
    run(quick="--quick" in sys.argv)
