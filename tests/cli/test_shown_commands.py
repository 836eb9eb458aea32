"""Commands in the documentation print what it shows."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.commands import Run

ROOT = Path(__file__).parents[2]
PAGES = (
    "authoring.md",
    "backends.md",
    "cnf.md",
    "crd-upgrades.md",
    "explain.md",
    "fuzzing.md",
    "impact.md",
    "install-plans.md",
    "reduce.md",
    "simulation.md",
)
_BLOCK = re.compile(r"^```console\n\$ olmsolve (?P<arguments>[^\n]*)\n(?P<output>.*?)^```$", re.MULTILINE | re.DOTALL)


def _shown(page: str) -> list[tuple[str, str]]:
    return [
        (found["arguments"], found["output"]) for found in _BLOCK.finditer((ROOT / "docs" / page).read_text("utf-8"))
    ]


@pytest.mark.parametrize(
    ("arguments", "output"),
    [shown for page in PAGES for shown in _shown(page)],
    ids=lambda value: value.split()[0],
)
def test_the_documentation_shows_what_is_printed(
    olmsolve: Run, monkeypatch: pytest.MonkeyPatch, arguments: str, output: str
) -> None:
    """People compare what they see with the page, and then trust neither."""
    monkeypatch.chdir(ROOT)
    assert olmsolve(*shlex.split(arguments)).out == output
