"""No command works for long between two looks at its limits: the promise of 0.2 s, without a clock.

``test_hostile_commands.py`` ends commands at one moment, and sees a loop that forgets the limits only if it runs then.
Here all stretches of a run count, on a part of each catalog.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from olmsolve import Incomplete
from olmsolve._limits import check, limited
from olmsolve.cli import main
from olmsolve.cli.output import json_text, yaml_text
from tests.limits.hostile_catalogs import CATALOGS, COMMANDS, MORE_COMMANDS, written
from tests.limits.stretches import longest_stretch
from tests.scale import LONG

# Ways through a quarter show what grows with the square better than through a sixteenth, and take four times as long.
_PART: Final = 4 if LONG else 16
_MOST: Final = 480_000 // _PART
"""The most calls and returns of a stretch on a part of a catalog; on all of it, 0.03 to 0.08 s.

A second has 6 to 18 million of them: few where functions are long, many where generators yield one value after the
other.
"""
_MOST_LOOKS: Final = 2_000 if LONG else 1_000
"""The looks after which a run ends: journeys have ten thousands, all alike."""
_WARM: Final = 100
"""The part of a catalog on which a command runs first: what it imports, it imports once."""


def _pairs() -> list[tuple[str, str]]:
    """Return all pairs of a catalog and a command; in the short run, each command with one of the catalogs."""
    names = list(CATALOGS)
    return [
        (name, command)
        for at, command in enumerate((*COMMANDS, *MORE_COMMANDS))
        for name in (names if LONG else [names[at % len(names)]])
    ]


@pytest.mark.parametrize(("name", "command"), _pairs())
def test_a_command_looks_at_its_limits_all_the_time(name: str, command: str, tmp_path: Path) -> None:
    """Whenever the time is over, a loop without a look at the limits would go on to its end."""

    def arguments(part: int) -> list[str]:
        folder = tmp_path / str(part)
        folder.mkdir()
        catalog, cluster = written(name, folder, part)
        return [*command.format(catalog=catalog, cluster=cluster).split(), "--timeout", "1000"]

    _run(arguments(_WARM))
    line = arguments(_PART)
    stretch = longest_stretch(lambda: _run(line), _MOST_LOOKS)
    assert stretch.events <= _MOST, str(stretch)


def _run(arguments: list[str]) -> None:
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()) as errors:
        main(arguments)
    assert "usage:" not in errors.getvalue(), errors.getvalue()


@pytest.mark.parametrize("text_of", [yaml_text, partial(json_text, indent=2)])
def test_documents_are_written_with_looks_at_the_limits(text_of: Callable[[Any], str]) -> None:
    """A list of 90,000 bundles takes seconds; an answer of usual size is written even if the time is over by then."""
    document = {"bundles": [{"name": f"p.v{number}", "skips": ["p.v0"]} for number in range(2_000)]}

    def write() -> None:
        with limited(timeout=1000.0):
            text_of(document)

    assert longest_stretch(write).events < 300_000

    with limited(timeout=1e-9):
        text_of({"bundles": document["bundles"][:50]})
        with pytest.raises(Incomplete):
            text_of(document)


def test_a_stretch_has_its_calls_and_returns() -> None:
    """The measure sees functions in C too, and ends a run that has looked often enough."""

    def forgetful() -> None:
        with limited(timeout=1000.0):
            check()
            for number in range(1_000):
                abs(number)
            check()

    stretch = longest_stretch(forgetful)
    assert 2_000 <= stretch.events < 2_300
    assert len(stretch.before) == len(stretch.after) == 0, "the code is outside of olmsolve"
    with pytest.raises(Incomplete):
        longest_stretch(forgetful, 1)
