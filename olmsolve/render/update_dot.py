"""A catalog's update graphs in the DOT language of Graphviz.

Each channel is a cluster, with the entries and arrows that :mod:`olmsolve.render.update_mermaid` draws too. Unlike
there, a deprecation marks only objects of its own package.
"""

from __future__ import annotations

from typing import Final

from olmsolve.catalog import Catalog, Deprecation, Package
from olmsolve.catalog.update_graph import Arrow, Lane, lanes
from olmsolve.render.layout import quoted

_STYLE: Final = {"replaces": "solid", "skips": "dashed", "skipRange": "dotted"}
_DEPRECATED: Final = "#E8960F"
_SKIPPED: Final = "#FF0000"


def update_graph_dot(catalog: Catalog, *, minimum_edge: str = "", package: str = "") -> str:
    """Draw the channels of *catalog*, or of *package* alone, as DOT text that ends with a line end.

    Heads are bold, skipped entries have a red border, entries without a bundle a dashed border, and deprecated entries
    are filled. Solid arrows are ``replaces``, dashed ``skips``, dotted ``skipRange``. *minimum_edge* names the lowest
    bundle to draw.

    Raises:
        CatalogError: as :func:`olmsolve.catalog.update_graph.lanes` raises it.
    """
    lines = ["digraph updates {", "  rankdir=LR", "  node [shape=box]"]
    for lane in lanes(catalog, minimum_edge=minimum_edge, package=package):
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
    for name in dict.fromkeys([*(entry.name for entry in lane.entries), *sorted(sources)]):
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
    for entry in lane.entries:
        target = quoted(f"{identifier}/{entry.name}")
        lines += [f"    {quoted(f'{identifier}/{arrow.source}')} -> {target} {_look(arrow)}" for arrow in entry.arrows]
    return [*lines, "  }"]


def _marked(deprecated: set[Deprecation], schema: str, name: str | None = None) -> bool:
    return any(each.schema == schema and name in (None, each.name) for each in deprecated)


def _look(arrow: Arrow) -> str:
    label = f", label={quoted(arrow.skip_range)}" if arrow.skip_range else ""
    return f'[style="{_STYLE[arrow.kind]}"{label}]'
