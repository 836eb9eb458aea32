"""The layout of a picture of a plan: each bundle is right of whoever brought it in.

Columns and rows are plain numbers; :mod:`olmsolve.render.html.plan_page` draws them. For a subscription whose bundle
requires two others, of which the second requires a third::

    column 0        1            2             3
    row 0   shop -> storefront -> courier
    row 1                     `-> ember ------> cache

Bundles without requirements of their own, which no other bundle requires, are not drawn: nothing connects them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, Literal, TypeAlias

import olmsolve._attrs as attrs
from olmsolve.resolution import Install, Resolution, WantedBy

NodeKind: TypeAlias = Literal["wish", "new", "replacing", "kept"]
"""A subscription, a bundle that is new, one that replaces an installed operator, and an operator that stays."""

# Larger pictures are slow to draw and too crowded to read; the tree below a picture has everything.
_MOST_NODES: Final = 600
_MOST_EDGES: Final = 2_000
_MOST_COLUMNS: Final = 24


@attrs.frozen
class PlanNode:
    """A subscription or bundle of the picture; *details* are short facts, such as its version and its catalog."""

    name: str
    kind: NodeKind
    column: int
    row: int
    details: tuple[str, ...] = ()


@attrs.frozen
class PlanEdge:
    """The node *source* wants the node *target* (positions in the picture), for the *requirement* ("" for a wish).

    It is *first* where the source's choice selected the target; others only need it too.
    """

    source: int
    target: int
    requirement: str
    first: bool


@attrs.frozen
class PlanPicture:
    """The nodes and edges of a plan, with *omitted* bundles that are connected and not drawn, because of their number.

    *omitted_edges* counts the requirements between drawn bundles that are not drawn.
    """

    nodes: tuple[PlanNode, ...]
    edges: tuple[PlanEdge, ...]
    omitted: int = 0
    omitted_edges: int = 0

    @property
    def size(self) -> tuple[int, int]:
        """The numbers of columns and rows."""
        columns = max((node.column for node in self.nodes), default=-1) + 1
        return columns, max((node.row for node in self.nodes), default=-1) + 1


def plan_picture(resolution: Resolution) -> PlanPicture:
    """Return the picture of the dependencies in *resolution*, without nodes where no bundle requires another."""
    return _Layout(resolution).picture()


class _Layout:
    """Places nodes by key: the kind of the party with its name, because a subscription may be called like a bundle."""

    def __init__(self, resolution: Resolution) -> None:
        self._kept = {candidate.name: candidate for candidate in resolution.kept}
        self._replaced = {install.name: old.name for old, install in resolution.replaced}
        self._installs = {install.name: install for install in resolution.installs}
        wanting = {wish.bundle for install in resolution.installs for wish in install.wanted_by if wish.bundle}
        self._connected = [
            install
            for install in resolution.installs
            if install.name in wanting or any(wish.bundle for wish in install.wanted_by)
        ]
        self._below: dict[tuple[str, str], list[Install]] = {}
        for install in self._connected:
            if install.wanted_by:
                self._below.setdefault(_key(install.wanted_by[0]), []).append(install)
        self._positions: dict[tuple[str, str], int] = {}
        self._nodes: list[PlanNode] = []
        self._row = 0

    def picture(self) -> PlanPicture:
        """Return the picture of all connected bundles, as far as its bounds allow."""
        for key in [key for key in self._below if key[0] != "bundle" or key[1] not in self._installs]:
            self._lay_out(key)
        # A bundle that nobody wants, or that wants itself round a circle, has no root above it.
        for install in self._connected:
            key = ("bundle", install.name)
            if not install.wanted_by and key not in self._positions:
                self._lay_out(key)
        edges = list(self._edges())
        drawn = [edge for edge in edges if edge.first] + [edge for edge in edges if not edge.first]
        bundles = sum(node.kind in ("new", "replacing") for node in self._nodes)
        return PlanPicture(
            tuple(self._nodes),
            tuple(drawn[:_MOST_EDGES]),
            omitted=len(self._connected) - bundles,
            omitted_edges=max(0, len(drawn) - _MOST_EDGES),
        )

    def _lay_out(self, root: tuple[str, str]) -> None:
        """Place *root* and everything below it: a first child on the row of its parent, each other one on a new row."""
        waiting = [(root, 0, True)]
        while waiting:
            key, column, opens = waiting.pop()
            if key in self._positions or len(self._nodes) >= _MOST_NODES or column >= _MOST_COLUMNS:
                continue
            if opens:
                self._row += bool(self._nodes)
            self._positions[key] = len(self._nodes)
            self._nodes.append(self._node(key, column, self._row))
            children = self._below.get(("bundle", key[1]), []) if key[0] == "bundle" else self._below.get(key, [])
            following = [(("bundle", child.name), column + 1, position > 0) for position, child in enumerate(children)]
            waiting.extend(reversed(following))

    def _node(self, key: tuple[str, str], column: int, row: int) -> PlanNode:
        kind, name = key
        if kind == "wish":
            return PlanNode(name, "wish", column, row, ("subscription",))
        if kind == "rule":
            return PlanNode(name, "wish", column, row, ("house rule",))
        install = self._installs.get(name)
        if install is None:
            kept = self._kept.get(name)
            return PlanNode(name, "kept", column, row, ("stays", *filter(None, [kept.version if kept else ""])))
        if name in self._replaced:
            return PlanNode(name, "replacing", column, row, (f"replaces {self._replaced[name]}",))
        details = tuple(filter(None, (install.version, install.channel, install.catalog)))
        return PlanNode(name, "new", column, row, details)

    def _edges(self) -> Iterator[PlanEdge]:
        for install in self._connected:
            target = self._positions.get(("bundle", install.name))
            for number, wanted in enumerate(_distinct(install.wanted_by)):
                source = self._positions.get(_key(wanted))
                if source is not None and target is not None:
                    requirement = str(wanted.requirement) if wanted.requirement is not None else ""
                    yield PlanEdge(source, target, requirement, number == 0)


def _distinct(wanted_by: Iterable[WantedBy]) -> Iterable[WantedBy]:
    """Return the first wish of each party: two requirements of one bundle are one line in a picture."""
    distinct: dict[tuple[str, str], WantedBy] = {}
    for wish in wanted_by:
        distinct.setdefault(_key(wish), wish)
    return distinct.values()


def _key(wanted: WantedBy) -> tuple[str, str]:
    if wanted.house_rule:
        return "rule", wanted.house_rule
    return ("wish", wanted.subscription) if wanted.subscription else ("bundle", wanted.bundle)
