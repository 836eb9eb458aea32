"""Ways out of what the objects of a cluster report, and of requests without a plan.

Reading order: ``changes`` (of the objects, by the harm that each can do), ``fixes`` (of a request, as changes of the
objects), ``candidates`` (the changes that may help in a case), ``searching``. Every way is tried in a simulation. A way
that stops what works is not reported.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.lifecycle.ways_out.changes import ApprovePlan as ApprovePlan
    from olmsolve.lifecycle.ways_out.changes import AwaitCatalog as AwaitCatalog
    from olmsolve.lifecycle.ways_out.changes import ChangeWish as ChangeWish
    from olmsolve.lifecycle.ways_out.changes import CreateAccount as CreateAccount
    from olmsolve.lifecycle.ways_out.changes import CreateCatalog as CreateCatalog
    from olmsolve.lifecycle.ways_out.changes import CreateGroup as CreateGroup
    from olmsolve.lifecycle.ways_out.changes import DeleteGroup as DeleteGroup
    from olmsolve.lifecycle.ways_out.changes import DeletePlan as DeletePlan
    from olmsolve.lifecycle.ways_out.changes import DeleteSubscription as DeleteSubscription
    from olmsolve.lifecycle.ways_out.changes import GrantRight as GrantRight
    from olmsolve.lifecycle.ways_out.changes import Harm as Harm
    from olmsolve.lifecycle.ways_out.changes import HideGlobalCatalogs as HideGlobalCatalogs
    from olmsolve.lifecycle.ways_out.changes import LetFailForward as LetFailForward
    from olmsolve.lifecycle.ways_out.changes import ObjectsChange as ObjectsChange
    from olmsolve.lifecycle.ways_out.changes import OverrideUpgradeable as OverrideUpgradeable
    from olmsolve.lifecycle.ways_out.changes import OwnOperator as OwnOperator
    from olmsolve.lifecycle.ways_out.changes import ReleaseOperator as ReleaseOperator
    from olmsolve.lifecycle.ways_out.changes import RemoveInstalled as RemoveInstalled
    from olmsolve.lifecycle.ways_out.changes import RenewSubscription as RenewSubscription
    from olmsolve.lifecycle.ways_out.changes import RepairDeployments as RepairDeployments
    from olmsolve.lifecycle.ways_out.changes import RepairSource as RepairSource
    from olmsolve.lifecycle.ways_out.changes import RepairUnpacking as RepairUnpacking
    from olmsolve.lifecycle.ways_out.changes import RetargetGroup as RetargetGroup
    from olmsolve.lifecycle.ways_out.changes import SubscribeTo as SubscribeTo
    from olmsolve.lifecycle.ways_out.fixes import CarryOutFix as CarryOutFix
    from olmsolve.lifecycle.ways_out.searching import ClusterWayOut as ClusterWayOut
    from olmsolve.lifecycle.ways_out.searching import cluster_ways_out as cluster_ways_out
    from olmsolve.lifecycle.ways_out.searching import still_works as still_works
    from olmsolve.lifecycle.ways_out.searching import working as working
else:
    __getattr__, __dir__ = lazily(__name__)
