"""Plans for several cluster extensions as text: what is replaced, what stays, what is needed besides, what fails."""

from __future__ import annotations

from collections.abc import Iterator

from olmsolve.render.held_back import held_back_groups
from olmsolve.render.layout import Style, counted, paragraph
from olmsolve.v1 import FailedExtension, Plan, Planned


def extension_plan_text(plan: Plan, *, width: int = 80, colour: bool = False) -> str:
    """Return *plan* as text: a paragraph for each extension, then for each further package, then the failures."""
    style = Style(width, colour)
    wished = [each for each in plan.planned if not each.further]
    lines = [style.bold(_heading(plan, wished))]
    for each in wished:
        lines += _planned_lines(each, style)
    if plan.further:
        lines += ["", *map(style.bold, paragraph("Needed besides, which OLM v1 does not install by itself:", width))]
        for each in plan.further:
            lines += _planned_lines(each, style)
    if plan.failed:
        lines += ["", style.bold("Failing by themselves:")]
        for failure in plan.failed:
            lines += paragraph(_failure(failure), width, indent="  ", hanging="      ")
    return "\n".join(lines)


def _heading(plan: Plan, wished: list[Planned]) -> str:
    stays = sum(each.stays for each in wished)
    replaced = sum(bool(each.installed) and not each.stays for each in wished)
    new = len(wished) - stays - replaced
    counts = [(stays, "stays", "stay"), (replaced, "is updated", "are updated"), (new, "is new", "are new")]
    parts = [f"{count} {one if count == 1 else many}" for count, one, many in counts if count]
    if plan.failed:
        parts.append(f"{len(plan.failed)} {'fails' if len(plan.failed) == 1 else 'fail'}")
    return f"{counted(len(wished) + len(plan.failed), 'extension')}: {', '.join(parts) or 'nothing to do'}"


def _planned_lines(each: Planned, style: Style) -> Iterator[str]:
    name = f"{each.bundle} ({each.catalog})"
    if each.stays:
        text = f"{name} stays"
    elif each.installed:
        text = f"{name} will replace {each.installed}"
    else:
        text = f"{name} will be installed"
    whose = f"{each.extension}: " if each.extension else ""
    yield from paragraph(f"{whose}{text}", style.width, indent="  ", hanging="      ")
    details = [str(requirement) for requirement in each.requirements]
    if each.refusal:
        details.append(f"OLM v1 itself refuses it: {each.refusal}")
    details += [f"passed over: {passed}" for passed in each.passed_over]
    details += [f"held back: {group}" for group in held_back_groups([held.to_dict() for held in each.held_back])]
    for detail in details:
        yield from paragraph(detail, style.width, indent="    ", hanging="      ")


def _failure(failure: FailedExtension) -> str:
    return f"{failure.extension or failure.package}: {failure.error}"
