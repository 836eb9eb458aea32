"""Answers of OLM v1 as text, made from the documents of their ``to_dict()``, which docs/v1.md describes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from olmsolve.render.held_back import held_back_lines
from olmsolve.render.layout import Style, paragraph, plain, table

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
    "Whether its install modes let OLM v1 install it is not known: "
    "the catalog has neither olm.csv.metadata nor manifests"
)
# The near misses of a failed resolution, in the order of printing.
_NEAREST: Final = {
    "packages": "packages with a similar name",
    "channels": "channels that would have it",
    "below": "closest version below the range",
    "above": "closest version above the range",
    "prereleases": "pre-releases that the range leaves out because it names none",
    "edgesFrom": "installed versions with an edge to the best in the range",
    "route": "way to the best in the range, step by step",
    "updates": "updates of what is installed",
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
    for warning in document["warnings"]:
        lines += paragraph(f"Deprecated: {warning}", width, indent="  ", hanging="      ")
    if document["explanation"]["catalogs"]:
        lines += ["", *_filter_lines(document["explanation"], style)]
    if held := held_back_lines(document.get("heldBack", ()), style):
        lines += ["", *held]
    return "\n".join(lines)


def extension_failure_text(document: Mapping[str, Any], *, width: int = 80, colour: bool = False) -> str:
    """Return a failure as text: OLM v1's message, how many bundles each filter left, and near misses."""
    style = Style(width, colour)
    # What is installed stays as it is where OLM v1 finds no bundle.
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
                    text = f"{label}: {_joined(value, field)}"
                    lines += paragraph(text, width, indent="  ", hanging="      ")
    return "\n".join(lines)


def _failure_heading(document: Mapping[str, Any], installed: str | None) -> str:
    """Return the first line of a failure: which bundle is not installed, or that there is none to select."""
    if document["kind"] in ("InstallationError", "RollingOutError"):
        bundle = plain(document["bundle"])
        stays = f", and {plain(installed)} stays" if installed and installed != document["bundle"] else ""
        return f"{bundle} is selected, but cannot be installed{stays}:"
    return f"{plain(installed)} stays, because nothing can be selected:" if installed else "Nothing can be installed:"


def _paragraphs(text: str, width: int) -> list[str]:
    """Return *text*, which may have several lines, as a paragraph for each of them."""
    return [line for part in text.split("\n") for line in paragraph(part, width, indent="  ")]


def path_text(document: Mapping[str, Any], *, width: int = 80, colour: bool = False) -> str:
    """Return an upgrade path of either OLM as text: a line for each step, and whether the path reaches its goal."""
    style = Style(width, colour)
    lines = [style.bold(plain(document["installed"]))]
    for step in document["steps"]:
        if isinstance(step, str):
            lines.append(f"  -> {plain(step)}")
        else:
            lines.append(f"  -> {plain(step['bundle'])} {style.dim(plain('(' + step['catalog'] + ')'))}")
    goal = document["to"] or document.get("head") or f"the newest version that updates can reach{_limits(document)}"
    if document["reached"]:
        count = len(document["steps"])
        steps = {0: "without a step", 1: "in one step"}.get(count, f"in {count} steps")
        lines.append(f"This reaches {plain(goal)} {steps}.")
    elif document.get("circular"):
        lines.append(f"This goes round, and never reaches {plain(goal)}.")
    elif document.get("stopped") and not document["to"]:
        lines.append("OLM stops here:")
    else:
        lines.append(f"This does not reach {plain(goal)}.")
    if document.get("stopped"):
        lines += paragraph(document["stopped"], width, indent="  ")
    if held := held_back_lines(document.get("heldBack", ()), style):
        lines += ["", *held]
    return "\n".join(lines)


def _limits(document: Mapping[str, Any]) -> str:
    """Return the range and the channels that a path of OLM v1 keeps to, as a phrase; "" without any."""
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


def _joined(value: str | Iterable[str], field: str) -> str:
    if isinstance(value, str):
        return value
    return (" -> " if field == "route" else ", ").join(value)
