"""Operator Lifecycle Manager v1: one cluster extension at a time, the highest version that its wish allows."""

from olmsolve.v1.differences import Difference, differences
from olmsolve.v1.errors import (
    AmbiguousCatalogsError,
    BundleRefusedError,
    BundleVersionError,
    CatalogReadError,
    InstalledVersionError,
    ListingError,
    NoBundlesError,
    PlanError,
    ResolutionError,
    SelectorError,
    VersionRangeError,
)
from olmsolve.v1.explanation import FILTERS, ExtensionExplanation, Funnel, Nearest, Outcome
from olmsolve.v1.installed import installed_bundle
from olmsolve.v1.offers import PackageOffers, version_of
from olmsolve.v1.paths import ExtensionPath, Mode, PathStep, path
from olmsolve.v1.planning import Plan, Planned, plan
from olmsolve.v1.request import ClusterCatalog, Extension, ExtensionRequest, InstalledBundle
from olmsolve.v1.resolution import ExtensionResolution
from olmsolve.v1.resolving import resolve
from olmsolve.v1.selector import LabelRequirement, LabelSelector
from olmsolve.v1.successors import successors
from olmsolve.v1.validations import Validation, eligible, no_dependencies

__all__ = [
    "FILTERS",
    "AmbiguousCatalogsError",
    "BundleRefusedError",
    "BundleVersionError",
    "CatalogReadError",
    "ClusterCatalog",
    "Difference",
    "Extension",
    "ExtensionExplanation",
    "ExtensionPath",
    "ExtensionRequest",
    "ExtensionResolution",
    "Funnel",
    "InstalledBundle",
    "InstalledVersionError",
    "LabelRequirement",
    "LabelSelector",
    "ListingError",
    "Mode",
    "Nearest",
    "NoBundlesError",
    "Outcome",
    "PackageOffers",
    "PathStep",
    "Plan",
    "PlanError",
    "Planned",
    "ResolutionError",
    "SelectorError",
    "Validation",
    "VersionRangeError",
    "differences",
    "eligible",
    "installed_bundle",
    "no_dependencies",
    "path",
    "plan",
    "resolve",
    "successors",
    "version_of",
]
