"""The objects of a cluster as values, and the reader that makes them from manifests."""

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
from olmsolve.cluster.objects.fields import Fields, ManifestLocation, Raw
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
    "Fields",
    "InstallMode",
    "InstallPlan",
    "InstallStrategy",
    "ManifestLocation",
    "Metadata",
    "Namespace",
    "OperatorCondition",
    "OperatorGroup",
    "OtherObject",
    "OwnerReference",
    "Raw",
    "Step",
    "StrategyDeployment",
    "StrategyPermission",
    "SubscriptionObject",
    "read_manifest",
    "read_manifests",
]
