"""The objects of a cluster as values, and the reader that makes them from manifests (what ``kubectl`` prints).

Read ``metadata`` first (what all objects share), then one module for each kind or pair of kinds, then ``fields``
(typed access to a manifest, with errors that name the field) and ``reading`` (which reader reads which kind).
"""

from olmsolve.cluster.objects.conditions import condition_of, with_condition, without_conditions
from olmsolve.cluster.objects.crd import CrdVersion, CustomResourceDefinition
from olmsolve.cluster.objects.csv import (
    COPIED_LABEL,
    GROUP_ANNOTATION,
    NAMESPACE_ANNOTATION,
    TARGETS_ANNOTATION,
    ApiServiceDescription,
    ClusterServiceVersion,
    CrdDescription,
    InstallMode,
    InstallStrategy,
    StrategyDeployment,
    StrategyPermission,
)
from olmsolve.cluster.objects.extension import ClusterCatalogObject, ClusterExtension
from olmsolve.cluster.objects.install_plan import BundleLookup, InstallPlan, Step
from olmsolve.cluster.objects.metadata import (
    OLM_API_VERSION,
    OLM_GROUP,
    OLM_V1_GROUP,
    ClusterObject,
    Condition,
    Metadata,
    OtherObject,
    OwnerReference,
)
from olmsolve.cluster.objects.operator_group import Namespace, OperatorCondition, OperatorGroup
from olmsolve.cluster.objects.reading import read_manifest, read_manifests
from olmsolve.cluster.objects.subscription import CatalogHealth, CatalogSource, SubscriptionObject

__all__ = [
    "COPIED_LABEL",
    "GROUP_ANNOTATION",
    "NAMESPACE_ANNOTATION",
    "OLM_API_VERSION",
    "OLM_GROUP",
    "OLM_V1_GROUP",
    "TARGETS_ANNOTATION",
    "ApiServiceDescription",
    "BundleLookup",
    "CatalogHealth",
    "CatalogSource",
    "ClusterCatalogObject",
    "ClusterExtension",
    "ClusterObject",
    "ClusterServiceVersion",
    "Condition",
    "CrdDescription",
    "CrdVersion",
    "CustomResourceDefinition",
    "InstallMode",
    "InstallPlan",
    "InstallStrategy",
    "Metadata",
    "Namespace",
    "OperatorCondition",
    "OperatorGroup",
    "OtherObject",
    "OwnerReference",
    "Step",
    "StrategyDeployment",
    "StrategyPermission",
    "SubscriptionObject",
    "condition_of",
    "read_manifest",
    "read_manifests",
    "with_condition",
    "without_conditions",
]
