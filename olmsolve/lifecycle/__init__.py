"""The actions of OLM on a cluster: install plans, simulation until the cluster is at rest, metrics.

``cluster_updates`` is built on simulation: which operators keep the cluster from its next minor version, and which
updates free it. ``impact`` asks a whole fleet what other catalogs would change, and ``journey`` leads a cluster through
several versions. ``migration`` compares classic OLM with OLM v1, and ``moving`` says how to move there.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.lifecycle import impact as impact
    from olmsolve.lifecycle import journey as journey
    from olmsolve.lifecycle import metrics as metrics
    from olmsolve.lifecycle import planning as planning
    from olmsolve.lifecycle import simulation as simulation
    from olmsolve.lifecycle import ways_out as ways_out
    from olmsolve.lifecycle.cluster_updates import BlockingExtension as BlockingExtension
    from olmsolve.lifecycle.cluster_updates import BlockingOperator as BlockingOperator
    from olmsolve.lifecycle.cluster_updates import ClusterUpdate as ClusterUpdate
    from olmsolve.lifecycle.cluster_updates import WayToUpdate as WayToUpdate
    from olmsolve.lifecycle.cluster_updates import cluster_update as cluster_update
    from olmsolve.lifecycle.cluster_updates import situation_update as situation_update
    from olmsolve.lifecycle.migration import Migration as Migration
    from olmsolve.lifecycle.migration import MigrationRemark as MigrationRemark
    from olmsolve.lifecycle.migration import Migrations as Migrations
    from olmsolve.lifecycle.migration import Remark as Remark
    from olmsolve.lifecycle.migration import migrations as migrations
    from olmsolve.lifecycle.moving import Move as Move
    from olmsolve.lifecycle.moving import move_text as move_text
    from olmsolve.lifecycle.moving import move_to_v1 as move_to_v1
else:
    __getattr__, __dir__ = lazily(__name__)
