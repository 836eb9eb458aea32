"""Rules about the catalogs of a cluster: who sees them, their images, their health, and their deprecations.

Read ``sources`` first (which catalogs a namespace sees); ``images``, ``health`` and ``deprecation`` each hold one rule
that OLM applies to an object's status. They stand alone.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.cluster.catalogs.deprecation import DEPRECATION_CONDITIONS as DEPRECATION_CONDITIONS
    from olmsolve.cluster.catalogs.deprecation import DeprecationMessages as DeprecationMessages
    from olmsolve.cluster.catalogs.deprecation import deprecation_noted as deprecation_noted
    from olmsolve.cluster.catalogs.deprecation import subscription_deprecations as subscription_deprecations
    from olmsolve.cluster.catalogs.deprecation import with_deprecations as with_deprecations
    from olmsolve.cluster.catalogs.health import catalog_health as catalog_health
    from olmsolve.cluster.catalogs.health import with_catalog_health as with_catalog_health
    from olmsolve.cluster.catalogs.images import IMAGE_TEMPLATE_ANNOTATION as IMAGE_TEMPLATE_ANNOTATION
    from olmsolve.cluster.catalogs.images import NO_VALUES as NO_VALUES
    from olmsolve.cluster.catalogs.images import ResolvedImage as ResolvedImage
    from olmsolve.cluster.catalogs.images import SyncedImage as SyncedImage
    from olmsolve.cluster.catalogs.images import resolved_image as resolved_image
    from olmsolve.cluster.catalogs.images import synced_image as synced_image
    from olmsolve.cluster.catalogs.images import template_values as template_values
    from olmsolve.cluster.catalogs.sources import DEFAULT_GLOBAL_NAMESPACE as DEFAULT_GLOBAL_NAMESPACE
    from olmsolve.cluster.catalogs.sources import EXCLUDE_GLOBAL as EXCLUDE_GLOBAL
    from olmsolve.cluster.catalogs.sources import VisibleCatalog as VisibleCatalog
    from olmsolve.cluster.catalogs.sources import visible_catalogs as visible_catalogs
    from olmsolve.cluster.catalogs.sources import visible_namespaces as visible_namespaces
else:
    __getattr__, __dir__ = lazily(__name__)
