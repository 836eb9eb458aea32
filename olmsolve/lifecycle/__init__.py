"""What OLM would do on a cluster: install plans, simulation until the cluster is at rest, metrics."""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.lifecycle import metrics as metrics
    from olmsolve.lifecycle import planning as planning
    from olmsolve.lifecycle import simulation as simulation
else:
    __getattr__, __dir__ = lazily(__name__)
