"""Plans for namespaces: catalogs and objects in, what OLM would write out; and what keeps it from writing anything."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from olmsolve import evolve
from olmsolve.catalog import Catalog, Source, UnreadableSource, fbc
from olmsolve.cluster import ClusterState, NamespaceObjects
from olmsolve.cluster.install_plans import PlannedSteps, Refused
from olmsolve.cluster.objects import Metadata, SubscriptionObject, read_manifests
from olmsolve.errors import CatalogError, ManifestError
from olmsolve.lifecycle.planning import namespace_plan, resolved_steps
from tests.simulation.small_clusters import cluster_situation

OLM = "operators.coreos.com/v1alpha1"
EXCLUDE = "olm.operatorframework.io/exclude-global-namespace-resolution"


def encoded(value: Any) -> dict[str, Any]:
    text = value if isinstance(value, str) else json.dumps(value)
    return {"type": "olm.bundle.object", "value": {"data": base64.b64encode(text.encode()).decode()}}


def catalog(*properties: dict[str, Any], image: str = "") -> Catalog:
    """One package "a" with one bundle, and *properties* of it."""
    own = {"type": "olm.package", "value": {"packageName": "a", "version": "1.0.0"}}
    return fbc.from_blobs(
        [
            {"schema": "olm.package", "name": "a", "defaultChannel": "stable"},
            {"schema": "olm.channel", "package": "a", "name": "stable", "entries": [{"name": "a.v1"}]},
            {
                "schema": "olm.bundle",
                "package": "a",
                "name": "a.v1",
                "image": image,
                "properties": [own, *properties],
            },
        ]
    )


CSV = {
    "apiVersion": OLM,
    "kind": "ClusterServiceVersion",
    "metadata": {"name": "a.v1"},
    "spec": {
        "install": {
            "strategy": "deployment",
            "spec": {"permissions": [{"serviceAccountName": "sa", "rules": [{"verbs": ["get"]}]}]},
        }
    },
}


def cluster(*, group: dict[str, str] | None = None, groups: int = 1, **wish: str) -> ClusterState:
    """Namespace ns with a subscription for package "a", catalogs ns/near and olm/far, and operator groups."""
    objects: list[dict[str, Any]] = [
        {"apiVersion": OLM, "kind": "CatalogSource", "metadata": {"name": name, "namespace": namespace}}
        for name, namespace in (("near", "ns"), ("far", "olm"))
    ]
    objects += [
        {
            "apiVersion": "operators.coreos.com/v1",
            "kind": "OperatorGroup",
            "metadata": {"name": f"og{number}", "namespace": "ns", "annotations": group or {}},
        }
        for number in range(groups)
    ]
    objects.append(
        {
            "apiVersion": OLM,
            "kind": "Subscription",
            "metadata": {"name": "wish", "namespace": "ns"},
            "spec": {"name": "a", **wish},
        }
    )
    return ClusterState.of(read_manifests((item, None) for item in objects))


def resolved(state: ClusterState, *sources: Source | UnreadableSource) -> PlannedSteps | Refused:
    return resolved_steps(cluster_situation(state, {}), NamespaceObjects.picked_from(state, "ns"), sources)


def near(content: Catalog) -> Source:
    return Source("near", "ns", 0, content)


def far(content: Catalog) -> Source:
    return Source("far", "olm", 0, content)


def test_manifests_in_the_catalog_become_steps() -> None:
    """The ClusterServiceVersion first, then the CRD, whatever their order in the bundle; then the rights."""
    crd = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "x"}}
    service = "apiVersion: v1\nkind: Service\nmetadata: {name: s}\n"
    content = catalog(encoded(service), encoded(crd), encoded(CSV))
    planned = resolved(cluster(), near(content))
    assert isinstance(planned, PlannedSteps)
    assert [(step.kind, step.name.partition("-")[0]) for step in planned.steps] == [
        ("ClusterServiceVersion", "a.v1"),
        ("CustomResourceDefinition", "x"),
        ("Service", "s"),
        ("ServiceAccount", "sa"),
        ("Role", "a.v1"),
        ("RoleBinding", "a.v1"),
    ]
    annotations = json.loads(planned.steps[0].manifest)["metadata"]["annotations"]
    properties = json.loads(annotations["operatorframework.io/properties"])["properties"]
    assert [item["type"] for item in properties] == ["olm.package"], "the manifests are not among the properties"


def test_an_image_is_unpacked_although_the_catalog_holds_manifests() -> None:
    """As OLM does: what the image holds is what was tested."""
    planned = resolved(cluster(), near(catalog(encoded(CSV), image="quay.io/a:1")))
    assert isinstance(planned, PlannedSteps)
    assert (planned.steps, [lookup.path for lookup in planned.lookups]) == ((), ["quay.io/a:1"])


@pytest.mark.parametrize(
    "broken",
    [
        {"type": "olm.bundle.object", "value": {"ref": "objects/csv.yaml"}},
        {"type": "olm.bundle.object", "value": {"data": "&&&"}},
        {"type": "olm.bundle.object", "value": 5},
        encoded("{"),
        encoded("- 1"),
    ],
    ids=["a reference", "no base64", "a number", "no JSON", "no object"],
)
def test_manifests_that_cannot_be_read_keep_the_plan_back(broken: dict[str, Any]) -> None:
    """With the bundle's name, as the status of the subscription would have to say it."""
    answer = resolved(cluster(), near(catalog(broken)))
    assert isinstance(answer, Refused)
    assert not answer.unsatisfiable
    assert "bundle a.v1, property olm.bundle.object" in answer.message


def test_global_catalogs_can_be_hidden() -> None:
    """Only the exact text "true" hides them, as recorded."""
    content = catalog(image="i")
    for text, hidden in (("true", True), ("True", False), ("false", False)):
        answer = resolved(cluster(group={EXCLUDE: text}), far(content))
        assert isinstance(answer, Refused) == hidden, text


def test_an_unreadable_catalog_keeps_all_back() -> None:
    """Even one that nothing refers to: nobody knows what it would have offered. One out of sight does not matter."""
    broken = UnreadableSource("near", "ns", 0, "no route")
    answer = resolved(cluster(source="far", sourceNamespace="olm"), far(catalog(image="i")), broken)
    assert answer == Refused("error using catalogsource ns/near: no route")
    both = resolved(cluster(), UnreadableSource("far", "olm", 0, "no answer"), broken)
    assert both == Refused(
        "[error using catalogsource olm/far: no answer, error using catalogsource ns/near: no route]"
    ), "whoever mends one should know of the other"
    elsewhere = UnreadableSource("near", "elsewhere", 0, "no route")
    assert isinstance(resolved(cluster(), far(catalog(image="i")), elsewhere), PlannedSteps)


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        (
            {"source": "nowhere", "sourceNamespace": "olm"},
            "no operators found from catalog nowhere in namespace olm",
        ),
        ({"name": "b"}, "no operators found in package b in the catalog"),
        (
            {"channel": "fast"},
            "no operators found in channel fast of package a in the catalog",
        ),
        (
            {"channel": "stable", "startingCSV": "a.v9"},
            "no operators found with name a.v9 in channel stable of package a in the catalog",
        ),
    ],
    ids=["catalog", "package", "channel", "starting"],
)
def test_what_a_subscription_gets_wrong_is_told_in_olms_words(wish: dict[str, Any], words: str) -> None:
    """People search for these sentences."""
    answer = resolved(cluster(**wish), near(catalog(image="i")))
    assert answer == Refused(
        f"constraints not satisfiable: {words} referenced by subscription wish, subscription wish exists",
        unsatisfiable=True,
    )


def test_a_requirement_for_an_api_is_told_in_olms_words() -> None:
    """Other requirements are told in ours, which say more."""
    needs = {"type": "olm.gvk.required", "value": {"group": "g", "version": "v", "kind": "k"}}
    answer = resolved(cluster(), near(catalog(needs, image="i")))
    assert isinstance(answer, Refused)
    assert "bundle a.v1 requires an operator providing an API with group: g, version: v, kind: k" in answer.message


def several(*entries: dict[str, Any]) -> Catalog:
    """One package "a" with one channel of *entries*."""
    blobs: list[dict[str, Any]] = [
        {"schema": "olm.package", "name": "a", "defaultChannel": "stable"},
        {"schema": "olm.channel", "package": "a", "name": "stable", "entries": list(entries)},
    ]
    for entry in entries:
        version = {"packageName": "a", "version": f"{entry['name'].rpartition('v')[2]}.0.0"}
        properties = [{"type": "olm.package", "value": version}]
        blobs.append(
            {"schema": "olm.bundle", "package": "a", "name": entry["name"], "image": "i", "properties": properties}
        )
    return fbc.from_blobs(blobs)


FIRST: dict[str, Any] = {"name": "a.v1"}
SECOND = {"name": "a.v2", "replaces": "a.v1"}
THIRD = {"name": "a.v3", "replaces": "a.v2", "skips": ["a.v1"]}


@pytest.mark.parametrize(
    ("here", "there", "wish", "chains"),
    [
        # What is replaced is one a.v1 only, the last; so the other is a head beside both a.v2.
        ([FIRST, SECOND], [FIRST, SECOND], {}, "a.v1, a.v2...a.v1, a.v2...a.v1"),
        ([FIRST, SECOND], [FIRST, SECOND], {"startingCSV": "a.v1"}, "a.v1, a.v1"),
        ([FIRST], [{"name": "a.v2"}], {}, "a.v1, a.v2"),
        ([FIRST], [SECOND], {}, ""),
        ([FIRST], [SECOND], {"startingCSV": "a.v1"}, ""),
        # What is skipped is shown in no chain.
        ([FIRST], [FIRST, SECOND, THIRD], {}, "[], a.v3...a.v2"),
        ([FIRST], [FIRST, SECOND], {"source": "near", "sourceNamespace": "ns"}, ""),
        ([FIRST], [FIRST, SECOND], {"channel": "other"}, None),
    ],
)
def test_a_channel_of_several_catalogs_has_no_order(
    here: list[dict[str, Any]], there: list[dict[str, Any]], wish: dict[str, Any], chains: str | None
) -> None:
    """OLM takes the entries of all catalogs for one channel where a subscription leaves open which it means."""
    answer = resolved(cluster(**wish), near(several(*here)), far(several(*there)))
    if chains == "":
        assert isinstance(answer, PlannedSteps)
        return
    assert isinstance(answer, Refused)
    assert answer.unsatisfiable == (chains is None)
    assert answer.message.endswith(f'in channel "stable" of package "a": {chains}') == (chains is not None)


def test_an_operator_that_is_gone_does_not_order_a_channel() -> None:
    """What a subscription says is installed counts where it is there, as in every resolution."""
    state = cluster()
    (wish,) = state.all(SubscriptionObject)
    gone = state.having(evolve(wish, installed_csv="a.v0"))
    both = several(FIRST, SECOND)
    assert isinstance(resolved(gone, near(both), far(both)), Refused)


@pytest.mark.parametrize("count", [0, 2])
def test_a_namespace_needs_one_operator_group(count: int) -> None:
    """Without it nobody knows where the operators may act."""
    answer = resolved(cluster(groups=count), near(catalog(image="i")))
    assert answer == Refused(f"expected 1 OperatorGroup in the namespace, found {count}")
    contents = {"ns/near": catalog(image="i"), "olm/far": catalog(image="i")}
    planned = namespace_plan(cluster_situation(cluster(groups=count), contents), "ns")
    assert (planned.resolved, planned.plan) == (False, None)
    assert planned.fault is not None
    assert planned.failures == (str(planned.fault),)
    assert planned.fault.reason == ("it has 2 operator groups (og0, og1)" if count else "it has no operator group")


def test_content_that_was_not_given_is_asked_for() -> None:
    """An empty catalog in its place would give another plan without saying so."""
    with pytest.raises(ManifestError, match="its content was not given"):
        namespace_plan(cluster_situation(cluster(), {"ns/near": catalog(image="i")}), "ns")


def test_an_operator_of_two_subscriptions_keeps_its_namespace_from_being_planned() -> None:
    """Which of them OLM takes for the owner cannot be known, so that the plan would be a guess."""
    state = cluster()
    (wish,) = state.all(SubscriptionObject)
    mine = evolve(wish, installed_csv="a.v1")
    other = evolve(mine, metadata=Metadata("other", "ns"), channel="elsewhere")
    planned = namespace_plan(cluster_situation(state.having(mine, other), {}), "ns")
    assert (planned.plan, planned.changed) == (None, ())
    assert planned.fault is not None
    assert planned.fault.reason == "subscriptions other and wish both have a.v1 installed, and want different things"


def test_content_that_cannot_be_read_stands_in_the_status() -> None:
    """As OLM would write it, with the reason, and the pass is repeated."""
    contents: dict[str, Catalog | CatalogError] = {
        "ns/near": catalog(image="i"),
        "olm/far": CatalogError("is no catalog", origin="far.yaml"),
    }
    planned = namespace_plan(cluster_situation(cluster(), contents), "ns")
    (wish,) = planned.subscriptions
    assert [(item.type, item.reason) for item in wish.conditions] == [("ResolutionFailed", "ErrorPreventedResolution")]
    assert planned.error == wish.conditions[0].message == "error using catalogsource olm/far: far.yaml: is no catalog"


def test_a_plan_that_is_carried_out_is_followed_by_none() -> None:
    """What was planned and installed is not planned again."""
    contents = {"ns/near": catalog(encoded(CSV)), "olm/far": catalog(encoded(CSV))}
    state = cluster(source="near", sourceNamespace="ns")
    planned = namespace_plan(cluster_situation(state, contents), "ns")
    assert planned.plan is not None
    assert planned.plan.csv_names == ("a.v1",)
    installed = [json.loads(step.manifest) for step in planned.plan.steps if step.kind == "ClusterServiceVersion"]
    state = state.having(*planned.subscriptions, *read_manifests((item, None) for item in installed))
    second = namespace_plan(cluster_situation(state, contents), "ns")
    assert (second.resolved, second.plan) == (True, None)
    assert second.subscriptions[0].installed_csv == "a.v1"
