"""Changes of objects: every cluster gets them as if somebody had applied them to it alone."""

from __future__ import annotations

import json
import random
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import yaml

import olmsolve
from olmsolve.catalog.fbc import from_blobs
from olmsolve.lifecycle.impact import ClusterImpact, Gate, compared, normal_form, read_changes
from olmsolve.requests import RecordedCluster
from olmsolve.testing import catalog_of, package
from tests.cli.small_cluster import blobs, cluster_catalog, extension
from tests.impact.fleets import KEY
from tests.impact.tangled import SOURCE, sides, tangled
from tests.scale import scaled
from tests.simulation.small_clusters import Version, group, installed, subscription

SELECTOR = {"selector": {"matchLabels": {"team": "a"}}}
CATALOGS = ("olm/main", "olm/other", "lab/other")
_SPACES = ("attic", "lab", "shop", "web", "default", "kube-system", "new", "")


def drawn(seed: int) -> list[dict[str, Any]]:
    """Changes of any kind for the tangled clusters: some reach a cluster, some do not."""
    draw = random.Random(seed)
    objects: dict[str, dict[str, Any]] = {}
    for _ in range(draw.randint(1, 4)):
        space = draw.choice(_SPACES)
        if not space:
            named = {"name": draw.choice(("new", "shop", "web")), "labels": {"team": draw.choice("ab")}}
            object_: dict[str, Any] = {"apiVersion": "v1", "kind": "Namespace", "metadata": named}
        elif draw.random() < 0.5:
            object_ = subscription(space, draw.choice(("ledger", "cache", "queue", "vault", "mirror")))
            object_["spec"]["installPlanApproval"] = draw.choice(("Manual", "Automatic"))
            object_["spec"]["source"] = draw.choice(("main", "main", "other"))
        elif draw.random() < 0.85:
            object_ = {**group(space), "metadata": {"name": draw.choice(("og", "og", "second")), "namespace": space}}
            targets = draw.choice(
                ({}, {"targetNamespaces": [space, "shop"]}, {"selector": {"matchLabels": {"team": "a"}}})
            )
            object_ = {**object_, "spec": targets}
            object_.pop("status", None)
        else:
            metadata = {"name": draw.choice(("main", "other")), "namespace": draw.choice(("olm", space))}
            object_ = {**SOURCE, "metadata": metadata, "spec": {"sourceType": "grpc", "priority": draw.randint(-1, 1)}}
        objects[json.dumps([object_["kind"], object_["metadata"]["name"], object_["metadata"].get("namespace")])] = (
            object_
        )
    return list(objects.values())


def by_hand(cluster: RecordedCluster, changes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The objects of *cluster* with *changes*, written without the code under test."""
    objects = [dict(object_) for document in cluster.documents() for object_ in document["items"]]
    there = {object_["metadata"].get("namespace") or object_["metadata"]["name"] for object_ in objects}
    there |= {object_["metadata"]["name"] for object_ in changes if object_["kind"] == "Namespace"}
    for change in changes:
        metadata = change["metadata"]
        if metadata.get("namespace", next(iter(there))) not in there:
            continue
        for object_ in objects:
            same = all(object_["metadata"].get(field) == metadata.get(field) for field in ("name", "namespace"))
            if same and object_["kind"] == change["kind"]:
                labels = {**object_["metadata"].get("labels", {}), **metadata.get("labels", {})}
                object_["metadata"] = {**object_["metadata"], **({"labels": labels} if labels else {})}
                object_.pop("spec", None)
                object_.update({"spec": change["spec"]} if "spec" in change else {})
                break
        else:
            objects.append(change)
    return objects


def alone(cluster: RecordedCluster, changes: list[dict[str, Any]], **more: Any) -> ClusterImpact:
    """The impact on the whole cluster, simulated once as it is and once with its objects changed by hand."""
    dumps = ([object_ for document in cluster.documents() for object_ in document["items"]], by_hand(cluster, changes))
    situations = []
    for objects, content in zip(dumps, sides(), strict=True):
        listed = {"apiVersion": "v1", "kind": "List", "items": list(normal_form(objects))}
        there = {
            f"{object_['metadata']['namespace']}/{object_['metadata']['name']}"
            for object_ in objects
            if is_catalog(object_)
        }
        contents = {key: content for key in there if key in CATALOGS}
        situations.append(olmsolve.read_situation(listed, catalogs=contents))
    return compared(*situations, **more)


def is_catalog(manifest: dict[str, Any]) -> bool:
    return bool(manifest["kind"] == "CatalogSource")


def together(seeds: range, changes: list[dict[str, Any]], **more: Any) -> dict[str, ClusterImpact]:
    """The impact on each tangled cluster by its name, from one report."""
    before, after = (dict.fromkeys(CATALOGS, side) for side in sides())
    report = olmsolve.impact(map(tangled, seeds), before=before, after=after, changes=changes, **more)
    assert not report.unreadable
    return {name: class_.impact for class_ in report.classes for name in class_.names}


def wrong(fleet: int, size: int) -> list[int]:
    """The clusters of a fleet with drawn changes whose answer differs from that of the cluster alone."""
    changes, seeds, approve = drawn(fleet), range(fleet * size, fleet * size + size), fleet % 4 == 0
    answers = together(seeds, changes, approve=approve)
    return [seed for seed in seeds if answers[f"tangled-{seed}"] != alone(tangled(seed), changes, approve=approve)]


def test_each_answer_is_that_of_the_cluster_alone() -> None:
    """Changes couple namespaces and part others, and must never cost an answer."""
    assert [fault for fleet in range(scaled(40)) for fault in wrong(fleet, 2)] == []


# Scenarios: a fleet of three clusters, one of which has no namespace lab.

HISTORY = catalog_of(package("ledger").channel("stable", "1.0.0").channel("beta", "1.0.0 < 2.0.0"))
SHOP = [SOURCE, group("shop"), *installed("shop", "ledger", Version("1.0.0"))]
LAB = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "lab"}}]
BETA = subscription("shop", "ledger")
BETA["spec"]["channel"] = "beta"
BETA["status"] = {"installedCSV": "nonsense"}


def report_on(
    *changes: Any, clusters: dict[str, list[dict[str, Any]]] | None = None, **more: Any
) -> olmsolve.ImpactReport:
    """The report on small clusters with *changes*, where catalogs stay as they are."""
    given = clusters or {"shop": SHOP, "both": [*SHOP, *LAB], "none": [SOURCE]}
    fleet = [RecordedCluster(name, tuple(objects)) for name, objects in given.items()]
    return olmsolve.impact(fleet, before={KEY: HISTORY}, after={KEY: HISTORY}, changes=changes, **more)


def changed(report: olmsolve.ImpactReport) -> dict[str, list[tuple[str, str, str]]]:
    """What comes to another bundle, by the names of the clusters."""
    return {
        name: [(f"{one.namespace}/{one.owner}", one.before, one.after) for one in class_.impact.operators]
        for class_ in report.classes
        for name in class_.names
        if class_.impact.changes
    }


def reached(report: olmsolve.ImpactReport) -> list[tuple[str, str, int]]:
    return [(change.kind, f"{change.namespace}/{change.name}", change.clusters) for change in report.reached]


def test_another_channel_of_a_subscription() -> None:
    """Its spec is replaced and its status stays, so that it is an update and no new installation."""
    report = report_on(BETA)
    update = [("shop/ledger", "ledger.v1.0.0", "ledger.v2.0.0")]
    assert changed(report) == {"shop": update, "both": update}
    assert reached(report) == [("Subscription", "shop/ledger", 2)]
    assert report.classes[0].impact.operators[0].updates == ("ledger.v2.0.0",)


def test_a_new_subscription_where_its_namespace_is() -> None:
    """Nobody can apply an object to a namespace that is not there, unless the Namespace comes with it."""
    new = [group("lab"), subscription("lab", "ledger")]
    report = report_on(*new)
    installed = [("lab/ledger", "", "ledger.v1.0.0")]
    assert changed(report) == {"both": installed}
    assert reached(report) == [("OperatorGroup", "lab/og", 1), ("Subscription", "lab/ledger", 1)]
    assert changed(report_on(*new, *LAB)) == {"shop": installed, "both": installed, "none": installed}


def test_a_namespace_is_there_where_any_object_is_in_it() -> None:
    """Dumps often lack the Namespaces."""
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "pod", "namespace": "lab"}}
    report = report_on(group("lab"), clusters={"pod": [SOURCE, pod], "none": [SOURCE]})
    assert reached(report) == [("OperatorGroup", "lab/og", 1)]


def test_marks_of_others_stay() -> None:
    """OLM writes annotations of groups itself; applying a manifest without them takes none away."""
    present = {**group("shop"), "spec": {"targetNamespaces": ["a"]}, "status": {"namespaces": ["a"]}}
    present["metadata"] = {"name": "og", "namespace": "shop", "uid": "7", "annotations": {"olm.providedAPIs": "x"}}
    given = {**group("shop"), "metadata": {"name": "og", "namespace": "shop", "annotations": {"team": "b"}}}
    (change,) = read_changes([{**given, "spec": {}}]).objects
    applied = change.applied_to(present)
    assert applied["metadata"] == {**present["metadata"], "annotations": {"olm.providedAPIs": "x", "team": "b"}}
    assert (applied["spec"], applied["status"]) == ({}, {"namespaces": ["a"]})


def test_a_new_catalog() -> None:
    """Its content is there after the change alone."""
    source = {**SOURCE, "metadata": {"name": "new", "namespace": "olm"}, "spec": {"sourceType": "grpc"}}
    wish = subscription("shop", "vault")
    wish["spec"]["source"] = "new"
    clusters = [RecordedCluster("shop", tuple(SHOP))]
    vault = catalog_of(package("vault").channel("stable", "1.0.0"))
    after = {KEY: HISTORY, "olm/new": vault}
    report = olmsolve.impact(clusters, before={KEY: HISTORY}, after=after, changes=[source, wish])
    assert changed(report) == {"shop": [("shop/vault", "", "vault.v1.0.0")]}


def test_an_extension_with_another_version() -> None:
    """Extensions of OLM v1 are changed as well; their status says what is installed."""
    content = {"main": from_blobs(blobs(versions=3))}
    fleet = [RecordedCluster("one", (cluster_catalog("main"), extension("etcd")))]
    pinned = extension("etcd", installed=0, version="2.0.0")
    report = olmsolve.impact(fleet, before=content, after=content, changes=[pinned])
    assert changed(report) == {"one": [("/etcd", "etcd.v3", "etcd.v2")]}
    assert report.classes[0].impact.operators[0].updates == ("etcd.v2",)
    assert reached(report) == [("ClusterExtension", "/etcd", 1)]


def test_what_never_changes_of_an_extension_is_refused() -> None:
    """An API server takes no other namespace, account or package for an extension that is there."""
    content = {"main": from_blobs(blobs(versions=1))}
    fleet = [RecordedCluster("one", (cluster_catalog("main"), extension("etcd")))]
    moved = extension("etcd", installed=0)
    moved["spec"]["namespace"] = "elsewhere"
    report = olmsolve.impact(fleet, before=content, after=content, changes=[moved])
    refusal = (
        'one: ClusterExtension.olm.operatorframework.io "etcd" is invalid: spec.namespace: Invalid value: "elsewhere":'
        " namespace is immutable (delete the extension, and write a new one)"
    )
    assert [cluster.reason for cluster in report.refusing] == [refusal]
    # The cluster can be read very well.
    assert (report.unreadable, report.refusing_count) == ((), 1)
    assert report.gates == {Gate.UNAPPLIED}
    for shown in (
        olmsolve.render.impact_text(report, width=300),
        olmsolve.render.impact_markdown(report),
        olmsolve.render.impact_html(report),
    ):
        assert "cannot be read" not in shown
        assert "The cluster refuses the change." in shown
        assert "is immutable" in shown
    assert "1 cluster refuses the change:" in olmsolve.render.impact_text(report)
    assert "### Refuses the change" in olmsolve.render.impact_markdown(report)


def test_some_of_a_fleet_refuse_a_change() -> None:
    """The others are answered; how many refuse is told like how many fail."""
    content = {"main": from_blobs(blobs(versions=1))}
    there = (cluster_catalog("main"), extension("etcd"))
    fleet = [*(RecordedCluster(name, there) for name in "ab"), RecordedCluster("c", (cluster_catalog("main"),))]
    moved = extension("etcd", installed=0)
    moved["spec"]["namespace"] = "elsewhere"
    report = olmsolve.impact(fleet, before=content, after=content, changes=[moved], names=1)
    text = olmsolve.render.impact_text(report, width=200)
    assert "; 2 refuse the change." in text.splitlines()[0]
    assert "2 clusters refuse the change:\n  a: " in text
    assert "and 1 more cluster" in text
    assert "<h2>2 clusters refuse the change</h2>" in olmsolve.render.impact_html(report)
    one = olmsolve.impact(fleet[1:], before=content, after=content, changes=[moved])
    assert "; 1 refuses the change." in olmsolve.render.impact_text(one).splitlines()[0]


def test_an_extension_that_newly_fails_keeps_its_bundle() -> None:
    """OLM v1 takes nothing away: where the next bundle is refused, the installed one stays.

    A bundle whose update fails on the way counts as well: the extension comes to rest on the last one that came.
    """
    own = {"type": "olm.csv.metadata", "value": {"installModes": [{"type": "OwnNamespace", "supported": True}]}}
    before = {"main": from_blobs(blobs(versions=1))}
    fleet = [RecordedCluster("one", (cluster_catalog("main"), extension("etcd")))]
    report = olmsolve.impact(fleet, before=before, after={"main": from_blobs(blobs(versions=2, v2=[own]))})
    assert changed(report) == {"one": []}
    assert [failure.kind for failure in report.classes[0].impact.failures] == ["extension"]
    report = olmsolve.impact(fleet, before=before, after={"main": from_blobs(blobs(versions=3, v3=[own]))})
    assert changed(report) == {"one": [("/etcd", "etcd.v1", "etcd.v2")]}


def test_a_stopped_comparison_belongs_to_its_changes(tmp_path: Path) -> None:
    """Half of a report with one change and half with another would be wrong; the counts are noted as well."""
    state = tmp_path / "state.json"
    first = report_on(BETA, resume=state)
    assert report_on(BETA, resume=state) == first == report_on(BETA)
    with pytest.raises(olmsolve.RequestError, match="of other catalogs or options"):
        report_on(resume=state)


@pytest.mark.forks
def test_workers_get_the_changes() -> None:
    """They travel with the catalogs, to a worker that was there before the comparison began."""
    with ProcessPoolExecutor(1) as worker:
        worker.submit(int).result()
        report = report_on(BETA, executor=worker)
    assert report == report_on(BETA)
    assert [change.clusters for change in report.reached] == [2]
    after = {name: [bundle for _, _, bundle in updates] for name, updates in changed(report).items()}
    assert after == {"shop": ["ledger.v2.0.0"], "both": ["ledger.v2.0.0"]}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "kind: Pod\napiVersion: v1\nmetadata: {name: a, namespace: b}",
            "no object is of a kind that a change applies, only Pod",
        ),
        (
            yaml.safe_dump({**BETA, "metadata": {"name": "ledger"}}),
            "Subscription ledger: metadata.namespace: is missing",
        ),
        (yaml.safe_dump_all([LAB[0], BETA, BETA]), "Subscription shop/ledger: is there twice"),
        (yaml.safe_dump({**BETA, "spec": []}), "spec"),
        ("# nothing\n", "has no object"),
        ("{", ""),
    ],
    ids=["kind", "namespace", "twice", "shape", "empty", "syntax"],
)
def test_bad_changes_are_one_clear_error(tmp_path: Path, text: str, reason: str) -> None:
    """The error names the file, and the object where there is one; no cluster is read."""
    file = tmp_path / "change.yaml"
    file.write_text(text, "utf-8")
    with pytest.raises(olmsolve.ManifestError) as refused:
        report_on(file)
    assert str(refused.value).startswith(str(file))
    assert reason in str(refused.value)


def test_a_fleet_of_one_is_told_in_the_singular() -> None:
    """Who asks about their own cluster counts no clusters; the name says which one it was."""
    cluster = RecordedCluster("home", tuple(SHOP))
    same = olmsolve.impact([cluster], before={KEY: HISTORY}, after={KEY: HISTORY})
    assert olmsolve.render.impact_text(same).splitlines()[0] == "Cluster home does not change."
    report = olmsolve.impact([cluster], before={KEY: HISTORY}, after={KEY: HISTORY}, changes=[BETA])
    text = olmsolve.render.impact_text(report)
    assert text.splitlines()[0] == "Cluster home changes."
    assert "is applied\n" in text
    markdown, page = olmsolve.render.impact_markdown(report), olmsolve.render.impact_html(report)
    assert markdown.startswith("## Impact on home\n\nCluster home changes.")
    assert "<h1>Impact on home</h1>" in page
    for shown in (text, markdown, page.partition("<main")[2].partition("<script")[0]):
        assert "1 cluster" not in shown
        assert "lasses" not in shown
        assert "CLUSTERS" not in shown.upper()
    nothing = RecordedCluster("home", ({"kind": "Subscription"},))
    broken = olmsolve.impact([nothing], before={KEY: HISTORY}, after={KEY: HISTORY})
    assert olmsolve.render.impact_text(broken).splitlines()[0] == "The cluster cannot be read."
