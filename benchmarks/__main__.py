"""``python -m benchmarks [--quick] [NAME ...]``: run all benchmarks, or those named, or the quick ones."""

from __future__ import annotations

import sys
from collections.abc import Callable

from benchmarks import explanations, extensions, growth, imports, loading, real_requests, rules, synthetic, versions

_ALL: dict[str, Callable[[], None]] = {
    "explain": explanations.run,
    "extensions": extensions.run,
    "growth": growth.run,
    "imports": imports.run,
    "loading": loading.run,
    "real": real_requests.run,
    "rules": rules.run,
    "synthetic": synthetic.run,
    "versions": versions.run,
}


# Together under two minutes.
_QUICK: dict[str, Callable[[], None]] = {
    "growth": growth.run_quick,
    "imports": imports.run,
    "synthetic": synthetic.run_quick,
}


def main(arguments: list[str]) -> int:
    names = [argument for argument in arguments if argument != "--quick"]
    every = _QUICK if "--quick" in arguments else _ALL
    unknown = [name for name in names if name not in every]
    if unknown:
        print(f"unknown: {', '.join(unknown)}; there are {', '.join(every)}", file=sys.stderr)
        return 2
    for name in names or every:
        print(f"== {name}")
        every[name]()
        print()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
