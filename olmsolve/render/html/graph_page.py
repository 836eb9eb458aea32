"""Update graphs as one page: a drawing for each package, where the updates of a chosen version light up."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping, Sequence
from typing import Final

from olmsolve._arguments import must_be
from olmsolve._limits import checked
from olmsolve.catalog import Catalog
from olmsolve.render.html.page import page
from olmsolve.render.layout import counted
from olmsolve.render.markup import Markup, element
from olmsolve.render.update_picture import Picture, pictures
from olmsolve.render.update_svg import drawing

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
            *([_filter()] if len(drawn) > 1 else []),
            element("p", "Choose a version to see where it updates to.", id="told", role="status", aria_live="polite"),
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


def graph_arrowheads() -> Markup:
    """Return an arrowhead for each colour of line, because a marker does not take the colour of its line."""
    heads = [
        element(
            "marker",
            element("path", class_=f"tip {kind}", d="M0 0L6 3L0 6Z"),
            id=f"tip-{kind}",
            viewBox="0 0 6 6",
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


def _filter() -> Markup:
    field = element("input", type="search", id="filter", placeholder="part of a name", autocomplete="off")
    return element("p", element("label", "Packages: ", field), class_="filter", hidden=True)


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
    made = (element("button", words, type="button", data_zoom=action) for action, words in buttons)
    return element("p", *made, class_="zoom", hidden=True)


def _packed(picture: Picture) -> Markup:
    """Return the drawing as data, which the page's script unpacks when somebody opens it.

    Hundreds of drawings are megabytes of markup, of which a reader looks at a few: deflated, they are a tenth::

        333 packages of a real catalog    6.3 MB as markup, 0.9 MB as data
    """
    markup = _controls() + drawing(picture)
    data = base64.b64encode(zlib.compress(markup.encode("utf-8", "surrogatepass"), 9)).decode("ascii")
    return element(
        "p",
        "A script has to unpack this drawing; a page of only this package needs none.",
        class_="packed",
        data_drawing=data,
    )
