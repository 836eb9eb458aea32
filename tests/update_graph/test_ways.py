"""Ways through a graph: one step after another, and the shortest to everywhere."""

from __future__ import annotations

import random

import pytest

from olmsolve.catalog.update_graph import shortest_ways, walk, way_to


def test_a_walk_ends_where_no_step_leads_on() -> None:
    """The start is no part of the way."""
    steps = {"a": "b", "b": "c"}
    assert walk("a", steps.get) == ["b", "c"]
    assert walk("c", steps.get) == []


def test_a_walk_ends_with_the_first_node_that_comes_back() -> None:
    """The start counts as visited, so that a circle is seen after one round."""
    assert walk("a", {"a": "b", "b": "c", "c": "b"}.get) == ["b", "c", "b"]
    assert walk("a", {"a": "b", "b": "a"}.get) == ["b", "a"]
    assert walk("a", {"a": "a"}.get) == ["a"]


def test_ways_are_the_shortest() -> None:
    """Against distances by relaxation, on random graphs; each step is an edge, and the first neighbour wins."""
    for seed in range(60):
        draw = random.Random(seed)
        nodes = range(7)
        graph = {node: [other for other in draw.sample(nodes, 7) if draw.random() < 0.25] for node in nodes}
        far = {node: 0 if node == 0 else 99 for node in nodes}
        for _ in nodes:
            for node in nodes:
                for other in graph[node]:
                    far[other] = min(far[other], far[node] + 1)
        before = shortest_ways(0, graph.__getitem__)
        assert before.keys() == {node for node in nodes if 0 < far[node] < 99}
        for node, earlier in before.items():
            assert node in graph[earlier]
            assert far[earlier] + 1 == far[node]


def test_the_first_neighbour_wins_and_the_goal_ends_the_search() -> None:
    """Both ways to d take two steps; nothing behind the goal is looked at."""
    graph = {"a": ["c", "b"], "b": ["d"], "c": ["d"], "d": ["e"], "e": []}
    assert shortest_ways("a", graph.__getitem__) == {"c": "a", "b": "a", "d": "c", "e": "d"}
    nodes: list[str] = []

    def neighbours(node: str) -> list[str]:
        nodes.append(node)
        return graph[node]

    ways = shortest_ways("a", neighbours, lambda node: node == "d")
    assert ways["d"] == "c"
    assert nodes == ["a", "c"]


def test_the_way_to_a_target_is_read_backwards() -> None:
    """It begins after the start and ends with the target."""
    before = shortest_ways("a", {"a": ["b"], "b": ["c"], "c": [], "d": []}.__getitem__)
    assert way_to("c", before) == ["b", "c"]
    assert way_to("b", before) == ["b"]
    with pytest.raises(KeyError):
        way_to("d", before)
