"""Mutants have one small fault each, in code that runs; the runner is tried on no mutant at all."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.mutants.equivalence import EQUIVALENT, equivalents_in, is_equivalent, places_of
from tests.mutants.marking import with_marks
from tests.mutants.mutating import mutants_of, mutated, statements
from tests.mutants.notebook import Notebook
from tests.mutants.patching import LiveFunctions
from tests.mutants.rooms import ROOMS, ROOT
from tests.mutants.running import Baseline, RanTest

SOURCE = '''
"""A module of 3 lines < 5."""
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    LIMIT = 1

def least(values: list[int] | None, most: int = 2) -> int:
    """Return 1 or more."""
    assert most > 0
    for value in values or ():
        if not value <= most and value is not None:
            continue
        most -= 1
        print(value)
    return most
'''


def test_every_kind_of_fault() -> None:
    """Operators, constants, conditions, ways out and calls: nothing in docstrings, annotations and assertions."""
    assert [str(mutant) for mutant in mutants_of("m", SOURCE)] == [
        "m:7: 2 -> 3",
        "m:10: values or () -> values and ()",
        "m:11: if not value <= most and value is not None -> if False",
        "m:11: not value <= most and value is not None -> not value <= most or value is not None",
        "m:11: not value <= most -> value <= most",
        "m:11: value <= most -> value < most",
        "m:11: value is not None -> value is None",
        "m:12: continue -> break",
        "m:13: most -= 1 -> most += 1",
        "m:13: 1 -> 2",
        "m:14: print(value) left out",
        "m:15: return most -> return None",
    ]


def test_a_mutant_is_its_module_but_for_one_fault() -> None:
    """Each compiles, differs from the module, and no two are the same."""
    texts = {ast.unparse(mutated(SOURCE, mutant.number)) for mutant in mutants_of("m", SOURCE)}
    assert len(texts) == 12
    assert ast.unparse(ast.parse(SOURCE)) not in texts
    assert "for value in values and ():" in ast.unparse(mutated(SOURCE, 1))
    with pytest.raises(IndexError):
        mutated(SOURCE, 12)


@pytest.mark.parametrize("name", ROOMS)
def test_rooms_and_their_tests_are_there(name: str) -> None:
    """A room that has moved would have no mutants, and so no survivors."""
    assert len(ROOMS[name].modules()) > 3
    assert all((ROOT / test).exists() for test in ROOMS[name].tests)


def test_a_module_with_marks_is_the_same_but_for_them() -> None:
    """Each statement that runs leaves its mark, and no other one does."""
    tree = ast.parse(SOURCE)
    numbers = {statement: number for number, statement in enumerate(statements(tree))}
    lines = {number: statement.lineno for statement, number in numbers.items()}
    marks = bytearray(len(numbers))
    names: dict[str, Any] = {"__marks__": marks}
    exec(compile(with_marks(tree), "m", "exec", dont_inherit=True), names)  # noqa: S102 - our own text
    # Docstrings and the block for type checkers alone have no mark.
    assert {lines[number] for number, mark in enumerate(marks) if mark} == {3, 4, 7}
    assert names["__doc__"] == "A module of 3 lines < 5."
    assert names["least"]([5], 2) == 2
    assert {lines[number] for number, mark in enumerate(marks) if mark} == {3, 4, 7, 9, 10, 11, 12, 15}


def test_a_fault_is_put_into_living_functions() -> None:
    """Whoever holds the function already meets the mutant: nothing needs to be imported anew."""
    original = compile(ast.parse(SOURCE), "m", "exec", dont_inherit=True)
    names: dict[str, Any] = {}
    exec(original, names)  # noqa: S102 - our own text
    least = names["least"]
    living = LiveFunctions()
    number = next(mutant.number for mutant in mutants_of("m", SOURCE) if mutant.change == "return most -> return None")
    assert living.patch(original, compile(mutated(SOURCE, number), "m", "exec", dont_inherit=True)) == 1
    assert least([], 2) is None


def test_tests_that_run_the_fault_are_asked_and_quick_ones_first() -> None:
    """Other tests cannot find it; what runs before any test does is for the files that may have met it."""
    later = next(mutant for mutant in mutants_of("m", SOURCE) if mutant.runs_later)
    imported = next(mutant for mutant in mutants_of("m", SOURCE) if not mutant.runs_later)
    mine, other = f"{1 << later.statement:x}", f"{1 << imported.statement:x}"
    known = Baseline(
        (
            RanTest("a.py::slow", 2.0, {"m": mine}),
            RanTest("b.py::quick", 1.0, {"m": mine}),
            RanTest("b.py::blind", 0.1, {"m": other, "n": mine}),
            RanTest("c.py::endless", 99.0, {"m": mine}),
        ),
        {"a.py": {"m": other}, "b.py": {"n": mine}, "c.py": {}},
    )
    assert [test.name for test in known.tests_of(later)] == ["b.py::quick", "a.py::slow"]
    assert known.files_of(later) == ()
    assert known.files_of(imported) == ("b.py", "a.py")


def test_verdicts_hold_for_the_module_and_survivors_for_the_tests(tmp_path: Path) -> None:
    """A later run goes on from the notebook, and a line that was cut short is skipped."""
    path = tmp_path / "notebook"
    module, file = next(iter(ROOMS["semver"].modules().items()))
    killed, survivor, *_ = mutants_of(module, file.read_text("utf-8"))
    notebook = Notebook(path)
    notebook.add("semver", killed, "killed")
    notebook.add("semver", survivor, "survived")
    path.write_text(path.read_text("utf-8") + '{"key": "cut sh', "utf-8")
    reopened = Notebook(path)
    assert [reopened.verdict("semver", mutant) for mutant in (killed, survivor)] == ["killed", "survived"]
    changed = path.read_text("utf-8").replace('tests", "value": "', 'tests", "value": "other ')
    path.write_text(changed, "utf-8")
    assert [Notebook(path).verdict("semver", mutant) for mutant in (killed, survivor)] == ["killed", None]
    assert Notebook(path).survived_before("semver", survivor)


def test_equivalent_mutants_are_there() -> None:
    """An entry whose change has gone would hide another fault; lines around it may be edited, and modules move."""
    modules = {name: path for room in ROOMS.values() for name, path in room.modules().items()}
    places = {name: places_of(name, path.read_text("utf-8")) for name, path in modules.items()}
    stale = []
    for equivalent in EQUIVALENT:
        key = equivalent.function, equivalent.change
        names = [name for name in places if key in places[name] and equivalent.module in ("", name)]
        # Two modules with one entry would each need to be read.
        if len(names) != 1 or equivalent.count != len(places[names[0]][key]):
            stale.append(f"{equivalent} is in {names}, {[len(places[name][key]) for name in names]} times")
    assert stale == []
    assert len(set(EQUIVALENT)) == len(EQUIVALENT)


def test_an_equivalent_mutant_is_recognised() -> None:
    """By its function, its change and, where the function has it several times, its position."""
    source = "LIMIT = 1\n\nclass A:\n    def b(self):\n        return 1 + 1\n"
    mutants = [mutant for mutant in mutants_of("m", source) if mutant.change == "1 -> 2"]
    assert [len(numbers) for _, numbers in sorted(places_of("m", source).items()) if len(numbers) > 1] == [2]
    known = {
        (equivalent.function, equivalent.change): equivalent
        for equivalent in equivalents_in("# why\nA.b: 1 -> 2 [2 of 2]; + -> -\n")
    }
    assert known["A.b", "1 -> 2"].positions == (2,)
    # A change that the function has once is named by its kind alone.
    assert known["A.b", "+ -> -"].positions == (1,)
    assert ("A.b", "+ -> -") in places_of("m", source)
    assert [is_equivalent(mutant, source) for mutant in mutants] == [False, False, False]
    with pytest.raises(ValueError, match="no entry, or one without a reason"):
        list(equivalents_in("A.b: 1 -> 2\n"))


def test_the_command_says_how_far_it_came(tmp_path: Path) -> None:
    """Without any time it plants nothing, and tells how many mutants there would be."""
    command = [
        sys.executable,
        "-m",
        "tests.mutants",
        "update_graph",
        "--seconds",
        "0",
        "--state",
        str(tmp_path / "state"),
    ]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    head, line = process.stdout.split("\n")[1:3]
    assert head.split()[:7] == ["room", "mutants", "tried", "killed", "late", "survived", "share"]
    assert line.split()[0] == "update_graph"
    assert int(line.split()[1]) > 100
    assert line.split()[2:] == ["0", "0", "0", "0", "-", "0", "-"]


def test_modules_are_chosen_by_the_end_of_their_name(tmp_path: Path) -> None:
    """Whoever works on one module tries its mutants alone; half a name is none."""
    counts = []
    for names in (["core_oracle"], ["deciding.core_oracle"], ["oracle"]):
        options = [option for name in names for option in ("--module", name)]
        state = ["--seconds", "0", "--state", str(tmp_path / "state")]
        command = [sys.executable, "-m", "tests.mutants", "solver", *options, *state]
        process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        counts.append(int(process.stdout.split("\n")[2].split()[1]))
    assert counts[0] > counts[1] > 0
    assert counts[2] == 0


def test_the_statements_that_a_test_runs_are_measured() -> None:
    """Whoever loads the package's modules before the tool would hide what runs, and each mutant would survive."""
    script = (
        "from tests.mutants.rooms import ROOMS\n"
        "from tests.mutants.running import measured, preload\n"
        "preload()\n"
        "_, tests = measured(ROOMS['update_graph'], ROOMS['update_graph'].test_files()[0])\n"
        "print(all(test.statements for test in tests) and len(tests))\n"
    )
    run = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert int(run.stdout.splitlines()[-1]) > 0, run.stdout


def test_a_fault_in_a_function_with_a_message_is_found() -> None:
    """The suite compiles functions with notes of their messages, so live ones would keep their code, and hide it."""
    # Imports the module with the fault while tests are collected.
    tests = "tests/solver/test_descents.py"
    script = (
        "from tests.mutants.mutating import mutants_of\n"
        "from tests.mutants.rooms import ROOMS, MutatedRoom\n"
        "from tests.mutants.running import CollectedRoom, RanTest, preload\n"
        "preload()\n"
        "source = ROOMS['solver'].modules()['olmsolve.solver.core'].read_text()\n"
        "known = {mutant.change: mutant for mutant in mutants_of('olmsolve.solver.core', source)}\n"
        f"room = CollectedRoom(MutatedRoom('olmsolve/solver', ('{tests}',)))\n"
        f"test = RanTest('{tests}::test_a_problem_with_a_solution_has_no_core', 1.0, {{}})\n"
        "for change in ('core is None -> core is not None', 'return members -> return None'):\n"
        "    print(room.verdict(known[change], [test]))\n"
        "room.close()\n"
    )
    run = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    # The problem has a solution, so no members are returned.
    assert run.stdout.splitlines()[-2:] == ["killed", "survived"], (run.stdout, run.stderr)
