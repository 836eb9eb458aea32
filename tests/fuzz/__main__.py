"""``python -m tests.fuzz [--seconds N] [--seed N] [TARGET ...]``: parsers and commands on mutated texts, taking turns.

``commands`` stands for every command. With ``--every``, each value of a command's file is replaced by each kind of
value instead, which ends by itself.
"""

from __future__ import annotations

import argparse
import faulthandler
import sys
import time

from tests.fuzz.commands import COMMAND_TARGETS
from tests.fuzz.fuzzing import Fuzzed, Run
from tests.fuzz.targets import TARGETS as PARSERS

TARGETS: dict[str, Fuzzed] = {**PARSERS, **COMMAND_TARGETS}

_BATCH = {True: 20, False: 2000}  # of a command and of a parser: about a second
# A batch takes a second or so; one that takes minutes hangs, and the traceback says where.
_HANGING = 300


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"of {', '.join(TARGETS)} (default: all)")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long, in all (default: 60)")
    parser.add_argument("--seed", type=int, default=0, help="which inputs (default: 0)")
    parser.add_argument("--every", action="store_true", help="each place of the commands' files, one at a time")
    options = parser.parse_args()
    name_groups = [COMMAND_TARGETS if name == "commands" else (name,) for name in options.targets]
    targets = list(dict.fromkeys(name for names in name_groups for name in names))
    for name in targets:
        if name not in TARGETS:
            parser.error(f"no target {name!r}: there are {', '.join(TARGETS)}")
    if options.every:
        return _every([name for name in targets or COMMAND_TARGETS if name in COMMAND_TARGETS])
    runs = [Run(TARGETS[name], options.seed) for name in targets or TARGETS]
    spent = dict.fromkeys(runs, 0.0)
    started = time.monotonic()
    while time.monotonic() - started < options.seconds:
        # The target that had the least time is next, so that all get the same.
        run = min(runs, key=lambda candidate: spent[candidate])
        faulthandler.dump_traceback_later(_HANGING, exit=True)
        before, known = time.monotonic(), len(run.findings)
        run.batch(_BATCH[run.target.name in COMMAND_TARGETS])
        spent[run] += time.monotonic() - before
        faulthandler.cancel_dump_traceback_later()
        for finding in list(run.findings.values())[known:]:
            print(finding, flush=True)
    for run in runs:
        print(
            f"{run.target.name:20} {run.inputs:>12,} inputs  {run.outcomes:>6,} outcomes  {len(run.findings)} findings"
            f"  slowest {run.slowest:.3f} s ({run.slowest_size:,} characters)"
        )
    print(f"{'in all':20} {sum(run.inputs for run in runs):>12,} inputs  in {time.monotonic() - started:,.0f} s")
    return 1 if any(run.findings for run in runs) else 0


def _every(names: list[str]) -> int:
    """Try every replacement in the file of each command of *names*; return 1 where one broke a promise, else 0."""
    finding_count = 0
    for name in names:
        run = Run(COMMAND_TARGETS[name], seed=0)
        run.all_of(COMMAND_TARGETS[name].every())
        print(
            f"{name:26} {run.inputs:>8,} inputs  {run.outcomes:>5,} outcomes  {len(run.findings)} findings", flush=True
        )
        for finding in run.findings.values():
            print(finding, flush=True)
        finding_count += len(run.findings)
    return 1 if finding_count else 0


if __name__ == "__main__":
    sys.exit(main())
