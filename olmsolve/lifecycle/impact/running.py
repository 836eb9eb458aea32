"""The verb of the room: the impact of a change on a fleet, in this process or on the workers of an executor."""

from __future__ import annotations

import hashlib
import io
import itertools
import pickle
import secrets
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import ExitStack
from functools import cache
from os import PathLike
from pathlib import Path
from typing import Final, TypeAlias

import olmsolve._attrs as attrs
from olmsolve import events
from olmsolve._limits import Cancellation, checked, scoped
from olmsolve._paths import is_directory
from olmsolve.answers import Fleet, Work, at_hand, content_key
from olmsolve.catalog import Catalog, Source, index_files
from olmsolve.cluster import next_update
from olmsolve.errors import Incomplete, OlmsolveError, RequestError
from olmsolve.lifecycle.impact.changes import (
    ChangeSources,
    ObjectChange,
    RefusedChangeError,
    RepositoryChanges,
    read_changes,
)
from olmsolve.lifecycle.impact.comparing import compared_sides
from olmsolve.lifecycle.impact.dividing import Dividing, PartAnswer
from olmsolve.lifecycle.impact.footprints import footprint, simulated
from olmsolve.lifecycle.impact.forms import Manifest, catalogs_in
from olmsolve.lifecycle.impact.model import (
    ClusterClass,
    ClusterImpact,
    ImpactReport,
    ReachedClusters,
    RefusingCluster,
    UnreadableCluster,
)
from olmsolve.lifecycle.impact.state import (
    MOST_NAMES,
    AnsweredItem,
    Checkpoint,
    ComparisonState,
    Counts,
    PartKeys,
    Tally,
)
from olmsolve.requests import (
    Policy,
    RecordedCluster,
    Situation,
    fleet_items,
    read_cluster,
    read_situation,
    recorded_clusters,
)
from olmsolve.solver.backends import DEFAULT, BackendLike, find, portable_name

Catalogs: TypeAlias = Mapping[str, Catalog]
"""Catalogs by the key of the cluster's catalog: ``namespace/name``, or the name of a ClusterCatalog."""

Numbered: TypeAlias = tuple[int, str | RecordedCluster]
"""An item (a path, or a recorded cluster) with its position in the stream of all items."""


@attrs.frozen
class Change:
    """The change of a fleet: its catalogs *before* and *after*, the policies of both sides, and how it is simulated.

    At most *names* names of each class are kept. *objects* are the changes of the clusters' objects.
    """

    before: Catalogs = attrs.field(repr=False)
    after: Catalogs = attrs.field(repr=False)
    policy_before: Policy
    policy: Policy
    approve: bool
    openshift: str
    backend: BackendLike
    names: int
    objects: tuple[ObjectChange, ...] = ()

    def answer(self, old_form: Iterable[Manifest], new_form: Iterable[Manifest]) -> PartAnswer:
        """Return the impact on the cluster, or on the part of one, with the objects of these normal forms.

        Raises:
            RequestError: the objects cannot be read, or contradict each other (a ManifestError).
            VersionError, BackendError, Incomplete: as in :func:`~olmsolve.lifecycle.impact.comparing.compared`.
        """
        sides = ((old_form, self.before, self.policy_before), (new_form, self.after, self.policy))
        situations = (self._situation(list(form), catalogs, policy) for form, catalogs, policy in sides)
        old, new = (simulated(situation, self.approve, self.backend) for situation in situations)
        impact = compared_sides(old, new, openshift=self.openshift, backend=self.backend)
        return PartAnswer(impact, footprint(old, new))

    def _situation(self, objects: list[Manifest], catalogs: Catalogs, policy: Policy) -> Situation:
        # Clusters of one fleet have different catalogs, and a situation takes the contents of its own alone.
        catalogs_by_key = {key: catalogs.get(key, catalogs.get(key.rpartition("/")[2])) for key in catalogs_in(objects)}
        given = {key: catalog for key, catalog in catalogs_by_key.items() if catalog is not None}
        document = {"apiVersion": "v1", "kind": "List", "items": objects}
        return read_situation(document, catalogs=given, policy=policy)


class Answering:
    """The work of one process: it reads clusters, and answers each part once, for as long as the answer is kept."""

    def __init__(self, change: Change) -> None:
        # The rule that operator groups constrain candidates looks at groups of other namespaces for each candidate.
        is_divisible = not (change.policy_before.operator_groups or change.policy.operator_groups)
        self._dividing = Dividing(change.answer, is_divisible=is_divisible, changes=change.objects)
        self._names = change.names

    def __call__(self, items: tuple[Numbered, ...]) -> Iterator[AnsweredItem]:
        """Yield the counts of *items*, with the answers to all parts of their clusters."""
        for position, item in items:
            tally = Tally(self._names)
            answers: dict[str, ClusterImpact] = {}
            for cluster in checked(recorded_clusters(item)):
                try:
                    divided = self._dividing.answers(cluster.documents())
                except Incomplete:
                    raise
                except RefusedChangeError as error:
                    tally.add_refusing(cluster.name, f"{cluster.name}: {error}")
                except OlmsolveError as error:
                    tally.add_unreadable(cluster.name, _located(str(error), cluster))
                else:
                    tally.add(cluster.name, tuple(divided.parts), divided.reached, divided.near)
                    answers.update(divided.parts)
            yield AnsweredItem(position, tally.counts(), answers)


def _located(reason: str, cluster: RecordedCluster) -> str:
    """Return *reason*, which the normal form of *cluster* gave, with file and object as its reader names them."""
    if cluster.name not in reason and cluster.sources:
        for source in cluster.sources:
            if isinstance(source, io.IOBase):
                source.seek(0)
        try:
            read_cluster(*cluster.sources)
        except OlmsolveError as error:
            reason = str(error)
    return reason if cluster.name in reason else f"{cluster.name}: {reason}"


@attrs.frozen
class ChangeCargo:
    """A change on its way to workers that do not share this process's memory."""

    payload: bytes = attrs.field(repr=False)

    @classmethod
    def packed(cls, change: Change) -> ChangeCargo:
        """Pack *change*."""
        return cls(zlib.compress(pickle.dumps(change, pickle.HIGHEST_PROTOCOL), 1))

    def unpacked(self) -> Work:
        """Return the work on clusters under this change. Never unpack a stranger's bytes: pickles can run code."""
        return Answering(pickle.loads(zlib.decompress(self.payload)))  # noqa: S301 - see above


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


def impact(
    clusters: Iterable[FleetItem],
    *,
    before: GivenCatalogs,
    after: GivenCatalogs,
    changes: ChangeSources = (),
    changes_before: ChangeSources = (),
    policy: Policy | None = None,
    policy_before: Policy | None = None,
    approve: bool = False,
    openshift: str = "",
    executor: Executor | None = None,
    backend: BackendLike = DEFAULT,
    timeout: float | None = None,
    conflicts: int | None = None,
    cancel: Cancellation | None = None,
    observer: events.Observer | None = None,
    progress: ProgressReport | None = None,
    resume: str | PathLike[str] | None = None,
    names: int = MOST_NAMES,
) -> ImpactReport:
    """Say what a change does to a fleet: every cluster is simulated to rest *before* it and *after* it.

    *clusters* are files and folders, or recorded clusters; an iterable of any length, of which little is in memory at
    once. A catalog that a cluster does not have is ignored. A cluster is divided into parts that do not influence each
    other, and each part is answered once for all clusters that have it; clusters with the same parts are one class. A
    cluster that cannot be read is in the report, with the reason.

    *changes* are manifests, or files and folders of them, that are applied to every cluster after the change, as
    ``kubectl apply`` does: a Subscription, an OperatorGroup, a CatalogSource, a Namespace, a ClusterExtension or a
    ClusterCatalog. A folder is a repository as it is: kustomizations in it are rendered, other kinds are skipped.
    Objects of *changes_before* that are not in *changes* are deleted. A change in a namespace that a cluster does not
    have does not affect that cluster; the report says how many clusters each change reached.

    *policy* and *approve* are as in :func:`olmsolve.read_situation` and :func:`olmsolve.simulate`. *policy_before* is
    the policy before the change (default: the same), for example with an older version of OpenShift. *openshift* is the
    version of the clusters after the change: then installed bundles that block the next minor version are reported.

    *executor* shares the work (any :class:`concurrent.futures.Executor`, which is not shut down); the report is the
    same without it. *timeout*, *conflicts*, *cancel* and *observer* are as in :func:`olmsolve.resolve`, for all
    clusters together. *progress* is called in this thread. *resume* is a file that keeps the progress: a comparison of
    the same clusters, catalogs and changes with the same options continues from there, and its report is the same.
    *names* is how many names of each class, and how many unreadable clusters, the report has.

    Raises:
        CatalogError: a catalog cannot be read.
        RequestError: there is no catalog to compare, *names* is not positive, or the state file cannot be used.
        ManifestError: one of *changes* cannot be read or applied, or has a field that its kind does not have.
        VersionError: *openshift* is not a version.
        BackendError: there is no such backend, or it cannot keep a limit.
        Incomplete: a limit was met, or the caller cancelled. The state file keeps what was done so far.

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
        if not isinstance(names, int) or names < 1:
            raise RequestError(f"{names!r} is not a positive whole number", field="names")
        load = cache(index_files.load)  # a catalog of both sides is loaded once
        policy = policy or Policy()
        repository = read_changes(changes, changes_before)
        change = Change(
            _catalogs(before, load),
            _catalogs(after, load),
            policy_before or policy,
            policy,
            approve,
            openshift,
            backend,
            names,
            repository.objects,
        )
        # How many items a folder has is known only once it is read.
        is_counted = isinstance(clusters, Collection) and not any(map(_is_folder, clusters))
        total = len(clusters) if isinstance(clusters, Collection) and is_counted else 0
        items = (item for cluster in clusters for item in fleet_items(cluster))
        state = None if resume is None else ComparisonState(Path(resume), _key(change))
        return _gathered(items, total, change, repository, executor, progress, state)


def _gathered(
    items: Iterable[str | RecordedCluster],
    total: int,
    change: Change,
    repository: RepositoryChanges,
    executor: Executor | None,
    progress: ProgressReport | None,
    state: ComparisonState | None,
) -> ImpactReport:
    gathering = _Gathering(Checkpoint() if state is None else state.start, change, repository)
    missing: Iterator[Numbered] = enumerate(items) if state is None else state.missing(items)
    done = gathering.items
    with ExitStack() as stack:
        if state is not None:
            # However the work ends: whoever goes on must not do it twice.
            stack.callback(lambda: state.write(*gathering.noted()))
        for item in _answered(missing, change, executor, stack):
            gathering.add(item)
            done += 1
            if state is not None:
                state.add(item)
                state.write_soon(gathering.noted)
            if progress is not None:
                progress(done, total)
    return gathering.report()


def _is_folder(item: FleetItem) -> bool:
    return not isinstance(item, RecordedCluster) and is_directory(Path(item))


def _key(change: Change) -> str:
    """Return a digest of everything that the answers depend on beside the clusters."""
    sides = (("before", change.before), ("after", change.after))
    sources = [Source(key, side, 0, catalog) for side, catalogs in sides for key, catalog in catalogs.items()]
    objects = [object_.to_text() for object_ in change.objects]
    options = repr((change.policy_before, change.policy, change.approve, change.openshift, change.names, objects))
    return content_key(sources, options, find(change.backend).name)


def _answered(
    items: Iterator[Numbered], change: Change, executor: Executor | None, stack: ExitStack
) -> Iterator[AnsweredItem]:
    work = Answering(change)
    if executor is None:
        for item in items:
            yield from work((item,))
        return
    # Workers keep the change under this key. The key is random, so that no run of a service gets the change of another.
    key = secrets.token_hex(16)
    stack.enter_context(at_hand(key, work))
    shipped = attrs.evolve(change, backend=portable_name(change.backend))
    fleet = stack.enter_context(Fleet(executor, key, lambda: ChangeCargo.packed(shipped)))
    yield from fleet.results(_chunks(items), ahead=_AHEAD)


def _chunks(items: Iterator[Numbered]) -> Iterator[tuple[Numbered, ...]]:
    while chunk := tuple(itertools.islice(items, _CHUNK)):
        yield chunk


def _catalogs(given: GivenCatalogs, load: Callable[[Path], Catalog]) -> dict[str, Catalog]:
    return {key: content if isinstance(content, Catalog) else load(Path(content)) for key, content in given.items()}


class _Gathering:
    """The report while it grows, beginning with a checkpoint; items may be answered in any order."""

    def __init__(self, start: Checkpoint, change: Change, repository: RepositoryChanges) -> None:
        self.items = start.done + len(start.beyond)
        self._repository = repository
        self._tally = Tally(change.names)
        self._tally.add_counts(start.counts)
        self._answers = dict(start.answers)

    def add(self, item: AnsweredItem) -> None:
        """Add the clusters of an item."""
        self._tally.add_counts(item.counts)
        for key, answer in item.answers.items():
            # Equal parts of other clusters have equal answers: one is kept, however many thousand clusters have the
            # part.
            self._answers.setdefault(key, answer)

    def noted(self) -> tuple[Counts, dict[str, ClusterImpact]]:
        """Return what a checkpoint notes."""
        return self._tally.counts(), self._answers

    def report(self) -> ImpactReport:
        """Return the report, the largest class first, then by the first name."""
        counts = self._tally.counts()
        classes = (
            ClusterClass(
                _class_key(class_.parts),
                class_.count,
                class_.names,
                ClusterImpact.of_parts(self._answers[part] for part in class_.parts),
            )
            for class_ in counts.classes
        )
        return ImpactReport(
            tuple(sorted(classes, key=lambda class_: (-class_.count, class_.names[0], class_.key))),
            tuple(UnreadableCluster(*cluster) for cluster in counts.unreadable),
            counts.unreadable_count,
            len({part for class_ in counts.classes for part in class_.parts}),
            tuple(_reached(self._repository, counts)),
            self._repository.skipped,
            self._repository.charts,
            tuple(RefusingCluster(*cluster) for cluster in counts.refusing),
            counts.refusing_count,
        )


def _reached(repository: RepositoryChanges, counts: Counts) -> Iterator[ReachedClusters]:
    reached, near = dict(counts.reached), dict(counts.near)
    for position, object_ in enumerate(repository.objects):
        count = reached.get(position, 0)
        meant = "" if count else near.get(position, "")
        yield ReachedClusters(object_.kind, object_.namespace, object_.name, count, object_.is_deletion, meant)


def _class_key(parts: PartKeys) -> str:
    return parts[0] if len(parts) == 1 else hashlib.sha256("\n".join(parts).encode()).hexdigest()
