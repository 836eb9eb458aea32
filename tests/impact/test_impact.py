"""The verb: what other catalogs change on a fleet, compared with each cluster simulated by itself."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import pytest

import olmsolve
from olmsolve.lifecycle.impact import ClusterImpact, Gate, form_key, normal_form
from olmsolve.requests import RecordedCluster
from tests.cli.small_cluster import blobs, cluster_catalog, extension
from tests.impact.fleets import KEY, chain, clusters, new, old
from tests.scale import scaled
from tests.simulation.small_clusters import OLM, Version, catalog, group, installed, subscription

SOURCE = {"apiVersion": OLM, "kind": "CatalogSource", "metadata": {"name": "main", "namespace": "olm"}}


def fleet_impact(
    fleet: Iterable[RecordedCluster],
    before: olmsolve.Catalog | None = None,
    after: olmsolve.Catalog | None = None,
    **more: Any,
) -> olmsolve.ImpactReport:
    """The report on *fleet*, by default for the catalogs of this folder."""
    return olmsolve.impact(fleet, before={KEY: before or old()}, after={KEY: after or new()}, **more)


def impact_on(
    *objects: dict[str, Any], before: olmsolve.Catalog, after: olmsolve.Catalog, **more: Any
) -> ClusterImpact:
    """The impact on one cluster with *objects*."""
    report = fleet_impact([RecordedCluster("alone", (SOURCE, *objects))], before, after, **more)
    assert not report.unreadable, report.unreadable
    return report.classes[0].impact


def alone(cluster: RecordedCluster, catalog_: olmsolve.Catalog) -> olmsolve.Simulation:
    """The cluster read and simulated by itself, with the public verbs."""
    return olmsolve.simulate(olmsolve.read_situation(*cluster.sources, catalogs={KEY: catalog_}))


def rests(simulation: olmsolve.Simulation) -> dict[tuple[str, str], str]:
    """The bundle of each subscription at rest."""
    kind = olmsolve.cluster.objects.SubscriptionObject
    return {(wish.namespace, wish.name): wish.installed_csv for wish in simulation.state.all(kind)}


def failing(simulation: olmsolve.Simulation) -> set[str]:
    return {trouble.namespace for trouble in simulation.left if trouble.kind == "namespaceUnresolved"}


def faults(report: olmsolve.ImpactReport, fleet: list[RecordedCluster]) -> Iterator[str]:
    """Where the report says something else than the clusters by themselves."""
    by_name = {name: class_.impact for class_ in report.classes for name in class_.names}
    for cluster in fleet:
        impact = by_name[cluster.name]
        before, after = alone(cluster, old()), alone(cluster, new())
        was, now = rests(before), rests(after)
        differing = {key: (was.get(key, ""), now.get(key, "")) for key in {*was, *now} if was.get(key) != now.get(key)}
        reported = {
            (operator.namespace, operator.owner): (operator.before, operator.after) for operator in impact.operators
        }
        if reported != differing:
            yield f"{cluster.name}: {reported} for {differing}"
        unresolved = {failure.namespace for failure in impact.failures if failure.kind == "namespaceUnresolved"}
        if unresolved != failing(after) - failing(before):
            yield f"{cluster.name}: {unresolved} fail newly"
        if impact.steps != len(after.steps):
            yield f"{cluster.name}: {impact.steps} steps"


def test_each_answer_is_that_of_the_cluster_alone() -> None:
    """Classes save work, and must never cost an answer."""
    fleet = clusters(scaled(60), seed=3, templates=scaled(36))
    report = fleet_impact(fleet)
    assert report.clusters == len(fleet)
    assert len(report.classes) < len(fleet)
    assert list(faults(report, fleet)) == []


LEDGER = {number: Version(f"{number}.0.0", owns=("Ledger.v1",)) for number in (1, 4)}


def failed(*objects: dict[str, Any]) -> list[dict[str, Any]]:
    """A subscription and its operator, which has failed."""
    owner, operator = objects
    return [owner, {**operator, "status": {"phase": "Failed"}}]


def test_an_update_says_its_way() -> None:
    """From what is installed now to what is at rest, bundle by bundle: each is an install plan on the cluster."""
    impact = impact_on(
        group("shop"),
        *installed("shop", "queue", Version("1.0.0")),
        before=catalog(queue=chain(2)),
        after=catalog(queue=chain(4)),
    )
    (update,) = impact.operators
    assert (update.installed, update.before, update.after) == ("queue.v1.0.0", "queue.v2.0.0", "queue.v4.0.0")
    assert update.updates == ("queue.v2.0.0", "queue.v3.0.0", "queue.v4.0.0")
    assert (update.is_major, update.is_downgrade) == (True, False)
    assert impact.gates == {Gate.MAJOR}


def test_a_new_failure_has_reasons_and_ways_out() -> None:
    """Whoever publishes the catalog reads what to do, not only that something broke."""
    vault = Version("1.0.0", requires=("Cache.v1",))
    impact = impact_on(
        group("shop"),
        subscription("shop", "vault"),
        before=catalog(vault=[vault], cache=chain(1, "Cache.v1")),
        after=catalog(vault=[vault]),
    )
    (failure,) = impact.failures
    assert failure.namespace == "shop"
    assert any("requires the API example.com/v1/Cache" in reason for reason in failure.reasons)
    assert failure.ways == ("delete subscription vault",)
    assert impact.gates == {Gate.NEW_FAILURES}
    assert not impact.mended


def test_what_was_broken_and_works_is_newly_possible() -> None:
    """The other direction: a fix is worth publishing."""
    vault = Version("1.0.0", requires=("Cache.v1",))
    impact = impact_on(
        group("shop"),
        subscription("shop", "vault"),
        before=catalog(vault=[vault]),
        after=catalog(vault=[vault], cache=chain(1, "Cache.v1")),
    )
    assert [failure.namespace for failure in impact.mended] == ["shop"]
    assert not impact.failures
    assert {(operator.owner, operator.after) for operator in impact.operators} >= {("vault", "vault.v1.0.0")}


def test_what_fails_on_both_sides_is_no_new_failure() -> None:
    """A gate must not close for what was broken before."""
    impact = impact_on(subscription("shop", "vault"), before=catalog(queue=chain(1)), after=catalog(queue=chain(2)))
    assert [failure.namespace for failure in impact.lasting] == ["shop"]
    assert impact.gates == frozenset()
    assert not impact.changes


def test_an_installed_bundle_that_leaves_the_catalog_is_stranded() -> None:
    """Nothing updates it, and nobody would notice."""
    impact = impact_on(
        group("shop"),
        *installed("shop", "queue", Version("2.0.0")),
        before=catalog(queue=chain(2)),
        after=catalog(queue=[Version("3.0.0")]),
    )
    assert [operator.bundle for operator in impact.stranded] == ["queue.v2.0.0"]
    assert Gate.STRANDED in impact.gates


def test_an_older_bundle_at_rest_is_a_downgrade() -> None:
    """A catalog that takes a release back gives new clusters less."""
    impact = impact_on(
        group("shop"), subscription("shop", "queue"), before=catalog(queue=chain(3)), after=catalog(queue=chain(2))
    )
    assert [(operator.before, operator.after, operator.is_downgrade) for operator in impact.operators] == [
        ("queue.v3.0.0", "queue.v2.0.0", True)
    ]
    assert impact.gates == {Gate.DOWNGRADES}


def test_what_waits_for_approval_is_held_back_until_it_is_approved() -> None:
    """Manual approval is no failure; with approve, the whole way is shown."""
    objects = [group("shop"), *installed("shop", "queue", Version("1.0.0"), approval="Manual")]
    sides: dict[str, Any] = {"before": catalog(queue=chain(1)), "after": catalog(queue=chain(2))}
    impact = impact_on(*objects, **sides)
    assert not impact.operators
    assert [held_back.newer for held_back in impact.held_back] == ["queue.v2.0.0"]
    approved = impact_on(*objects, **sides, approve=True)
    assert [operator.after for operator in approved.operators] == ["queue.v2.0.0"]


def test_extensions_are_compared_too() -> None:
    """A cluster with both generations of OLM is one cluster."""
    older, newer = (olmsolve.from_blobs(blobs(versions=count)) for count in (2, 3))
    cluster = RecordedCluster("v1", (cluster_catalog(), extension()))
    report = olmsolve.impact([cluster], before={"main": older}, after={"main": newer, "elsewhere": newer})
    impact = report.classes[0].impact
    assert [(operator.owner, operator.installed, operator.before, operator.after) for operator in impact.operators] == [
        ("etcd", "etcd.v1", "etcd.v2", "etcd.v3")
    ]
    assert impact.operators[0].updates == ("etcd.v2", "etcd.v3")
    pinned = RecordedCluster("pinned", (cluster_catalog(), extension(version="<3.0.0")))
    impact = olmsolve.impact([pinned], before={"main": older}, after={"main": newer}).classes[0].impact
    assert [(held_back.bundle, held_back.newer) for held_back in impact.held_back] == [("etcd.v2", "etcd.v3")]
    gone = olmsolve.impact([pinned], before={"main": older}, after={"main": olmsolve.from_blobs(blobs("other"))})
    assert [failure.kind for failure in gone.classes[0].impact.failures] == ["extension"]


def definition(type_: str, owner: str = "") -> dict[str, Any]:
    """The definition of an API with a field of this type; with *owner*, as it is on the cluster of an extension."""
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"size": {"type": type_}}}}}
    versions = [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}]
    names = {"kind": "Etcd", "plural": "etcds"}
    labels = {"labels": {"olm.operatorframework.io/owner-name": owner}} if owner else {}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "etcds.example.com", **labels},
        "spec": {"group": "example.com", "scope": "Namespaced", "names": names, "versions": versions},
        "status": {"storedVersions": ["v1"]},
    }


def test_an_unsafe_definition_is_a_new_failure() -> None:
    """What OLM v1 refuses after it has resolved counts: the new version changes the type of a field."""

    def manifests(version: int, type_: str) -> list[dict[str, Any]]:
        modes = [{"type": "AllNamespaces", "supported": True}]
        operator = {
            "kind": "ClusterServiceVersion",
            "metadata": {"name": f"etcd.v{version}"},
            "spec": {"installModes": modes},
        }
        encoded = (
            base64.b64encode(json.dumps(manifest).encode()).decode() for manifest in (operator, definition(type_))
        )
        return [{"type": "olm.bundle.object", "value": {"data": data}} for data in encoded]

    sides = (
        olmsolve.from_blobs(blobs(versions=2, v1=manifests(1, "integer"), v2=manifests(2, type_)))
        for type_ in ("integer", "string")
    )
    before, after = sides
    on_cluster = (cluster_catalog(), definition("integer", "etcd"))
    cluster = RecordedCluster("v1", (*on_cluster, extension()))
    impact = olmsolve.impact([cluster], before={"main": before}, after={"main": after}).classes[0].impact
    (failure,) = impact.failures
    assert failure.kind == "extension"
    assert 'validating upgrade for CRD "etcds.example.com": v1: ^.spec.size: type' in failure.text
    lax = {"install": {"preflight": {"crdUpgradeSafety": {"enforcement": "None"}}}}
    extension_manifest = extension()
    allowing = RecordedCluster(
        "lax", (*on_cluster, {**extension_manifest, "spec": {**extension_manifest["spec"], **lax}})
    )
    other = RecordedCluster("other", (cluster_catalog(), definition("string", "etcd"), extension()))
    report = olmsolve.impact([cluster, allowing, other], before={"main": before}, after={"main": after})
    assert [(class_.names, len(class_.impact.failures)) for class_ in report.classes if class_.impact.failures] == [
        (("v1",), 1)
    ], "clusters that differ in a definition, or in the extension's wish for the check, are not taken for one"


def test_what_blocks_the_next_version_is_told_where_the_version_is() -> None:
    """The question after each rollout: may the cluster itself be updated?"""
    subscribed, operator = installed("shop", "queue", Version("1.0.0"))
    properties = [{"type": "olm.maxOpenShiftVersion", "value": "4.18"}]
    operator["metadata"]["annotations"] = {"operatorframework.io/properties": json.dumps({"properties": properties})}
    sides: dict[str, Any] = {"before": catalog(queue=chain(1)), "after": catalog(queue=chain(2))}
    assert not impact_on(group("shop"), subscribed, operator, **sides).blocking
    impact = impact_on(group("shop"), subscribed, operator, **sides, openshift="4.18.3")
    assert [(operator.bundle, operator.update) for operator in impact.blocking] == [("queue.v1.0.0", "4.19")]
    assert "queue.v2.0.0" in impact.blocking[0].way
    with pytest.raises(olmsolve.VersionError):
        impact_on(**sides, openshift="x")


def test_a_cluster_that_cannot_be_read_is_a_finding() -> None:
    """Of a thousand dumps some are broken, and the others are still wanted."""
    broken = [
        RecordedCluster("no kind", ({"metadata": {}},)),
        RecordedCluster("nothing", ()),
        RecordedCluster("no file", ("nowhere.yaml",)),
        RecordedCluster(
            "twice",
            (
                group("a"),
                group("a", strategy="Other"),
            ),
        ),
    ]
    report = fleet_impact([*broken, *clusters(2)])
    assert report.clusters == 2
    assert [cluster.name for cluster in report.unreadable] == ["no file", "no kind", "nothing", "twice"]
    assert all(cluster.reason for cluster in report.unreadable)
    assert Gate.UNREADABLE in report.gates


@pytest.mark.forks
def test_a_report_is_the_same_whatever_runs_it() -> None:
    """Threads share this process's memory, processes are sent what they need."""
    fleet = clusters(20, seed=5, templates=4)
    expected = json.dumps(fleet_impact(fleet).to_dict())
    with ThreadPoolExecutor(2) as threads:
        assert json.dumps(fleet_impact(fleet, executor=threads).to_dict()) == expected
    with ProcessPoolExecutor(2) as processes:
        # The second run meets workers that were forked before its catalogs were there, and sends them.
        for _ in range(2):
            assert json.dumps(fleet_impact(fleet, executor=processes).to_dict()) == expected


def test_a_stream_is_read_as_it_is_answered() -> None:
    """A fleet need not fit into memory: clusters are taken one by one, and only the first names are kept."""
    taken = 0

    def stream() -> Iterator[RecordedCluster]:
        nonlocal taken
        for number in range(150):
            taken += 1
            yield RecordedCluster(f"c{number:03}", (SOURCE,))

    progress: list[tuple[int, int]] = []
    report = fleet_impact(stream(), progress=lambda done, total: progress.append((taken - done, total)))
    assert set(progress) == {(0, 0)}
    (only,) = report.classes
    assert (only.count, len(only.names), only.names[0]) == (150, 100, "c000")


def test_a_higher_openshift_is_a_change_too() -> None:
    """The catalogs stay, and what does not work on the next version cannot be installed any more."""
    catalog_ = olmsolve.from_blobs(
        {**blob, "properties": [*blob["properties"], {"type": "olm.maxOpenShiftVersion", "value": "4.18"}]}
        if blob["schema"] == "olm.bundle"
        else blob
        for blob in blobs(versions=2)
    )
    wish = {**subscription("shop", "etcd"), "metadata": {"name": "etcd", "namespace": "shop"}}
    wish["spec"]["channel"] = "stable"
    policies = {"policy_before": olmsolve.Policy(openshift="4.18"), "policy": olmsolve.Policy(openshift="4.19")}
    impact = impact_on(group("shop"), wish, before=catalog_, after=catalog_, **policies)
    assert [failure.namespace for failure in impact.failures] == ["shop"]
    same = impact_on(group("shop"), wish, before=catalog_, after=catalog_, policy=policies["policy_before"])
    assert not same.changes


def test_as_many_names_are_kept_as_wanted() -> None:
    """A page lists every cluster; a report on millions stays small."""
    fleet = clusters(9, templates=1)
    assert sum(len(class_.names) for class_ in fleet_impact(fleet, names=50).classes) == 9
    assert max(len(class_.names) for class_ in fleet_impact(fleet, names=2).classes) == 2
    with pytest.raises(olmsolve.RequestError, match="not a positive whole number"):
        fleet_impact(fleet, names=0)


def test_a_change_of_nothing_is_refused() -> None:
    """A forgotten argument would otherwise look like a harmless change."""
    with pytest.raises(olmsolve.RequestError, match="there is no catalog"):
        olmsolve.impact([], before={}, after={})


def test_clusters_of_one_form_are_one_class() -> None:
    """The normal form leaves out nothing but what no answer depends on, so it decides which clusters are alike."""
    fleet = clusters(12, templates=2)
    report = fleet_impact(fleet)
    keys = {name: class_.key for class_ in report.classes for name in class_.names}
    forms: dict[str, set[str]] = {}
    for cluster in fleet:
        forms.setdefault(form_key(normal_form(cluster.documents())), set()).add(keys[cluster.name])
        assert report.of(keys[cluster.name])
    assert len(forms) < len(fleet)
    assert all(len(several) == 1 for several in forms.values())
