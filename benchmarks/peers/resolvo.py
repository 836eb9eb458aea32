"""resolvo, through rattler (package ``py-rattler``): the solver of pixi and of conda's newest tools.

Packages are conda records, given to rattler as the text of a ``repodata.json``, which it parses itself: several
times faster than making its record objects one by one from Python. Only packages that the roots can reach are
given. The strategy is rattler's default, the highest version of each. No network is used. The explanation counts
the lines of resolvo's message.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path

import rattler
from rattler.exceptions import SolverError

from benchmarks.synthetic_problem import Answer
from olmsolve.testing.synthetic import DenseProblem

__all__ = ["prepare"]


def prepare(problem: DenseProblem) -> Callable[[], Answer]:
    reached = problem.reached()
    tops = {package: len(problem.requires[package]) - 1 for package in reached}
    texts: dict[tuple[int, int, int], str] = {}
    packages = {}
    for package in reached:
        name = f"pkg{package}"
        for version, row in enumerate(problem.requires[package]):
            depends = []
            for window in row:
                text = texts.get(window)
                if text is None:
                    target, low, high = window
                    upper = "" if high == tops[target] else f",<=1.{high}.0"
                    text = texts[window] = f"pkg{target} >=1.{low}.0{upper}"
                depends.append(text)
            packages[f"{name}-1.{version}.0-0.tar.bz2"] = {
                "name": name,
                "version": f"1.{version}.0",
                "build": "0",
                "build_number": 0,
                "depends": depends,
                "subdir": "noarch",
            }
    document = {"info": {"subdir": "noarch"}, "packages": packages, "packages.conda": {}, "repodata_version": 1}
    folder = tempfile.TemporaryDirectory()
    file = Path(folder.name, "repodata.json")
    file.write_text(json.dumps(document), "utf-8")
    channel = rattler.Channel("synthetic", rattler.ChannelConfig())
    data = rattler.SparseRepoData(channel, "noarch", file)
    specs = [rattler.MatchSpec(f"pkg{root}") for root in problem.roots]

    async def ask() -> Answer:
        try:
            records = await rattler.solve_with_sparse_repodata(specs, [data])
        except SolverError as error:
            return Answer(None, len(str(error).splitlines()))
        found = ((record.name.normalized, str(record.version)) for record in records)
        return Answer({int(name[3:]): int(version.split(".")[1]) for name, version in found})

    def solve() -> Answer:
        import asyncio

        try:
            return asyncio.run(ask())
        finally:
            data.close()
            folder.cleanup()

    return solve
