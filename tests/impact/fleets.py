"""Fleets for the tests of this folder: a small catalog with history, its next version, and clusters that lag."""

from __future__ import annotations

from functools import cache

from olmsolve.catalog import Catalog
from olmsolve.requests import RecordedCluster
from olmsolve.testing import FleetShape, fleet
from tests.simulation.small_clusters import Version, catalog

KEY = "olm/main"


def chain(count: int, owns: str = "", requires: tuple[str, ...] = ()) -> list[Version]:
    """Versions 1.0.0 to *count*.0.0, each replacing the one before; the newest *requires* these APIs."""
    return [
        Version(
            f"{number}.0.0",
            owns=(owns,) if owns else (),
            replaces=f"{number - 1}.0.0" if number > 1 else "",
            requires=requires if number == count else (),
        )
        for number in range(1, count + 1)
    ]


@cache
def old() -> Catalog:
    """The catalog that the clusters have."""
    return catalog(
        ledger=chain(4, "Ledger.v1"),
        cache=chain(3, "Cache.v1"),
        queue=chain(5),
        vault=chain(3, requires=("Cache.v1",)),
        mirror=chain(2),
    )


@cache
def new() -> Catalog:
    """Its next version: updates, one that requires what nothing gives, a package without its newest, one less."""
    return catalog(
        ledger=chain(5, "Ledger.v1"),
        cache=chain(4, "Cache.v1"),
        queue=[*chain(5), Version("6.0.0", replaces="5.0.0", requires=("Nothing.v1",))],
        vault=chain(2),
    )


def clusters(count: int, *, seed: int = 1, templates: int = 6) -> list[RecordedCluster]:
    """A fleet of *count* clusters on the old catalog."""
    shape = FleetShape(clusters=count, templates=templates, drift=0.05)
    return list(fleet(old(), shape, seed=seed))
