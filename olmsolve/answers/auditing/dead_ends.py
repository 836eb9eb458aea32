"""The dead ends of steps from many nodes, each node visited once."""

from __future__ import annotations

from collections.abc import Callable, Iterable

End = tuple[str, ...]


def dead_ends(nodes: Iterable[str], step: Callable[[str], str | None], *, goal: str) -> dict[End, tuple[str, ...]]:
    """Return each end short of *goal* to which *step* leads, with the *nodes* that come there, in order.

    An end is a single node without a step, or the nodes of a circle in walking order, beginning with the one that
    comes first in *nodes* (a single node, if it steps to itself). For the steps a-b, b-c, d-e, e-d and the goal g::

        dead_ends("abcde", step, goal="g") == {("c",): ("a", "b", "c"), ("d", "e"): ("d", "e")}
    """
    nodes = tuple(nodes)
    positions = {node: position for position, node in enumerate(nodes)}
    # Walks end early at a node whose end an earlier walk has found, so that all walks together take one step a node.
    end_of: dict[str, End] = {goal: (goal,)}
    for start in nodes:
        trail: dict[str, int] = {}
        node = start
        while node not in end_of:
            if node in trail:
                end_of[node] = _circle(list(trail)[trail[node] :], positions)
                break
            trail[node] = len(trail)
            following = step(node)
            if following is None:
                end_of[node] = (node,)
                break
            node = following
        for passed in trail:
            end_of.setdefault(passed, end_of[node])
    result: dict[End, list[str]] = {}
    for node in nodes:
        if end_of[node] != (goal,):
            result.setdefault(end_of[node], []).append(node)
    return {end: tuple(found) for end, found in result.items()}


def _circle(nodes: list[str], positions: dict[str, int]) -> End:
    """Return the circle *nodes* turned so that the node of the lowest position comes first."""
    first = min(range(len(nodes)), key=lambda index: positions.get(nodes[index], len(positions)))
    return (*nodes[first:], *nodes[:first])
