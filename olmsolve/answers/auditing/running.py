"""The verb of the room: audit catalogs, in this thread or on an executor, and go on where an earlier run ended."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import ExitStack
from os import PathLike
from pathlib import Path
from typing import Final, Self, TypeAlias

from olmsolve import events
from olmsolve._arguments import every
from olmsolve._limits import Cancellation, current, scoped
from olmsolve.answers.auditing.content import content_key, packed
from olmsolve.answers.auditing.packages import Auditor
from olmsolve.answers.auditing.report import AuditedPackage, AuditReport
from olmsolve.answers.auditing.state import StateFile
from olmsolve.answers.auditing.workers import Chunk, ChunkResult, PackageKeys, Shipment, at_hand, audit_chunk
from olmsolve.catalog import Source
from olmsolve.classic import ClassicResolver, Request, Semantics, SemanticsName
from olmsolve.errors import RequestError
from olmsolve.solver.backends import DEFAULT, BackendLike, find, portable_name

ProgressReport: TypeAlias = Callable[[int, int], None]
"""A callback; its arguments are the number of packages done and the number of all packages."""

# Channel entries in a chunk: enough to be worth a trip to a worker, and few enough to share the work evenly.
_CHUNK: Final = 150
# Seconds between two looks at the limits while the workers work.
_PATIENCE: Final = 0.02


def audit(
    sources: Iterable[Source],
    *,
    executor: Executor | None = None,
    semantics: SemanticsName = Semantics.DOCUMENTED,
    backend: BackendLike = DEFAULT,
    timeout: float | None = None,
    conflicts: int | None = None,
    cancel: Cancellation | None = None,
    observer: events.Observer | None = None,
    progress: ProgressReport | None = None,
    resume: str | PathLike[str] | None = None,
) -> AuditReport:
    """Find what users of the catalogs *sources* would run into; docs/audit.md lists the questions and the findings.

    *executor* runs it (any :class:`concurrent.futures.Executor`, which is not shut down); None is this thread.
    *timeout*, *conflicts*, *cancel* and *observer* are as in :func:`olmsolve.resolve`, for the whole audit; workers of
    an executor end by the timeout, or with the package at hand. *progress* is called in this thread after each package.
    *resume* is a file that notes the packages done: an audit of the same sources with the same options goes on from
    there.

    The report is the same, to the byte, whatever runs it and wherever it was resumed.

    Raises:
        RequestError: repeated or empty names of sources, unknown semantics, or a state file that cannot be used.
        BackendError: there is no such backend, or it cannot keep a time limit.
        Incomplete: a limit was met, or the caller cancelled. The state file keeps the packages done so far.

    Example::

        report = audit([orchard, commons], resume="audit.state")
        for finding in report.findings:
            print(finding)
    """
    with scoped(timeout=timeout, conflicts=conflicts, cancel=cancel, observer=observer):
        meaning = ClassicResolver((), semantics=semantics).semantics
        return _audit(every(sources, Source, "sources"), executor, meaning, backend, progress, resume)


def _audit(
    sources: tuple[Source, ...],
    executor: Executor | None,
    semantics: Semantics,
    backend: BackendLike,
    progress: ProgressReport | None,
    resume: str | PathLike[str] | None,
) -> AuditReport:
    _check(sources)
    auditor = Auditor(sources, semantics, backend)
    sizes = {
        (source.key, package.name): _size(source, package.name) for source in sources for package in source.catalog
    }
    with ExitStack() as stack:
        key = "" if executor is None and resume is None else content_key(sources, semantics.value, find(backend).name)
        state = None if resume is None else stack.enter_context(StateFile(Path(resume), key, sizes))
        done = {} if state is None else dict(state.done)
        missing = tuple(each for each in sorted(sizes) if each not in done)
        if executor is None or not missing:
            found = auditor.audit_all(missing)
        else:
            stack.enter_context(at_hand(key, auditor))
            name = portable_name(backend)
            fleet = _Fleet(executor, key, lambda: Shipment(packed(sources), semantics, name))
            found = stack.enter_context(fleet).audited(_chunks(missing, sizes))
        for package in found:
            done[package.catalog, package.name] = package
            if state is not None:
                state.add(package)
            if progress is not None:
                progress(len(done), len(sizes))
        notes = () if state is None else state.notes
    catalogs = tuple(sorted(source.key for source in sources))
    return AuditReport(catalogs, semantics.value, tuple(done[each] for each in sorted(sizes)), notes)


def _check(sources: Sequence[Source]) -> None:
    for source in sources:
        if not source.name:
            raise RequestError("a catalog needs a name", field="catalogs")
    # A request refuses every other fault of sources.
    Request(namespaces=("",), sources=sources, subscriptions=())


def _size(source: Source, package: str) -> int:
    return sum(len(channel.entries) for channel in source.catalog.packages[package].channels.values())


def _chunks(packages: PackageKeys, sizes: dict[tuple[str, str], int]) -> list[PackageKeys]:
    """Return *packages* in chunks of about equal size, the largest first, so that none is left for the end."""
    chunks: list[tuple[int, PackageKeys]] = []
    chunk: list[tuple[str, str]] = []
    size = 0
    for package in packages:
        chunk.append(package)
        size += sizes[package]
        if size >= _CHUNK:
            chunks.append((size, tuple(chunk)))
            chunk, size = [], 0
    chunks.append((size, tuple(chunk)))
    chunks.sort(key=lambda sized: -sized[0])
    return [chunk for _, chunk in chunks if chunk]


class _Fleet:
    """The workers of an executor and the chunks sent to them; leaving the ``with`` block cancels the rest.

    Sources are large, so they travel only with as many chunks as there are workers known to lack them. A run on two
    fresh workers: the first chunks come back undone, two chunks travel again with the sources, and all others
    travel alone from then on.
    """

    def __init__(self, executor: Executor, key: str, shipment: Callable[[], Shipment]) -> None:
        self._executor = executor
        self._key = key
        self._make_shipment = shipment
        self._shipment: Shipment | None = None
        self._limits = current()
        self._run = secrets.token_hex(8)
        self._attempts = 0
        # The chunk behind each future, and whether the sources travel with it.
        self._pending: dict[Future[ChunkResult], tuple[PackageKeys, bool]] = {}
        self._lacking: set[str] = set()
        self._having: set[str] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for future in self._pending:
            future.cancel()

    def audited(self, chunks: Iterable[PackageKeys]) -> Iterator[AuditedPackage]:
        """Yield the audited packages of *chunks*, in the order in which they come back."""
        for chunk in chunks:
            self._submit(chunk, ship=False)
        waiting: list[PackageKeys] = []
        while self._pending or waiting:
            while waiting and self._may_send():
                self._submit(waiting.pop(), ship=self._may_ship())
            for future in self._finished():
                chunk, _ = self._pending.pop(future)
                answer = future.result()
                if answer.packages is None:
                    self._having.discard(answer.worker)
                    self._lacking.add(answer.worker)
                    waiting.append(chunk)
                else:
                    self._lacking.discard(answer.worker)
                    self._having.add(answer.worker)
                    yield from answer.packages

    def _may_ship(self) -> bool:
        """Return whether some worker lacks the sources and no chunk is taking them there."""
        return self._shipping() < len(self._lacking)

    def _may_send(self) -> bool:
        """Return whether a chunk has any chance: some worker has the sources, or they can travel with it."""
        return bool(self._having) or self._may_ship()

    def _shipping(self) -> int:
        return sum(ship for _, ship in self._pending.values())

    def _submit(self, packages: PackageKeys, *, ship: bool) -> None:
        """Send a chunk, with the sources if *ship*; they are packed only when a worker first needs them."""
        shipment = None
        if ship:
            if self._shipment is None:
                self._shipment = self._make_shipment()
            shipment = self._shipment
        self._attempts += 1
        seconds, conflicts = self._limits.seconds_left(), self._limits.conflicts
        chunk = Chunk(self._key, self._run, self._attempts, packages, seconds, conflicts)
        self._pending[self._executor.submit(audit_chunk, chunk, shipment)] = packages, ship

    def _finished(self) -> Iterable[Future[ChunkResult]]:
        """Wait for chunks to be done. Raises Incomplete if a limit is met before."""
        while True:
            self._limits.check()
            patience = _PATIENCE if self._limits.limited else None
            finished, _ = wait(self._pending, timeout=patience, return_when=FIRST_COMPLETED)
            if finished:
                return finished
