"""A pause for the collector of cyclic garbage, while a catalog is read or indexed.

Loading makes hundreds of thousands of objects that stay. The collector walks them again and again in search of cycles,
which takes up to a third of the time, and there are none to find. Objects without cycles are freed with their last
reference as ever.
"""

from __future__ import annotations

import gc
import os
import threading
from types import TracebackType
from typing import Final


class CollectorPause:
    """A scope without collections of cyclic garbage, in all threads, since Python has one collector for all.

    Scopes may overlap, in one thread or in several: the last one to end starts the collector again. A collector that
    the program itself has stopped stays so.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._scopes = 0
        self._was_running = False

    def __enter__(self) -> None:
        """Stop the collector."""
        with self._lock:
            if not self._scopes:
                self._was_running = gc.isenabled()
                gc.disable()
            self._scopes += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Start the collector, unless another scope is open."""
        with self._lock:
            self._scopes -= 1
            if not self._scopes and self._was_running:
                gc.enable()

    def start_anew(self) -> None:
        """Forget all scopes: a fork of the process has none of the threads that opened them."""
        self._lock = threading.Lock()
        if self._scopes and self._was_running:
            gc.enable()
        self._scopes = 0


COLLECTOR_PAUSE: Final = CollectorPause()
"""The one pause of this process: ``with COLLECTOR_PAUSE: ...``."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=COLLECTOR_PAUSE.start_anew)
