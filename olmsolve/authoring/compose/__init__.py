"""Catalogs made from catalogs, by functions that return new ones: merge, subset, edit and compare.

Where the catalogs that come in are valid, the catalog that comes out is valid too; ``refusals`` has that promise.
Read ``merging``, then ``subsetting`` (dependencies included), ``editing``, and last ``update_edges`` and
``differences``. ``entries`` thins channels, and keeps fields that the model does not know.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.authoring.compose.differences import CatalogChange as CatalogChange
    from olmsolve.authoring.compose.differences import CatalogDiff as CatalogDiff
    from olmsolve.authoring.compose.differences import StrandedUsers as StrandedUsers
    from olmsolve.authoring.compose.differences import UpgradeChange as UpgradeChange
    from olmsolve.authoring.compose.differences import diff_catalogs as diff_catalogs
    from olmsolve.authoring.compose.editing import Addition as Addition
    from olmsolve.authoring.compose.editing import EntryEdges as EntryEdges
    from olmsolve.authoring.compose.editing import add_all as add_all
    from olmsolve.authoring.compose.editing import add_bundle as add_bundle
    from olmsolve.authoring.compose.editing import deprecate as deprecate
    from olmsolve.authoring.compose.editing import promote as promote
    from olmsolve.authoring.compose.editing import set_default_channel as set_default_channel
    from olmsolve.authoring.compose.editing import set_edges as set_edges
    from olmsolve.authoring.compose.editing import stated_edges as stated_edges
    from olmsolve.authoring.compose.entries import chain_of as chain_of
    from olmsolve.authoring.compose.merging import merge_catalogs as merge_catalogs
    from olmsolve.authoring.compose.refusals import new_advice as new_advice
    from olmsolve.authoring.compose.refusals import newly_unmet as newly_unmet
    from olmsolve.authoring.compose.removing import remove_from_catalog as remove_from_catalog
    from olmsolve.authoring.compose.subsetting import Keep as Keep
    from olmsolve.authoring.compose.subsetting import subset_catalog as subset_catalog
    from olmsolve.authoring.compose.update_edges import UpdateEdge as UpdateEdge
    from olmsolve.authoring.compose.update_edges import catalog_edges as catalog_edges
else:
    __getattr__, __dir__ = lazily(__name__)
