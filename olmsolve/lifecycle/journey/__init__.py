"""The journey of a cluster from one version of OpenShift to another: what is changed when, or why there is no way.

Reading order: ``stages`` (versions, and the catalogs of each), ``model`` (the rules of a journey, and the answer),
``searching`` (the search, for any part of a cluster), ``bounds`` (what a subscription needs at least), ``namespaces``
and ``extensions`` (the two kinds of parts), ``objects`` (the objects of a cluster as journeys see them), ``ways`` and
``conflicts`` (what would help, and why there is no journey), ``planner`` (the verb, and parts put together), ``fleets``
(clusters in groups).
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.lifecycle.journey.fleets import FleetJourneys as FleetJourneys
    from olmsolve.lifecycle.journey.fleets import JourneyGroup as JourneyGroup
    from olmsolve.lifecycle.journey.fleets import JourneyStop as JourneyStop
    from olmsolve.lifecycle.journey.fleets import UnreadJourney as UnreadJourney
    from olmsolve.lifecycle.journey.fleets import fleet_journeys as fleet_journeys
    from olmsolve.lifecycle.journey.model import CatalogReplacement as CatalogReplacement
    from olmsolve.lifecycle.journey.model import ChannelOutlook as ChannelOutlook
    from olmsolve.lifecycle.journey.model import ExtensionChannelChange as ExtensionChannelChange
    from olmsolve.lifecycle.journey.model import ExtensionRemoval as ExtensionRemoval
    from olmsolve.lifecycle.journey.model import Journey as Journey
    from olmsolve.lifecycle.journey.model import JourneyConflict as JourneyConflict
    from olmsolve.lifecycle.journey.model import JourneyOperator as JourneyOperator
    from olmsolve.lifecycle.journey.model import JourneyReason as JourneyReason
    from olmsolve.lifecycle.journey.model import JourneyRule as JourneyRule
    from olmsolve.lifecycle.journey.model import JourneyStage as JourneyStage
    from olmsolve.lifecycle.journey.model import JourneyUpdate as JourneyUpdate
    from olmsolve.lifecycle.journey.model import JourneyWayOut as JourneyWayOut
    from olmsolve.lifecycle.journey.model import MadeChange as MadeChange
    from olmsolve.lifecycle.journey.model import ManualApproval as ManualApproval
    from olmsolve.lifecycle.journey.model import OperatorAdoption as OperatorAdoption
    from olmsolve.lifecycle.journey.model import OperatorRemoval as OperatorRemoval
    from olmsolve.lifecycle.journey.model import PackageReplacement as PackageReplacement
    from olmsolve.lifecycle.journey.model import PlanApproval as PlanApproval
    from olmsolve.lifecycle.journey.model import RangeRemoval as RangeRemoval
    from olmsolve.lifecycle.journey.model import SubscriptionChannelChange as SubscriptionChannelChange
    from olmsolve.lifecycle.journey.model import UpgradeableOverride as UpgradeableOverride
    from olmsolve.lifecycle.journey.planner import JourneyPlanner as JourneyPlanner
    from olmsolve.lifecycle.journey.planner import journey as journey
    from olmsolve.lifecycle.journey.stages import stages_between as stages_between
else:
    __getattr__, __dir__ = lazily(__name__)
