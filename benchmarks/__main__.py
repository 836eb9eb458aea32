"""``python -m benchmarks [NAME ...]``: run all benchmarks, or those named."""

from __future__ import annotations

import sys
from collections.abc import Callable

from benchmarks import extensions, imports, real_requests, rules, versions

_ALL: dict[str, Callable[[], None]] = {
    "extensions": extensions.run,
    "imports": imports.run,
    "real": real_requests.run,
    "rules": rules.run,
    "versions": versions.run,
}


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in _ALL]
    if unknown:
        print(f"unknown: {', '.join(unknown)}; there are {', '.join(_ALL)}", file=sys.stderr)
        return 2
    for name in names or _ALL:
        print(f"== {name}")
        _ALL[name]()
        print()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
