"""Fleets for tests: the same from one seed, old bundles of the catalog, and as alike as they were asked to be."""

from __future__ import annotations

import pytest

import olmsolve
from olmsolve.lifecycle.impact import form_key, normal_form
from olmsolve.testing import FleetShape, catalog_of, fleet, next_version, package
from olmsolve.testing.synthetic import realistic_catalog

CATALOG = catalog_of(
    package("ledger").channel("stable", "1.0.0 < 1.1.0 < 2.0.0"), package("cache").channel("stable", "1.0.0 < 1.1.0")
)
ALIKE = FleetShape(clusters=30, templates=2, drift=0)


def keys(shape: FleetShape, *, seed: int = 1) -> list[str]:
    return [form_key(normal_form(cluster.documents())) for cluster in fleet(CATALOG, shape, seed=seed)]


def test_the_same_seed_draws_the_same_fleet() -> None:
    """A failing test must fail again."""
    first, repeated, other = (list(fleet(CATALOG, ALIKE, seed=seed)) for seed in (1, 1, 2))
    assert first == repeated
    assert first != other


def test_clusters_of_a_template_are_alike_until_they_drift() -> None:
    """Templates are the classes of a fleet; drift makes classes of few."""
    assert len(set(keys(ALIKE))) <= 2
    assert len(set(keys(FleetShape(clusters=30, templates=2, drift=1, lag=2)))) > 2


def test_every_cluster_can_be_read_and_has_bundles_of_the_catalog() -> None:
    """Clusters age on the catalog's own history, so that updates lead on from where they are."""
    catalog = realistic_catalog(12)
    bundles = {name for package in catalog for name in package.bundles}
    installed = set()
    for cluster in fleet(catalog, FleetShape(clusters=10)):
        situation = olmsolve.read_situation(*cluster.sources, catalogs={"olm/main": catalog})
        assert situation.cluster is not None
        csvs = situation.cluster.state.all(olmsolve.cluster.objects.ClusterServiceVersion)
        installed |= {csv.name for csv in csvs}
    assert installed
    assert installed <= bundles


def test_a_catalog_without_history_is_refused() -> None:
    """There would be nothing to install."""
    with pytest.raises(olmsolve.RequestError, match="no channel has a bundle"):
        next(fleet(olmsolve.Catalog({}), ALIKE))


def test_a_next_version_changes_as_many_packages_as_it_was_asked_to() -> None:
    """Each of them has another head, and everything else stays as it was."""
    catalog = realistic_catalog(40)
    changed = next_version(catalog, 12, seed=2)
    assert changed == next_version(catalog, 12, seed=2)
    differing = [package.name for package in catalog if changed.packages[package.name] != package]
    assert len(differing) == 12
    added = {name for package in changed for name in package.bundles} - {
        name for package in catalog for name in package.bundles
    }
    heads = {entry.name for package in changed for entry in package.channels[package.default_channel].entries}
    assert added
    assert added <= heads
    with pytest.raises(olmsolve.RequestError, match="packages have a version to follow"):
        next_version(CATALOG, 3)
