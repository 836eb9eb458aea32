"""``python -m tests.fuzz [--seconds N] [--seed N] [TARGET ...]``: the parsers on mutated texts, taking turns."""

from __future__ import annotations

import argparse
import faulthandler
import sys
import time

from tests.fuzz.fuzzing import Run
from tests.fuzz.targets import TARGETS

_BATCH = 2000
# A batch takes a second or so; one that takes minutes hangs, and the traceback says where.
_HANGING = 300


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"of {', '.join(TARGETS)} (default: all)")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long, in all (default: 60)")
    parser.add_argument("--seed", type=int, default=0, help="which inputs (default: 0)")
    options = parser.parse_args()
    for name in options.targets:
        if name not in TARGETS:
            parser.error(f"no target {name!r}: there are {', '.join(TARGETS)}")
    runs = [Run(TARGETS[name], options.seed) for name in options.targets or TARGETS]
    spent = dict.fromkeys(runs, 0.0)
    started = time.monotonic()
    while time.monotonic() - started < options.seconds:
        # The target that had the least time is next, so that all get the same.
        run = min(runs, key=lambda each: spent[each])
        faulthandler.dump_traceback_later(_HANGING, exit=True)
        before, known = time.monotonic(), len(run.findings)
        run.batch(_BATCH)
        spent[run] += time.monotonic() - before
        faulthandler.cancel_dump_traceback_later()
        for finding in list(run.findings.values())[known:]:
            print(finding, flush=True)
    for run in runs:
        print(
            f"{run.target.name:12} {run.inputs:>12,} inputs  {run.outcomes:>6,} outcomes  {len(run.findings)} findings"
            f"  slowest {run.slowest:.3f} s ({run.slowest_size:,} characters)"
        )
    print(f"{'in all':12} {sum(run.inputs for run in runs):>12,} inputs  in {time.monotonic() - started:,.0f} s")
    return 1 if any(run.findings for run in runs) else 0


if __name__ == "__main__":
    sys.exit(main())
