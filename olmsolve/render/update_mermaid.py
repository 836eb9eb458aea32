"""A catalog's update graphs as mermaid text, equal to what ``opm alpha render-graph`` prints.

One subgraph a package, inside it one a channel. Arrows run from what is installed to what follows it.

Some things are as upstream has them although a reader would not expect them: the numbers of marked links count
the channels of all packages by name, while the text is grouped by package; deprecated channels and bundles are
told by their names alone, whichever package they are in; and of several deprecated packages one is marked.
"""

from __future__ import annotations

from typing import Final

from olmsolve.catalog import Catalog
from olmsolve.catalog.update_graph import Arrow, Lane, LaneEntry, lanes
from olmsolve.render.layout import plain

__all__ = ["update_graph_mermaid"]

_HEADER: Final = (
    "graph LR",
    "  classDef deprecated fill:#E8960F",
    "  classDef skipped stroke:#FF0000,stroke-width:4px",
    "  classDef deprecatedskipped fill:#E8960F,stroke:#FF0000,stroke-width:4px",
)
_DEPRECATED_PACKAGE: Final = "fill:#989695"
_DEPRECATED_CHANNEL: Final = "fill:#DCD0FF"
_PASSED_LINK: Final = "stroke:#FF0000,stroke-width:3px,stroke-dasharray:5;"


def update_graph_mermaid(
    catalog: Catalog, *, minimum_edge: str = "", package: str = "", v0_semantics: bool = True
) -> str:
    """Draw the channels of *catalog*, or of *package* alone, as mermaid text that ends with a line end.

    *minimum_edge* names a bundle: only channels of its package are drawn, and in them only what is not below
    its version. *v0_semantics* marks what OLM classic steps over: entries that another entry of the channel
    skips, and the edges that nothing takes because of that (the command line of ``opm`` does so on request).

    Raises :class:`~olmsolve.errors.CatalogError`; see :func:`olmsolve.catalog.update_graph.lane_layout.lanes`.
    """
    drawing = _Drawing(_deprecated(catalog), v0_semantics)
    for lane in lanes(catalog, minimum_edge=minimum_edge, package=package):
        drawing.add(lane)
    return drawing.text()


def _deprecated(catalog: Catalog) -> frozenset[tuple[str, str]]:
    """What is deprecated, as pairs of a schema and a name."""
    return frozenset(
        (entry.schema, package.name if entry.schema == "olm.package" else entry.name)
        for package in catalog
        for entry in package.deprecations
    )


class _Drawing:
    """Lines by package, and what is said of nodes and links at the end; mermaid numbers links from 0."""

    def __init__(self, deprecated: frozenset[tuple[str, str]], v0_semantics: bool) -> None:
        self._deprecated = deprecated
        self._v0_semantics = v0_semantics
        self._packages: dict[str, list[str]] = {}
        self._styles: list[str] = []
        self._package_style: list[str] = []
        self._classes: dict[str, list[str]] = {}
        self._links = 0
        self._passed: list[str] = []

    def add(self, lane: Lane) -> None:
        identifier = f"{lane.package}-{lane.channel}"
        lines = self._packages.setdefault(lane.package, [])
        lines.append(f"    %% channel {_quoted(lane.channel)}")
        lines.append(f"    subgraph {plain(identifier)}[{_quoted(lane.channel)}]")
        if ("olm.package", lane.package) in self._deprecated:
            self._package_style = [f"style {plain(lane.package)} {_DEPRECATED_PACKAGE}"]
        if ("olm.channel", lane.channel) in self._deprecated:
            self._styles.append(f"style {plain(identifier)} {_DEPRECATED_CHANNEL}")
        skipped: set[str] = set()
        for entry in lane.entries:
            node = _node(identifier, entry.name)
            lines.append(f"      {node}")
            self._classify(identifier, entry, skipped)
            for arrow in entry.arrows:
                lines.append(f"      {_node(identifier, arrow.source)}-- {_label(arrow)} --> {node}")
                self._count(arrow, entry, skipped)
        lines.append("    end")

    def text(self) -> str:
        lines = list(_HEADER)
        for name, drawn in sorted(self._packages.items()):
            lines += [f"  %% package {_quoted(name)}", f"  subgraph {_quoted(name)}", *drawn, "  end"]
        lines += self._package_style + self._styles
        lines += [f"class {','.join(sorted(nodes))} {name}" for name, nodes in sorted(self._classes.items())]
        if self._passed:
            lines.append(f"linkStyle {','.join(self._passed)} {_PASSED_LINK}")
        return "\n".join(lines) + "\n"

    def _classify(self, channel: str, entry: LaneEntry, skipped: set[str]) -> None:
        # Mermaid gives a node one class, so there is one for both at once.
        kind = "deprecated" if ("olm.bundle", entry.name) in self._deprecated else ""
        kind += "skipped" if entry.name in skipped else ""
        if kind:
            self._classes.setdefault(kind, []).append(plain(f"{channel}-{entry.name}"))

    def _count(self, arrow: Arrow, entry: LaneEntry, skipped: set[str]) -> None:
        # Nothing goes to what is skipped, and of several entries that skip one the highest is gone to.
        if (arrow.source if arrow.kind == "skips" else entry.name) in skipped:
            self._passed.append(str(self._links))
        elif arrow.kind == "skips" and self._v0_semantics:
            skipped.add(arrow.source)
        self._links += 1


def _node(channel: str, name: str) -> str:
    return f"{plain(f'{channel}-{name}')}[{_quoted(name)}]"


def _label(arrow: Arrow) -> str:
    if arrow.kind == "skipRange":
        return f'"skipRange({plain(arrow.skip_range)})"'
    return "skip" if arrow.kind == "skips" else "replace"


def _quoted(text: str) -> str:
    escaped = plain(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
