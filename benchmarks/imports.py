"""What ``import olmsolve`` costs as a whole process, beside the dependencies that a resolver could load at once."""

from __future__ import annotations

from statistics import median

from benchmarks.measuring import process_seconds, table

_DEPENDENCIES = "import attrs, semantic_version, pysat.solvers"
_RUNS = 15


def run() -> None:
    codes = {
        "the bare interpreter": "pass",
        _DEPENDENCIES: _DEPENDENCIES,
        "import olmsolve": "import olmsolve",
        "and its resolve": "import olmsolve; olmsolve.resolve, olmsolve.read_request",
    }
    times: dict[str, list[float]] = {name: [] for name in codes}
    for _ in range(_RUNS):
        # In turn, so that a machine that gets slower or faster does so for all of them.
        for name, code in codes.items():
            times[name].append(process_seconds(["-c", code], runs=1))
    base = median(times[_DEPENDENCIES])
    rows = [(name, f"{median(values) * 1e3:.0f}", f"{median(values) / base:.2f}") for name, values in times.items()]
    table(("process (median of 15)", "ms", "ratio"), rows)
