"""Operator Lifecycle Manager v1: one cluster extension at a time, the highest version that its wish allows.

A request's path, and the modules in reading order::

    request, selector    ExtensionRequest: an extension, the cluster's catalogs, and what is installed
    resolving            its wish is parsed, catalogs are selected, and for each of them
    offers               ... the bundles of the package stand in the order of preference
    stages               ... and are filtered by channel, version and edges
    resolving            then deprecation and priority decide between catalogs, and
    validations          ... may refuse the winner
    resolution           the answer is an ExtensionResolution, or
    errors               a ResolutionError, in the words of OLM v1, with an
    explanation          ... ExtensionExplanation, and with what came ``nearest``

Beside that path: ``held_back`` says what keeps newer bundles away (``obstacles``), ``walking`` updates as the
controller does, ``simulating`` does so for several extensions, ``extension_path`` finds the way to a bundle,
``planning`` solves several extensions with their dependencies (``plans``, ``plan_reasons``), ``differences`` compares
the updates with classic's, and ``successors`` and ``installed`` answer single questions.
"""

from olmsolve.v1.differences import Difference, DifferenceKind, DifferenceReason, differences
from olmsolve.v1.errors import (
    AmbiguousCatalogsError,
    BundleRefusedError,
    BundleVersionError,
    CatalogReadError,
    InstalledVersionError,
    InvalidWishError,
    ListingError,
    NoBundlesError,
    PlanError,
    ResolutionError,
    SelectorError,
    VersionRangeError,
)
from olmsolve.v1.explanation import FILTERS, ExtensionExplanation, Funnel, Nearest, Outcome
from olmsolve.v1.extension_path import ExtensionPath, Mode, PathStep, path
from olmsolve.v1.held_back import ObstacleView, held_back
from olmsolve.v1.installed import installed_bundle
from olmsolve.v1.obstacles import (
    AfterOthers,
    CatalogLeftOut,
    CatalogUnavailable,
    ComesLater,
    HeldBack,
    HeldBackBy,
    InOtherChannels,
    LessWanted,
    LowerPriority,
    NoEdge,
    Obstacle,
    OutOfRange,
    RefusedBundle,
    ResolutionStopped,
    Tied,
)
from olmsolve.v1.offers import Offer, PackageOffers, version_names, version_of
from olmsolve.v1.plan_reasons import (
    BundleNeeds,
    ChosenBefore,
    ExtensionNeeds,
    OnlyOneOf,
    PlanReason,
    UnplannableBundle,
)
from olmsolve.v1.planning import plan, resolvable
from olmsolve.v1.plans import FailedExtension, PassedOverBundle, Plan, Planned, RequiredBy
from olmsolve.v1.request import (
    METADATA_NAME,
    SELF_CERTIFIED,
    ClusterCatalog,
    Extension,
    ExtensionRequest,
    InstalledBundle,
)
from olmsolve.v1.resolution import ExtensionResolution
from olmsolve.v1.resolving import resolve
from olmsolve.v1.selector import LabelRequirement, LabelSelector
from olmsolve.v1.simulating import (
    ExtensionRound,
    ExtensionSimulation,
    ExtensionUpdate,
    RestingExtension,
    simulate,
)
from olmsolve.v1.successors import successors
from olmsolve.v1.validations import Validation, eligible, no_dependencies
from olmsolve.v1.walking import Walk, installed_after, walk

__all__ = [
    "FILTERS",
    "METADATA_NAME",
    "SELF_CERTIFIED",
    "AfterOthers",
    "AmbiguousCatalogsError",
    "BundleNeeds",
    "BundleRefusedError",
    "BundleVersionError",
    "CatalogLeftOut",
    "CatalogReadError",
    "CatalogUnavailable",
    "ChosenBefore",
    "ClusterCatalog",
    "ComesLater",
    "Difference",
    "DifferenceKind",
    "DifferenceReason",
    "Extension",
    "ExtensionExplanation",
    "ExtensionNeeds",
    "ExtensionPath",
    "ExtensionRequest",
    "ExtensionResolution",
    "ExtensionRound",
    "ExtensionSimulation",
    "ExtensionUpdate",
    "FailedExtension",
    "Funnel",
    "HeldBack",
    "HeldBackBy",
    "InOtherChannels",
    "InstalledBundle",
    "InstalledVersionError",
    "InvalidWishError",
    "LabelRequirement",
    "LabelSelector",
    "LessWanted",
    "ListingError",
    "LowerPriority",
    "Mode",
    "Nearest",
    "NoBundlesError",
    "NoEdge",
    "Obstacle",
    "ObstacleView",
    "Offer",
    "OnlyOneOf",
    "OutOfRange",
    "Outcome",
    "PackageOffers",
    "PassedOverBundle",
    "PathStep",
    "Plan",
    "PlanError",
    "PlanReason",
    "Planned",
    "RefusedBundle",
    "RequiredBy",
    "ResolutionError",
    "ResolutionStopped",
    "RestingExtension",
    "SelectorError",
    "Tied",
    "UnplannableBundle",
    "Validation",
    "VersionRangeError",
    "Walk",
    "differences",
    "eligible",
    "held_back",
    "installed_after",
    "installed_bundle",
    "no_dependencies",
    "path",
    "plan",
    "resolvable",
    "resolve",
    "simulate",
    "successors",
    "version_names",
    "version_of",
    "walk",
]
