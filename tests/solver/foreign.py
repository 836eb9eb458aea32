"""SAT solvers of other packages and programs, as docs/backends.md makes backends of them; None where one is missing."""

from __future__ import annotations

import importlib.util
import shutil
import sysconfig
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pytest

from olmsolve.solver.backends import Backend, BackendLike, from_command

EXAMPLES: Final = Path(__file__).parents[2] / "docs/examples/backends"


def example(name: str) -> Any:
    """The module of an example of the documentation."""
    spec = importlib.util.spec_from_file_location(f"backend_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module: ModuleType = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def picosat() -> BackendLike:
    pytest.importorskip("pycosat", reason="the package pycosat is not installed")
    backend: Backend = example("picosat").PICOSAT
    return backend


def cryptominisat() -> BackendLike:
    pytest.importorskip("pycryptosat", reason="the package pycryptosat is not installed")
    backend: BackendLike = example("cryptominisat").CryptoMiniSat
    return backend


def kissat() -> BackendLike:
    """The program on the path, or the one inside the package passagemath-kissat."""
    packed = Path(sysconfig.get_path("purelib"), "sage_wheels/bin/kissat")
    if shutil.which("kissat"):
        backend: Backend = example("programs").KISSAT
        return backend
    if not packed.exists():
        pytest.skip("the program kissat is not installed")
    return from_command([str(packed), "-q", "{cnf}"])


def minisat() -> BackendLike:
    if not shutil.which("minisat"):
        pytest.skip("the program minisat is not installed")
    backend: Backend = example("programs").MINISAT
    return backend


FOREIGN: Final = {"picosat": picosat, "cryptominisat": cryptominisat, "kissat": kissat, "minisat": minisat}
