"""Backends made of a function that solves a list of clauses at once, or of a program: one process for each question."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Final

from olmsolve.errors import BackendError
from olmsolve.solver.backends.model import Backend, Clauses, StoppedBy

# Seconds between two looks at whether to stop.
_PAUSE: Final = 0.02
# Bytes that a program may print: a model of ten million variables.
_PRINTED: Final = 100_000_000

_SATISFIABLE: Final = frozenset({"SATISFIABLE", "SAT"})
_UNSATISFIABLE: Final = frozenset({"UNSATISFIABLE", "UNSAT"})
# The exit codes of programs for the two answers, by the convention of the SAT competitions.
_EXIT_CODES: Final = {10: True, 20: False}


def from_function(
    solve: Callable[..., Sequence[int] | None], name: str = "", *, stops: bool = False, install: str = ""
) -> Backend:
    """Return a backend that calls *solve* with a list of clauses, each a list of literals.

    *solve* returns the true literals of a model, in any order, or None if the clauses cannot hold. With *stops* it is
    called as ``solve(clauses, stop=function)`` where there is a time limit or somebody may cancel: it ends with
    TimeoutError soon after *function* has returned True, and asks it ten times a second. *install* is what ``pip``
    installs if a module is missing.

    Example::

        def solve(clauses):
            import pycosat

            model = pycosat.solve(clauses)
            return None if model == "UNSAT" else model


        olmsolve.resolve(request, backend=from_function(solve, "picosat", install="pycosat"))
    """
    name = name or getattr(solve, "__name__", type(solve).__name__)
    stopped_by = StoppedBy.FUNCTION if stops else StoppedBy.NOTHING
    create = partial(_FunctionSolver, solve, name)
    return Backend(
        name, create, assumptions=False, cores=False, stopped_by=stopped_by, install=install, incremental=False
    )


class _FunctionSolver:
    """A list of clauses, and the function that solves it."""

    def __init__(self, solve: Callable[..., Sequence[int] | None], name: str) -> None:
        self._solve = solve
        self._name = name
        self._clauses: list[list[int]] = []
        self._model: Sequence[int] | None = None

    def add_clause(self, literals: Sequence[int]) -> None:
        """Require one of *literals*."""
        self._clauses.append(list(literals))

    def solve(self, **limits: Any) -> bool | None:
        """Return True if the clauses can hold; None if the function was stopped."""
        # Many solvers refuse an empty clause, or take it for the end of their input.
        if not all(self._clauses):
            return False
        if not self._clauses:
            self._model = ()
            return True
        try:
            model: Any = self._solve(self._clauses, **limits)
        except TimeoutError:
            if limits:
                return None
            raise
        if model is not None and (isinstance(model, str) or not isinstance(model, Sequence)):
            raise BackendError(self._name, f"returned {model!r:.80}, not the literals of a model or None")
        self._model = model
        return model is not None

    def model(self) -> Sequence[int]:
        """Return the true literals after a True."""
        return self._model or ()


def from_command(command: Sequence[str], name: str = "") -> Backend:
    """Return a backend that runs a program for each question: *command* is the program and its arguments.

    ``{cnf}`` among the arguments stands for the file with the clauses (DIMACS); without it they go to standard input.
    ``{model}`` stands for a file that the program writes its answer to; without it the answer comes from standard
    output. The answer is in the form of the SAT competitions (``s SATISFIABLE``, ``v 1 -2 0``) or in MiniSat's
    (``SAT``, and the literals in the next line). The program is ended when the time is over or somebody cancels.

    >>> from_command(["kissat", "-q", "{cnf}"])
    Backend(name='kissat')
    >>> from_command(["minisat", "-verb=0", "{cnf}", "{model}"]).name
    'minisat'

    Raises:
        BackendError: *command* is empty or one text.
    """
    if isinstance(command, str) or not command:
        raise BackendError(name or str(command), "a command is a list: the program, and its arguments")
    name = name or Path(command[0]).name
    return from_function(partial(_run, tuple(command), name), name, stops=True)


def dimacs(clauses: Clauses) -> str:
    """Return *clauses* in DIMACS.

    >>> print(dimacs([[1, -2], [2]]), end="")
    p cnf 2 2
    1 -2 0
    2 0
    """
    variables = max((abs(literal) for clause in clauses for literal in clause), default=0)
    lines = [f"p cnf {variables} {len(clauses)}", *(f"{' '.join(map(str, clause))} 0" for clause in clauses), ""]
    return "\n".join(lines)


def _run(
    command: Sequence[str], name: str, clauses: Clauses, stop: Callable[[], bool] | None = None
) -> list[int] | None:
    """Return the model that the program prints, None if the clauses cannot hold.

    Raises:
        TimeoutError: *stop* has returned True.
        BackendError: there is no such program, or it gave no answer.
    """
    if stop is not None and stop():
        raise TimeoutError
    with tempfile.TemporaryDirectory(prefix="olmsolve-") as folder:
        cnf, result = Path(folder, "problem.cnf"), Path(folder, "model")
        cnf.write_text(dimacs(clauses), "ascii")
        arguments = [part.replace("{cnf}", str(cnf)).replace("{model}", str(result)) for part in command]
        piped = not any("{cnf}" in part for part in command)
        with Path(cnf if piped else os.devnull).open("rb") as standard_input:
            output, errors, code = _outcome(name, arguments, standard_input, stop)
        text = result.read_text("ascii", "replace") if result.exists() else output
    verdict, literals = _answer(text)
    if verdict is None:
        verdict = _EXIT_CODES.get(code)
    if verdict is None:
        said = (errors.strip() or text.strip()).partition("\n")[0]
        raise BackendError(name, f"gave no answer: exit code {code}{f', {said:.200}' if said else ''}")
    return literals if verdict else None


def _outcome(
    name: str, arguments: Sequence[str], standard_input: BinaryIO, stop: Callable[[], bool] | None
) -> tuple[str, str, int]:
    """Run a program and return its output, its errors, and its exit code. Raises as :func:`_run` does."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        try:
            process = subprocess.Popen(  # noqa: S603 - the command is the caller's own
                arguments, stdin=standard_input, stdout=output, stderr=errors
            )
        except OSError as error:
            raise BackendError(
                name, f"cannot run {arguments[0]}: {error.strerror}; install it, or give its path"
            ) from error
        with process:
            try:
                while process.poll() is None:
                    if stop is not None and stop():
                        raise TimeoutError
                    if max(os.fstat(output.fileno()).st_size, os.fstat(errors.fileno()).st_size) > _PRINTED:
                        raise BackendError(name, f"prints more than {_PRINTED:,} bytes")
                    with suppress(subprocess.TimeoutExpired):
                        process.wait(_PAUSE)
            finally:
                process.kill()
        output.seek(0)
        errors.seek(0)
        text, said = (file.read(_PRINTED).decode("ascii", "replace") for file in (output, errors))
        return text, said, process.returncode


def _answer(text: str) -> tuple[bool | None, list[int]]:
    """Return the verdict in what a program says, None if there is none, and the literals of the model."""
    verdict: bool | None = None
    literals: list[int] = []
    for line in text.splitlines():
        words = line.split()
        if not words or words[0] == "c":
            continue
        if words[0] in ("s", "v"):
            del words[0]
        if words and words[0] in _SATISFIABLE:
            verdict = True
        elif words and words[0] in _UNSATISFIABLE:
            verdict = False
        elif all(word.lstrip("-").isdecimal() for word in words):
            literals.extend(int(word) for word in words if word != "0")
    return verdict, literals
