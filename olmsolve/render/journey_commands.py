"""The commands of a journey's runbook: what to type for a change or a way out, and how to wait for what follows.

The commands are those of OpenShift's ``oc``; ``oc wait --for=jsonpath`` needs 4.11 or later. Names of install plans are
read from the cluster, which draws them.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from typing import Any, Final

from olmsolve.lifecycle.journey import (
    CatalogReplacement,
    ExtensionChannelChange,
    ExtensionRemoval,
    JourneyStage,
    JourneyUpdate,
    JourneyWayOut,
    MadeChange,
    ManualApproval,
    OperatorAdoption,
    OperatorRemoval,
    PackageReplacement,
    PlanApproval,
    RangeRemoval,
    SubscriptionChannelChange,
    UpgradeableOverride,
)
from olmsolve.render.journeys import in_one
from olmsolve.render.layout import plain, shell_word

SUBSCRIPTION: Final = "subscriptions.operators.coreos.com"
CSV: Final = "clusterserviceversions.operators.coreos.com"
EXTENSION: Final = "clusterextensions.olm.operatorframework.io"
_PLAN: Final = "installplans.operators.coreos.com"
_CONDITION: Final = "operatorconditions.operators.coreos.com"
_CATALOG: Final = "catalogsources.operators.coreos.com"
_CLUSTER_CATALOG: Final = "clustercatalogs.olm.operatorframework.io"
# Images are pulled and deployments roll out; OLM itself gives up on an operator after five minutes, and tries again.
_MINUTES: Final = 15


def change_commands(made: MadeChange, stage: JourneyStage) -> Iterator[str]:
    """Yield the commands for a change by hand at *stage*, and the waits for the updates that follow."""
    change = made.change
    if isinstance(change, SubscriptionChannelChange):
        yield _patch(SUBSCRIPTION, change.subscription, change.namespace, {"spec": {"channel": change.channel}})
    elif isinstance(change, ExtensionChannelChange):
        channels = {"spec": {"source": {"catalog": {"channels": [change.channel]}}}}
        yield _patch(EXTENSION, change.extension, "", channels)
    elif isinstance(change, PlanApproval):
        yield from _approval(change, made)
    yield from update_waits(made.updates, stage)


def update_waits(updates: tuple[JourneyUpdate, ...], stage: JourneyStage) -> Iterator[str]:
    """Yield the commands that end once the *updates* are done, one for each subscription or extension."""
    for update, count in in_one(updates):
        yield from _wait(update, stage, f"--timeout={_MINUTES * count}m")


def _approval(change: PlanApproval, made: MadeChange) -> Iterator[str]:
    where = f"-n {shell_word(change.namespace)}"
    first = next((update for update in made.updates if update.namespace == change.namespace), None)
    owner = shell_word(first.owner) if first is not None else "SUBSCRIPTION"
    if first is not None:
        # Until OLM has made the plan, the subscription names the plan before it.
        pending = f"--for=jsonpath='{{.status.currentCSV}}'={shell_word(first.after)}"
        yield f"oc wait {SUBSCRIPTION}/{owner} {where} --timeout={_MINUTES}m {pending}"
    path = "'{.status.installPlanRef.name}'"
    yield f"plan=$(oc get {SUBSCRIPTION} {owner} {where} -o jsonpath={path})"
    names = "'{.spec.clusterServiceVersionNames}'"
    yield f'oc get {_PLAN} "$plan" {where} -o jsonpath={names}  # must print {plain(" ".join(change.operators))}'
    approved = shlex.quote(json.dumps({"spec": {"approved": True}}))
    yield f'oc patch {_PLAN} "$plan" {where} --type merge -p {approved}'


def _wait(update: JourneyUpdate, stage: JourneyStage, timeout: str) -> Iterator[str]:
    """Yield the commands that end once *update* is done; an operator that is to fail is not waited for."""
    name = shell_word(update.after)
    if not update.namespace:
        path = "'{.status.install.bundle.name}'"
        yield f"oc wait {EXTENSION}/{shell_word(update.owner)} {timeout} --for=jsonpath={path}={name}"
        return
    where = f"-n {shell_word(update.namespace)} {timeout}"
    yield f"oc wait {SUBSCRIPTION}/{shell_word(update.owner)} {where} --for=jsonpath='{{.status.installedCSV}}'={name}"
    phases = {(operator.namespace, operator.bundle): operator.phase for operator in stage.operators}
    # One that has been replaced by the time that the cluster goes on is not there to be waited for.
    if phases.get((update.namespace, update.after)) == "Succeeded":
        yield f"oc wait {CSV}/{name} {where} --for=jsonpath='{{.status.phase}}'=Succeeded"


def catalog_waits(stage: JourneyStage) -> Iterator[str]:
    """Yield the commands that end once the catalogs with other content at *stage* are served."""
    for catalog in stage.catalogs:
        namespace, slash, name = catalog.rpartition("/")
        timeout = f"--timeout={_MINUTES}m"
        if slash:
            ready = "--for=jsonpath='{.status.connectionState.lastObservedState}'=READY"
            yield f"oc wait {_CATALOG}/{shell_word(name)} -n {shell_word(namespace)} {timeout} {ready}"
        else:
            yield f"oc wait {_CLUSTER_CATALOG}/{shell_word(name)} {timeout} --for=condition=Serving"


def way_commands(way: JourneyWayOut) -> Iterator[str]:
    """Yield the commands that make the change *way*."""
    if isinstance(way, OperatorRemoval):
        yield from _removal(way.namespace, way.operator, way.subscription)
    elif isinstance(way, ManualApproval):
        yield _patch(SUBSCRIPTION, way.subscription, way.namespace, {"spec": {"installPlanApproval": "Manual"}})
    elif isinstance(way, CatalogReplacement):
        namespace, _, name = way.catalog.partition("/")
        spec = {"channel": way.channel, "source": name, "sourceNamespace": namespace}
        yield _patch(SUBSCRIPTION, way.subscription, way.namespace, {"spec": spec})
    elif isinstance(way, PackageReplacement):
        yield from _removal(way.namespace, way.operator, way.subscription)
        yield _subscribe(way.namespace, way.package, way.channel, way.catalog)
    elif isinstance(way, OperatorAdoption):
        yield from _removal(way.namespace, way.operator, "")
        yield _subscribe(way.namespace, way.package, way.channel, way.catalog, way.operator)
    elif isinstance(way, UpgradeableOverride):
        override = {"type": "Upgradeable", "status": "True", "reason": "Accepted", "message": "for the update"}
        yield _patch(_CONDITION, way.operator, way.namespace, {"spec": {"overrides": [override]}})
    elif isinstance(way, RangeRemoval):
        yield _patch(EXTENSION, way.extension, "", {"spec": {"source": {"catalog": {"version": None}}}})
    elif isinstance(way, ExtensionRemoval):
        yield f"oc delete {EXTENSION} {shell_word(way.extension)}"


def _removal(namespace: str, operator: str, subscription: str) -> Iterator[str]:
    # The subscription goes first: OLM would install its operator again.
    if subscription:
        yield f"oc delete {SUBSCRIPTION} {shell_word(subscription)} -n {shell_word(namespace)}"
    if operator:
        yield f"oc delete {CSV} {shell_word(operator)} -n {shell_word(namespace)}"


def _subscribe(namespace: str, package: str, channel: str, catalog: str, starting: str = "") -> str:
    source_namespace, _, source = catalog.partition("/")
    spec = {"name": package, "channel": channel, "source": source, "sourceNamespace": source_namespace}
    manifest = {
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "Subscription",
        "metadata": {"name": package, "namespace": namespace},
        "spec": {**spec, **({"startingCSV": starting} if starting else {})},
    }
    return f"echo {shlex.quote(plain(json.dumps(manifest)))} | oc apply -f -"


def _patch(kind: str, name: str, namespace: str, patch: dict[str, Any]) -> str:
    where = f" -n {shell_word(namespace)}" if namespace else ""
    return f"oc patch {kind} {shell_word(name)}{where} --type merge -p {shlex.quote(json.dumps(patch))}"
