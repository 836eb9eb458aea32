"""Update graphs as one page: a drawing for each package, where the updates of a chosen version light up.

The drawing is SVG: channels are lanes, versions are columns, arrows are updates. Colours come from the page's style
(``render/html/page.css``), by class. Shapes repeat everything that colours say.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final

from olmsolve._arguments import must_be
from olmsolve._limits import checked
from olmsolve.catalog import Catalog
from olmsolve.render.html.page import Markup, element, page, search_field
from olmsolve.render.layout import counted
from olmsolve.render.update_picture import Arc, Picture, Row, RowEntry, pictures

# The legend: classes of shapes in the drawing, and their meaning.
_LEGEND = (
    ("entry head", "head of a channel"),
    ("entry skipped", "skipped by another entry"),
    ("entry deprecated", "deprecated"),
    ("entry dead", "no request can select it"),
    ("entry missing", "not in the catalog"),
)
_MOST_WHOLE: Final = 20
"""A page of more packages has their drawings as data."""
_EDGES = (("replaces", "replaces"), ("skips", "skips"), ("skipRange", "skipRange"))


def update_graph_html(
    catalog: Catalog,
    *,
    minimum_edge: str = "",
    package: str = "",
    installed: str = "",
    dead: Mapping[str, Mapping[str, str]] | None = None,
    about: Sequence[str] = (),
) -> str:
    """Draw the channels of *catalog*, or only of *package*, as an HTML document that ends with a line end.

    Channels are lanes, versions are columns, the same for all channels of a package. A click on an entry highlights the
    updates of OLM classic from it in each channel; the updates from *installed* are highlighted from the start. *dead*
    maps a package to the bundles that no request can select, with the reason of each (an audit finds them).
    *minimum_edge* names the lowest bundle to draw, *about* says what the page was made of (its catalog).

    Raises:
        CatalogError: a bundle does not have exactly one ``olm.package`` property with a version, no bundle is called
            *minimum_edge*, or the catalog has more than a million arrows.
    """
    must_be(catalog, "Catalog", "catalog")
    drawn = pictures(catalog, minimum_edge=minimum_edge, package=package, dead=dead)
    title = f"Update graphs of {drawn[0].package}" if len(drawn) == 1 else f"Update graphs of {len(drawn)} packages"
    return page(
        title,
        [
            graph_arrowheads(),
            graph_legend(),
            *([search_field("Packages", id="filter")] if len(drawn) > 1 else []),
            graph_hint(),
            element("main", *(_section(picture, installed, total=len(drawn)) for picture in checked(drawn))),
        ],
        about=about,
        styles=["graph"],
        scripts=["graph"],
    )


def graph_legend() -> Markup:
    """Return what the shapes of a drawing mean."""
    entries = [_sample(classes, meaning) for classes, meaning in _LEGEND]
    edges = [_edge(kind, meaning) for kind, meaning in _EDGES]
    return element("ul", *entries, *edges, class_="legend", aria_label="what the shapes mean")


def graph_hint() -> Markup:
    """Return the line that says what to do, and then where the chosen version updates to."""
    return element("p", "Choose a version to see where it updates to.", id="told", role="status", aria_live="polite")


def graph_arrowheads() -> Markup:
    """Return an arrowhead for each colour of line, because a marker does not take the colour of its line."""
    heads = [
        element(
            "marker",
            element("path", class_=f"tip {kind}", d="M0 0L6 3L0 6Z"),
            id=f"tip-{kind}",
            viewBox="0 0 6 6",
            # The line ends two pixels inside of the tip, so that its square end does not show beside the point.
            refX=4,
            refY=3,
            markerWidth=6,
            markerHeight=6,
            markerUnits="userSpaceOnUse",
            orient="auto-start-reverse",
        )
        for kind in ("replaces", "skips", "skipRange", "lit")
    ]
    return element("svg", element("defs", *heads), class_="tips", width=0, height=0, aria_hidden="true")


def _sample(classes: str, meaning: str) -> Markup:
    shapes = [element("circle", cx=11, cy=11, r=6)]
    if "head" in classes:
        shapes.append(element("circle", class_="ring", cx=11, cy=11, r=9))
    if "dead" in classes:
        shapes.append(element("path", class_="cross", d="M7 7l8 8m0 -8l-8 8"))
    if "deprecated" in classes:
        shapes.append(element("path", class_="bang", d="M11 7v5m0 2v1"))
    drawing = element("svg", element("g", *shapes, class_=classes), width=22, height=22, aria_hidden="true")
    return element("li", drawing, f" {meaning}")


def _edge(kind: str, meaning: str) -> Markup:
    line = element("path", class_=f"edge {kind}", d="M30 11H2")
    return element("li", element("svg", line, width=38, height=22, aria_hidden="true"), f" {meaning}")


def _section(picture: Picture, installed: str, *, total: int) -> Markup:
    size = f"{counted(len(picture.rows), 'channel')}, {counted(len(picture.columns), 'bundle')}"
    lit = any(node.name == installed for row in picture.rows for node in row.nodes)
    summary = [element("strong", picture.package), f" {size}"]
    if picture.deprecated is not None:
        summary.append(element("em", f" deprecated: {picture.deprecated}"))
    opened = total == 1 or lit
    return element(
        "details",
        element("summary", *summary),
        *(
            (_packed(picture),)
            if total > _MOST_WHOLE and not opened
            else (_controls(), drawing(picture, installed=installed))
        ),
        class_="package",
        data_package=picture.package,
        open=opened,
    )


def _controls() -> Markup:
    """Return the buttons that change the size of a drawing; hidden without a script."""
    buttons = (
        ("fit", "Fit to the window"),
        ("in", "Larger"),
        ("out", "Smaller"),
        ("older", "Oldest"),
        ("newer", "Newest"),
    )
    made = (element("button", label, type="button", data_zoom=action) for action, label in buttons)
    return element("p", *made, class_="zoom", hidden=True)


def _packed(picture: Picture) -> Markup:
    """Return the drawing as data, which the page's script unpacks when somebody opens it.

    Hundreds of drawings are megabytes of markup, of which a reader looks at a few: deflated, they are a tenth::

        333 packages of a real catalog    6.3 MB as markup, 0.9 MB as data
    """
    markup = _controls() + drawing(picture)
    # Zlib and base64 leave a seventh of the markup of community-prod; a page is made once and loaded often.
    data = base64.b64encode(zlib.compress(markup.encode("utf-8", "surrogatepass"), 9)).decode("ascii")
    return element(
        "p",
        "A script has to unpack this drawing; a page of only this package needs none.",
        class_="packed",
        data_drawing=data,
    )


# Pixels of the drawing: from column to column, between the heights of two arcs, of a circle, around the whole, and free
# above and below the line of a channel.
_COLUMN: Final = 30
_LEVEL: Final = 9
_RADIUS: Final = 6
_MARGIN: Final = 12
_ABOVE: Final = 14
_BELOW: Final = 16
# Pixels of a character in the page's font: SVG is laid out here, and no browser measures the text before.
_CHARACTER: Final = 6.4
_SMALL: Final = 5.6
_LONGEST_LABEL: Final = 24  # characters, as in the two lines below
_LONGEST_CHANNEL: Final = 28
_LONGEST_VERSION: Final = 18
_LEFT: Final = 20
_LEAST_HEIGHT: Final = 34
_MARK: Final = 78
"""The width after the names for a note on hidden columns: "← 1234 older"."""


def drawing(picture: Picture, *, installed: str = "") -> Markup:
    """Return *picture* with the channels in a column of their own, and the way from the bundle *installed* lit in each.

    Only the updates scroll, so that no name covers an entry.
    """
    labels = [_cut_inside(label, _LONGEST_LABEL) for label in picture.columns]
    head = _MARGIN + int(_CHARACTER * 0.87 * max(map(len, labels), default=0)) + 8
    parts: list[Markup] = [
        _label(label, whole, _LEFT + i * _COLUMN, head)
        for i, (label, whole) in enumerate(zip(labels, picture.columns, strict=True))
    ]
    top = head + 6
    width = _LEFT + len(labels) * _COLUMN + _MARGIN + int(_CHARACTER * 0.5 * _LONGEST_LABEL)
    names: list[Markup] = []
    for row in picture.rows:
        line = top + _ABOVE + row.above * _LEVEL
        bottom = max(line + _BELOW + row.below * _LEVEL, top + _LEAST_HEIGHT)
        parts.append(_RowDrawing(row, line, installed).group(top, bottom - top, width))
        names.append(_channel(row, line))
        top = bottom
    height = top + _MARGIN
    widest = max(max(_CHARACTER * len(_name(row)), _SMALL * len(_extent(row))) for row in picture.rows)
    beside = _MARGIN + 8 + _MARK + int(widest)
    channels = element(
        "svg",
        *names,
        class_="channels",
        viewBox=f"0 0 {beside} {height}",
        width=beside,
        height=height,
        aria_hidden="true",
    )
    updates = element(
        "svg",
        *parts,
        class_="updates",
        viewBox=f"0 0 {width} {height}",
        width=width,
        height=height,
        role="group",
        aria_label=f"update graphs of package {picture.package}",
    )
    return element("div", channels, element("div", updates, class_="scroll"), class_="drawing")


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _cut_inside(text: str, longest: int) -> str:
    """Return *text* without its middle if it is longer: builds of one day differ at the end of their versions."""
    if len(text) <= longest:
        return text
    end = longest // 2
    return f"{text[: longest - end - 1]}…{text[-end:]}"


def _name(row: Row) -> str:
    marks = " ★" if row.is_default else ""
    marks += " (deprecated)" if row.deprecated is not None else ""
    return _cut(row.channel, _LONGEST_CHANNEL) + marks


def _extent(row: Row) -> str:
    """Return how many entries *row* has and of which versions: an entry may be far outside of the window."""
    versions = [node.version for node in row.nodes if node.version and "missing" not in node.marks]
    if len(versions) < 2:
        return versions[0] if versions else "no bundle"
    first, last = (_cut_inside(version, _LONGEST_VERSION) for version in (versions[0], versions[-1]))
    return f"{len(versions)}: {first} to {last}"


def _channel(row: Row, line: int) -> Markup:
    title = [f"channel {row.channel}"]
    title += ["the default channel"] if row.is_default else []
    title += [f"deprecated: {row.deprecated}"] if row.deprecated is not None else []
    title += [row.fault] if row.fault else []
    flags = " deprecated" if row.deprecated is not None else ""
    return element(
        "g",
        element("title", "; ".join(title)),
        element("text", _name(row), class_="channel", x=_MARGIN, y=line),
        element("text", _extent(row), class_="extent", x=_MARGIN, y=line + 12),
        class_=f"name{flags}",
    )


def _label(label: str, whole: str, x: int, y: int) -> Markup:
    title = [element("title", whole)] if label != whole else []
    return element("text", *title, label, class_="version", transform=f"translate({x + 4} {y}) rotate(-60)")


class _RowDrawing:
    """The drawing of one row, whose line is at the height *line*."""

    def __init__(self, row: Row, line: int, installed: str) -> None:
        self._row = row
        self._line = line
        names = {node.name: node for node in row.nodes}
        self._lit = _updates_from(names, installed)
        self._installed = installed
        self._columns = {node.column: node.name for node in row.nodes}
        # The tab key stops once in a row; arrow keys go on from there.
        self._stop = names.get(installed, row.nodes[-1] if row.nodes else None)

    def group(self, top: int, height: int, width: int) -> Markup:
        """Return the row as a ``g`` element, with its band between *top* and *top* + *height*."""
        row = self._row
        flags = " deprecated" if row.deprecated is not None else ""
        flags += " broken" if row.fault else ""
        paths = (path for arc in row.arcs for path in self._arc_paths(arc))
        return element(
            "g",
            element("rect", class_="band", x=2, y=top, width=width - 4, height=height - 3, rx=5),
            *checked(paths, every=16),
            *self._way(),
            *(self._node(node) for node in checked(row.nodes, every=16)),
            class_=f"lane{flags}",
            data_channel=row.channel,
            data_line=self._line,
            data_above=row.above * _LEVEL + _ABOVE,
        )

    def _x(self, column: int) -> int:
        return _LEFT + column * _COLUMN

    def _way(self) -> Iterator[Markup]:
        """Yield the steps that OLM classic takes from the installed bundle, over the arrows that offer them.

        An arrow may stand for the updates of many versions, and several arrows may offer one update, so arrows
        themselves would light up more than the way. The page's script draws the way of another version alike.
        """
        columns = {name: column for column, name in self._columns.items()}
        for source, target in self._lit.items():
            start, end = self._x(columns[source]), self._x(columns[target])
            yield element("path", class_="way", d=way(start, end, self._line, self._row.above * _LEVEL + _ABOVE))

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
        shown = names[0] if len(names) == 1 else f"{names[0]} to {names[-1]} ({len(names)} bundles)"
        field = f"skipRange {arc.text}" if arc.text else arc.kind
        return element(
            "path",
            element("title", f"{field}: {shown} → {target}"),
            class_=f"edge {arc.kind}",
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
            path += f"M{target} {start + side}V{corner}{bend}{turn}"
            # The line from the source begins there, so that the dashes of several arms coincide on it too.
            path += f"M{source} {start}V{corner}"
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
            tabindex=0 if node is self._stop else -1,
            role="button",
            data_name=node.name,
            data_version=node.version,
            data_column=node.column,
            data_next=node.following,
            data_notes="; ".join(node.notes),
        )


def way(start: int, end: int, line: int, above: int) -> str:
    """Return the path of a step from *start* to *end*: along the *line* to a neighbour, else in an arch.

    *above* is the room over the line, in pixels.
    """
    if abs(end - start) <= _COLUMN:
        return f"M{end} {line}H{start}"
    return f"M{end} {line}Q{(start + end) // 2} {line - min(2 * above - 8, abs(end - start) // 2)} {start} {line}"


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
