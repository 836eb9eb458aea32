"""Line plots with logarithmic axes as SVG, of the few things that our figures need."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

import attrs

__all__ = ["Line", "Panel", "svg"]

_WIDTH, _HEIGHT = 460, 320
_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 20, 40, 84
_FONT = 'font-family="system-ui, sans-serif" font-size="11"'
# How much of a decade may stick out, rather than having another one drawn for it.
_OVERHANG = 0.01
_COLOURS = ("#1f6feb", "#d1242f", "#1a7f37", "#8250df")


@attrs.frozen
class Line:
    """A named line through *points* (x, y), all of them positive."""

    name: str
    points: Sequence[tuple[float, float]]


@attrs.frozen
class Panel:
    """One pair of axes."""

    title: str
    across: str
    up: str
    lines: Sequence[Line]


def svg(panels: Sequence[Panel]) -> str:
    """*panels* side by side."""
    width = _WIDTH * len(panels)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {_HEIGHT}" {_FONT}>',
        f'<rect width="{width}" height="{_HEIGHT}" fill="#ffffff"/>',
    ]
    for number, panel in enumerate(panels):
        parts.append(f'<g transform="translate({number * _WIDTH} 0)">')
        parts.extend(_panel(panel))
        parts.append("</g>")
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


def _panel(panel: Panel) -> list[str]:
    points = [point for line in panel.lines for point in line.points]
    across = _decades([x for x, _ in points])
    up = _decades([y for _, y in points])

    def place(x: float, y: float) -> tuple[float, float]:
        return (
            _LEFT + (math.log10(x) - across[0]) / (across[-1] - across[0]) * (_WIDTH - _LEFT - _RIGHT),
            _HEIGHT - _BOTTOM - (math.log10(y) - up[0]) / (up[-1] - up[0]) * (_HEIGHT - _TOP - _BOTTOM),
        )

    bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    parts = [f'<text x="{_LEFT}" y="22" font-size="13" font-weight="600">{escape(panel.title)}</text>']
    for decade in across:
        x = place(10.0**decade, 10.0 ** up[0])[0]
        parts.append(f'<line x1="{x:.1f}" y1="{_TOP}" x2="{x:.1f}" y2="{bottom}" stroke="#e5e5e5"/>')
        parts.append(f'<text x="{x:.1f}" y="{bottom + 15}" text-anchor="middle">{_number(decade)}</text>')
    for decade in up:
        y = place(10.0 ** across[0], 10.0**decade)[1]
        parts.append(f'<line x1="{_LEFT}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="#e5e5e5"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{_number(decade)}</text>')
    middle = (_LEFT + right) / 2
    parts.append(f'<text x="{middle:.1f}" y="{bottom + 32}" text-anchor="middle">{escape(panel.across)}</text>')
    turned = f'transform="translate(14 {(_TOP + bottom) / 2:.1f}) rotate(-90)"'
    parts.append(f'<text text-anchor="middle" {turned}>{escape(panel.up)}</text>')
    for number, line in enumerate(panel.lines):
        colour = _COLOURS[number % len(_COLOURS)]
        places = [place(x, y) for x, y in line.points]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.extend(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places)
        left, row = _LEFT + (number % 2) * 190, bottom + 52 + number // 2 * 17
        parts.append(f'<rect x="{left}" y="{row - 8}" width="10" height="10" fill="{colour}"/>')
        parts.append(f'<text x="{left + 15}" y="{row + 1}">{escape(line.name)}</text>')
    return parts


def _decades(values: Sequence[float]) -> list[int]:
    """The exponents of ten around *values*, at least two."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)) - _OVERHANG)
    return list(range(low, max(high, low + 1) + 1))


def _number(decade: int) -> str:
    return f"{10**decade:,}" if decade >= 0 else f"{10.0**decade:.{-decade}f}"
