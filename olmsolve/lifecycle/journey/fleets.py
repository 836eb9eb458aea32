"""The journeys of a fleet: clusters in groups that the same requirements stop."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from os import PathLike
from pathlib import Path
from typing import Any, Final, TypeAlias

import olmsolve._attrs as attrs
from olmsolve._limits import checked
from olmsolve._records import Record, documented, field, record
from olmsolve.catalog import Catalog, index_files
from olmsolve.errors import Incomplete, OlmsolveError, RequestError
from olmsolve.lifecycle.impact import catalogs_in, form_key, normal_form
from olmsolve.lifecycle.journey.model import Journey, JourneyRule
from olmsolve.lifecycle.journey.planner import JourneyPlanner
from olmsolve.lifecycle.journey.searching import MOST_SIMULATIONS
from olmsolve.lifecycle.journey.stages import GivenContents, minor_of, stages_between, version_of_cluster
from olmsolve.requests import Policy, RecordedCluster, fleet_items, read_situation, recorded_clusters
from olmsolve.solver.backends import BackendLike

Item: TypeAlias = str | PathLike[str] | RecordedCluster


@record(order=True)
class JourneyStop(Record):
    """A rule that cannot be kept at a version, because of a package."""

    version: str = field("The version of OpenShift.")
    rule: JourneyRule = field("The rule.")
    package: str = field("The packages in the way; the subject of the rule where they are not known.")

    def __str__(self) -> str:
        return _STOPS[self.rule].format(self)


_STOPS: Final = {
    JourneyRule.SUPPORTS: "does not get to a version that works with OpenShift {0.version}: {0.package}",
    JourneyRule.SETTLES: "updates go in a circle or back at OpenShift {0.version}: {0.package}",
    JourneyRule.RESOLVES: "keeps a namespace or extension from being resolved at OpenShift {0.version}: {0.package}",
    JourneyRule.INSTALLS: "an install plan fails at OpenShift {0.version}: {0.package}",
    JourneyRule.WORKS: "does not run at OpenShift {0.version}: {0.package}",
}


@record(groups={"clusters": "The clusters of the group."})
class JourneyGroup(Record):
    """Clusters that the same *stops* keep from the wanted version; none where they get there."""

    stops: tuple[JourneyStop, ...] = field("The rules that stop the clusters.")
    undecided: bool = field("Whether the search gave up for a part of the clusters.")
    freed: bool = field("Whether each cluster has ways out that were tried and lead there.")
    furthest: str = field("The version that the last of the clusters reaches.")
    changes: int = field("The most changes by hand that a cluster needs on its way.")
    count: int = field("How many clusters the group has.", path="clusters.count")
    names: tuple[str, ...] = field("The names of the first clusters.", path="clusters.names")


@record
class UnreadJourney(Record):
    """A cluster of which nothing is known."""

    name: str = field("Its name.")
    reason: str = field("The fault, with file and object.")


@record(
    definition="olmsolve.journeys",
    title="The clusters of a fleet by what stops them on the way to a version of OpenShift",
    about="docs/journey.md explains it.",
    layout=("to", "clusters", "reached", ...),
)
class FleetJourneys(Record):
    """The clusters of a fleet by what stops them, the largest group first."""

    to: str = field("The wanted version.")
    groups: tuple[JourneyGroup, ...] = field("The groups.")
    unreadable: tuple[UnreadJourney, ...] = field("The clusters of which nothing is known.", default=())

    @property
    @documented("How many clusters were answered.", path="count")
    def clusters(self) -> int:
        return sum(group.count for group in self.groups)

    @property
    @documented("How many clusters get there.")
    def reached(self) -> int:
        return sum(group.count for group in self.groups if not group.stops and not group.undecided)


def fleet_journeys(
    clusters: Iterable[Item],
    *,
    to: str,
    today: Mapping[str, str | PathLike[str] | Catalog],
    later: GivenContents,
    openshift: str,
    eus: bool,
    policy: Policy,
    names: int,
    backend: BackendLike,
    progress: Callable[[int, int], None] | None,
) -> FleetJourneys:
    """Return the *clusters* of a fleet in groups, by what stops them on the way to the version *to*.

    *today* and *later* say what catalogs contain, as in :func:`olmsolve.journey`; a catalog that a cluster does not
    have is left aside. Clusters whose objects are alike are answered once. Of each group, so many *names* are kept.

    Raises:
        RequestError: a version cannot be read, or is not on the way.
        CatalogError: a catalog cannot be read.
        Incomplete: a limit was met, or the caller cancelled.
    """
    # A fault in the wish is a fault for all clusters.
    minor_of(to, "to")
    for version in later:
        minor_of(version, "catalogs")
    loaded = {
        key: content if isinstance(content, Catalog) else index_files.load(content) for key, content in today.items()
    }
    fleet = _FleetPlanners(to, loaded, later, openshift, eus, policy, backend)
    groups: dict[tuple[Any, ...], list[tuple[str, Journey]]] = {}
    unreadable: list[UnreadJourney] = []
    recorded = (cluster for item in clusters for part in fleet_items(item) for cluster in recorded_clusters(part))
    for done, cluster in enumerate(checked(recorded), start=1):
        try:
            journey = fleet.journey(cluster)
        except Incomplete:
            raise
        except OlmsolveError as error:
            unreadable.append(UnreadJourney(cluster.name, str(error)))
        else:
            groups.setdefault((_stops(journey), bool(journey.undecided)), []).append((cluster.name, journey))
        if progress is not None:
            progress(done, 0)
    made = [_group(stops, is_undecided, several, names) for (stops, is_undecided), several in groups.items()]
    return FleetJourneys(
        to, tuple(sorted(made, key=lambda group: (-group.count, group.stops))), tuple(unreadable[:names])
    )


@attrs.define
class _FleetPlanners:
    """The planners of a fleet, by the catalogs and the version that a cluster has, and answers by its objects."""

    to: str
    today: Mapping[str, Catalog]
    later: GivenContents
    openshift: str
    eus: bool
    policy: Policy
    backend: BackendLike
    _planners: dict[tuple[frozenset[str], str], JourneyPlanner] = attrs.field(factory=dict, init=False)
    _answers: dict[str, Journey] = attrs.field(factory=dict, init=False)
    _load: Callable[[Path], Catalog] = attrs.field(factory=lambda: cache(index_files.load), init=False)

    def journey(self, recorded: RecordedCluster) -> Journey:
        form = normal_form(recorded.documents())
        key = form_key(form)
        if key not in self._answers:
            self._answers[key] = self._planned({"apiVersion": "v1", "kind": "List", "items": list(form)})
        return self._answers[key]

    def _planned(self, document: dict[str, Any]) -> Journey:
        present = frozenset(catalogs_in(document["items"]))
        contents = {key: content for key, content in self.today.items() if key in present}
        cluster = read_situation(document, catalogs=contents, policy=self.policy).cluster
        assert cluster is not None, "a List of objects is a cluster"
        start = self.openshift or version_of_cluster(cluster.state)
        if not start:
            raise RequestError("no ClusterVersion among the objects gives today's version", field="openshift")
        planner = self._planners.get((present, start))
        if planner is None:
            later = {
                version: {key: content for key, content in given.items() if key in present}
                for version, given in self.later.items()
            }
            stages = stages_between(start, self.to, contents, later, self._load, eus=self.eus)
            planner = self._planners[present, start] = JourneyPlanner(
                stages, most=MOST_SIMULATIONS, backend=self.backend
            )
        return planner.journey(cluster)


def _stops(journey: Journey) -> tuple[JourneyStop, ...]:
    reasons = (reason for conflict in journey.conflicts for reason in conflict.reasons)
    return tuple(
        sorted({JourneyStop(reason.version, reason.rule, reason.package or reason.subject) for reason in reasons})
    )


def _group(
    stops: tuple[JourneyStop, ...], is_undecided: bool, several: list[tuple[str, Journey]], names: int
) -> JourneyGroup:
    journeys = [cluster for _, cluster in several]
    return JourneyGroup(
        stops,
        is_undecided,
        bool(stops) and all(journey.ways for journey in journeys),
        min((journey.furthest for journey in journeys), key=_numbers),
        max(journey.changes for journey in journeys),
        len(several),
        tuple(sorted(name for name, _ in several)[:names]),
    )


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))
