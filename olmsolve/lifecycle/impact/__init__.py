"""The impact of a changed catalog or object on a fleet: clusters simulated to rest before and after, alike parts once.

Reading order: ``forms`` (objects without what no answer depends on), ``changes`` (manifests that are applied to each
cluster, or deleted, and the names that they may use), ``repositories`` (where they come from), ``model`` (the impact,
and the report), ``comparing`` (two simulations become an impact), ``rollouts`` (the order in which namespaces can be
updated), ``footprints`` and ``dividing`` (clusters become parts, each of which is answered once), ``state`` (clusters
counted by their parts, and how far it came), ``running`` (the verb, and the work on any worker).
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.lifecycle.impact.changes import read_changes as read_changes
    from olmsolve.lifecycle.impact.comparing import compared as compared
    from olmsolve.lifecycle.impact.dividing import changed_objects as changed_objects
    from olmsolve.lifecycle.impact.footprints import Footprint as Footprint
    from olmsolve.lifecycle.impact.footprints import first_meeting as first_meeting
    from olmsolve.lifecycle.impact.footprints import simulation_footprint as simulation_footprint
    from olmsolve.lifecycle.impact.forms import catalogs_in as catalogs_in
    from olmsolve.lifecycle.impact.forms import form_key as form_key
    from olmsolve.lifecycle.impact.forms import normal_form as normal_form
    from olmsolve.lifecycle.impact.model import ClusterClass as ClusterClass
    from olmsolve.lifecycle.impact.model import ClusterImpact as ClusterImpact
    from olmsolve.lifecycle.impact.model import Gate as Gate
    from olmsolve.lifecycle.impact.model import HeldBackImpact as HeldBackImpact
    from olmsolve.lifecycle.impact.model import ImpactFailure as ImpactFailure
    from olmsolve.lifecycle.impact.model import ImpactReport as ImpactReport
    from olmsolve.lifecycle.impact.model import OperatorImpact as OperatorImpact
    from olmsolve.lifecycle.impact.model import ReachedClusters as ReachedClusters
    from olmsolve.lifecycle.impact.model import Rollout as Rollout
    from olmsolve.lifecycle.impact.model import RolloutStep as RolloutStep
    from olmsolve.lifecycle.impact.model import StrandedOperator as StrandedOperator
    from olmsolve.lifecycle.impact.model import UnreadableCluster as UnreadableCluster
    from olmsolve.lifecycle.impact.model import WaitingBundles as WaitingBundles
    from olmsolve.lifecycle.impact.running import impact as impact
else:
    __getattr__, __dir__ = lazily(__name__)
