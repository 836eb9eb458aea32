"""Answers to questions about cluster extensions, as text: why, why not, and what two sets of them get differently."""

from __future__ import annotations

from olmsolve.answers.extensions import ExtensionDiff, ExtensionVerdict, ExtensionWhy, ExtensionWhyNot
from olmsolve.render.held_back import held_back_groups, held_back_lines
from olmsolve.render.layout import Style, numbered, paragraph


def extension_why_text(answer: ExtensionWhy, *, width: int = 80, colour: bool = False) -> str:
    """Return why an extension gets its bundle: its wish, what the filters left, the rules, and what is held back."""
    style = Style(width, colour)
    found = answer.resolution
    if found.installed == found.bundle:
        heading = f"{found.bundle} ({found.catalog}) stays because:"
    elif found.installed:
        heading = f"{found.bundle} ({found.catalog}) will replace {found.installed} because:"
    else:
        heading = f"{found.bundle} ({found.catalog}) will be installed because:"
    lines = [*map(style.bold, paragraph(heading, width)), ""]
    for clause in (answer.wish, answer.left, *map(str, answer.rules)):
        lines += paragraph(f"- {clause}", width, indent="  ", hanging="    ")
    if held := held_back_lines([each.to_dict() for each in answer.held_back], style):
        lines += ["", *held]
    return "\n".join(lines)


def extension_why_not_text(answer: ExtensionWhyNot, *, width: int = 80, colour: bool = False) -> str:
    """Return why an extension does not get a bundle: one sentence, the other candidates, and the ways to get it."""
    style = Style(width, colour)
    candidates = [each.to_dict() for each in answer.candidates]
    if answer.verdict in (ExtensionVerdict.SELECTED, ExtensionVerdict.ABSENT):
        lines = [*map(style.bold, paragraph(f"{answer.reason}.", width))]
        if held := held_back_lines(candidates, style, "Other bundles that the question is about:"):
            lines += ["", *held]
        return "\n".join(lines)
    groups = held_back_groups(candidates)
    lines = [*map(style.bold, paragraph(f"{groups[0]}.", width))]
    if len(groups) > 1:
        shown = held_back_lines(candidates, style, "All bundles that the question is about:")
        lines += ["", *shown]
    bundle = answer.candidates[0].bundle
    if answer.fixes:
        lines += ["", style.bold(f"To get {bundle}, each way resolved to be sure:"), ""]
        lines += numbered([f"{fix}; {fix.effect}" for fix in answer.fixes], width)
    elif answer.verdict is not ExtensionVerdict.LATER:
        lines += ["", *paragraph("None of the changes that were tried leads to it.", width)]
    return "\n".join(lines)


def extension_diff_text(
    answer: ExtensionDiff, *, names: tuple[str, str] = ("before", "after"), width: int = 80, colour: bool = False
) -> str:
    """Return what the extensions of two sides get differently; *names* tell the sides apart."""
    style = Style(width, colour)
    if not answer:
        return "Nothing changes for the extensions."
    lines = [style.bold(f"What the extensions get, {names[0]} and {names[1]}:")]
    for change in answer.changes:
        lines += paragraph(str(change), width, indent="  ", hanging="      ")
    if answer.same:
        lines.append(f"  the same: {', '.join(answer.same)}")
    return "\n".join(lines)
