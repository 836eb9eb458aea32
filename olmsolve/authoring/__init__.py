"""Work on catalogs themselves, without a request or a cluster: judge them, make new ones, compare them.

The rooms, in reading order:

- :mod:`~olmsolve.authoring.checks`: is a catalog valid (:func:`validate`), and does it say what its authors meant
  (:func:`lint`)?
- :mod:`~olmsolve.authoring.compose`: functions from catalogs to a new catalog (:func:`merge`, :func:`subset` and the
  edits), every update that a catalog offers (:func:`edges`), and what changed between two catalogs (:func:`diff`).
- :mod:`~olmsolve.authoring.templates`: short documents that are rendered to catalogs (:func:`render_template`).
- :mod:`~olmsolve.authoring.composites`: catalogs that are made of the catalogs and templates of others.
- ``upgrades``: the next update of an installed bundle, for OLM classic and OLM v1; the other rooms build on it.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.authoring import checks as checks
    from olmsolve.authoring import compose as compose
    from olmsolve.authoring import composites as composites
    from olmsolve.authoring import templates as templates
    from olmsolve.authoring.checks import Finding as Finding
    from olmsolve.authoring.checks import SecondOpinions as SecondOpinions
    from olmsolve.authoring.checks import Severity as Severity
    from olmsolve.authoring.checks import lint as lint
    from olmsolve.authoring.checks import second_opinions as second_opinions
    from olmsolve.authoring.checks import validate as validate
    from olmsolve.authoring.compose import CatalogChange as CatalogChange
    from olmsolve.authoring.compose import CatalogDiff as CatalogDiff
    from olmsolve.authoring.compose import Keep as Keep
    from olmsolve.authoring.compose import UpdateEdge as UpdateEdge
    from olmsolve.authoring.compose import UpgradeChange as UpgradeChange
    from olmsolve.authoring.compose import add as add
    from olmsolve.authoring.compose import deprecate as deprecate
    from olmsolve.authoring.compose import diff as diff
    from olmsolve.authoring.compose import edges as edges
    from olmsolve.authoring.compose import merge as merge
    from olmsolve.authoring.compose import promote as promote
    from olmsolve.authoring.compose import set_default_channel as set_default_channel
    from olmsolve.authoring.compose import subset as subset
    from olmsolve.authoring.composites import CompositeCatalog as CompositeCatalog
    from olmsolve.authoring.templates import Rendered as Rendered
    from olmsolve.authoring.templates import Renderer as Renderer
    from olmsolve.authoring.templates import render_template as render_template
    from olmsolve.authoring.upgrades import Generation as Generation
    from olmsolve.authoring.upgrades import PackageUpgrades as PackageUpgrades
    from olmsolve.authoring.upgrades import UpdateSource as UpdateSource
    from olmsolve.authoring.upgrades import update_source as update_source
else:
    __getattr__, __dir__ = lazily(__name__)
