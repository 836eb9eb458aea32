"""Recorded install plans: order, approval, creation, phases, and whole passes over a namespace."""

from __future__ import annotations

import base64
import json
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

import attrs

from olmsolve import Install, Policy, evolve
from olmsolve.catalog import Bundle, Catalog, Channel, ChannelEntry, Package, Source, UnreadableSource
from olmsolve.cluster import ClusterState, NamespaceObjects, WrittenProperty
from olmsolve.cluster.install_plans import (
    NewOperator,
    PlannedSteps,
    Refused,
    install_plan_manifest,
    new_install_plan,
    ordered,
    plan_approval,
    sync_namespace,
    transition,
)
from olmsolve.cluster.objects import (
    BundleLookup,
    ClusterServiceVersion,
    Condition,
    InstallPlan,
    Metadata,
    OperatorGroup,
    Step,
    SubscriptionObject,
    read_manifest,
)
from olmsolve.lifecycle.planning import new_operator, resolved_steps
from olmsolve.predicates import Property
from olmsolve.requests import ClusterSituation
from tests.recorded_rules import rule_records


def _steps(given: list[Mapping[str, Any]]) -> tuple[Step, ...]:
    return tuple(
        Step(
            resolving=item.get("resolving", ""),
            kind=item["kind"],
            name=item["name"],
            source=item.get("catalogSource", ""),
        )
        for item in given
    )


def test_steps_are_ordered_as_recorded() -> None:
    """ClusterServiceVersions, CRDs, the rest; the rest has no order upstream, so it is compared as a set."""
    for record in rule_records("order_steps"):
        steps = ordered(_steps(record["in"]))
        first = sum(step.kind in ("ClusterServiceVersion", "CustomResourceDefinition") for step in steps)
        names = [step.name for step in steps]
        assert names[:first] == record["out"][:first], record["id"]
        assert sorted(names[first:]) == sorted(record["out"][first:]), record["id"]


def test_one_manual_subscription_makes_the_plan_manual() -> None:
    """Approval of a plan from the approvals of all subscriptions of the namespace."""
    for record in rule_records("install_plan_approval"):
        assert plan_approval(item["approval"] for item in record["in"]) == record["out"], record["id"]


def _subscription(given: Mapping[str, Any]) -> SubscriptionObject:
    return SubscriptionObject(
        metadata=Metadata(name=given["name"], namespace="ns"),
        package=given["name"],
        approval=given["approval"],
        current_csv=given.get("currentCSV", ""),
        installed_csv=given.get("installedCSV", ""),
        state=given.get("state", ""),
        install_plan="install-old" if given.get("hasInstallPlanRef") else "",
        install_plan_generation=given.get("installPlanGeneration", 0),
        conditions=tuple(
            Condition(item["type"], item["status"], item["reason"], item["message"])
            for item in given.get("conditions", ())
        ),
    )


def _summary(plan: InstallPlan) -> dict[str, Any]:
    """What the recordings show of a plan."""
    written = install_plan_manifest(plan)
    spec = written["spec"]
    return {
        "catalogSources": list(plan.catalog_sources),
        "owners": len(written["metadata"].get("ownerReferences", ())),
        "phase": plan.phase,
        # As recorded, a generation of 0 is not written.
        "spec": {key: value for key, value in spec.items() if key != "generation" or value},
    }


def test_plans_are_created_as_recorded() -> None:
    """Names, approval, phase, owners and generation of a new plan."""
    for record in rule_records("install_plan_create"):
        given, out = record["in"], record["out"]["installPlan"]
        lookups = tuple(BundleLookup("", "") for _ in range(given["bundleLookups"]))
        subscriptions = [_subscription(item) for item in given["subscriptions"]]
        planned = PlannedSteps(_steps(given["steps"]), lookups)
        plan = new_install_plan("ns", planned, subscriptions, given["generation"])
        assert plan.approval == given["approval"], record["id"]
        expected = {key: out[key] for key in ("catalogSources", "owners", "phase", "spec")}
        assert _summary(plan) == expected, record["id"]
        assert len(plan.steps) == out["planLength"], record["id"]
        assert len(plan.bundle_lookups) == out["bundleLookups"], record["id"]
        assert install_plan_manifest(plan)["metadata"]["generateName"] == out["generateName"], record["id"]


def test_plans_go_on_as_recorded() -> None:
    """Every phase with every outcome of an attempt."""
    for record in rule_records("install_plan_transition"):
        given, out = record["in"], record["out"]
        plan = InstallPlan(
            metadata=Metadata(name="install-a", namespace="ns"),
            approved=given["approved"],
            phase=given["phase"],
            message=given["message"],
            start_time="before" if "elapsedSeconds" in given else "",
            steps=tuple(Step("x", "ConfigMap", "x", status=status) for status in given["stepStatuses"]),
        )
        after = transition(
            plan,
            now="now",
            error=given["executeError"] or "",
            elapsed=given.get("elapsedSeconds"),
            timeout=given["timeoutSeconds"],
        )
        assert (after.phase, after.message) == (out["phase"], out["message"]), record["id"]
        assert bool(after.start_time) == out["startTimeSet"], record["id"]
        conditions = [
            {"type": item.type, "status": item.status, "reason": item.reason, "message": item.message}
            for item in after.conditions
        ]
        assert conditions == out["conditions"], record["id"]


_ERROR = "error using catalogsource ns/src: failed to list bundles: unavailable"


def _scripted(given: Mapping[str, Any], subscriptions: tuple[SubscriptionObject, ...]) -> PlannedSteps | Refused:
    """What the scripted resolver of a recording answers."""
    script = given["resolver"]
    if script == "unsat":
        return Refused("constraints not satisfiable: something", unsatisfiable=True)
    if script == "error":
        return Refused(_ERROR)
    updated = tuple(
        evolve(item, current_csv=f"{item.name}-csv.v9")
        for item in subscriptions
        if item.name in given["resolverUpdated"]
    )
    steps = (
        Step("x.v9", "ClusterServiceVersion", "x.v9", source="src"),
        Step("x.v9", "ServiceAccount", "sa", source="src"),
    )
    return PlannedSteps(steps if script == "steps" else (), (), updated)


def _written(subscription: SubscriptionObject) -> dict[str, Any]:
    return {
        "approval": subscription.approval,
        "conditions": [
            {"message": item.message, "reason": item.reason, "status": item.status, "type": item.type}
            for item in subscription.conditions
        ],
        "currentCSV": subscription.current_csv,
        "hasInstallPlanRef": bool(subscription.install_plan),
        "installPlanGeneration": subscription.install_plan_generation,
        "installedCSV": subscription.installed_csv,
        "name": subscription.name,
        "state": subscription.state,
    }


def test_a_pass_over_a_namespace_writes_what_is_recorded() -> None:
    """Whether it resolves, what subscriptions say afterwards, and the plan that comes of it."""
    for record in rule_records("namespace_sync"):
        given, out = record["in"], record["out"]
        subscriptions = tuple(map(_subscription, given["subscriptions"]))
        plans = [
            InstallPlan(
                metadata=Metadata(name=item["name"], namespace="ns"),
                spec_generation=item["generation"],
                phase=item["phase"],
            )
            for item in given["installPlans"]
        ]
        groups = [
            OperatorGroup(metadata=Metadata(name=f"og{n}", namespace="ns"), upgrade_strategy=given["upgradeStrategy"])
            for n in range(given["operatorGroups"])
        ]
        sync = sync_namespace(
            "ns",
            subscriptions,
            plans,
            given["existingCSVs"],
            groups,
            lambda given=given, subscriptions=subscriptions: _scripted(given, subscriptions),  # type: ignore[misc]
        )
        assert (sync.error or None) == out["error"], record["id"]
        assert sync.resolved == out["resolverCalled"], record["id"]
        assert [_written(item) for item in sync.subscriptions] == out["subscriptions"], record["id"]
        new_plans = [] if sync.plan is None else [_summary(sync.plan) | {"steps": len(sync.plan.steps)}]
        assert new_plans == out["newInstallPlans"], record["id"]


def _source(given: Mapping[str, Any]) -> Source | UnreadableSource:
    """A catalog of a recording; its entries are bundles as channels show them."""
    if given["error"]:
        return UnreadableSource(given["name"], given["namespace"], given["priority"], given["error"])
    packages: dict[str, Package] = {}
    for entry in given["entries"]:
        name, channel = entry["package"], entry["channel"]
        package = packages.setdefault(name, Package(name, "", {}, {}))
        here = package.channels.get(channel, Channel(name, channel, ()))
        added = ChannelEntry(entry["name"], entry["replaces"], tuple(entry["skips"] or ()), entry["skipRange"])
        properties = [Property(item["type"], json.loads(item["value"])) for item in entry["properties"] or ()]
        content = [
            Property("olm.bundle.object", {"data": base64.b64encode(text.encode()).decode()})
            for text in (entry.get("bundle") or {}).get("object") or ()
        ]
        bundle = Bundle(name, entry["name"], (*properties, *content), entry.get("bundlePath") or "")
        packages[name] = attrs.evolve(
            package,
            default_channel=channel if entry["defaultChannel"] else package.default_channel,
            channels={**package.channels, channel: attrs.evolve(here, entries=(*here.entries, added))},
            bundles={**package.bundles, entry["name"]: bundle},
        )
    return Source(given["name"], given["namespace"], given["priority"], Catalog(packages))


def _objects(given: Mapping[str, Any]) -> NamespaceObjects:
    namespace = given["namespace"]
    return NamespaceObjects(
        namespace,
        tuple(
            SubscriptionObject(
                metadata=Metadata(name=item["name"], namespace=item["namespace"]),
                package=item["spec"]["name"],
                channel=item["spec"].get("channel", ""),
                source=item["spec"]["source"],
                source_namespace=item["spec"]["sourceNamespace"],
                starting_csv=item["spec"].get("startingCSV", ""),
                installed_csv=item["installedCSV"],
                current_csv=item["currentCSV"],
            )
            for item in given["subscriptions"]
        ),
        tuple(map(_csv, given["csvs"])),
        tuple(
            OperatorGroup(
                metadata=Metadata(name=item["name"], namespace=namespace, annotations=item["annotations"] or {}),
                upgrade_strategy=item["upgradeStrategy"],
            )
            for item in given["operatorGroups"]
        ),
    )


def _csv(given: Mapping[str, Any]) -> ClusterServiceVersion:
    metadata = ("name", "namespace", "annotations", "labels")
    spec = ("version", "replaces", "customresourcedefinitions", "apiservicedefinitions")
    (csv,) = read_manifest(
        {
            "apiVersion": "operators.coreos.com/v1alpha1",
            "kind": "ClusterServiceVersion",
            "metadata": {key: given[key] for key in metadata},
            "spec": {key: given[key] for key in spec},
            "status": {"phase": given["phase"], "reason": given["reason"]},
        }
    )
    assert isinstance(csv, ClusterServiceVersion)
    return csv


def _content(given: Mapping[str, Any], install: Install, source: Source) -> NewOperator:
    """What the catalog holds; the properties of the content are recorded apart from those of the entry."""
    (entry,) = [
        entry
        for item in given["sources"]
        for entry in item.get("entries") or ()
        if (item["name"], item["namespace"]) == (source.name, source.namespace)
        and (entry["package"], entry["channel"], entry["name"]) == (install.package, install.channel, install.name)
    ]
    recorded = entry["bundle"].get("properties") if entry.get("bundle") else entry["properties"]
    properties = tuple(WrittenProperty(item["type"], item["value"]) for item in recorded or ())
    return attrs.evolve(new_operator(install, source), properties=properties)


def _recorded_plan(out: Mapping[str, Any]) -> tuple[Any, ...]:
    # The order of steps is recorded for ClusterServiceVersions and CRDs, and compared by test_steps_are_ordered.
    return (
        Counter(
            (step["resolving"], step["status"], *(step["resource"][key] for key in _RESOURCE)) for step in out["steps"]
        ),
        {
            (item["identifier"], item["path"], item["replaces"], *item["catalogSourceRef"].values())
            for item in out["bundleLookups"]
        },
        {(item["identifier"], item["properties"]) for item in out["bundleLookups"]},
        {tuple(condition.values()) for item in out["bundleLookups"] for condition in item["conditions"]},
        {(item["name"], item["currentCSV"], item["installedCSV"]) for item in out["updatedSubscriptions"]},
    )


_RESOURCE = ("sourceName", "sourceNamespace", "group", "version", "kind", "name", "manifest")


def _our_plan(planned: PlannedSteps) -> tuple[Any, ...]:
    return (
        Counter(
            (
                step.resolving,
                step.status,
                step.source,
                step.source_namespace,
                step.group,
                step.version,
                step.kind,
                step.name,
                step.manifest,
            )
            for step in planned.steps
        ),
        {(item.identifier, item.path, item.replaces, item.source_namespace, item.source) for item in planned.lookups},
        {(item.identifier, item.properties) for item in planned.lookups},
        {(c.type, c.status, c.reason, c.message) for item in planned.lookups for c in item.conditions},
        {(item.name, item.current_csv, item.installed_csv) for item in planned.updated},
    )


def _same_words(ours: str, recorded: str) -> bool:
    """Equal, but for what upstream picks from a hash map, and for who of an at-most-one group is named.

    Our cores are minimal: of those that provide an API, only the ones that clash are listed.
    """
    in_phase = re.compile(r"csv \S+ in phase")
    if in_phase.sub("csv in phase", ours) == in_phase.sub("csv in phase", recorded):
        return True
    provide = re.compile(r"(?<=: ).*(?= provide )")
    members = [set(re.split(r", | and ", match[0])) for text in (ours, recorded) if (match := provide.search(text))]
    return len(members) == 2 and members[0] <= members[1] and provide.sub("", ours) == provide.sub("", recorded)


def test_resolutions_become_the_recorded_steps() -> None:
    """From catalogs and objects to steps with their manifests, lookups and subscriptions; or why there are none."""
    for record in rule_records("resolve_steps"):
        given = record["in"]
        policy = Policy(global_namespace=given["globalCatalogNamespace"])
        result = resolved_steps(
            ClusterSituation(ClusterState(), {}, policy),
            _objects(given),
            [_source(item) for item in given["sources"] if item["name"] != "@existing"],
            content=lambda install, source, given=given: _content(given, install, source),  # type: ignore[misc]
        )
        accepted = [record["out"], *record.get("alternatives", ())]
        errors = [answer["error"] for answer in accepted if answer["error"]]
        if errors:
            assert isinstance(result, Refused), record["id"]
            assert result.unsatisfiable == bool(record["out"].get("unsat")), record["id"]
            assert any(_same_words(result.message, error) or result.message == error for error in errors), record["id"]
        else:
            assert isinstance(result, PlannedSteps), record["id"]
            assert _our_plan(result) in [_recorded_plan(answer) for answer in accepted], record["id"]
