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
from collections.abc import Iterable
from functools import cache
from typing import Final

PUBLIC: Final[dict[str, dict[str, str]]] = {
    "olmsolve": {
        "Catalogs": """load from_blobs Catalog Package Channel ChannelEntry Bundle Property Source""",
        "Requests": """read_request read_extension_request read_cluster read_situation read_posted read_house_rules
            evolve extensions_of_cluster request_document Request Subscription Installed Semantics HealthPolicy Policy
            Situation ClusterState HouseRule Never AtLeastOne Prefer Bundles""",
        "Answers": """resolve is_satisfiable resolve_together Resolver Resolution Candidate Install WantedBy Agreement
            limited backends Backend observed Observer Statistics""",
        "Reasons": """explanation Explanation Reason Broken CannotStayBeside CatalogsUnreadable Deprecated MustStay
            NotEligible OnePerAPI OnePerPackage Requires RuleDemands RuleForbids RuleKeepsApart SubscriptionWants
            UnknownCatalog UnknownChannel UnknownPackage UnknownStartingCSV explained_failures Fix fix_commands
            subscription_patch""",
        "Questions": """why Why why_not WhyNot held_back HeldBackBundle HeldBackOperator diff PlanDiff compare_semantics
            channel_path UpgradePath ExtensionDiff ExtensionWhy ExtensionWhyNot certificate verify Verdict compile
            CompiledProblem""",
        "Whole catalogs and fleets": """audit AuditReport impact ImpactReport""",
        "Clusters over time": """plan SituationPlan NamespacePlan namespace_plan simulate Simulation Ending migrations
            Migrations situation_update ClusterUpdate cluster_metrics simulation_metrics ResolutionTimes exposition
            FamiliesCollector""",
        "Rules of clusters": """group_eligibility cluster_eligibility WorksOnKubernetes WorksOnOpenShift held_in_cluster
            Hindrance admission_fault check_operator_groups target_namespaces resolved_image template_values
            check_crd_upgrade schema_violations install_plan_manifest Permission PermissionRequests PolicyRule
            operator_permissions rbac_manifest""",
        "Work on catalogs": """validate lint Finding Severity mend why_never parse_constraint merge_catalogs
            subset_catalog Keep add_bundle promote deprecate remove_from_catalog set_default_channel set_edges
            EntryEdges catalog_edges diff_catalogs CatalogDiff changed_files write_changes composites render_template
            bundles_by_image bundles_by_path bundles_in_folder bundles_from_registries""",
        "Text and pages": """plan_text plan_html failure_text explanation_text explanation_markdown explanation_html
            why_text why_not_text held_back_text plan_diff_text situation_plan_html simulation_text impact_text
            impact_markdown audit_text extension_plan_text extension_simulation_text cluster_update_text
            operator_groups_text metrics_text catalog_diff_text update_graph_dot update_graph_mermaid update_graph_html
            json_schema json_schema_names""",
        "Versions": """Version BlangRange MastermindsRange""",
        "Errors": """OlmsolveError RequestError ManifestError CatalogError ResolutionFailure Unsatisfiable
            UnsatisfiableTogether ResolutionError Incomplete BackendError VersionError RangeError ConstraintError
            CelError CompileError EvaluationError""",
    },
    "olmsolve.errors": {
        "Errors": """OlmsolveError RequestError ManifestError NamespaceError CatalogError CatalogErrors Incomplete
            BackendError VersionError RangeError ConstraintError CelError CompileError EvaluationError""",
    },
    "olmsolve.events": {
        "Observers": """Observer observed Statistics PhaseSeconds""",
        "Events": """CatalogLoaded CatalogIndexed QuestionPosed QuestionAnswered CandidatePassedOver NamedCandidate
            ConflictLearnt BackendAsked BackendAnswered""",
    },
    "olmsolve.catalog": {
        "Model": """Catalog Package Channel ChannelEntry Bundle Blob Deprecation Origin Source UnreadableSource""",
        "Update graphs": """lanes""",
        "Files": """blobs rendered write split write_index migrated read_bundle read_package""",
    },
    "olmsolve.semver": {
        "Versions": """Version VersionRelease""",
        "Ranges": """BlangRange MastermindsRange Interval range_opinion""",
    },
    "olmsolve.cel": {"Rules": """compile Rule RuleOpinions"""},
    "olmsolve.predicates": {
        "Properties": """Property Published published GVK""",
        "Requirements": """Requirement requirements parse_constraint""",
        "Predicates": """Predicate AllOf AnyOf NoneOf HasLabel InPackage ProvidesGVK Satisfies""",
    },
    "olmsolve.solver": {
        "Problems": """Problem Variables Identifier GroupName""",
        "Constraints": """Constraint Mandatory Prohibited Dependency Incompatible AtMost Exclusive Formula""",
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
            InstallationError InstallationRefusal RollingOutError BeingDeletedError PlanError""",
    },
    "olmsolve.cluster.objects": {
        "Every kind": """ClusterObject Metadata OwnerReference Condition OtherObject read_manifest read_manifests""",
        "OLM classic": """SubscriptionObject CatalogHealth InstallPlan Step BundleLookup CatalogSource OperatorGroup
            OperatorCondition ClusterServiceVersion InstallMode CrdDescription ApiServiceDescription""",
        "OLM v1": """ClusterExtension ClusterCatalogObject""",
        "Kubernetes": """Namespace CustomResourceDefinition CrdVersion""",
    },
    "olmsolve.eligibility": {"System constraints": """Eligibility CandidateFacts Remediable Remedy"""},
    "olmsolve.testing": {
        "Catalogs and requests": """package catalog_of request_for outline assert_installs assert_unsatisfiable fleet
            FleetShape next_version""",
        "Laws": """LAWS EXTENSION_LAWS check_laws fuzz replay FuzzReport FuzzFinding""",
        "Smaller requests": """reduced anonymised same_core same_difference same_outcome""",
        "Strategies": """requests extension_requests clusters catalogs packages channels bundles properties constraints
            predicates cel_rules versions blang_ranges masterminds_ranges variations Vocabulary""",
        "Times": """bench BenchReport""",
    },
    "olmsolve.testing.synthetic": {
        "Catalogs": """realistic_catalog realistic_blobs lines measured_figures catalog request dense_problem""",
    },
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
    "olmsolve.classic.path": "olmsolve.channel_path",
    "olmsolve.cluster.crds.check_upgrade": "olmsolve.check_crd_upgrade",
    "olmsolve.cluster.crds.violations": "olmsolve.schema_violations",
    "olmsolve.cluster.operator_groups.check": "olmsolve.check_operator_groups",
    "olmsolve.cluster.operator_groups.targets": "olmsolve.target_namespaces",
    "olmsolve.cluster.rbac.manifest": "olmsolve.rbac_manifest",
}
"""Names of version 0.2.0 that are spelled otherwise today: the old path, and the path of the same object."""


INSTEAD: Final[dict[str, str]] = {
    "olmsolve.authoring.checks.SecondOpinions": "olmsolve.lint(catalog, second_opinion=True)",
    "olmsolve.authoring.checks.second_opinions": "olmsolve.lint(catalog, second_opinion=True)",
    "olmsolve.authoring.second_opinions": "olmsolve.lint(catalog, second_opinion=True)",
    "olmsolve.catalog.fbc.load": "olmsolve.load",
    "olmsolve.cluster.blocks_cluster_update": "olmsolve.situation_update",
    "olmsolve.cluster.operators_blocking_update": "olmsolve.situation_update",
    "olmsolve.fbc.load": "olmsolve.load",
    "olmsolve.lifecycle.cluster_update": "olmsolve.situation_update",
    "olmsolve.lifecycle.planning.plan_cluster_namespace": "olmsolve.plan",
    "olmsolve.lifecycle.planning.plan_namespace": "olmsolve.plan",
    "olmsolve.lifecycle.simulation.Rules": "olmsolve.Policy",
    "olmsolve.requests.of_cluster": "olmsolve.Situation.of_cluster",
    "olmsolve.solver.clauses.CNF": "olmsolve.compile",
}
"""What takes the place of private names of version 0.2.0 whose public counterpart is another object."""


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
    return value


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
    if path in INSTEAD:
        return f"{private}: use {INSTEAD[path]}"
    return f"{private}, and no public name takes its place"


def _at(path: str) -> object:
    door, _, name = path.rpartition(".")
    return getattr(importlib.import_module(door), name)
