"""``python -m benchmarks``: run all benchmarks, or those named; ``--help`` says what else there is."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial

from benchmarks import (
    alarms,
    beside_opm,
    engines,
    explanations,
    extensions,
    fleets,
    growth,
    hostile,
    imports,
    installing,
    journeys,
    limits,
    loading,
    million,
    real_requests,
    rules,
    synthetic,
    threads,
    updates,
    versions,
)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser("python -m benchmarks", description="Run all benchmarks, or those named.")
    parser.add_argument("--quick", action="store_true", help="measure less of each, which ends within three minutes")
    parser.add_argument("--peers", action="store_true", help="add other solvers to synthetic")
    parser.add_argument(
        "--hostile", action="store_true", help="let growth double what costs each entry point most, not catalogs"
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="benchmarks/README.md says what each measures")
    options = parser.parse_args(arguments)
    every = _benchmarks(quick=options.quick, peers=options.peers, is_hostile=options.hostile)
    unknown = [name for name in options.names if name not in every]
    if unknown:
        print(f"unknown: {', '.join(unknown)}; there are {', '.join(every)}", file=sys.stderr)
        return 2
    for name in options.names or every:
        print(f"== {name}")
        every[name]()
        print(flush=True)
    return 0


def _benchmarks(*, quick: bool, peers: bool, is_hostile: bool) -> dict[str, Callable[[], None]]:
    return {
        "alarms": partial(alarms.run, quick=quick),
        "engines": partial(engines.run, quick=quick),
        "explain": partial(explanations.run, quick=quick),
        "extensions": partial(extensions.run, quick=quick),
        "fleets": partial(fleets.run, quick=quick),
        "growth": partial(hostile.run if is_hostile else growth.run, quick=quick),
        "imports": partial(imports.run, quick=quick),
        "installing": partial(installing.run, quick=quick),
        "journeys": partial(journeys.run, quick=quick),
        "limits": partial(limits.run, quick=quick),
        "loading": partial(loading.run, quick=quick),
        "million": partial(million.run, quick=quick),
        "opm": partial(beside_opm.run, quick=quick),
        "real": partial(real_requests.run, quick=quick),
        "rules": partial(rules.run, quick=quick),
        "synthetic": partial(synthetic.run, quick=quick, peers=peers),
        "threads": partial(threads.run, quick=quick),
        "updates": partial(updates.run, quick=quick),
        "versions": partial(versions.run, quick=quick),
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
