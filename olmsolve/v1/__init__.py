"""Operator Lifecycle Manager v1: one cluster extension at a time, the highest version that its wish allows.

A request's path, and the modules in reading order::

    request              ExtensionRequest: an extension, the cluster's catalogs, and what is installed
    label_selectors      ... and how it chooses among the catalogs
    resolving            its wish is parsed, catalogs are selected, and for each of them
    offers               ... the bundles of the package are put into the order of preference, and are filtered
    resolving            then deprecation and priority decide between catalogs, and
    validations          ... may refuse the winner
    installing           ... and so may the rules between resolved and installed, a room of its own
    resolution           the answer is an ExtensionResolution, or
    errors               a ResolutionError, in the words of OLM v1, with an
    explanation          ... ExtensionExplanation, and with what came ``nearest``

Beside that path: ``obstacle_view`` says what keeps newer bundles away (``obstacles``), ``controller`` updates as OLM
v1's controller does and writes its status, ``simulating`` does so for several extensions, ``extension_path`` finds the
way to a bundle, ``planning`` solves several extensions with their dependencies (``plans``), ``classic_differences``
compares the updates with classic's, and ``differing`` compares what two sets of extensions get.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.v1 import installing as installing
    from olmsolve.v1.classic_differences import Difference as Difference
    from olmsolve.v1.classic_differences import DifferenceKind as DifferenceKind
    from olmsolve.v1.classic_differences import DifferenceReason as DifferenceReason
    from olmsolve.v1.classic_differences import Differences as Differences
    from olmsolve.v1.classic_differences import differences as differences
    from olmsolve.v1.controller import Walk as Walk
    from olmsolve.v1.controller import extension_conditions as extension_conditions
    from olmsolve.v1.controller import installed_after as installed_after
    from olmsolve.v1.controller import installed_bundle as installed_bundle
    from olmsolve.v1.controller import status_after_next as status_after_next
    from olmsolve.v1.controller import successors as successors
    from olmsolve.v1.controller import walk as walk
    from olmsolve.v1.differing import diff_extensions as diff_extensions
    from olmsolve.v1.errors import AmbiguousCatalogsError as AmbiguousCatalogsError
    from olmsolve.v1.errors import BeingDeletedError as BeingDeletedError
    from olmsolve.v1.errors import BundleNeeds as BundleNeeds
    from olmsolve.v1.errors import BundleRefusedError as BundleRefusedError
    from olmsolve.v1.errors import BundleVersionError as BundleVersionError
    from olmsolve.v1.errors import CatalogReadError as CatalogReadError
    from olmsolve.v1.errors import ChosenBefore as ChosenBefore
    from olmsolve.v1.errors import ExtensionNeeds as ExtensionNeeds
    from olmsolve.v1.errors import InstallationError as InstallationError
    from olmsolve.v1.errors import InstalledVersionError as InstalledVersionError
    from olmsolve.v1.errors import InvalidWishError as InvalidWishError
    from olmsolve.v1.errors import ListingError as ListingError
    from olmsolve.v1.errors import MissingAccountError as MissingAccountError
    from olmsolve.v1.errors import NoBundlesError as NoBundlesError
    from olmsolve.v1.errors import OnlyOneOf as OnlyOneOf
    from olmsolve.v1.errors import PlanError as PlanError
    from olmsolve.v1.errors import PlanReason as PlanReason
    from olmsolve.v1.errors import ResolutionError as ResolutionError
    from olmsolve.v1.errors import RollingOutError as RollingOutError
    from olmsolve.v1.errors import SelectorError as SelectorError
    from olmsolve.v1.errors import UnplannableBundle as UnplannableBundle
    from olmsolve.v1.errors import VersionRangeError as VersionRangeError
    from olmsolve.v1.explanation import FILTERS as FILTERS
    from olmsolve.v1.explanation import ExtensionExplanation as ExtensionExplanation
    from olmsolve.v1.explanation import FilterCounts as FilterCounts
    from olmsolve.v1.explanation import Funnel as Funnel
    from olmsolve.v1.explanation import Nearest as Nearest
    from olmsolve.v1.explanation import Outcome as Outcome
    from olmsolve.v1.extension_path import ExtensionPath as ExtensionPath
    from olmsolve.v1.extension_path import Mode as Mode
    from olmsolve.v1.extension_path import PathStep as PathStep
    from olmsolve.v1.extension_path import path as path
    from olmsolve.v1.extension_path import steps_of as steps_of
    from olmsolve.v1.installing import DEFAULT_GATES as DEFAULT_GATES
    from olmsolve.v1.installing import BundleContent as BundleContent
    from olmsolve.v1.installing import FeatureGates as FeatureGates
    from olmsolve.v1.installing import InstallationRefusal as InstallationRefusal
    from olmsolve.v1.installing import InstallRule as InstallRule
    from olmsolve.v1.installing import InstallSettings as InstallSettings
    from olmsolve.v1.installing import bundle_content as bundle_content
    from olmsolve.v1.installing import bundle_refusal as bundle_refusal
    from olmsolve.v1.installing import is_namespaced as is_namespaced
    from olmsolve.v1.installing import unknown_facts as unknown_facts
    from olmsolve.v1.label_selectors import LabelRequirement as LabelRequirement
    from olmsolve.v1.label_selectors import LabelSelector as LabelSelector
    from olmsolve.v1.label_selectors import subdomain_faults as subdomain_faults
    from olmsolve.v1.obstacle_view import ObstacleView as ObstacleView
    from olmsolve.v1.obstacle_view import held_back as held_back
    from olmsolve.v1.obstacles import AfterOthers as AfterOthers
    from olmsolve.v1.obstacles import CatalogLeftOut as CatalogLeftOut
    from olmsolve.v1.obstacles import CatalogUnavailable as CatalogUnavailable
    from olmsolve.v1.obstacles import ComesLater as ComesLater
    from olmsolve.v1.obstacles import HeldBack as HeldBack
    from olmsolve.v1.obstacles import HeldBackBy as HeldBackBy
    from olmsolve.v1.obstacles import InOtherChannels as InOtherChannels
    from olmsolve.v1.obstacles import LessWanted as LessWanted
    from olmsolve.v1.obstacles import LowerPriority as LowerPriority
    from olmsolve.v1.obstacles import NoEdge as NoEdge
    from olmsolve.v1.obstacles import Obstacle as Obstacle
    from olmsolve.v1.obstacles import OutOfRange as OutOfRange
    from olmsolve.v1.obstacles import RefusedBundle as RefusedBundle
    from olmsolve.v1.obstacles import ResolutionStopped as ResolutionStopped
    from olmsolve.v1.obstacles import Tied as Tied
    from olmsolve.v1.offers import Offer as Offer
    from olmsolve.v1.offers import PackageOffers as PackageOffers
    from olmsolve.v1.offers import bundle_release as bundle_release
    from olmsolve.v1.offers import offers_of as offers_of
    from olmsolve.v1.offers import version_names as version_names
    from olmsolve.v1.offers import version_of as version_of
    from olmsolve.v1.planning import plan as plan
    from olmsolve.v1.plans import FailedExtension as FailedExtension
    from olmsolve.v1.plans import PassedOverBundle as PassedOverBundle
    from olmsolve.v1.plans import Plan as Plan
    from olmsolve.v1.plans import Planned as Planned
    from olmsolve.v1.plans import RequiredBy as RequiredBy
    from olmsolve.v1.plans import resolvable as resolvable
    from olmsolve.v1.request import METADATA_NAME as METADATA_NAME
    from olmsolve.v1.request import SELF_CERTIFIED as SELF_CERTIFIED
    from olmsolve.v1.request import ClusterCatalog as ClusterCatalog
    from olmsolve.v1.request import Extension as Extension
    from olmsolve.v1.request import ExtensionCondition as ExtensionCondition
    from olmsolve.v1.request import ExtensionDiff as ExtensionDiff
    from olmsolve.v1.request import ExtensionDifference as ExtensionDifference
    from olmsolve.v1.request import ExtensionRequest as ExtensionRequest
    from olmsolve.v1.request import ExtensionResolution as ExtensionResolution
    from olmsolve.v1.request import InstallationCheck as InstallationCheck
    from olmsolve.v1.request import InstalledBundle as InstalledBundle
    from olmsolve.v1.resolving import resolve as resolve
    from olmsolve.v1.resolving import selected_catalogs as selected_catalogs
    from olmsolve.v1.resolving import wish_of as wish_of
    from olmsolve.v1.simulating import ExtensionRound as ExtensionRound
    from olmsolve.v1.simulating import ExtensionSimulation as ExtensionSimulation
    from olmsolve.v1.simulating import ExtensionUpdate as ExtensionUpdate
    from olmsolve.v1.simulating import RestingExtension as RestingExtension
    from olmsolve.v1.simulating import simulate as simulate
    from olmsolve.v1.validations import Validation as Validation
    from olmsolve.v1.validations import eligible as eligible
    from olmsolve.v1.validations import no_dependencies as no_dependencies
else:
    __getattr__, __dir__ = lazily(__name__)
