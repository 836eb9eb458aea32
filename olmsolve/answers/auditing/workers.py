"""The work on an executor's workers, which may be threads, processes, or other machines.

Sources are large and chunks of work are many, so a worker keeps its auditor under the key of the sources' content. A
chunk comes with the key alone; a worker without its auditor says so, and the chunk comes again with the sources.
Threads and forked processes have the auditor from the start. No initializer is needed, which not every executor has,
and a key can never stand for other content.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, TypeAlias

import attrs

from olmsolve._limits import held, limited
from olmsolve.answers.auditing.content import unpacked
from olmsolve.answers.auditing.packages import Auditor
from olmsolve.answers.auditing.report import AuditedPackage
from olmsolve.classic import SemanticsName
from olmsolve.solver.backends import BackendLike

PackageKeys: TypeAlias = tuple[tuple[str, str], ...]
"""Packages, each as its catalog (``namespace/name``) and its name."""


@attrs.frozen
class Chunk:
    """*packages* to audit of the sources that *key* stands for, within *seconds* and *conflicts* (None: no limit).

    *run* and *attempt* make every chunk unique, a second attempt at the same packages included: some executors
    answer an equal task from a cache.
    """

    key: str
    run: str
    attempt: int
    packages: PackageKeys
    seconds: float | None
    conflicts: int | None = None


@attrs.frozen
class Shipment:
    """The sources of an audit, packed by :func:`~olmsolve.answers.auditing.content.packed`, and its options."""

    payload: bytes = attrs.field(repr=False)
    semantics: SemanticsName
    backend: BackendLike


@attrs.frozen
class ChunkResult:
    """The *packages* that *worker* audited; None if the worker lacks the sources that the key stands for."""

    worker: str
    packages: tuple[AuditedPackage, ...] | None


# Auditors of the audits that this process itself runs, for as long as they run.
_RUNNING: Final[dict[str, Auditor]] = {}
# The auditor this process was sent last, and no other, so that a worker of a long-lived cluster stays small.
_SENT: Final[dict[str, Auditor]] = {}
_LOCK: Final = threading.Lock()


@contextmanager
def at_hand(key: str, auditor: Auditor) -> Iterator[None]:
    """Let workers that share this process's memory have *auditor* without sending it."""
    _RUNNING[key] = auditor
    try:
        yield
    finally:
        _RUNNING.pop(key, None)


def audit_chunk(chunk: Chunk, shipment: Shipment | None = None) -> ChunkResult:
    """Audit *chunk*. Raises what :meth:`~olmsolve.answers.auditing.packages.Auditor.audit` raises."""
    worker = f"{socket.gethostname()}:{os.getpid()}"
    with limited(timeout=chunk.seconds, conflicts=chunk.conflicts):
        auditor = _auditor(chunk.key, shipment)
        if auditor is None:
            return ChunkResult(worker, None)
        return ChunkResult(worker, tuple(auditor.audit_all(chunk.packages)))


def _auditor(key: str, shipment: Shipment | None) -> Auditor | None:
    """Return the auditor of *key*, made from *shipment* if need be; None if neither is at hand."""
    auditor = _RUNNING.get(key) or _SENT.get(key)
    if auditor is None and shipment is not None:
        # Of several threads that were sent the same sources at once, one builds the auditor for all.
        with held(_LOCK):
            auditor = _SENT.get(key)
            if auditor is None:
                auditor = Auditor(unpacked(shipment.payload), shipment.semantics, shipment.backend)
                _SENT.clear()
                _SENT[key] = auditor
    return auditor
