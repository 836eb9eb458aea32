"""Changes to a request as ``kubectl`` commands: what an administrator types to carry out a way out."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from typing import Any, Final

from olmsolve.answers.explain import (
    AddCatalog,
    ChangeCatalog,
    ChangeChannel,
    ChangePackage,
    ChangeStart,
    DropSubscription,
    ExcludeGlobalCatalogs,
    Fix,
    LetOwn,
    RemoveOperator,
    RepairCatalog,
    SettleUpdate,
)
from olmsolve.answers.questions import AddSubscription, Enabling, Together
from olmsolve.cluster.catalogs import EXCLUDE_GLOBAL
from olmsolve.render.layout import plain, shell_word

_API: Final = "operators.coreos.com"


def fix_commands(fix: Fix) -> list[str]:
    """Return the commands for *fix*, in the order of its changes; see :func:`change_commands`."""
    namespace = fix.request.namespaces[0]
    return [line for change in fix.changes for line in change_commands(change, namespace)]


def change_commands(change: Enabling, namespace: str) -> list[str]:
    """Return the ``kubectl`` commands that carry out *change* in *namespace*.

    A change that no command can make, such as one of the content of a catalog, is a comment that says what to do.
    """
    if isinstance(change, Together):
        return [line for part in change.changes for line in change_commands(part, namespace)]
    commands = list(_commands(change, namespace))
    return commands or [f"# {plain(str(change))}"]


def subscription_patch(change: Enabling) -> dict[str, Any] | None:
    """Return *change* as a JSON merge patch of its Subscription; None if it changes no field of a subscription."""
    match change:
        case ChangeStart():
            return {"spec": {"startingCSV": change.start or None}}
        case ChangeChannel():
            return {"spec": {"channel": change.channel}}
        case ChangePackage():
            return {"spec": {"name": change.package}}
        case ChangeCatalog():
            return {"spec": {"source": change.source, "sourceNamespace": change.source_namespace}}
        case _:
            return None


def _commands(change: Enabling, namespace: str) -> Iterator[str]:
    patch = subscription_patch(change)
    match change:
        case ChangeStart() | ChangeChannel() | ChangePackage() | ChangeCatalog():
            assert patch is not None
            yield patch_command("subscription", change.subscription, namespace, patch)
        case DropSubscription():
            yield kubectl("delete subscription", change.subscription, namespace)
        case RemoveOperator():
            yield kubectl("delete clusterserviceversion", change.operator, namespace)
        case RepairCatalog():
            yield f"# {plain(str(change))}: its pod and its state say why"
            yield f"{kubectl('get catalogsource', change.name, change.namespace)} -o yaml"
            yield pods_command(change.name, change.namespace)
        case ExcludeGlobalCatalogs():
            yield hiding_command(change.namespace)
        case SettleUpdate(cause="refused"):
            yield "# the operator says in its condition why it must not be replaced now: wait, or override it"
            yield override_command(change.operator, namespace)
        case SettleUpdate():
            yield f"# {plain(str(change))}"
            waiting = change.operator if change.cause == "unready" else change.newer
            yield f"{kubectl('get clusterserviceversion', waiting, namespace)} -o yaml"
        case AddSubscription():
            yield create_command("v1alpha1", "Subscription", change.subscription.name, namespace, _spec(change))
        case LetOwn(new=False):
            yield owning_command(change.subscription, change.operator, namespace)
        case LetOwn(new=True):
            yield create_command("v1alpha1", "Subscription", change.subscription, namespace, {"name": change.package})
            yield "# add source, sourceNamespace and channel to the subscription before it is created"
        case AddCatalog():
            spec = {"sourceType": "grpc", "image": "IMAGE", "priority": change.source.priority}
            yield create_command("v1alpha1", "CatalogSource", change.source.name, change.source.namespace, spec)
            yield "# IMAGE is the image of the catalog"


def _spec(change: AddSubscription) -> dict[str, Any]:
    wish = change.subscription
    fields = {
        "name": wish.package,
        "channel": wish.channel,
        "source": wish.source,
        "sourceNamespace": wish.source_namespace,
        "startingCSV": wish.starting_csv,
    }
    return {name: value for name, value in fields.items() if value}


def kubectl(action: str, name: str, namespace: str) -> str:
    """Return the command that does *action* (``delete subscription``) to the object of OLM called *name*."""
    return f"kubectl {action}.{_API} {shell_word(name)} --namespace {shell_word(namespace)}"


def patch_command(kind: str, name: str, namespace: str, patch: Mapping[str, Any]) -> str:
    """Return the command that patches an object of OLM."""
    return f"{kubectl(f'patch {kind}', name, namespace)} --type merge --patch {shlex.quote(json.dumps(patch))}"


def create_command(version: str, kind: str, name: str, namespace: str, spec: Mapping[str, Any]) -> str:
    """Return the command that creates an object of OLM; JSON is YAML as well, and needs no indentation."""
    metadata = {"name": name, "namespace": namespace}
    document = {"apiVersion": f"{_API}/{version}", "kind": kind, "metadata": metadata, "spec": spec}
    return f"echo {shlex.quote(json.dumps(document))} | kubectl create --filename -"


def override_command(operator: str, namespace: str) -> str:
    """Return the command that lets *operator* be replaced, whatever its condition Upgradeable says."""
    override = {
        "type": "Upgradeable",
        "status": "True",
        "reason": "Overridden",
        "message": "an administrator lets the operator be replaced",
    }
    return patch_command("operatorcondition", operator, namespace, {"spec": {"overrides": [override]}})


def owning_command(subscription: str, operator: str, namespace: str) -> str:
    """Return the command by which *subscription* owns the installed *operator*."""
    status = {"installedCSV": operator, "currentCSV": operator, "state": "AtLatestKnown"}
    # The API server wants the time of the last change as well.
    status["lastUpdated"] = "2026-01-01T00:00:00Z"
    written = shlex.quote(json.dumps({"status": status}))
    return (
        f"{kubectl('patch subscription', subscription, namespace)} --subresource status --type merge --patch {written}"
    )


def hiding_command(namespace: str) -> str:
    """Return the command that hides the global catalogs from *namespace*."""
    return f"kubectl annotate operatorgroup.{_API} --all --namespace {shell_word(namespace)} {EXCLUDE_GLOBAL}=true"


def pods_command(catalog: str, namespace: str) -> str:
    """Return the command that lists the pods which serve *catalog*, of this *namespace*."""
    selector = shell_word(f"olm.catalogSource={catalog}")
    return f"kubectl get pods --namespace {shell_word(namespace)} --selector {selector}"
