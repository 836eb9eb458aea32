"""Explanations of what a cluster refuses and of catalogs that cannot be read: the cluster is the remedy."""

from __future__ import annotations

import attrs
import pytest

import olmsolve
from olmsolve import Request
from olmsolve.answers.explain import NodeKind
from olmsolve.cluster import NothingMayAct, SupportsTargets, WorksOnKubernetes
from olmsolve.cluster.operator_groups import NO_GROUP, SEVERAL_GROUPS
from olmsolve.eligibility import Eligibility
from olmsolve.render import explanation_text, why_not_text
from tests.explain.requests import failure_of, request_from, unreadable
from tests.simulation.small_clusters import OLM, Version, catalog, group, operator, subscription


def test_a_catalog_that_cannot_be_read() -> None:
    """OLM resolves nothing then, which says nothing about the subscriptions; repairing the catalog is the way out."""
    explanation = olmsolve.explanation(failure_of(unreadable("strict")))
    assert [conflict.statement for conflict in explanation.conflicts] == ["catalog olm/broken cannot be read"]
    assert [node.kind for node in explanation.conflicts[0].nodes] == [NodeKind.UNREADABLE]
    assert "connection refused" in explanation_text(explanation, width=200)
    assert explanation.fixes is not None
    assert [str(fix) for fix in explanation.fixes] == ["repair catalog olm/broken, which cannot be read"]


def test_a_catalog_that_cannot_be_read_beside_a_conflict() -> None:
    """If the catalog might have helped, both conflicts are listed, and repairing it alone is not offered as a fix."""
    explanation = olmsolve.explanation(failure_of(unreadable("referenced")))
    statements = [conflict.statement for conflict in explanation.conflicts]
    assert statements == ["catalog olm/broken cannot be read", "subscription app cannot be served"]
    assert explanation.fixes is not None
    assert [str(fix) for fix in explanation.fixes] == ["delete subscription app"]


def test_a_catalog_that_cannot_be_read_comes_before_one_that_is_broken() -> None:
    """OLM asks no other catalog before all can be read; a channel without an order comes to light only then."""
    circle = [{"name": "web.v1.0.0", "replaces": "web.v1.1.0"}, {"name": "web.v1.1.0", "replaces": "web.v1.0.0"}]
    package = {"channels": {"stable": circle}}
    broken = request_from(
        {
            "catalogs": {"olm/main": {"packages": {"web": package}}},
            "subscriptions": [{"package": "web", "channel": "stable"}],
        }
    )
    wish = attrs.evolve(broken.subscriptions[0], source="main", source_namespace="olm")
    broken = attrs.evolve(broken, subscriptions=[wish])
    request = attrs.evolve(unreadable("strict"), sources=broken.sources, subscriptions=[wish])
    explanation = olmsolve.explanation(failure_of(request))
    assert [conflict.statement for conflict in explanation.conflicts] == ["catalog olm/broken cannot be read"]
    with pytest.raises(olmsolve.CatalogError, match="no head"):
        olmsolve.resolve(broken)


@pytest.mark.parametrize("policy", ["strict", "referenced", "ignore"])
def test_a_subscription_to_a_catalog_that_cannot_be_read_has_one_cause(policy: str) -> None:
    """The catalog is there and cannot be read; that it "is not visible" would be a second cause, and wrong."""
    request = unreadable(policy)
    wish = attrs.evolve(request.subscriptions[0], source="broken", source_namespace="olm")
    explanation = olmsolve.explanation(failure_of(attrs.evolve(request, subscriptions=[wish])))
    assert [conflict.statement for conflict in explanation.conflicts] == ["catalog olm/broken cannot be read"]
    assert "not visible" not in explanation_text(explanation)


def test_what_the_cluster_refuses() -> None:
    """A system constraint refuses bundles for a reason of its own, which appears like any other."""
    versions = [f"app.v1.{number}.0" for number in range(3)]
    package = {"channels": {"stable": " > ".join(reversed(versions))}}
    request = request_from(
        {"catalogs": {"olm/main": {"packages": {"app": package}}}, "subscriptions": [{"package": "app"}]}
    )
    request = attrs.evolve(request, eligibility=[lambda candidate: "it needs Kubernetes 1.30.0"])
    explanation = olmsolve.explanation(failure_of(request))
    assert [node.kind for node in explanation.conflicts[0].nodes] == [
        NodeKind.SUBSCRIPTION,
        NodeKind.BUNDLES,
        NodeKind.REFUSED,
    ]
    text = explanation_text(explanation, width=200)
    assert "app 1.0.0 to 1.2.0 (3 bundles; stable, olm/main) may not be selected here: it needs Kubernetes" in text


def refused_by(*constraints: Eligibility, modes: tuple[str, ...] = ("OwnNamespace",), kube: str = "") -> Request:
    """A request for an operator with these install modes, in namespace team of a cluster with these *constraints*."""
    supported = [{"type": mode, "supported": True} for mode in modes]
    metadata = {"type": "olm.csv.metadata", "value": {"installModes": supported, "minKubeVersion": kube}}
    versions = [f"app.v1.{number}.0" for number in range(3)]
    package = {
        "channels": {"stable": " > ".join(reversed(versions))},
        "bundles": {version: [metadata] for version in versions},
    }
    request = request_from(
        {"catalogs": {"olm/main": {"packages": {"app": package}}}, "subscriptions": [{"package": "app"}]}
    )
    return attrs.evolve(request, eligibility=constraints)


@pytest.mark.parametrize(
    ("request_", "remedy"),
    [
        (refused_by(SupportsTargets("team", ("",))), "let the operator group of team target team alone"),
        (
            refused_by(SupportsTargets("team", ("team",)), modes=("AllNamespaces",)),
            "let the operator group of team target all namespaces",
        ),
        (
            refused_by(NothingMayAct(NO_GROUP, "team")),
            "create an operator group in namespace team that targets team alone",
        ),
        (refused_by(WorksOnKubernetes("1.28.0"), kube="1.30.0"), "update the cluster to Kubernetes 1.30.0"),
    ],
)
def test_the_cluster_is_the_remedy_where_it_is_the_cause(request_: Request, remedy: str) -> None:
    """Where the operator group or the cluster's version refuses all versions, deleting the wish is the last resort."""
    explanation = olmsolve.explanation(failure_of(request_))
    assert explanation.fixes is not None
    assert [str(fix) for fix in explanation.fixes] == [remedy, "delete subscription app"]
    assert [install.name for install in explanation.fixes[0].resolution.installs] == ["app.v1.2.0"]
    (change,) = explanation.fixes[0].to_dict()["changes"]
    assert change == {"kind": "ChangeCluster", "text": remedy, "remedy": remedy}


def test_several_groups_have_no_remedy_that_can_be_tried() -> None:
    """Which of several operator groups should stay is not for a tool to say."""
    explanation = olmsolve.explanation(failure_of(refused_by(NothingMayAct(SEVERAL_GROUPS, "team"))))
    assert explanation.fixes is not None
    assert [str(fix) for fix in explanation.fixes] == ["delete subscription app"]


def test_why_not_names_the_cluster_too() -> None:
    """A newer version that needs a newer Kubernetes is not selected, and the answer says which one."""
    request = refused_by(WorksOnKubernetes("1.28.0"), kube="1.30.0")
    older = {"channels": {"old": "app.v1.0.0"}, "bundles": {"app.v1.0.0": []}}
    plain = request_from(
        {
            "catalogs": {"olm/main": {"packages": {"app": older}}},
            "subscriptions": [{"package": "app", "channel": "old"}],
        }
    )
    source = attrs.evolve(request.sources[0], name="newer")
    request = attrs.evolve(plain, sources=[*plain.sources, source], eligibility=request.eligibility)
    answer = olmsolve.why_not(olmsolve.resolve(request), "app", version="1.2.0")
    assert "it needs Kubernetes 1.30.0, and the cluster has 1.28.0" in why_not_text(answer, width=200)


def _upgrading(cause: str) -> olmsolve.Explanation:
    """The explanation of a namespace in which e.v2.0.0 is pending, and e.v1.0.0 gives way to it."""
    one, two = Version("1.0.0", ("E.v1",)), Version("2.0.0", ("E.v1",), replaces="1.0.0")
    older, newer = operator("ns", "e", one), operator("ns", "e", two)
    older["status"] = {"phase": "Replacing", "reason": "BeingReplaced"}
    if cause == "unready":
        older["status"] = {"phase": "Installing", "reason": "InstallWaiting"}
    reasons = {"refused": "OperatorConditionNotUpgradeable", "lacking": "RequirementsNotMet"}
    newer["status"] = {"phase": "Pending", "reason": reasons.get(cause, "RequirementsUnknown")}
    newer["spec"]["replaces"] = "e.v1.0.0"
    condition = {
        "apiVersion": "operators.coreos.com/v2",
        "kind": "OperatorCondition",
        "metadata": {"name": "e.v1.0.0", "namespace": "ns"},
        "spec": {"conditions": [{"type": "Upgradeable", "status": "False", "message": "busy"}]},
    }
    wish = subscription("ns", "e", has="2.0.0")
    catalogs = {"apiVersion": OLM, "kind": "CatalogSource", "metadata": {"name": "main", "namespace": "olm"}}
    items = [group("ns"), wish, older, newer, catalogs, *([condition] if cause == "refused" else [])]
    dump = {"apiVersion": "v1", "kind": "List", "items": items}
    situation = olmsolve.read_situation(dump, catalogs={"olm/main": catalog(e=[one, two])})
    [question] = situation.questions
    assert isinstance(question, olmsolve.requests.ClassicQuestion)
    with pytest.raises(olmsolve.Unsatisfiable) as failed:
        olmsolve.resolve(question.request(), semantics="controller")
    return olmsolve.explanation(failed.value)


@pytest.mark.parametrize(
    ("cause", "way_out"),
    [
        ("refused", "wait until e.v1.0.0 lets e.v2.0.0 replace it, or override its condition Upgradeable"),
        ("unready", "repair e.v1.0.0: e.v2.0.0 replaces it only once it works"),
        ("lacking", "provide what the status of e.v2.0.0 says is missing, so that it can replace e.v1.0.0"),
    ],
)
def test_an_operator_in_the_middle_of_an_update_is_never_removed(cause: str, way_out: str) -> None:
    """It is the one that works. As recorded, OLM goes on with the condition overridden, or the requirement met."""
    explanation = _upgrading(cause)
    assert explanation.fixes is not None
    assert [str(fix) for fix in explanation.fixes] == [way_out]


def test_a_namespace_that_needs_no_global_catalog_can_do_without() -> None:
    """As recorded: with the annotation, a global catalog that fails no longer holds the namespace up."""
    request = unreadable("strict")
    own = attrs.evolve(request.sources[0], namespace=request.namespaces[0])
    wish = attrs.evolve(request.subscriptions[0], source=own.name, source_namespace=own.namespace)
    explanation = olmsolve.explanation(failure_of(attrs.evolve(request, sources=[own], subscriptions=[wish])))
    assert explanation.fixes is not None
    assert [str(fix) for fix in explanation.fixes] == [
        "repair catalog olm/broken, which cannot be read",
        f"let namespace {own.namespace} see no global catalogs (an annotation of its operator group)",
    ]
