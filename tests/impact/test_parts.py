"""Parts of clusters: answered once each, and never another answer than the cluster by itself gives."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest

import olmsolve
from olmsolve.lifecycle.impact import ClusterImpact, Footprint, compared, normal_form
from olmsolve.requests import RecordedCluster
from tests.impact.fleets import KEY, chain
from tests.impact.tangled import SOURCE, sides, tangled
from tests.scale import scaled
from tests.simulation.small_clusters import Version, catalog, group, installed, operator


def alone(cluster: RecordedCluster, **more: Any) -> ClusterImpact:
    """The impact on the whole cluster, with all of its objects in one simulation of each side."""
    listed = {"apiVersion": "v1", "kind": "List", "items": list(normal_form(cluster.documents()))}
    before, after = (olmsolve.read_situation(listed, catalogs={KEY: side}) for side in sides())
    return compared(before, after, **more)


@cache
def alone_as_it_is(seed: int) -> ClusterImpact:
    return alone(tangled(seed))


def together(clusters: list[RecordedCluster], **more: Any) -> Mapping[str, ClusterImpact]:
    """The impact on each cluster by its name, from one report on all."""
    before, after = sides()
    report = olmsolve.impact(clusters, before={KEY: before}, after={KEY: after}, **more)
    assert not report.unreadable
    return {name: class_.impact for class_ in report.classes for name in class_.names}


def test_parts_answer_as_the_whole_cluster_does() -> None:
    """Every field of the impact is equal, whatever the namespaces share: definitions, targets, copies, or nothing."""
    seeds = range(scaled(72))
    impacts = together([tangled(seed) for seed in seeds])
    assert [seed for seed in seeds if impacts[f"tangled-{seed}"] != alone_as_it_is(seed)] == []


def test_parts_answer_as_the_whole_cluster_does_with_approvals() -> None:
    """Approved plans carry more updates out, which touch more."""
    seeds = range(1000, 1000 + scaled(36))
    impacts = together([tangled(seed) for seed in seeds], approve=True)
    wrong = [seed for seed in seeds if impacts[f"tangled-{seed}"] != alone(tangled(seed), approve=True)]
    assert wrong == []


def test_parts_that_are_not_kept_together_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison above finds namespaces that were parted wrongly: here no two of them ever meet."""
    seeds = (11, 13, 18, 20)
    monkeypatch.setattr(Footprint, "meets", lambda self, other: False)
    impacts = together([tangled(seed) for seed in seeds])
    assert [seed for seed in seeds if impacts[f"tangled-{seed}"] == alone_as_it_is(seed)] == []


LEDGER = Version("1.0.0", owns=("Ledger.v1",))
OLD, NEW = catalog(ledger=chain(2, "Ledger.v1"), queue=chain(2)), catalog(ledger=chain(3, "Ledger.v1"), queue=chain(3))


def report_on(**clusters: list[dict[str, Any]]) -> olmsolve.ImpactReport:
    """The report on clusters, by their names."""
    given = [RecordedCluster(name, (SOURCE, *objects)) for name, objects in clusters.items()]
    return olmsolve.impact(given, before={KEY: OLD}, after={KEY: NEW})


def space(name: str, package: str) -> list[dict[str, Any]]:
    version = LEDGER if package == "ledger" else Version("1.0.0")
    return [group(name), *installed(name, package, version)]


def definition(kind: str, **labels: str) -> dict[str, Any]:
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{kind.lower()}s.example.com", "labels": labels},
        "spec": {"group": "example.com", "names": {"kind": kind, "plural": f"{kind.lower()}s"}},
    }


def named(name: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def test_clusters_share_the_parts_that_they_have_in_common() -> None:
    """Three namespaces in all combinations are seven clusters, and three simulations."""
    spaces = {"a": space("a", "queue"), "b": space("b", "ledger"), "c": [group("c")]}
    names = ("a", "b", "c", "ab", "ac", "bc", "abc")
    report = report_on(**{name: [object_ for letter in name for object_ in spaces[letter]] for name in names})
    assert (report.clusters, len(report.classes), report.parts) == (7, 7, 3)


def test_what_no_namespace_touches_makes_no_class() -> None:
    """Most of a cluster has nothing to do with the change: other definitions, and namespaces without operators."""
    plain = space("shop", "ledger")
    report = report_on(
        plain=plain,
        definitions=[*plain, definition("Other", team="a")],
        namespaces=[*plain, named("web"), named("lab")],
        pods=[*plain, {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "pod", "namespace": "web"}}],
    )
    assert [class_.count for class_ in report.classes] == [4]
    touched = report_on(plain=plain, own=[*plain, definition("Ledger")], other=[*plain, definition("Ledger", team="b")])
    assert len(touched.classes) == 3


def test_namespaces_with_copies_alone_make_no_class() -> None:
    """An operator for all namespaces has its copy in each, and the namespaces of two clusters are never the same."""

    def cluster(*names: str) -> list[dict[str, Any]]:
        copies = []
        for name in names:
            copy = operator(name, "queue", Version("1.0.0"), reason="Copied")
            copy["metadata"]["labels"] = {"olm.copiedFrom": "shop"}
            copies += [copy, named(name)]
        everywhere = {**group("shop"), "spec": {}, "status": {"namespaces": [""]}}
        return [everywhere, *installed("shop", "queue", Version("1.0.0")), *copies]

    report = report_on(one=cluster("default", "a", "b"), other=cluster("x", "default"), none=cluster())
    assert sorted(class_.count for class_ in report.classes) == [1, 2]


def test_a_malformed_object_spoils_its_cluster_wherever_it_is() -> None:
    """Whatever a cluster's reader refuses is refused, also where no simulation would have read it."""
    plain = space("shop", "ledger")
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "pod", "labels": ["a"]}}
    broken = {
        "other": [*plain, pod],
        "namespace": [*plain, {**named("web"), "metadata": {"name": 7}}],
        "definition": [*plain, {**definition("Other"), "spec": []}],
        "plan": [*plain, {"apiVersion": "operators.coreos.com/v1alpha1", "kind": "InstallPlan", "metadata": {}}],
    }
    report = report_on(plain=plain, **broken)
    assert report.clusters == 1
    reasons = {cluster.name: cluster.reason for cluster in report.unreadable}
    assert {*reasons} == {*broken}
    for name, objects in broken.items():
        with pytest.raises(olmsolve.ManifestError) as refused:
            olmsolve.read_situation(SOURCE, *objects)
        assert reasons[name] == f"{name}: {refused.value}"
