"""Work on catalogs themselves, without a request or a cluster: judge them, make new ones, compare them.

The rooms, in reading order:

- :mod:`~olmsolve.authoring.checks`: is a catalog valid (:func:`validate`), and does it say what its authors meant
  (:func:`lint`)?
- :mod:`~olmsolve.authoring.compose`: functions from catalogs to a new catalog (:func:`merge_catalogs`,
  :func:`subset_catalog` and the edits), every update that a catalog offers (:func:`catalog_edges`), and what changed
  between two catalogs (:func:`diff_catalogs`).
- :mod:`~olmsolve.authoring.templates`: short documents that are rendered to catalogs (:func:`render_template`).
- :mod:`~olmsolve.authoring.composites`: catalogs that are made of the catalogs and templates of others.
- :mod:`~olmsolve.authoring.in_place`: the files of a catalog changed into those of another (:func:`changed_files`),
  with comments and order kept; ``file_changes`` shows and writes such changes.
- ``catalog_lists`` (:func:`catalog_list`) and ``starting`` (:func:`new_package`, :func:`dockerfile`): what is in a
  catalog, and the files with which one begins.
- ``installability`` (:func:`installable`): what OLM v1 makes of the bundles of a catalog.
- ``upgrades``: the next update of an installed bundle, for OLM classic and OLM v1; the other rooms build on it.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.authoring import checks as checks
    from olmsolve.authoring import compose as compose
    from olmsolve.authoring import composites as composites
    from olmsolve.authoring import in_place as in_place
    from olmsolve.authoring import templates as templates
    from olmsolve.authoring.catalog_lists import Listed as Listed
    from olmsolve.authoring.catalog_lists import catalog_list as catalog_list
    from olmsolve.authoring.catalog_lists import listing as listing
    from olmsolve.authoring.checks import Finding as Finding
    from olmsolve.authoring.checks import SecondOpinions as SecondOpinions
    from olmsolve.authoring.checks import Severity as Severity
    from olmsolve.authoring.checks import lint as lint
    from olmsolve.authoring.checks import second_opinions as second_opinions
    from olmsolve.authoring.checks import validate as validate
    from olmsolve.authoring.compose import Addition as Addition
    from olmsolve.authoring.compose import CatalogChange as CatalogChange
    from olmsolve.authoring.compose import CatalogDiff as CatalogDiff
    from olmsolve.authoring.compose import EntryEdges as EntryEdges
    from olmsolve.authoring.compose import Keep as Keep
    from olmsolve.authoring.compose import UpdateEdge as UpdateEdge
    from olmsolve.authoring.compose import UpgradeChange as UpgradeChange
    from olmsolve.authoring.compose import add_all as add_all
    from olmsolve.authoring.compose import add_bundle as add_bundle
    from olmsolve.authoring.compose import deprecate as deprecate
    from olmsolve.authoring.compose import diff_catalogs as diff_catalogs
    from olmsolve.authoring.compose import merge_catalogs as merge_catalogs
    from olmsolve.authoring.compose import new_advice as new_advice
    from olmsolve.authoring.compose import newly_unmet as newly_unmet
    from olmsolve.authoring.compose import promote as promote
    from olmsolve.authoring.compose import remove_from_catalog as remove_from_catalog
    from olmsolve.authoring.compose import set_default_channel as set_default_channel
    from olmsolve.authoring.compose import set_edges as set_edges
    from olmsolve.authoring.compose import stated_edges as stated_edges
    from olmsolve.authoring.compose import subset_catalog as subset_catalog
    from olmsolve.authoring.composites import CompositeCatalog as CompositeCatalog
    from olmsolve.authoring.file_changes import FileChange as FileChange
    from olmsolve.authoring.file_changes import write_changes as write_changes
    from olmsolve.authoring.in_place import changed_files as changed_files
    from olmsolve.authoring.installability import InstallableBundle as InstallableBundle
    from olmsolve.authoring.installability import InstallableList as InstallableList
    from olmsolve.authoring.installability import installable as installable
    from olmsolve.authoring.starting import OPM_IMAGE as OPM_IMAGE
    from olmsolve.authoring.starting import dockerfile as dockerfile
    from olmsolve.authoring.starting import new_package as new_package
    from olmsolve.authoring.templates import Rendered as Rendered
    from olmsolve.authoring.templates import Renderer as Renderer
    from olmsolve.authoring.templates import render_template as render_template
    from olmsolve.authoring.upgrades import Generation as Generation
    from olmsolve.authoring.upgrades import PackageUpgrades as PackageUpgrades
    from olmsolve.authoring.upgrades import UpdateSource as UpdateSource
    from olmsolve.authoring.upgrades import update_source as update_source
else:
    __getattr__, __dir__ = lazily(__name__)
