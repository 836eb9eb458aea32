"""Processes that share the work of a command."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from concurrent.futures import Executor

MOST_PROCESSES: Final = 1024


def processes(count: int) -> AbstractContextManager[Executor | None]:
    """Return an executor with *count* processes, or None for a single one: this process itself."""
    if count == 1:
        return nullcontext()
    import signal
    from concurrent.futures import ProcessPoolExecutor

    # Terminals interrupt all processes; workers have nothing to say about it, and nothing to finish first.
    return ProcessPoolExecutor(count, initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_DFL))
