"""Clusters that people bring when they need help: each is stuck in its own way, as a dump of it shows."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import attrs

from tests.simulation.small_clusters import OLM, Version, catalog_blobs, group, installed, operator, subscription

Manifest = dict[str, Any]

ONE: Final = Version("1.0.0", ("E.v1",), openshift="4.18")
TWO: Final = Version("2.0.0", ("E.v1",), replaces="1.0.0", openshift="4.19")
CATALOG: Final = {"apiVersion": OLM, "kind": "CatalogSource", "metadata": {"name": "main", "namespace": "olm"}}


@attrs.frozen
class Stuck:
    """The objects of a cluster that is stuck in namespace ``ns``; *bundle* is what it does not get."""

    objects: tuple[Manifest, ...]
    packages: dict[str, list[Version]] = attrs.field(factory=lambda: {"e": [ONE, TWO]})
    bundle: str = "e.v2.0.0"
    rules: tuple[Manifest, ...] = ()

    def arguments(self, folder: Path) -> list[str]:
        """Write the cluster into *folder*; return the options that name it."""
        dump, content = folder / "dump.json", folder / "main.json"
        catalogs = [object_ for object_ in self.objects if object_["kind"] == "CatalogSource"] or [CATALOG]
        items = copy.deepcopy([*catalogs, *(object_ for object_ in self.objects if object_ not in catalogs)])
        dump.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}, indent=1), "utf-8")
        content.write_text("\n".join(map(json.dumps, catalog_blobs(**self.packages))), "utf-8")
        arguments = ["--cluster", str(dump), "--catalog", f"olm/main={content}"]
        if self.rules:
            rules = folder / "rules.json"
            rules.write_text(json.dumps({"houseRules": self.rules}), "utf-8")
            arguments += ["--house-rules", str(rules)]
        return arguments


def condition(type_: str, reason: str = "", message: str = "", status: str = "True") -> Manifest:
    """A condition of a status."""
    return {"type": type_, "status": status, "reason": reason, "message": message}


def newer_operator(**status: str) -> Manifest:
    """The operator that takes the place of e.v1.0.0."""
    return _with(operator("ns", "e", TWO, **status), "spec", replaces="e.v1.0.0")


def plan(name: str, bundle: str, phase: str, **status: Any) -> Manifest:
    """An install plan of the namespace for one *bundle*, approved unless it waits."""
    waits = phase == "RequiresApproval"
    step = {
        "resolving": bundle,
        "status": "NotPresent",
        "resource": {
            "group": "operators.coreos.com",
            "version": "v1alpha1",
            "kind": "ClusterServiceVersion",
            "name": bundle,
            "sourceName": "main",
            "sourceNamespace": "olm",
            "manifest": json.dumps(newer_operator()),
        },
    }
    return {
        "apiVersion": OLM,
        "kind": "InstallPlan",
        "metadata": {"name": name, "namespace": "ns"},
        "spec": {
            "approval": "Manual" if waits else "Automatic",
            "approved": not waits,
            "clusterServiceVersionNames": [bundle],
            "generation": 2,
        },
        "status": {"phase": phase, "plan": [step], **status},
    }


def pending(reference: str, *conditions: Manifest, has: str = "1.0.0", state: str = "UpgradePending") -> Manifest:
    """A subscription to e that refers to the plan *reference* and has *conditions*."""
    waiting = subscription("ns", "e", has=has)
    waiting["status"] |= {
        "state": state,
        "currentCSV": "e.v2.0.0",
        "conditions": list(conditions),
        "installPlanRef": {"name": reference, "namespace": "ns"},
        "installplan": {"name": reference},
        "installPlanGeneration": 2,
    }
    return waiting


def namespace(name: str, phase: str = "Active") -> Manifest:
    """A Namespace."""
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}, "status": {"phase": phase}}


def _with(manifest: Manifest, part: str, **fields: Any) -> Manifest:
    manifest[part] = {**manifest.get(part, {}), **fields}
    return manifest


def _unpack_failed() -> Stuck:
    fault = condition("BundleUnpackFailed", "BundleUnpackFailed", "bundle unpacking failed: DeadlineExceeded")
    wish = subscription("ns", "e", has="1.0.0")
    wish["status"]["conditions"] = [fault]
    return Stuck((group("ns"), wish, operator("ns", "e", ONE)))


def _account_missing() -> Stuck:
    scoped = _with(group("ns"), "spec", serviceAccountName="scoped")
    missing = condition("OperatorGroupServiceAccount", "ServiceAccountNotFound", "ServiceAccount scoped not found")
    scoped["status"] = {"conditions": [missing]}
    message = "no operator group found that is managing this namespace"
    waits = condition("InstallPlanPending", "Installing", message)
    bad = condition("Installed", "InstallCheckFailed", message, "False")
    install_plan = plan("install-2", "e.v2.0.0", "Installing", conditions=[bad])
    return Stuck((scoped, pending("install-2", waits), operator("ns", "e", ONE), install_plan))


def _unresolvable() -> Stuck:
    needing = attrs.evolve(TWO, requires=("Missing.v1",))
    wish = subscription("ns", "e")
    wish["status"]["conditions"] = [
        condition("ResolutionFailed", "ConstraintsNotSatisfiable", "constraints not satisfiable")
    ]
    return Stuck((group("ns"), wish), {"e": [attrs.evolve(ONE, requires=("Missing.v1",)), needing]})


def _plan_missing() -> Stuck:
    gone = condition("InstallPlanMissing", "ReferencedInstallPlanNotFound")
    return Stuck((group("ns"), pending("install-2", gone), operator("ns", "e", ONE)))


def _catalog_away() -> Stuck:
    away = _with(copy.deepcopy(CATALOG), "status", connectionState={"lastObservedState": "TRANSIENT_FAILURE"})
    wish = subscription("ns", "e", has="1.0.0")
    return Stuck((away, group("ns"), wish, operator("ns", "e", ONE)))


def _plan_failed() -> Stuck:
    message = "error validating existing CRs against new CRD's schema"
    bad = condition("Installed", "InstallComponentFailed", message, "False")
    failed = condition("InstallPlanFailed", "InstallComponentFailed", message)
    install_plan = plan("install-2", "e.v2.0.0", "Failed", conditions=[bad])
    return Stuck((group("ns"), pending("install-2", failed), operator("ns", "e", ONE), install_plan))


def _not_upgradeable() -> Stuck:
    says = {
        "apiVersion": "operators.coreos.com/v2",
        "kind": "OperatorCondition",
        "metadata": {"name": "e.v1.0.0", "namespace": "ns"},
        "spec": {"conditions": [condition("Upgradeable", "Migrating", "data is being migrated", "False")]},
    }
    message = "operator is not upgradeable: data is being migrated"
    newer = newer_operator(phase="Pending", reason="OperatorConditionNotUpgradeable", message=message)
    wish = subscription("ns", "e", has="2.0.0")
    wish["status"]["state"] = "UpgradePending"
    old = operator("ns", "e", ONE, phase="Replacing", reason="BeingReplaced")
    return Stuck((group("ns"), wish, old, newer, says))


def _orphan() -> Stuck:
    return Stuck((group("ns"), subscription("ns", "e"), operator("ns", "e", ONE)))


def _intersecting() -> Stuck:
    wide = group("other", targets=["ns", "other"])
    wide["metadata"]["annotations"] = {"olm.providedAPIs": "E.v1.example.com"}
    return Stuck((wide, *installed("other", "e", ONE), group("ns"), subscription("ns", "e")))


def _terminating() -> Stuck:
    return Stuck((namespace("ns", "Terminating"), group("ns"), *installed("ns", "e", ONE)))


def _waits() -> Stuck:
    wish = pending("install-2", condition("InstallPlanPending", "RequiresApproval"))
    wish["spec"]["installPlanApproval"] = "Manual"
    install_plan = plan("install-2", "e.v2.0.0", "RequiresApproval")
    return Stuck((group("ns"), wish, operator("ns", "e", ONE), install_plan))


def _two_groups() -> Stuck:
    second = group("ns")
    second["metadata"]["name"] = "second"
    return Stuck((group("ns"), second, *installed("ns", "e", ONE)))


def _wrong_modes() -> Stuck:
    everywhere = group("ns")
    everywhere["spec"], everywhere["status"] = {}, {"namespaces": [""]}
    return Stuck(
        (everywhere, subscription("ns", "e")), {"e": [attrs.evolve(TWO, replaces="", modes=("OwnNamespace",))]}
    )


def _both_installed() -> Stuck:
    wide = group("other", targets=["ns", "other"])
    wide["metadata"]["annotations"] = {"olm.providedAPIs": "E.v1.example.com"}
    return Stuck((wide, *installed("other", "e", ONE), group("ns"), *installed("ns", "e", ONE)))


def _copies_off() -> Stuck:
    config = {
        "apiVersion": "operators.coreos.com/v1",
        "kind": "OLMConfig",
        "metadata": {"name": "cluster"},
        "spec": {"features": {"disableCopiedCSVs": True}},
    }
    everywhere = group("ns")
    everywhere["spec"], everywhere["status"] = {}, {"namespaces": [""]}
    return Stuck((config, everywhere, *installed("ns", "e", ONE), namespace("ns"), namespace("one")))


def _webhooks_refused() -> Stuck:
    rule = {"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["CREATE"], "resources": ["*"]}
    webhook = {"type": "ValidatingAdmissionWebhook", "generateName": "check.example.com", "rules": [rule]}
    message = "webhook rules cannot include all groups"
    failed = operator("ns", "e", ONE, phase="Failed", reason="InvalidWebhookDescription", message=message)
    failed = _with(failed, "spec", webhookdefinitions=[webhook])
    return Stuck((group("ns"), subscription("ns", "e", has="1.0.0"), failed), {"e": [ONE]}, "e.v1.0.0")


def _account_may_not() -> Stuck:
    scoped = _with(group("ns"), "spec", serviceAccountName="scoped")
    api, admin = "rbac.authorization.k8s.io/v1", {"kind": "ClusterRole", "name": "cluster-admin"}
    masters = [{"kind": "Group", "name": "system:masters"}]
    bindings = (
        {"apiVersion": api, "kind": "ClusterRoleBinding", "metadata": {"name": "a"}, "roleRef": admin},
        {"apiVersion": api, "kind": "RoleBinding", "metadata": {"name": "b", "namespace": "other"}, "roleRef": admin},
    )
    others = tuple({**binding, "subjects": masters} for binding in bindings)
    return Stuck((scoped, subscription("ns", "e", has="1.0.0"), operator("ns", "e", ONE), *others))


def _house_rule() -> Stuck:
    head = attrs.evolve(ONE, openshift="")
    rule = {"name": "p is on every cluster", "atLeastOne": {"package": "p"}}
    packages = {"e": [head], "p": [Version("1.0.0", ("P.v1",))]}
    return Stuck((group("ns"), *installed("ns", "e", head)), packages, "p.v1.0.0", (rule,))


STUCK: Final[dict[str, Callable[[], Stuck]]] = {
    "a bundle cannot be unpacked": _unpack_failed,
    "the service account is missing": _account_missing,
    "nothing provides an API": _unresolvable,
    "the install plan is gone": _plan_missing,
    "the catalog is away for a while": _catalog_away,
    "the install plan has failed": _plan_failed,
    "the operator is not upgradeable": _not_upgradeable,
    "nobody owns the operator": _orphan,
    "groups intersect": _intersecting,
    "the namespace is terminating": _terminating,
    "the install plan waits": _waits,
    "two groups": _two_groups,
    "the bundle does not support the targets": _wrong_modes,
    "groups intersect, and both have the operator": _both_installed,
    "copies are switched off": _copies_off,
    "webhooks are refused": _webhooks_refused,
    "the account may not": _account_may_not,
    "a house rule alone demands it": _house_rule,
}
