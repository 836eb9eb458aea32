"""A mutant under test: a forked process imports it in place of the module, and asks the tests of its room.

The parent has loaded pytest and the libraries that tests need, but nothing of the package; so a child begins where
others are after a second of imports, and whatever it imports of the package meets the mutant.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import resource
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import CodeType, ModuleType
from typing import Final

import attrs
import pytest

from tests.mutants.rooms import ROOT, MutatedRoom

__all__ = ["Baseline", "Notebook", "baseline", "preload", "verdict"]

_LIBRARIES: Final = (
    "hypothesis", "hypothesis.strategies", "attrs", "msgspec", "yaml", "pysat.solvers", "semantic_version",
    "jsonschema", "rich.console", "_pytest.assertion.rewrite",
)  # fmt: skip
# Libraries that are loaded already cannot be rewritten any more, and need not be.
_OPTIONS: Final = (
    "-q", "-x", "-p", "no:cacheprovider", "-p", "no:randomly", "-W", "ignore::pytest.PytestAssertRewriteWarning",
)  # fmt: skip
_FEWEST_SECONDS: Final = 10
_MOST_MEMORY: Final = 4 << 30
_FAILED: Final = 1
# pytest's code where no test was there, as where recorded data is missing.
_NO_TESTS: Final = 5


@attrs.frozen
class Baseline:
    """The *tests* of a room, the quick files first, and the *seconds* of processor time that all of them take."""

    tests: tuple[str, ...]
    seconds: float


def preload() -> None:
    """Load what every child needs, once."""
    for name in _LIBRARIES:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    loaded = [name for name in sys.modules if name.split(".")[0] == "olmsolve"]
    assert not loaded, loaded


def baseline(room: MutatedRoom) -> Baseline:
    """Return the tests of *room* without a mutant, each file by itself; all of them have to pass."""
    seconds: dict[str, float] = {}
    for file in _files(room.tests):
        before = _children()
        code = _forked([file], None, 3600)
        if code:
            raise SystemExit(f"{file} fails without a mutant (code {code})")
        seconds[file] = _children() - before
    return Baseline(tuple(sorted(seconds, key=lambda file: seconds[file])), sum(seconds.values()))


def _files(tests: Sequence[str]) -> Iterator[str]:
    for each in tests:
        path = ROOT / each
        found = sorted(path.rglob("test_*.py")) if path.is_dir() else [path]
        yield from (str(file.relative_to(ROOT)) for file in found)


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def verdict(tree: ast.Module, module: str, file: Path, known: Baseline) -> str:
    """Return what becomes of the mutant *tree* of *module*: "killed", "late" or "survived"."""
    try:
        code = compile(tree, str(file), "exec")
    except SyntaxError:
        return "killed"
    limit = max(_FEWEST_SECONDS, round(3 * known.seconds))
    answer = _forked(known.tests, (module, code), limit)
    return "survived" if answer == 0 else "late" if answer < 0 else "killed"


def _forked(tests: Sequence[str], mutant: tuple[str, CodeType] | None, seconds: int) -> int:
    """Run *tests* in a child with the *mutant*; return pytest's exit code, or -1 where *seconds* were not enough."""
    child = os.fork()
    if not child:
        os._exit(_asked(tests, mutant, seconds))
    started = time.monotonic()
    # Processor time is limited in the child; a mutant may also wait for ever.
    while time.monotonic() - started < 6 * seconds:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return -1 if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
        time.sleep(0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return -1


def _asked(tests: Sequence[str], mutant: tuple[str, CodeType] | None, seconds: int) -> int:
    """Ask *tests* about *mutant*, in the child; nothing that happens here may reach the parent."""
    try:
        os.chdir(ROOT)
        silence = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(silence, stream)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
        resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
        # Hypothesis draws the same examples for each mutant then.
        os.environ["CI"] = "true"
        if mutant is not None:
            sys.meta_path.insert(0, _MutantFinder(*mutant))
        # One file after the other: most mutants are found by the first one, before the others are even read.
        for file in tests:
            code = int(pytest.main([*_OPTIONS, file]))
            if code not in (0, _NO_TESTS):
                return code
    except BaseException:  # noqa: BLE001 - whatever a mutant raises, it has been found
        return _FAILED
    return 0


class _MutantFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """A finder that knows one module: the mutant."""

    def __init__(self, name: str, code: CodeType) -> None:
        self._name = name
        self._code = code

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self._name:
            return None
        return importlib.util.spec_from_file_location(fullname, self._code.co_filename, loader=self)

    def exec_module(self, module: ModuleType) -> None:
        exec(self._code, module.__dict__)  # noqa: S102 - our own module, with one fault


@attrs.frozen
class Notebook:
    """A file with a line of JSON for each mutant that was tried: a later run goes on from there."""

    path: Path

    def read(self) -> dict[str, str]:
        """The verdicts so far by key; a line cut short by a crash is left aside."""
        found: dict[str, str] = {}
        if self.path.is_file():
            for line in self.path.read_text("utf-8").splitlines():
                with contextlib.suppress(ValueError, KeyError, TypeError):
                    each = json.loads(line)
                    found[each["key"]] = each["verdict"]
        return found

    def add(self, key: str, verdict: str) -> None:
        """Note *verdict* at once."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"key": key, "verdict": verdict}) + "\n")
