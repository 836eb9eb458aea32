"""Plans and failures as text for a terminal, a log or a ticket."""

from __future__ import annotations

from typing import Final

from olmsolve.render.layout import Style, numbered, paragraph, plain, table
from olmsolve.resolution import Candidate, Install, Resolution, ResolutionFailure

__all__ = ["failure_text", "plan_text"]

_HEADINGS: Final = ("BUNDLE", "VERSION", "CHANNEL", "CATALOG", "REPLACES")
_TOLD: Final = 50
_OTHER_SEMANTICS: Final = {"documented": "controller", "controller": "documented"}


def plan_text(resolution: Resolution, *, width: int = 80, colour: bool = False) -> str:
    """What is to be installed and for whom, what stays, and where the semantics differ.

    *width* is in characters: the table turns into paragraphs where it does not fit. Only operators that are
    installed count as replaced; the other update edges are in ``Resolution.to_dict()``.
    """
    style = Style(width, colour)
    lines = [style.bold(_summary(resolution))]
    if resolution.installs:
        lines += ["", *_installs(resolution, style)]
    if resolution.kept:
        lines += ["", style.bold("Kept:")]
        lines += [_kept(candidate) for candidate in resolution.kept]
    if resolution.differing:
        lines += ["", *_differing(resolution, style)]
    if resolution.unreadable:
        lines += ["", *_unreadable(resolution, style)]
    return "\n".join(lines)


def failure_text(failed: ResolutionFailure, *, width: int = 80, colour: bool = False) -> str:
    """Why there is no plan: the constraints that cannot hold together, one numbered sentence each."""
    style = Style(width, colour)
    constraints = [constraint["text"] for constraint in failed.to_dict()["constraints"]]
    if len(constraints) == 1:
        heading, lines = "This request cannot be satisfied:", paragraph(constraints[0], width, indent="  ")
    else:
        heading = "This request cannot be satisfied, because these cannot hold together:"
        lines = numbered(constraints[:_TOLD], width)
        if len(constraints) > _TOLD:
            more = f"... and {len(constraints) - _TOLD} more. olmsolve explain tells together what fails alike."
            lines += paragraph(more, width, indent="  ")
    return "\n".join([style.bold(heading), "", *lines])


def _summary(resolution: Resolution) -> str:
    if not resolution.installs:
        return "Nothing to install."
    text = f"{_counted(len(resolution.installs), 'bundle')} to install"
    if resolution.replaced:
        text += f", replacing {_counted(len(resolution.replaced), 'installed operator')}"
    return f"{text}:"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _installs(resolution: Resolution, style: Style) -> list[str]:
    gives_way = {install: old.name for old, install in resolution.replaced}
    rows = [
        (install.name, install.version, install.channel, install.catalog, gives_way.get(install, ""))
        for install in resolution.installs
    ]
    lines = table(_HEADINGS, rows, style.width)
    if lines is None:
        entries = [_paragraphs(install, gives_way.get(install, ""), style) for install in resolution.installs]
    else:
        entries = [[line] for line in lines[1:]]
    result = [] if lines is None else [style.dim(lines[0])]
    for install, entry in zip(resolution.installs, entries, strict=True):
        result += entry
        for wanted in install.wanted_by:
            wrapped = paragraph(f"for {wanted}", style.width, indent="  ", hanging="      ")
            result += [style.dim(line) for line in wrapped]
    return result


def _paragraphs(install: Install, replaced: str, style: Style) -> list[str]:
    """An install where the table is too wide."""
    facts = [
        f"version {install.version}" if install.version else "",
        f"channel {install.channel}" if install.channel else "",
        f"catalog {install.catalog}",
        f"replaces {replaced}" if replaced else "",
    ]
    text = ", ".join(filter(None, facts))
    return [plain(install.name), *paragraph(text, style.width, indent="  ", hanging="      ")]


def _kept(candidate: Candidate) -> str:
    version = f", version {candidate.version}" if candidate.version else ""
    return f"  {plain(candidate.name)}{plain(version)}"


def _unreadable(resolution: Resolution, style: Style) -> list[str]:
    if resolution.health_policy == "ignore":
        lines = [style.bold("Left out, because they cannot be read:")]
    else:
        lines = [style.bold("Cannot be read, and cannot change this plan:")]
    for source in resolution.unreadable:
        lines += paragraph(f"{source.key}: {source.error}", style.width, indent="  ", hanging="      ")
    return lines


def _differing(resolution: Resolution, style: Style) -> list[str]:
    names = ", ".join(dict.fromkeys(candidate.name for candidate in resolution.differing))
    other = _OTHER_SEMANTICS[resolution.semantics]
    text = (
        f"Note: this plan follows {resolution.semantics} semantics; under {other} semantics, all, any or not"
        f" in the constraints of {names} mean something else."
    )
    return paragraph(text, style.width, hanging="  ")
