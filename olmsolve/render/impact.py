"""The impact of other catalogs on a fleet, as text for people and as Markdown for a pull request."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Final

import olmsolve._attrs as attrs
from olmsolve.lifecycle.impact import ClusterClass, ClusterImpact, Gate, ImpactFailure, ImpactReport, OperatorImpact
from olmsolve.render.layout import Style, counted, in_markdown, listed, paragraph, table

_MOST_NAMES: Final = 3
_MOST_ROWS: Final = 30  # of a table in a terminal


def impact_text(report: ImpactReport, *, width: int = 80, colour: bool = False) -> str:
    """Return the summary, the updates of the whole fleet, then each class that changes; *width* is in characters."""
    style = Style(width, colour)
    lines = [style.bold(line) for line in paragraph(impact_summary(report), width)]
    for reached in reached_lines(report):
        lines += paragraph(reached, width, indent="  ", hanging="      ")
    # Of one cluster nothing needs to be counted.
    is_one = bool(only_cluster(report))
    rows = [row if is_one else (*row, f"{count:,}") for row, count in fleet_updates(report)]
    if rows:
        headings = ("PACKAGE", "BEFORE", "AFTER") if is_one else ("PACKAGE", "BEFORE", "AFTER", "CLUSTERS")
        shown = table(headings, rows[:_MOST_ROWS], width) or ["; ".join(row) for row in rows[:_MOST_ROWS]]
        lines += ["", style.bold(shown[0]), *shown[1:], *_more(len(rows) - _MOST_ROWS, "row")]
    for class_ in report.classes:
        if is_notable(class_.impact):
            title = [] if is_one else paragraph(_title(class_), width, hanging="  ")
            lines += ["", *map(style.bold, title)]
            for line in impact_lines(class_.impact):
                lines += paragraph(str(line), width, indent="  ", hanging="      ")
                for detail in line.details:
                    lines += paragraph(detail, width, indent="      ", hanging="          ")
    if report.refusing:
        verb = "refuses" if report.refusing_count == 1 else "refuse"
        lines += ["", style.bold(f"{counted(report.refusing_count, 'cluster')} {verb} the change:")]
        for refusing in report.refusing:
            lines += paragraph(refusing.reason, width, indent="  ", hanging="      ")
        lines += _more(report.refusing_count - len(report.refusing), "cluster")
    if report.unreadable:
        lines += ["", style.bold(f"{counted(report.unreadable_count, 'cluster')} cannot be read:")]
        for broken in report.unreadable:
            lines += paragraph(broken.reason, width, indent="  ", hanging="      ")
        lines += _more(report.unreadable_count - len(report.unreadable), "cluster")
    return "\n".join(lines)


def impact_markdown(report: ImpactReport) -> str:
    """Return the report as Markdown, as a catalog's CI posts it: failures first, the details folded."""
    is_one = bool(only_cluster(report))
    lines = [f"## {in_markdown(impact_title(report))}", "", in_markdown(impact_summary(report))]
    if reached := list(reached_lines(report)):
        lines += ["", *(f"- {in_markdown(line)}" for line in reached)]
    failures = _failures(report)
    if failures:
        lines += ["", "### Newly fails", ""]
        for failure, count in failures:
            where = "" if is_one else f"**{counted(count, 'cluster')}**: "
            lines.append(f"- {where}{in_markdown(failure.text)}")
            lines += [f"  - {in_markdown(reason)}" for reason in failure.reasons]
            lines += [f"  - way out: {in_markdown(way)}" for way in failure.ways]
    rows = fleet_updates(report)
    if rows:
        lines += [
            "",
            "### Comes to another bundle",
            "",
            f"| package | before | after |{'' if is_one else ' clusters |'}",
            f"|---|---|---|{'' if is_one else '---:|'}",
        ]
        for row, count in rows[:_MOST_ROWS]:
            cells = (*map(in_markdown, row), *(() if is_one else (f"{count:,}",)))
            lines.append(f"| {' | '.join(cells)} |")
        lines += [f"\n{line.strip()}" for line in _more(len(rows) - _MOST_ROWS, "row")]
    changed = [class_ for class_ in report.classes if is_notable(class_.impact)]
    if changed:
        classes = f"{len(changed):,} {'class' if len(changed) == 1 else 'classes'} of clusters"
        lines += ["", f"<details><summary>{'All of it' if is_one else classes}</summary>"]
        for class_ in changed:
            lines += ["", *([] if is_one else [f"**{in_markdown(_title(class_))}**", ""])]
            for line in impact_lines(class_.impact):
                lines += [f"- {in_markdown(str(line))}", *(f"  - {in_markdown(detail)}" for detail in line.details)]
        lines += ["", "</details>"]
    if report.refusing:
        lines += ["", "### Refuses the change", ""]
        lines += [f"- {in_markdown(cluster.reason)}" for cluster in report.refusing]
        lines += _more(report.refusing_count - len(report.refusing), "cluster")
    if report.unreadable:
        lines += ["", "### Cannot be read", "", *(f"- {in_markdown(cluster.reason)}" for cluster in report.unreadable)]
        lines += _more(report.unreadable_count - len(report.unreadable), "cluster")
    return "\n".join(lines)


def is_notable(impact: ClusterImpact) -> bool:
    """Return whether a report says more of a class than that nothing changes."""
    return bool(impact.changes or impact.blocking or impact.rollouts)


def only_cluster(report: ImpactReport) -> str:
    """Return the name of the cluster that *report* is about, if its fleet is one cluster that was answered; else ""."""
    is_one = report.clusters == 1 and not (report.refusing_count or report.unreadable_count)
    return report.classes[0].names[0] if is_one else ""


def impact_title(report: ImpactReport) -> str:
    """Return the heading of *report*: the name of its only cluster, or that it is about a fleet."""
    return f"Impact on {only_cluster(report) or 'the fleet'}"


def impact_summary(report: ImpactReport) -> str:
    """Return the *report* in one sentence: numbers, or what the only cluster does."""
    if not report.clusters and report.refusing_count + report.unreadable_count == 1:
        return "The cluster refuses the change." if report.refusing_count else "The cluster cannot be read."
    if name := only_cluster(report):
        does = ["changes"] if report.changed else ["does not change"]
        does += [one for one, _, count in _counts(report) if count]
        return f"Cluster {name} {listed(does)}."
    changed = sum(class_.count for class_ in report.classes if class_.impact.changes)
    classes = f"{len(report.classes):,} {'class' if len(report.classes) == 1 else 'classes'}"
    parts = [f"{counted(report.clusters, 'cluster')} in {classes}, made of {counted(report.parts, 'part')}"]
    parts.append(f"{changed:,} {'is' if changed == 1 else 'are'} affected" if changed else "nothing changes")
    for one, several, count in _counts(report):
        if count:
            parts.append(f"{count:,} {one if count == 1 else several}")
    if report.refusing_count:
        parts.append(f"{report.refusing_count:,} {'refuses' if report.refusing_count == 1 else 'refuse'} the change")
    if report.unreadable_count:
        parts.append(f"{report.unreadable_count:,} cannot be read")
    return f"{'; '.join(parts)}."


def _counts(report: ImpactReport) -> tuple[tuple[str, str, int], ...]:
    """Return for each effect: its words for one cluster, its words for several, and the number of clusters with it."""
    return (
        ("newly fails", "newly fail", _count(report, lambda impact: impact.failures)),
        (
            "has something that works again",
            "have something that works again",
            _count(report, lambda impact: impact.mended),
        ),
        ("has a stranded operator", "have stranded operators", _count(report, lambda impact: impact.stranded)),
        ("loses a subscription", "lose subscriptions", _count(report, lambda impact: impact.orphaned)),
        ("waits for approval", "wait for approval", _count(report, lambda impact: impact.waiting)),
        ("has updates without a safe order", "have updates without a safe order", _count(report, _is_unordered)),
        ("blocks its next OpenShift", "block their next OpenShift", _count(report, lambda impact: impact.blocking)),
    )


def reached_lines(report: ImpactReport) -> Iterator[str]:
    """Yield how many clusters each change of an object reached, in the order in which the changes were given.

    Behind them come the kinds and charts that are not applied.
    """
    for object_reached in report.reached:
        name = f"{object_reached.namespace}/{object_reached.name}" if object_reached.namespace else object_reached.name
        verb, preposition = ("deleted", "from") if object_reached.is_deletion else ("applied", "to")
        count = counted(object_reached.clusters, "cluster") if object_reached.clusters else "no cluster"
        done = f"is {verb} {preposition} {count}"
        if only_cluster(report):
            done = f"is {verb}" if object_reached.clusters else f"is not {verb}"
        why = ""
        if object_reached.is_unapplied and object_reached.namespace:
            whose = "there is no" if only_cluster(report) else "none has the"
            why = f": {whose} namespace {object_reached.namespace}"
            why += f" (did you mean {object_reached.near}?)" if object_reached.near else ""
        yield f"{object_reached.kind} {name} {done}{why}"
    if report.skipped:
        yield f"not applied: {', '.join(counted(skipped.count, skipped.kind) for skipped in report.skipped)}"
    for chart in report.charts:
        yield f"not read: {chart} is a chart of Helm; render it first (helm template {chart})"


def _is_unordered(impact: ClusterImpact) -> bool:
    return Gate.UNORDERED in impact.gates


def _count(report: ImpactReport, part: Callable[[ClusterImpact], object]) -> int:
    return sum(class_.count for class_ in report.classes if part(class_.impact))


def fleet_updates(report: ImpactReport) -> list[tuple[tuple[str, str, str], int]]:
    """Return package, bundle before and bundle after, with the number of clusters: the most frequent first."""
    counts: Counter[tuple[str, str, str]] = Counter()
    for class_ in report.classes:
        for row in {(one.package, one.before or "nothing", one.after or "nothing") for one in class_.impact.operators}:
            counts[row] += class_.count
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _failures(report: ImpactReport) -> list[tuple[ImpactFailure, int]]:
    """Return the new failures with the number of clusters: the most frequent first."""
    counts: Counter[ImpactFailure] = Counter()
    for class_ in report.classes:
        for failure in class_.impact.failures:
            counts[failure] += class_.count
    return sorted(counts.items(), key=lambda item: (-item[1], item[0].text))


def _title(class_: ClusterClass) -> str:
    names = ", ".join(class_.names[:_MOST_NAMES])
    unnamed = class_.count - min(len(class_.names), _MOST_NAMES)
    return f"{counted(class_.count, 'cluster')}: {names}{f' and {unnamed:,} more' if unnamed else ''}"


class LineKind(enum.Enum):
    """The kind of a line in a report on a class: the value is its heading, "" where the text says enough."""

    FAILS = "newly fails"
    MENDED = "no longer"
    UPDATE = ""
    STRANDED = "stranded"
    ORPHANED = "no longer subscribed"
    WAITS = "waits for approval"
    HELD = "held back"
    BLOCKS = "blocks"
    ORDER = "safe order"
    UNORDERED = "no safe order"
    LASTING = "fails as before"


@attrs.frozen
class ImpactLine:
    """One fact of an impact in words, with *details* such as reasons and ways out."""

    kind: LineKind
    text: str
    details: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.kind.value}: {self.text}" if self.kind.value else self.text


def impact_lines(impact: ClusterImpact) -> Iterator[ImpactLine]:
    """Yield a line for each fact of *impact*: what fails first, what stays as it was last."""
    for failure in impact.failures:
        reasons = (f"because {reason}" for reason in failure.reasons)
        ways = (f"way out: {way}" for way in failure.ways)
        yield ImpactLine(LineKind.FAILS, failure.text, (*reasons, *ways))
    for mended in impact.mended:
        yield ImpactLine(LineKind.MENDED, mended.text)
    for update in impact.operators:
        yield ImpactLine(LineKind.UPDATE, _update(update))
    for stranded in impact.stranded:
        owner = _owner(stranded.namespace, stranded.owner)
        yield ImpactLine(LineKind.STRANDED, f"{owner} stays at {stranded.bundle}, which the catalog no longer offers")
    for orphaned in impact.orphaned:
        owner = f"subscription {orphaned.namespace}/{orphaned.owner} is deleted"
        yield ImpactLine(LineKind.ORPHANED, f"{orphaned.bundle} stays and gets no updates, since {owner}")
    for waiting in impact.waiting:
        bundles = ", ".join(waiting.bundles) or "an install plan without bundles"
        yield ImpactLine(LineKind.WAITS, f"namespace {waiting.namespace} gets {bundles} once somebody approves it")
    for rollout in impact.rollouts:
        kind = LineKind.ORDER if rollout.steps else LineKind.UNORDERED
        order = "; ".join(map(str, rollout.steps)) or "the updates of namespaces that share APIs"
        yield ImpactLine(kind, order, tuple(f"because {reason}" for reason in rollout.reasons))
    new = {(waiting.namespace, ", ".join(waiting.bundles)) for waiting in impact.waiting}
    for operator in impact.held_back:
        if not operator.owner and (operator.namespace, operator.newer) in new:
            continue  # reported above among what newly waits
        what = f"{_owner(operator.namespace, operator.owner)} does not get {operator.newer}: " if operator.owner else ""
        yield ImpactLine(LineKind.HELD, f"{what}{operator.text}")
    for blocking in impact.blocking:
        way = f"freed where {blocking.way}" if blocking.way else "no way out was found"
        yield ImpactLine(LineKind.BLOCKS, blocking.text, (way,))
    for lasting in impact.lasting:
        yield ImpactLine(LineKind.LASTING, lasting.text)


def _update(update: OperatorImpact) -> str:
    before, after = update.before or "nothing", update.after or "nothing"
    remark = " (a downgrade)" if update.is_downgrade else " (a new major version)" if update.is_major else ""
    steps = counted(len(update.updates), "step")
    way = f", in {steps} from {update.installed}" if update.updates and update.installed else ""
    return f"{_owner(update.namespace, update.owner)}: {after} in place of {before}{remark}{way}"


def _owner(namespace: str, owner: str) -> str:
    return f"{namespace}/{owner}" if namespace else f"extension {owner}"


def _more(count: int, noun: str) -> Iterable[str]:
    return [f"  and {counted(count, f'more {noun}')}"] if count > 0 else []
