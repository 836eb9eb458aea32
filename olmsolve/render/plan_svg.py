"""A plan's dependencies as SVG: boxes from left to right, with a line from whoever wants a bundle to the bundle.

Colours come from the page's style (``render/html/plan.css``), by class. Shapes and words repeat everything that colours
say.
"""

from __future__ import annotations

from typing import Final

from olmsolve.render.markup import Markup, element
from olmsolve.render.plan_picture import PlanEdge, PlanNode, PlanPicture

MANY_LINES: Final = 100
"""With more lines to bundles that are also needed, only those of a chosen box are shown."""

_HEIGHT: Final = 40
_ROW: Final = 54
_GAP: Final = 56
_MARGIN: Final = 8
_CHARACTER: Final = 7.3
_SMALL_CHARACTER: Final = 6.1
_NARROWEST: Final = 120
_LONGEST: Final = 38


def plan_svg(picture: PlanPicture) -> Markup:
    """Return *picture* as one ``svg`` element."""
    columns, rows = picture.size
    widths = [_NARROWEST] * columns
    for node in picture.nodes:
        widths[node.column] = max(widths[node.column], _width(node))
    lefts = [_MARGIN + sum(widths[:column]) + column * _GAP for column in range(columns)]
    width = lefts[-1] + widths[-1] + _MARGIN if columns else 0
    height = 2 * _MARGIN + rows * _ROW
    corners = [(lefts[node.column], _MARGIN + node.row * _ROW) for node in picture.nodes]
    edges = [_edge(edge, picture.nodes, corners, widths) for edge in reversed(picture.edges)]
    wishes = _wishes(picture)
    also = sum(not edge.first for edge in picture.edges)
    boxes = [
        _box(number, node, corners[number], widths[node.column], "; ".join(wishes.get(number, ())))
        for number, node in enumerate(picture.nodes)
    ]
    return element(
        "svg",
        *edges,
        *boxes,
        class_="dependencies many" if also > MANY_LINES else "dependencies",
        viewBox=f"0 0 {width} {height}",
        width=width,
        height=height,
        role="group",
        aria_label="who brought what in",
    )


def _width(node: PlanNode) -> int:
    name = _CHARACTER * min(len(node.name), _LONGEST)
    return int(max(name, _SMALL_CHARACTER * len(_detail(node)))) + 24


def _detail(node: PlanNode) -> str:
    return _cut(" · ".join(node.details), _LONGEST + 4)


def _cut(text: str, longest: int) -> str:
    """Return *text* with its middle left out where it is too long: versions stand at the end."""
    if len(text) <= longest:
        return text
    half = (longest - 1) // 2
    return f"{text[:half]}…{text[-half:]}"


def _wishes(picture: PlanPicture) -> dict[int, list[str]]:
    """Map each node to the parties that it is there for, in words."""
    texts: dict[int, list[str]] = {}
    for edge in picture.edges:
        source = picture.nodes[edge.source]
        who = f"subscription {source.name}" if source.kind == "wish" else source.name
        text = f"{who}, which requires {edge.requirement}" if edge.requirement else who
        texts.setdefault(edge.target, []).append(text)
    return texts


def _edge(edge: PlanEdge, nodes: tuple[PlanNode, ...], corners: list[tuple[int, int]], widths: list[int]) -> Markup:
    source, target = nodes[edge.source], nodes[edge.target]
    (left, top), (to_left, to_top) = corners[edge.source], corners[edge.target]
    start, end = left + widths[source.column], to_left - 2
    height, to_height = top + _HEIGHT // 2, to_top + _HEIGHT // 2
    if target.column > source.column and height == to_height and target.column == source.column + 1:
        path = f"M{start} {height}H{end}"
    elif target.column > source.column:
        # Lines that leave one box share their way down, and turn just before the column of their target.
        turn = end - _GAP // 2 + 2
        path = f"M{start} {height}C{turn} {height} {turn} {height} {turn} {(height + to_height) // 2}"
        path += f"S{turn} {to_height} {end} {to_height}"
    else:
        # Backwards, or down one column: out to the right, and back to the right side of the target.
        end = to_left + widths[target.column] + 2
        turn = max(start, end) + _GAP // 2
        path = f"M{start} {height}C{turn} {height} {turn} {to_height} {end} {to_height}"
    words = f"{source.name} requires {edge.requirement}" if edge.requirement else f"subscription {source.name}"
    return element(
        "path",
        element("title", f"{words}: {target.name}"),
        class_="wants first" if edge.first else "wants also",
        d=path,
        data_from=edge.source,
        data_to=edge.target,
    )


def _box(number: int, node: PlanNode, corner: tuple[int, int], width: int, wishes: str) -> Markup:
    x, y = corner
    tooltip = "; ".join(filter(None, (node.name, *node.details, f"for {wishes}" if wishes else "")))
    return element(
        "g",
        element("title", tooltip),
        element("rect", x=x, y=y, width=width, height=_HEIGHT, rx=_HEIGHT // 2 if node.kind == "wish" else 6),
        element("text", _cut(node.name, _LONGEST), class_="title", x=x + 12, y=y + 17),
        element("text", _detail(node), class_="detail", x=x + 12, y=y + 32),
        class_=f"node {node.kind}",
        tabindex=0,
        role="button",
        data_number=number,
        data_told=tooltip,
    )
