"""The verb of the room: audit catalogs, in this thread or on an executor, and go on where an earlier run ended.

Also here: the cargo of an audit, for workers that do not share this process's memory, and its state file, with one line
of JSON for each package that is done. Damaged lines and lines of other audits stay in the file and are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from concurrent.futures import Executor
from contextlib import ExitStack
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Final, Self, TypeAlias

import olmsolve._attrs as attrs
from olmsolve import events
from olmsolve._arguments import every
from olmsolve._limits import Cancellation, scoped
from olmsolve._record_reading import StateFormat, refused, refusing
from olmsolve.answers.auditing.packages import Auditor
from olmsolve.answers.auditing.report import AuditedPackage, AuditReport
from olmsolve.answers.fleet import Fleet, Work, at_hand, content_key, packed, unpacked
from olmsolve.catalog import Source
from olmsolve.classic import ClassicResolver, Request, Semantics, SemanticsName
from olmsolve.solver.backends import DEFAULT, BackendLike, find, portable_name

_LINES: Final = StateFormat("olmsolve.audit.package", "package", AuditedPackage)
_START: Final = b'{"schema": "olmsolve.audit.'
# The path of a foreign file may be given, which may be one line of gigabytes.
_LONGEST_LINE: Final = 32 << 20


class StateFile:
    """The file at *path*, created if missing, for the audit *key* of *packages* (pairs of catalog and package).

    *done* are the packages of this audit in the file; *notes* count the lines skipped. Use it in a ``with`` block.

    Raises:
        RequestError: the file cannot be read or written, or is no state file (it is left alone).
    """

    def __init__(self, path: Path, key: str, packages: Container[tuple[str, str]]) -> None:
        self._path = path
        self._key = key
        self._packages = packages
        self.done: dict[tuple[str, str], AuditedPackage] = {}
        self.notes: tuple[str, ...] = ()
        self._file: BinaryIO | None = None

    def __enter__(self) -> Self:
        if self._path.exists() and not self._path.is_file():
            raise refused(self._path, "this is not a file")
        try:
            with refusing(self._path):
                self._file = self._path.open("a+b")
                self._read_lines(self._file)
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def add(self, package: AuditedPackage) -> None:
        """Write that *package* is done, at once: a process that is killed now loses nothing of it."""
        assert self._file is not None
        with refusing(self._path):
            self._file.write(_LINES.line_of(self._key, package) + b"\n")
            self._file.flush()

    def _read_lines(self, file: BinaryIO) -> None:
        """Read the packages that are done, and count the lines skipped."""
        damaged = foreign = 0
        ours = empty = file.seek(0, 2) == 0
        file.seek(0)
        ended = True
        while line := file.readline(_LONGEST_LINE):
            ended = line.endswith(b"\n")
            ours = ours or line.startswith(_START)
            saved = _LINES.read(line.rstrip(b"\n"))
            package = None if saved is None else saved.state
            if saved is None or package is None:
                damaged += 1
            elif saved.key == self._key and (package.catalog, package.name) in self._packages:
                self.done[package.catalog, package.name] = package
            else:
                foreign += 1
        if not ours:
            raise refused(self._path, "this is not a state file of an audit, so it is left alone")
        if not ended and not empty:
            # A line cut short by a crash must not swallow the next one.
            file.write(b"\n")
        counted = (damaged, "damaged"), (foreign, "foreign")
        self.notes = tuple(
            f"{self._path}: {count} {what} line{'s' if count > 1 else ''} skipped" for count, what in counted if count
        )


@attrs.frozen
class Shipment:
    """The sources of an audit, packed by :func:`~olmsolve.answers.fleet.packed`, and its options."""

    payload: bytes = attrs.field(repr=False)
    semantics: SemanticsName
    backend: BackendLike

    def unpacked(self) -> Work:
        """Return the audit of packages of these sources."""
        return Auditor(unpacked(self.payload), self.semantics, self.backend).audit_all


ProgressReport: TypeAlias = Callable[[int, int], None]
"""A callback; its arguments are the number of packages done and the number of all packages."""

PackageKeys: TypeAlias = tuple[tuple[str, str], ...]
"""Packages, each as its catalog (``namespace/name``) and its name."""

# Channel entries in a chunk: enough to be worth a trip to a worker, and few enough to share the work evenly.
_CHUNK: Final = 150


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
    *resume* is a file that notes the packages done: an audit of the same sources with the same options continues from
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
    # A request refuses what is wrong with sources, such as two of one name.
    Request(namespaces=("default",), sources=sources, subscriptions=())
    auditor = Auditor(sources, semantics, backend)
    sizes = {
        (source.key, package.name): _size(source, package.name) for source in sources for package in source.catalog
    }
    with ExitStack() as stack:
        key = "" if executor is None and resume is None else content_key(sources, semantics.value, find(backend).name)
        state = None if resume is None else stack.enter_context(StateFile(Path(resume), key, sizes))
        done = {} if state is None else dict(state.done)
        missing = tuple(package for package in sorted(sizes) if package not in done)
        if executor is None or not missing:
            audited = auditor.audit_all(missing)
        else:
            stack.enter_context(at_hand(key, auditor.audit_all))
            name = portable_name(backend)
            fleet = Fleet(executor, key, lambda: Shipment(packed(sources), semantics, name))
            audited = stack.enter_context(fleet).results(_chunks(missing, sizes))
        for package in audited:
            done[package.catalog, package.name] = package
            if state is not None:
                state.add(package)
            if progress is not None:
                progress(len(done), len(sizes))
        notes = () if state is None else state.notes
    catalogs = tuple(sorted(source.key for source in sources))
    return AuditReport(catalogs, semantics.value, tuple(done[package] for package in sorted(sizes)), notes)


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
