"""Journeys of clusters through the same versions: parts that do not influence each other are searched one by one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import olmsolve._attrs as attrs
from olmsolve import events
from olmsolve._arguments import wrong_type
from olmsolve._limits import Cancellation, checked, scoped
from olmsolve._reader import for_reader
from olmsolve.answers import content_key
from olmsolve.catalog import Catalog, Source, index_files
from olmsolve.cluster import NamespaceObjects, minor_text
from olmsolve.cluster.objects import ClusterServiceVersion
from olmsolve.errors import CatalogError, RequestError
from olmsolve.lifecycle.impact import first_meeting
from olmsolve.lifecycle.journey.bounds import JourneyTables
from olmsolve.lifecycle.journey.conflicts import PartConflicts
from olmsolve.lifecycle.journey.extensions import ExtensionPart
from olmsolve.lifecycle.journey.model import (
    Journey,
    JourneyOperator,
    JourneyStage,
    JourneyUpdate,
    JourneyWayOut,
    MadeChange,
    every_rule,
)
from olmsolve.lifecycle.journey.namespaces import NamespacesPart
from olmsolve.lifecycle.journey.objects import cluster_part, extension_operator, operators_of
from olmsolve.lifecycle.journey.searching import MOST_SIMULATIONS, Found, JourneySearch, Leg
from olmsolve.lifecycle.journey.stages import GivenContents, VersionStage, stages_between, version_of_cluster
from olmsolve.lifecycle.journey.ways import with_way
from olmsolve.lifecycle.simulation import SimulationSettings
from olmsolve.requests import ClusterSituation, Situation, needs_objects
from olmsolve.solver.backends import DEFAULT, BackendLike

_Search: TypeAlias = JourneySearch[Any]


@attrs.frozen(eq=False)
class _Travelled:
    """A part of a cluster with its *search*, and its *outcome* for the last stage."""

    search: _Search
    outcome: Found[Any]


class JourneyPlanner:
    """Plans journeys through *stages*; *most* bounds the simulated states of each search, *backend* solves."""

    def __init__(self, stages: Sequence[VersionStage], *, most: int, backend: BackendLike) -> None:
        self._stages = stages
        self._tables = JourneyTables(stages)
        self._most = most
        self._settings = SimulationSettings(backend=backend)

    def journey(self, cluster: ClusterSituation) -> Journey:
        """Return the journey of *cluster*, whose catalogs contain what the stages say.

        Raises:
            ManifestError: a catalog that a namespace sees has no content.
        """
        first = attrs.evolve(cluster, contents=self._stages[0].contents)
        for namespace in cluster.namespaces:
            first.refuse_missing_contents(NamespaceObjects.picked_from(cluster.state, namespace))
        parts = [*self._namespaces(first), *self._extensions(first)]
        last = len(self._stages) - 1
        furthest, legs = last, [part.outcome.legs for part in parts]
        undecided = tuple(_name(part) for part in parts if part.outcome.gave_up)
        # One stage less each time, for all parts: the cluster has one version, so no part can go further than the
        # others.
        while any(leg is None for leg in legs) and furthest > 0:
            furthest -= 1
            # An update between EUS versions passes over this version: a cluster never stays there.
            if self._stages[furthest].is_passed:
                continue
            legs = [part.search.until(furthest).run(every_rule).legs if furthest else () for part in parts]
        stuck = [part for part in parts if part.outcome.legs is None and not part.outcome.gave_up]
        of_parts = [PartConflicts(self._tables, self._retried, part.search, part.outcome) for part in stuck]
        conflicts = tuple(conflict for of_part in of_parts for conflict in of_part.conflicts)
        is_freed = bool(of_parts) and all(of_part.is_freed for of_part in of_parts) and not undecided
        ways = tuple(way for of_part in of_parts for way in of_part.ways) if is_freed else ()
        made = [leg or (Leg(0, part.search.start()),) for part, leg in zip(parts, legs, strict=True)]
        return Journey(
            self._stages[0].text,
            self._stages[-1].text,
            self._stages[furthest].text,
            tuple(self._stage(number, parts, made) for number in range(furthest + 1)),
            conflicts,
            ways,
            tuple(fault for part in parts for fault in part.search.part.standing),
            undecided,
            sum(part.search.simulated for part in parts),
            self._digest(first),
        )

    def _namespaces(self, cluster: ClusterSituation) -> list[_Travelled]:
        """Return the parts of classic OLM, each as small as it can be."""
        state = cluster.state
        present = [
            *cluster.namespaces,
            *(csv.namespace for csv in state.all(ClusterServiceVersion) if not csv.is_copied),
        ]
        spaces: list[tuple[str, ...]] = [(name,) for name in sorted(set(present))]
        done: dict[tuple[str, ...], _Travelled] = {}
        while True:
            for space in spaces:
                if space not in done:
                    done[space] = self._travelled(self._part(cluster, space))
            meeting = first_meeting([_part_of(done[space]).footprint for space in spaces])
            if meeting is None:
                return [done[space] for space in spaces]
            left, right = (spaces[position] for position in meeting)
            spaces = sorted([space for space in spaces if space not in (left, right)] + [tuple(sorted(left + right))])

    def _part(self, cluster: ClusterSituation, spaces: Sequence[str]) -> NamespacesPart:
        own_cluster = attrs.evolve(cluster, state=cluster_part(cluster.state, spaces))
        return NamespacesPart(own_cluster, self._tables, self._settings)

    def _extensions(self, cluster: ClusterSituation) -> Iterator[_Travelled]:
        for name in cluster.extensions:
            yield self._travelled(ExtensionPart(cluster, name, self._stages))

    def _travelled(self, part: Any) -> _Travelled:
        search: _Search = JourneySearch(part, self._most)
        return _Travelled(search, search.run(every_rule))

    def _retried(self, part: Any, ways: Sequence[JourneyWayOut]) -> _Search | None:
        """Return the search of *part* once *ways* are made on its objects, None where nothing of it is left."""
        state = part.given.state
        for way in ways:
            state = with_way(state, way)
        changed = attrs.evolve(part.given, state=state)
        if isinstance(part, ExtensionPart):
            if part.name not in changed.extensions:
                return None
            return JourneySearch(ExtensionPart(changed, part.name, self._stages), self._most)
        freed = self._part(changed, state.namespaces())
        freed.excuse_as(part)
        return JourneySearch(freed, self._most)

    def _stage(self, number: int, parts: Sequence[_Travelled], made: Sequence[tuple[Leg[Any], ...]]) -> JourneyStage:
        stage = self._stages[number]
        arrival: list[JourneyUpdate] = []
        changes: list[MadeChange] = []
        operators: list[JourneyOperator] = []
        for part, legs in zip(parts, made, strict=True):
            here = [leg for leg in legs if leg.stage == number]
            for leg in here:
                if leg.change is None:
                    arrival += leg.state.updates
                else:
                    changes.append(MadeChange(leg.change, leg.state.updates))
            value = here[-1].state.value
            if isinstance(part.search.part, ExtensionPart):
                extension = part.search.part
                operators += extension_operator(extension.name, extension.package, value, stage)
            else:
                operators += operators_of(value, stage)
        return JourneyStage(
            stage.text,
            minor_text(stage.kubernetes),
            stage.is_passed,
            stage.given,
            tuple(sorted(set(stage.contents).difference(stage.given))) if number else (),
            tuple(arrival),
            tuple(changes),
            tuple(operators),
        )

    def _digest(self, cluster: ClusterSituation) -> str:
        """Return the digest of everything that the journey depends on."""
        digest = hashlib.sha256()
        for object_ in checked(cluster.state, every=16):
            # All fields that count for equality, also if repr() leaves them out, but not how the object was written.
            whole = attrs.asdict(object_, filter=lambda attribute, _: bool(attribute.eq))
            text = json.dumps([object_.KIND, whole], sort_keys=True, default=repr)
            digest.update(text.encode("utf-8", "backslashreplace"))
        digest.update(f"{cluster.policy!r} {self._most}".encode("utf-8", "backslashreplace"))
        digest.update(self._contents_key.encode())
        return digest.hexdigest()

    @property
    def _contents_key(self) -> str:
        """The digest of the stages and of their catalogs."""
        if not hasattr(self, "_key"):
            keys: dict[int, str] = {}
            lines = []
            for stage in self._stages:
                for name in sorted(stage.contents):
                    content = stage.contents[name]
                    # By identity: stages share most catalogs, and a digest reads a whole catalog.
                    if id(content) not in keys:
                        keys[id(content)] = _key_of(name, content)
                    lines.append(f"{stage.text} {stage.is_passed} {name} {keys[id(content)]}")
            self._key = "\n".join(lines)
        return self._key


def _key_of(name: str, content: Catalog | CatalogError) -> str:
    """Return everything of *content* that a journey depends on: deprecations decide no plan, but the notes."""
    if not isinstance(content, Catalog):
        return str(content)
    notes = sorted((package.name, repr(package.deprecations)) for package in content if package.deprecations)
    return f"{content_key([Source(name, '', 0, content)])} {notes}"


def _part_of(travelled: _Travelled) -> NamespacesPart:
    part = travelled.search.part
    assert isinstance(part, NamespacesPart)
    return part


def _name(travelled: _Travelled) -> str:
    part = travelled.search.part
    return f"extension {part.name}" if isinstance(part, ExtensionPart) else ", ".join(_part_of(travelled).namespaces)


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
        raise RequestError("no ClusterVersion among the objects gives today's version", field="openshift", hint=hint)
    with scoped(timeout=timeout, cancel=cancel, observer=observer):
        stages = stages_between(start, to, cluster.contents, catalogs, load, eus=eus)
        return JourneyPlanner(stages, most=most, backend=backend).journey(cluster)
