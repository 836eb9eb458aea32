"""Resolve Operator Lifecycle Manager requests: fast, exactly, and with reasons.

Three things to know: a :class:`Catalog` (:func:`load` reads one), a request (:func:`read_request` reads one
from a document), and :func:`resolve`, which returns a :class:`Resolution` or raises :class:`Unsatisfiable`.

============================ =============================================================================
``load``                     read a catalog, through its index where there is one
``from_blobs``               make a catalog of blobs that are in memory
``package``, ``catalog_of``  build a catalog in memory, a package in one expression
``CatalogStore``             load catalogs again when they change, while requests go on
``read_situation``           read documents and a cluster's objects, with the questions that they ask
``live_situation``           read the objects of a running cluster
``project``                  the project file of a folder: its catalogs, cluster and policy
``read_posted``              read documents that a stranger has sent, and open nothing that they name
``read_request``             read a request document for classic OLM
``read_extension_request``   read a request document for OLM v1
``read_cluster``             read the objects of a cluster
``resolve``                  return the preferred plan, or raise the reasons why there is none
``Resolver``                 answer many requests over the same catalogs, which are indexed once
``is_satisfiable``           say whether there is a plan, without the reasons
``explanation``              explain a failure, with changes after which there is a plan
``why``, ``why_not``         say why a plan has a bundle, or why it has not
``held_back``                say which newer bundles a plan leaves aside, and what keeps each of them away
``diff``                     compare the plans of two requests
``compare_semantics``        compare the plans under the documented and the controller's semantics
``certificate``, ``verify``  prove an answer, and check such a proof
``compile``                  give a request to other solvers, as clauses
``audit``                    find the bundles of whole catalogs that cannot be installed or updated
``observed``                 tell an observer of everything inside of a block
``backends``                 list the SAT solvers that can answer, and what each can do
``validate``, ``lint``       check a catalog as ``opm`` does, and for what its authors hardly meant
``parse_constraint``         read a constraint as a bundle would state it
``plan``                     return what OLM would do next for each question of a situation
``simulate``                 carry out plans on a cluster's objects until nothing changes
``impact``                   say what other catalogs or objects change on all clusters of a fleet
``journey``                  lead a cluster through several versions of OpenShift, or say why there is no way
``evolve``                   return a copy of a request, a plan or another value, with other fields
``limited``                  limit the time of everything in a ``with`` block
============================ =============================================================================

More is in the rooms: ``olmsolve.v1`` for cluster extensions, ``olmsolve.cluster.objects``, ``olmsolve.catalog``,
``olmsolve.eligibility``, ``olmsolve.testing`` and others. docs/architecture.md names those that are public.
"""

from olmsolve._lazy import lazily
from olmsolve._version import __version__ as __version__

TYPE_CHECKING = False
"""True for type checkers, False when the program runs. Importing it from ``typing`` takes as long as everything else
here, and until the program handles signals (``__main__``), an interrupt ends with a traceback."""

if TYPE_CHECKING:
    from olmsolve import authoring as authoring
    from olmsolve import catalog as catalog
    from olmsolve import cel as cel
    from olmsolve import classic as classic
    from olmsolve import cluster as cluster
    from olmsolve import eligibility as eligibility
    from olmsolve import errors as errors
    from olmsolve import events as events
    from olmsolve import fbc as fbc
    from olmsolve import lifecycle as lifecycle
    from olmsolve import predicates as predicates
    from olmsolve import render as render
    from olmsolve import requests as requests
    from olmsolve import semver as semver
    from olmsolve import solver as solver
    from olmsolve import testing as testing
    from olmsolve import v1 as v1
    from olmsolve._catalog_store import CatalogStore as CatalogStore
    from olmsolve._limits import limited as limited
    from olmsolve._questions import diff as diff
    from olmsolve._questions import held_back as held_back
    from olmsolve._questions import why as why
    from olmsolve._questions import why_not as why_not
    from olmsolve._records import evolve as evolve
    from olmsolve._resolver import Resolver as Resolver
    from olmsolve._verbs import compile as compile  # noqa: A004 - the verb, always written olmsolve.compile
    from olmsolve._verbs import is_satisfiable as is_satisfiable
    from olmsolve._verbs import resolve as resolve
    from olmsolve.answers import certificate as certificate
    from olmsolve.answers.auditing import AuditReport as AuditReport
    from olmsolve.answers.auditing import audit as audit
    from olmsolve.answers.explain import Explanation as Explanation
    from olmsolve.answers.explain import Fix as Fix
    from olmsolve.answers.explain import explanation as explanation
    from olmsolve.answers.extensions import ExtensionWhy as ExtensionWhy
    from olmsolve.answers.extensions import ExtensionWhyNot as ExtensionWhyNot
    from olmsolve.answers.held_back import HeldBackBundle as HeldBackBundle
    from olmsolve.answers.held_back import HeldBackOperator as HeldBackOperator
    from olmsolve.answers.questions import Why as Why
    from olmsolve.answers.questions import WhyNot as WhyNot
    from olmsolve.answers.questions import compare_semantics as compare_semantics
    from olmsolve.answers.verification import Verdict as Verdict
    from olmsolve.answers.verification import verify as verify
    from olmsolve.authoring import write_changes as write_changes
    from olmsolve.authoring.checks import Finding as Finding
    from olmsolve.authoring.checks import Severity as Severity
    from olmsolve.authoring.checks import lint as lint
    from olmsolve.authoring.checks import mend as mend
    from olmsolve.authoring.checks import validate as validate
    from olmsolve.authoring.checks import why_never as why_never
    from olmsolve.authoring.compose import CatalogDiff as CatalogDiff
    from olmsolve.authoring.compose import EntryEdges as EntryEdges
    from olmsolve.authoring.compose import Keep as Keep
    from olmsolve.authoring.compose import add_bundle as add_bundle
    from olmsolve.authoring.compose import catalog_edges as catalog_edges
    from olmsolve.authoring.compose import deprecate as deprecate
    from olmsolve.authoring.compose import diff_catalogs as diff_catalogs
    from olmsolve.authoring.compose import merge_catalogs as merge_catalogs
    from olmsolve.authoring.compose import promote as promote
    from olmsolve.authoring.compose import remove_from_catalog as remove_from_catalog
    from olmsolve.authoring.compose import set_default_channel as set_default_channel
    from olmsolve.authoring.compose import set_edges as set_edges
    from olmsolve.authoring.compose import subset_catalog as subset_catalog
    from olmsolve.authoring.composites import composites as composites
    from olmsolve.authoring.in_place import changed_files as changed_files
    from olmsolve.authoring.templates import bundles_by_image as bundles_by_image
    from olmsolve.authoring.templates import bundles_by_path as bundles_by_path
    from olmsolve.authoring.templates import bundles_from_registries as bundles_from_registries
    from olmsolve.authoring.templates import bundles_in_folder as bundles_in_folder
    from olmsolve.authoring.templates import render_template as render_template
    from olmsolve.catalog import Bundle as Bundle
    from olmsolve.catalog import Catalog as Catalog
    from olmsolve.catalog import Channel as Channel
    from olmsolve.catalog import ChannelEntry as ChannelEntry
    from olmsolve.catalog import Package as Package
    from olmsolve.catalog import Source as Source
    from olmsolve.catalog.fbc import from_blobs as from_blobs
    from olmsolve.catalog.index_files import load as load
    from olmsolve.classic import Agreement as Agreement
    from olmsolve.classic import AtLeastOne as AtLeastOne
    from olmsolve.classic import Broken as Broken
    from olmsolve.classic import Bundles as Bundles
    from olmsolve.classic import CannotStayBeside as CannotStayBeside
    from olmsolve.classic import CatalogsUnreadable as CatalogsUnreadable
    from olmsolve.classic import CompiledProblem as CompiledProblem
    from olmsolve.classic import Deprecated as Deprecated
    from olmsolve.classic import HealthPolicy as HealthPolicy
    from olmsolve.classic import HouseRule as HouseRule
    from olmsolve.classic import Installed as Installed
    from olmsolve.classic import MustStay as MustStay
    from olmsolve.classic import Never as Never
    from olmsolve.classic import NotEligible as NotEligible
    from olmsolve.classic import OnePerAPI as OnePerAPI
    from olmsolve.classic import OnePerPackage as OnePerPackage
    from olmsolve.classic import PlanDiff as PlanDiff
    from olmsolve.classic import Prefer as Prefer
    from olmsolve.classic import Reason as Reason
    from olmsolve.classic import Request as Request
    from olmsolve.classic import Requires as Requires
    from olmsolve.classic import RuleDemands as RuleDemands
    from olmsolve.classic import RuleForbids as RuleForbids
    from olmsolve.classic import RuleKeepsApart as RuleKeepsApart
    from olmsolve.classic import RuleLimits as RuleLimits
    from olmsolve.classic import Semantics as Semantics
    from olmsolve.classic import Subscription as Subscription
    from olmsolve.classic import SubscriptionWants as SubscriptionWants
    from olmsolve.classic import TotalAtMost as TotalAtMost
    from olmsolve.classic import UnknownCatalog as UnknownCatalog
    from olmsolve.classic import UnknownChannel as UnknownChannel
    from olmsolve.classic import UnknownPackage as UnknownPackage
    from olmsolve.classic import UnknownStartingCSV as UnknownStartingCSV
    from olmsolve.classic import Unsatisfiable as Unsatisfiable
    from olmsolve.classic import UnsatisfiableTogether as UnsatisfiableTogether
    from olmsolve.classic import UpgradePath as UpgradePath
    from olmsolve.classic import channel_path as channel_path
    from olmsolve.classic import resolve_together as resolve_together
    from olmsolve.cluster import ClusterState as ClusterState
    from olmsolve.cluster import Hindrance as Hindrance
    from olmsolve.cluster import WorksOnKubernetes as WorksOnKubernetes
    from olmsolve.cluster import WorksOnOpenShift as WorksOnOpenShift
    from olmsolve.cluster import cluster_eligibility as cluster_eligibility
    from olmsolve.cluster import group_eligibility as group_eligibility
    from olmsolve.cluster import held_in_cluster as held_in_cluster
    from olmsolve.cluster.catalogs import resolved_image as resolved_image
    from olmsolve.cluster.catalogs import template_values as template_values
    from olmsolve.cluster.crds import check_crd_upgrade as check_crd_upgrade
    from olmsolve.cluster.crds import schema_violations as schema_violations
    from olmsolve.cluster.extensions import admission_fault as admission_fault
    from olmsolve.cluster.install_plans import install_plan_manifest as install_plan_manifest
    from olmsolve.cluster.operator_groups import check_operator_groups as check_operator_groups
    from olmsolve.cluster.operator_groups import target_namespaces as target_namespaces
    from olmsolve.cluster.rbac import Permission as Permission
    from olmsolve.cluster.rbac import PermissionRequests as PermissionRequests
    from olmsolve.cluster.rbac import PolicyRule as PolicyRule
    from olmsolve.cluster.rbac import operator_permissions as operator_permissions
    from olmsolve.cluster.rbac import rbac_manifest as rbac_manifest
    from olmsolve.errors import BackendError as BackendError
    from olmsolve.errors import CatalogError as CatalogError
    from olmsolve.errors import CelError as CelError
    from olmsolve.errors import CompileError as CompileError
    from olmsolve.errors import ConstraintError as ConstraintError
    from olmsolve.errors import EvaluationError as EvaluationError
    from olmsolve.errors import Incomplete as Incomplete
    from olmsolve.errors import ManifestError as ManifestError
    from olmsolve.errors import OlmsolveError as OlmsolveError
    from olmsolve.errors import RangeError as RangeError
    from olmsolve.errors import RequestError as RequestError
    from olmsolve.errors import VersionError as VersionError
    from olmsolve.events import Observer as Observer
    from olmsolve.events import Statistics as Statistics
    from olmsolve.events import observed as observed
    from olmsolve.lifecycle import ClusterUpdate as ClusterUpdate
    from olmsolve.lifecycle import Migrations as Migrations
    from olmsolve.lifecycle import migrations as migrations
    from olmsolve.lifecycle import situation_update as situation_update
    from olmsolve.lifecycle.impact import ImpactReport as ImpactReport
    from olmsolve.lifecycle.impact import impact as impact
    from olmsolve.lifecycle.journey import Journey as Journey
    from olmsolve.lifecycle.journey import journey as journey
    from olmsolve.lifecycle.metrics import ResolutionTimes as ResolutionTimes
    from olmsolve.lifecycle.metrics import cluster_metrics as cluster_metrics
    from olmsolve.lifecycle.metrics import simulation_metrics as simulation_metrics
    from olmsolve.lifecycle.metrics.exposition import FamiliesCollector as FamiliesCollector
    from olmsolve.lifecycle.metrics.exposition import exposition as exposition
    from olmsolve.lifecycle.planning import NamespacePlan as NamespacePlan
    from olmsolve.lifecycle.planning import SituationPlan as SituationPlan
    from olmsolve.lifecycle.planning import explained_failures as explained_failures
    from olmsolve.lifecycle.planning import namespace_plan as namespace_plan
    from olmsolve.lifecycle.planning import plan as plan
    from olmsolve.lifecycle.simulation import Ending as Ending
    from olmsolve.lifecycle.simulation import Simulation as Simulation
    from olmsolve.lifecycle.simulation import simulate as simulate
    from olmsolve.predicates import Property as Property
    from olmsolve.predicates import parse_constraint as parse_constraint
    from olmsolve.render import audit_html as audit_html
    from olmsolve.render import audit_text as audit_text
    from olmsolve.render import catalog_diff_text as catalog_diff_text
    from olmsolve.render import cluster_update_text as cluster_update_text
    from olmsolve.render import explanation_html as explanation_html
    from olmsolve.render import explanation_markdown as explanation_markdown
    from olmsolve.render import explanation_text as explanation_text
    from olmsolve.render import extension_plan_text as extension_plan_text
    from olmsolve.render import extension_simulation_text as extension_simulation_text
    from olmsolve.render import failure_text as failure_text
    from olmsolve.render import fix_commands as fix_commands
    from olmsolve.render import held_back_text as held_back_text
    from olmsolve.render import impact_markdown as impact_markdown
    from olmsolve.render import impact_text as impact_text
    from olmsolve.render import json_schema as json_schema
    from olmsolve.render import json_schema_names as json_schema_names
    from olmsolve.render import metrics_text as metrics_text
    from olmsolve.render import operator_groups_text as operator_groups_text
    from olmsolve.render import plan_diff_markdown as plan_diff_markdown
    from olmsolve.render import plan_diff_text as plan_diff_text
    from olmsolve.render import plan_html as plan_html
    from olmsolve.render import plan_markdown as plan_markdown
    from olmsolve.render import plan_text as plan_text
    from olmsolve.render import simulation_text as simulation_text
    from olmsolve.render import situation_plan_html as situation_plan_html
    from olmsolve.render import subscription_patch as subscription_patch
    from olmsolve.render import update_graph_dot as update_graph_dot
    from olmsolve.render import update_graph_html as update_graph_html
    from olmsolve.render import update_graph_mermaid as update_graph_mermaid
    from olmsolve.render import why_not_text as why_not_text
    from olmsolve.render import why_text as why_text
    from olmsolve.requests import Policy as Policy
    from olmsolve.requests import Project as Project
    from olmsolve.requests import Situation as Situation
    from olmsolve.requests import catalog_of as catalog_of
    from olmsolve.requests import extensions_of_cluster as extensions_of_cluster
    from olmsolve.requests import live_situation as live_situation
    from olmsolve.requests import package as package
    from olmsolve.requests import project as project
    from olmsolve.requests import read_cluster as read_cluster
    from olmsolve.requests import read_extension_request as read_extension_request
    from olmsolve.requests import read_house_rules as read_house_rules
    from olmsolve.requests import read_posted as read_posted
    from olmsolve.requests import read_request as read_request
    from olmsolve.requests import read_situation as read_situation
    from olmsolve.requests import request_document as request_document
    from olmsolve.requests import request_for as request_for
    from olmsolve.resolution import Candidate as Candidate
    from olmsolve.resolution import Install as Install
    from olmsolve.resolution import Resolution as Resolution
    from olmsolve.resolution import ResolutionFailure as ResolutionFailure
    from olmsolve.resolution import WantedBy as WantedBy
    from olmsolve.semver import BlangRange as BlangRange
    from olmsolve.semver import MastermindsRange as MastermindsRange
    from olmsolve.semver import Version as Version
    from olmsolve.semver import VersionScheme as VersionScheme
    from olmsolve.solver.backends import Backend as Backend
    from olmsolve.solver.backends import backends as backends
    from olmsolve.v1 import ExtensionDiff as ExtensionDiff
    from olmsolve.v1 import ResolutionError as ResolutionError
else:
    __getattr__, __dir__ = lazily(__name__)
