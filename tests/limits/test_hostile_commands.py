"""Commands that plan ways, edit catalogs and write them, on input made to be long: each ends with its limit.

Each runs in a process whose address space is limited, by the clock of ``tests.attacks``. A sample of them is tried,
OLMSOLVE_TESTS=long tries all. ``test_stretches.py`` finds the loops that forget the limits, wherever they are in a run;
what is left for the clock are long calls of C, collections of garbage and the end of a process.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import pytest

from tests.attacks import IN_TIME, attacked, check_ended
from tests.limits.hostile_catalogs import CATALOGS, COMMANDS, written
from tests.scale import LONG

_LIMIT: Final = 0.5
_EVERY: Final = [(name, command) for name in CATALOGS for command in COMMANDS]


@pytest.mark.parametrize(("name", "command"), _EVERY if LONG else _EVERY[:: len(COMMANDS) // 2 + 3])
def test_it_ends_with_its_limit(name: str, command: str, tmp_path: Path) -> None:
    """Ways through versions and edits of graphs are long where catalogs are: no loop of them forgets its limit."""
    catalog, cluster = written(name, tmp_path)
    line = command.format(catalog=catalog, cluster=cluster).split()
    for _ in range(3):
        run = attacked(*line, timeout=_LIMIT, megabytes=100 + 10 * (catalog.stat().st_size >> 20))
        # What is late by its nature is late each time.
        if run.late < IN_TIME:
            break
    assert "usage:" not in run.err, run
    check_ended(run)


_KEYS: Final = "".join(f"k{number} = 1\n" for number in range(80_000))
PROJECTS: Final = {
    "80,000 keys": _KEYS,
    "a key of 300,000 parts": "a." * 300_000 + "k = 1\n",
    "arrays of 100,000 levels": "a = " + "[" * 100_000,
    "text that forges a command": '"a\\n::error::x\\u001b[31m" = "b\\n::error::y"\n',
}


@pytest.mark.parametrize("name", PROJECTS)
def test_project_files(name: str, tmp_path: Path) -> None:
    """A repository of a stranger has a project file, which every command below its folder reads."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "olmsolve.toml").write_text(PROJECTS[name])
    run = attacked("where", timeout=_LIMIT, folder=tmp_path)
    check_ended(run)
    assert run.code in (2, 3), run
    assert "\x1b" not in run.err
    assert not any(line.startswith("::") for line in run.err.splitlines())


def test_project_files_that_are_no_files(tmp_path: Path) -> None:
    """A FIFO and a device are passed over; nobody waits for them."""
    (tmp_path / ".git").mkdir()
    os.mkfifo(tmp_path / "olmsolve.toml")
    (tmp_path / "pyproject.toml").symlink_to("/dev/zero")
    run = attacked("where", timeout=_LIMIT, folder=tmp_path)
    assert (run.code, run.late) == (0, 0.0), run
    assert run.out.startswith("No project file")


@pytest.mark.parametrize("columns", ["1", "0", "-5", "1000000000", "9" * 5_000, "x"])
def test_widths_that_no_terminal_has(columns: str) -> None:
    """Whoever sets the variables of a job may set this one as well."""
    run = attacked("help", "exit-codes", timeout=5.0, environment={"COLUMNS": columns})
    check_ended(run)
    assert run.code in (0, 2), run
