"""Where the steps from many nodes end, each node visited once."""

from __future__ import annotations

from collections.abc import Callable, Iterable

__all__ = ["ends"]

End = tuple[str, ...]


def ends(nodes: Iterable[str], step: Callable[[str], str | None], *, stop: str) -> dict[End, tuple[str, ...]]:
    """The ends at which one gets stuck when taking *step*, each with those of *nodes* that come there, in order.

    An end is the one node from which there is no step, or the nodes of a circle (one for a step from a node to itself)
    in the order in which they are gone through, beginning with the first of *nodes* among them. What comes
    to *stop* is left out.
    """
    nodes = tuple(nodes)
    place = {node: position for position, node in enumerate(nodes)}
    end_of: dict[str, End] = {stop: (stop,)}
    for start in nodes:
        trail: dict[str, int] = {}
        node = start
        while node not in end_of:
            if node in trail:
                end_of[node] = _circle(list(trail)[trail[node] :], place)
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
        if end_of[node] != (stop,):
            result.setdefault(end_of[node], []).append(node)
    return {end: tuple(found) for end, found in result.items()}


def _circle(nodes: list[str], place: dict[str, int]) -> End:
    first = min(range(len(nodes)), key=lambda position: place.get(nodes[position], len(place)))
    return (*nodes[first:], *nodes[:first])
