"""A simulation as a timeline: for each subscription and each extension, what it had from which step to which.

Column 0 is the cluster as it was, column n the cluster after step n. An update in step 2 of three steps::

    ledger    0-1: ledger.v1.0.0    2-3: ledger.v1.1.0
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import olmsolve._attrs as attrs
from olmsolve.cluster import ClusterState
from olmsolve.cluster.objects import ClusterServiceVersion, SubscriptionObject
from olmsolve.lifecycle.simulation import Simulation
from olmsolve.v1 import ExtensionSimulation

NOTHING = "nothing"
"""The label of a span without an operator."""


@attrs.frozen
class Moment:
    """The state at one time: *label* names a bundle, *kind* is good, waits or bad, *note* says why."""

    label: str
    kind: str
    note: str = ""


@attrs.frozen
class Span:
    """The same *moment* from the column *first* to the column *last*."""

    first: int
    last: int
    moment: Moment


@attrs.frozen
class TimelineRow:
    """The *spans* of one subscription or extension, without a gap; *group* is its namespace, "" for an extension."""

    group: str
    name: str
    spans: tuple[Span, ...]

    @property
    def is_still(self) -> bool:
        """Whether the row has one span from beginning to end, and that span is good."""
        return len(self.spans) == 1 and self.spans[0].moment.kind == "good"


def subscription_rows(simulation: Simulation, columns: int) -> tuple[TimelineRow, ...]:
    """Return a row for each subscription of *simulation*, as far as the column *columns*, by namespace and name."""
    steps = simulation.steps[:columns]
    moments: dict[tuple[str, str], list[tuple[int, Moment]]] = {}
    owners: dict[tuple[str, str], set[tuple[str, str]]] = {}

    def note(state: ClusterState, column: int, subscription: SubscriptionObject) -> None:
        key = subscription.namespace, subscription.name
        for name in (subscription.installed_csv, subscription.current_csv):
            owners.setdefault((subscription.namespace, name), set()).add(key)
        moment = _moment(state, subscription)
        known = moments.setdefault(key, [] if column == 0 else [(0, Moment(NOTHING, "good"))])
        if not known or known[-1][1] != moment:
            known.append((column, moment))

    for subscription in simulation.start.all(SubscriptionObject):
        note(simulation.start, 0, subscription)
    for column, step in enumerate(steps, start=1):
        touched = {(subscription.after.namespace, subscription.after.name) for subscription in step.subscriptions}
        for change in step.operators:
            touched |= owners.get((change.namespace, change.name), set())
        for namespace, name in sorted(touched):
            after = step.state.get(SubscriptionObject, namespace, name)
            if after is not None:
                note(step.state, column, after)
    return tuple(
        TimelineRow(namespace, name, _spans(moments[namespace, name], len(steps)))
        for namespace, name in sorted(moments)
    )


def extension_rows(simulation: ExtensionSimulation, columns: int) -> tuple[TimelineRow, ...]:
    """Return a row for each extension of *simulation*, as far as the column *columns*, in the order of their names."""
    moments: dict[str, list[tuple[int, Moment]]] = {}
    for round_ in simulation.rounds[:columns]:
        for update in round_.updates:
            name = update.extension or update.package
            known = moments.setdefault(name, [(0, Moment(update.before or NOTHING, "good"))])
            known.append((round_.number, Moment(update.bundle, "good")))
    for resting in simulation.resting:
        moments.setdefault(resting.extension or resting.package, [(0, Moment(resting.bundle, "good"))])
    for failed in simulation.failed:
        name = failed.extension or failed.package
        known = moments.setdefault(name, [(0, Moment(NOTHING, "bad"))])
        column, moment = known[-1]
        known[-1] = (column, Moment(moment.label, "bad", str(failed.error)))
    last = len(simulation.rounds[:columns])
    return tuple(TimelineRow("", name, _spans(moments[name], last)) for name in sorted(moments))


def _spans(moments: Sequence[tuple[int, Moment]], last: int) -> tuple[Span, ...]:
    ends: Iterable[int] = [*(column - 1 for column, _ in moments[1:]), last]
    return tuple(Span(first, end, moment) for (first, moment), end in zip(moments, ends, strict=True))


def _moment(state: ClusterState, subscription: SubscriptionObject) -> Moment:
    current, pending = subscription.installed_csv, subscription.current_csv
    csv = state.get(ClusterServiceVersion, subscription.namespace, current) if current else None
    label = current or NOTHING
    if csv is not None and csv.phase not in ("Succeeded", ""):
        return Moment(label, "bad", ": ".join(filter(None, (csv.phase, csv.reason, csv.message))))
    if pending and pending != current:
        following = state.get(ClusterServiceVersion, subscription.namespace, pending)
        phase = following.phase if following is not None else ""
        failed = phase == "Failed"
        return Moment(label, "bad" if failed else "waits", f"{pending} {'failed' if failed else 'is to come'}")
    if any(
        condition.type == "ResolutionFailed" and condition.status == "True" for condition in subscription.conditions
    ):
        return Moment(label, "bad", "its namespace cannot be resolved")
    return Moment(label, "good")
