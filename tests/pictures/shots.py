"""The pages whose pictures are in docs/images, made by the code as it is.

The requests are those of the bundled example; the clusters are those of the tests, and a fleet is generated.
"""

from __future__ import annotations

import contextlib
import io
import shutil
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

import pytest

import olmsolve
from olmsolve import render
from olmsolve.cli import main
from olmsolve.testing import FleetShape, fleet, next_version
from olmsolve.testing.synthetic import realistic_catalog
from tests.render.clusters import small
from tests.scenarios.dumps.files import cluster_arguments

__all__ = ["SHOTS", "Shot", "fleet_page", "made_in", "page_of", "printed"]

_NOW: Final = "1795838400"  # 2026-11-28


class Shot(NamedTuple):
    """A page in a window of this size (pixels), and the page of the documentation that shows it."""

    page: Callable[[], str]
    width: int
    height: int
    shown_by: str

    @staticmethod
    def files(name: str) -> dict[str, bool]:
        """Return the files of the picture *name*, and whether the reader of each prefers dark pages."""
        return {f"{name}.png": False, f"{name}-dark.png": True}


def printed(*arguments: str) -> str:
    """Return what a command prints."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        main(arguments)
    return out.getvalue()


def _cluster() -> str:
    page = printed("plan", *cluster_arguments(small(), Path()), "-o", "html")
    return page.replace('class="why"', 'class="why" open', 1)


def _timeline() -> str:
    return printed("simulate", *cluster_arguments(small(), Path()), "-o", "html")


def fleet_page(count: int) -> str:
    """Return the page of *count* clusters, with the class at its top open."""
    old = realistic_catalog(60)
    new = next_version(old, 30, seed=7)
    clusters = fleet(old, FleetShape(clusters=count, templates=12, drift=0.01, lag=2), seed=2)
    report = olmsolve.impact(clusters, before={"olm/main": old}, after={"olm/main": new})
    page = render.impact_html(report, before={"olm/main": old}, after={"olm/main": new}, about=["clusters fleet"])
    shown = page.replace('<details class="item"', '<details open class="item"', 1)
    return shown.replace('class="updates-table" open', 'class="updates-table"')


SHOTS: Final[Mapping[str, Shot]] = MappingProxyType(
    {
        "plan": Shot(partial(printed, "resolve", "demo/upgrade.yaml", "-o", "html"), 980, 980, "pages.md"),
        "explanation": Shot(
            partial(printed, "explain", "demo/unsatisfiable.yaml", "-o", "html"), 1000, 1180, "pages.md"
        ),
        "cluster": Shot(_cluster, 1100, 1130, "pages.md"),
        "timeline": Shot(_timeline, 1100, 1000, "pages.md"),
        "graph": Shot(
            partial(printed, "graph", "demo/lanes.yaml", "-o", "html", "--installed", "lantern.v1.2.1"),
            900,
            490,
            "graph.md",
        ),
        "fleet": Shot(partial(fleet_page, 400), 1100, 1000, "impact.md"),
    }
)


def page_of(name: str, folder: Path) -> str:
    """Return the page of the picture *name*, made in the empty *folder*: pages name files by relative paths."""
    return made_in(folder, SHOTS[name].page)


def made_in(folder: Path, page: Callable[[], str]) -> str:
    """Return *page*, made in the empty *folder* with the bundled example, at a time that is always the same."""
    folder.mkdir()
    shutil.copytree(Path(olmsolve.__file__).parent / "examples", folder / "demo")
    # When this checkout was written is in no picture, or none could be told to be old.
    with contextlib.chdir(folder), pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", _NOW)
        return page()
