"""Journeys as runbooks in Markdown: what to type, what to wait for, and what to check, in order."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator
from typing import Final

from olmsolve.lifecycle.journey import (
    ExtensionRemoval,
    Journey,
    JourneyOperator,
    JourneyStage,
    OperatorAdoption,
    OperatorRemoval,
    PackageReplacement,
)
from olmsolve.render.journey_commands import (
    CSV,
    EXTENSION,
    SUBSCRIPTION,
    catalog_waits,
    change_commands,
    update_waits,
    way_commands,
)
from olmsolve.render.journeys import in_one, journey_title, notes_at, phase_title, suppositions, update_text
from olmsolve.render.layout import in_markdown, plain

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
        # Names keep their letters: only the first word of the sentence is written large.
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
