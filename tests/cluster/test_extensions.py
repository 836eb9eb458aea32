"""Objects of OLM v1 on a cluster: feature gates and revisions, owners of objects, and upgrades along a way."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

import olmsolve
from olmsolve import v1
from olmsolve.cluster import ClusterState
from olmsolve.cluster.extensions import bundle_objects, controller_gates
from olmsolve.cluster.objects import read_manifests

V1 = "olm.operatorframework.io/v1"
ACCOUNT = {"serviceAccountName": "shop-sa"}
RULES = [{"verbs": ["get"], "apiGroups": ["shop.example.com"], "resources": ["*"]}]


def state(*objects: dict[str, Any]) -> ClusterState:
    return ClusterState.of(read_manifests((object_, None) for object_ in objects))


def deployment(*args: str) -> dict[str, Any]:
    containers = [{"name": "manager", "args": list(args)}]
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "operator-controller-controller-manager", "namespace": "olmv1-system"},
        "spec": {"template": {"spec": {"containers": containers}}},
    }


@pytest.mark.parametrize(
    ("args", "gates"),
    [
        (["--health-probe-bind-address=:8081"], {}),
        (["--feature-gates=DeploymentConfig=true,BoxcutterRuntime=false"], None),
        (["--feature-gates=DeploymentConfig=false", "--feature-gates", "DeploymentConfig=true"], None),
        (["--feature-gates=OfTomorrow=true"], {}),
    ],
)
def test_the_controllers_deployment_shows_its_gates(args: list[str], gates: dict[str, bool] | None) -> None:
    """A later argument counts over an earlier one; a gate that olmsolve does not know cannot matter to it."""
    shown_gates = controller_gates(state(deployment(*args)))
    assert shown_gates == gates if gates is not None else shown_gates["DeploymentConfig"]


def csv(permissions: bool = True) -> dict[str, Any]:
    spec: dict[str, Any] = {"deployments": [{"name": "controller"}]}
    if permissions:
        spec |= {"clusterPermissions": [{**ACCOUNT, "rules": RULES}], "permissions": [{**ACCOUNT, "rules": RULES}]}
    return {
        "kind": "ClusterServiceVersion",
        "metadata": {"name": "shop.v2.0.0"},
        "spec": {
            "installModes": [{"type": "AllNamespaces", "supported": True}],
            "install": {"strategy": "deployment", "spec": spec},
        },
    }


def crd(version: str, **properties: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "shops.shop.example.com"},
        "spec": {
            "group": "shop.example.com",
            "names": {"kind": "Shop", "plural": "shops"},
            "scope": "Namespaced",
            "versions": [
                {"name": version, "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}},
            ],
        },
    }


def manifest(value: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "olm.bundle.object",
        "value": {"data": base64.b64encode(json.dumps(value).encode()).decode()},
    }


def bundle(version: str, *manifests: dict[str, Any]) -> dict[str, Any]:
    package = {"type": "olm.package", "value": {"packageName": "shop", "version": version}}
    properties = [package, *map(manifest, manifests)]
    return {"schema": "olm.bundle", "package": "shop", "name": f"shop.v{version}", "properties": properties}


def test_names_of_cluster_roles_are_the_controllers() -> None:
    """The first as recorded; in all namespaces what an operator asks for in its own becomes a cluster role as well."""
    content = olmsolve.fbc.from_blobs([bundle("2.0.0", csv())]).packages["shop"].bundles["shop.v2.0.0"]
    objects = bundle_objects(v1.bundle_content(content), v1.InstallSettings("here"))
    roles = [object_.name for object_ in objects if object_.kind == "ClusterRole"]
    assert "shop.v2.0.0-shop-sa-x5n5plcdzt6ux55qfcnthkorczav34h51t68qot1u7n" in roles
    assert len(set(roles)) == 2
    assert [(object_.kind, object_.namespace) for object_ in objects if object_.namespace] == [
        ("ServiceAccount", "here"),
        ("Deployment", "here"),
    ]


def extension(name: str, installed: str = "1.0.0", **install: Any) -> dict[str, Any]:
    manifest: dict[str, Any] = {
        "apiVersion": V1,
        "kind": "ClusterExtension",
        "metadata": {"name": name},
        "spec": {
            "namespace": name,
            "source": {"sourceType": "Catalog", "catalog": {"packageName": "shop"}},
            **({"install": install} if install else {}),
        },
    }
    if installed:
        manifest["status"] = {"install": {"bundle": {"name": f"shop.v{installed}", "version": installed}}}
    return manifest


def situation(*objects: dict[str, Any], bundles: list[dict[str, Any]]) -> olmsolve.Situation:
    entries: list[dict[str, Any]] = []
    for bundle in bundles:
        entries.append({"name": bundle["name"], **({"replaces": entries[-1]["name"]} if entries else {})})
    channel = {"schema": "olm.channel", "package": "shop", "name": "c", "entries": entries}
    catalog = {"apiVersion": V1, "kind": "ClusterCatalog", "metadata": {"name": "cat"}}
    dump = {"apiVersion": "v1", "kind": "List", "items": [*objects, catalog]}
    return olmsolve.read_situation(dump, catalogs={"cat": olmsolve.fbc.from_blobs([channel, *bundles])})


def simulated(*objects: dict[str, Any], bundles: list[dict[str, Any]]) -> dict[str, Any]:
    simulation = olmsolve.simulate(situation(*objects, bundles=bundles)).extensions
    assert simulation is not None
    return simulation.to_dict()


TEXT, NUMBER = {"type": "string"}, {"type": "integer"}
WAY = [
    bundle("1.0.0", csv(), crd("v1", size=NUMBER)),
    bundle("1.1.0", csv(), crd("v1", size=NUMBER, name=TEXT)),
    bundle("2.0.0", csv(), crd("v1", size=NUMBER, name=NUMBER)),
]


def owned(definition: dict[str, Any], owner: str) -> dict[str, Any]:
    labels = {"olm.operatorframework.io/owner-name": owner}
    return {
        **definition,
        "metadata": {**definition["metadata"], "labels": labels},
        "status": {"storedVersions": ["v1"]},
    }


def test_definitions_are_compared_along_the_way() -> None:
    """The field that 1.1.0 brings is on no cluster yet, and 2.0.0 may not change it all the same."""
    there = owned(crd("v1", size=NUMBER), "shop")
    document = simulated(extension("shop"), there, bundles=WAY)
    assert [update["bundle"] for round_ in document["rounds"] for update in round_["updates"]] == ["shop.v1.1.0"]
    (failed,) = document["failed"]
    assert 'validating upgrade for CRD "shops.shop.example.com": v1: ^.spec.name: type' in failed["error"]
    assert "enforcement: None" in failed["note"]
    lax = extension("shop", preflight={"crdUpgradeSafety": {"enforcement": "None"}})
    assert simulated(lax, there, bundles=WAY)["resting"][0]["bundle"] == "shop.v2.0.0"


def test_what_classic_olm_leaves_behind_refuses() -> None:
    """Nobody owns it, and the way out keeps its objects: deleting a definition would take them along."""
    (failed,) = simulated(extension("shop", ""), crd("v1"), bundles=WAY)["failed"]
    assert "CustomResourceDefinition 'shops.shop.example.com' already exists in namespace ''" in failed["error"]
    assert "classic OLM" in failed["note"]
    assert (
        "the controller takes it over once it has the labels and annotations of this extension's release"
        in failed["note"]
    )
    assert "has to be deleted" not in failed["note"]


def test_one_package_twice() -> None:
    """Only where the bundles share nothing; else who has it keeps it."""
    bare = [bundle("1.0.0", csv(permissions=False))]
    document = simulated(extension("one"), extension("two", ""), bundles=bare)
    assert {resting["extension"] for resting in document["resting"]} == {"one", "two"}
    document = simulated(extension("one"), extension("two", ""), bundles=[bundle("1.0.0", csv())])
    assert [failure["extension"] for failure in document["failed"]] == ["two"]
    assert "ClusterRole 'shop.v2.0.0-shop-sa-" in document["failed"][0]["error"]
    assert "ClusterExtension one owns it" in document["failed"][0]["note"]


RBAC = "rbac.authorization.k8s.io/v1"
# The kinds that the controller was seen to refuse, each with its version and the phase of a revision that has them all.
KINDS = [
    ("NetworkPolicy", "networking.k8s.io/v1", 0),
    ("PodDisruptionBudget", "policy/v1", 0),
    ("PriorityClass", "scheduling.k8s.io/v1", 0),
    ("ServiceAccount", "v1", 1),
    ("Secret", "v1", 2),
    ("ConfigMap", "v1", 2),
    ("CustomResourceDefinition", "apiextensions.k8s.io/v1", 3),
    ("ClusterRole", RBAC, 4),
    ("Role", RBAC, 4),
    ("ClusterRoleBinding", RBAC, 5),
    ("RoleBinding", RBAC, 5),
    ("Service", "v1", 6),
    ("Deployment", "apps/v1", 7),
]
OF_CLUSTER = ("ClusterRole", "ClusterRoleBinding", "PriorityClass")
BROUGHT = [
    {"apiVersion": version, "kind": kind, "metadata": {"name": "shop-own"}}
    for kind, version, _ in KINDS
    if kind not in ("CustomResourceDefinition", "Deployment", "ServiceAccount")
]
WHOLE = [bundle("1.0.0", csv(), crd("v1"), *BROUGHT)]


def there(kind: str, version: str, **metadata: Any) -> dict[str, Any]:
    """An object on the cluster with the name that the bundle has for its kind."""
    names = {"ServiceAccount": "shop-sa", "Deployment": "controller"}
    if kind == "CustomResourceDefinition":
        return crd("v1")
    namespace = {} if kind in OF_CLUSTER else {"namespace": "shop"}
    about = {"name": names.get(kind, "shop-own"), **namespace, **metadata}
    return {"apiVersion": version, "kind": kind, "metadata": about}


@pytest.mark.parametrize(("kind", "version", "phase"), KINDS, ids=[kind for kind, _, _ in KINDS])
def test_an_object_that_nobody_owns_refuses(kind: str, version: str, phase: int) -> None:
    """Of any kind, as recorded: in the words of a release, and with revisions by the phase that applies it."""
    one = there(kind, version)
    name, namespace = one["metadata"]["name"], one["metadata"].get("namespace", "")
    (failed,) = simulated(extension("shop", ""), one, bundles=WHOLE)["failed"]
    assert failed["error"].endswith(
        f"failed to get release state using server-side dry-run: {kind} '{name}' already exists in namespace"
        f" '{namespace}' and cannot be managed by operator-controller"
    )
    assert failed["note"].startswith("nobody owns it")
    gates = deployment("--feature-gates=BoxcutterRuntime=true")
    (failed,) = simulated(extension("shop", ""), one, gates, bundles=WHOLE)["failed"]
    assert failed["error"] == (
        f'revision object collisions in phase {phase}\nObject {kind}.{version} {namespace}/{name}\nAction: "Collision"'
    )


def operator(name: str) -> dict[str, Any]:
    manifest = {"apiVersion": "operators.coreos.com/v1alpha1", **csv()}
    return {**manifest, "metadata": {"name": name, "namespace": "shop"}}


def owned_by(kind: str, name: str) -> dict[str, Any]:
    return {"ownerReferences": [{"apiVersion": "x/v1", "kind": kind, "name": name, "uid": "1"}]}


@pytest.mark.parametrize(
    ("metadata", "others", "note"),
    [
        (
            owned_by("ClusterServiceVersion", "old.v1"),
            [operator("old.v1")],
            "operator shop/old.v1 of classic OLM owns it",
        ),
        (owned_by("ClusterServiceVersion", "old.v1"), [], None),
        (owned_by("ReplicaSet", "old"), [], "nobody owns it"),
        ({"labels": {"olm.operatorframework.io/owner-name": "shop"}}, [], None),
        ({"labels": {"olm.operatorframework.io/owner-name": "gone"}, **owned_by("ClusterExtension", "gone")}, [], None),
        ({"labels": {"olm.operatorframework.io/owner-name": "gone"}}, [], "nobody owns it"),
    ],
    ids=["classic", "classic, going", "another", "its own", "an extension that is gone", "a label alone"],
)
def test_who_has_the_object(metadata: dict[str, Any], others: list[dict[str, Any]], note: str | None) -> None:
    """The garbage collector deletes what belongs to an owner that is gone, so that it is in nobody's way."""
    one = there("ServiceAccount", "v1", **metadata)
    document = simulated(extension("shop", ""), one, *others, bundles=[bundle("1.0.0", csv())])
    if note is None:
        assert document["failed"] == []
    else:
        assert document["failed"][0]["note"].startswith(note)


def test_why_not_finds_the_way_past_the_check_of_definitions() -> None:
    """The refusal itself names the setting; who asked for a way out was told that there is none."""
    there = owned(crd("v1", size=NUMBER, name=TEXT), "shop")
    (question,) = situation(extension("shop", "1.1.0"), there, bundles=WAY).questions
    request = question.request()
    assert isinstance(request, v1.ExtensionRequest)
    answer = olmsolve.why_not(request, "shop", version="2.0.0")
    assert [obstacle.kind.value for obstacle in answer.candidates[0].obstacles] == ["refused"]
    assert [str(fix) for fix in answer.fixes] == [
        "set install.preflight.crdUpgradeSafety.enforcement to None, at your own risk: existing objects may break"
    ]
    assert answer.fixes[0].bundles == ("shop.v2.0.0",)
    with pytest.raises(v1.ResolutionError) as failed:
        v1.resolve(request)
    explained = olmsolve.explanation(failed.value)
    assert str(answer.fixes[0]) in [str(fix) for fix in explained.ways_out or ()]
