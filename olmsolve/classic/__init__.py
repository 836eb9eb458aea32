"""Operator Lifecycle Manager classic (v0): subscriptions, their dependencies, and the preferred plan.

A request's path, and the modules in reading order::

    request          Request: catalogs, subscriptions and installed operators of one namespace (request_parts),
                     which a document holds (documents)
    unreadable       ... fails at once where it depends on a catalog that cannot be read
    subscriptions    ... each subscription has candidates, most wanted first
    house_rules      ... its author's own rules: never, at least one, prefer, a limit on a sum; by numbers (measures)
    problem          ClassicProblem: candidates are variables, requirements are constraints, made lazily
    ruled            ... and the house rules are constraints, or change the order of candidates
    families         ... and as sets of bits, where packages allow it
    resolving        the solver's answer becomes a Resolution, or
    failure          its core becomes Unsatisfiable, with one of the
    reasons          for each constraint

Beside that path: ``compiled`` gives a request to other solvers, as clauses; ``sharing`` resolves several namespaces at
once, and ``upgrade_path`` follows update graphs without resolving.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.classic.compiled import CompiledProblem as CompiledProblem
    from olmsolve.classic.compiled import DecodedModel as DecodedModel
    from olmsolve.classic.compiled import compile_request as compile_request
    from olmsolve.classic.compiled_levels import CompiledLevel as CompiledLevel
    from olmsolve.classic.compiled_symbols import CompiledBranch as CompiledBranch
    from olmsolve.classic.compiled_symbols import CompiledClause as CompiledClause
    from olmsolve.classic.compiled_symbols import CompiledCounts as CompiledCounts
    from olmsolve.classic.compiled_symbols import CompiledGroup as CompiledGroup
    from olmsolve.classic.compiled_symbols import CompiledPlace as CompiledPlace
    from olmsolve.classic.compiled_symbols import CompiledVariable as CompiledVariable
    from olmsolve.classic.context import RequestContext as RequestContext
    from olmsolve.classic.documents import CatalogDocument as CatalogDocument
    from olmsolve.classic.documents import RequestDocument as RequestDocument
    from olmsolve.classic.documents import WrittenPropertyValue as WrittenPropertyValue
    from olmsolve.classic.failure import opposed as opposed
    from olmsolve.classic.failure import reason_against as reason_against
    from olmsolve.classic.failure import reason_for as reason_for
    from olmsolve.classic.failure import unmet_choices as unmet_choices
    from olmsolve.classic.failure import unmet_parts as unmet_parts
    from olmsolve.classic.house_rules import EVERY as EVERY
    from olmsolve.classic.house_rules import AtLeastOne as AtLeastOne
    from olmsolve.classic.house_rules import Bundles as Bundles
    from olmsolve.classic.house_rules import HouseRule as HouseRule
    from olmsolve.classic.house_rules import Never as Never
    from olmsolve.classic.house_rules import Prefer as Prefer
    from olmsolve.classic.house_rules import TotalAtMost as TotalAtMost
    from olmsolve.classic.house_rules import as_eligibility as as_eligibility
    from olmsolve.classic.kept_answers import KeptAnswers as KeptAnswers
    from olmsolve.classic.plan_diff import PlanChange as PlanChange
    from olmsolve.classic.plan_diff import PlanDiff as PlanDiff
    from olmsolve.classic.problem import ClassicProblem as ClassicProblem
    from olmsolve.classic.problem import IsDeprecated as IsDeprecated
    from olmsolve.classic.problem import IsNotEligible as IsNotEligible
    from olmsolve.classic.problem import Wish as Wish
    from olmsolve.classic.reasons import Broken as Broken
    from olmsolve.classic.reasons import CannotStayBeside as CannotStayBeside
    from olmsolve.classic.reasons import Deprecated as Deprecated
    from olmsolve.classic.reasons import MustStay as MustStay
    from olmsolve.classic.reasons import NotEligible as NotEligible
    from olmsolve.classic.reasons import OnePerAPI as OnePerAPI
    from olmsolve.classic.reasons import OnePerPackage as OnePerPackage
    from olmsolve.classic.reasons import Reason as Reason
    from olmsolve.classic.reasons import Requires as Requires
    from olmsolve.classic.reasons import RuleDemands as RuleDemands
    from olmsolve.classic.reasons import RuleForbids as RuleForbids
    from olmsolve.classic.reasons import RuleKeepsApart as RuleKeepsApart
    from olmsolve.classic.reasons import RuleLimits as RuleLimits
    from olmsolve.classic.reasons import SubscriptionWants as SubscriptionWants
    from olmsolve.classic.reasons import UnknownCatalog as UnknownCatalog
    from olmsolve.classic.reasons import UnknownChannel as UnknownChannel
    from olmsolve.classic.reasons import UnknownName as UnknownName
    from olmsolve.classic.reasons import UnknownPackage as UnknownPackage
    from olmsolve.classic.reasons import UnknownStartingCSV as UnknownStartingCSV
    from olmsolve.classic.reasons import Unsatisfiable as Unsatisfiable
    from olmsolve.classic.request import HiddenCatalogs as HiddenCatalogs
    from olmsolve.classic.request import Request as Request
    from olmsolve.classic.request import Semantics as Semantics
    from olmsolve.classic.request import house_rules_in as house_rules_in
    from olmsolve.classic.request_parts import HealthPolicy as HealthPolicy
    from olmsolve.classic.request_parts import Installed as Installed
    from olmsolve.classic.request_parts import Subscription as Subscription
    from olmsolve.classic.resolving import ClassicResolver as ClassicResolver
    from olmsolve.classic.resolving import SemanticsName as SemanticsName
    from olmsolve.classic.resolving import is_satisfiable as is_satisfiable
    from olmsolve.classic.resolving import resolution_of as resolution_of
    from olmsolve.classic.resolving import resolve as resolve
    from olmsolve.classic.rule_document import HouseRuleDocument as HouseRuleDocument
    from olmsolve.classic.sharing import Agreement as Agreement
    from olmsolve.classic.sharing import UnsatisfiableTogether as UnsatisfiableTogether
    from olmsolve.classic.sharing import resolve_together as resolve_together
    from olmsolve.classic.unreadable import CatalogsUnreadable as CatalogsUnreadable
    from olmsolve.classic.unreadable import Influence as Influence
    from olmsolve.classic.unreadable import check_catalogs_after_solving as check_catalogs_after_solving
    from olmsolve.classic.unreadable import check_catalogs_before_solving as check_catalogs_before_solving
    from olmsolve.classic.unreadable import named_unreadable as named_unreadable
    from olmsolve.classic.unreadable import visible_unreadable as visible_unreadable
    from olmsolve.classic.upgrade_path import SubscriptionPath as SubscriptionPath
    from olmsolve.classic.upgrade_path import UpgradePath as UpgradePath
    from olmsolve.classic.upgrade_path import automatic_updates as automatic_updates
    from olmsolve.classic.upgrade_path import channel_path as channel_path
    from olmsolve.classic.upgrade_path import subscription_paths as subscription_paths
    from olmsolve.solver import ruled_out as ruled_out
else:
    __getattr__, __dir__ = lazily(__name__)
