"""Plans and failures as text for a terminal, a log or a ticket."""

from __future__ import annotations

from typing import Final

from olmsolve._arguments import must_be
from olmsolve.render.layout import Style, counted, in_markdown, numbered, paragraph, plain, table
from olmsolve.resolution import MOST_REASONS, Candidate, Install, Resolution, ResolutionFailure

_HEADINGS: Final = ("BUNDLE", "VERSION", "CHANNEL", "CATALOG", "REPLACES")
_OTHER_SEMANTICS: Final = {"documented": "controller", "controller": "documented"}


def plan_text(resolution: Resolution, *, width: int = 80, colour: bool = False) -> str:
    """Return a plan as text: a table of bundles to install and for whom, kept operators, and notes.

    *width* is in characters; a table that does not fit becomes paragraphs. "Replaces" names only installed operators;
    all update edges are in ``Resolution.to_dict()``.
    """
    must_be(resolution, "Resolution", "resolution")
    style = Style(width, colour)
    lines = [style.bold(_summary(resolution))]
    if resolution.installs:
        lines += ["", *_install_lines(resolution, style)]
    if resolution.kept:
        lines += ["", style.bold("Kept:")]
        lines += [_kept_line(candidate) for candidate in resolution.kept]
    if resolution.differing:
        lines += ["", *paragraph(semantics_note(resolution, "Note: this plan"), style.width, hanging="  ")]
    if resolution.unreadable:
        lines += ["", *_unreadable_lines(resolution, style)]
    return "\n".join(lines)


def plan_markdown(resolution: Resolution) -> str:
    """Return a plan as Markdown for a review: a table of bundles to install and for whom, kept operators, and notes."""
    lines = [f"## {_summary(resolution).rstrip(':.')}"]
    if resolution.installs:
        replaced_by = {install: old.name for old, install in resolution.replaced}
        headings = ["Bundle", "Version", "Channel", "Catalog", *(["Replaces"] if replaced_by else []), "For"]
        lines += ["", f"| {' | '.join(headings)} |", f"|{'---|' * len(headings)}"]
        for install in resolution.installs:
            replaced = [replaced_by.get(install, "")] if replaced_by else []
            cells = map(in_markdown, (install.name, install.version, install.channel, install.catalog, *replaced))
            wanted = "<br>".join(in_markdown(str(wish)) for wish in install.wanted_by)
            lines.append(f"| {' | '.join((*cells, wanted))} |")
    if resolution.kept:
        kept = (_kept_line(candidate).strip() for candidate in resolution.kept)
        lines += ["", "## Kept", "", *(f"- {in_markdown(text)}" for text in kept)]
    if resolution.differing:
        lines += ["", in_markdown(semantics_note(resolution, "Note: this plan"))]
    if resolution.unreadable:
        lines += ["", f"## {_unreadable_heading(resolution).rstrip(':')}", ""]
        lines += [f"- {in_markdown(f'{source.key}: {source.error}')}" for source in resolution.unreadable]
    return "\n".join(lines) + "\n"


def failure_text(failed: ResolutionFailure, *, width: int = 80, colour: bool = False) -> str:
    """Return a failure as text: the constraints that cannot hold together, one numbered sentence each."""
    style = Style(width, colour)
    constraints = [constraint["text"] for constraint in failed.to_dict()["constraints"]]
    if len(constraints) == 1:
        heading, lines = "This request cannot be satisfied:", paragraph(constraints[0], width, indent="  ")
    else:
        heading = "This request cannot be satisfied, because these cannot hold together:"
        lines = numbered(constraints[:MOST_REASONS], width)
        unlisted = len(constraints) - MOST_REASONS
        if unlisted > 0:
            more = f"... and {unlisted} more. olmsolve explain groups bundles that fail alike."
            lines += paragraph(more, width, indent="  ")
    return "\n".join([style.bold(heading), "", *lines])


def _summary(resolution: Resolution) -> str:
    if not resolution.installs:
        return "Nothing to install."
    text = f"{counted(len(resolution.installs), 'bundle')} to install"
    if resolution.replaced:
        text += f", replacing {counted(len(resolution.replaced), 'installed operator')}"
    return f"{text}:"


def _install_lines(resolution: Resolution, style: Style) -> list[str]:
    replaced_by = {install: old.name for old, install in resolution.replaced}
    rows = [
        (install.name, install.version, install.channel, install.catalog, replaced_by.get(install, ""))
        for install in resolution.installs
    ]
    lines = table(_HEADINGS, rows, style.width)
    if lines is None:
        entries = [_install_paragraphs(install, replaced_by.get(install, ""), style) for install in resolution.installs]
    else:
        entries = [[line] for line in lines[1:]]
    # The wishes are below each row, so the table is taken apart again.
    result = [] if lines is None else [style.dim(lines[0])]
    for install, entry in zip(resolution.installs, entries, strict=True):
        result += entry
        for wanted in install.wanted_by:
            wrapped = paragraph(f"for {wanted}", style.width, indent="  ", hanging="      ")
            result += [style.dim(line) for line in wrapped]
    return result


def _install_paragraphs(install: Install, replaced: str, style: Style) -> list[str]:
    """Return one install as a paragraph, for widths that the table does not fit."""
    facts = [
        f"version {install.version}" if install.version else "",
        f"channel {install.channel}" if install.channel else "",
        f"catalog {install.catalog}",
        f"replaces {replaced}" if replaced else "",
    ]
    text = ", ".join(filter(None, facts))
    return [plain(install.name), *paragraph(text, style.width, indent="  ", hanging="      ")]


def _kept_line(candidate: Candidate) -> str:
    version = f", version {candidate.version}" if candidate.version else ""
    return f"  {plain(candidate.name)}{plain(version)}"


def _unreadable_lines(resolution: Resolution, style: Style) -> list[str]:
    lines = [style.bold(_unreadable_heading(resolution))]
    for source in resolution.unreadable:
        lines += paragraph(f"{source.key}: {source.error}", style.width, indent="  ", hanging="      ")
    return lines


def _unreadable_heading(resolution: Resolution) -> str:
    if resolution.health_policy == "ignore":
        return "Left out, because they cannot be read:"
    return "Cannot be read, and cannot change this plan:"


def semantics_note(resolution: Resolution, subject: str) -> str:
    """Return the sentence, about *subject*, that the other semantics read some constraints differently."""
    names = ", ".join(dict.fromkeys(candidate.name for candidate in resolution.differing))
    other = _OTHER_SEMANTICS[resolution.semantics]
    return (
        f"{subject} follows {resolution.semantics} semantics; under {other} semantics, all, any or not"
        f" in the constraints of {names} mean something else."
    )
