"""The walk through a cluster: its commands print what docs/cluster-walkthrough.md shows."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest

from olmsolve.catalog import fbc
from tests.cli.commands import Run
from tests.recorded import real_catalog, shared

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/cluster-walkthrough.md"
_BLOCK = re.compile(
    r"^```console\n\$ olmsolve (?P<arguments>(?:[^\n]*\\\n)*[^\n]*)\n(?P<output>.*?)^```$", re.MULTILINE | re.DOTALL
)
SHOWN = [(block["arguments"], block["output"]) for block in _BLOCK.finditer(PAGE.read_text("utf-8"))]


@pytest.mark.parametrize(("arguments", "output"), SHOWN, ids=[f"{n} {s[0].split()[0]}" for n, s in enumerate(SHOWN)])
def test_the_walkthrough_shows_what_is_printed(
    olmsolve: Run, monkeypatch: pytest.MonkeyPatch, arguments: str, output: str
) -> None:
    """Twelve operators and two real catalogs, resolved, planned and simulated. UPDATE_SNAPSHOTS=1 writes it anew."""
    catalogs = shared() / "catalogs"
    # Each catalog once for all tests: reading them is not what is tested here.
    loaded = {catalogs / name: real_catalog(name) for name in re.findall(r"=catalogs/(\S+)", arguments)}
    monkeypatch.setattr(fbc, "load", lambda path, **_: loaded[path])
    monkeypatch.chdir(ROOT)
    monkeypatch.delenv("COLUMNS", raising=False)
    given = [argument.replace("=catalogs/", f"={catalogs}/") for argument in shlex.split(arguments.replace("\\\n", ""))]
    printed = olmsolve(*given).out
    if "UPDATE_SNAPSHOTS" in os.environ:
        text = PAGE.read_text("utf-8")
        shown = f"```console\n$ olmsolve {arguments}\n"
        PAGE.write_text(text.replace(f"{shown}{output}```", f"{shown}{printed}```"), "utf-8")
        return
    assert printed == output
