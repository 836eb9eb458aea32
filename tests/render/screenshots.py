"""``python -m tests.render.screenshots [FOLDER]``: photograph pages for docs/images, by default, in Chromium.

The requests and clusters are those of the tests, so the pictures show what the tests are about.
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
from pathlib import Path
from typing import Final, NamedTuple

import olmsolve
from olmsolve import render
from olmsolve.lifecycle.planning import explained_failures
from olmsolve.testing import FleetShape, fleet, next_version
from olmsolve.testing.synthetic import realistic_catalog
from tests.browser import CHROMIUM, opened
from tests.render.clusters import small
from tests.scenarios.dumps.files import cluster_arguments

IMAGES: Final = Path(__file__).parents[2] / "docs/images"
EXAMPLES: Final = Path(olmsolve.__file__).parent / "examples"


class Shot(NamedTuple):
    """The page *name* in a window of this size (pixels), and whether its reader prefers dark pages."""

    name: str
    page: str
    width: int
    height: int
    dark: bool


def shots(folder: Path) -> tuple[Shot, ...]:
    """Return the pictures of docs/pages.md."""
    plan = olmsolve.resolve(olmsolve.read_request(EXAMPLES / "upgrade.yaml"))
    # Explanations name files; relative names are the same on every machine.
    with contextlib.chdir(folder):
        _, dump, *rest = cluster_arguments(small(), Path())
        return _shots(plan, dump, rest)


def fleet_shot() -> Shot:
    """Return the picture of docs/impact.md: the page of 400 clusters, with the class at its top open."""
    old = realistic_catalog(60)
    new = next_version(old, 30, seed=7)
    clusters = fleet(old, FleetShape(clusters=400, templates=12, drift=0.01, lag=2), seed=2)
    report = olmsolve.impact(clusters, before={"olm/main": old}, after={"olm/main": new})
    page = render.impact_html(report, before={"olm/main": old}, after={"olm/main": new})
    shown = page.replace('<details class="item"', '<details open class="item"', 1)
    return Shot("fleet", shown.replace('class="updates-table" open', 'class="updates-table"'), 1100, 1000, False)


def _shots(plan: olmsolve.Resolution, dump: str, rest: list[str]) -> tuple[Shot, ...]:
    situation = olmsolve.read_situation(dump, catalogs=dict(each.split("=", 1) for each in rest[1::2]))
    found = olmsolve.plan(situation)
    cluster = render.situation_plan_html(found, explained_failures(found, situation))
    timeline = render.simulation_html(olmsolve.simulate(situation))
    return (
        Shot("plan", render.plan_html(plan, held_back=olmsolve.held_back(plan)), 980, 980, False),
        Shot("cluster", cluster.replace('class="why"', 'class="why" open', 1), 1100, 1130, False),
        Shot("timeline", timeline, 1100, 1000, True),
    )


def main(target: Path) -> None:
    """Write each picture to the folder *target*."""
    if CHROMIUM is None:
        raise SystemExit("needs Chromium")
    with tempfile.TemporaryDirectory() as name, opened(Path(name)) as browser:
        for shot in (*shots(Path(name)), fleet_shot()):
            picture = browser.photographed(shot.page, width=shot.width, height=shot.height, dark=shot.dark)
            (target / f"{shot.name}.png").write_bytes(picture)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGES)
