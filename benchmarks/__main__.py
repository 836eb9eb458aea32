"""``python -m benchmarks [--quick] [--peers] [--hostile] [NAME ...]``: run all benchmarks, or those named.

``--quick`` measures less of each, which ends within three minutes; ``--peers`` adds other solvers to ``synthetic``;
``--hostile`` makes ``growth`` double what costs each entry point most, instead of the size of ordinary catalogs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial

from benchmarks import (
    engines,
    explanations,
    extensions,
    fleets,
    growth,
    hostile,
    imports,
    limits,
    loading,
    real_requests,
    rules,
    synthetic,
    versions,
)

_OPTIONS = {"--quick", "--peers", "--hostile"}


def main(arguments: list[str]) -> int:
    options = _OPTIONS.intersection(arguments)
    names = [argument for argument in arguments if argument not in _OPTIONS]
    every = _benchmarks(quick="--quick" in options, peers="--peers" in options, is_hostile="--hostile" in options)
    unknown = [name for name in names if name not in every]
    if unknown:
        print(f"unknown: {', '.join(unknown)}; there are {', '.join(every)}", file=sys.stderr)
        return 2
    for name in names or every:
        print(f"== {name}")
        every[name]()
        print(flush=True)
    return 0


def _benchmarks(*, quick: bool, peers: bool, is_hostile: bool) -> dict[str, Callable[[], None]]:
    return {
        "engines": partial(engines.run, quick=quick),
        "explain": partial(explanations.run, quick=quick),
        "extensions": partial(extensions.run, quick=quick),
        "fleets": partial(fleets.run, quick=quick),
        "growth": partial(hostile.run if is_hostile else growth.run, quick=quick),
        "imports": partial(imports.run, quick=quick),
        "limits": partial(limits.run, quick=quick),
        "loading": partial(loading.run, quick=quick),
        "real": partial(real_requests.run, quick=quick),
        "rules": partial(rules.run, quick=quick),
        "synthetic": partial(synthetic.run, quick=quick, peers=peers),
        "versions": partial(versions.run, quick=quick),
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
