"""Held-back bundles as lines: newer bundles with one reason in one line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from olmsolve.answers import ranges_among
from olmsolve.render.layout import Style, counted, in_markdown, paragraph

if TYPE_CHECKING:
    from olmsolve.answers.held_back import HeldBackBundle, HeldBackOperator
    from olmsolve.cluster import Hindrance

_SHOWN: Final = 8
_OPERATORS: Final = 20
_HINDRANCES: Final = 20


def held_back_text(operators: Sequence[HeldBackOperator], *, width: int = 80, colour: bool = False) -> str:
    """Return what is held back from subscriptions, a paragraph for each newer bundle; "" if nothing is."""
    if not operators:
        return ""
    style = Style(width, colour)
    lines = [style.bold("Held back:")]
    for operator in operators[:_OPERATORS]:
        heading = f"subscription {operator.subscription} has {operator.candidate}"
        lines += paragraph(heading, width, indent="  ", hanging="      ")
        lines += newer_lines(operator.newer, style, indent="    ")
    if len(operators) > _OPERATORS:
        lines.append(f"  ... and {counted(len(operators) - _OPERATORS, 'subscription')} more")
    return "\n".join(lines)


def held_back_markdown(operators: Sequence[HeldBackOperator]) -> str:
    """Return what is held back from subscriptions as Markdown, a list for each of them; "" if nothing is."""
    lines = ["## Held back", ""] if operators else []
    for operator in operators[:_OPERATORS]:
        lines.append(f"- {in_markdown(f'subscription {operator.subscription} has {operator.candidate}')}")
        lines += [f"  - {in_markdown(str(bundle))}" for bundle in operator.newer]
    if len(operators) > _OPERATORS:
        lines.append(f"- ... and {counted(len(operators) - _OPERATORS, 'subscription')} more")
    return "\n".join(lines)


def hindrances_text(hindrances: Sequence[Hindrance], *, width: int = 80, colour: bool = False) -> str:
    """Return what the objects of a cluster say that holds a namespace back, a sentence each; "" if nothing does.

    That OLM has not reported a failure yet is left to :func:`unreported_text`: the failure itself comes first.
    """
    style = Style(width, colour)
    lines: list[str] = []
    for heading, sentences in _hindrance_groups(hindrances):
        lines.append(style.bold(f"{heading}:"))
        for sentence in sentences:
            lines += paragraph(sentence, width, indent="  ", hanging="      ")
    if omission := _left_out(hindrances):
        lines.append(f"  {omission}")
    return "\n".join(lines)


def hindrances_markdown(hindrances: Sequence[Hindrance]) -> str:
    """Return the same as Markdown: a list below each heading; "" if the objects say nothing."""
    lines: list[str] = []
    for heading, sentences in _hindrance_groups(hindrances):
        lines += [*([""] if lines else []), f"## {heading}", "", *(f"- {in_markdown(text)}" for text in sentences)]
    if omission := _left_out(hindrances):
        lines.append(f"- {omission}")
    return "\n".join(lines)


def _hindrance_groups(hindrances: Sequence[Hindrance]) -> Iterator[tuple[str, list[str]]]:
    """Yield headings with sentences about *hindrances*: what the objects say now, and what will come of it."""
    shown = _told_first(hindrances)[:_HINDRANCES]
    if not shown:
        return
    from olmsolve.lifecycle.planning import Foreseen

    for heading, is_foreseen in (("The cluster's objects say", False), ("As a result", True)):
        if some := [str(hindrance) for hindrance in shown if isinstance(hindrance, Foreseen) is is_foreseen]:
            yield heading, some


def _left_out(hindrances: Sequence[Hindrance]) -> str:
    more = len(_told_first(hindrances)) - _HINDRANCES
    return f"... and {more} more; the JSON form has all" if more > 0 else ""


def _told_first(hindrances: Sequence[Hindrance]) -> list[Hindrance]:
    if not hindrances:
        return []
    # Who asks about a request alone does not wait for clusters to load.
    from olmsolve.lifecycle.planning import FailureNotReported

    return [hindrance for hindrance in hindrances if not isinstance(hindrance, FailureNotReported)]


def unreported_text(hindrances: Sequence[Hindrance], *, width: int) -> str:
    """Return the note below a failure that OLM does not report yet, as *hindrances* say; "" otherwise."""
    if not hindrances:
        return ""
    from olmsolve.lifecycle.planning import FailureNotReported

    reports = [str(hindrance) for hindrance in hindrances if isinstance(hindrance, FailureNotReported)]
    return "\n".join(line for text in reports for line in paragraph(f"Note: {text}", width))


def newer_lines(newer: Sequence[HeldBackBundle], style: Style, indent: str = "  ") -> list[str]:
    """Return a wrapped line for each of the *newer* bundles, with what keeps it away."""
    return [
        line for bundle in newer for line in paragraph(str(bundle), style.width, indent=indent, hanging=f"{indent}    ")
    ]


def held_back_lines(entries: Sequence[Mapping[str, Any]], style: Style, heading: str = "Held back:") -> list[str]:
    """Return lines about the *entries* of ``heldBack`` in a document, or none without entries."""
    groups = held_back_groups(entries)
    if not groups:
        return []
    lines = [style.bold(heading)]
    for text in groups[:_SHOWN]:
        lines += paragraph(text, style.width, indent="  ", hanging="      ")
    if len(groups) > _SHOWN:
        lines.append(f"  ... and more for {counted(len(groups) - _SHOWN, 'other reason')}; the JSON form has all")
    return lines


def held_back_groups(entries: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the *entries* of ``heldBack`` in a document as texts, the newest first.

    Bundles of one catalog with the same obstacles share a text.
    """
    mentioned = [entry["version"] for entry in entries]
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for entry in entries:
        clauses = "; ".join(obstacle["text"] for obstacle in entry["obstacles"])
        groups.setdefault((entry["catalog"], clauses), []).append(entry)
    texts: list[str] = []
    for (catalog, clauses), group in groups.items():
        if len(group) == 1:
            name = f"{group[0]['bundle']} ({catalog})"
        else:
            versions = ranges_among([entry["version"] for entry in group], mentioned)
            name = f"{versions} ({counted(len(group), 'bundle')}, {catalog})"
        texts.append(f"{name}: {clauses}")
    return texts
