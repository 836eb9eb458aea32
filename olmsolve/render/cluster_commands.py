"""Ways out of what a cluster reports, as text and as ``kubectl`` commands: what an administrator types."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from olmsolve.cluster.catalogs import EXCLUDE_GLOBAL
from olmsolve.lifecycle.ways_out import (
    ApprovePlan,
    AwaitCatalog,
    CarryOutFix,
    ChangeWish,
    ClusterChange,
    CreateAccount,
    CreateCatalog,
    CreateGroup,
    DeleteGroup,
    DeletePlan,
    DeleteSubscription,
    GrantRight,
    HideGlobalCatalogs,
    LetFailForward,
    OverrideUpgradeable,
    OwnOperator,
    ReleaseOperator,
    RemoveInstalled,
    RenewSubscription,
    RepairDeployments,
    RepairSource,
    RepairUnpacking,
    RetargetGroup,
    SubscribeTo,
)
from olmsolve.render.commands import fix_commands
from olmsolve.render.explanation_outline import effect
from olmsolve.render.layout import Style, counted, paragraph, plain, shell_word

if TYPE_CHECKING:
    from olmsolve.lifecycle.ways_out import ClusterWayOut

_API: Final = "operators.coreos.com"
_HEADING: Final = "Ways out, the least harm first:"
_NAMESPACES: Final = 10
_UNTRIED: Final = "no simulation can show its effect"


def cluster_ways_out_text(ways: Sequence[ClusterWayOut], *, width: int, colour: bool, has_others: bool) -> str:
    """Return the *ways* out, each with what comes of it, its risk and its commands; "" without ways.

    Where the text *has_others* of other namespaces beside it, a way for several namespaces is told at the first alone.
    """
    style = Style(width, colour)
    lines = [*map(style.bold, paragraph(_HEADING, width)), ""] if ways else []
    for position, way in enumerate(ways, start=1):
        label = f"  {position}. "
        hanging = " " * len(label)
        lines += paragraph(plain(str(way.change)), width, indent=label, hanging=hanging)
        if has_others and way.namespaces and way.namespaces[0] != way.change.namespace:
            lines += [style.dim(f"{hanging}as shown for namespace {plain(way.namespaces[0])}")]
            continue
        if way.namespaces:
            alike = f"it helps {counted(len(way.namespaces), 'namespace')}: {_named(way.namespaces)}"
            lines += [style.dim(line) for line in paragraph(alike, width, indent=hanging)]
        lines += [style.dim(line) for line in paragraph(comes_of(way), width, indent=hanging)]
        if way.change.risk:
            lines += [style.dim(line) for line in paragraph(f"risk: {way.change.risk}", width, indent=hanging)]
        # A command stays in one line, so that it can be copied.
        for command in cluster_change_commands(way.change):
            lines.append(f"{hanging}{command}" if command.startswith("#") else f"{hanging}$ {command}")
    return "\n".join(lines)


def _named(namespaces: Sequence[str]) -> str:
    more = len(namespaces) - _NAMESPACES
    return ", ".join(map(plain, namespaces[:_NAMESPACES])) + (f" and {more} more" if more > 0 else "")


def comes_of(way: ClusterWayOut) -> str:
    """Return what comes of *way*: what works then, as a simulation has shown, or what is known without one."""
    if way.works:
        return f"then {', '.join(way.works)} {'works' if len(way.works) == 1 else 'work'}"
    if isinstance(way.change, CarryOutFix):
        return effect(way.change.fix)
    return "then the namespace can be resolved" if way.is_tried else _UNTRIED


def cluster_change_commands(change: ClusterChange) -> list[str]:
    """Return the ``kubectl`` commands that carry out *change*; none where there is nothing to type."""
    return list(_commands(change))


def _commands(change: ClusterChange) -> Iterator[str]:
    namespace = change.namespace
    match change:
        case AwaitCatalog() | RepairSource():
            where, _, name = change.catalog.partition("/")
            selector = shell_word(f"olm.catalogSource={name}")
            yield f"kubectl get pods --namespace {shell_word(where)} --selector {selector}"
        case RepairUnpacking():
            for where in change.catalogs:
                selector = "operatorframework.io/bundle-unpack-ref"
                yield f"kubectl get jobs --namespace {shell_word(where)} --selector {selector}"
        case GrantRight():
            user = shell_word(f"system:serviceaccount:{namespace}:{change.account}")
            where = shell_word(namespace)
            yield f"kubectl auth can-i --list --namespace {where} --as {user}"
        case CreateCatalog():
            where, _, name = change.catalog.partition("/")
            yield f"# create CatalogSource {plain(name)} in namespace {plain(where)} with the image that it had"
        case CarryOutFix():
            yield from fix_commands(change.fix)
        case ChangeWish():
            yield _patch("subscription", change.subscription, namespace, {"spec": _spec(change)})
        case HideGlobalCatalogs():
            where = shell_word(namespace)
            yield f"kubectl annotate operatorgroup.{_API} --all --namespace {where} {EXCLUDE_GLOBAL}=true"
        case RemoveInstalled():
            yield _delete("clusterserviceversion", change.operator, namespace)
        case RepairDeployments():
            yield f"kubectl get deployments,pods --namespace {shell_word(namespace)}"
            yield f"kubectl get events --namespace {shell_word(namespace)}"
        case ApprovePlan():
            yield _patch("installplan", change.plan, namespace, {"spec": {"approved": True}})
        case OverrideUpgradeable():
            override = {
                "type": "Upgradeable",
                "status": "True",
                "reason": "Overridden",
                "message": "an administrator lets the operator be replaced",
            }
            yield _patch("operatorcondition", change.operator, namespace, {"spec": {"overrides": [override]}})
        case OwnOperator():
            # The API server asks for the time as well.
            status = {
                "installedCSV": change.operator,
                "currentCSV": change.operator,
                "state": "AtLatestKnown",
                "lastUpdated": "2026-01-01T00:00:00Z",
            }
            about = f"subscription.{_API} {shell_word(change.subscription)} --namespace {shell_word(namespace)}"
            patch = shlex.quote(json.dumps({"status": status}))
            yield f"kubectl patch {about} --subresource status --type merge --patch {patch}"
        case ReleaseOperator():
            yield _patch("clusterserviceversion", change.operator, namespace, {"metadata": {"finalizers": None}})
        case RetargetGroup():
            targets = {"targetNamespaces": list(change.targets) or None, "selector": None}
            yield _patch("operatorgroup", change.group, namespace, {"spec": targets})
        case LetFailForward():
            spec = {"upgradeStrategy": "TechPreviewUnsafeFailForward"}
            yield _patch("operatorgroup", change.group, namespace, {"spec": spec})
        case CreateAccount():
            yield f"kubectl create serviceaccount {shell_word(change.account)} --namespace {shell_word(namespace)}"
        case CreateGroup():
            yield _create(f"{_API}/v1", "OperatorGroup", namespace, namespace, {"targetNamespaces": [namespace]})
        case SubscribeTo():
            spec = {
                "name": change.package,
                "channel": change.channel,
                "source": change.source,
                "sourceNamespace": change.source_namespace,
            }
            yield _create(f"{_API}/v1alpha1", "Subscription", change.package, namespace, spec)
        case RenewSubscription():
            file = shell_word(f"{change.subscription}.yaml")
            about = f"subscription.{_API} {shell_word(change.subscription)} --namespace {shell_word(namespace)}"
            yield f"kubectl get {about} -o yaml > {file}"
            yield f"kubectl delete {about}"
            yield f"kubectl create --filename {file}"
        case DeletePlan():
            yield _delete("installplan", change.plan, namespace)
        case DeleteGroup():
            yield _delete("operatorgroup", change.group, namespace)
        case DeleteSubscription():
            yield _delete("subscription", change.subscription, namespace)


_SPEC: Final = {
    "package": "name",
    "channel": "channel",
    "source": "source",
    "source_namespace": "sourceNamespace",
    "starting_csv": "startingCSV",
}


def _spec(change: ChangeWish) -> dict[str, str | None]:
    """Return the changed fields of a Subscription's spec; null takes one away."""
    return {_SPEC[name]: value or None for name, value in change.fields}


def _patch(kind: str, name: str, namespace: str, patch: Mapping[str, Any]) -> str:
    written = shlex.quote(json.dumps(patch))
    where = f"{shell_word(name)} --namespace {shell_word(namespace)}"
    return f"kubectl patch {kind}.{_API} {where} --type merge --patch {written}"


def _create(api: str, kind: str, name: str, namespace: str, spec: Mapping[str, Any]) -> str:
    metadata = {"name": name, "namespace": namespace}
    document = {"apiVersion": api, "kind": kind, "metadata": metadata, "spec": spec}
    return f"echo {shlex.quote(json.dumps(document))} | kubectl create --filename -"


def _delete(kind: str, name: str, namespace: str) -> str:
    return f"kubectl delete {kind}.{_API} {shell_word(name)} --namespace {shell_word(namespace)}"
