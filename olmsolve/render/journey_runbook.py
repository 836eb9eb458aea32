"""Journeys as runbooks in Markdown: what to type, what to wait for, and what to check, in order.

The commands are for OpenShift's ``oc``; ``oc wait --for=jsonpath`` needs 4.11 or later. Names of install plans are
read from the cluster, which draws them.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator
from typing import Any, Final

from olmsolve.lifecycle.journey import (
    CatalogReplacement,
    ExtensionChannelChange,
    ExtensionRemoval,
    Journey,
    JourneyOperator,
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
from olmsolve.render.journeys import in_one, journey_title, notes_at, phase_title, suppositions, update_text
from olmsolve.render.layout import in_markdown, plain, shell_word

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
    """Yield commands that wait until *update* is done; no command waits for an operator that will fail."""
    name = shell_word(update.after)
    if not update.namespace:
        path = "'{.status.install.bundle.name}'"
        yield f"oc wait {EXTENSION}/{shell_word(update.owner)} {timeout} --for=jsonpath={path}={name}"
        return
    where = f"-n {shell_word(update.namespace)} {timeout}"
    yield f"oc wait {SUBSCRIPTION}/{shell_word(update.owner)} {where} --for=jsonpath='{{.status.installedCSV}}'={name}"
    phases = {(operator.namespace, operator.bundle): operator.phase for operator in stage.operators}
    # An operator that is replaced before the cluster goes on may be gone, so no command waits for it.
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


_SUBSCRIPTION_COLUMNS: Final = (
    "NAMESPACE:.metadata.namespace,SUBSCRIPTION:.metadata.name,CHANNEL:.spec.channel,INSTALLED:.status.installedCSV"
)
_CSV_COLUMNS: Final = "NAMESPACE:.metadata.namespace,OPERATOR:.metadata.name,PHASE:.status.phase"
_EXTENSION_COLUMNS: Final = "EXTENSION:.metadata.name,INSTALLED:.status.install.bundle.name"
# Nodes are drained and restarted one after the other.
_POOL_TIMEOUT: Final = "4h"


def journey_markdown(journey: Journey) -> str:
    """Return *journey* as a runbook, which ends with a line end."""
    lines = [f"# From OpenShift {journey.start} to {journey.to}", "", in_markdown(journey_title(journey)), ""]
    if not journey.is_reached:
        lines += [*_conflicts(journey)]
    lines += ["## Before you start", "", *_preparations(journey), ""]
    lines += ["## Overview", "", *_overview(journey), ""]
    for number, stage in enumerate(journey.stages):
        lines += [f"## {phase_title(journey, number)}", "", *_phase(journey, number)]
        if not stage.passed:
            lines += [*_check(journey, number), ""]
        if number + 1 < len(journey.stages):
            lines += [*_update(journey, number), ""]
    return "\n".join(_spaced(lines)) + "\n"


def _spaced(lines: Iterable[str]) -> list[str]:
    """Return *lines* with one empty line between blocks, none at the end."""
    kept: list[str] = []
    for line in lines:
        if line or (kept and kept[-1]):
            kept.append(line)
    while kept and not kept[-1]:
        kept.pop()
    return kept


def _conflicts(journey: Journey) -> Iterator[str]:
    for number, conflict in enumerate(journey.conflicts, start=1):
        yield f"**Conflict {number}**"
        yield ""
        for reason in conflict.reasons:
            cause = f"; otherwise: {in_markdown(reason.cause)}" if reason.cause else ""
            way = f"; in the way: {in_markdown(reason.package)}" if ", " in reason.package else ""
            yield f"- {in_markdown(str(reason))}{cause}{way}. Then: {in_markdown(reason.effect)}."
        kind = "way out" if conflict.ways else "part of the way out"
        for option in conflict.ways or conflict.jointly:
            yield f"- {kind}: {in_markdown(str(option))}"
        if not (conflict.ways or conflict.jointly):
            yield "- no way out was found"
        yield ""
    if journey.ways:
        yield f"These changes together lead to OpenShift {journey.to}. Make them, record the objects again, and make a"
        yield "new runbook."
        removals = OperatorRemoval, PackageReplacement, OperatorAdoption
        if any(isinstance(listed_way, removals) for listed_way in journey.ways):
            yield "What an operator has made, its custom resources and its APIs stay when it is removed, but"
            yield "nothing takes care of them: save what you need."
        if any(isinstance(listed_way, ExtensionRemoval) for listed_way in journey.ways):
            yield "An extension takes along everything that it installed, its APIs with all of their objects:"
            yield "save what you need."
        yield ""
        yield from _block(line for way in journey.ways for line in way_commands(way))
        yield ""
    if journey.furthest != journey.start:
        yield f"What follows leads to OpenShift {journey.furthest}."
        yield ""


def _preparations(journey: Journey) -> Iterator[str]:
    yield "- Each change below was simulated on the objects that were recorded of the cluster. Where a check shows"
    yield "  something else, stop: record the objects again, and make a new runbook. Digest of objects, catalogs and"
    yield f"  options: `{journey.digest}`."
    for supposition in suppositions(journey):
        yield f"- {in_markdown(supposition)}"
    yield "- What OpenShift itself has against an update is not in here: `oc adm upgrade` and the release notes say it."
    yield "- OpenShift cannot be taken back to an older version: make a backup of etcd and of your data before each"
    yield "  update."
    yield "- Where a repository manages subscriptions or extensions, make the changes of channels there; it would"
    yield "  undo `oc patch`."
    yield "- The commands need `oc` 4.11 or later, and the rights of a cluster administrator."
    if journey.standing:
        yield "- The cluster has these faults today, and nothing below mends them:"
        yield from (f"    - {in_markdown(fault)}" for fault in journey.standing)


def _overview(journey: Journey) -> Iterator[str]:
    yield "| OpenShift | by hand | by OLM alone |"
    yield "|---|---|---|"
    for stage in journey.stages:
        by_hand = "; ".join(str(made.change) for made in stage.changes)
        alone = "; ".join(update_text(*operator) for operator in in_one(stage.arrival))
        version = f"{stage.version} (without a stop)" if stage.passed else stage.version
        yield f"| {version} | {in_markdown(by_hand) or 'nothing'} | {in_markdown(alone) or 'nothing'} |"


def _phase(journey: Journey, number: int) -> Iterator[str]:
    stage = journey.stages[number]
    if stage.arrival:
        yield "OLM makes these updates by itself:"
        yield ""
        yield from (f"- {in_markdown(update_text(*operator))}" for operator in in_one(stage.arrival))
        yield ""
        yield "Wait until they are done:"
        yield ""
        yield from _block(update_waits(stage.arrival, stage))
        yield ""
    for position, made in enumerate(stage.changes, start=1):
        # Only the first letter of the sentence becomes a capital: `str.capitalize` would change the case of names too.
        text = in_markdown(str(made.change))
        yield f"{position}. {text[:1].upper()}{text[1:]}."
        if made.updates:
            yield f"   Then {in_markdown(', '.join(update_text(*update) for update in in_one(made.updates)))}."
        yield ""
        yield from (f"   {line}" for line in _block(change_commands(made, stage)))
        yield ""
    if not (stage.arrival or stage.changes):
        yield "Nothing is to be changed here." if not stage.passed else "Nothing is to be done here."
        yield ""
    for note in notes_at(journey, number):
        yield f"- Note: {in_markdown(note)}"
    yield ""


def _block(lines: Iterable[str]) -> Iterator[str]:
    yield "```console"
    yield from (f"$ {line}" for line in lines)
    yield "```"


def _check(journey: Journey, number: int) -> Iterator[str]:
    stage = journey.stages[number]
    same = [
        listed_stage
        for listed_stage in journey.stages[:number]
        if not listed_stage.passed and _rows(listed_stage) == _rows(stage)
    ]
    if not stage.operators:
        return
    if same and journey.stages[number - 1] in same:
        yield f"The operators are as at OpenShift {same[0].version}: its check has to print the same here."
        yield ""
        return
    owned = [operator for operator in stage.operators if operator.namespace]
    extensions = [operator for operator in stage.operators if not operator.namespace]
    commands = []
    if owned:
        commands.append(f"oc get {SUBSCRIPTION} -A -o custom-columns={_SUBSCRIPTION_COLUMNS}")
        # Copies of operators for other namespaces have this label.
        commands.append(f"oc get {CSV} -A -l '!olm.copiedFrom' -o custom-columns={_CSV_COLUMNS}")
    if extensions:
        commands.append(f"oc get {EXTENSION} -o custom-columns={_EXTENSION_COLUMNS}")
    yield "Check that this prints what the table says:"
    yield ""
    yield from _block(commands)
    yield ""
    if owned:
        yield "| namespace | subscription | channel | operator | phase |"
        yield "|---|---|---|---|---|"
        for extension in owned:
            cells = map(
                in_markdown,
                (extension.namespace, extension.owner or "none", extension.channel, extension.bundle, extension.phase),
            )
            yield f"| {' | '.join(cells)} |"
        yield ""
    if extensions:
        yield "| extension | installed |"
        yield "|---|---|"
        for extension in extensions:
            yield f"| {in_markdown(extension.owner)} | {in_markdown(extension.bundle)} |"
        yield ""


def _rows(stage: JourneyStage) -> list[tuple[str, ...]]:
    def row(operator: JourneyOperator) -> tuple[str, ...]:
        return operator.namespace, operator.owner, operator.channel, operator.bundle, operator.phase

    return sorted(map(row, stage.operators))


def _update(journey: Journey, number: int) -> Iterator[str]:
    stage, following = journey.stages[number], journey.stages[number + 1]
    yield f"### Update the cluster from {stage.version} to {following.version}"
    yield ""
    if following.passed and not stage.passed:
        yield "Pause the workers, which skip the version between. Do the same with each pool of your own that"
        yield "`oc get machineconfigpools` lists, but never with `master`:"
        yield ""
        yield from _block([_paused(True)])
        yield ""
    target = next(listed_stage for listed_stage in journey.stages[number + 1 :] if not listed_stage.passed)
    channel = f"eus-{target.version}" if following.passed or stage.passed else f"stable-{following.version}"
    yield "`oc adm upgrade` lists the releases that are offered. Choose one, and write it in place of"
    yield f"`{following.version}.Z`. While it says that the cluster should not or cannot be updated, mend the reason"
    yield "first. If it asks for an acknowledgement, check the reason before you give it."
    yield ""
    history = "'{.status.history[0].state} {.status.history[0].version}{\"\\n\"}'"
    pools = "machineconfigpool/master" if following.passed or stage.passed else "machineconfigpool --all"
    commands = [
        *([] if stage.passed else [f"oc adm upgrade channel {channel}"]),
        "oc adm upgrade",
        f"oc adm upgrade --to={following.version}.Z",
        f"oc get clusterversion version -o jsonpath={history}  # repeat until: Completed {following.version}.Z",
        f"oc wait {pools} --for=condition=Updated --timeout={_POOL_TIMEOUT}",
    ]
    yield from _block(commands)
    yield ""
    if following.catalogs:
        names = ", ".join(_code(catalog) for catalog in following.catalogs)
        yield f"These catalogs have other content from {following.version} on: {names}. OpenShift changes its own"
        yield "catalogs by itself; give one of your own the image for this version now. Wait until they are served:"
        yield ""
        yield from _block(catalog_waits(following))
        yield ""
    if stage.passed and not following.passed:
        yield "Let the workers follow, and each other pool that was paused:"
        yield ""
        yield from _block(
            [_paused(False), f"oc wait machineconfigpool --all --for=condition=Updated --timeout={_POOL_TIMEOUT}"]
        )
        yield ""


def _code(text: str) -> str:
    """Return *text* as code of Markdown, where only the sign that ends it has a meaning."""
    shown = plain(text).replace("`", "'")
    return f"`{shown}`"


def _paused(is_paused: bool) -> str:
    patch = shlex.quote(json.dumps({"spec": {"paused": is_paused}}))
    return f"oc patch machineconfigpool/worker --type merge -p {patch}"
