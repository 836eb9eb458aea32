"""Rules about the catalogs of a cluster: who sees them, their images, their health, and their deprecations.

``subscription_catalogs`` says which catalogs a namespace sees, and what OLM notes of them in subscriptions; ``images``
holds the rule for templates of image references. They stand alone.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.cluster.catalogs.images import IMAGE_TEMPLATE_ANNOTATION as IMAGE_TEMPLATE_ANNOTATION
    from olmsolve.cluster.catalogs.images import NO_VALUES as NO_VALUES
    from olmsolve.cluster.catalogs.images import ResolvedImage as ResolvedImage
    from olmsolve.cluster.catalogs.images import SyncedImage as SyncedImage
    from olmsolve.cluster.catalogs.images import resolved_image as resolved_image
    from olmsolve.cluster.catalogs.images import synced_image as synced_image
    from olmsolve.cluster.catalogs.images import template_values as template_values
    from olmsolve.cluster.catalogs.subscription_catalogs import DEFAULT_GLOBAL_NAMESPACE as DEFAULT_GLOBAL_NAMESPACE
    from olmsolve.cluster.catalogs.subscription_catalogs import DEPRECATION_CONDITIONS as DEPRECATION_CONDITIONS
    from olmsolve.cluster.catalogs.subscription_catalogs import EXCLUDE_GLOBAL as EXCLUDE_GLOBAL
    from olmsolve.cluster.catalogs.subscription_catalogs import DeprecationMessages as DeprecationMessages
    from olmsolve.cluster.catalogs.subscription_catalogs import VisibleCatalog as VisibleCatalog
    from olmsolve.cluster.catalogs.subscription_catalogs import catalog_health as catalog_health
    from olmsolve.cluster.catalogs.subscription_catalogs import deprecation_noted as deprecation_noted
    from olmsolve.cluster.catalogs.subscription_catalogs import subscription_deprecations as subscription_deprecations
    from olmsolve.cluster.catalogs.subscription_catalogs import visible_catalogs as visible_catalogs
    from olmsolve.cluster.catalogs.subscription_catalogs import visible_namespaces as visible_namespaces
    from olmsolve.cluster.catalogs.subscription_catalogs import with_catalog_health as with_catalog_health
    from olmsolve.cluster.catalogs.subscription_catalogs import with_deprecations as with_deprecations
else:
    __getattr__, __dir__ = lazily(__name__)
