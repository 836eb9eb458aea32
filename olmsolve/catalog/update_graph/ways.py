"""Ways through an update graph: the one that a controller takes, and the shortest ones.

Nodes can be of any type, and a function gives the neighbours of a node.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

N = TypeVar("N", bound=Hashable)


def walk(start: N, step: Callable[[N], N | None]) -> list[N]:
    """Follow *step* from *start* until it returns None or a node that was visited; return the nodes after *start*.

    The visited node is the last of the list; *start* counts as visited.
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
    """Return, for each node that can be reached from *start*, the node before it on a shortest way.

    The search is breadth first: of several shortest ways, the neighbour listed first wins. *neighbours* is
    called once for each node, nearest first. The search ends early with the first node that meets *until*.
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
    """Return the nodes of the way to *target* that :func:`shortest_ways` found, without its start.

    Raises KeyError where *target* was not reached.
    """
    way = [target]
    node = before[target]
    while node in before:
        way.append(node)
        node = before[node]
    return way[::-1]
