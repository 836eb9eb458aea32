"""Update graphs: the order of channels, the edges between bundles, and ways along them.

``order`` gives a channel its order and ``edges`` its edges; ``classic`` joins the two as OLM classic does. ``paths``
finds ways through any graph, and ``lane_layout`` is for drawings.
"""

from olmsolve.catalog.update_graph.classic import ClassicChannel, bundle_version
from olmsolve.catalog.update_graph.edges import Edge, EdgeKind, Expansion, UpdateGraph, VersionSet, follows
from olmsolve.catalog.update_graph.lane_layout import Arrow, Lane, LaneEntry, lanes
from olmsolve.catalog.update_graph.order import ChannelOrder, channel_order
from olmsolve.catalog.update_graph.paths import shortest_ways, walk, way_to

__all__ = [
    "Arrow",
    "ChannelOrder",
    "ClassicChannel",
    "Edge",
    "EdgeKind",
    "Expansion",
    "Lane",
    "LaneEntry",
    "UpdateGraph",
    "VersionSet",
    "bundle_version",
    "channel_order",
    "follows",
    "lanes",
    "shortest_ways",
    "walk",
    "way_to",
]
