"""The impact of other catalogs on a fleet, as text for people and as Markdown for a pull request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from olmsolve.lifecycle.impact import ClusterClass, ClusterImpact, ImpactFailure, ImpactReport, OperatorImpact
from olmsolve.render.layout import Style, counted, paragraph, plain, table

_MOST_NAMES: Final = 3
_MOST_ROWS: Final = 30


def impact_text(report: ImpactReport, *, width: int = 80, colour: bool = False) -> str:
    """Return the summary, the updates of the whole fleet, then each class that changes; *width* is in characters."""
    style = Style(width, colour)
    lines = [style.bold(line) for line in paragraph(_summary(report), width)]
    rows = [(*row, f"{count:,}") for row, count in _updates(report)]
    if rows:
        headings = ("PACKAGE", "BEFORE", "AFTER", "CLUSTERS")
        shown = table(headings, rows[:_MOST_ROWS], width) or ["; ".join(row) for row in rows[:_MOST_ROWS]]
        lines += ["", style.bold(shown[0]), *shown[1:], *_more(len(rows) - _MOST_ROWS, "row")]
    for each in report.classes:
        if each.impact.changes or each.impact.blocking:
            lines += ["", *(style.bold(line) for line in paragraph(_title(each), width, hanging="  "))]
            for text in _lines(each.impact):
                depth = "  " if not text.startswith(" ") else "      "
                lines += paragraph(text.strip(), width, indent=depth, hanging=f"{depth}    ")
    if report.unreadable:
        lines += ["", style.bold(f"{counted(report.unreadable_count, 'cluster')} cannot be read:")]
        for broken in report.unreadable:
            lines += paragraph(broken.reason, width, indent="  ", hanging="      ")
        lines += _more(report.unreadable_count - len(report.unreadable), "cluster")
    return "\n".join(lines)


def impact_markdown(report: ImpactReport) -> str:
    """Return the report as Markdown, as a catalog's CI posts it: failures first, the details folded."""
    lines = ["## Impact on the fleet", "", _escaped(_summary(report))]
    failures = _failures(report)
    if failures:
        lines += ["", "### Newly fails", ""]
        for failure, count in failures:
            lines.append(f"- **{counted(count, 'cluster')}**: {_escaped(failure.text)}")
            lines += [f"  - {_escaped(each)}" for each in failure.reasons]
            lines += [f"  - way out: {_escaped(each)}" for each in failure.ways]
    rows = _updates(report)
    if rows:
        lines += [
            "",
            "### Comes to another bundle",
            "",
            "| package | before | after | clusters |",
            "|---|---|---|---:|",
        ]
        for row, count in rows[:_MOST_ROWS]:
            lines.append(f"| {' | '.join(_escaped(cell) for cell in row)} | {count:,} |")
        lines += [f"\n{each.strip()}" for each in _more(len(rows) - _MOST_ROWS, "row")]
    changed = [each for each in report.classes if each.impact.changes or each.impact.blocking]
    if changed:
        classes = f"{len(changed):,} {'class' if len(changed) == 1 else 'classes'}"
        lines += ["", f"<details><summary>{classes} of clusters</summary>"]
        for each in changed:
            lines += ["", f"**{_escaped(_title(each))}**", ""]
            for text in _lines(each.impact):
                lines.append(f"{'  - ' if text.startswith(' ') else '- '}{_escaped(text.strip())}")
        lines += ["", "</details>"]
    if report.unreadable:
        lines += ["", "### Cannot be read", "", *(f"- {_escaped(each.reason)}" for each in report.unreadable)]
        lines += _more(report.unreadable_count - len(report.unreadable), "cluster")
    return "\n".join(lines)


def _summary(report: ImpactReport) -> str:
    changed = sum(each.count for each in report.classes if each.impact.changes)
    classes = f"{len(report.classes):,} {'class' if len(report.classes) == 1 else 'classes'}"
    parts = [f"{counted(report.clusters, 'cluster')} in {classes}, made of {counted(report.parts, 'part')}"]
    parts.append(f"{changed:,} {'changes' if changed == 1 else 'change'}" if changed else "nothing changes")
    for one, several, count in (
        ("newly fails", "newly fail", _count(report, lambda impact: impact.failures)),
        ("has what works again", "have what works again", _count(report, lambda impact: impact.mended)),
        ("has a stranded operator", "have stranded operators", _count(report, lambda impact: impact.stranded)),
        ("blocks its next OpenShift", "block their next OpenShift", _count(report, lambda impact: impact.blocking)),
    ):
        if count:
            parts.append(f"{count:,} {one if count == 1 else several}")
    if report.unreadable_count:
        parts.append(f"{report.unreadable_count:,} cannot be read")
    return f"{'; '.join(parts)}."


def _count(report: ImpactReport, found: Callable[[ClusterImpact], object]) -> int:
    return sum(each.count for each in report.classes if found(each.impact))


def _updates(report: ImpactReport) -> list[tuple[tuple[str, str, str], int]]:
    """Return package, bundle before and bundle after, with the number of clusters: the most frequent first."""
    counts: Counter[tuple[str, str, str]] = Counter()
    for each in report.classes:
        for row in {(one.package, one.before or "nothing", one.after or "nothing") for one in each.impact.operators}:
            counts[row] += each.count
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _failures(report: ImpactReport) -> list[tuple[ImpactFailure, int]]:
    """Return the new failures with the number of clusters: the most frequent first."""
    counts: Counter[ImpactFailure] = Counter()
    for each in report.classes:
        for failure in each.impact.failures:
            counts[failure] += each.count
    return sorted(counts.items(), key=lambda item: (-item[1], item[0].text))


def _title(each: ClusterClass) -> str:
    names = ", ".join(each.names[:_MOST_NAMES])
    rest = each.count - min(len(each.names), _MOST_NAMES)
    return f"{counted(each.count, 'cluster')}: {names}{f' and {rest:,} more' if rest else ''}"


def _lines(impact: ClusterImpact) -> Iterator[str]:
    """Yield a line for each fact of *impact*; lines about the one before begin with a blank."""
    for failure in impact.failures:
        yield f"newly fails: {failure.text}"
        yield from (f" because {each}" for each in failure.reasons)
        yield from (f" way out: {each}" for each in failure.ways)
    for mended in impact.mended:
        yield f"no longer: {mended.text}"
    for update in impact.operators:
        yield _update(update)
    for stranded in impact.stranded:
        owner = _owner(stranded.namespace, stranded.owner)
        yield f"{owner} stays at {stranded.bundle}, which the catalog offers no longer"
    for held in impact.held_back:
        what = f"{_owner(held.namespace, held.owner)} does not get {held.newer}: " if held.owner else ""
        yield f"held back: {what}{held.text}"
    for blocking in impact.blocking:
        yield f"blocks: {blocking.text}"
        yield f" freed where {blocking.way}" if blocking.way else " no way out was found"
    for lasting in impact.lasting:
        yield f"fails as before: {lasting.text}"


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


def _escaped(text: str) -> str:
    """Return *text* as one line of Markdown in which nothing is markup: strangers write catalogs."""
    shown = plain(text).replace("&", "&amp;").replace("<", "&lt;")
    for character in "\\`*_[]|~#@":
        shown = shown.replace(character, f"\\{character}")
    return shown
