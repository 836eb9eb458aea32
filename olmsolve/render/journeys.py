"""Journeys as text by phase, as manifests for GitOps, and in words that the runbook and the page share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from olmsolve._records import evolve
from olmsolve.lifecycle.journey import (
    ExtensionChannelChange,
    FleetJourneys,
    Journey,
    JourneyConflict,
    JourneyGroup,
    JourneyUpdate,
    MadeChange,
    SubscriptionChannelChange,
)
from olmsolve.render.layout import Style, counted, listed, paragraph

_MOST_NAMES: Final = 3
_CLASSIC: Final = "operators.coreos.com/v1alpha1"
_V1: Final = "olm.operatorframework.io/v1"


def journey_title(journey: Journey) -> str:
    """Return in one sentence where the journey leads."""
    if journey.is_reached:
        made = (
            "without a change by hand" if not journey.changes else f"with {counted(journey.changes, 'change')} by hand"
        )
        updates = f"OLM makes {counted(journey.updates, 'update')}" if journey.updates else "OLM updates nothing"
        return f"The cluster gets from OpenShift {journey.start} to {journey.to} {made}; {updates}."
    if journey.undecided and not journey.conflicts:
        parts = ", ".join(journey.undecided)
        return f"It is not known whether the cluster gets to OpenShift {journey.to}: the search gave up for {parts}."
    far = "stays there" if journey.furthest == journey.start else f"gets as far as {journey.furthest}"
    return (
        f"The cluster does not get from OpenShift {journey.start} to {journey.to} with all of its operators; it {far}."
    )


def suppositions(journey: Journey) -> Iterator[str]:
    """Yield a sentence for each group of catalogs without known content at the same versions."""
    numbers: dict[str, list[int]] = {}
    for number, stage in enumerate(journey.stages):
        for name in stage.supposed:
            numbers.setdefault(name, []).append(number)
    catalogs: dict[tuple[int, ...], list[str]] = {}
    for name, supposed in numbers.items():
        catalogs.setdefault(tuple(supposed), []).append(name)
    for rows, names in catalogs.items():
        at = listed([word for run in _runs(rows) for word in _span(journey, run)])
        are = "it is" if len(names) == 1 else "they are"
        yield (
            f"No content of {listed(names)} was given for {at}: there, {are} assumed to have the same content as at"
            " the version before. The real content, and the updates in it, are not known."
        )


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last of each row of following *numbers*."""
    first = numbers[0]
    for number, following in zip(numbers, [*numbers[1:], -1], strict=True):
        if following != number + 1:
            yield first, number
            first = following


def _span(journey: Journey, run: tuple[int, int]) -> list[str]:
    """Return the versions of *run* as words: ``4.13 to 4.15``, but ``4.13`` and ``4.14``."""
    first, last = run
    versions = [stage.version for stage in journey.stages[first : last + 1]]
    return versions if len(versions) < 3 else [f"{versions[0]} to {versions[-1]}"]


def in_one(updates: Sequence[JourneyUpdate]) -> list[tuple[JourneyUpdate, int]]:
    """Return one update for all *updates* of a subscription or extension, with how many they are.

    A chain of ten is one line for people: what was there at first, and what is there in the end.
    """
    made: dict[tuple[str, str], tuple[JourneyUpdate, int]] = {}
    for update in updates:
        owner = update.namespace, update.owner
        first, count = made.get(owner, (update, 0))
        made[owner] = evolve(update, before=first.before), count + 1
    return list(made.values())


def update_text(update: JourneyUpdate, count: int) -> str:
    """Return what happens in one *update* that stands for *count*."""
    return f"{update} in {count} steps" if count > 1 else str(update)


def notes_at(journey: Journey, number: int) -> list[str]:
    """Return the notes of the stage *number* that the stage before does not have."""
    before = {note for operator in journey.stages[number - 1].operators for note in operator.notes} if number else ()
    notes = dict.fromkeys(note for operator in journey.stages[number].operators for note in operator.notes)
    return [note for note in notes if note not in before]


def phase_title(journey: Journey, number: int) -> str:
    """Return the heading of the stage *number*, which says its purpose."""
    stage = journey.stages[number]
    if stage.passed:
        return f"At OpenShift {stage.version}, without a stop"
    if number + 1 < len(journey.stages):
        return f"At OpenShift {stage.version}, before the update to {journey.stages[number + 1].version}"
    return f"At OpenShift {stage.version}, afterwards" if number else f"At OpenShift {stage.version}"


def journey_text(journey: Journey, *, width: int = 80, colour: bool = False) -> str:
    """Return the journey *journey* by phase, after the conflicts that end it early; *width* is in characters."""
    style = Style(width, colour)
    lines = [style.bold(line) for line in paragraph(journey_title(journey), style.width)]
    for number, conflict in enumerate(journey.conflicts, start=1):
        lines += ["", style.bold(f"Conflict {number}"), *_conflict(conflict, style)]
    if len(journey.conflicts) > 1 or (journey.conflicts and journey.conflicts[0].jointly):
        lines += ["", *_together(journey, style)]
    for supposition in suppositions(journey):
        lines += ["", *paragraph(supposition, style.width)]
    for numbers in phases(journey):
        lines += ["", style.bold(phases_title(journey, numbers)), *_stage(journey, numbers[-1], style)]
    if journey.standing:
        lines += ["", style.bold("Faults that the cluster already has, and that stay")]
        lines += [
            line for fault in journey.standing for line in paragraph(fault, style.width, indent="  ", hanging="    ")
        ]
    if journey.undecided and journey.conflicts:
        lines += ["", *paragraph(f"The search gave up for {', '.join(journey.undecided)}.", style.width)]
    return "\n".join(lines)


def _conflict(conflict: JourneyConflict, style: Style) -> Iterator[str]:
    for reason in conflict.reasons:
        yield from paragraph(str(reason), style.width, indent="  ", hanging="    ")
        if reason.cause:
            yield from paragraph(f"otherwise: {reason.cause}", style.width, indent="    ", hanging="      ")
        if ", " in reason.package:
            yield from paragraph(f"in the way: {reason.package}", style.width, indent="    ", hanging="      ")
        yield from paragraph(f"then: {reason.effect}", style.width, indent="    ", hanging="      ")
        for change in reason.outlook:
            yield from paragraph(str(change), style.width, indent="    - ", hanging="      ")
    if conflict.ways:
        yield "  ways out, all of them tried:"
        for way in conflict.ways:
            yield from paragraph(str(way), style.width, indent="    - ", hanging="      ")
    elif conflict.jointly:
        yield "  way out, which was tried: all of"
        for way in conflict.jointly:
            yield from paragraph(str(way), style.width, indent="    - ", hanging="      ")
    else:
        yield "  no way out was found"


def _together(journey: Journey, style: Style) -> Iterator[str]:
    if not journey.ways:
        yield from paragraph("No changes that free the whole cluster were found.", style.width)
        return
    yield from paragraph(f"Together, these changes lead to OpenShift {journey.to}:", style.width)
    for way in journey.ways:
        yield from paragraph(str(way), style.width, indent="  - ", hanging="    ")


def phases(journey: Journey) -> Iterator[list[int]]:
    """Yield the numbers of the stages, following ones at which nothing happens together."""
    quiet: list[int] = []
    for number, stage in enumerate(journey.stages):
        if stage.arrival or stage.changes or notes_at(journey, number):
            if quiet:
                yield quiet
            yield [number]
            quiet = []
        else:
            if quiet and journey.stages[quiet[0]].passed != stage.passed:
                yield quiet
                quiet = []
            quiet.append(number)
    if quiet:
        yield quiet


def phases_title(journey: Journey, numbers: Sequence[int]) -> str:
    """Return the heading of the stages *numbers*, at which nothing happens if they are several."""
    if len(numbers) == 1:
        return phase_title(journey, numbers[0])
    stages = [journey.stages[number] for number in numbers]
    return f"At OpenShift {listed([stage.version for stage in stages])}"


def _stage(journey: Journey, number: int, style: Style) -> Iterator[str]:
    stage = journey.stages[number]
    for update, count in in_one(stage.arrival):
        yield from paragraph(f"by itself: {update_text(update, count)}", style.width, indent="  ", hanging="    ")
    for position, made in enumerate(stage.changes, start=1):
        yield from paragraph(f"{position}. {made.change}", style.width, indent="  ", hanging="     ")
        for update, count in in_one(made.updates):
            yield from paragraph(f"then {update_text(update, count)}", style.width, indent="     ", hanging="       ")
    if not (stage.arrival or stage.changes):
        yield "  nothing changes"
    for note in notes_at(journey, number):
        yield from paragraph(f"note: {note}", style.width, indent="  ", hanging="    ")


def fleet_journeys_text(fleet: FleetJourneys, *, width: int = 80, colour: bool = False) -> str:
    """Return the groups of *fleet*, each with what stops it and the first names; *width* is in characters."""
    style = Style(width, colour)
    title = f"{fleet.reached:,} of {counted(fleet.clusters, 'cluster')} get to OpenShift {fleet.to}."
    is_one = fleet.clusters == 1 and not fleet.unreadable
    if is_one:
        verb = "gets" if fleet.reached else "does not get"
        title = f"Cluster {fleet.groups[0].names[0]} {verb} to OpenShift {fleet.to}."
    lines = [style.bold(line) for line in paragraph(title, style.width)]
    for group in fleet.groups:
        names = ", ".join(group.names[:_MOST_NAMES]) + (", ..." if group.count > _MOST_NAMES else "")
        if not is_one:
            heading = style.bold(f"{counted(group.count, 'cluster')}:")
            lines += ["", heading, *paragraph(names, style.width, indent="  ")]
        lines += [
            line for stop in group.stops for line in paragraph(str(stop), style.width, indent="  - ", hanging="    ")
        ]
        lines += paragraph(_outcome(fleet, group), style.width, indent="  ", hanging="    ")
    if fleet.unreadable:
        lines += ["", style.bold(f"{counted(len(fleet.unreadable), 'cluster')} without an answer:")]
        for broken in fleet.unreadable:
            lines += paragraph(f"{broken.name}: {broken.reason}", style.width, indent="  ", hanging="      ")
    return "\n".join(lines)


def _outcome(fleet: FleetJourneys, group: JourneyGroup) -> str:
    if group.undecided and not group.stops:
        return "not known: the search gave up"
    if not group.stops:
        verb = "gets" if group.count == 1 else "get"
        return f"{verb} there with {counted(group.changes, 'change')} by hand{' at most' * (group.count > 1)}"
    freed = f"ways out that were tried lead to {fleet.to}" if group.freed else "no ways out of everything were found"
    return f"{'gets' if group.count == 1 else 'get'} as far as {group.furthest}; {freed}"


def journey_patches(journey: Journey) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what a repository of manifests has to say from when on: a sentence, and the part of the manifest.

    Approvals are not there: OLM names install plans as it makes them.
    """
    for number, stage in enumerate(journey.stages):
        for made in stage.changes:
            manifest = _manifest(made)
            if manifest is not None:
                yield f"{phase_title(journey, number)}: {made.change}", manifest


def _manifest(made: MadeChange) -> dict[str, Any] | None:
    change = made.change
    if isinstance(change, SubscriptionChannelChange):
        about = {"name": change.subscription, "namespace": change.namespace}
        return _object(_CLASSIC, "Subscription", about, {"channel": change.channel})
    if isinstance(change, ExtensionChannelChange):
        source = {"source": {"catalog": {"channels": [change.channel]}}}
        return _object(_V1, "ClusterExtension", {"name": change.extension}, source)
    return None


def _object(version: str, kind: str, about: dict[str, str], spec: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": version, "kind": kind, "metadata": about, "spec": spec}
