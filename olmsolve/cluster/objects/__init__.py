"""The objects of a cluster as values, and the reader that makes them from manifests (what ``kubectl`` prints).

Read ``metadata`` first (what all objects share), then one module for each kind or pair of kinds, then ``fields``
(typed access to a manifest, with errors that name the field) and ``reading`` (which reader reads which kind).
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.cluster.objects.conditions import condition_of as condition_of
    from olmsolve.cluster.objects.conditions import with_condition as with_condition
    from olmsolve.cluster.objects.conditions import without_conditions as without_conditions
    from olmsolve.cluster.objects.crd import CrdVersion as CrdVersion
    from olmsolve.cluster.objects.crd import CustomResourceDefinition as CustomResourceDefinition
    from olmsolve.cluster.objects.csv import COPIED_LABEL as COPIED_LABEL
    from olmsolve.cluster.objects.csv import GROUP_ANNOTATION as GROUP_ANNOTATION
    from olmsolve.cluster.objects.csv import NAMESPACE_ANNOTATION as NAMESPACE_ANNOTATION
    from olmsolve.cluster.objects.csv import TARGETS_ANNOTATION as TARGETS_ANNOTATION
    from olmsolve.cluster.objects.csv import ApiServiceDescription as ApiServiceDescription
    from olmsolve.cluster.objects.csv import ClusterServiceVersion as ClusterServiceVersion
    from olmsolve.cluster.objects.csv import CrdDescription as CrdDescription
    from olmsolve.cluster.objects.csv import InstallMode as InstallMode
    from olmsolve.cluster.objects.csv import InstallStrategy as InstallStrategy
    from olmsolve.cluster.objects.csv import RequirementStatus as RequirementStatus
    from olmsolve.cluster.objects.csv import StrategyDeployment as StrategyDeployment
    from olmsolve.cluster.objects.csv import StrategyPermission as StrategyPermission
    from olmsolve.cluster.objects.extension import ClusterCatalogObject as ClusterCatalogObject
    from olmsolve.cluster.objects.extension import ClusterExtension as ClusterExtension
    from olmsolve.cluster.objects.install_plan import BundleLookup as BundleLookup
    from olmsolve.cluster.objects.install_plan import InstallPlan as InstallPlan
    from olmsolve.cluster.objects.install_plan import Step as Step
    from olmsolve.cluster.objects.metadata import OLM_API_VERSION as OLM_API_VERSION
    from olmsolve.cluster.objects.metadata import OLM_GROUP as OLM_GROUP
    from olmsolve.cluster.objects.metadata import OLM_V1_GROUP as OLM_V1_GROUP
    from olmsolve.cluster.objects.metadata import ClusterObject as ClusterObject
    from olmsolve.cluster.objects.metadata import Condition as Condition
    from olmsolve.cluster.objects.metadata import Metadata as Metadata
    from olmsolve.cluster.objects.metadata import OtherObject as OtherObject
    from olmsolve.cluster.objects.metadata import OwnerReference as OwnerReference
    from olmsolve.cluster.objects.operator_group import Namespace as Namespace
    from olmsolve.cluster.objects.operator_group import OperatorCondition as OperatorCondition
    from olmsolve.cluster.objects.operator_group import OperatorGroup as OperatorGroup
    from olmsolve.cluster.objects.reading import KINDS as KINDS
    from olmsolve.cluster.objects.reading import read_manifest as read_manifest
    from olmsolve.cluster.objects.reading import read_manifests as read_manifests
    from olmsolve.cluster.objects.subscription import CatalogHealth as CatalogHealth
    from olmsolve.cluster.objects.subscription import CatalogSource as CatalogSource
    from olmsolve.cluster.objects.subscription import SubscriptionObject as SubscriptionObject
else:
    __getattr__, __dir__ = lazily(__name__)
