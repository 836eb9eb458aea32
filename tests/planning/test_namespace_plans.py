"""Plans of a namespace as values: what changes, what is replaced, what is deprecated, and what is held back."""

from __future__ import annotations

from typing import Any

import pytest

from olmsolve import Policy
from olmsolve.catalog import Catalog
from olmsolve.catalog.fbc import blobs, from_blobs
from olmsolve.classic import Semantics
from olmsolve.cluster import ClusterState, PlanWaits
from olmsolve.errors import CatalogError
from olmsolve.lifecycle.planning import NamespacePlan, namespace_plan
from olmsolve.render import namespace_plan_text
from tests.simulation.small_clusters import (
    Version,
    catalog,
    cluster,
    cluster_situation,
    group,
    installed,
    operator,
    subscription,
)

ONE, TWO = Version("1.0.0", ("E.v1",)), Version("2.0.0", ("E.v1",), replaces="1.0.0")
CONTENT = catalog(e=[ONE, TWO])


def planned(state: ClusterState, content: Catalog | CatalogError = CONTENT, **policy: Any) -> NamespacePlan:
    return namespace_plan(cluster_situation(state, {"olm/main": content}, Policy(**policy)), "ns")


def test_only_an_installed_operator_is_replaced() -> None:
    """OLM writes what the channel entry replaces into every plan; on a fresh install nothing of that name is there."""
    fresh = planned(cluster(group("ns"), subscription("ns", "e")))
    assert fresh.plan is not None
    assert fresh.plan.bundle_lookups[0].replaces == "e.v1.0.0"
    assert fresh.replaced == {}
    assert "replaces" not in namespace_plan_text(fresh)
    update = planned(cluster(group("ns"), installed("ns", "e", ONE)))
    assert update.replaced == {"e.v2.0.0": "e.v1.0.0"}
    assert "replaces e.v1.0.0" in namespace_plan_text(update)


def deprecating(*entries: tuple[str, str, str], content: Catalog = CONTENT) -> Catalog:
    written = [
        {"reference": {"schema": schema, **({"name": name} if name else {})}, "message": message}
        for schema, name, message in entries
    ]
    return from_blobs([*blobs(content), {"schema": "olm.deprecations", "package": "e", "entries": written}])


def test_deprecations_of_the_installed_operator_become_conditions_of_its_subscription() -> None:
    """One condition for each, in OLM's words, and one that joins them; other bundles are of no account."""
    content = deprecating(
        ("olm.package", "", "use f"),
        ("olm.channel", "stable", "use fast"),
        ("olm.bundle", "e.v1.0.0", "has a leak"),
        ("olm.bundle", "e.v2.0.0", "has another"),
    )
    plan = planned(cluster(group("ns"), installed("ns", "e", ONE)), content)
    (after,) = plan.subscriptions
    assert [(condition.type, condition.status, condition.message) for condition in after.conditions] == [
        ("PackageDeprecated", "True", "olm.package/e: use f"),
        ("ChannelDeprecated", "True", "olm.channel/stable: use fast"),
        ("BundleDeprecated", "True", "olm.bundle/e.v1.0.0: has a leak"),
        (
            "Deprecated",
            "True",
            "olm.package/e: use f; olm.channel/stable: use fast; olm.bundle/e.v1.0.0: has a leak",
        ),
    ]
    (written,) = (manifest for manifest in plan.manifests() if manifest["kind"] == "Subscription")
    assert [condition["type"] for condition in written["status"]["conditions"]][-1] == "Deprecated"
    assert "the channel of subscription ns/e is deprecated: olm.channel/stable: use fast" in " ".join(
        namespace_plan_text(plan).split()
    )


def test_a_deprecation_that_was_taken_back_leaves_the_subscription() -> None:
    """The condition is from a time when the catalog still deprecated the bundle."""
    stale = subscription("ns", "e", has="2.0.0")
    conditions = [{"type": kind, "status": "True", "message": "old"} for kind in ("BundleDeprecated", "Deprecated")]
    stale["status"]["conditions"] = conditions
    plan = planned(cluster(group("ns"), stale, operator("ns", "e", TWO)))
    assert [wish.conditions for wish in plan.changed] == [()]


def test_a_fresh_subscription_has_no_deprecations_yet() -> None:
    """OLM looks at the installed operator."""
    plan = planned(cluster(group("ns"), subscription("ns", "e")), deprecating(("olm.package", "", "use f")))
    assert [wish.conditions for wish in plan.subscriptions] == [()]


def test_what_holds_the_namespace_back_is_part_of_the_plan() -> None:
    """OLM writes nothing, because somebody has to approve a plan first; "nothing to do" would say the opposite."""
    waiting = subscription("ns", "e", has="1.0.0", approval="Manual")
    reference = {"name": "install-1", "namespace": "ns"}
    waiting["status"] |= {"currentCSV": "e.v2.0.0", "state": "UpgradePending", "installPlanRef": reference}
    unapproved = {
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "InstallPlan",
        "metadata": {"name": "install-1", "namespace": "ns"},
        "spec": {"clusterServiceVersionNames": ["e.v2.0.0"], "approval": "Manual", "generation": 1},
        "status": {"phase": "RequiresApproval"},
    }
    plan = planned(cluster(group("ns"), waiting, operator("ns", "e", ONE), unapproved))
    assert plan.hindrances == (PlanWaits("ns", "install-1", ("e.v2.0.0",)),)
    assert namespace_plan_text(plan).splitlines()[1:] == [
        "  - install plan ns/install-1 waits for approval: e.v2.0.0",
        "  OLM writes nothing new",
    ]
    assert plan.to_dict()["hindrances"][0]["kind"] == "planWaits"


def test_the_policy_says_what_an_unreadable_catalog_keeps_from_being_planned() -> None:
    """Strict as OLM by default; the others plan what they can."""
    second = {
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "CatalogSource",
        "metadata": {"name": "second", "namespace": "olm"},
    }
    state = cluster(group("ns"), subscription("ns", "e"), second)
    contents: dict[str, Catalog | CatalogError] = {"olm/main": CONTENT, "olm/second": CatalogError("is cut off")}
    strict = namespace_plan(cluster_situation(state, contents), "ns")
    assert strict.failures == ("error using catalogsource olm/second: is cut off",)
    ignoring = namespace_plan(cluster_situation(state, contents, Policy(health_policy="ignore")), "ns")
    assert ignoring.plan is not None
    assert ignoring.plan.csv_names == ("e.v2.0.0",)


def test_the_semantics_are_those_of_the_controller_unless_others_are_asked_for() -> None:
    """As documented, two bundles may share what a rule with ``all`` needs; the controller wants one that has it all."""
    is_planned = {
        semantics: planned(cluster(group("ns"), subscription("ns", "x")), sharing(), semantics=semantics).plan
        is not None
        for semantics in Semantics
    }
    assert is_planned == {Semantics.CONTROLLER: False, Semantics.DOCUMENTED: True}
    assert planned(cluster(group("ns"), subscription("ns", "x")), sharing()).plan is None


def sharing() -> Catalog:
    """Package x, whose bundle needs a bundle that is both package y and (by its APIs) E: no single bundle is both."""
    both = {"all": {"constraints": [{"package": {"packageName": "y", "versionRange": ">=1.0.0"}}, {"gvk": E}]}}
    content = [*blobs(catalog(x=[Version("1.0.0")], y=[Version("1.0.0")], e=[ONE]))]
    for blob in content:
        if blob["schema"] == "olm.bundle" and blob["package"] == "x":
            blob["properties"].append({"type": "olm.constraint", "value": {"failureMessage": "both", **both}})
    return from_blobs(content)


E = {"group": "example.com", "version": "v1", "kind": "E"}


@pytest.mark.parametrize("targets", [[], ["ns"]])
def test_a_namespace_with_a_fault_is_planned_no_further(targets: list[str]) -> None:
    """The reason is one sentence, the same as everywhere."""
    plan = planned(cluster(subscription("ns", "e"), *([group("ns", targets=targets)] if targets else [])))
    if targets:
        assert plan.fault is None
    else:
        assert plan.failures == ("OLM resolves nothing in namespace ns: it has no operator group; create one there",)
        assert plan.to_dict()["resolved"] is False


def test_a_failure_is_a_few_lines() -> None:
    """OLM's message names every candidate of a subscription, which is pages of text on one line."""
    lacking = [
        Version(f"{number}.0.0", ("E.v1",), requires=("F.v1",), replaces=f"{number - 1}.0.0" if number else "")
        for number in range(300)
    ]
    plan = planned(cluster(group("ns"), subscription("ns", "e")), catalog(e=lacking))
    assert len(plan.failures[0]) > 10_000
    lines = namespace_plan_text(plan, width=100).splitlines()
    assert len(lines) < 10
    assert max(map(len, lines)) <= 100
    assert "olmsolve explain --namespace ns says it in order" in " ".join(" ".join(lines).split())
