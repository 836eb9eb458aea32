"""Update graphs: the order of channels, the edges between bundles, and ways along them.

``edges`` gives a channel its edges, and ``classic`` its order; it joins the two as OLM classic does. ``ways``
finds ways through any graph, and ``lane_layout`` is for drawings.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.catalog.update_graph.classic import ChannelOrder as ChannelOrder
    from olmsolve.catalog.update_graph.classic import ClassicChannel as ClassicChannel
    from olmsolve.catalog.update_graph.classic import bundle_version as bundle_version
    from olmsolve.catalog.update_graph.classic import channel_order as channel_order
    from olmsolve.catalog.update_graph.edges import Edge as Edge
    from olmsolve.catalog.update_graph.edges import EdgeKind as EdgeKind
    from olmsolve.catalog.update_graph.edges import Expansion as Expansion
    from olmsolve.catalog.update_graph.edges import UpdateGraph as UpdateGraph
    from olmsolve.catalog.update_graph.edges import VersionSet as VersionSet
    from olmsolve.catalog.update_graph.edges import follows as follows
    from olmsolve.catalog.update_graph.edges import skip_range as skip_range
    from olmsolve.catalog.update_graph.lane_layout import Arrow as Arrow
    from olmsolve.catalog.update_graph.lane_layout import Lane as Lane
    from olmsolve.catalog.update_graph.lane_layout import LaneEntry as LaneEntry
    from olmsolve.catalog.update_graph.lane_layout import lanes as lanes
    from olmsolve.catalog.update_graph.ways import shortest_ways as shortest_ways
    from olmsolve.catalog.update_graph.ways import walk as walk
    from olmsolve.catalog.update_graph.ways import way_to as way_to
else:
    __getattr__, __dir__ = lazily(__name__)
