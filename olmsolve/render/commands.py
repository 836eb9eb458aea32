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
            written = shlex.quote(json.dumps(patch))
            yield f"{_kubectl('patch subscription', change.subscription, namespace)} --type merge --patch {written}"
        case DropSubscription():
            yield _kubectl("delete subscription", change.subscription, namespace)
        case RemoveOperator():
            yield _kubectl("delete clusterserviceversion", change.operator, namespace)
        case RepairCatalog():
            yield f"# {plain(str(change))}: its pod and its state say why"
            yield f"{_kubectl('get catalogsource', change.name, change.namespace)} -o yaml"
            selector = shell_word(f"olm.catalogSource={change.name}")
            yield f"kubectl get pods --namespace {shell_word(change.namespace)} --selector {selector}"
        case ExcludeGlobalCatalogs():
            where = f"--namespace {shell_word(change.namespace)}"
            yield f"kubectl annotate operatorgroup.{_API} --all {where} {EXCLUDE_GLOBAL}=true"
        case SettleUpdate(cause="refused"):
            override = {
                "type": "Upgradeable",
                "status": "True",
                "reason": "Overridden",
                "message": "an administrator lets the operator be replaced",
            }
            overrides = shlex.quote(json.dumps({"spec": {"overrides": [override]}}))
            yield "# the operator says in its condition why it must not be replaced now: wait, or override it"
            yield f"{_kubectl('patch operatorcondition', change.operator, namespace)} --type merge --patch {overrides}"
        case SettleUpdate():
            yield f"# {plain(str(change))}"
            waiting = change.operator if change.cause == "unready" else change.newer
            yield f"{_kubectl('get clusterserviceversion', waiting, namespace)} -o yaml"
        case AddSubscription():
            yield from _created("Subscription", change.subscription.name, namespace, _spec(change))
        case LetOwn(new=False):
            # The API server wants the time of the last change as well.
            status = {"installedCSV": change.operator, "currentCSV": change.operator, "state": "AtLatestKnown"}
            written = shlex.quote(json.dumps({"status": {**status, "lastUpdated": "2026-01-01T00:00:00Z"}}))
            patched = _kubectl("patch subscription", change.subscription, namespace)
            yield f"{patched} --subresource status --type merge --patch {written}"
        case LetOwn(new=True):
            yield from _created("Subscription", change.subscription, namespace, {"name": change.package})
            yield "# add source, sourceNamespace and channel to the subscription before it is created"
        case AddCatalog():
            spec = {"sourceType": "grpc", "image": "IMAGE", "priority": change.source.priority}
            yield from _created("CatalogSource", change.source.name, change.source.namespace, spec)
            yield "# IMAGE is the image of the catalog"


def _kubectl(action: str, name: str, namespace: str) -> str:
    verb, kind = action.split()
    return f"kubectl {verb} {kind}.{_API} {shell_word(name)} --namespace {shell_word(namespace)}"


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


def _created(kind: str, name: str, namespace: str, spec: Mapping[str, Any]) -> Iterator[str]:
    """Yield the command that creates an object; JSON is YAML as well, and needs no indentation."""
    document = {
        "apiVersion": f"{_API}/v1alpha1",
        "kind": kind,
        "metadata": {"name": name, "namespace": namespace},
        "spec": spec,
    }
    yield f"echo {shlex.quote(json.dumps(document))} | kubectl create --filename -"
