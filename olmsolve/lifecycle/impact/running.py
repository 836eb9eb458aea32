"""The verb of the room: the impact of a change on a fleet, in this process or on an executor."""

from __future__ import annotations

import itertools
import secrets
from bisect import insort
from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from concurrent.futures import Executor
from contextlib import ExitStack
from os import PathLike, fspath
from pathlib import Path
from typing import Final, TypeAlias

import attrs

from olmsolve import events
from olmsolve._limits import Cancellation, scoped
from olmsolve.answers.fleet import Fleet, at_hand
from olmsolve.catalog import Catalog, index_files
from olmsolve.cluster import next_update
from olmsolve.errors import RequestError
from olmsolve.lifecycle.impact.model import ClusterClass, ClusterImpact, ImpactReport, UnreadableCluster
from olmsolve.lifecycle.impact.working import AnsweredCluster, AnsweredItems, Answering, Change, ChangeCargo
from olmsolve.requests import Policy, RecordedCluster
from olmsolve.solver.backends import DEFAULT, BackendLike, portable_name

FleetItem: TypeAlias = str | PathLike[str] | RecordedCluster
"""A file or a folder with recorded clusters, or one cluster."""

GivenCatalogs: TypeAlias = Mapping[str, str | PathLike[str] | Catalog]
"""Catalogs, or their paths, by ``namespace/name`` of a CatalogSource or by the name of a ClusterCatalog."""

ProgressReport: TypeAlias = Callable[[int, int], None]
"""A callback; its arguments are the number of items done and the number of all items (0: unknown)."""

# Items in a chunk: enough to be worth a trip to a worker.
_CHUNK: Final = 8
# Chunks under way at once, so that an endless stream of clusters is read no faster than it is answered.
_AHEAD: Final = 64
# Names that are kept of each class, and unreadable clusters: a report on millions of clusters stays readable.
MOST_NAMES: Final = 100


def impact(
    clusters: Iterable[FleetItem],
    *,
    before: GivenCatalogs,
    after: GivenCatalogs,
    policy: Policy | None = None,
    approve: bool = False,
    openshift: str = "",
    executor: Executor | None = None,
    backend: BackendLike = DEFAULT,
    timeout: float | None = None,
    conflicts: int | None = None,
    cancel: Cancellation | None = None,
    observer: events.Observer | None = None,
    progress: ProgressReport | None = None,
) -> ImpactReport:
    """Say what a change of catalogs does to a fleet: every cluster is simulated to rest *before* it and *after* it.

    *clusters* are files and folders, as :func:`olmsolve.requests.recorded_clusters` reads them, or recorded clusters;
    an iterable of any length, of which little is in memory at once. A catalog that a cluster does not have is left
    aside. Clusters that are equal in everything that matters are one class, which is answered once. A cluster that
    cannot be read is in the report, with the reason.

    *policy* and *approve* are as in :func:`olmsolve.read_situation` and :func:`olmsolve.simulate`. *openshift* is the
    version of the clusters: then installed bundles that block the next minor version are reported.
    *executor* shares the work (any :class:`concurrent.futures.Executor`, which is not shut down); the report is the
    same, whatever runs it. *timeout*, *conflicts*, *cancel* and *observer* are as in :func:`olmsolve.resolve`, for all
    clusters together. *progress* is called in this thread.

    Raises:
        CatalogError: a catalog cannot be read.
        RequestError: there is no catalog to compare.
        VersionError: *openshift* is not a version.
        BackendError: there is no such backend, or it cannot keep a limit.
        Incomplete: a limit was met, or the caller cancelled.

    Example::

        report = impact(["dumps"], before={"olm/community": "old"}, after={"olm/community": "new"})
        for each in report.classes:
            print(each.count, *each.impact.failures)
    """
    with scoped(timeout=timeout, conflicts=conflicts, cancel=cancel, observer=observer):
        if not before and not after:
            raise RequestError("there is no catalog", field="before", hint="nothing could change")
        if openshift:
            next_update(openshift)
        loaded = _CatalogsByPath()
        change = Change(
            loaded.catalogs(before), loaded.catalogs(after), policy or Policy(), approve, openshift, backend
        )
        total = len(clusters) if isinstance(clusters, Sized) else 0
        gathering = _Gathering()
        with ExitStack() as stack:
            done = 0
            for found in _answered(clusters, change, executor, stack):
                gathering.add(found)
                done += found.items
                if progress is not None:
                    progress(done, total)
        return gathering.report()


def _answered(
    clusters: Iterable[FleetItem], change: Change, executor: Executor | None, stack: ExitStack
) -> Iterator[AnsweredItems]:
    work = Answering(change)
    items = (each if isinstance(each, RecordedCluster) else fspath(each) for each in clusters)
    if executor is None:
        for item in items:
            yield from work((item,))
        return
    key = secrets.token_hex(16)
    stack.enter_context(at_hand(key, work))
    shipped = attrs.evolve(change, backend=portable_name(change.backend))
    fleet = stack.enter_context(Fleet(executor, key, lambda: ChangeCargo.of(shipped)))
    yield from fleet.results(_chunks(items), ahead=_AHEAD)


def _chunks(items: Iterator[str | RecordedCluster]) -> Iterator[tuple[str | RecordedCluster, ...]]:
    while chunk := tuple(itertools.islice(items, _CHUNK)):
        yield chunk


class _CatalogsByPath:
    """Catalogs by their paths: one that stands on both sides is loaded once."""

    def __init__(self) -> None:
        self._found: dict[Path, Catalog] = {}

    def catalogs(self, given: GivenCatalogs) -> dict[str, Catalog]:
        return {key: each if isinstance(each, Catalog) else self._load(Path(each)) for key, each in given.items()}

    def _load(self, path: Path) -> Catalog:
        if path not in self._found:
            self._found[path] = index_files.load(path)
        return self._found[path]


class _Gathering:
    """The report in the making: classes by key, whatever the order in which clusters are answered."""

    def __init__(self) -> None:
        self._answers: dict[str, ClusterImpact] = {}
        self._counts: dict[str, int] = {}
        self._names: dict[str, list[str]] = {}
        self._unreadable: list[tuple[str, str]] = []
        self._unreadable_count = 0

    def add(self, found: AnsweredItems) -> None:
        """Add the clusters of a chunk."""
        for key, answer in found.answers.items():
            self._answers.setdefault(key, answer)
        for each in found.clusters:
            self._add(each)

    def _add(self, cluster: AnsweredCluster) -> None:
        if cluster.unreadable:
            self._unreadable_count += 1
            insort(self._unreadable, (cluster.name, cluster.unreadable))
            del self._unreadable[MOST_NAMES:]
            return
        self._counts[cluster.key] = self._counts.get(cluster.key, 0) + 1
        names = self._names.setdefault(cluster.key, [])
        insort(names, cluster.name)
        del names[MOST_NAMES:]

    def report(self) -> ImpactReport:
        """Return the report, the largest class first, then by the first name."""
        keys = sorted(self._counts, key=lambda key: (-self._counts[key], self._names[key][0], key))
        return ImpactReport(
            tuple(ClusterClass(key, self._counts[key], tuple(self._names[key]), self._answers[key]) for key in keys),
            tuple(UnreadableCluster(*each) for each in self._unreadable),
            self._unreadable_count,
        )
