"""Ways out of what a cluster reports, as text and as ``kubectl`` commands: what an administrator types."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from olmsolve._arguments import first_of
from olmsolve.lifecycle.ways_out import (
    ApprovePlan,
    AwaitCatalog,
    CarryOutFix,
    ChangeWish,
    CreateAccount,
    CreateCatalog,
    CreateGroup,
    DeleteGroup,
    DeletePlan,
    DeleteSubscription,
    GrantRight,
    HideGlobalCatalogs,
    LetFailForward,
    ObjectsChange,
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
from olmsolve.render.commands import (
    create_command,
    fix_commands,
    hiding_command,
    kubectl,
    override_command,
    owning_command,
    patch_command,
    pods_command,
)
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

    Where the output *has_others* for other namespaces, a way out for several namespaces is printed with the first one
    only.
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
            names = first_of(list(map(plain, way.namespaces)), _NAMESPACES)
            alike = f"it helps {counted(len(way.namespaces), 'namespace')}: {names}"
            lines += [style.dim(line) for line in paragraph(alike, width, indent=hanging)]
        lines += [style.dim(line) for line in paragraph(comes_of(way), width, indent=hanging)]
        if way.change.risk:
            lines += [style.dim(line) for line in paragraph(f"risk: {way.change.risk}", width, indent=hanging)]
        # A command stays in one line, so that it can be copied.
        for command in cluster_change_commands(way.change):
            lines.append(f"{hanging}{command}" if command.startswith("#") else f"{hanging}$ {command}")
    return "\n".join(lines)


def comes_of(way: ClusterWayOut) -> str:
    """Return what comes of *way*: what works then, as a simulation has shown, or what is known without one."""
    if way.works:
        return f"then {', '.join(way.works)} {'works' if len(way.works) == 1 else 'work'}"
    if isinstance(way.change, CarryOutFix):
        return effect(way.change.fix)
    return "then the namespace can be resolved" if way.is_tried else _UNTRIED


def cluster_change_commands(change: ObjectsChange) -> list[str]:
    """Return the ``kubectl`` commands that carry out *change*; none where there is nothing to type."""
    return list(_commands(change))


def _commands(change: ObjectsChange) -> Iterator[str]:
    namespace = change.namespace
    match change:
        case AwaitCatalog() | RepairSource():
            where, _, name = change.catalog.partition("/")
            yield pods_command(name, where)
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
            yield patch_command("subscription", change.subscription, namespace, {"spec": _spec(change)})
        case HideGlobalCatalogs():
            yield hiding_command(namespace)
        case RemoveInstalled():
            yield kubectl("delete clusterserviceversion", change.operator, namespace)
        case RepairDeployments():
            yield f"kubectl get deployments,pods --namespace {shell_word(namespace)}"
            yield f"kubectl get events --namespace {shell_word(namespace)}"
        case ApprovePlan():
            yield patch_command("installplan", change.plan, namespace, {"spec": {"approved": True}})
        case OverrideUpgradeable():
            yield override_command(change.operator, namespace)
        case OwnOperator():
            yield owning_command(change.subscription, change.operator, namespace)
        case ReleaseOperator():
            yield patch_command("clusterserviceversion", change.operator, namespace, {"metadata": {"finalizers": None}})
        case RetargetGroup():
            targets = {"targetNamespaces": list(change.targets) or None, "selector": None}
            yield patch_command("operatorgroup", change.group, namespace, {"spec": targets})
        case LetFailForward():
            spec = {"upgradeStrategy": "TechPreviewUnsafeFailForward"}
            yield patch_command("operatorgroup", change.group, namespace, {"spec": spec})
        case CreateAccount():
            yield f"kubectl create serviceaccount {shell_word(change.account)} --namespace {shell_word(namespace)}"
        case CreateGroup():
            yield create_command("v1", "OperatorGroup", namespace, namespace, {"targetNamespaces": [namespace]})
        case SubscribeTo():
            spec = {
                "name": change.package,
                "channel": change.channel,
                "source": change.source,
                "sourceNamespace": change.source_namespace,
            }
            yield create_command("v1alpha1", "Subscription", change.package, namespace, spec)
        case RenewSubscription():
            file = shell_word(f"{change.subscription}.yaml")
            about = f"subscription.{_API} {shell_word(change.subscription)} --namespace {shell_word(namespace)}"
            yield f"kubectl get {about} -o yaml > {file}"
            yield f"kubectl delete {about}"
            yield f"kubectl create --filename {file}"
        case DeletePlan():
            yield kubectl("delete installplan", change.plan, namespace)
        case DeleteGroup():
            yield kubectl("delete operatorgroup", change.group, namespace)
        case DeleteSubscription():
            yield kubectl("delete subscription", change.subscription, namespace)


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
