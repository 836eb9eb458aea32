"""A pause for the collector of cyclic garbage, while a catalog is read or indexed.

Loading makes hundreds of thousands of objects that stay. The collector walks them again and again in search of cycles,
which takes up to a third of the time, and there are none to find. Nothing else is freed later: objects without cycles
go with their last reference.
"""

from __future__ import annotations

import gc
import os
import threading
from types import TracebackType
from typing import ClassVar


class collector_paused:  # noqa: N801 - used as a function: with collector_paused()
    """A scope without collections of cyclic garbage, in all threads, since Python has one collector for all.

    Scopes of several threads may overlap: the last one to end starts the collector again. A collector that the program
    itself has stopped stays so.
    """

    __slots__ = ()
    _lock: ClassVar = threading.Lock()
    _scopes: ClassVar = 0
    _was_running: ClassVar = False

    def __enter__(self) -> None:
        """Stop the collector."""
        shared = collector_paused
        with shared._lock:
            if not shared._scopes:
                shared._was_running = gc.isenabled()
                gc.disable()
            shared._scopes += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Start the collector, unless another scope is open."""
        shared = collector_paused
        with shared._lock:
            shared._scopes -= 1
            if not shared._scopes and shared._was_running:
                gc.enable()

    @classmethod
    def start_anew(cls) -> None:
        """Forget the scopes of a process in its fork, where the threads that opened them are missing."""
        cls._lock = threading.Lock()
        if cls._scopes and cls._was_running:
            gc.enable()
        cls._scopes = 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=collector_paused.start_anew)
