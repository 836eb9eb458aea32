"""Catalogs made from catalogs, by functions that return new ones: merge, subset, edit and compare."""

from olmsolve.compose.differences import CatalogDiff, Change, UpgradeChange, diff
from olmsolve.compose.editing import add, deprecate, promote, set_default_channel
from olmsolve.compose.merging import merge
from olmsolve.compose.subsetting import Keep, subset
from olmsolve.compose.update_edges import UpdateEdge, edges

__all__ = [
    "CatalogDiff",
    "Change",
    "Keep",
    "UpdateEdge",
    "UpgradeChange",
    "add",
    "deprecate",
    "diff",
    "edges",
    "merge",
    "promote",
    "set_default_channel",
    "subset",
]
