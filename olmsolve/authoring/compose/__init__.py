"""Catalogs made from catalogs, by functions that return new ones: merge, subset, edit and compare."""

from olmsolve.authoring.compose.differences import CatalogChange, CatalogDiff, UpgradeChange, diff
from olmsolve.authoring.compose.editing import add, deprecate, promote, set_default_channel
from olmsolve.authoring.compose.merging import merge
from olmsolve.authoring.compose.subsetting import Keep, subset
from olmsolve.authoring.compose.update_edges import UpdateEdge, edges

__all__ = [
    "CatalogChange",
    "CatalogDiff",
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
