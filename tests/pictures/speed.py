"""The chart of README.md and docs/performance.md: how long olmsolve takes beside OLM's controller and other solvers.

Every length is a figure of docs/performance.md, which says how it was measured: the chart measures nothing.
"""

from __future__ import annotations

import re
from html import escape
from pathlib import Path
from typing import Final, NamedTuple

__all__ = ["PICTURE", "Bars", "bars", "drawn", "write"]

_ROOT: Final = Path(__file__).parents[2]
PICTURE: Final = _ROOT / "docs/images/speed.svg"
_PAGE: Final = _ROOT / "docs/performance.md"

# Narrow, so that its letters can be read on a phone; a page shows it larger where there is room.
_WIDTH, _SHOWN = 480, 580
_LEFT, _LONGEST = 8, 464
_BAR, _ROW, _TITLE, _BETWEEN = 18, 40, 22, 16

_STYLE: Final = """\
    text { font: 14px system-ui, sans-serif; fill: #1f2328; }
    .task { font-weight: 600; }
    .who, .figure, .inside { font-size: 13px; }
    .who { fill: #59636e; }
    .ours { fill: #0f766e; }
    text.inside { fill: #fff; }
    .theirs { fill: #c7cdd4; }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3; }
      .who { fill: #9198a1; }
      .ours { fill: #2dd4bf; }
      text.inside { fill: #042f2e; }
      .theirs { fill: #4b535c; }
    }"""


class Bars(NamedTuple):
    """A pair of bars: the *task*, the other tool's name, both times in the same unit, and what stands behind them."""

    task: str
    other: str
    ours: float
    theirs: float
    our_figure: str
    their_figure: str


def bars() -> list[Bars]:
    """Return the pairs that the tables of docs/performance.md have the figures of."""
    text = _PAGE.read_text("utf-8")
    requests = re.search(r"^\| 100 recorded requests.*\| (\d+) times \|", text, re.MULTILINE)
    dense = re.search(r"^\| 100,000 \| ([\d.]+) \(([\d.]+)\) \| ([\d.]+) \(([\d.]+)\) \|", text, re.MULTILINE)
    assert requests is not None
    assert dense is not None
    easy, easy_other, hard, hard_other = dense.groups()
    times = int(requests[1])
    solver = "the quicker of clingo and libsolv"
    return [
        Bars("100 recorded requests over real catalogs", "OLM's controller", 1, times, "1 ×", f"{times} ×"),
        Bars("100,000 bundles, easy", solver, float(easy), float(easy_other), f"{easy} s", f"{easy_other} s"),
        Bars("100,000 bundles, hard", solver, float(hard), float(hard_other), f"{hard} s", f"{hard_other} s"),
    ]


def drawn() -> str:
    """Return the chart as SVG, in the colours of a light or a dark page."""
    pairs = bars()
    height = (_TITLE + 2 * _ROW + _BETWEEN) * len(pairs)
    size = f'viewBox="0 0 {_WIDTH} {height}" width="{_SHOWN}"'
    label = "Times of olmsolve beside those of OLM's controller, clingo and libsolv"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{label}">',
        f"  <style>\n{_STYLE}\n  </style>",
    ]
    top = 0
    for pair in pairs:
        lines.append(f'  <text class="task" x="{_LEFT}" y="{top + 16}">{escape(pair.task)}</text>')
        longest = max(pair.ours, pair.theirs)
        rows = (
            ("olmsolve", pair.ours, pair.our_figure, "ours"),
            (pair.other, pair.theirs, pair.their_figure, "theirs"),
        )
        for position, (who, time, figure, kind) in enumerate(rows):
            y = top + _TITLE + position * _ROW
            # A bar that is shorter than this would not be seen.
            length = max(2.0, _LONGEST * time / longest)
            lines.append(f'  <text class="who" x="{_LEFT}" y="{y + 14}">{escape(who)}</text>')
            y += _ROW - _BAR - 2
            lines.append(f'  <rect class="{kind}" x="{_LEFT}" y="{y}" width="{length:.1f}" height="{_BAR}" rx="2"/>')
            inside = length > _LONGEST - 60
            x = _LEFT + length + (-8 if inside else 8)
            anchor = ' text-anchor="end"' if inside else ""
            # On our own bar, which is dark on light pages.
            style = "inside" if inside and kind == "ours" else "figure"
            lines.append(f'  <text class="{style}" x="{x:.1f}" y="{y + 14}"{anchor}>{escape(figure)}</text>')
        top += _TITLE + 2 * _ROW + _BETWEEN
    return "\n".join([*lines, "</svg>", ""])


def write() -> None:
    """Write the chart."""
    PICTURE.write_text(drawn(), "utf-8")
