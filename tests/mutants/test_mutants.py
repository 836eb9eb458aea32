"""Mutants have one small fault each, in code that runs; the runner is tried on no mutant at all."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mutants.mutating import mutants_of, mutated
from tests.mutants.rooms import ROOMS, ROOT

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
    assert all((ROOT / each).exists() for each in ROOMS[name].tests)


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
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    head, line = done.stdout.split("\n")[1:3]
    assert head.split() == ["room", "mutants", "tried", "killed", "late", "survived", "share"]
    assert line.split()[0] == "update_graph"
    assert int(line.split()[1]) > 100
    assert line.split()[2:] == ["0", "0", "0", "0", "-"]
