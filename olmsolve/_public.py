"""The public names: what olmsolve promises, by the door where programs find it, and what became of other names.

This is the only list. The facade has the names that are listed for ``olmsolve``, and no others; the reference has a
line for each name, the first sentence of its docstring, under the headings of this list; ``tests/api`` holds the names
to their promise. A name that is not listed is private, whichever door exports it: doors serve the package, too.

Version 0.2.0 showed every name of every door. Until version 1.0 they still work, with a warning that says where the
name is now (``_lazy`` asks :func:`deprecated`); this module loads when the first program needs it.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Iterable
from functools import cache
from typing import Final

PUBLIC: Final[dict[str, dict[str, str]]] = {
    "olmsolve": {
        "Catalogs": """load package catalog_of request_for from_blobs Catalog Package Channel
            ChannelEntry Bundle Property Source""",
        "Requests": """read_request read_extension_request read_cluster read_situation live_situation read_posted
            project Project read_house_rules evolve extensions_of_cluster request_document Request Subscription
            Installed Semantics HealthPolicy Policy Situation ClusterState HouseRule Never AtLeastOne Prefer
            TotalAtMost Bundles""",
        "Answers": """resolve is_satisfiable resolve_together Resolver CatalogStore Resolution Candidate Install
            WantedBy Agreement limited backends Backend observed Observer Statistics""",
        "Reasons": """explanation Explanation Reason Broken CannotStayBeside CatalogsUnreadable Deprecated MustStay
            NotEligible OnePerAPI OnePerPackage Requires RuleDemands RuleForbids RuleKeepsApart RuleLimits
            SubscriptionWants UnknownCatalog UnknownChannel UnknownPackage UnknownStartingCSV explained_failures Fix
            fix_commands subscription_patch""",
        "Questions": """why Why why_not WhyNot held_back HeldBackBundle HeldBackOperator diff PlanDiff compare_semantics
            channel_path UpgradePath ExtensionDiff ExtensionWhy ExtensionWhyNot certificate verify Verdict compile
            CompiledProblem""",
        "Whole catalogs and fleets": """audit AuditReport impact ImpactReport""",
        "Clusters over time": """plan SituationPlan NamespacePlan namespace_plan simulate Simulation Ending migrations
            Migrations situation_update ClusterUpdate journey Journey cluster_metrics simulation_metrics ResolutionTimes
            exposition FamiliesCollector""",
        "Rules of clusters": """group_eligibility cluster_eligibility WorksOnKubernetes WorksOnOpenShift held_in_cluster
            Hindrance admission_fault check_operator_groups target_namespaces resolved_image template_values
            check_crd_upgrade schema_violations install_plan_manifest Permission PermissionRequests PolicyRule
            operator_permissions rbac_manifest""",
        "Work on catalogs": """validate lint Finding Severity mend why_never parse_constraint merge_catalogs
            subset_catalog Keep add_bundle promote deprecate remove_from_catalog set_default_channel set_edges
            EntryEdges catalog_edges diff_catalogs CatalogDiff changed_files write_changes composites render_template
            bundles_by_image bundles_by_path bundles_in_folder bundles_from_registries""",
        "Text and pages": """plan_text plan_markdown plan_html failure_text explanation_text explanation_markdown
            explanation_html why_text why_not_text held_back_text plan_diff_text plan_diff_markdown
            situation_plan_html simulation_text impact_text impact_markdown audit_text audit_html extension_plan_text
            extension_simulation_text cluster_update_text operator_groups_text metrics_text catalog_diff_text
            update_graph_dot update_graph_mermaid update_graph_html json_schema json_schema_names""",
        "Versions": """Version BlangRange MastermindsRange VersionScheme""",
        "Errors": """OlmsolveError RequestError ManifestError CatalogError ResolutionFailure Unsatisfiable
            UnsatisfiableTogether ResolutionError Incomplete BackendError VersionError RangeError ConstraintError
            CelError CompileError EvaluationError""",
    },
    "olmsolve.errors": {
        "Errors": """OlmsolveError RequestError ManifestError NamespaceError CatalogError CatalogErrors Incomplete
            BackendError VersionError RangeError ConstraintError CelError CompileError EvaluationError"""
    },
    "olmsolve.events": {
        "Observers": """Observer observed Statistics""",
        "Events": """CatalogLoaded CatalogIndexed QuestionPosed QuestionAnswered CandidatePassedOver ConflictLearnt
            BackendAsked BackendAnswered""",
    },
    "olmsolve.catalog": {
        "Model": """Catalog Package Channel ChannelEntry Bundle Blob Deprecation Origin Source UnreadableSource""",
        "Update graphs": """lanes""",
        "Files": """blobs rendered write split write_index migrated read_bundle read_package with_manifests""",
    },
    "olmsolve.semver": {"Versions": """Version""", "Ranges": """BlangRange MastermindsRange"""},
    "olmsolve.cel": {"Rules": """compile Rule"""},
    "olmsolve.predicates": {
        "Properties": """Property Published published GVK""",
        "Requirements": """Requirement requirements parse_constraint""",
        "Predicates": """Predicate AllOf AnyOf NoneOf HasLabel InPackage ProvidesGVK Satisfies""",
    },
    "olmsolve.solver": {
        "Problems": """Problem Variables Identifier GroupName""",
        "Constraints": """Constraint Mandatory Prohibited Dependency Incompatible Limit AtMost Exclusive Formula""",
        "Formulas": """Tree Choice Exclusion Listed Every FirstOf Branch""",
        "Answers": """solve Solution Core Budget Cancellation""",
    },
    "olmsolve.solver.backends": {
        "Backends": """Backend BackendLike StoppedBy backends names find create from_function from_command checked""",
        "Solvers": """SatSolver PythonSolver""",
    },
    "olmsolve.v1": {
        "Requests": """ExtensionRequest Extension ClusterCatalog InstalledBundle LabelSelector LabelRequirement
            InstallSettings FeatureGates Validation eligible no_dependencies""",
        "Answers": """resolve ExtensionResolution ExtensionExplanation plan Plan""",
        "Questions": """held_back HeldBack path ExtensionPath simulate ExtensionSimulation RestingExtension
            FailedExtension differences Difference""",
        "Errors": """ResolutionError InvalidWishError SelectorError VersionRangeError InstalledVersionError ListingError
            CatalogReadError NoBundlesError AmbiguousCatalogsError BundleVersionError BundleRefusedError
            InstallationError RollingOutError BeingDeletedError MissingAccountError PlanError""",
    },
    "olmsolve.cluster.objects": {
        "Every kind": """ClusterObject Metadata read_manifests""",
        "OLM classic": """SubscriptionObject InstallPlan CatalogSource OperatorGroup OperatorCondition
            ClusterServiceVersion InstallMode CrdDescription""",
        "OLM v1": """ClusterExtension ClusterCatalogObject""",
        "Kubernetes": """Namespace CustomResourceDefinition""",
    },
    "olmsolve.eligibility": {"System constraints": """Eligibility CandidateFacts Remediable Remedy"""},
    "olmsolve.testing": {
        "Catalogs and requests": """package catalog_of request_for outline assert_installs assert_unsatisfiable fleet
            FleetShape""",
        "Laws": """LAWS EXTENSION_LAWS check_laws fuzz replay FuzzReport""",
        "Smaller requests": """reduced anonymised same_core same_difference same_outcome""",
        "Strategies": """requests extension_requests clusters catalogs packages channels bundles properties constraints
            variations Vocabulary""",
        "Times": """bench BenchReport""",
    },
    "olmsolve.testing.synthetic": {"Catalogs": """realistic_catalog realistic_blobs lines catalog request"""},
    "olmsolve.testing.timing": {"Times": """bench BenchReport changes phases requests_over  """},
}
"""The public names by door and by subject, in the order in which the reference shows them."""

RENAMED: Final[dict[str, str]] = {
    "olmsolve.authoring.add": "olmsolve.add_bundle",
    "olmsolve.authoring.compose.add": "olmsolve.add_bundle",
    "olmsolve.authoring.compose.diff": "olmsolve.diff_catalogs",
    "olmsolve.authoring.compose.edges": "olmsolve.catalog_edges",
    "olmsolve.authoring.compose.merge": "olmsolve.merge_catalogs",
    "olmsolve.authoring.compose.remove": "olmsolve.remove_from_catalog",
    "olmsolve.authoring.compose.subset": "olmsolve.subset_catalog",
    "olmsolve.authoring.diff": "olmsolve.diff_catalogs",
    "olmsolve.authoring.edges": "olmsolve.catalog_edges",
    "olmsolve.authoring.merge": "olmsolve.merge_catalogs",
    "olmsolve.authoring.remove": "olmsolve.remove_from_catalog",
    "olmsolve.authoring.subset": "olmsolve.subset_catalog",
    "olmsolve.authoring.templates.by_image": "olmsolve.bundles_by_image",
    "olmsolve.authoring.templates.by_path": "olmsolve.bundles_by_path",
    "olmsolve.authoring.templates.from_registries": "olmsolve.bundles_from_registries",
    "olmsolve.authoring.templates.in_folder": "olmsolve.bundles_in_folder",
    "olmsolve.classic.compile_request": "olmsolve.compile",
    "olmsolve.classic.is_satisfiable": "olmsolve.is_satisfiable",
    "olmsolve.classic.path": "olmsolve.channel_path",
    "olmsolve.classic.resolve": "olmsolve.resolve",
    "olmsolve.cluster.crds.check_upgrade": "olmsolve.check_crd_upgrade",
    "olmsolve.cluster.crds.violations": "olmsolve.schema_violations",
    "olmsolve.cluster.operator_groups.check": "olmsolve.check_operator_groups",
    "olmsolve.cluster.operator_groups.targets": "olmsolve.target_namespaces",
    "olmsolve.cluster.rbac.manifest": "olmsolve.rbac_manifest",
}
"""Names of version 0.2.0 that are spelled otherwise today: the old path, and the path of the same object."""


TOOK_LIMITS: Final = frozenset(
    {
        "olmsolve.authoring.checks.second_opinions",
        "olmsolve.authoring.second_opinions",
        "olmsolve.catalog.fbc.load",
        "olmsolve.fbc.load",
    }
)
"""Private functions that took limits in version 0.2.0, by the doors where programs find them: there they still do."""

INSTEAD: Final[dict[str, str]] = {
    "olmsolve.CatalogDiff": """
        authoring.CatalogChange authoring.UpgradeChange authoring.compose.CatalogChange
        authoring.compose.UpgradeChange
    """,
    "olmsolve.ClusterUpdate": """lifecycle.BlockingExtension lifecycle.BlockingOperator lifecycle.WayToUpdate""",
    "olmsolve.Hindrance": """
        cluster.CatalogNotReady cluster.GroupWithoutTargets cluster.NamespaceUnresolvable
        cluster.OperatorGivesWay cluster.OperatorMayNotAct cluster.OperatorMissing
        cluster.OperatorNotUpgradeable cluster.OperatorNotWorking cluster.OrphanOperator cluster.PlanFailed
        cluster.PlanWaits cluster.RequirementUnmet cluster.SubscriptionDeprecated
        cluster.ClusterCatalogNotServing
    """,
    "olmsolve.ImpactReport": """
        lifecycle.impact.ClusterClass lifecycle.impact.ClusterImpact lifecycle.impact.HeldBackImpact
        lifecycle.impact.ImpactFailure lifecycle.impact.OperatorImpact lifecycle.impact.ReachedClusters
        lifecycle.impact.Rollout lifecycle.impact.RolloutStep lifecycle.impact.StrandedOperator
        lifecycle.impact.UnreadableCluster
    """,
    "olmsolve.Migrations": """lifecycle.Migration lifecycle.MigrationRemark lifecycle.Remark""",
    "olmsolve.Policy": """lifecycle.simulation.Rules""",
    "olmsolve.Resolver": """classic.ClassicResolver""",
    "olmsolve.Semantics": """classic.SemanticsName""",
    "olmsolve.Simulation": """
        lifecycle.simulation.CrdChange lifecycle.simulation.GroupChange lifecycle.simulation.NamespacePass
        lifecycle.simulation.NamespaceUnresolved lifecycle.simulation.OperatorChange
        lifecycle.simulation.OperatorsUnsettled lifecycle.simulation.SimulationStep
        lifecycle.simulation.SubscriptionChange
    """,
    "olmsolve.Situation": """
        requests.ClassicQuestion requests.ClusterSituation requests.ExtensionQuestion requests.Question
        requests.QuestionAnswer
    """,
    "olmsolve.Situation.of_cluster": """
        requests.namespace_request requests.of_cluster requests.refuse_missing_contents requests.visible_sources
    """,
    "olmsolve.Version": """semver.VersionRelease""",
    "olmsolve.add_bundle": """
        authoring.Addition authoring.add_all authoring.compose.Addition authoring.compose.add_all
    """,
    "olmsolve.catalog_edges": """authoring.UpdateEdge authoring.compose.UpdateEdge""",
    "olmsolve.changed_files": """authoring.FileChange""",
    "olmsolve.channel_path": """classic.SubscriptionPath classic.subscription_paths""",
    "olmsolve.check_crd_upgrade": """
        cluster.crds.check_upgrades cluster.crds.upgrade_faults cluster.crds.upgrade_step
    """,
    "olmsolve.cluster.objects.ClusterObject": """cluster.objects.Condition cluster.objects.OtherObject""",
    "olmsolve.cluster.objects.ClusterServiceVersion": """cluster.objects.ApiServiceDescription""",
    "olmsolve.cluster.objects.CustomResourceDefinition": """cluster.objects.CrdVersion""",
    "olmsolve.cluster.objects.InstallPlan": """cluster.objects.BundleLookup cluster.objects.Step""",
    "olmsolve.cluster.objects.Metadata": """cluster.objects.OwnerReference""",
    "olmsolve.cluster.objects.SubscriptionObject": """cluster.objects.CatalogHealth""",
    "olmsolve.cluster.objects.read_manifests": """cluster.objects.read_manifest""",
    "olmsolve.compile": """
        solver.clauses.CNF solver.clauses.dimacs solver.clauses.opb solver.clauses.wcnf
    """,
    "olmsolve.events.CandidatePassedOver": """events.NamedCandidate""",
    "olmsolve.events.Statistics": """events.PhaseSeconds""",
    "olmsolve.extensions_of_cluster": """requests.extension_request_of""",
    "olmsolve.held_in_cluster": """
        cluster.catalogs_not_serving cluster.deprecated_subscriptions cluster.failed_plans
        cluster.groups_without_targets cluster.missing_operators cluster.operators_not_working
        cluster.waiting_plans
    """,
    "olmsolve.lint(catalog, second_opinion=True)": """
        authoring.SecondOpinions authoring.checks.SecondOpinions authoring.checks.second_opinions
        authoring.second_opinions cel.RuleOpinions semver.range_opinion
    """,
    "olmsolve.plan": """
        lifecycle.planning.plan_cluster_namespace lifecycle.planning.plan_namespace
        lifecycle.planning.plan_request lifecycle.planning.resolve_steps
    """,
    "olmsolve.read_cluster": """cluster.completed requests.objects_in""",
    "olmsolve.semver.BlangRange": """semver.Interval""",
    "olmsolve.situation_update": """
        cluster.blocks_cluster_update cluster.extensions_block_cluster_update cluster.operators_blocking_update
        lifecycle.cluster_update
    """,
    "olmsolve.solver.solve": """solver.attempt""",
    "olmsolve.testing.FuzzReport": """testing.FuzzFinding testing.fuzzing.FuzzFinding""",
    "olmsolve.testing.bench": """testing.timing.BackendCounts testing.timing.PhaseTimes testing.timing.RequestTimes""",
    "olmsolve.testing.check_laws": """
        testing.check_backends testing.check_certificate testing.check_constraints testing.check_core
        testing.check_document testing.check_extension_document testing.check_extension_order
        testing.check_extension_repeated testing.check_extension_rest testing.check_extension_unrelated
        testing.check_extension_unselected testing.check_fixes testing.check_order testing.check_preferred
        testing.check_priority testing.check_range testing.check_ranges testing.check_renamed
        testing.check_repeated testing.check_rest testing.check_rule testing.check_semantics
        testing.check_unrelated testing.check_unselected testing.check_warm testing.laws.check_backends
        testing.laws.check_certificate testing.laws.check_constraints testing.laws.check_core
        testing.laws.check_document testing.laws.check_extension_document testing.laws.check_extension_order
        testing.laws.check_extension_repeated testing.laws.check_extension_rest
        testing.laws.check_extension_unrelated testing.laws.check_extension_unselected testing.laws.check_fixes
        testing.laws.check_order testing.laws.check_preferred testing.laws.check_priority
        testing.laws.check_range testing.laws.check_ranges testing.laws.check_renamed
        testing.laws.check_repeated testing.laws.check_rest testing.laws.check_rule testing.laws.check_semantics
        testing.laws.check_unrelated testing.laws.check_unselected testing.laws.check_warm
    """,
    "olmsolve.testing.constraints": """
        testing.blang_ranges testing.cel_rules testing.masterminds_ranges testing.predicates testing.versions
        testing.strategies.blang_ranges testing.strategies.cel_rules testing.strategies.masterminds_ranges
        testing.strategies.predicates testing.strategies.versions
    """,
    "olmsolve.testing.fleet": """testing.next_version""",
    "olmsolve.v1.HeldBack": """
        v1.CatalogLeftOut v1.CatalogUnavailable v1.ComesLater v1.HeldBackBy v1.InOtherChannels v1.LessWanted
        v1.LowerPriority v1.NoEdge v1.Obstacle v1.OutOfRange v1.RefusedBundle v1.ResolutionStopped v1.Tied
    """,
    "olmsolve.v1.PlanError": """v1.BundleNeeds v1.ChosenBefore v1.ExtensionNeeds v1.OnlyOneOf v1.PlanReason""",
    "olmsolve.v1.simulate": """v1.walk v1.Walk v1.ExtensionRound v1.ExtensionUpdate""",
}
"""The public names for private names of version 0.2.0, below ``olmsolve``, if they are other objects."""


# Each first use of a name asks: 13 µs to split the names of olmsolve, 0.05 to look them up.
@cache
def public_names(door: str) -> frozenset[str]:
    """Return the public names of *door*; none for a private door."""
    return frozenset(name for names in PUBLIC.get(door, {}).values() for name in names.split())


def is_public(door: str, name: str) -> bool:
    """Return whether programs may import *name* from *door*."""
    return name in public_names(door)


def shown(door: str, names: Iterable[str]) -> set[str]:
    """Return which of the *names* in a door ``dir()`` shows: of a public door, the public ones and its public rooms."""
    if door not in PUBLIC or door == "olmsolve":
        return {*names}
    return {name for name in names if name.startswith("__") or is_public(door, name) or f"{door}.{name}" in PUBLIC}


def deprecated(door: str, name: str, value: object, frames: int) -> object:
    """Return what *name* stands for at *door*, *value* unless it was renamed, and warn the program that takes it.

    *frames* leads to the program, counted as ``warnings.warn`` counts.

    Raises:
        AttributeError: the door has no such name, and had none in version 0.2.0.
    """
    path = f"{door}.{name}"
    home = RENAMED.get(path, "")
    if home:
        value = _at(home)
    elif value is None:
        raise AttributeError(f"module {door!r} has no attribute {name!r}")
    else:
        home = home_of(name, value)
    warnings.warn(message(path, home), DeprecationWarning, stacklevel=frames)
    return _with_limits(value) if path in TOOK_LIMITS else value


@cache
def _with_limits(function: Callable[..., object]) -> object:
    """Return *function* for programs of version 0.2.0, which may pass limits: the same object each time."""
    from olmsolve._limits import accepting_limits

    return accepting_limits(function)


def home_of(name: str, value: object) -> str:
    """Return the public path of *value*, which has the same *name* there; "" if it is private."""
    paths = [f"{door}.{name}" for door in PUBLIC if is_public(door, name)]
    return next((path for path in paths if _at(path) is value), "")


def message(path: str, home: str) -> str:
    """Return the warning that *path* is private from version 1.0, with its public path if it has one."""
    private = f"{path} is private from olmsolve 1.0"
    if home:
        door, _, name = home.rpartition(".")
        return f"{private}: use {home} (from {door} import {name})"
    for other, names in INSTEAD.items():
        if path.removeprefix("olmsolve.") in names.split():
            return f"{private}: use {other}"
    return f"{private}, and no public name takes its place"


def _at(path: str) -> object:
    door, _, name = path.rpartition(".")
    return getattr(importlib.import_module(door), name)
