"""Solvers of other houses read our files, agree with us, and print models that become plans.

The short run starts the solvers on a twentieth of the random requests.
"""

from __future__ import annotations

import importlib.util
import random
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

import olmsolve
from olmsolve import CatalogError, Request, Unsatisfiable
from olmsolve.testing import COMPOUND, DENSE, random_request, synthetic
from tests.classic.clause_texts import read_wcnf, served
from tests.scale import scaled

EXAMPLES = Path(olmsolve.__file__).parent / "examples"
VERDICTS = {"s SATISFIABLE": True, "s OPTIMUM FOUND": True, "s UNSATISFIABLE": False}
"""What solvers print."""


def command(solver: str) -> list[str]:
    """How *solver* is started; skips the test where it is missing."""
    if solver == "clasp":
        if importlib.util.find_spec("clingo") is None:
            pytest.skip("clasp is missing: pip install clingo")
        # An optimiser; it prints every model on the way to the best.
        return [sys.executable, "-m", "clingo", "--mode=clasp"]
    wheel = Path(sysconfig.get_path("purelib"), "sage_wheels", "bin", solver)
    program = shutil.which(solver) or (str(wheel) if wheel.exists() else None)
    if program is None:
        pytest.skip(f"{solver} is missing: pip install passagemath-{solver}")
    return [program]


def run(solver: str, lines: Iterable[str], file: Path) -> tuple[bool, str]:
    """The verdict of *solver* on the text of *lines*, written to *file*, and what it printed."""
    with file.open("w", encoding="utf-8") as opened:
        opened.writelines(lines)
    process = subprocess.run([*command(solver), str(file)], capture_output=True, text=True, check=False, timeout=300)
    verdicts = [line.strip() for line in process.stdout.splitlines() if line.startswith("s ")]
    assert len(verdicts) == 1, process.stdout + process.stderr
    return VERDICTS[verdicts[0]], process.stdout


def requests() -> Iterator[Request]:
    """Requests of every kind: examples, random ones with compound constraints, and dense ones."""
    for name in ("upgrade", "unsatisfiable"):
        yield olmsolve.read_request(EXAMPLES / f"{name}.yaml")
    for seed in range(scaled(120, 20)):
        yield random_request(random.Random(f"foreign {seed}"), COMPOUND if seed % 2 else DENSE)
    for satisfiable in (True, False):
        yield synthetic.request("S", "hard", satisfiable=satisfiable, seed=2)


@pytest.mark.parametrize("solver", ["clasp", "kissat"])
def test_other_sat_solvers_agree(solver: str, tmp_path: Path) -> None:
    """A mistake in the file format is invisible to whoever both writes and reads it."""
    verdicts = []
    for request in requests():
        try:
            compiled = olmsolve.compile(request)
        except CatalogError:
            continue
        verdict, printed = run(solver, compiled.to_dimacs(), tmp_path / "request.cnf")
        assert verdict == olmsolve.is_satisfiable(request)
        verdicts.append(verdict)
        if verdict:
            decoded = compiled.decode(printed)
            assert {install.candidate for install in decoded.plan.installs} <= set(decoded.selected)
    assert {True, False} == set(verdicts)


@pytest.mark.parametrize("form", ["wcnf", "opb"])
def test_an_optimiser_finds_the_first_bundles_of_the_preferred_plan(form: str, tmp_path: Path) -> None:
    """The weights are there so that an optimiser gives subscriptions what they want, in their order."""
    compared = 0
    for request in requests():
        try:
            compiled = olmsolve.compile(request)
            plan = olmsolve.resolve(request)
        except (CatalogError, Unsatisfiable):
            continue
        lines = compiled.to_wcnf() if form == "wcnf" else compiled.to_opb()
        verdict, printed = run("clasp", lines, tmp_path / f"request.{form}")
        assert verdict
        assert "OPTIMUM FOUND" in printed or not read_wcnf(compiled.to_wcnf())[2]
        expected = served(request, set(plan.selected))
        assert served(request, compiled.decode(printed).selected) == expected
        compared += 1
    assert compared > scaled(30, 20)
