"""Resolve Operator Lifecycle Manager requests: fast, exactly, and with reasons.

Three things to know: a :class:`Catalog` (:func:`load` reads one), a request (:func:`read_request` reads one
from a document), and :func:`resolve`, which returns a :class:`Resolution` or raises :class:`Unsatisfiable`.

============================ =============================================================================
``load``                     read a catalog, through its index where there is one
``from_blobs``               make a catalog of blobs that are in memory
``read_situation``           read documents and a cluster's objects, with the questions that they ask
``read_posted``              read documents that a stranger has sent, and open nothing that they name
``read_request``             read a request document for classic OLM
``read_extension_request``   read a request document for OLM v1
``read_cluster``             read the objects of a cluster
``resolve``                  return the preferred plan, or raise the reasons why there is none
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
``evolve``                   return a copy of a request, a plan or another value, with other fields
``limited``                  limit the time of everything in a ``with`` block
============================ =============================================================================

More is in the rooms: ``olmsolve.v1`` for cluster extensions, ``olmsolve.cluster`` for the objects and rules of
clusters, ``olmsolve.authoring``, ``olmsolve.lifecycle``, ``olmsolve.render`` and others; see docs/architecture.md.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily
from olmsolve._version import __version__ as __version__

if TYPE_CHECKING:
    from olmsolve import authoring as authoring
    from olmsolve import catalog as catalog
    from olmsolve import cel as cel
    from olmsolve import classic as classic
    from olmsolve import cluster as cluster
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
    from olmsolve.answers.auditing import AuditReport as AuditReport
    from olmsolve.answers.auditing import audit as audit
    from olmsolve.answers.certifying import certificate as certificate
    from olmsolve.answers.explain import Explanation as Explanation
    from olmsolve.answers.explain import explanation as explanation
    from olmsolve.answers.extensions import ExtensionDiff as ExtensionDiff
    from olmsolve.answers.extensions import ExtensionWhy as ExtensionWhy
    from olmsolve.answers.extensions import ExtensionWhyNot as ExtensionWhyNot
    from olmsolve.answers.held_back import HeldBackBundle as HeldBackBundle
    from olmsolve.answers.held_back import HeldBackOperator as HeldBackOperator
    from olmsolve.answers.questions import Why as Why
    from olmsolve.answers.questions import WhyNot as WhyNot
    from olmsolve.answers.questions import compare_semantics as compare_semantics
    from olmsolve.answers.verification import Verdict as Verdict
    from olmsolve.answers.verification import verify as verify
    from olmsolve.authoring.checks import Finding as Finding
    from olmsolve.authoring.checks import Severity as Severity
    from olmsolve.authoring.checks import lint as lint
    from olmsolve.authoring.checks import validate as validate
    from olmsolve.catalog import Bundle as Bundle
    from olmsolve.catalog import Catalog as Catalog
    from olmsolve.catalog import Channel as Channel
    from olmsolve.catalog import ChannelEntry as ChannelEntry
    from olmsolve.catalog import Package as Package
    from olmsolve.catalog import Source as Source
    from olmsolve.catalog.fbc import from_blobs as from_blobs
    from olmsolve.catalog.index_files import load as load
    from olmsolve.classic import AtLeastOne as AtLeastOne
    from olmsolve.classic import Broken as Broken
    from olmsolve.classic import Bundles as Bundles
    from olmsolve.classic import CannotStayBeside as CannotStayBeside
    from olmsolve.classic import Deprecated as Deprecated
    from olmsolve.classic import Installed as Installed
    from olmsolve.classic import MustStay as MustStay
    from olmsolve.classic import Never as Never
    from olmsolve.classic import NotEligible as NotEligible
    from olmsolve.classic import OnePerAPI as OnePerAPI
    from olmsolve.classic import OnePerPackage as OnePerPackage
    from olmsolve.classic import Prefer as Prefer
    from olmsolve.classic import Reason as Reason
    from olmsolve.classic import Request as Request
    from olmsolve.classic import Requires as Requires
    from olmsolve.classic import RuleDemands as RuleDemands
    from olmsolve.classic import RuleForbids as RuleForbids
    from olmsolve.classic import RuleKeepsApart as RuleKeepsApart
    from olmsolve.classic import Semantics as Semantics
    from olmsolve.classic import Subscription as Subscription
    from olmsolve.classic import SubscriptionWants as SubscriptionWants
    from olmsolve.classic import UnknownCatalog as UnknownCatalog
    from olmsolve.classic import UnknownChannel as UnknownChannel
    from olmsolve.classic import UnknownPackage as UnknownPackage
    from olmsolve.classic import UnknownStartingCSV as UnknownStartingCSV
    from olmsolve.classic import Unsatisfiable as Unsatisfiable
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
    from olmsolve.lifecycle.impact import ImpactReport as ImpactReport
    from olmsolve.lifecycle.impact import impact as impact
    from olmsolve.lifecycle.planning import SituationPlan as SituationPlan
    from olmsolve.lifecycle.planning import plan as plan
    from olmsolve.lifecycle.simulation import Simulation as Simulation
    from olmsolve.lifecycle.simulation import simulate as simulate
    from olmsolve.predicates import Property as Property
    from olmsolve.predicates import parse_constraint as parse_constraint
    from olmsolve.requests import Policy as Policy
    from olmsolve.requests import Situation as Situation
    from olmsolve.requests import read_cluster as read_cluster
    from olmsolve.requests import read_extension_request as read_extension_request
    from olmsolve.requests import read_posted as read_posted
    from olmsolve.requests import read_request as read_request
    from olmsolve.requests import read_situation as read_situation
    from olmsolve.resolution import Candidate as Candidate
    from olmsolve.resolution import Install as Install
    from olmsolve.resolution import Resolution as Resolution
    from olmsolve.resolution import ResolutionFailure as ResolutionFailure
    from olmsolve.resolution import WantedBy as WantedBy
    from olmsolve.semver import BlangRange as BlangRange
    from olmsolve.semver import MastermindsRange as MastermindsRange
    from olmsolve.semver import Version as Version
    from olmsolve.solver.backends import Backend as Backend
    from olmsolve.solver.backends import backends as backends
    from olmsolve.v1 import ResolutionError as ResolutionError
else:
    __getattr__, __dir__ = lazily(__name__)
