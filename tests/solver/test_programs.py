"""Programs as backends: how they get the clauses, and which of their words are an answer."""

from __future__ import annotations

import sys
import threading

import pytest

from olmsolve import BackendError, Incomplete
from olmsolve.solver import Budget, Session
from olmsolve.solver.backends import Backend, from_command


def _answer(lines: str, *arguments: str) -> list[int] | None:
    """What a program of these *lines* in Python answers to the clauses 1 ∨ 2 and ¬1: the true literals."""
    backend = from_command([sys.executable, "-c", lines, *arguments], "program")
    session = Session(backend, Budget())
    session.add_clauses([[1, 2], [-1]])
    return sorted(session.model()) if session.solve() else None


@pytest.mark.parametrize(
    ("printed", "code", "answer"),
    [
        ("s SATISFIABLE\\nv -1 2 0", 0, [-1, 2]),
        ("SAT\\n-1 2 0", 0, [-1, 2]),
        ("v -1\\nv 2 0", 10, [-1, 2]),
        ("v -1 2 0", 0, "no answer: exit code 0, v -1 2 0"),
        ("c 5 6\\n\\nrestarts 3\\ns SATISFIABLE\\nv\\nv -1 2\\nv 0\\nc 5", 0, [-1, 2]),
        ("s UNSATISFIABLE", 0, None),
        ("UNSAT", 0, None),
        ("UNSAT\\n1 2", 10, None),
        ("c nothing else", 20, None),
        ("s SATISFIABLE\\nv -1 2 0", 20, [-1, 2]),
        ("s UNKNOWN\\nmore", 0, "no answer: exit code 0, s UNKNOWN$"),
        ("", 3, "no answer: exit code 3$"),
    ],
)
def test_what_programs_print_and_exit_with(printed: str, code: int, answer: object) -> None:
    """The two formats in use, their comments and statistics; what is printed counts more than the exit code."""
    lines = f"import sys; print('{printed}'); sys.exit({code})"
    if isinstance(answer, str):
        with pytest.raises(BackendError, match=answer):
            _answer(lines)
    else:
        assert _answer(lines) == answer


def test_programs_read_and_write_files() -> None:
    """A program that takes a file gets no clauses on standard input, where it would take them for orders."""
    lines = (
        "import sys, pathlib; assert sys.stdin.read() == ''; cnf, model = map(pathlib.Path, sys.argv[1:]); "
        "assert cnf.read_text() == 'p cnf 2 2\\n1 2 0\\n-1 0\\n'; model.write_text('SAT\\n-1 2 0'); print('s UNSAT')"
    )
    assert _answer(lines, "{cnf}", "{model}") == [-1, 2]


def test_programs_that_are_not_there_are_named() -> None:
    """By the program and not by its first option, since the path may be wrong."""
    session = Session(from_command(["/nowhere/solver", "-q"], "mine"), Budget())
    session.add_clause([1])
    with pytest.raises(BackendError, match=r"mine.*cannot run /nowhere/solver: No such file or directory; install it"):
        session.solve()
    with pytest.raises(BackendError, match=r"kissat -q.*a command is a list"):
        from_command("kissat -q")
    with pytest.raises(BackendError, match=r"mine.*a command is a list"):
        from_command([], "mine")


def test_a_program_goes_on_until_it_is_stopped() -> None:
    """Looks at the limits do not end it: it has its time, and takes longer than a look or two."""
    backend = from_command([sys.executable, "-c", "import time; time.sleep(0.15); print('SAT\\n1')"])
    budget = Budget(timeout=600, cancel=threading.Event())
    session = Session(backend, budget)
    session.add_clause([1])
    assert session.solve()
    cancelled = threading.Event()
    cancelled.set()
    with pytest.raises(Incomplete, match="cancel"):
        Session(backend, Budget(cancel=cancelled)).solve()


def test_a_backend_is_made_of_it() -> None:
    """It can be stopped, and everything else is made up for."""
    backend = from_command(["/opt/bin/kissat", "-q", "{cnf}"])
    assert isinstance(backend, Backend)
    assert (backend.name, backend.limits, backend.assumptions, backend.cores, backend.incremental) == (
        "kissat",
        True,
        False,
        False,
        False,
    )
