"""The picture and the table of wings for docs/architecture.md, drawn from the imports."""

from __future__ import annotations

import html
from pathlib import Path
from textwrap import wrap
from typing import Final

from tests.architecture.imports import PACKAGE, wings_imported
from tests.architecture.wings import GROUND, PUBLIC, WINGS

DOCS: Final = PACKAGE.parent / "docs"
PICTURE: Final = DOCS / "images" / "wings.svg"
PAGE: Final = DOCS / "architecture.md"
_MARKS: Final = ("<!-- wings -->", "<!-- /wings -->")

_LINE: Final = "#5a6b7b"
_LEGEND: Final = (
    "blue: public beside the facade; an arrow that a longer way implies is not drawn; the facade and the command line "
    "stand above all"
)
# The picture is as wide as the text of a page on the site, so that its letters are as large as the text's, and half
# of that on a phone. What each wing is for stands in the table alone.
_WIDTH, _HEIGHT, _STEP_X, _STEP_Y, _MARGIN = 140, 42, 160, 78, 12
_TEXT, _LINE_HEIGHT, _LETTERS = 15, 20, 88
# Where a wing stands on its floor: chosen so that few arrows cross.
_COLUMNS: Final = {
    "render": 1.6,
    "testing": 0,
    "lifecycle": 1.2,
    "authoring": 3,
    "serving": 3.6,
    "requests": 0.4,
    "answers": 1.8,
    "cluster": 1.2,
    "classic": 0.1,
    "v1": 2.2,
    "solver": 0,
    "fields": 0.9,
    "eligibility": 1.8,
    "resolution": 2.7,
    "fbc": 3.6,
    "catalog": 2.5,
    "predicates": 1.6,
    "cel": 1.6,
    "semver": 1.6,
}


def _floors() -> dict[str, int]:
    """The floor of each wing, the ground floor 0: as high as those who import it allow."""
    arrows = _arrows()
    lowest: dict[str, int] = {}
    for name in WINGS:
        lowest[name] = max((lowest[there] + 1 for here, there in arrows if here == name), default=0)
    highest: dict[str, int] = {}
    for name in reversed(WINGS):
        highest[name] = min((highest[here] - 1 for here, there in arrows if there == name), default=lowest[name])
    return highest


def _arrows() -> set[tuple[str, str]]:
    return {(here, there) for here, there in wings_imported() if here in WINGS and there in WINGS and here != there}


def _direct(arrows: set[tuple[str, str]]) -> list[tuple[str, str]]:
    """The arrows that no longer way implies: with a -> b -> c, the arrow a -> c is left out."""
    below: dict[str, set[str]] = {}
    for name in WINGS:
        direct = {there for here, there in arrows if here == name}
        below[name] = direct.union(*(below[there] for there in direct))
    return sorted(
        (here, there)
        for here, there in arrows
        if not any(there in below[middle] for start, middle in arrows if start == here)
    )


def picture() -> str:
    """The wings as an SVG: a floor for each level, the ground at the bottom, arrows to what a wing imports."""
    floors = _floors()
    width = 2 * _MARGIN + max(_COLUMNS.values()) * _STEP_X + _WIDTH
    ground, legend = wrap(f"for all: {', '.join(GROUND)}", _LETTERS), wrap(_LEGEND, _LETTERS)
    bottom = _MARGIN + (max(floors.values()) + 1) * _STEP_Y
    below = bottom + (len(ground) + 1) * _LINE_HEIGHT
    height = below + len(legend) * _LINE_HEIGHT + _MARGIN
    top = max(floors.values())
    corner = {name: (_MARGIN + _COLUMNS[name] * _STEP_X, _MARGIN + (top - floors[name]) * _STEP_Y) for name in WINGS}
    rows = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif">',
        "<title>The wings of olmsolve and their imports</title>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">',
        f'<path d="M0 0L8 4L0 8z" fill="{_LINE}"/></marker></defs>',
    ]
    rows += [_arrow(corner[here], corner[there]) for here, there in _direct(_arrows())]
    for name, (x, y) in corner.items():
        rows.append(_box(x, y, _WIDTH, _HEIGHT, "#e3eefb" if name in PUBLIC else "#f1f3f5"))
        rows.append(_text(x + _WIDTH / 2, y + 27, name, 'font-size="19" font-weight="bold" text-anchor="middle"'))
    rows.append(_box(_MARGIN, bottom, width - 2 * _MARGIN, (len(ground) + 0.5) * _LINE_HEIGHT, "#f1f3f5"))
    for number, line in enumerate(ground, 1):
        rows.append(_text(width / 2, bottom + number * _LINE_HEIGHT, line, f'font-size="{_TEXT}" text-anchor="middle"'))
    for number, line in enumerate(legend, 1):
        rows.append(_text(_MARGIN, below + number * _LINE_HEIGHT, line, f'font-size="{_TEXT}"'))
    rows.append("</svg>")
    return "\n".join(rows) + "\n"


def _arrow(above: tuple[float, float], below: tuple[float, float]) -> str:
    start, top = above[0] + _WIDTH / 2, above[1] + _HEIGHT
    end, bottom = below[0] + _WIDTH / 2, below[1] - 1
    bend = (bottom - top) / 2
    way = f"M{start:g} {top:g}C{start:g} {top + bend:g} {end:g} {bottom - bend:g} {end:g} {bottom:g}"
    return f'<path d="{way}" fill="none" stroke="{_LINE}" marker-end="url(#tip)"/>'


def _box(x: float, y: float, width: float, height: float, fill: str) -> str:
    shape = f'x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="6"'
    return f'<rect {shape} fill="{fill}" stroke="{_LINE}"/>'


def _text(x: float, y: float, text: str, style: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" {style}>{html.escape(text)}</text>'


def table() -> str:
    """The wings as a table in Markdown: name, purpose, and what each may import."""
    rows = ["| wing | what it is for | imports |", "|---|---|---|"]
    for name, entry in WINGS.items():
        below = ", ".join(other for other in WINGS if other in entry.may_import)
        public = "" if name in PUBLIC else " (private)"
        rows.append(f"| `{name}`{public} | {entry.purpose} | {below or 'nothing'} |")
    return "\n".join(rows)


def page(text: str) -> str:
    """*text* of docs/architecture.md with the table drawn anew."""
    before, rest = text.split(_MARKS[0])
    _, after = rest.split(_MARKS[1])
    return f"{before}{_MARKS[0]}\n{table()}\n{_MARKS[1]}{after}"


def written(path: Path) -> str:
    """The text of the file at *path*."""
    return path.read_text("utf-8")
