"""Backends as a table: what each can do."""

from __future__ import annotations

from collections.abc import Iterable

from olmsolve.render.layout import Style, paragraph, table
from olmsolve.solver.backends import Backend

_HEADINGS = ("NAME", "ASSUMPTIONS", "CORES", "LIMITS", "PROOFS")


def backends_text(backends: Iterable[Backend], *, width: int = 80, colour: bool = False) -> str:
    """Return a line for each backend, and below the table why some cannot answer; *width* is in characters."""
    style = Style(width, colour)
    found = list(backends)
    rows = [(each.name, *_abilities(each)) for each in found if not each.missing]
    lines = table(_HEADINGS, rows, style.width) or ["  ".join(row) for row in (_HEADINGS, *rows)]
    lines[0] = style.bold(lines[0])
    for each in found:
        if each.missing:
            lines.extend(paragraph(f"{each.name} cannot be used: {each.missing}", style.width, hanging="  "))
    return "\n".join(lines)


def _abilities(backend: Backend) -> tuple[str, str, str, str]:
    limits = "late" if backend.limits and not backend.punctual else _said(backend.limits)
    return _said(backend.assumptions), _said(backend.cores), limits, _said(backend.proofs)


def _said(can: bool) -> str:
    return "yes" if can else "no"
