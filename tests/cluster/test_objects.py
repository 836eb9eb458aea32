"""Manifests become objects: what is read, what is refused and in which words, and how states behave."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from olmsolve.catalog import Origin
from olmsolve.cluster import ClusterState
from olmsolve.cluster.objects import (
    CatalogSource,
    ClusterExtension,
    ClusterServiceVersion,
    CrdDescription,
    CustomResourceDefinition,
    InstallMode,
    InstallPlan,
    Namespace,
    OperatorCondition,
    OperatorGroup,
    OtherObject,
    SubscriptionObject,
    read_manifest,
    read_manifests,
)
from olmsolve.errors import ManifestError, RequestError

OPERATORS = "operators.coreos.com/v1alpha1"
ORIGIN = Origin("dump.yaml", 3)


def manifest(kind: str, name: str = "x", namespace: str = "ns", **parts: Any) -> dict[str, Any]:
    """A manifest of one of classic OLM's kinds; *parts* are spec and status."""
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": OPERATORS, "kind": kind, "metadata": metadata, **parts}


def refusal(document: dict[str, Any]) -> ManifestError:
    with pytest.raises(ManifestError) as refused:
        list(read_manifest(document, ORIGIN))
    return refused.value


def one(document: dict[str, Any]) -> Any:
    (object_,) = read_manifest(document, ORIGIN)
    return object_


@pytest.mark.parametrize("name", ["a/b", "/", ".", "..", "a%b"])
def test_catalogs_whose_names_no_cluster_accepts_are_refused(name: str) -> None:
    """A name is a part of the path under which the cluster serves the object, so Kubernetes has none of these."""
    catalog = {"apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterCatalog", "metadata": {"name": name}}
    error = refusal(catalog)
    assert (error.field, error.kind) == ("metadata.name", "ClusterCatalog")
    assert "cannot be the name of an object" in str(error)


def test_an_operator_is_read_whole() -> None:
    """The fields that rules ask for are typed, the rest stays in raw."""
    csv = one(
        manifest(
            "ClusterServiceVersion",
            spec={
                "version": "1.2.3",
                "replaces": "x.v1",
                "skips": ["x.v0"],
                "minKubeVersion": "1.20.0",
                "icon": [{"base64data": "..."}],
                "installModes": [{"type": "OwnNamespace", "supported": True}],
                "customresourcedefinitions": {"owned": [{"name": "things.g.io", "version": "v1", "kind": "Thing"}]},
                "apiservicedefinitions": {
                    "required": [{"group": "h.io", "version": "v1", "kind": "Other", "name": "others"}]
                },
                "install": {
                    "strategy": "deployment",
                    "spec": {
                        "permissions": [{"serviceAccountName": "sa", "rules": [{"verbs": ["get"]}]}],
                        "deployments": [{"name": "d", "spec": {"replicas": 1}}],
                    },
                },
            },
            status={"phase": "Succeeded", "reason": "InstallSucceeded", "message": "done"},
        )
    )
    assert isinstance(csv, ClusterServiceVersion)
    assert (csv.key, csv.version, csv.replaces, csv.skips) == ("ns/x", "1.2.3", "x.v1", ("x.v0",))
    assert csv.install_modes == (InstallMode("OwnNamespace", True),)
    assert csv.owned_crds == (CrdDescription("things.g.io", "v1", "Thing"),)
    assert csv.required_api_services[0].name == "others"
    assert csv.install.permissions[0].rules == ({"verbs": ["get"]},)
    assert csv.install.deployments[0].spec == {"replicas": 1}
    assert (csv.phase, csv.reason, csv.message) == ("Succeeded", "InstallSucceeded", "done")
    assert csv.raw["spec"]["icon"] == [{"base64data": "..."}]
    assert csv.origin == ORIGIN


def test_null_counts_as_absent() -> None:
    """Go programs write empty lists and mappings as null."""
    csv = one({**manifest("ClusterServiceVersion"), "spec": {"skips": None, "install": None}, "status": None})
    assert (csv.skips, csv.install.deployments, csv.phase) == ((), (), "")


@pytest.mark.parametrize(
    ("labels", "annotations", "reason"),
    [
        ({"olm.copiedFrom": "home"}, {}, ""),
        ({}, {"olm.operatorNamespace": "home"}, ""),
        ({}, {}, "Copied"),
    ],
)
def test_copies_are_told_by_any_sign(labels: dict[str, str], annotations: dict[str, str], reason: str) -> None:
    """Old releases leave only one of the three; a copy that counts as an operator is resolved twice."""
    document = manifest("ClusterServiceVersion", status={"reason": reason})
    document["metadata"].update(labels=labels, annotations=annotations)
    assert one(document).is_copied
    document["metadata"].update(labels={}, annotations={"olm.operatorNamespace": "ns"})
    document["status"] = {}
    assert not one(document).is_copied


KINDS: list[tuple[dict[str, Any], type]] = [
    (manifest("Subscription", spec={"name": "p"}), SubscriptionObject),
    (manifest("CatalogSource", spec={"priority": 5}), CatalogSource),
    (manifest("InstallPlan", spec={"generation": 2}), InstallPlan),
    ({**manifest("OperatorGroup"), "apiVersion": "operators.coreos.com/v1"}, OperatorGroup),
    ({**manifest("OperatorCondition"), "apiVersion": "operators.coreos.com/v2"}, OperatorCondition),
    ({**manifest("Namespace", namespace=""), "apiVersion": "v1"}, Namespace),
    (
        {**manifest("CustomResourceDefinition", namespace=""), "apiVersion": "apiextensions.k8s.io/v1"},
        CustomResourceDefinition,
    ),
    (
        {**manifest("ClusterExtension", namespace=""), "apiVersion": "olm.operatorframework.io/v1"},
        ClusterExtension,
    ),
]


@pytest.mark.parametrize(("document", "kind"), KINDS, ids=[kind.__name__ for _, kind in KINDS])
def test_each_kind_is_known_by_group_and_name(document: dict[str, Any], kind: type) -> None:
    """The version may change without the shape; the group may not: other projects have Subscriptions too."""
    assert type(one(document)) is kind
    assert type(one({**document, "apiVersion": "messaging.example.com/v1"})) is OtherObject


def test_lists_are_read_at_any_depth() -> None:
    """Lists in Lists come from concatenated dumps; ten thousand levels only from somebody malicious."""
    document: dict[str, Any] = manifest("Subscription", spec={"name": "p"})
    for _ in range(10_000):
        document = {"apiVersion": "v1", "kind": "List", "items": [document]}
    assert [item.name for item in read_manifest(document)] == ["x"]


def test_items_of_a_typed_list_need_no_kind() -> None:
    """An API server's answer says the kind once, in the list."""
    items = [{"metadata": {"name": name, "namespace": "ns"}, "spec": {"name": "p"}} for name in ("b", "a")]
    objects = list(read_manifest({"apiVersion": OPERATORS, "kind": "SubscriptionList", "items": items}))
    assert [str(item) for item in objects] == ["Subscription ns/b", "Subscription ns/a"]


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({}, "dump.yaml, document 3: kind: is missing"),
    ({"kind": ""}, "dump.yaml, document 3: kind: must not be empty"),
    ({"kind": "Pod"}, "dump.yaml, document 3: Pod: apiVersion: is missing"),
    ({"kind": "Pod", "apiVersion": "v1"}, "dump.yaml, document 3: Pod: metadata.name: is missing"),
    (
        {"kind": "Pod", "apiVersion": "v1", "metadata": {"namespace": "ns"}},
        "dump.yaml, document 3: Pod ns/?: metadata.name: is missing",
    ),
    (
        {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": "pods is forbidden"},
        (
            "dump.yaml, document 3: Status: is kubectl's error in place of objects: pods is forbidden"
            " (run kubectl again, or leave this document out)"
        ),
    ),
    (
        {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden"},
        (
            "dump.yaml, document 3: Status: is kubectl's error in place of objects: Forbidden"
            " (run kubectl again, or leave this document out)"
        ),
    ),
    ({"kind": ["Pod"]}, "dump.yaml, document 3: kind: must be a string, not a list"),
    ({"kind": "List"}, "dump.yaml, document 3: items: is missing (an empty list is written as items: [])"),
    ({"kind": "List", "items": {}}, "dump.yaml, document 3: items: must be a list, not an object"),
    ({"kind": "List", "items": [1]}, "dump.yaml, document 3: items[0]: must be an object, not the number 1"),
    (
        manifest("Subscription", namespace="", spec={"name": "p"}),
        "dump.yaml, document 3: Subscription x: metadata.namespace: is missing (every Subscription is in a namespace)",
    ),
    (
        manifest("Subscription"),
        "dump.yaml, document 3: Subscription ns/x: spec.name: is missing",
    ),
    (
        manifest("ClusterServiceVersion", spec={"version": 1.5}),
        (
            "dump.yaml, document 3: ClusterServiceVersion ns/x: spec.version: must be a string, not the number 1.5"
            " (put it in quotes)"
        ),
    ),
    (
        manifest("ClusterServiceVersion", spec={"version": "1.5"}),
        (
            "dump.yaml, document 3: ClusterServiceVersion ns/x: spec.version: is not a version:"
            " No Major.Minor.Patch elements found"
        ),
    ),
    (
        manifest("CatalogSource", spec={"priority": 2**63}),
        (
            "dump.yaml, document 3: CatalogSource ns/x: spec.priority: must be from -9223372036854775808 to"
            " 9223372036854775807"
        ),
    ),
    (
        {
            "apiVersion": "olm.operatorframework.io/v1",
            "kind": "ClusterCatalog",
            "metadata": {"name": "x"},
            "spec": {"priority": 2**31},
        },
        "dump.yaml, document 3: ClusterCatalog x: spec.priority: must be from -2147483648 to 2147483647",
    ),
    (
        {"kind": "List", "items": [manifest("CatalogSource", spec={"priority": "high"})]},
        "dump.yaml, document 3: CatalogSource ns/x: items[0].spec.priority: must be a whole number, not a string",
    ),
    (
        manifest("ClusterServiceVersion", spec={"installModes": [{"supported": "true"}]}),
        (
            "dump.yaml, document 3: ClusterServiceVersion ns/x: spec.installModes[0].supported:"
            " must be true or false, not a string"
        ),
    ),
]


@pytest.mark.parametrize(("document", "words"), REFUSED, ids=[words[24:70] for _, words in REFUSED])
def test_mistakes_are_named(document: dict[str, Any], words: str) -> None:
    """File, document, object and field: that is what it takes to find a mistake in a dump of megabytes."""
    assert str(refusal(document)) == words


def test_names_that_are_no_text_are_refused() -> None:
    """YAML has keys that are numbers; labels have not."""
    document = manifest("Subscription", spec={"name": "p"})
    document["metadata"]["labels"] = {1: "x"}
    assert refusal(document).field == "metadata.labels.1"


def test_errors_are_request_errors_that_survive_pickling() -> None:
    """Callers catch RequestError, and worker processes send errors home."""
    error = refusal(manifest("Subscription"))
    assert isinstance(error, RequestError)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)  # noqa: S301 - our own bytes


def test_older_crds_have_one_schema_for_all_versions() -> None:
    """v1beta1 puts the schema beside the versions, and may have a single version beside the list."""
    schema = {"type": "object"}
    spec = {"group": "g.io", "names": {"kind": "T", "plural": "ts"}, "validation": {"openAPIV3Schema": schema}}
    document = {**manifest("CustomResourceDefinition", namespace=""), "apiVersion": "apiextensions.k8s.io/v1beta1"}
    single = one({**document, "spec": {**spec, "version": "v1"}})
    assert [(v.name, v.served, v.storage, v.schema) for v in single.versions] == [("v1", True, True, schema)]
    several = one({**document, "spec": {**spec, "versions": [{"name": "v1"}, {"name": "v2", "served": True}]}})
    assert [(v.name, v.served, v.schema) for v in several.versions] == [("v1", False, schema), ("v2", True, schema)]


# -- states


def csvs(count: int) -> list[dict[str, Any]]:
    return [
        manifest("ClusterServiceVersion", f"o{i:05}", f"n{i % 7}", spec={"version": "1.0.0", "skips": ["a"] * 5})
        for i in range(count)
    ]


def test_states_find_objects_whatever_the_order() -> None:
    """Neither lookups nor the order of lists depend on the order of the dump."""
    objects = list(read_manifests((document, None) for document in csvs(50)))
    state, reverse = ClusterState.of(objects), ClusterState.of(reversed(objects))
    assert state == reverse
    assert state.all(ClusterServiceVersion) == reverse.all(ClusterServiceVersion)
    assert state.get(ClusterServiceVersion, "n3", "o00003") == objects[3]
    assert state.get(ClusterServiceVersion, "n3", "o00004") is None
    assert [csv.name for csv in state.all(ClusterServiceVersion, "n0")][:2] == ["o00000", "o00007"]
    assert state.namespaces() == tuple(f"n{i}" for i in range(7))
    assert repr(state) == "<ClusterState: 50 ClusterServiceVersion>"


def test_states_change_by_making_new_ones() -> None:
    """Simulations go back to where they were."""
    first, second = read_manifests((document, None) for document in csvs(2))
    state = ClusterState.of([first])
    both = state.having(second)
    assert (len(state.all(ClusterServiceVersion)), len(both.all(ClusterServiceVersion))) == (1, 2)
    assert both.without(second) == state
    assert both.having(second) == both
    assert state.without(first) == ClusterState()


def test_what_is_not_interpreted_is_kept_and_counted() -> None:
    """A dump of everything holds Pods; they are kept aside."""
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "ns"}}
    state = ClusterState.of(read_manifest({"kind": "List", "items": [pod, manifest("CatalogSource")]}))
    assert state.counts() == {"CatalogSource": 1, "Pod": 1}
    assert state.others[0].raw == pod
    assert state.without(state.others[0]).others == ()


def test_steps_and_bundles_to_unpack_are_written_as_they_are_read() -> None:
    """One declaration says where a field stands, so what ``plan`` writes is what a dump of the cluster has then."""
    condition = {
        "type": "BundleLookupPending",
        "status": "True",
        "reason": "r",
        "message": "m",
        "observedGeneration": 2,
    }
    lookup = {
        "path": "quay.io/team/app@sha256:00",
        "identifier": "app.v1",
        "replaces": "app.v0",
        "catalogSourceRef": {"namespace": "olm", "name": "community"},
        "conditions": [condition],
    }
    resource = {
        "sourceName": "community",
        "sourceNamespace": "olm",
        "group": "operators.coreos.com",
        "version": "v1alpha1",
        "kind": "ClusterServiceVersion",
        "name": "app.v1",
        "manifest": "{}",
    }
    step = {"resolving": "app.v1", "resource": resource, "status": "Unknown"}
    plan = one(manifest("InstallPlan", status={"plan": [step], "bundleLookups": [lookup]}))
    assert [item.to_dict() for item in (*plan.steps, *plan.bundle_lookups)] == [step, lookup]


def test_an_object_may_come_twice_but_not_in_two_ways() -> None:
    """Overlapping dumps are common; dumps of two moments contradict each other."""
    document = manifest("Subscription", spec={"name": "p"})
    twice = [*read_manifest(document), *read_manifest(dict(document))]
    assert len(ClusterState.of(twice).all(SubscriptionObject)) == 1
    changed = manifest("Subscription", spec={"name": "q"})
    with pytest.raises(ManifestError, match="Subscription ns/x: is given twice, with different content as in dump"):
        ClusterState.of([*read_manifest(document, ORIGIN), *read_manifest(changed, Origin("other.yaml"))])


def test_thousands_of_operators_are_read() -> None:
    """A cluster with a copy of each operator in each namespace has as many; nothing may take quadratic time."""
    state = ClusterState.of(read_manifest({"kind": "List", "items": csvs(3_000)}))
    assert state.counts() == {"ClusterServiceVersion": 3_000}
