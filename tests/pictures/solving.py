"""The picture of docs/solving.md: the way from a request to a plan or a core, and who goes which part of it."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import Final, NamedTuple

__all__ = ["BOXES", "PICTURE", "Arrow", "Box", "diagram", "drawn", "write"]

PICTURE: Final = Path(__file__).parents[2] / "docs/images/solving.svg"

# As wide as the text of a page on the site, so that its letters are as large as the text's.
_WIDTH, _HEIGHT = 740, 506
_LINE, _FIRST = 20, 26

_STYLE: Final = """\
    text { font: 14px system-ui, sans-serif; fill: #1f2328; text-anchor: middle; }
    rect { fill: #f6f8fa; stroke: #8c959f; }
    rect.end { fill: #ccfbf1; stroke: #0f766e; }
    rect.fault { fill: #fee2e2; stroke: #b91c1c; }
    path { stroke: #59636e; stroke-width: 1.5; fill: none; }
    path.tip { fill: #59636e; stroke: none; }
    .name { font-size: 16px; font-weight: bold; }
    .module { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: 12px; fill: #59636e; }
    .label { font-style: italic; font-size: 12px; }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3; }
      rect { fill: #151b23; stroke: #656c76; }
      rect.end { fill: #134e4a; stroke: #2dd4bf; }
      rect.fault { fill: #5f1d1d; stroke: #f87171; }
      path { stroke: #9198a1; }
      path.tip { fill: #9198a1; }
      .module { fill: #9198a1; }
    }"""


class Box(NamedTuple):
    """A step: its corner and width, its *name*, what it does in *lines*, and the *module* below olmsolve/."""

    x: int
    y: int
    width: int
    name: str
    lines: tuple[str, ...]
    module: str = ""
    is_end: bool = False
    is_fault: bool = False

    @property
    def height(self) -> int:
        """The height that the texts need."""
        return _FIRST + _LINE * (len(self.lines) + bool(self.module)) + 8


Arrow = tuple[int, int, int, int, str]
"""From where (x, y) to where, and the label in the middle."""

BOXES: Final[dict[str, Box]] = {
    "problem": Box(220, 8, 300, "a lazy problem", ("states the constraints that are asked for",), "classic/problem.py"),
    "glance": Box(8, 142, 200, "a glance", ("looks one requirement", "ahead, takes nothing back"), "solver/queue.py"),
    "engine": Box(
        270, 142, 200, "the deciding engine", ("works on sets of bits,", "learns from conflicts"), "solver/deciding"
    ),
    "search": Box(
        532,
        142,
        200,
        "the portable search",
        ("asks the backend, a SAT", "solver, at dead ends"),
        "solver/family_walk.py",
    ),
    "solution": Box(8, 290, 724, "the preferred solution", ("the same, whoever finds it",), is_end=True),
    "first": Box(8, 400, 200, "a first core", ("all that the refutation", "rests on"), "solver/core_oracle.py"),
    "smaller": Box(
        270, 400, 200, "questions", ("answered by a SAT solver;", "if dense, by the engine"), "solver/session.py"
    ),
    "core": Box(
        532,
        400,
        200,
        "the preferred core",
        ("the request cannot hold,", "and each part is needed"),
        "solver/core.py",
        True,
    ),
}
"""The steps, by name."""

_ARROWS: Final[tuple[Arrow, ...]] = (
    (300, 82, 128, 141, "not dense"),
    (370, 82, 370, 141, "dense"),
    (440, 82, 612, 141, "a backend is named"),
    (208, 189, 269, 189, "dead end"),
    (108, 236, 108, 289, "most requests"),
    (370, 236, 370, 289, ""),
    (632, 236, 632, 289, ""),
    (108, 344, 108, 399, "there is none"),
    (208, 447, 269, 447, ""),
    (470, 447, 531, 447, ""),
)
"""The ways between the steps."""


def drawn() -> str:
    """Return the picture of the way from a request to its plan or core."""
    title = "From a request to its plan, or to the core that says why there is none"
    return diagram(title, _HEIGHT, BOXES.values(), _ARROWS)


def diagram(title: str, height: int, boxes: Iterable[Box], arrows: Iterable[Arrow]) -> str:
    """Return a picture of *boxes* and *arrows* as SVG, for readers of light and dark pages; *height* is in pixels."""
    rows = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" role="img">',
        f"  <title>{escape(title)}</title>",
        f"  <style>\n{_STYLE}\n  </style>",
        '  <defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto">',
        '    <path class="tip" d="M0 0L8 4L0 8z"/></marker></defs>',
    ]
    rows += [line for arrow in arrows for line in _arrow(*arrow)]
    rows += [line for box in boxes for line in _box(box)]
    return "\n".join([*rows, "</svg>\n"])


def _arrow(x: int, y: int, to_x: int, to_y: int, label: str) -> list[str]:
    """Return an arrow; the label stands above a level one, and beside another."""
    rows = [f'  <path d="M{x} {y}L{to_x} {to_y}" marker-end="url(#tip)"/>']
    if label:
        middle, height = (x + to_x) / 2, (y + to_y) / 2
        if y == to_y:
            anchor, height = "middle", height - 6
        else:
            # Beside a slanted arrow the text keeps clear of its ends.
            anchor, gap = ("end", -24) if to_x < x else ("start", 24 if to_x > x else 6)
            middle, height = middle + gap, height + 4
        style = f'class="label" x="{middle:g}" y="{height:g}" style="text-anchor: {anchor}"'
        rows.append(f"  <text {style}>{escape(label)}</text>")
    return rows


def _box(box: Box) -> list[str]:
    """Return a step: its name, what it does, and where to read on."""
    kind = ' class="end"' if box.is_end else ' class="fault"' if box.is_fault else ""
    rows = [f'  <rect{kind} x="{box.x}" y="{box.y}" width="{box.width}" height="{box.height}" rx="6"/>']
    texts = [("name", box.name), *(("", line) for line in box.lines), *([("module", box.module)] if box.module else [])]
    for number, (style, text) in enumerate(texts):
        at = f'x="{box.x + box.width / 2:g}" y="{box.y + _FIRST - 4 + number * _LINE}"'
        kind = f' class="{style}"' if style else ""
        rows.append(f"  <text{kind} {at}>{escape(text)}</text>")
    return rows


def write() -> None:
    """Write the picture into docs/images."""
    PICTURE.write_text(drawn(), "utf-8")
