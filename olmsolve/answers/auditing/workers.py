"""What runs on the workers of an executor, which may be threads, processes, or other machines.

Sources are large and chunks of work are many, so a worker keeps what it works on under the key of its content:
a chunk comes with the key alone, a worker that does not have it says so, and the chunk comes again with the sources.
Threads, and processes that were forked off, have it from the start. Nothing of this needs an initializer, which not
every executor has, and a key can never stand for other content.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final, TypeAlias

import attrs

from olmsolve.answers.auditing.content import unpacked
from olmsolve.answers.auditing.packages import Auditor
from olmsolve.answers.auditing.report import AuditedPackage
from olmsolve.classic import SemanticsName

__all__ = ["Chunk", "ChunkResult", "Places", "Shipment", "at_hand", "audit_chunk"]

Places: TypeAlias = tuple[tuple[str, str], ...]
"""Packages, each as ``name/namespace`` of its catalog and its own name."""


@attrs.frozen
class Chunk:
    """Packages to audit of what *key* stands for, within *seconds* where there is a limit.

    No two chunks are equal, the second attempt at one (*attempt* counts all of them) included: some executors do
    not do twice what looks the same.
    """

    key: str
    run: str
    attempt: int
    places: Places
    seconds: float | None


@attrs.frozen
class Shipment:
    """The sources, as :func:`~olmsolve.answers.auditing.content.packed` makes them, and the options of an audit."""

    payload: bytes = attrs.field(repr=False)
    semantics: SemanticsName
    backend: str


@attrs.frozen
class ChunkResult:
    """What *worker* found, or (*packages* is None) that it does not have what the key stands for."""

    worker: str
    packages: tuple[AuditedPackage, ...] | None


# Kept by whoever runs an audit in this process, for as long as it runs.
_RUNNING: Final[dict[str, Auditor]] = {}
# What this process was sent: the last one only, so that a worker of a long-lived cluster stays small.
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
    """Audit *chunk*; raises what :meth:`~olmsolve.answers.auditing.packages.Auditor.audit` does."""
    deadline = None if chunk.seconds is None else time.monotonic() + chunk.seconds
    worker = f"{socket.gethostname()}:{os.getpid()}"
    auditor = _auditor(chunk.key, shipment)
    if auditor is None:
        return ChunkResult(worker, None)
    return ChunkResult(worker, tuple(_audited(auditor, chunk.places, deadline)))


def _audited(auditor: Auditor, places: Places, deadline: float | None) -> Iterable[AuditedPackage]:
    return (auditor.audit(catalog, package, deadline) for catalog, package in places)


def _auditor(key: str, shipment: Shipment | None) -> Auditor | None:
    auditor = _RUNNING.get(key) or _SENT.get(key)
    if auditor is None and shipment is not None:
        with _LOCK:
            auditor = _SENT.get(key)
            if auditor is None:
                auditor = Auditor(unpacked(shipment.payload), shipment.semantics, shipment.backend)
                _SENT.clear()
                _SENT[key] = auditor
    return auditor
