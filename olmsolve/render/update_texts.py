"""A catalog's update graphs as texts of other tools: mermaid, and the DOT language of Graphviz.

The mermaid text is equal to the output of ``opm alpha render-graph``. Each package is a subgraph, and so is each
channel inside it. Arrows run from the installed bundle to its successor.

Three oddities are kept from upstream, so that the text is equal: marked links are numbered over the channels of all
packages by name, although the text is grouped by package; a deprecated channel or bundle marks all objects of that
name, in any package; and of several deprecated packages only one is marked.

In DOT each channel is a cluster with the same entries and arrows, and a deprecation marks only objects of its package.
"""

from __future__ import annotations

from typing import Final

from olmsolve._arguments import must_be
from olmsolve._limits import checked
from olmsolve._patterns import pattern
from olmsolve.catalog import Catalog, Deprecation, Package
from olmsolve.catalog.update_graph import Arrow, Lane, LaneEntry, lanes
from olmsolve.render.layout import plain, quoted

_HEADER: Final = (
    "graph LR",
    "  classDef deprecated fill:#E8960F",
    "  classDef skipped stroke:#FF0000,stroke-width:4px",
    "  classDef deprecatedskipped fill:#E8960F,stroke:#FF0000,stroke-width:4px",
)
_DEPRECATED_PACKAGE: Final = "fill:#989695"
_DEPRECATED_CHANNEL: Final = "fill:#DCD0FF"
# Dashes, and a full stop after a dash, would begin an arrow.
_USUAL_IDENTIFIER: Final = pattern(r"(?:[A-Za-z0-9_.+/]|-(?![-.>]))+")
# A range may have a "<", after which no tag begins.
_USUAL_LABEL: Final = pattern(r"(?:[A-Za-z0-9_.+/ ()>=!|~^*,-]|<(?![A-Za-z/!?]))*")
_UNTAKEN_LINK: Final = "stroke:#FF0000,stroke-width:3px,stroke-dasharray:5;"


def update_graph_mermaid(
    catalog: Catalog, *, minimum_edge: str = "", package: str = "", v0_semantics: bool = True
) -> str:
    """Draw the channels of *catalog*, or only of *package*, as mermaid text that ends with a line end.

    *minimum_edge* names a bundle: only channels of its package are drawn, and only entries from its version up.
    *v0_semantics* marks everything that OLM classic steps over: skipped entries, and the edges that no update takes
    because of them (``opm`` marks them on request).

    Raises:
        CatalogError: a bundle does not have exactly one ``olm.package`` property with a version, no bundle is called
            *minimum_edge*, or the catalog has more than a million arrows.

    >>> import olmsolve
    >>> orchard = olmsolve.load("olmsolve/examples/catalogs/orchard")
    >>> print(olmsolve.update_graph_mermaid(orchard, package="parcels").splitlines()[0])
    graph LR
    """
    must_be(catalog, "Catalog", "catalog")
    drawing = _Drawing(_deprecated(catalog), v0_semantics)
    for lane in lanes(catalog, minimum_edge=minimum_edge, package=package):
        drawing.add(lane)
    return drawing.text()


def _deprecated(catalog: Catalog) -> frozenset[tuple[str, str]]:
    """Return the deprecated objects, as pairs of a schema and a name."""
    return frozenset(
        (entry.schema, package.name if entry.schema == "olm.package" else entry.name)
        for package in catalog
        for entry in package.deprecations
    )


class _Drawing:
    """The lines of each package, and the styles of nodes and links for the end. Mermaid numbers links from 0."""

    def __init__(self, deprecated: frozenset[tuple[str, str]], v0_semantics: bool) -> None:
        self._deprecated = deprecated
        self._v0_semantics = v0_semantics
        self._packages: dict[str, list[str]] = {}
        self._styles: list[str] = []
        self._package_style: list[str] = []
        self._classes: dict[str, list[str]] = {}
        self._links = 0
        self._untaken: list[str] = []

    def add(self, lane: Lane) -> None:
        """Draw a channel, and note the styles of its nodes and links."""
        identifier = f"{lane.package}-{lane.channel}"
        lines = self._packages.setdefault(lane.package, [])
        lines.append(f"    %% channel {_quoted(lane.channel)}")
        lines.append(f"    subgraph {_identifier(identifier)}[{_quoted(lane.channel)}]")
        if ("olm.package", lane.package) in self._deprecated:
            self._package_style = [f"style {_identifier(lane.package)} {_DEPRECATED_PACKAGE}"]
        if ("olm.channel", lane.channel) in self._deprecated:
            self._styles.append(f"style {_identifier(identifier)} {_DEPRECATED_CHANNEL}")
        skipped: set[str] = set()
        for entry in checked(lane.entries):
            node = _node(identifier, entry.name)
            lines.append(f"      {node}")
            self._classify(identifier, entry, skipped)
            for arrow in entry.arrows:
                lines.append(f"      {_node(identifier, arrow.source)}-- {_label(arrow)} --> {node}")
                self._count_link(arrow, entry, skipped)
        lines.append("    end")

    def text(self) -> str:
        """Return the whole drawing."""
        lines = list(_HEADER)
        for name, drawn in sorted(self._packages.items()):
            lines += [f"  %% package {_quoted(name)}", f"  subgraph {_package_title(name)}", *drawn, "  end"]
        lines += self._package_style + self._styles
        lines += [f"class {','.join(sorted(nodes))} {name}" for name, nodes in sorted(self._classes.items())]
        if self._untaken:
            lines.append(f"linkStyle {','.join(self._untaken)} {_UNTAKEN_LINK}")
        return "\n".join(lines) + "\n"

    def _classify(self, channel: str, entry: LaneEntry, skipped: set[str]) -> None:
        # A mermaid node has one class only, so "deprecated" and "skipped" together have a class of their own.
        kind = "deprecated" if ("olm.bundle", entry.name) in self._deprecated else ""
        kind += "skipped" if entry.name in skipped else ""
        if kind:
            self._classes.setdefault(kind, []).append(_identifier(f"{channel}-{entry.name}"))

    def _count_link(self, arrow: Arrow, entry: LaneEntry, skipped: set[str]) -> None:
        # No update leads to a skipped entry; and of several entries that skip one, only the highest is an update of it.
        # Entries come from the highest version down, so the first to skip it is the highest.
        if (arrow.source if arrow.kind == "skips" else entry.name) in skipped:
            self._untaken.append(str(self._links))
        elif arrow.kind == "skips" and self._v0_semantics:
            skipped.add(arrow.source)
        self._links += 1


def _node(channel: str, name: str) -> str:
    return f"{_identifier(f'{channel}-{name}')}[{_quoted(name)}]"


def _identifier(text: str) -> str:
    """Return *text* as mermaid's name of a node or subgraph, which has no quotes that could hold odd characters.

    Usual names stay as ``opm`` writes them. In others the odd characters become their numbers, and the hyphen as well,
    which every usual name has: so no two texts share a name.

    >>> _identifier("db-stable-db.v1"), _identifier("db-a; b")
    ('db-stable-db.v1', 'db_2d_a_3b__20_b')
    """
    if _USUAL_IDENTIFIER.fullmatch(text):
        return text
    return "".join(
        character if character.isascii() and character.isalnum() else f"_{ord(character):x}_" for character in text
    )


def _package_title(name: str) -> str:
    """Return the subgraph of a package: its name, as ``opm`` has it, which a name with odd characters cannot be."""
    return quoted(name) if _USUAL_IDENTIFIER.fullmatch(name) else f"{_identifier(name)}[{_quoted(name)}]"


def _quoted(text: str) -> str:
    """Return *text* as a label: mermaid knows no escapes, but HTML's entities, as ``#quot;``."""
    if _USUAL_LABEL.fullmatch(text):
        return f'"{text}"'
    shown = plain(text).replace("&", "#amp;").replace('"', "#quot;").replace("`", "#96;")
    return '"' + shown.replace("<", "#lt;").replace(">", "#gt;") + '"'


def _label(arrow: Arrow) -> str:
    if arrow.kind == "skipRange":
        return _quoted(f"skipRange({arrow.skip_range})")
    return "skip" if arrow.kind == "skips" else "replace"


_STYLE: Final = {"replaces": "solid", "skips": "dashed", "skipRange": "dotted"}
_DEPRECATED: Final = "#E8960F"
_SKIPPED: Final = "#FF0000"


def update_graph_dot(catalog: Catalog, *, minimum_edge: str = "", package: str = "") -> str:
    """Draw the channels of *catalog*, or only of *package*, as DOT text that ends with a line end.

    Heads are bold, skipped entries have a red border, entries without a bundle a dashed border, and deprecated entries
    are filled. Solid arrows are ``replaces``, dashed ``skips``, dotted ``skipRange``. *minimum_edge* names the lowest
    bundle to draw.

    Raises:
        CatalogError: a bundle does not have exactly one ``olm.package`` property with a version, no bundle is called
            *minimum_edge*, or the catalog has more than a million arrows.
    """
    must_be(catalog, "Catalog", "catalog")
    lines = ["digraph updates {", "  rankdir=LR", "  node [shape=box]"]
    for lane in checked(lanes(catalog, minimum_edge=minimum_edge, package=package)):
        lines += _cluster(lane, catalog.packages[lane.package])
    return "\n".join([*lines, "}"]) + "\n"


def _cluster(lane: Lane, package: Package) -> list[str]:
    identifier = f"{lane.package}/{lane.channel}"
    deprecated = set(package.deprecations)
    marked = _marked(deprecated, "olm.channel", lane.channel) or _marked(deprecated, "olm.package")
    lines = [f"  subgraph {quoted('cluster ' + identifier)} {{", f"    label={quoted(identifier)}"]
    if marked:
        lines.append(f'    bgcolor="{_DEPRECATED}"')
    sources = {arrow.source for entry in lane.entries for arrow in entry.arrows if arrow.source != entry.name}
    skipped = {arrow.source for entry in lane.entries for arrow in entry.arrows if arrow.kind == "skips"}
    # Entries first, then names that only edges mention, each once.
    for name in checked(dict.fromkeys([*(entry.name for entry in lane.entries), *sorted(sources)]), every=64):
        styles: list[str] = []
        colours = ""
        if name not in sources:
            styles.append("bold")
        if name not in package.bundles:
            styles.append("dashed")
        if _marked(deprecated, "olm.bundle", name):
            styles.append("filled")
            colours += f', fillcolor="{_DEPRECATED}"'
        if name in skipped:
            colours += f', color="{_SKIPPED}"'
        node = quoted(f"{identifier}/{name}")
        lines.append(f'    {node} [label={quoted(name)}, style="{",".join(styles)}"{colours}]')
    for entry in checked(lane.entries):
        target = quoted(f"{identifier}/{entry.name}")
        lines += [f"    {quoted(f'{identifier}/{arrow.source}')} -> {target} {_look(arrow)}" for arrow in entry.arrows]
    return [*lines, "  }"]


def _marked(deprecated: set[Deprecation], schema: str, name: str | None = None) -> bool:
    return any(deprecation.schema == schema and name in (None, deprecation.name) for deprecation in deprecated)


def _look(arrow: Arrow) -> str:
    label = f", label={quoted(arrow.skip_range)}" if arrow.skip_range else ""
    return f'[style="{_STYLE[arrow.kind]}"{label}]'
