"""Answers to questions about plans, as text: why, why not, and the differences of two plans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from olmsolve._arguments import must_be
from olmsolve.answers.questions import Link, Why, WhyNot, WhyNotVerdict
from olmsolve.classic import PlanDiff
from olmsolve.render.explanation import conflict_lines
from olmsolve.render.held_back import newer_lines
from olmsolve.render.layout import Style, in_markdown, paragraph
from olmsolve.resolution import Resolution, ResolutionFailure

_SHOWN: Final = 8  # entries of a list; a longer chain loses its middle
_BEFORE: Final = 4  # links of a long chain that are shown before the gap
_INDENT: Final = "  "
_UNCHANGED: Final = "Nothing changes on the cluster."


def why_text(answer: Why, *, width: int = 80, colour: bool = False) -> str:
    """Return why a bundle is in the plan: the chain from a subscription, then why other candidates are not."""
    must_be(answer, "Why", "answer")
    style = Style(width, colour)
    lines = [*map(style.bold, paragraph(f"{answer.candidate} is in the plan because:", width)), ""]
    lines += _chain(answer.chain, width)
    if answer.also_for:
        lines += ["", style.bold("It also serves:")]
        lines += _listed([str(wanted) for wanted in answer.also_for], width)
    if answer.passed_over:
        lines += ["", style.bold("Earlier in the order, but impossible:")]
        lines += _listed([f"{passed.candidate}: {passed.explanation}" for passed in answer.passed_over], width)
    if answer.outranked:
        lines += ["", style.bold("Higher version, but later in the order:")]
        lines += _listed([str(outranked) for outranked in answer.outranked], width)
    if not answer.passed_over and not answer.outranked:
        only = "the only candidate" if answer.candidates == 1 else f"the first of {answer.candidates} candidates"
        lines += ["", *paragraph(f"It is {only} of that choice.", width)]
    return "\n".join(lines)


def _chain(links: Sequence[Link], width: int) -> list[str]:
    """Return a line for each link, indented below the link before; a long chain loses its middle."""
    # Leaving out a single link would save nothing: the note about the gap takes a line too.
    unshown = len(links) - _SHOWN if len(links) > _SHOWN + 1 else 0
    lines: list[str] = []
    for depth, link in enumerate(links):
        if _BEFORE <= depth < _BEFORE + unshown:
            if depth == _BEFORE:
                lines.append(f"{_INDENT * (depth + 1)}... {unshown} more bundles, each required by the one before ...")
            continue
        indent = _INDENT * (depth + 1 if depth < _BEFORE else depth + 1 - max(unshown - 1, 0))
        lines += paragraph(str(link), width, indent=indent, hanging=f"{indent}    ")
    return lines


def why_not_text(answer: WhyNot, *, width: int = 80, colour: bool = False) -> str:
    """Return why a bundle is not in the plan: one sentence, the conflict behind it, and a change that selects it."""
    must_be(answer, "WhyNot", "answer")
    style = Style(width, colour)
    lines = [style.bold(line) for line in paragraph(f"{answer.reason}.", width)]
    if answer.conflict is not None:
        lines += ["", *conflict_lines(answer.conflict, style)]
    if answer.instead:
        lines += ["", style.bold("Selecting it would change:")]
        lines += _listed([_pair(*pair) for pair in answer.instead], width)
    if answer.newer:
        lines += ["", style.bold("Newer, and held back:"), *newer_lines(answer.newer, style)]
    if answer.change is not None:
        after = f"; updates then lead to it in {answer.plans} steps" if answer.plans > 1 else ""
        lines += ["", *paragraph(f"To select it: {answer.change}{after}.", width, hanging=_INDENT)]
    elif answer.verdict not in (WhyNotVerdict.SELECTED, WhyNotVerdict.LATER, WhyNotVerdict.ABSENT):
        lines += ["", *paragraph("None of the changes that were tried selects it.", width)]
    return "\n".join(lines)


def plan_diff_text(
    answer: PlanDiff, *, names: tuple[str, str] = ("before", "after"), width: int = 80, colour: bool = False
) -> str:
    """Return the gains, losses and changes between two answers, or why one has no plan; *names* name them."""
    style = Style(width, colour)
    lines: list[str] = []
    for name, outcome in zip(names, (answer.before, answer.after), strict=True):
        if not isinstance(outcome, Resolution):
            lines += [*map(style.bold, paragraph(f"There is no plan {name}:", width)), *_failure(outcome, width), ""]
    for title, changes in _changes(answer):
        lines += [style.bold(f"{title}:"), *_listed(changes, width, len(changes)), ""]
    if not answer.changes:
        lines += [_UNCHANGED, ""]
    for text in _read_differently(answer):
        lines += paragraph(text, width, hanging=_INDENT)
    while lines and not lines[-1]:
        lines.pop()
    return "\n".join(lines)


def plan_diff_markdown(answer: PlanDiff, *, names: tuple[str, str] = ("before", "after")) -> str:
    """Return the same as Markdown for a review: a heading and a list for gains, losses, changes and each failure."""
    blocks: list[str] = []
    for name, outcome in zip(names, (answer.before, answer.after), strict=True):
        if not isinstance(outcome, Resolution):
            blocks.append(_markdown_list(f"There is no plan {name}", _reasons_of(outcome)))
    blocks += [_markdown_list(title, changes) for title, changes in _changes(answer)]
    if not answer.changes:
        blocks.append(_UNCHANGED)
    blocks += [in_markdown(text) for text in _read_differently(answer)]
    return "\n\n".join(blocks) + "\n"


def _markdown_list(title: str, texts: Sequence[str]) -> str:
    return "\n".join((f"## {in_markdown(title)}", "", *(f"- {in_markdown(text)}" for text in texts)))


def _changes(answer: PlanDiff) -> list[tuple[str, list[str]]]:
    """Return what *answer* gains, loses and changes, each with its title, as far as there is anything."""
    changes = (
        ("Gained", [str(bundle) for bundle in answer.gained]),
        ("Lost", [str(bundle) for bundle in answer.lost]),
        ("Changed", [change.replacement for change in answer.changed]),
    )
    return [(title, texts) for title, texts in changes if texts]


def _read_differently(answer: PlanDiff) -> list[str]:
    return [
        f"{candidate} has constraints that the two read differently: {'; '.join(constraints)}"
        for candidate, constraints in answer.differing
    ]


def _failure(outcome: object, width: int) -> list[str]:
    """Return the constraints of a failure as a list, or the message of another error."""
    if isinstance(outcome, ResolutionFailure):
        return _listed(_reasons_of(outcome), width)
    return paragraph(str(outcome), width, indent=_INDENT)


def _reasons_of(outcome: object) -> list[str]:
    if isinstance(outcome, ResolutionFailure):
        return [constraint["text"] for constraint in outcome.to_dict()["constraints"]]
    return [str(outcome)]


def _pair(before: object, after: object) -> str:
    if before is None:
        return f"{after} is added"
    return f"{before} is left out" if after is None else f"{before} becomes {after}"


def _listed(texts: list[str], width: int, most: int = _SHOWN) -> list[str]:
    lines: list[str] = []
    for text in texts[:most]:
        lines += paragraph(f"- {text}", width, indent=_INDENT, hanging=f"{_INDENT}  ")
    if len(texts) > most:
        lines.append(f"{_INDENT}- and {len(texts) - most} more")
    return lines
