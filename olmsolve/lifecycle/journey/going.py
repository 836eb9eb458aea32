"""The verb: the journey of a cluster from its objects, and from what its catalogs contain at each version."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from olmsolve import events
from olmsolve._arguments import wrong_type
from olmsolve._limits import Cancellation, scoped
from olmsolve._reader import for_reader
from olmsolve.catalog import Catalog, index_files
from olmsolve.errors import RequestError
from olmsolve.lifecycle.journey.model import Journey
from olmsolve.lifecycle.journey.planner import JourneyPlanner
from olmsolve.lifecycle.journey.searching import MOST_SIMULATIONS
from olmsolve.lifecycle.journey.stages import GivenContents, stages_between, version_of_cluster
from olmsolve.requests import Situation, needs_objects
from olmsolve.solver.backends import DEFAULT, BackendLike


def journey(
    situation: Situation,
    *,
    to: str,
    catalogs: GivenContents,
    openshift: str = "",
    eus: bool = False,
    most: int = MOST_SIMULATIONS,
    load: Callable[[Path], Catalog] = index_files.load,
    backend: BackendLike = DEFAULT,
    timeout: float | None = None,
    cancel: Cancellation | None = None,
    observer: events.Observer | None = None,
) -> Journey:
    """Return the preferred journey of a cluster to the OpenShift version *to*, or why there is none.

    *situation* has the objects of the cluster, with the contents of its catalogs today. *catalogs* says what they
    contain from a later version on: by version, then by the name of the catalog, a path or a catalog; each keeps its
    content where no other is given. *openshift* is today's version (default: of the ClusterVersion among the objects).
    With *eus*, the cluster does not stop at odd versions on the way. *most* bounds how many states are simulated for
    each part of the cluster and each question about it; *load* reads paths. The other keywords are as in
    :func:`olmsolve.simulate`. docs/journey.md defines which journey is preferred.

    Raises:
        RequestError: the situation has no objects, a version cannot be read or is not on the way, or a catalog has no
            content.
        CatalogError: a catalog cannot be read.
        BackendError: there is no such backend.
        Incomplete: a limit was met, or the caller cancelled.

    >>> import olmsolve
    >>> catalogs = {"olm/community": "olmsolve/examples/plan/community.yaml"}
    >>> situation = olmsolve.read_situation("olmsolve/examples/plan/cluster.yaml", catalogs=catalogs)
    >>> olmsolve.journey(situation, openshift="4.18", to="4.20", catalogs={}).is_reached
    True
    """
    if not isinstance(situation, Situation):
        raise wrong_type(situation, "a Situation", "situation", "olmsolve.read_situation makes one")
    cluster = situation.cluster
    if cluster is None:
        raise needs_objects("journey")
    start = openshift or version_of_cluster(cluster.state)
    if not start:
        hint = for_reader(python="openshift= says it, for example openshift='4.18'", option="--openshift says it")
        raise RequestError("no ClusterVersion among the objects tells today's version", field="openshift", hint=hint)
    with scoped(timeout=timeout, cancel=cancel, observer=observer):
        stages = stages_between(start, to, cluster.contents, catalogs, load, eus=eus)
        return JourneyPlanner(stages, most=most, backend=backend).journey(cluster)
