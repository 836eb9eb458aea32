"""Answers of OLM v1 as text, made from the documents of their ``to_dict()``, which docs/v1.md describes.

Paths of classic subscriptions have the same form, and are here too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from olmsolve.answers.extensions import ExtensionVerdict, ExtensionWhy, ExtensionWhyNot
from olmsolve.render.held_back import held_back_groups, held_back_lines
from olmsolve.render.layout import Style, counted, numbered, paragraph, plain, table
from olmsolve.v1 import ExtensionDiff

# The filters in the order in which OLM v1 applies them, and the headings of their columns.
_FILTERS: Final = {
    "package": "PACKAGE",
    "channel": "CHANNEL",
    "version": "VERSION",
    "edges": "EDGES",
    "deprecation": "PREFERRED",
}
_OUTCOMES: Final = {
    "selected": "selected",
    "emptied": "nothing left",
    "deprecated": "deprecated only",
    "outranked": "lower priority",
    "tied": "tied",
    "unavailable": "unavailable",
    "not-selected": "not chosen by the selector",
}
_UNKNOWN: Final = (
    "It is not known whether its install modes let OLM v1 install it: the catalog has neither olm.csv.metadata nor"
    " manifests"
)
_UNKNOWN_MANIFESTS: Final = (
    "The catalog does not have its manifests, so these are not known: webhooks, changes of definitions, and objects"
    " that others have"
)
# The near misses of a failed resolution, in the order of printing.
_NEAREST: Final = {
    "packages": "packages with a similar name",
    "channels": "channels that would have it",
    "below": "closest version below the range",
    "above": "closest version above the range",
    "prereleases": "pre-releases, which the range excludes because it names none",
    "edgesFrom": "installed versions with an edge to the best in the range",
    "route": "way to the best in the range, step by step",
    "updates": "updates of the installed bundle",
}


def extension_text(document: Mapping[str, Any], *, width: int = 80, colour: bool = False) -> str:
    """Return a resolution as text: the selected bundle, its catalog, and how many bundles each filter left.

    A document may have ``heldBack`` beside the fields of the resolution: the list of :func:`olmsolve.v1.held_back`.
    """
    style = Style(width, colour)
    release = f"+{document['release']}" if document["release"] else ""
    name, installed = plain(document["bundle"]), document["installed"]
    if installed == document["bundle"]:
        heading = f"{name} stays installed."
    elif installed:
        heading = f"{name} will replace {plain(installed)}{', a downgrade' if document.get('downgrade') else ''}."
    else:
        heading = f"{name} will be installed."
    facts = [f"version {document['version']}{release}"]
    if document["catalog"]:
        facts.append(f"catalog {document['catalog']}")
    if document["channels"]:
        facts.append(f"in channel {', '.join(document['channels'])}")
    lines = [style.bold(heading), *paragraph(", ".join(facts), width, indent="  ")]
    if risk := document.get("risk"):
        lines += paragraph(f"At risk: {risk}.", width, indent="  ", hanging="      ")
    if because := document.get("kept"):
        lines += paragraph(f"It was not resolved: {because}.", width, indent="  ", hanging="      ")
    if "install modes" in document["unknown"]:
        lines += paragraph(f"{_UNKNOWN}.", width, indent="  ", hanging="      ")
    elif "manifests" in document["unknown"] and installed != document["bundle"]:
        lines += paragraph(f"{_UNKNOWN_MANIFESTS}.", width, indent="  ", hanging="      ")
    for warning in document["warnings"]:
        lines += paragraph(f"Deprecated: {warning}", width, indent="  ", hanging="      ")
    if document["explanation"]["catalogs"]:
        lines += ["", *_filter_lines(document["explanation"], style)]
    if newer := held_back_lines(document.get("heldBack", ()), style):
        lines += ["", *newer]
    return "\n".join(lines)


def extension_failure_text(document: Mapping[str, Any], *, width: int = 80, colour: bool = False) -> str:
    """Return a failure as text: OLM v1's message, how many bundles each filter left, and near misses."""
    style = Style(width, colour)
    # The installed bundle stays where OLM v1 finds none to install.
    installed = document.get("installed")
    lines = [style.bold(_failure_heading(document, installed)), *_paragraphs(document["error"], width)]
    if note := document.get("note"):
        lines += paragraph(f"({note})", width, indent="  ", hanging="      ")
    explanation = document["explanation"]
    if explanation["catalogs"]:
        lines += ["", *_filter_lines(explanation, style)]
    for catalog in explanation["catalogs"]:
        if nearest := catalog.get("nearest"):
            lines += ["", style.bold(f"Nearest in {plain(catalog['catalog'])}:")]
            for field, label in _NEAREST.items():
                if value := nearest.get(field):
                    text = f"{label}: {_value_text(value, field)}"
                    lines += paragraph(text, width, indent="  ", hanging="      ")
    return "\n".join(lines)


def _failure_heading(document: Mapping[str, Any], installed: str | None) -> str:
    """Return the first line of a failure: which bundle is not installed, or that there is none to select."""
    if document["kind"] in ("InstallationError", "RollingOutError"):
        bundle = plain(document["bundle"])
        stays = f", and {plain(installed)} stays" if installed and installed != document["bundle"] else ""
        return f"{bundle} is selected, but cannot be installed{stays}:"
    return f"{plain(installed)} stays, because nothing can be selected:" if installed else "Nothing can be installed:"


def _paragraphs(text: str, width: int, *, below: str = "  ") -> list[str]:
    """Return *text*, which may have several lines, as a paragraph for each of them; *below* indents all but the first.

    Changes of definitions and missing permissions are such lines.
    """
    first, *others = text.split("\n")
    lines = paragraph(first, width, indent="  ", hanging=below)
    return lines + [
        line for part in others for line in paragraph(part.strip(), width, indent=below, hanging=f"{below}  ")
    ]


def path_text(document: Mapping[str, Any], *, width: int = 80, colour: bool = False) -> str:
    """Return an upgrade path of either OLM as text: a line for each step, and whether the path reaches its goal."""
    style = Style(width, colour)
    lines = [style.bold(plain(document["installed"]))]
    for step in document["steps"]:
        if isinstance(step, str):
            lines.append(f"  -> {plain(step)}")
        else:
            remark = f", {step['remark']}" if step.get("remark") else ""
            lines.append(f"  -> {plain(step['bundle'])} {style.dim(plain('(' + step['catalog'] + ')'))}{remark}")
    goal = document["to"] or document.get("head") or f"the newest version that updates can reach{_limits(document)}"
    if document["reached"]:
        count = len(document["steps"])
        steps = {0: "without a step", 1: "in one step"}.get(count, f"in {count} steps")
        lines.append(f"This reaches {plain(goal)} {steps}.")
    elif document.get("circular"):
        lines.append(f"These updates go in a circle, and never reach {plain(goal)}.")
    elif document.get("stopped") and not document["to"]:
        lines.append("OLM stops here:")
    else:
        lines.append(f"This does not reach {plain(goal)}.")
    if document.get("stopped"):
        lines += _paragraphs(document["stopped"], width)
    if newer := held_back_lines(document.get("heldBack", ()), style):
        lines += ["", *newer]
    return "\n".join(lines)


def _limits(document: Mapping[str, Any]) -> str:
    """Return the range and the channels that restrict a path of OLM v1, as a phrase; "" without any."""
    version, channels = document.get("version"), document.get("channels")
    within = f" within {version}" if version else ""
    noun = "channel" if channels and len(channels) == 1 else "channels"
    return f"{within} in {noun} {', '.join(channels)}" if channels else within


def _filter_lines(explanation: Mapping[str, Any], style: Style) -> list[str]:
    """Return a line for each catalog: how many bundles each filter left, and the outcome."""
    rows = [
        (
            str(catalog["catalog"]),
            *(str(catalog["left"][name]) for name in _FILTERS),
            _OUTCOMES[catalog["outcome"]],
        )
        for catalog in explanation["catalogs"]
    ]
    headings = ("CATALOG", *_FILTERS.values(), "")
    lines = table(headings, rows, style.width)
    if lines is not None:
        return [style.dim("Bundles left after each filter:"), style.dim(lines[0]), *lines[1:]]
    result = [style.dim("Bundles left after each filter:")]
    for row in rows:
        counts = ", ".join(f"{name.lower()} {count}" for name, count in zip(headings[1:-1], row[1:-1], strict=True))
        result += paragraph(f"{row[0]}: {counts} ({row[-1]})", style.width, indent="  ", hanging="      ")
    return result


def _value_text(value: str | Iterable[str], field: str) -> str:
    if isinstance(value, str):
        return value
    return (" -> " if field == "route" else ", ").join(value)


def extension_plan_text(document: Mapping[str, Any], *, width: int = 80, colour: bool = False) -> str:
    """Return a plan as text: a paragraph for each extension, then for each further package, then the failures."""
    style = Style(width, colour)
    wished = [planned for planned in document["planned"] if not planned["further"]]
    further = [planned for planned in document["planned"] if planned["further"]]
    lines = [style.bold(_plan_heading(wished, document["failed"]))]
    for planned in wished:
        lines += _planned_lines(planned, style)
    if further:
        lines += ["", *map(style.bold, paragraph("Also needed, but not installed by OLM v1:", width))]
        for planned in further:
            lines += _planned_lines(planned, style)
    if document["failed"]:
        lines += ["", style.bold("Without an answer, even alone:")]
        for failure in document["failed"]:
            text = f"{failure['extension'] or failure['package']}: {_kept(failure)}{failure['error']}"
            lines += _paragraphs(text, width, below="      ")
            if note := failure.get("note"):
                lines += paragraph(f"({note})", width, indent="    ", hanging="      ")
    return "\n".join(lines)


def _plan_heading(wished: Sequence[Mapping[str, Any]], failed: Sequence[object]) -> str:
    allowed = [planned for planned in wished if not planned["refusal"]]
    stays = sum(_stays(planned) for planned in allowed)
    updated = sum(bool(planned["installed"]) for planned in allowed) - stays
    new = len(allowed) - stays - updated
    counts = [(stays, "stays", "stay"), (updated, "is updated", "are updated"), (new, "is new", "are new")]
    counts.append((len(wished) - len(allowed), "is refused", "are refused"))
    counts.append((len(failed), "fails", "fail"))
    parts = [f"{count} {one if count == 1 else many}" for count, one, many in counts if count]
    return f"{counted(len(wished) + len(failed), 'extension')}: {', '.join(parts) or 'nothing to do'}"


def _stays(planned: Mapping[str, Any]) -> bool:
    return bool(planned["installed"] == planned["bundle"])


def _planned_lines(planned: Mapping[str, Any], style: Style) -> Iterator[str]:
    name = f"{planned['bundle']} ({planned['catalog'] or 'from no catalog'})"
    # "would", because OLM v1 installs neither a bundle that it refuses nor a further package.
    will = "would" if planned["refusal"] or planned["further"] else "will"
    if _stays(planned):
        text = f"{name} stays"
    elif planned["installed"]:
        text = f"{name} {will} replace {planned['installed']}{', a downgrade' if planned.get('risk') else ''}"
    else:
        text = f"{name} {will} be installed"
    whose = f"{planned['extension']}: " if planned["extension"] else ""
    yield from paragraph(f"{whose}{text}", style.width, indent="  ", hanging="      ")
    details = [f"at risk: {planned['risk']}"] if planned.get("risk") else []
    details += [requirement["text"] for requirement in planned["requirements"]]
    if planned["refusal"]:
        details.append(f"OLM v1 itself refuses it: {planned['refusal']}")
    details += [f"passed over: {passed['text']}" for passed in planned["passedOver"]]
    details += [f"held back: {group}" for group in held_back_groups(planned["heldBack"])]
    for detail in details:
        yield from paragraph(detail, style.width, indent="    ", hanging="      ")


def extension_simulation_text(document: Mapping[str, Any], *, width: int = 80, colour: bool = False) -> str:
    """Return a simulation as text: the updates of each round, then where each extension ends."""
    style = Style(width, colour)
    lines: list[str] = []
    for entry in document["rounds"]:
        lines.append(style.bold(f"Round {entry['number']}"))
        for update in entry["updates"]:
            start = f"{update['before']} > " if update["before"] else "new > "
            remark = f", {update['remark']}" if update.get("remark") else ""
            text = f"{_extension_name(update)}: {start}{update['bundle']} ({update['catalog'] or 'from no catalog'})"
            text += remark
            lines += paragraph(text, width, indent="  ", hanging="      ")
        lines.append("")
    lines.append(style.bold(_rest_heading(document)))
    for entry in document["resting"]:
        text = f"{_extension_name(entry)}: {entry['bundle']} ({entry['catalog'] or 'from no catalog'}) stays"
        lines += paragraph(text, width, indent="  ", hanging="      ")
        for group in held_back_groups(entry["heldBack"]):
            lines += paragraph(f"held back: {group}", width, indent="    ", hanging="      ")
    for entry in document["failed"]:
        text = f"{_extension_name(entry)}: {_kept(entry) or 'fails: '}{entry['error']}"
        lines += _paragraphs(text, width, below="      ")
        if note := entry.get("note"):
            lines += paragraph(f"({note})", width, indent="    ", hanging="      ")
    return "\n".join(lines)


def _kept(failed: Mapping[str, Any]) -> str:
    """Return the bundle that a failed extension keeps, with what leads over to the message of its status."""
    return f"{failed['installed']} stays, and the status says: " if failed.get("installed") else ""


def _extension_name(document: Mapping[str, Any]) -> str:
    return str(document["extension"] or document["package"])


def _rest_heading(document: Mapping[str, Any]) -> str:
    count = len(document["rounds"])
    after = f" after {counted(count, 'round')}" if count else ""
    if not document["resting"] and not document["failed"]:
        return "There are no extensions."
    return f"At rest{after}{'; some have no answer' if document['failed'] else ''}:"


def subscription_paths_text(paths: Iterable[Mapping[str, Any]], *, width: int = 80, colour: bool = False) -> str:
    """Return the path of each subscription under a line that names it, its package, catalog and channel."""
    blocks = []
    for path in paths:
        steps = path["path"]
        where = f" from {path['catalog']}" if path["catalog"] else ""
        channel = f", channel {steps['channel']}" if steps else ""
        lines = paragraph(f"subscription {path['subscription']}: {path['package']}{where}{channel}", width)
        if steps:
            lines.append(path_text(steps, width=width, colour=colour))
        else:
            lines += paragraph(path["reason"], width, indent="  ")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def extension_why_text(answer: ExtensionWhy, *, width: int = 80, colour: bool = False) -> str:
    """Return why an extension gets its bundle: its wish, what the filters left, the rules, and what is held back."""
    style = Style(width, colour)
    resolution = answer.resolution
    if resolution.installed == resolution.bundle:
        heading = f"{resolution.bundle} ({resolution.catalog}) stays because:"
    elif resolution.installed:
        downgrade = ", a downgrade," if resolution.risk else ""
        heading = f"{resolution.bundle} ({resolution.catalog}) will replace {resolution.installed}{downgrade} because:"
    else:
        heading = f"{resolution.bundle} ({resolution.catalog}) will be installed because:"
    lines = [*map(style.bold, paragraph(heading, width)), ""]
    for clause in (answer.wish, answer.left, *map(str, answer.rules)):
        lines += paragraph(f"- {clause}", width, indent="  ", hanging="    ")
    if newer := held_back_lines([bundle.to_dict() for bundle in answer.held_back], style):
        lines += ["", *newer]
    return "\n".join(lines)


def extension_why_not_text(answer: ExtensionWhyNot, *, width: int = 80, colour: bool = False) -> str:
    """Return why an extension does not get a bundle: one sentence, the other candidates, and the ways to get it."""
    style = Style(width, colour)
    candidates = [candidate.to_dict() for candidate in answer.candidates]
    if answer.verdict in (ExtensionVerdict.SELECTED, ExtensionVerdict.ABSENT):
        lines = [*map(style.bold, paragraph(f"{answer.reason}.", width))]
        if others := held_back_lines(candidates, style, "Other bundles that the question is about:"):
            lines += ["", *others]
        return "\n".join(lines)
    groups = held_back_groups(candidates)
    lines = [*map(style.bold, paragraph(f"{groups[0]}.", width))]
    if len(groups) > 1:
        shown = held_back_lines(candidates, style, "All bundles that the question is about:")
        lines += ["", *shown]
    bundle = answer.candidates[0].bundle
    if answer.fixes:
        lines += ["", style.bold(f"To get {bundle}, each way confirmed by resolving again:"), ""]
        lines += numbered([f"{fix}; {fix.effect}" for fix in answer.fixes], width)
    elif answer.verdict is not ExtensionVerdict.LATER:
        lines += ["", *paragraph("None of the changes that were tried leads to it.", width)]
    return "\n".join(lines)


def extension_diff_text(
    answer: ExtensionDiff, *, names: tuple[str, str] = ("before", "after"), width: int = 80, colour: bool = False
) -> str:
    """Return what the extensions of two sides get differently; *names* are the names of the sides."""
    style = Style(width, colour)
    if not answer:
        return "Nothing changes for the extensions."
    lines = [style.bold(f"What the extensions get, {names[0]} and {names[1]}:")]
    for change in answer.changes:
        lines += paragraph(str(change), width, indent="  ", hanging="      ")
    if answer.same:
        lines.append(f"  the same: {', '.join(answer.same)}")
    return "\n".join(lines)
