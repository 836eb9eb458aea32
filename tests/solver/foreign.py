"""SAT solvers of other packages and programs, as docs/backends.md makes backends of them; None where one is missing."""

from __future__ import annotations

import shutil
import sysconfig
from pathlib import Path
from typing import Final

import pytest

from olmsolve.solver.backends import Backend, BackendLike, from_command
from tests.pages.files import module_of

PAGE: Final = "docs/backends.md"


def picosat() -> BackendLike:
    pytest.importorskip("pycosat", reason="the package pycosat is not installed")
    backend: Backend = module_of(PAGE, "picosat.py").PICOSAT
    return backend


def cryptominisat() -> BackendLike:
    pytest.importorskip("pycryptosat", reason="the package pycryptosat is not installed")
    backend: BackendLike = module_of(PAGE, "cryptominisat.py").CryptoMiniSat
    return backend


def kissat() -> BackendLike:
    """The program on the path, or the one inside the package passagemath-kissat."""
    packed = Path(sysconfig.get_path("purelib"), "sage_wheels/bin/kissat")
    if shutil.which("kissat"):
        backend: Backend = module_of(PAGE, "programs.py").KISSAT
        return backend
    if not packed.exists():
        pytest.skip("the program kissat is not installed")
    return from_command([str(packed), "-q", "{cnf}"])


def minisat() -> BackendLike:
    if not shutil.which("minisat"):
        pytest.skip("the program minisat is not installed")
    backend: Backend = module_of(PAGE, "programs.py").MINISAT
    return backend


FOREIGN: Final = {"picosat": picosat, "cryptominisat": cryptominisat, "kissat": kissat, "minisat": minisat}
