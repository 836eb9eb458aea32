"""A package's update graphs as SVG: channels are lanes, versions are columns, arrows are updates.

Colours come from the page's style (``render/html/page.css``), by class. Shapes repeat everything that colours say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from olmsolve.render.markup import Markup, element
from olmsolve.render.update_picture import Arc, Picture, Row, RowEntry

_COLUMN: Final = 30
_LEVEL: Final = 9
_RADIUS: Final = 6
_MARGIN: Final = 12
_ABOVE: Final = 14
_BELOW: Final = 16
_CHARACTER: Final = 6.4
_LONGEST_LABEL: Final = 24
_LONGEST_CHANNEL: Final = 28


def svg(picture: Picture, *, installed: str = "") -> Markup:
    """Return *picture* as one ``svg`` element, with the updates from the bundle *installed* lit up in each channel."""
    left = _MARGIN + int(_CHARACTER * max(len(_name(row)) for row in picture.rows)) + 20
    labels = [_cut(label, _LONGEST_LABEL) for label in picture.columns]
    head = _MARGIN + int(_CHARACTER * 0.87 * max(map(len, labels), default=0)) + 8
    parts: list[Markup] = [_label(label, left + i * _COLUMN, head) for i, label in enumerate(labels)]
    top = head + 6
    width = left + len(labels) * _COLUMN + _MARGIN + int(_CHARACTER * 0.5 * _LONGEST_LABEL)
    for row in picture.rows:
        line = top + _ABOVE + row.above * _LEVEL
        bottom = line + _BELOW + row.below * _LEVEL
        parts.append(_RowDrawing(row, left, line, installed).group(top, bottom - top, width))
        top = bottom
    height = top + _MARGIN
    return element(
        "svg",
        *parts,
        class_="updates",
        viewBox=f"0 0 {width} {height}",
        width=width,
        height=height,
        role="group",
        aria_label=f"update graphs of package {picture.package}",
    )


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _name(row: Row) -> str:
    marks = " ★" if row.is_default else ""
    marks += " (deprecated)" if row.deprecated is not None else ""
    return _cut(row.channel, _LONGEST_CHANNEL) + marks


def _label(label: str, x: int, y: int) -> Markup:
    return element("text", label, class_="version", transform=f"translate({x + 4} {y}) rotate(-60)")


class _RowDrawing:
    """The drawing of one row, whose line is at the height *line*."""

    def __init__(self, row: Row, left: int, line: int, installed: str) -> None:
        self._row = row
        self._left = left
        self._line = line
        names = {node.name: node for node in row.nodes}
        self._lit = _updates_from(names, installed)
        self._installed = installed
        self._columns = {node.column: node.name for node in row.nodes}

    def group(self, top: int, height: int, width: int) -> Markup:
        """Return the row as a ``g`` element, with its band between *top* and *top* + *height*."""
        row = self._row
        flags = " deprecated" if row.deprecated is not None else ""
        flags += " broken" if row.fault else ""
        title = [f"channel {row.channel}"]
        title += ["the default channel"] if row.is_default else []
        title += [f"deprecated: {row.deprecated}"] if row.deprecated is not None else []
        title += [row.fault] if row.fault else []
        name = _name(row)
        return element(
            "g",
            element("rect", class_="band", x=2, y=top, width=width - 4, height=height - 3, rx=5),
            *(edge for arc in row.arcs for edge in self._arc_paths(arc)),
            *(self._node(node) for node in row.nodes),
            # Drawn last, hence above the rest: the page keeps the name in sight while a reader scrolls the row.
            element("text", element("title", "; ".join(title)), name, class_="channel", x=_MARGIN, y=self._line + 4),
            class_=f"lane{flags}",
            data_channel=row.channel,
        )

    def _x(self, column: int) -> int:
        return self._left + column * _COLUMN

    def _arc_paths(self, arc: Arc) -> Iterator[Markup]:
        """Yield a path for each source, so that each can be lit alone; a ``skipRange`` is always one path."""
        if arc.kind == "skipRange":
            yield self._path(arc, arc.sources)
        else:
            for source in arc.sources:
                yield self._path(arc, (source,))

    def _path(self, arc: Arc, sources: tuple[int, ...]) -> Markup:
        names = [self._columns[column] for column in sources]
        target = self._columns[arc.target]
        lit = any(self._lit.get(name) == target for name in names)
        shown = names[0] if len(names) == 1 else f"{names[0]} to {names[-1]} ({len(names)} bundles)"
        field = f"skipRange {arc.text}" if arc.text else arc.kind
        return element(
            "path",
            element("title", f"{field}: {shown} → {target}"),
            class_=f"edge {arc.kind}{' lit' if lit else ''}",
            d=self._straight(arc) if arc.level == 0 else self._bent(arc, sources),
            data_from=" ".join(_runs(sources)),
            data_to=arc.target,
        )

    # Paths begin at the target, so that the dashes of paths on one line coincide.

    def _straight(self, arc: Arc) -> str:
        return f"M{self._x(arc.target) - _RADIUS - 2} {self._line}H{self._x(arc.sources[0]) + _RADIUS + 1}"

    def _bent(self, arc: Arc, sources: tuple[int, ...]) -> str:
        side = 1 if arc.kind == "skipRange" else -1
        start = self._line + side * (_RADIUS + 1)
        height = self._line + side * (_RADIUS + 2 + arc.level * _LEVEL)
        corner = height - side * 4
        target = self._x(arc.target)
        path = ""
        # One arm to the farthest source; two where sources are on both sides of the target.
        arms = {sources[0], sources[-1]} if sources[0] < arc.target < sources[-1] else {sources[0]}
        if sources[0] >= arc.target:
            arms = {sources[-1]}
        for column in sorted(arms):
            source = self._x(column)
            if source == target:
                source += 4
            step = 5 if source < target else -5
            if abs(source - target) > 2 * abs(step):
                bend = f"Q{target} {height} {target - step} {height}"
                turn = f"H{source + step}Q{source} {height} {source} {corner}"
            else:
                bend, turn = f"V{height}", f"H{source}"
            path += f"M{target} {start + side}V{corner}{bend}{turn}V{start}"
        # All other sources get a short line from the arm towards their entries, because further arms may pass between.
        return path + "".join(f"M{self._x(column)} {height}v{side * -4}" for column in sources if column not in arms)

    def _node(self, node: RowEntry) -> Markup:
        x, y = self._x(node.column), self._line
        shapes = [element("circle", cx=x, cy=y, r=_RADIUS)]
        if "head" in node.marks:
            shapes.append(element("circle", class_="ring", cx=x, cy=y, r=_RADIUS + 3))
        if "dead" in node.marks:
            shapes.append(element("path", class_="cross", d=f"M{x - 4} {y - 4}l8 8m0 -8l-8 8"))
        if "deprecated" in node.marks:
            shapes.append(element("path", class_="bang", d=f"M{x} {y - 4}v5m0 2v1"))
        classes = ["entry", *node.marks]
        if node.name == self._installed:
            classes.append("installed")
        if node.name in self._lit or node.name in self._lit.values():
            classes.append("lit")
        facts = [node.name, *([f"version {node.version}"] if node.version else []), *node.notes]
        return element(
            "g",
            element("title", "\n".join(facts).replace("\n", "; ")),
            *shapes,
            class_=" ".join(classes),
            tabindex=0,
            role="button",
            data_name=node.name,
            data_version=node.version,
            data_column=node.column,
            data_next=node.following,
            data_notes="; ".join(node.notes),
        )


def _updates_from(names: dict[str, RowEntry], installed: str) -> dict[str, str]:
    """Map each bundle on the way of OLM classic from *installed* to its next update."""
    steps: dict[str, str] = {}
    name = installed
    while name in names and name not in steps and names[name].following:
        steps[name] = names[name].following
        name = names[name].following
    return steps


def _runs(numbers: Sequence[int]) -> Iterator[str]:
    """Yield ascending *numbers* as runs: 1, 2, 3 and 7 become ``1-3`` and ``7``."""
    for _, run in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        members = [number for _, number in run]
        yield str(members[0]) if len(members) == 1 else f"{members[0]}-{members[-1]}"
