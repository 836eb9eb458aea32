"""Ways through an update graph: as a controller goes, and the shortest.

Both work on any nodes; what a node is, and where one can go from it, is given as a function.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

__all__ = ["shortest_ways", "walk", "way_to"]

N = TypeVar("N", bound=Hashable)


def walk(start: N, step: Callable[[N], N | None]) -> list[N]:
    """The nodes after *start* when taking *step* until it says None, or until a node comes again.

    A node that comes again is the last of the list; *start* is the first that can.
    """
    seen = {start}
    way: list[N] = []
    node = step(start)
    while node is not None:
        way.append(node)
        if node in seen:
            break
        seen.add(node)
        node = step(node)
    return way


def shortest_ways(
    start: N, neighbours: Callable[[N], Iterable[N]], until: Callable[[N], bool] | None = None
) -> dict[N, N]:
    """For each node that can be reached from *start*, the node before it on a shortest way (start excluded).

    Breadth first: of several shortest ways it is the one through the neighbours that come first. *neighbours*
    is asked once about each node, nearest first. The search ends early with the first node that meets *until*.
    """
    before: dict[N, N] = {}
    level = [start]
    while level:
        following: list[N] = []
        for node in level:
            for neighbour in neighbours(node):
                if neighbour != start and neighbour not in before:
                    before[neighbour] = node
                    if until is not None and until(neighbour):
                        return before
                    following.append(neighbour)
        level = following
    return before


def way_to(target: N, before: dict[N, N]) -> list[N]:
    """The nodes of the way to *target* that :func:`shortest_ways` found, without its start.

    Raises KeyError where *target* was not reached.
    """
    way = [target]
    node = before[target]
    while node in before:
        way.append(node)
        node = before[node]
    return way[::-1]
