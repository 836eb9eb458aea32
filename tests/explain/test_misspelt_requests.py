"""Requests that name what does not exist: the first line says so, and only what was meant is a way out."""

from __future__ import annotations

import json
from typing import Any

import pytest

from olmsolve import Explanation, Request, Source, Subscription, Unsatisfiable, explanation, resolve
from olmsolve.answers.explain import DropSubscription, NoteKind
from olmsolve.catalog import Catalog
from olmsolve.render import explanation_text
from olmsolve.testing import check_fixes
from tests.explain.requests import request_from
from tests.recorded import real_catalog

SCENARIO: dict[str, Any] = {
    "catalogs": {
        "olm/main": {
            "packages": {
                "etcd": {"channels": {"stable": "etcd.v1.1.0 > etcd.v1.0.0", "alpha": "etcd.v2.0.0"}},
                "kairos-operator": {"channels": {"stable": "kairos-operator.v1.0.0"}},
            }
        },
        "olm/certified": {"packages": {"etcd": {"channels": {"stable": "etcd.v1.1.0"}}}},
    }
}


def explained(**wish: str) -> Explanation:
    """The explanation of a request with this subscription alone."""
    return of(request_from({**SCENARIO, "subscriptions": [wish]}))


def of(request: Request) -> Explanation:
    with pytest.raises(Unsatisfiable) as failure:
        resolve(request)
    return explanation(failure.value)


@pytest.mark.parametrize(
    ("wish", "first", "fixes"),
    [
        (
            {"package": "ectd"},
            'no package "ectd" in olm/main; did you mean etcd?',
            ["correct the package of subscription ectd to etcd"],
        ),
        (
            {"package": "argocd-operator"},
            'no package "argocd-operator" in olm/main',
            [],
        ),
        (
            {"package": "etcd", "channel": "stabel"},
            'package etcd has no channel "stabel"; did you mean stable?',
            ["switch subscription etcd to channel stable"],
        ),
        (
            {"package": "etcd", "channel": "nightly"},
            'package etcd has no channel "nightly", but stable and alpha',
            ["switch subscription etcd to channel stable", "switch subscription etcd to channel alpha"],
        ),
        (
            {"package": "etcd", "channel": "stable", "startingCSV": "etcd.1.0.0"},
            'no bundle "etcd.1.0.0" in channel stable of package etcd; did you mean etcd.v1.0.0',
            ["set startingCSV of subscription etcd to etcd.v1.0.0"],
        ),
        (
            {"package": "etcd", "channel": "stable", "startingCSV": "1.0.0"},
            'no bundle "1.0.0" in channel stable of package etcd; did you mean etcd.v1.0.0?',
            ["set startingCSV of subscription etcd to etcd.v1.0.0"],
        ),
        (
            {"package": "etcd", "source": "mian"},
            'no catalog "olm/mian" is visible; did you mean olm/main?',
            ["let subscription etcd use catalog olm/main"],
        ),
        (
            {"package": "etcd", "sourceNamespace": "openshift-marketplace"},
            'no catalog "openshift-marketplace/main" is visible; did you mean olm/main?',
            ["let subscription etcd use catalog olm/main"],
        ),
    ],
    ids=lambda value: " ".join(value.values()) if isinstance(value, dict) else "",
)
def test_the_first_line_says_which_name_was_meant(wish: dict[str, str], first: str, fixes: list[str]) -> None:
    """The same in text and data; the fixes have nothing else, whatever else would give a plan."""
    explanation = explained(**wish)
    (conflict,) = explanation.conflicts
    assert conflict.statement.startswith(first)
    assert " ".join(explanation_text(explanation).split()).startswith(f"This request cannot be satisfied: {first}")
    assert list(map(str, explanation.ways_out or ())) == fixes
    data = json.loads(json.dumps(explanation.to_dict()))
    assert data["conflicts"][0]["statement"] == conflict.statement
    assert [fix["text"] for fix in data["fixes"]] == fixes
    similar = [note for node in conflict.nodes for note in node.notes if note.kind is NoteKind.SIMILAR_NAME]
    assert bool(similar) == ("did you mean" in first)


def test_who_has_misspelt_a_name_learns_what_to_correct() -> None:
    """Where no name is alike, the advice is no deletion: the package may be in a catalog that is not here."""
    text = " ".join(explanation_text(explained(package="argocd-operator"), remedy_first=True).split())
    assert "Correct the name of the package, or add a catalog that has it; olmsolve explain --known NAME=PATH" in text
    assert "delete" not in text
    assert "kairos" not in text
    text = explanation_text(explained(package="etcd", source="x"))
    assert "let subscription etcd use catalog olm/main" in text


def test_a_name_like_no_other_keeps_the_rest_of_a_namespace_from_being_served() -> None:
    """Deleting its subscription is a way out for the others, and never the first advice."""
    request = request_from({**SCENARIO, "subscriptions": [{"package": "etcd"}, {"package": "gone"}]})
    explanation = of(request)
    assert list(map(str, explanation.fixes or ())) == ["delete subscription gone"]
    text = " ".join(explanation_text(explanation, remedy_first=True).split())
    assert "Nearest way out: correct the name of the package, or add a catalog that has it" in text
    misspelt = of(request_from({**SCENARIO, "subscriptions": [{"package": "etcd"}, {"package": "kairos"}]}))
    assert list(map(str, misspelt.fixes or ())) == ["correct the package of subscription kairos to kairos-operator"]


def test_a_name_that_was_right_once_is_no_slip() -> None:
    """The catalog has dropped the package of an installed operator: deleting its subscription keeps the operator."""
    subscriptions = [{"package": "etcd-old", "channel": "stable"}]
    installed = [{"name": "etcd-old.v1.0.0", "owner": "etcd-old", "publishes": []}]
    explanation = of(request_from({**SCENARIO, "subscriptions": subscriptions, "installed": installed}))
    assert any(isinstance(change, DropSubscription) for fix in explanation.fixes or () for change in fix.changes)


TYPOS = {
    "pelorus-operato": "pelorus-operator",
    "pelorus": "pelorus-operator",
    "argocd-operater": "argocd-operator",
    "argo-cd-operator": "argocd-operator",
    "Argocd-Operator": "argocd-operator",
    "keycloak": "keycloak-operator",
    "keycloack-operator": "keycloak-operator",
    "prometheus-operator": "prometheus",
    "promethues": "prometheus",
    "grafna-operator": "grafana-operator",
    "etcd-operator": "etcd",
    "etdc": "etcd",
    "certmanager": "cert-manager",
    "cert_manager": "cert-manager",
    "strimzi-kafka": "strimzi-kafka-operator",
    "strimzi-kafka-operators": "strimzi-kafka-operator",
    "external-secret-operator": "external-secrets-operator",
    "jaeger-operator": "jaeger",
    "node-maintenence-operator": "node-maintenance-operator",
    "hive": "hive-operator",
    "camel-kk": "camel-k",
}
ABSENT = ("argocd-operater-xyz", "postgres", "tekton", "rook-ceph", "ack-foo-controller", "k8s", "minio-operator")


def real_request(package: str) -> Request:
    catalog: Catalog = real_catalog("community-prod.jsonl.gz")
    wish = Subscription("mine", "operators", package)
    return Request(namespaces=("operators", "olm"), sources=[Source("c", "olm", 0, catalog)], subscriptions=[wish])


@pytest.mark.parametrize("written", TYPOS)
def test_real_packages_misspelt(written: str) -> None:
    """One name is meant, and the first line and the only way out say it."""
    request = real_request(written)
    explanation = of(request)
    first = f'no package "{written}" in olm/c; did you mean {TYPOS[written]}'
    assert explanation.conflicts[0].statement.startswith(first)
    assert list(map(str, explanation.fixes or ())) == [f"correct the package of subscription mine to {TYPOS[written]}"]
    check_fixes(request, explained=explanation)


@pytest.mark.parametrize("written", ABSENT)
def test_packages_that_are_not_there(written: str) -> None:
    """Nothing is offered in the place of a package that a catalog lacks."""
    explanation = of(real_request(written))
    assert explanation.fixes == ()
