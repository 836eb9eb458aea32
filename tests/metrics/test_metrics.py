"""OLM's metrics of states, simulations and resolutions, as data and as text for Prometheus."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry
from prometheus_client.parser import text_string_to_metric_families

from olmsolve import FamiliesCollector, exposition
from olmsolve.lifecycle.metrics import MetricFamily, ResolutionTimes, cluster_metrics, simulation_metrics
from tests.simulation.small_clusters import (
    Version,
    catalog,
    cluster,
    group,
    installed,
    operator,
    simulate,
)

ONE, TWO = Version("1.0.0", ("E.v1",)), Version("2.0.0", ("E.v1",), replaces="1.0.0")
PAGE = (Path(__file__).parents[2] / "docs/metrics.md").read_text("utf-8")


def _by_name(families: tuple[MetricFamily, ...]) -> dict[str, MetricFamily]:
    return {family.name: family for family in families}


def test_states_are_counted() -> None:
    """One catalog that does not say that it is ready, three operators of which one failed, two namespaces."""
    copied = operator("other", "e", ONE, reason="Copied")
    state = cluster(
        group("ns"),
        installed("ns", "e", ONE),
        operator("ns", "f", TWO, phase="Failed", reason="OwnerConflict"),
        copied,
    )
    families = _by_name(cluster_metrics(state))
    assert {name: [sample.value for sample in family.samples] for name, family in families.items()} == {
        "catalog_source_count": [1],
        "catalogsource_ready": [0],
        "csv_abnormal": [1],
        "csv_count": [2],
        "csv_succeeded": [1, 0],
        "install_plan_count": [0],
        "subscription_count": [1],
    }
    assert families["csv_abnormal"].samples[0].labels == {
        "name": "f.v2.0.0",
        "namespace": "ns",
        "phase": "Failed",
        "reason": "OwnerConflict",
        "version": "2.0.0",
    }


def test_simulations_are_counted() -> None:
    """One update in one step; the subscription is looked at once, and has the new operator then."""
    state = cluster(group("ns"), installed("ns", "e", ONE))
    families = _by_name(simulation_metrics(simulate(state, {"olm/main": catalog(e=[ONE, TWO])})))
    assert families["csv_upgrade_count"].samples[0].value == 1
    (sync,) = families["subscription_sync_total"].samples
    assert (sync.value, sync.labels) == (1, {"channel": "stable", "installed": "e.v2.0.0", "name": "e"})
    assert families["csv_succeeded"].samples[0].labels["name"] == "e.v2.0.0"


def test_resolutions_are_measured_by_outcome() -> None:
    """On a clock that ticks once a look; what raises has failed, and is raised."""
    ticks = iter(range(100))
    times = ResolutionTimes(clock=lambda: float(next(ticks)))
    assert times.measured(lambda: "plan")() == "plan"
    with pytest.raises(ValueError, match="none"):
        times.measured(lambda: int("none"))()
    times.measured(lambda: "plan")()
    (family,) = times.families()
    values = {(sample.labels["outcome"], sample.suffix): sample.value for sample in family.samples}
    assert values == {
        ("failed", "_count"): 1,
        ("failed", "_sum"): 1,
        ("succeeded", "_count"): 2,
        ("succeeded", "_sum"): 2,
    }


def _all_families() -> tuple[MetricFamily, ...]:
    state = cluster(group("ns"), installed("ns", "e", ONE), operator("ns", "f", TWO, phase="Failed"))
    simulation = simulate(state, {"olm/main": catalog(e=[ONE, TWO])})
    return (*simulation_metrics(simulation), *ResolutionTimes().families())


def test_the_text_is_what_prometheus_reads() -> None:
    """Every name and every label comes out as it went in, whatever the library thinks of names."""
    families = _all_families()
    read = {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(exposition(families))
        for sample in family.samples
    }
    assert read == {
        (f"{family.name}{sample.suffix}", tuple(sorted(sample.labels.items()))): sample.value
        for family in families
        for sample in family.samples
    }


def test_strange_names_stay_inside_their_labels() -> None:
    """Objects are named by strangers."""
    state = cluster(group("ns"), operator("ns", 'e"} 1\nother', ONE))
    text = exposition(cluster_metrics(state))
    assert "\nother" not in text
    assert len([line for line in text.splitlines() if line.startswith("csv_succeeded")]) == 1


def test_a_registry_asks_at_each_scrape() -> None:
    """A service shows what is, and not what was when it started."""
    states = iter([cluster(), cluster(installed("ns", "e", ONE))])
    registry = CollectorRegistry()
    registry.register(FamiliesCollector(lambda: cluster_metrics(next(states))))
    assert registry.get_sample_value("csv_count") == 0
    assert registry.get_sample_value("csv_count") == 1


def test_every_metric_is_described() -> None:
    """By its name and all of its labels, in docs/metrics.md; and nothing is described that there is not."""
    families = _all_families()
    rows = {row[1]: row[0] for row in re.finditer(r"^\| `(\w+)` \|.*$", PAGE, re.MULTILINE)}
    assert set(rows) == {family.name for family in families}
    for family in families:
        for sample in family.samples:
            for label in sample.labels:
                assert f"`{label}`" in rows[family.name]


def test_families_are_data() -> None:
    """With the names that samples have outside."""
    (family,) = ResolutionTimes().families()
    document = family.to_dict()
    assert (document["name"], document["kind"]) == ("olm_resolution_duration_seconds", "summary")
    assert document["samples"][0] == {
        "name": "olm_resolution_duration_seconds_count",
        "labels": {"outcome": "failed"},
        "value": 0.0,
    }
