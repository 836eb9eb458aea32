"""Catalogs made from catalogs, by functions that return new ones: merge, subset, edit and compare.

Where the catalogs that come in are valid, the catalog that comes out is valid too; ``refusals`` has that promise.
Read ``merging``, then ``subsetting`` with the two modules that it uses (``thinning`` for one channel, ``requiring`` for
dependencies), ``editing``, and last ``update_edges`` and ``differences``. ``written`` keeps fields that the model does
not know.
"""

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
