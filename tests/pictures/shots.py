"""The pages whose pictures are in docs/images, made by the code as it is.

The requests are those of the bundled example; the clusters are those of the tests, and a fleet is generated.
"""

from __future__ import annotations

import contextlib
import io
import re
import shutil
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

import olmsolve
from olmsolve import render
from olmsolve.cli import main
from olmsolve.lifecycle.planning import explained_failures
from olmsolve.testing import FleetShape, fleet, next_version
from olmsolve.testing.synthetic import realistic_catalog
from tests.render.clusters import small
from tests.scenarios.dumps.files import cluster_arguments

__all__ = ["SHOTS", "Shot", "page_of"]


# When this checkout was written is in no picture, or none could be told to be old.
_DATE: Final = re.compile(r"\b\d{4}-\d\d-\d\d \d\d:\d\d UTC")


class Shot(NamedTuple):
    """A page in a window of this size (pixels), whether its reader prefers dark pages, and the pages that show it."""

    page: Callable[[], str]
    width: int
    height: int
    dark: bool
    shown_by: str


def _printed(*arguments: str) -> str:
    """Return what a command prints."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        main(arguments)
    return out.getvalue()


def _situation() -> olmsolve.Situation:
    _, dump, *rest = cluster_arguments(small(), Path())
    return olmsolve.read_situation(dump, catalogs=dict(each.split("=", 1) for each in rest[1::2]))


def _cluster() -> str:
    situation = _situation()
    found = olmsolve.plan(situation)
    page = render.situation_plan_html(found, explained_failures(found, situation))
    return page.replace('class="why"', 'class="why" open', 1)


def _timeline() -> str:
    return render.simulation_html(olmsolve.simulate(_situation()))


def _fleet() -> str:
    """Return the page of 400 clusters, with the class at its top open."""
    old = realistic_catalog(60)
    new = next_version(old, 30, seed=7)
    clusters = fleet(old, FleetShape(clusters=400, templates=12, drift=0.01, lag=2), seed=2)
    report = olmsolve.impact(clusters, before={"olm/main": old}, after={"olm/main": new})
    page = render.impact_html(report, before={"olm/main": old}, after={"olm/main": new})
    shown = page.replace('<details class="item"', '<details open class="item"', 1)
    return shown.replace('class="updates-table" open', 'class="updates-table"')


SHOTS: Final[Mapping[str, Shot]] = MappingProxyType(
    {
        "plan": Shot(partial(_printed, "resolve", "demo/upgrade.yaml", "-o", "html"), 980, 980, False, "pages.md"),
        "explanation": Shot(
            partial(_printed, "explain", "demo/unsatisfiable.yaml", "-o", "html"), 1000, 1180, True, "pages.md"
        ),
        "cluster": Shot(_cluster, 1100, 1130, False, "pages.md"),
        "timeline": Shot(_timeline, 1100, 1000, True, "pages.md"),
        "graph": Shot(
            partial(_printed, "graph", "demo/lanes.yaml", "-o", "html", "--installed", "lantern.v1.2.1"),
            900,
            490,
            False,
            "graph.md",
        ),
        "fleet": Shot(_fleet, 1100, 1000, False, "impact.md"),
    }
)


def page_of(name: str, folder: Path) -> str:
    """Return the page of the picture *name*, made in the empty *folder*: pages name files by relative paths."""
    folder.mkdir()
    shutil.copytree(Path(olmsolve.__file__).parent / "examples", folder / "demo")
    with contextlib.chdir(folder):
        return _DATE.sub("2026-11-28 04:00 UTC", SHOTS[name].page())
