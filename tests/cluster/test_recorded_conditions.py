"""What OLM itself has written into a status is told, in its words, and once.

The conditions are those of whole runs of the real OLM; names are shortened.
"""

from __future__ import annotations

from typing import Any

import pytest

from olmsolve.cluster import GroupAccountMissing, Hindrance, PlanNotFinished, SubscriptionsReport, held_in_cluster
from tests.cluster.test_hindrances import ONE, plan
from tests.simulation.small_clusters import cluster, group, installed, operator, subscription


def hindrances_of(*objects: Any) -> list[Hindrance]:
    return list(held_in_cluster(cluster(group("ns"), *objects), "ns"))


def reporting(name: str, *conditions: dict[str, str], **status: Any) -> dict[str, Any]:
    wish = subscription("ns", name)
    wish["status"] = {**wish.get("status", {}), **status, "conditions": list(conditions)}
    return wish


def condition(type_: str, reason: str = "", message: str = "", status: str = "True") -> dict[str, str]:
    return {"type": type_, "status": status, "reason": reason, "message": message}


def test_a_failed_resolution_is_told_once_for_its_namespace() -> None:
    """OLM writes it into every subscription, and a reader wants it once."""
    failed = condition("ResolutionFailed", "ErrorPreventedResolution", "failed to list bundles: Unavailable")
    [hindrance] = hindrances_of(reporting("a", failed), reporting("b", failed))
    assert hindrance == SubscriptionsReport("ns", ("a", "b"), failed["type"], failed["reason"], failed["message"])
    assert str(hindrance) == (
        "subscriptions ns/a, ns/b: OLM could not resolve the namespace"
        " (ErrorPreventedResolution: failed to list bundles: Unavailable)"
    )


@pytest.mark.parametrize(
    ("type_", "words"),
    [
        ("CatalogSourcesUnhealthy", "OLM finds catalogs unhealthy (why: more)"),
        ("BundleUnpackFailed", "OLM could not unpack a bundle (why: more)"),
        ("BundleUnpacking", "OLM is unpacking a bundle (why: more)"),
        ("InstallPlanMissing", "the install plan is gone (why: more)"),
    ],
)
def test_each_condition_of_a_fault_has_its_words(type_: str, words: str) -> None:
    """Conditions that are False say that all is well."""
    assert list(map(str, hindrances_of(reporting("a", condition(type_, "why", "more"))))) == [
        f"subscription ns/a: {words}"
    ]
    assert hindrances_of(reporting("a", condition(type_, "why", "more", "False"))) == []


def test_a_plan_that_is_there_speaks_for_its_subscription() -> None:
    """Without the plan in the dump, the condition of the subscription is all that is known."""
    pending = reporting("a", condition("InstallPlanPending", "RequiresApproval"), installPlanRef={"name": "install-1"})
    waiting = plan("install-1", "RequiresApproval", 1, "a.v1")
    assert [hindrance.kind for hindrance in hindrances_of(pending, waiting)] == ["planWaits"]
    assert list(map(str, hindrances_of(pending))) == [
        "subscription ns/a: the install plan is not finished (RequiresApproval)",
    ]


def test_a_plan_that_hangs_says_what_it_waits_for() -> None:
    """Its phase is Installing for ever where the group's service account is missing, and nothing else says so."""
    message = "please make sure the service account exists. sa=nobody operatorgroup=ns/group"
    hanging = plan("install-1", "Installing", 1, "e.v1.0.0")
    hanging["status"]["conditions"] = [condition("Installed", "InstallCheckFailed", message, "False")]
    [hindrance] = hindrances_of(hanging)
    assert hindrance == PlanNotFinished("ns", "install-1", ("e.v1.0.0",), "Installing", "InstallCheckFailed", message)
    assert str(hindrance).startswith(
        "install plan ns/install-1 is Installing, and not finished (InstallCheckFailed: please"
    )


def test_a_bundle_that_is_not_unpacked_is_what_its_plan_waits_for() -> None:
    """The job's own words stand in the plan's lookup."""
    unpacking = plan("install-1", "Installing", 1, "e.v1.0.0")
    pending = condition("BundleLookupPending", "JobIncomplete", "unpack job not completed: ErrImagePull")
    unpacking["status"]["bundleLookups"] = [{"identifier": "e.v1.0.0", "path": "q/e:1", "conditions": [pending]}]
    [hindrance] = hindrances_of(unpacking)
    assert isinstance(hindrance, PlanNotFinished)
    assert (hindrance.reason, hindrance.message) == ("JobIncomplete", "unpack job not completed: ErrImagePull")


def test_a_plan_under_way_without_a_word_holds_nothing_back() -> None:
    """A dump may be taken at any moment."""
    assert hindrances_of(plan("install-1", "Installing", 1, "e.v1.0.0")) == []


def test_a_group_without_its_service_account() -> None:
    """As recorded, OLM tells it in a condition of the group."""
    scoped = group("ns")
    missing = condition("OperatorGroupServiceAccount", "ServiceAccountNotFound", "ServiceAccount nobody not found")
    scoped["status"]["conditions"] = [missing]
    [hindrance] = held_in_cluster(cluster(scoped, installed("ns", "e", ONE)), "ns")
    assert isinstance(hindrance, GroupAccountMissing)
    assert str(hindrance).endswith(
        "so OLM carries out no install plan (ServiceAccountNotFound: ServiceAccount nobody not found)"
    )


def test_an_operator_tells_what_it_lacks() -> None:
    """Its requirementStatus names the objects; its message says only that there are some."""
    waiting = operator("ns", "e", ONE)
    waiting["status"] = {
        "phase": "Pending",
        "reason": "RequirementsNotMet",
        "message": "one or more requirements couldn't be found",
        "requirementStatus": [
            {"kind": "ClusterServiceVersion", "name": "e.v1.0.0", "status": "Present"},
            {"kind": "CustomResourceDefinition", "name": "gears.example.com", "status": "NotPresent"},
        ],
    }
    hindrances = [
        hindrance
        for hindrance in hindrances_of(subscription("ns", "e", has="1.0.0"), waiting)
        if hindrance.kind == "operatorNotWorking"
    ]
    assert str(hindrances[0]) == (
        "operator ns/e.v1.0.0 is Pending (RequirementsNotMet: one or more requirements couldn't be found:"
        " CustomResourceDefinition gears.example.com is NotPresent)"
    )
