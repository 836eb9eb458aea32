"""Backends of all kinds give one answer; wrong ones, missing ones and misused ones are told apart."""

from __future__ import annotations

import pickle
import sys
import time
from collections.abc import Callable, Sequence
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, Literal

import pytest

import olmsolve
from olmsolve import BackendError, Incomplete, RequestError
from olmsolve.cli import main
from olmsolve.solver import Budget, Core, Dependency, Exclusive, Prohibited, Solution, Variables, solve
from olmsolve.solver.backends import (
    Backend,
    BackendLike,
    PythonSolver,
    SatSolver,
    StoppedBy,
    create,
    find,
    from_command,
    from_function,
    missing_module,
    names,
)
from olmsolve.testing import synthetic
from tests.attacks import in_time
from tests.pages.files import module_of
from tests.recorded import VENDORED, records, request_of, shared
from tests.scale import LONG, sampled
from tests.solver.foreign import FOREIGN, PAGE
from tests.solver.own_solvers import KNOWN, CrashingSolver, Stoppable, Whole
from tests.solver.registering import python_sat_has, register


def answer(request: olmsolve.Request, backend: BackendLike, semantics: str = "documented") -> Any:
    """A plan, or the core."""
    try:
        return olmsolve.resolve(request, backend=backend, semantics=olmsolve.Semantics(semantics))
    except olmsolve.Unsatisfiable as failure:
        return failure.core
    except olmsolve.CatalogError as error:
        return str(error)


def test_abilities_are_read_from_signatures() -> None:
    """Nobody has to declare what a class shows."""
    expectations: dict[Callable[[], SatSolver], tuple[bool, bool, StoppedBy]] = {
        Whole: (False, False, StoppedBy.NOTHING),
        Stoppable: (False, False, StoppedBy.FUNCTION),
        PythonSolver: (True, True, StoppedBy.CONFLICTS),
    }
    for factory, expected in expectations.items():
        backend = Backend.of(factory)
        assert (backend.assumptions, backend.cores, backend.stopped_by) == expected
        assert backend.name == getattr(factory, "__name__", "")


BACKENDS: dict[str, Callable[[], BackendLike]] = {
    **{name: lambda name=name: name for name in KNOWN[1:]},  # type: ignore[misc]
    "cryptominisat": FOREIGN["cryptominisat"],
    "whole": lambda: Whole,
}


@pytest.mark.parametrize("name", BACKENDS)
def test_recorded_requests_have_one_answer(name: str) -> None:
    """Plans and cores are functions of the request. The short run takes one recorded request in 40 for each backend."""
    backend = BACKENDS[name]()
    for record in sampled(records(VENDORED / "classic_random.jsonl.gz"), 40, list(BACKENDS).index(name)):
        request = request_of(record)
        for semantics in ("documented", "controller"):
            assert answer(request, backend, semantics) == answer(request, "deciding", semantics), record["name"]


@pytest.mark.parametrize("name", [name for name in BACKENDS if name != "whole"])
def test_recorded_real_requests_have_one_answer(name: str) -> None:
    """Real catalogs are larger. The short run takes one recorded request in 40 for each backend."""
    backend = BACKENDS[name]()
    real_records = records(shared() / "conformance/classic/real.jsonl.gz")
    for record in sampled(real_records, 40, list(BACKENDS).index(name)):
        request = request_of(record)
        assert answer(request, backend, "controller") == answer(request, "deciding", "controller"), record["name"]


@pytest.mark.parametrize("kind", ["easy", "hard"])
@pytest.mark.parametrize("satisfiable", [True, False])
@pytest.mark.parametrize("size", ["S", "M"] if LONG else ["S"])
def test_synthetic_requests_have_one_answer(size: str, kind: Literal["easy", "hard"], satisfiable: bool) -> None:
    """Dense problems have long cores. The short run leaves out the 20,000 bundles of M."""
    request = synthetic.request(size, kind, seed=2, satisfiable=satisfiable)
    expected = answer(request, "deciding")
    for name in (*KNOWN[1:], "cryptominisat"):
        assert answer(request, BACKENDS[name]()) == expected, name


def test_functions_and_programs_solve_dense_problems() -> None:
    """Each question starts anew, so they are slow on cores and quick on plans."""
    request = synthetic.request("S", "easy", seed=2)
    expected = answer(request, "deciding")
    for name in ("picosat", "kissat", "minisat"):
        try:
            backend = FOREIGN[name]()
        except pytest.skip.Exception:
            continue
        assert answer(request, backend) == expected, name


def _small(*, satisfiable: bool = True) -> Variables:
    """A problem whose queue comes to a dead end, so that every backend is asked."""
    return Variables(
        {
            "a": [Dependency(None, ("b1", "b2"))],
            "c": [Dependency(None, ("c1",))],
            "b1": [Exclusive("b1", ("b",)), Dependency("b1", ("d1",))],
            "b2": [Exclusive("b2", ("b",))] if satisfiable else [Prohibited("b2")],
            "c1": [Dependency("c1", ("d2",))],
            "d1": [Exclusive("d1", ("d",))],
            "d2": [Exclusive("d2", ("d",))],
        }
    )


@pytest.mark.parametrize("backend", [CrashingSolver, lambda: CrashingSolver()], ids=["class", "function"])
def test_a_solver_that_fails_is_a_backend_error(backend: BackendLike) -> None:
    """Its stack trace would look like a fault of ours."""
    with pytest.raises(BackendError, match="failed with ValueError: out of order"):
        solve(_small(), backend=backend)


def test_a_solver_without_an_answer_is_a_backend_error() -> None:
    """None was once taken for "no", which is an answer."""

    class Silent(Whole):
        def solve(self) -> bool | None:
            return None

    with pytest.raises(BackendError, match="no answer"):
        solve(_small(), backend=Silent)


@pytest.mark.parametrize(
    ("returned", "message"), [("UNSAT", "not the literals"), ({1: True}, "not the literals"), ((), "meets no literal")]
)
def test_what_a_function_returns_is_checked(returned: Any, message: str) -> None:
    """A word in place of a model would be taken for one."""
    with pytest.raises(BackendError, match=message):
        solve(_small(), backend=from_function(lambda clauses: returned, "odd"))


def test_missing_modules_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """An ImportError from the middle of a search tells nothing about backends."""
    for module in ("pycosat", "pycryptosat", "pysat", "pysat.solvers"):
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.delitem(sys.modules, "olmsolve.solver.backends.pysat", raising=False)
    monkeypatch.delattr("olmsolve.solver.backends.pysat", raising=False)
    for backend, hint in {
        module_of(PAGE, "picosat.py").PICOSAT: "pip install pycosat",
        module_of(PAGE, "cryptominisat.py").CryptoMiniSat: "pip install pycryptosat",
        "cadical195": "pip install python-sat",
    }.items():
        with pytest.raises(BackendError, match=hint):
            solve(_small(), backend=backend)
    assert names() == ("deciding", "python")


def test_missing_programs_are_backend_errors() -> None:
    """The same for programs, and for what is no command."""
    with pytest.raises(BackendError, match=r"cannot run no-such-solver: .*install it"):
        solve(_small(), backend=from_command(["no-such-solver", "{cnf}"]))
    nothing: list[str] = []
    for wrong in ("kissat -q", nothing):
        with pytest.raises(BackendError, match="a command is a list"):
            from_command(wrong)


def _program(lines: str) -> Backend:
    return from_command([sys.executable, "-c", lines], "program")


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("raise SystemExit(1)", "gave no answer: exit code 1"),
        ("import sys; sys.stderr.write('no licence\\nx'); sys.exit(3)", "exit code 3, no licence"),
        ("print('s UNKNOWN')", "gave no answer"),
        ("print('s SATISFIABLE')", "meets no literal"),
    ],
)
def test_programs_that_go_wrong(lines: str, message: str) -> None:
    """What a program says on its way out is all that helps."""
    with pytest.raises(BackendError, match=message):
        solve(_small(), backend=_program(lines))


_BY_BRUTE_FORCE = """
import itertools, sys
clauses = [[int(literal) for literal in line.split()[:-1]] for line in sys.stdin if line[0] not in "pc"]
count = max(abs(literal) for clause in clauses for literal in clause)
for values in itertools.product((1, -1), repeat=count):
    model = [value * variable for variable, value in enumerate(values, start=1)]
    if all(set(clause) & set(model) for clause in clauses):
        print("c a comment", "s SATISFIABLE", "v " + " ".join(map(str, model[:2])), sep="\\n")
        print("v " + " ".join(map(str, model[2:])) + " 0")
        sys.exit(10)
sys.exit(20)
"""


def test_programs_read_standard_input() -> None:
    """Without a place for a file; the exit code is an answer too."""
    assert solve(_small(), backend=_program(_BY_BRUTE_FORCE)) == solve(_small())
    assert solve(_small(satisfiable=False), backend=_program(_BY_BRUTE_FORCE)) == solve(_small(satisfiable=False))


def test_programs_end_with_the_time() -> None:
    """A process that nobody waits for would go on for hours."""
    started = time.monotonic()
    with pytest.raises(Incomplete, match="time budget"):
        solve(_small(), backend=_program("import time; time.sleep(60)"), budget=Budget(timeout=0.3))
    assert time.monotonic() - started < 20


def test_limits_that_a_backend_cannot_keep_are_refused() -> None:
    """A promise of two seconds that takes an hour is worse than a refusal."""
    with pytest.raises(BackendError, match="cannot be stopped"):
        solve(_small(), backend=Whole, budget=Budget(timeout=5))
    with pytest.raises(BackendError, match="counts no conflicts"):
        solve(_small(), backend=Stoppable, budget=Budget(conflicts=5))
    assert isinstance(solve(_small(), backend=Stoppable, budget=Budget(timeout=60)), Solution)


def test_limits_that_a_backend_keeps_late_are_said_before() -> None:
    """CaDiCaL tidies its clauses for a quarter of a second on the largest problems, where no limit reaches it."""
    late = {backend.name for backend in olmsolve.backends() if backend.limits and not backend.punctual}
    assert late == {name for name in names() if name.startswith("cadical")}
    assert "late" in olmsolve.render.backends_text([find("cadical195")])
    assert "late" not in olmsolve.render.backends_text([find("minisat22"), find("lingeling")])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [(PythonSolver(), "give a class or function"), (5, "is not a backend"), (dict, "has no method add_clause")],
)
def test_what_is_no_backend_is_refused(wrong: Any, message: str) -> None:
    """A solver that has answered once is the likeliest mistake."""
    with pytest.raises(BackendError, match=message):
        solve(_small(), backend=wrong)


def _register(monkeypatch: pytest.MonkeyPatch, **values: str) -> None:
    register(monkeypatch, {name: (EntryPoint(name, value, "olmsolve.backends"),) for name, value in values.items()})


def test_packages_register_backends(monkeypatch: pytest.MonkeyPatch) -> None:
    """A registered name works like one of ours, and a broken registration hides no other backend."""
    _register(
        monkeypatch,
        tiny="tests.solver.own_solvers:Whole",
        value="tests.solver.test_backends:VALUE",
        absent="no_such_package.backends:X",
        nothing="tests.solver.test_backends:nothing",
        number="tests.solver.test_backend_kit:SAMPLES",
        exits="tests.solver.leaving:X",
        minisat22="tests.solver.own_solvers:Stoppable",
    )
    listed = {backend.name: backend for backend in olmsolve.backends()}
    assert not listed["tiny"].assumptions
    assert listed["minisat22"].assumptions
    assert (listed["value"].name, listed["value"].limits) == ("value", True)
    assert "needs the module no_such_package" in listed["absent"].missing
    assert "is not there" in listed["nothing"].missing
    assert "is not a backend but an int" in listed["number"].missing
    assert "tests.solver.leaving:X, which cannot be imported: SystemExit: no licence" in listed["exits"].missing
    shadow = "it is registered as minisat22, which is the name of one of olmsolve's own"
    assert listed["tests.solver.own_solvers:Stoppable"].missing == shadow
    assert {"tiny", "value"} <= set(names())
    assert "absent" not in names()
    for name in ("tiny", "value"):
        assert solve(_small(satisfiable=False), backend=name) == solve(_small(satisfiable=False))
    for backend in ("absent", listed["absent"]):
        with pytest.raises(BackendError, match="pip install no_such_package"):
            solve(_small(), backend=backend)


def test_broken_registrations_beside_backends_that_are_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever asks for two backends hears of both: one that is broken, or shadowed, says so in its line."""
    _register(monkeypatch, absent="no_such_package.backends:X", python="tests.solver.own_solvers:Whole")
    assert main(["backends", "python", "absent"]) == 2
    out, err = capsys.readouterr()
    assert [line.split(" ")[0] for line in out.splitlines()][:3] == ["NAME", "python", "tests.solver.own_solvers:Whole"]
    assert "absent cannot be used: registered as no_such_package.backends:X: needs the module" in out
    assert err == ""
    assert main(["backends", "python"]) == 0
    assert main(["backends", "pythn"]) == 2
    assert "did you mean python?" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["hangs", "hang"])
def test_a_registered_package_that_hangs(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A package may ask a licence server while it is imported; a name that is not known looks at all packages."""
    (tmp_path / "a_hanging_package.py").write_text("import time\ntime.sleep(5)\n")
    monkeypatch.syspath_prepend(tmp_path)
    _register(monkeypatch, hangs="a_hanging_package:X")
    end = in_time(lambda: main(["backends", name, "--timeout", "0.3"]), 0.3)
    assert end.returned == 3
    assert "no answer within the time budget" in capsys.readouterr().err


VALUE = Backend("another name", PythonSolver, stopped_by=StoppedBy.CONFLICTS)


def test_a_solver_that_an_older_python_sat_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The names of python-sat's solvers change with its version; one that is gone is no error inside of it."""
    python_sat_has(monkeypatch)
    with pytest.raises(BackendError, match="not in the python-sat that is installed"):
        solve(_small(), backend="glucose4")


def test_a_module_that_cannot_be_imported() -> None:
    """A module that is there and broken needs other help than one that is missing."""
    assert missing_module(ImportError("libz.so.1: no such file")) == "cannot be imported: libz.so.1: no such file"
    assert missing_module(ModuleNotFoundError("no", name="a.b")).endswith("pip install a")


def test_two_packages_with_one_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which of them answers would depend on the order of installation."""
    twice = tuple(EntryPoint("twice", f"{module}:X", "olmsolve.backends") for module in ("a", "b"))
    register(monkeypatch, {"twice": twice})
    with pytest.raises(BackendError, match="registered more than once, as a:X and b:X"):
        solve(_small(), backend="twice")


def test_answers_are_pickled_whatever_backend_gave_them() -> None:
    """A backend made of a local function cannot be pickled, and the copy of an answer needs none to be explained."""
    local = Backend("local", lambda: PythonSolver())
    record = records(VENDORED / "classic_random.jsonl.gz")[0]
    request = request_of(record)
    plan = olmsolve.resolve(request, backend=local)
    copy = pickle.loads(pickle.dumps(plan))  # noqa: S301 - our own bytes
    assert (copy, copy.context.backend) == (plan, "deciding")
    name = plan.installs[0].name
    assert olmsolve.why(copy, name, request=request) == olmsolve.why(plan, name)
    kept = pickle.loads(pickle.dumps(olmsolve.resolve(request, backend="cadical195")))  # noqa: S301 - our own bytes
    assert kept.context.backend == "cadical195"


def test_every_verb_takes_a_backend_object() -> None:
    """Questions about an answer are asked of the backend that gave it."""
    request = olmsolve.read_request("olmsolve/examples/unsatisfiable.yaml")
    backend = Backend("mine", PythonSolver)
    assert olmsolve.is_satisfiable(request, backend=backend) is False
    with pytest.raises(olmsolve.Unsatisfiable) as failure:
        olmsolve.Resolver(request.sources, backend=backend).resolve(
            request.subscriptions, namespaces=request.namespaces, installed=request.installed
        )
    assert olmsolve.explanation(failure.value) == olmsolve.explanation(_failure(request))
    assert olmsolve.diff(request, request, backend=backend).to_dict() == olmsolve.diff(request, request).to_dict()
    compared = olmsolve.compare_semantics(request, backend=backend)
    assert compared.to_dict() == olmsolve.compare_semantics(request).to_dict()
    assert olmsolve.audit(request.sources, backend=backend) == olmsolve.audit(request.sources)


def _failure(request: olmsolve.Request) -> olmsolve.Unsatisfiable:
    with pytest.raises(olmsolve.Unsatisfiable) as failure:
        olmsolve.resolve(request)
    return failure.value


def test_a_core_needs_no_solver_that_gives_one() -> None:
    """The shortest contradictory beginning of the assumptions is a core."""
    core = solve(_small(satisfiable=False), backend=Whole)
    assert isinstance(core, Core)
    assert core == solve(_small(satisfiable=False))


def test_bad_limits_stay_errors_of_the_request() -> None:
    """They are refused before any backend is looked at."""
    with pytest.raises(RequestError, match="timeout"):
        olmsolve.resolve(olmsolve.read_request("olmsolve/examples/install.yaml"), backend=Whole, timeout=-1)


def test_a_function_is_asked_about_clauses_only() -> None:
    """Many programs refuse a problem without clauses, or take an empty clause for the end of their input."""

    def solver(clauses: Sequence[Sequence[int]]) -> Sequence[int]:
        assert clauses
        assert all(clauses)
        return [1]

    for clauses, answer in ([], True), ([[]], False), ([[1], []], False), ([[1]], True):
        session = create(from_function(solver, "particular"))
        for clause in clauses:
            session.add_clause(clause)
        assert session.solve() is answer
        session.close()
