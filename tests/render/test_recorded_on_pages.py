"""What OLM has recorded decides the state on the page of a situation, and its reason stands beside the state."""

from __future__ import annotations

from typing import Any

import olmsolve
from olmsolve import render
from tests.cluster.test_recorded_conditions import condition, reporting
from tests.simulation.small_clusters import Version, catalog, group, operator

OLM = "operators.coreos.com/v1alpha1"
ONE = Version("1.0.0", ("E.v1",))
CATALOG = {"apiVersion": OLM, "kind": "CatalogSource", "metadata": {"name": "main", "namespace": "olm"}}


def page(*objects: dict[str, Any]) -> str:
    dump = {"apiVersion": "v1", "kind": "List", "items": [group("ns"), CATALOG, *objects]}
    situation = olmsolve.read_situation(dump, catalogs={"olm/main": catalog(e=[ONE])})
    return render.situation_plan_html(olmsolve.plan(situation))


def test_a_recorded_fault_is_the_state_and_its_reason_is_in_the_row() -> None:
    """The model has nothing to do here: a green "at rest" would send the reader away from a bundle without an image."""
    failed = condition("BundleUnpackFailed", "BundleUnpackFailed", "bundle unpacking failed: ErrImagePull")
    text = page(
        reporting("e", failed, installedCSV="e.v1.0.0", currentCSV="e.v1.0.0", state="AtLatestKnown"),
        operator("ns", "e", ONE),
    )
    assert 'data-state="broken"' in text
    assert 'data-state="rest"' not in text
    row = text.partition('<span class="soft reason">')[2].partition("</span>")[0]
    assert row.endswith("OLM could not unpack a bundle (BundleUnpackFailed: bundle unpacking failed: ErrImagePull)")


def test_a_catalog_of_which_nothing_is_known_is_not_good() -> None:
    """A dump may lack the state of the connection; green would say that it serves."""
    text = page(reporting("e", installedCSV="e.v1.0.0", currentCSV="e.v1.0.0"), operator("ns", "e", ONE))
    assert '<span class="mark unknown">unknown</span>' in text
