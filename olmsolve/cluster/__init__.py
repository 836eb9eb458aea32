"""The objects of a cluster and the rules of OLM about them. No module here asks a cluster: it reads objects.

In reading order:

1. :mod:`~olmsolve.cluster.objects`: the objects as values, read from manifests (what ``kubectl`` prints).
2. ``state``: :class:`ClusterState`, all objects by kind, namespace and name, and :class:`NamespaceObjects`, the objects
   that the resolution of one namespace depends on.
3. ``snapshot`` (with ``properties_annotation`` and ``operator_updates``): from installed operators to a resolution, and
   back from a bundle to its operator.
4. The rules, a room each: :mod:`~olmsolve.cluster.operator_groups` (which operators may act where),
   :mod:`~olmsolve.cluster.catalogs` (which catalogs count), :mod:`~olmsolve.cluster.install_plans` and
   :mod:`~olmsolve.cluster.rbac` (what an installation creates), :mod:`~olmsolve.cluster.crds` (which definition may
   replace which), :mod:`~olmsolve.cluster.extensions` (whose objects an extension may take). ``openshift`` holds the
   rule about updates of the cluster itself, ``requirements`` what an operator needs on the cluster.
5. ``eligibility``: the rules as constraints on the candidates of a request; ``hindrances``: what the objects of a
   namespace say that holds its operators back.

``apis`` and ``go_text`` are the values and texts that several rooms share.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.cluster import catalogs as catalogs
    from olmsolve.cluster import crds as crds
    from olmsolve.cluster import extensions as extensions
    from olmsolve.cluster import install_plans as install_plans
    from olmsolve.cluster import objects as objects
    from olmsolve.cluster import operator_groups as operator_groups
    from olmsolve.cluster import rbac as rbac
    from olmsolve.cluster.apis import PROVIDED_APIS_ANNOTATION as PROVIDED_APIS_ANNOTATION
    from olmsolve.cluster.apis import Api as Api
    from olmsolve.cluster.apis import Apis as Apis
    from olmsolve.cluster.apis import annotation_text as annotation_text
    from olmsolve.cluster.apis import apis_of_annotation as apis_of_annotation
    from olmsolve.cluster.apis import common_apis as common_apis
    from olmsolve.cluster.apis import owned_apis as owned_apis
    from olmsolve.cluster.eligibility import ApisAreTaken as ApisAreTaken
    from olmsolve.cluster.eligibility import ApisFitGroup as ApisFitGroup
    from olmsolve.cluster.eligibility import NothingMayAct as NothingMayAct
    from olmsolve.cluster.eligibility import PackageIsTaken as PackageIsTaken
    from olmsolve.cluster.eligibility import SupportsTargets as SupportsTargets
    from olmsolve.cluster.eligibility import WorksOnKubernetes as WorksOnKubernetes
    from olmsolve.cluster.eligibility import WorksOnOpenShift as WorksOnOpenShift
    from olmsolve.cluster.eligibility import candidate_apis as candidate_apis
    from olmsolve.cluster.eligibility import candidate_csv as candidate_csv
    from olmsolve.cluster.eligibility import cluster_eligibility as cluster_eligibility
    from olmsolve.cluster.eligibility import group_eligibility as group_eligibility
    from olmsolve.cluster.go_text import go_json as go_json
    from olmsolve.cluster.hindrances import CatalogNotReady as CatalogNotReady
    from olmsolve.cluster.hindrances import ClusterCatalogNotServing as ClusterCatalogNotServing
    from olmsolve.cluster.hindrances import GroupAccountMissing as GroupAccountMissing
    from olmsolve.cluster.hindrances import GroupWithoutTargets as GroupWithoutTargets
    from olmsolve.cluster.hindrances import Hindrance as Hindrance
    from olmsolve.cluster.hindrances import NamespaceUnresolvable as NamespaceUnresolvable
    from olmsolve.cluster.hindrances import OperatorDeleted as OperatorDeleted
    from olmsolve.cluster.hindrances import OperatorGivesWay as OperatorGivesWay
    from olmsolve.cluster.hindrances import OperatorHeld as OperatorHeld
    from olmsolve.cluster.hindrances import OperatorMayNotAct as OperatorMayNotAct
    from olmsolve.cluster.hindrances import OperatorMissing as OperatorMissing
    from olmsolve.cluster.hindrances import OperatorNotUpgradeable as OperatorNotUpgradeable
    from olmsolve.cluster.hindrances import OperatorNotWorking as OperatorNotWorking
    from olmsolve.cluster.hindrances import OrphanOperator as OrphanOperator
    from olmsolve.cluster.hindrances import PlanFailed as PlanFailed
    from olmsolve.cluster.hindrances import PlanNotFinished as PlanNotFinished
    from olmsolve.cluster.hindrances import PlanRefused as PlanRefused
    from olmsolve.cluster.hindrances import PlanUnderWay as PlanUnderWay
    from olmsolve.cluster.hindrances import PlanWaits as PlanWaits
    from olmsolve.cluster.hindrances import RequirementUnmet as RequirementUnmet
    from olmsolve.cluster.hindrances import SubscriptionDeprecated as SubscriptionDeprecated
    from olmsolve.cluster.hindrances import SubscriptionsReport as SubscriptionsReport
    from olmsolve.cluster.hindrances import reports_of_subscriptions as reports_of_subscriptions
    from olmsolve.cluster.hindrances import unfinished_plans as unfinished_plans
    from olmsolve.cluster.namespace_hindrances import catalogs_not_serving as catalogs_not_serving
    from olmsolve.cluster.namespace_hindrances import deprecated_subscriptions as deprecated_subscriptions
    from olmsolve.cluster.namespace_hindrances import failed_plans as failed_plans
    from olmsolve.cluster.namespace_hindrances import group_count_fault as group_count_fault
    from olmsolve.cluster.namespace_hindrances import groups_without_targets as groups_without_targets
    from olmsolve.cluster.namespace_hindrances import held_in_cluster as held_in_cluster
    from olmsolve.cluster.namespace_hindrances import missing_operators as missing_operators
    from olmsolve.cluster.namespace_hindrances import namespace_fault as namespace_fault
    from olmsolve.cluster.namespace_hindrances import objects_fault as objects_fault
    from olmsolve.cluster.namespace_hindrances import operators_held as operators_held
    from olmsolve.cluster.namespace_hindrances import operators_not_working as operators_not_working
    from olmsolve.cluster.namespace_hindrances import refused_plans as refused_plans
    from olmsolve.cluster.namespace_hindrances import reported_in_cluster as reported_in_cluster
    from olmsolve.cluster.namespace_hindrances import shared_operator_fault as shared_operator_fault
    from olmsolve.cluster.namespace_hindrances import waiting_plans as waiting_plans
    from olmsolve.cluster.openshift import Blocking as Blocking
    from olmsolve.cluster.openshift import HasProperties as HasProperties
    from olmsolve.cluster.openshift import blocking_message as blocking_message
    from olmsolve.cluster.openshift import blocks_cluster_update as blocks_cluster_update
    from olmsolve.cluster.openshift import extensions_block_cluster_update as extensions_block_cluster_update
    from olmsolve.cluster.openshift import max_openshift_version as max_openshift_version
    from olmsolve.cluster.openshift import minor_text as minor_text
    from olmsolve.cluster.openshift import next_minor as next_minor
    from olmsolve.cluster.openshift import next_update as next_update
    from olmsolve.cluster.openshift import normalised as normalised
    from olmsolve.cluster.openshift import operators_blocking_update as operators_blocking_update
    from olmsolve.cluster.operator_groups import groups_as_written as groups_as_written
    from olmsolve.cluster.operator_updates import Chains as Chains
    from olmsolve.cluster.operator_updates import FailForwardError as FailForwardError
    from olmsolve.cluster.operator_updates import fail_forward_enabled as fail_forward_enabled
    from olmsolve.cluster.operator_updates import left_behind as left_behind
    from olmsolve.cluster.operator_updates import not_upgradeable as not_upgradeable
    from olmsolve.cluster.operator_updates import replacements as replacements
    from olmsolve.cluster.operator_updates import updates_stalled as updates_stalled
    from olmsolve.cluster.operator_updates import updates_under_way as updates_under_way
    from olmsolve.cluster.properties_annotation import PROPERTIES_ANNOTATION as PROPERTIES_ANNOTATION
    from olmsolve.cluster.properties_annotation import ProjectionError as ProjectionError
    from olmsolve.cluster.properties_annotation import WrittenProperty as WrittenProperty
    from olmsolve.cluster.properties_annotation import annotation_to_properties as annotation_to_properties
    from olmsolve.cluster.properties_annotation import properties_to_annotation as properties_to_annotation
    from olmsolve.cluster.requirements import NOT_PRESENT as NOT_PRESENT
    from olmsolve.cluster.requirements import NOT_SATISFIED as NOT_SATISFIED
    from olmsolve.cluster.requirements import REQUIREMENTS_NOT_MET as REQUIREMENTS_NOT_MET
    from olmsolve.cluster.requirements import Definitions as Definitions
    from olmsolve.cluster.requirements import installed_with as installed_with
    from olmsolve.cluster.requirements import unmet_on_cluster as unmet_on_cluster
    from olmsolve.cluster.snapshot import OperatorSnapshot as OperatorSnapshot
    from olmsolve.cluster.snapshot import bundle_csv as bundle_csv
    from olmsolve.cluster.snapshot import csv_snapshot as csv_snapshot
    from olmsolve.cluster.snapshot import distinct_wishes as distinct_wishes
    from olmsolve.cluster.snapshot import infer_properties as infer_properties
    from olmsolve.cluster.snapshot import spec_snapshot as spec_snapshot
    from olmsolve.cluster.state import ClusterState as ClusterState
    from olmsolve.cluster.state import NamespaceObjects as NamespaceObjects
    from olmsolve.cluster.state import completed as completed
    from olmsolve.cluster.state import going as going
    from olmsolve.cluster.state import holders as holders
    from olmsolve.cluster.state import is_deleted as is_deleted
    from olmsolve.cluster.state import without_deleted as without_deleted
else:
    __getattr__, __dir__ = lazily(__name__)
