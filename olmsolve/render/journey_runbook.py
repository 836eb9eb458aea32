"""Journeys as runbooks in Markdown: what to type, what to wait for, and what to check, in order.

The commands are those of OpenShift's ``oc``. Names of install plans are asked of the cluster, which draws them.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from typing import Any, Final

from olmsolve.lifecycle.journey import (
    ExtensionChannelChange,
    Journey,
    JourneyStage,
    JourneyUpdate,
    MadeChange,
    PlanApproval,
    SubscriptionChannelChange,
)
from olmsolve.render.journeys import journey_title, phase_title
from olmsolve.render.layout import in_markdown, plain

_SUBSCRIPTION: Final = "subscriptions.operators.coreos.com"
_PLAN: Final = "installplans.operators.coreos.com"
_CSV: Final = "clusterserviceversions.operators.coreos.com"
_EXTENSION: Final = "clusterextensions.olm.operatorframework.io"
# Images are pulled and deployments roll out; OLM itself gives up on an operator after five minutes, and tries again.
_PATIENCE: Final = "15m"


def journey_markdown(found: Journey) -> str:
    """Return the journey *found* as a runbook, which ends with a line end."""
    lines = [f"# From OpenShift {found.start} to {found.to}", "", in_markdown(journey_title(found)), ""]
    if not found.is_reached:
        lines += [*_conflicts(found), ""]
    lines += [
        "Every step below was simulated on the recorded objects. Stop where a check shows something else: record the",
        "objects again, and make a new runbook.",
        "",
        f"Computed from objects, catalogs and options with the digest `{found.digest}`.",
        "",
    ]
    if found.standing:
        lines += [
            "The cluster has these faults without a change or an update, and they stay:",
            "",
            *(f"- {in_markdown(each)}" for each in found.standing),
            "",
        ]
    has_passed = any(stage.passed for stage in found.stages)
    for number, stage in enumerate(found.stages):
        lines += [f"## {phase_title(found, number)}", "", *_phase(found, number, has_passed)]
        if not stage.passed:
            lines += [*_check(stage), ""]
        if number + 1 < len(found.stages):
            lines += [*_update(found, number, has_passed), ""]
    return "\n".join(lines).rstrip() + "\n"


def _conflicts(found: Journey) -> Iterator[str]:
    for number, conflict in enumerate(found.conflicts, start=1):
        yield f"**Conflict {number}**"
        yield ""
        for reason in conflict.reasons:
            yield f"- {in_markdown(str(reason))}{f'; otherwise: {in_markdown(reason.cause)}' if reason.cause else ''}"
        for way in conflict.ways or conflict.jointly:
            yield f"- {'way out' if conflict.ways else 'part of the way out'}: {in_markdown(str(way))}"
        yield ""
    if found.furthest != found.start:
        yield f"What follows leads to OpenShift {found.furthest}."


def _phase(found: Journey, number: int, has_passed: bool) -> Iterator[str]:
    stage = found.stages[number]
    if stage.arrival:
        yield "OLM makes these updates by itself; wait until they are done:"
        yield ""
        yield from _block(line for update in _last(stage.arrival) for line in _wait(update, stage))
        yield ""
    for position, made in enumerate(stage.changes, start=1):
        # Names keep their letters: only the first word of the sentence is written large.
        text = in_markdown(str(made.change))
        yield f"{position}. {text[:1].upper()}{text[1:]}."
        yield ""
        yield from (f"   {line}" for line in _block(_commands(made, stage)))
        yield ""
    if not (stage.arrival or stage.changes):
        yield "Nothing is to be changed here." if not stage.passed else "Nothing is to be done here."
        yield ""


def _last(updates: tuple[JourneyUpdate, ...]) -> list[JourneyUpdate]:
    """Return the last update of each owner: whoever has it has had the others."""
    return list({(each.namespace, each.owner): each for each in updates}.values())


def _block(lines: Iterator[str]) -> Iterator[str]:
    yield "```console"
    yield from (f"$ {line}" for line in lines)
    yield "```"


def _commands(made: MadeChange, stage: JourneyStage) -> Iterator[str]:
    change = made.change
    if isinstance(change, SubscriptionChannelChange):
        yield _patch(_SUBSCRIPTION, change.subscription, change.namespace, {"spec": {"channel": change.channel}})
    elif isinstance(change, ExtensionChannelChange):
        channels = {"spec": {"source": {"catalog": {"channels": [change.channel]}}}}
        yield _patch(_EXTENSION, change.extension, "", channels)
    elif isinstance(change, PlanApproval):
        owner = next((each.owner for each in made.updates if each.namespace == change.namespace), "SUBSCRIPTION")
        path = "'{.status.installPlanRef.name}'"
        yield f"plan=$(oc get {_SUBSCRIPTION} {_word(owner)} -n {_word(change.namespace)} -o jsonpath={path})"
        names = "'{.spec.clusterServiceVersionNames}'"
        yield f'oc get {_PLAN} "$plan" -n {_word(change.namespace)} -o jsonpath={names}  # {" ".join(change.operators)}'
        approved = shlex.quote(json.dumps({"spec": {"approved": True}}))
        yield f'oc patch {_PLAN} "$plan" -n {_word(change.namespace)} --type merge -p {approved}'
    for update in _last(made.updates):
        yield from _wait(update, stage)


def _patch(kind: str, name: str, namespace: str, patch: dict[str, Any]) -> str:
    where = f" -n {_word(namespace)}" if namespace else ""
    return f"oc patch {kind} {_word(name)}{where} --type merge -p {shlex.quote(json.dumps(patch))}"


def _wait(update: JourneyUpdate, stage: JourneyStage) -> Iterator[str]:
    """Yield the commands that end once *update* is done; an operator that is to fail is not waited for."""
    name = _word(update.after)
    timeout = f"--timeout={_PATIENCE}"
    if not update.namespace:
        path = "'{.status.install.bundle.name}'"
        yield f"oc wait {_EXTENSION}/{_word(update.owner)} {timeout} --for=jsonpath={path}={name}"
        return
    where = f"-n {_word(update.namespace)} {timeout}"
    yield f"oc wait {_SUBSCRIPTION}/{_word(update.owner)} {where} --for=jsonpath='{{.status.installedCSV}}'={name}"
    phases = {(each.namespace, each.bundle): each.phase for each in stage.operators}
    # One that has been replaced by the time that the cluster goes on is not there to be waited for.
    if phases.get((update.namespace, update.after)) == "Succeeded":
        yield f"oc wait {_CSV}/{name} {where} --for=jsonpath='{{.status.phase}}'=Succeeded"


def _check(stage: JourneyStage) -> Iterator[str]:
    owned = [each for each in stage.operators if each.namespace and each.owner]
    extensions = [each for each in stage.operators if not each.namespace]
    if owned:
        columns = (
            "NAMESPACE:.metadata.namespace,NAME:.metadata.name,CHANNEL:.spec.channel,INSTALLED:.status.installedCSV"
        )
        yield "Check that this prints what the table has:"
        yield ""
        yield from _block(iter([f"oc get {_SUBSCRIPTION} -A -o custom-columns={columns}"]))
        yield ""
        yield "| namespace | subscription | channel | installed |"
        yield "|---|---|---|---|"
        for each in owned:
            cells = map(in_markdown, (each.namespace, each.owner, each.channel, each.bundle))
            yield f"| {' | '.join(cells)} |"
        yield ""
    if extensions:
        yield "And the extensions:"
        yield ""
        yield from _block(iter([f"oc get {_EXTENSION}"]))
        yield ""
        yield "| extension | installed |"
        yield "|---|---|"
        for each in extensions:
            yield f"| {in_markdown(each.owner)} | {in_markdown(each.bundle)} |"
        yield ""
    for note in dict.fromkeys(note for each in stage.operators for note in each.notes):
        yield f"- {in_markdown(note)}"


def _update(found: Journey, number: int, has_passed: bool) -> Iterator[str]:
    stage, following = found.stages[number], found.stages[number + 1]
    yield f"### Update the cluster from {stage.version} to {following.version}"
    yield ""
    if following.passed:
        yield "Pause the machine config pools of the workers, which skip the version between:"
        yield ""
        paused = shlex.quote(json.dumps({"spec": {"paused": True}}))
        yield from _block(iter([f"oc patch machineconfigpool/worker --type merge -p {paused}"]))
        yield ""
    target = next(each for each in found.stages[number + 1 :] if not each.passed)
    channel = f"eus-{target.version}" if following.passed or stage.passed else f"stable-{following.version}"
    yield "`oc adm upgrade` lists the versions that are offered. It must not name an operator that keeps the cluster"
    yield "from it; what it asks an administrator to acknowledge, such as removed APIs, comes first."
    yield ""
    check = "'{.status.history[0].state} {.status.history[0].version}{\"\\n\"}'"
    commands = [
        *([] if stage.passed else [f"oc adm upgrade channel {channel}"]),
        "oc adm upgrade",
        f"oc adm upgrade --to={following.version}.Z  # the version that was offered",
        f"oc get clusterversion version -o jsonpath={check}  # until it prints Completed {following.version}.Z",
    ]
    yield from _block(iter(commands))
    yield ""
    if following.catalogs:
        names = ", ".join(f"`{plain(each)}`" for each in following.catalogs)
        yield f"These catalogs have other content at {following.version}: {names}. OpenShift changes its own by itself;"
        yield "give a catalog with an image of your own its image for this version now."
        yield ""
    if stage.passed:
        yield "Let the workers follow:"
        yield ""
        resumed = shlex.quote(json.dumps({"spec": {"paused": False}}))
        commands = [
            f"oc patch machineconfigpool/worker --type merge -p {resumed}",
            "oc wait machineconfigpool/worker --for=condition=Updated --timeout=4h",
        ]
        yield from _block(iter(commands))
        yield ""


def _word(text: str) -> str:
    return shlex.quote(plain(text))
