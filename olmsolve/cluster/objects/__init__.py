"""The objects of a cluster as values, and the reader that makes them from manifests (what ``kubectl`` prints).

Read ``metadata`` first (what all objects share), then ``olm_objects`` and ``operators`` (the kinds, whose fields say
where they are in a manifest), then ``reading``, which reads each by its class.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.cluster.objects.metadata import OLM_API_VERSION as OLM_API_VERSION
    from olmsolve.cluster.objects.metadata import OLM_GROUP as OLM_GROUP
    from olmsolve.cluster.objects.metadata import OLM_V1_GROUP as OLM_V1_GROUP
    from olmsolve.cluster.objects.metadata import ClusterObject as ClusterObject
    from olmsolve.cluster.objects.metadata import Condition as Condition
    from olmsolve.cluster.objects.metadata import Metadata as Metadata
    from olmsolve.cluster.objects.metadata import OtherObject as OtherObject
    from olmsolve.cluster.objects.metadata import OwnerReference as OwnerReference
    from olmsolve.cluster.objects.metadata import condition_of as condition_of
    from olmsolve.cluster.objects.metadata import with_condition as with_condition
    from olmsolve.cluster.objects.metadata import without_conditions as without_conditions
    from olmsolve.cluster.objects.olm_objects import BundleLookup as BundleLookup
    from olmsolve.cluster.objects.olm_objects import CatalogHealth as CatalogHealth
    from olmsolve.cluster.objects.olm_objects import CatalogSource as CatalogSource
    from olmsolve.cluster.objects.olm_objects import ClusterCatalogObject as ClusterCatalogObject
    from olmsolve.cluster.objects.olm_objects import ClusterExtension as ClusterExtension
    from olmsolve.cluster.objects.olm_objects import InstallPlan as InstallPlan
    from olmsolve.cluster.objects.olm_objects import Namespace as Namespace
    from olmsolve.cluster.objects.olm_objects import OperatorCondition as OperatorCondition
    from olmsolve.cluster.objects.olm_objects import OperatorGroup as OperatorGroup
    from olmsolve.cluster.objects.olm_objects import Step as Step
    from olmsolve.cluster.objects.olm_objects import SubscriptionObject as SubscriptionObject
    from olmsolve.cluster.objects.operators import COPIED_LABEL as COPIED_LABEL
    from olmsolve.cluster.objects.operators import EVERY_MODE as EVERY_MODE
    from olmsolve.cluster.objects.operators import GROUP_ANNOTATION as GROUP_ANNOTATION
    from olmsolve.cluster.objects.operators import NAMESPACE_ANNOTATION as NAMESPACE_ANNOTATION
    from olmsolve.cluster.objects.operators import TARGETS_ANNOTATION as TARGETS_ANNOTATION
    from olmsolve.cluster.objects.operators import ApiServiceDescription as ApiServiceDescription
    from olmsolve.cluster.objects.operators import ClusterServiceVersion as ClusterServiceVersion
    from olmsolve.cluster.objects.operators import CrdDescription as CrdDescription
    from olmsolve.cluster.objects.operators import CrdVersion as CrdVersion
    from olmsolve.cluster.objects.operators import CustomResourceDefinition as CustomResourceDefinition
    from olmsolve.cluster.objects.operators import InstallMode as InstallMode
    from olmsolve.cluster.objects.operators import InstallStrategy as InstallStrategy
    from olmsolve.cluster.objects.operators import RequirementStatus as RequirementStatus
    from olmsolve.cluster.objects.operators import StrategyDeployment as StrategyDeployment
    from olmsolve.cluster.objects.operators import StrategyPermission as StrategyPermission
    from olmsolve.cluster.objects.reading import KINDS as KINDS
    from olmsolve.cluster.objects.reading import read_manifest as read_manifest
    from olmsolve.cluster.objects.reading import read_manifests as read_manifests
else:
    __getattr__, __dir__ = lazily(__name__)
