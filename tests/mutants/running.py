"""Tests and mutants in forked processes: what each test runs, and which mutants it finds.

The first process has loaded pytest and the libraries that tests need, but nothing of the package. For each room it
forks one that collects the tests of the room and waits. A mutant is given to a child of that process: the function with
the fault gets its new code, and the tests that run the statement with the fault are asked, the quick ones first. What
runs while modules are imported and tests are collected comes too late there: such a mutant goes to a child of the first
process, which imports it in place of the module, and asks the files whose tests may have met it.
"""

from __future__ import annotations

import ast
import contextlib
import gc
import importlib
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from types import CodeType
from typing import Final, NoReturn

import attrs
import pytest
from hypothesis import Phase, settings

from tests.mutants.marking import MarkingFinder, ModuleFinder
from tests.mutants.mutating import Mutant, mutated
from tests.mutants.patching import LiveFunctions
from tests.mutants.rooms import ROOT, MutatedRoom

__all__ = ["Baseline", "CollectedRoom", "RanTest", "measured", "preload", "verdict_of_import"]

_LIBRARIES: Final = (
    "hypothesis.strategies", "attrs", "msgspec", "yaml", "pysat.solvers", "semantic_version",
    "jsonschema", "rich.console",
)  # fmt: skip
# Plain assertions: pytest would rewrite our modules too, as those of a plugin, and its loader would come before ours.
_OPTIONS: Final = ("-q", "-x", "-s", "--assert=plain", "-p", "no:cacheprovider", "-p", "no:randomly")
PATIENCE: Final = 10.0
"""How many seconds of tests are asked about a mutant, so that no share is too high: who asks less finds less."""

_FEWEST_SECONDS: Final = 5
_MOST_MEMORY: Final = 4 << 30
_FAILED: Final = 1
# pytest's code where no test was there, as where recorded data is missing.
_NO_TESTS: Final = 5


@attrs.frozen
class RanTest:
    """A test: its *name*, the *seconds* of processor time that it takes, and the statements of the room that it runs.

    Statements are bits, by module, as ``MarkingFinder`` writes them.
    """

    name: str
    seconds: float
    statements: Mapping[str, str]

    @property
    def file(self) -> str:
        """The file of the test."""
        return self.name.partition("::")[0]


@attrs.frozen
class Baseline:
    """The *tests* of a room, and by file the *imported* statements: those that run while its tests are collected."""

    tests: tuple[RanTest, ...]
    imported: Mapping[str, Mapping[str, str]]

    def tests_of(self, mutant: Mutant) -> tuple[RanTest, ...]:
        """Return the tests that run the statement of *mutant*, the quickest first, as far as :data:`PATIENCE` goes."""
        tests = sorted((test for test in self.tests if _runs(test.statements, mutant)), key=lambda test: test.seconds)
        sums = accumulate(test.seconds for test in tests)
        return tuple(test for test, total in zip(tests, sums, strict=True) if total <= PATIENCE or test is tests[0])

    def files_of(self, mutant: Mutant) -> tuple[str, ...]:
        """Return the files whose tests are collected after the statement of *mutant* has run, the quickest first.

        Here too, files are asked as far as :data:`PATIENCE` goes.
        """
        files = {file for file, statements in self.imported.items() if _runs(statements, mutant)}
        if not mutant.runs_later:
            files |= {test.file for test in self.tests if _runs(test.statements, mutant)}
        seconds = {file: sum(test.seconds for test in self.tests if test.file == file) for file in files}
        quick_first = sorted(seconds, key=lambda file: seconds[file])
        sums = accumulate(seconds[file] for file in quick_first)
        within = [file for file, total in zip(quick_first, sums, strict=True) if total <= PATIENCE]
        return tuple(within or quick_first[:1])


def _runs(statements: Mapping[str, str], mutant: Mutant) -> bool:
    return bool(int(statements.get(mutant.module, "0"), 16) >> mutant.statement & 1)


def preload() -> None:
    """Load what every child needs, once."""
    # Hypothesis draws the same examples for each mutant then.
    os.environ["CI"] = "true"
    # A function with notes of its messages has other code than its module says, and would keep it.
    os.environ["OLMSOLVE_NONOTES"] = "true"
    for name in _LIBRARIES:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    # The settings of all tests are registered there; here, one example that fails is enough, however large it is.
    importlib.import_module("tests.conftest")
    small = settings.get_profile("small")
    settings.register_profile("unshrunk", parent=small, phases=(Phase.explicit, Phase.generate))
    os.environ["HYPOTHESIS_PROFILE"] = "unshrunk"
    loaded = [name for name in sys.modules if name.split(".")[0] == "olmsolve"]
    assert not loaded, loaded


def measured(room: MutatedRoom, file: str) -> tuple[Mapping[str, str], list[RanTest]]:
    """Return what each test of *file* runs of *room*, without a mutant and in a process of its own; all have to pass.

    The first part of the result is what runs while the tests are collected.
    """

    def child(connection: Connection) -> None:
        finder = MarkingFinder(room.modules())
        sys.meta_path.insert(0, finder)
        _collect([file], lambda tests: connection.send(_measured(tests, finder)))

    with _child(child) as connection:
        try:
            answer = connection.recv()
        except EOFError:
            raise SystemExit(f"{file} cannot be collected") from None
    if isinstance(answer, str):
        raise SystemExit(f"{answer} fails without a mutant, alone in its process")
    imported, tests = answer
    return imported, tests


def _measured(tests: _Tests, finder: MarkingFinder) -> tuple[Mapping[str, str], list[RanTest]] | str:
    """Return the statements that ran while *tests* were collected, and each test; or the name of one that fails."""
    imported = finder.taken()
    ran_tests = []
    for name in tests.names:
        finder.clear()

        def child(connection: Connection, name: str = name) -> None:
            passed = tests.pass_([name])
            # The clock of a child begins when it is forked.
            connection.send((passed, time.process_time(), finder.taken()))

        with _child(child) as connection:
            try:
                passed, seconds, statements = connection.recv()
            except EOFError:
                return name
        if not passed:
            return name
        ran_tests.append(RanTest(name, seconds, statements))
    return imported, ran_tests


class CollectedRoom:
    """A process that has collected the tests of a *room*, and forks for each mutant."""

    def __init__(self, room: MutatedRoom) -> None:
        self._room = room
        self._way = _child(self._serve)
        self._connection = self._way.__enter__()

    def verdict(self, mutant: Mutant, tests: Sequence[RanTest]) -> str:
        """Return what *tests* make of *mutant*: "killed", "late" or "survived"."""
        self._connection.send((mutant, [test.name for test in tests], _limit(tests)))
        answer: str = self._connection.recv()
        return answer

    def close(self) -> None:
        """End the process."""
        self._connection.send(None)
        self._way.__exit__(None, None, None)

    def _serve(self, connection: Connection) -> None:
        _collect(self._room.tests, lambda tests: self._answer(connection, tests))

    def _answer(self, connection: Connection, tests: _Tests) -> None:
        functions = LiveFunctions()
        sources = {name: (str(file), file.read_text("utf-8")) for name, file in self._room.modules().items()}
        while (question := connection.recv()) is not None:
            mutant, names, limit = question
            file, source = sources[mutant.module]
            code = _compiled(mutated(source, mutant.number), file)
            if code is None:
                connection.send("killed")
                continue
            # The children's own garbage collector leaves what is here alone, so that its memory stays shared.
            gc.freeze()
            original = compile(source, file, "exec", dont_inherit=True)
            connection.send(_verdict(partial(_is_detected, mutant, (original, code), functions, tests, names), limit))


def _is_detected(
    mutant: Mutant, codes: tuple[CodeType, CodeType], functions: LiveFunctions, tests: _Tests, names: Sequence[str]
) -> bool:
    """Put *mutant* in place and return whether one of the tests fails."""
    original, code = codes
    if mutant.module in sys.modules:
        assert functions.patch(original, code), f"no function has the code of {mutant}"
    sys.meta_path.insert(0, ModuleFinder({mutant.module: code}))
    return not tests.pass_(names)


def verdict_of_import(mutant: Mutant, file: Path, source: str, known: Baseline) -> str:
    """Return what the tests of whole files make of *mutant* in *source*: what runs on import meets it there."""
    code = _compiled(mutated(source, mutant.number), str(file))
    if code is None:
        return "killed"
    files = known.files_of(mutant)

    def is_found() -> bool:
        sys.meta_path.insert(0, ModuleFinder({mutant.module: code}))
        # One file after the other: most mutants are found by the first one, before the others are even read.
        return any(pytest.main([*_OPTIONS, file]) not in (0, _NO_TESTS) for file in files)

    return _verdict(is_found, _limit([test for test in known.tests if test.file in files]))


def _compiled(tree: ast.Module, file: str) -> CodeType | None:
    """Return the code of *tree*, or None where there is none: ``break`` outside of a loop, say."""
    try:
        return compile(tree, file, "exec", dont_inherit=True)
    except SyntaxError:
        return None


class _Tests:
    """Tests that are collected: plugin of pytest, whose loop it replaces by *loop*."""

    def __init__(self, loop: Callable[[_Tests], None]) -> None:
        self._loop = loop
        self._items: dict[str, pytest.Item] = {}
        self._failed = False

    @property
    def names(self) -> tuple[str, ...]:
        """All tests, in their order."""
        return tuple(self._items)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run the loop, in place of that of pytest."""
        assert not session.testsfailed, "tests cannot be collected"
        self._items = {item.nodeid: item for item in session.items}
        self._loop(self)
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note whether a test has failed."""
        self._failed = self._failed or report.failed

    def pass_(self, names: Sequence[str]) -> bool:
        """Run the tests *names* until one fails; return whether none did."""
        items = [self._items[name] for name in names]
        for item, following in zip(items, [*items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self._failed:
                return False
        return True


def _collect(tests: Sequence[str], loop: Callable[[_Tests], None]) -> None:
    """Collect *tests*, files and folders, and hand them to *loop*."""
    pytest.main([*_OPTIONS, *tests], plugins=[_Tests(loop)])


def _limit(tests: Sequence[RanTest]) -> int:
    """Return how many seconds of processor time *tests* may take with a mutant."""
    return _FEWEST_SECONDS + round(3 * _seconds(tests))


def _seconds(tests: Sequence[RanTest]) -> float:
    return sum(test.seconds for test in tests)


@contextlib.contextmanager
def _child(target: Callable[[Connection], None]) -> Iterator[Connection]:
    """Fork a process that runs *target* with one end of a connection; yield the other end, and wait for its end."""
    here, there = Pipe()
    child = os.fork()
    if not child:
        here.close()
        _end(lambda: target(there))
    there.close()
    try:
        yield here
    finally:
        here.close()
        os.waitpid(child, 0)


def _verdict(is_found: Callable[[], bool], seconds: int) -> str:
    """Return what *is_found* says in a child that has these *seconds*: "killed", "late" or "survived"."""
    child = os.fork()
    if not child:
        _limit_this_process(seconds)
        _end(lambda: sys.exit(is_found()))
    started = time.monotonic()
    # Processor time is limited in the child; a mutant may also wait for ever.
    while time.monotonic() - started < 6 * seconds:
        ended_process, status = os.waitpid(child, os.WNOHANG)
        if ended_process:
            return "late" if os.WIFSIGNALED(status) else "killed" if os.WEXITSTATUS(status) else "survived"
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "late"


def _limit_this_process(seconds: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))


def _end(action: Callable[[], object]) -> NoReturn:
    """Run *action* and end this child: with 0, or with 1 whatever it raises; nothing of it may reach the parent."""
    try:
        os.chdir(ROOT)
        silence = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(silence, stream)
        action()
    except SystemExit as error:
        os._exit(int(bool(error.code)))
    except BaseException:  # noqa: BLE001 - whatever a mutant raises, it has been found
        os._exit(_FAILED)
    os._exit(0)
