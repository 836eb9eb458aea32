"""What backends can do: how it is shown, listed and made up for, with as few questions and solvers as possible."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from pysat.solvers import Solver

from olmsolve import BackendError
from olmsolve.solver import Mandatory, Variables, solve
from olmsolve.solver.backends import (
    Backend,
    PythonSolver,
    StoppedBy,
    create,
    find,
    from_function,
    missing_module,
    names,
    portable_name,
    require,
)
from olmsolve.solver.backends import backends as all_backends
from tests.solver.own_solvers import Whole
from tests.solver.registering import python_sat_has, register


class Counted(Whole):
    """A solver for one answer that notes how many were made, and how many closed."""

    made = 0
    closed = 0

    def __init__(self) -> None:
        super().__init__()
        type(self).made += 1

    def close(self) -> None:
        type(self).closed += 1


def test_solvers_for_one_answer_are_made_once_for_each() -> None:
    """The first question takes the solver that is there, and each further one closes it: programs hold memory."""

    class Here(Counted):
        pass

    solver = create(Backend("here", Here, assumptions=False, cores=False, incremental=False))
    assert (Here.made, Here.closed) == (1, 0)
    solver.add_clause([1, 2])
    for question, answer in enumerate([True, False, True], start=1):
        assert solver.solve([] if answer else [-1, -2]) is answer
        assert (Here.made, Here.closed) == (question, question - 1)
    solver.close()
    assert (Here.made, Here.closed) == (3, 3)


def test_solvers_for_one_answer_may_take_assumptions() -> None:
    """They get these as such, and their cores are their own; only their clauses are given to each of them anew."""

    class Once(PythonSolver):
        answers = 0

        def solve(self, assumptions: Sequence[int] = (), *, conflicts: int | None = None) -> bool | None:
            self.answers += 1
            assert self.answers == 1
            return super().solve(assumptions, conflicts=conflicts)

    solver = create(Backend("once", Once, incremental=False))
    solver.add_clause([-1, -3])
    for _ in range(2):
        assert solver.solve([2, 3, 1]) is False
        assert set(solver.core()) == {1, 3}
        assert solver.solve([2, 3]) is True
        assert set(solver.model()) == {-1, 2, 3}


def test_a_class_is_tried_with_one_solver_that_is_closed() -> None:
    """To see what a class can do takes a solver, which nobody would close later."""

    class Seen(Counted):
        pass

    assert Backend.of(Seen).name == "Seen"
    assert (Seen.made, Seen.closed) == (1, 1)


class Prefixes:
    """A solver that refutes the first *shortest* assumptions, and notes how many it is asked about."""

    def __init__(self, shortest: int) -> None:
        self.shortest = shortest
        self.asked: list[int] = []

    def add_clause(self, literals: Sequence[int]) -> None:
        raise AssertionError("no clauses")

    def model(self) -> Sequence[int]:
        return ()

    def solve(self, assumptions: Sequence[int] = (), *, conflicts: int | None = None) -> bool | None:
        self.asked.append(len(assumptions))
        if len(assumptions) >= self.shortest:
            return False
        return None if conflicts else True


@pytest.mark.parametrize("limits", [{}, {"conflicts": 9}], ids=["without limits", "with limits"])
def test_cores_are_found_by_halving(limits: dict[str, int]) -> None:
    """n assumptions have n + 1 beginnings: the whole is refuted already, and halving tells the others apart.

    A question that a limit ends says no more than a yes does.
    """
    for count in range(20):
        assumptions = list(range(1, count + 1))
        for shortest in range(count + 1):
            solver = Prefixes(shortest)
            halving = create(Backend("prefixes", lambda solver=solver: solver, cores=False))  # type: ignore[misc]
            assert halving.solve(assumptions, **limits) is False
            assert halving.core() == assumptions[:shortest]
            assert len(solver.asked) - 1 <= count.bit_length()
            halving.close()


def test_halving_asks_as_its_docstring_says() -> None:
    """Of a, b, c, d of which b and c exclude each other: (a), (a, b) and (a, b, c)."""
    solver = Prefixes(3)
    halving = create(Backend("prefixes", lambda: solver, cores=False))
    assert halving.solve([1, 2, 3, 4]) is False
    assert halving.core() == [1, 2, 3]
    assert solver.asked == [4, 1, 2, 3]


def test_a_value_says_what_a_solver_has_not() -> None:
    """Whoever writes a backend as a value names what is missing; a function shows whether it can be stopped."""
    backend = Backend("mine", PythonSolver)
    assert (backend.assumptions, backend.cores, backend.incremental, backend.punctual) == (True, True, True, True)
    assert (backend.stopped_by, backend.limits, backend.proofs) == (StoppedBy.NOTHING, False, False)
    assert backend.to_dict()["punctual"] is False
    assert find("minisat22").to_dict()["punctual"] is True
    assert not from_function(lambda clauses: None, "function").limits
    assert from_function(lambda clauses, stop: None, "function", stops=True).limits


def test_what_solvers_of_python_sat_can_do() -> None:
    """Lingeling keeps no limit, and ends the process if it is asked again; Glucose writes proofs, MiniSat none."""
    for name, incremental, limits, proofs in [
        ("lingeling", False, False, False),
        ("minisat22", True, True, False),
        ("glucose4", True, True, True),
    ]:
        backend = find(name)
        assert (backend.incremental, backend.limits, backend.proofs) == (incremental, limits, proofs)


def test_a_solver_in_c_shows_no_signature() -> None:
    """It is taken for one that answers once; a core without assumptions would be of no use."""

    class InC(Whole):
        solve = staticmethod(iter)  # type: ignore[assignment]

        def core(self) -> Sequence[int]:
            return ()

    backend = Backend.of(InC)  # type: ignore[arg-type]
    assert (backend.assumptions, backend.cores, backend.incremental) == (False, False, False)
    assert backend.stopped_by is StoppedBy.NOTHING


def test_a_module_that_is_there_is_not_missing() -> None:
    """To install it once more would not help."""
    assert missing_module(ImportError("cannot import name 'x'", name="a.b")) == (
        "cannot be imported: cannot import name 'x'"
    )


def test_backends_are_listed_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """The default and its portable fellow first, Python's last; solvers that python-sat lacks are left out."""
    python_sat_has(monkeypatch, "minisat22", "cadical153", "lgl")

    class Entry:
        value = "nowhere:X"

        def load(self) -> object:
            raise ImportError(self.value)

    register(monkeypatch, {"zchaff": (Entry(),), "abacus": (Entry(),)})
    listed = {backend.name: backend for backend in all_backends()}
    assert list(listed) == ["deciding", "minisat22", "abacus", "cadical153", "zchaff", "python"]
    assert names() == ("deciding", "minisat22", "cadical153", "python")
    for name in ("abacus", "zchaff"):
        assert listed[name].to_dict() | {"missing": ""} == {
            "name": name,
            **dict.fromkeys(("assumptions", "cores", "limits", "punctual", "proofs"), False),
            "missing": "",
        }
        assert not listed[name].incremental


def test_the_deciding_engine_takes_no_clauses() -> None:
    """It reads constraints: who asks it as a SAT solver is told so, and the list of backends says the same."""
    backend = find("deciding")
    assert (backend.assumptions, backend.incremental, backend.limits) == (False, False, True)
    with pytest.raises(BackendError, match="answers no clauses"):
        create("deciding")


def test_a_name_stands_for_a_backend_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process has what is registered; it can ask its default in place of anything else."""
    register(monkeypatch, {"tiny": ()})
    assert [portable_name(backend) for backend in (find("python"), Backend("tiny", Whole), Backend("mine", Whole))] == [
        "python",
        "tiny",
        "deciding",
    ]
    assert [portable_name(backend) for backend in (Whole, "minisat22", "whatever")] == [
        "deciding",
        "minisat22",
        "whatever",
    ]


def test_a_backend_is_refused_for_what_it_has_to_do_alone() -> None:
    """Who gives no limit needs no solver that keeps one."""
    whole = Backend("whole", Whole)
    stoppable = Backend("stoppable", Whole, stopped_by=StoppedBy.FUNCTION)
    counting = Backend("counting", Whole, stopped_by=StoppedBy.CONFLICTS)
    assert [require(backend, limited=False) for backend in (whole, stoppable, counting)] == [whole, stoppable, counting]
    assert [require(backend, limited=True) for backend in (stoppable, counting)] == [stoppable, counting]
    assert require(counting, limited=True, counted=True) == counting
    assert require("deciding", limited=True, counted=True) is None
    with pytest.raises(BackendError, match="cannot be stopped"):
        require(whole, limited=True)
    for backend in (whole, stoppable):
        with pytest.raises(BackendError, match="counts no conflicts"):
            require(backend, limited=False, counted=True)


def test_an_unknown_name_lists_the_known_ones() -> None:
    """It is a slip of the keyboard, most often: then the name that was meant is enough."""
    with pytest.raises(BackendError, match="unknown; there are deciding, minisat22, "):
        find("simplex")
    with pytest.raises(BackendError, match=r"unknown; did you mean minisat22\?"):
        find("minisat33")


def test_two_registrations_of_one_object_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that is installed twice, as a wheel and from its checkout, still has one backend."""

    class Entry:
        value = "tests.solver.own_solvers:Whole"

        def load(self) -> object:
            return Whole

    register(monkeypatch, {"twice": (Entry(), Entry())})
    assert solve(Variables({"a": [Mandatory("a")]}), backend="twice")


@pytest.mark.parametrize("name", ["cadical153", "cadical195", "glucose4", "minisat22"])
def test_a_number_of_conflicts_ends_a_question(name: str) -> None:
    """Time limits rest on that. Eight pigeons do not fit into seven holes, which takes thousands of conflicts to see.

    Glucose looks at the number when it restarts, which may be hundreds of conflicts later.
    """
    solver = create(name)
    for pigeon in range(8):
        solver.add_clause([7 * pigeon + hole for hole in range(1, 8)])
        for other in range(pigeon):
            for hole in range(1, 8):
                solver.add_clause([-(7 * pigeon + hole), -(7 * other + hole)])
    assert solver.solve(conflicts=1) is None
    assert solver.solve() is False
    solver.close()


@pytest.mark.parametrize("name", ["cadical153", "cadical195", "glucose4", "minisat22", "python"])
def test_nothing_is_true_without_need(name: str) -> None:
    """A model that selects without need pulls the constraints of its selections into a lazily encoded problem.

    Variables that come after a question are no exception. Each is free, since the last one is false.
    """
    solver = create(name)
    for first, last in [(1, 4), (5, 6), (7, 12)]:
        for variable in range(first, last):
            solver.add_clause([variable, -last])
        for _ in range(2):
            assert solver.solve()
            assert all(literal < 0 for literal in solver.model())
            assert max(abs(literal) for literal in solver.model()) == last
    solver.close()


def test_memory_outside_python_is_freed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python's own collector would come later, and knows nothing of gigabytes of clauses."""
    freed = 0
    delete = Solver.delete

    def noted(solver: Solver) -> None:
        nonlocal freed
        freed += 1
        delete(solver)

    monkeypatch.setattr(Solver, "delete", noted)
    solver = create("minisat22")
    before = freed
    solver.close()
    assert freed == before + 1
