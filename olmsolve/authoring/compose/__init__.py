"""Catalogs made from catalogs, by functions that return new ones: merge, subset, edit and compare.

Where the catalogs that come in are valid, the catalog that comes out is valid too; ``refusals`` has that promise.
Read ``merging``, then ``subsetting`` with the two modules that it uses (``thinning`` for one channel, ``requiring`` for
dependencies), ``editing``, and last ``update_edges`` and ``differences``. ``written`` keeps fields that the model does
not know.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.authoring.compose.differences import CatalogChange as CatalogChange
    from olmsolve.authoring.compose.differences import CatalogDiff as CatalogDiff
    from olmsolve.authoring.compose.differences import UpgradeChange as UpgradeChange
    from olmsolve.authoring.compose.differences import diff as diff
    from olmsolve.authoring.compose.editing import Addition as Addition
    from olmsolve.authoring.compose.editing import EntryEdges as EntryEdges
    from olmsolve.authoring.compose.editing import add as add
    from olmsolve.authoring.compose.editing import add_all as add_all
    from olmsolve.authoring.compose.editing import deprecate as deprecate
    from olmsolve.authoring.compose.editing import promote as promote
    from olmsolve.authoring.compose.editing import set_default_channel as set_default_channel
    from olmsolve.authoring.compose.editing import set_edges as set_edges
    from olmsolve.authoring.compose.editing import stated_edges as stated_edges
    from olmsolve.authoring.compose.merging import merge as merge
    from olmsolve.authoring.compose.refusals import new_advice as new_advice
    from olmsolve.authoring.compose.removing import remove as remove
    from olmsolve.authoring.compose.subsetting import Keep as Keep
    from olmsolve.authoring.compose.subsetting import subset as subset
    from olmsolve.authoring.compose.thinning import chain_of as chain_of
    from olmsolve.authoring.compose.update_edges import UpdateEdge as UpdateEdge
    from olmsolve.authoring.compose.update_edges import edges as edges
else:
    __getattr__, __dir__ = lazily(__name__)
