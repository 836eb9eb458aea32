"""The objects of a cluster as values, and the reader that makes them from manifests."""

from olmsolve.cluster.objects.crd import CrdVersion, CustomResourceDefinition
from olmsolve.cluster.objects.csv import (
    COPIED_LABEL,
    ApiServiceDescription,
    ClusterServiceVersion,
    CrdDescription,
    InstallMode,
    InstallStrategy,
    Permission,
    StrategyDeployment,
)
from olmsolve.cluster.objects.extension import ClusterCatalog, ClusterExtension
from olmsolve.cluster.objects.fields import Fields, Place, Raw
from olmsolve.cluster.objects.install_plan import BundleLookup, InstallPlan, Step
from olmsolve.cluster.objects.metadata import ClusterObject, Condition, Metadata, OtherObject, OwnerReference
from olmsolve.cluster.objects.operator_group import Namespace, OperatorCondition, OperatorGroup
from olmsolve.cluster.objects.reading import read_manifest, read_manifests
from olmsolve.cluster.objects.subscription import CatalogHealth, CatalogSource, Subscription

__all__ = [
    "COPIED_LABEL",
    "ApiServiceDescription",
    "BundleLookup",
    "CatalogHealth",
    "CatalogSource",
    "ClusterCatalog",
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
    "Metadata",
    "Namespace",
    "OperatorCondition",
    "OperatorGroup",
    "OtherObject",
    "OwnerReference",
    "Permission",
    "Place",
    "Raw",
    "Step",
    "StrategyDeployment",
    "Subscription",
    "read_manifest",
    "read_manifests",
]
