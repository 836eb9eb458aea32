"""A pause for the collector of cyclic garbage, while a catalog is read or indexed, or a hard problem is solved.

Loading and searching make hundreds of thousands of objects that stay until the end. The collector walks them again
and again in search of cycles, which takes up to a third of the time, and there are none to find. Beside a large
catalog it walks that as well: 1.5 s, in the middle of a search of 0.9 s. Objects without cycles are freed with their
last reference as ever.
"""

from __future__ import annotations

import gc
import os
import sys
from _thread import RLock, get_ident  # threading has them too, and takes 0.6 ms to load
from types import TracebackType
from typing import Final

from olmsolve._limits import current
from olmsolve.errors import Incomplete

# A full collection waits for so many pauses, and until the process has a quarter more blocks of memory than after the
# last one: a service that holds large catalogs may load small ones without walking the large. (Python's own rule counts
# objects. Whoever asks for these gets tuples that other threads are still making, which breaks them.)
_PAUSES: Final = 10
# CPython looks through old objects by the same rule: once the new ones are more than a quarter of them.
_PART_OF_OLD: Final = 4
# Fewer new blocks than these are some megabytes at most.
_FEWEST_BLOCKS: Final = 50_000
# Counting blocks visits every page of the heap, a millisecond for half a gigabyte. It waits until pauses have made this
# part of the blocks as objects, which Python counts anyway: beside 4,000,000 old blocks, a quarter is 1,000,000 blocks,
# so 500 small catalogs of 400 objects each (200,000 in all, fewer than 250,000) are loaded without counting.
_OBJECTS_TO_COUNT: Final = 4
# To ask Python for its full collections takes 2.3 µs, 1 % of a small dense plan, which makes some hundred objects. So
# pauses with fewer objects than these ask only before they would collect.
_MANY_OBJECTS: Final = 5_000

# Where somebody may cancel, a collection comes after at most this many new blocks, however many old ones there are:
# walking them takes less than the 0.1 s in which a cancelled call should end.
_MOST_BLOCKS_TO_CANCEL: Final = 1_000_000

# The generations of a collection: objects that no collection has walked before, and all objects.
_YOUNG: Final = 1
_ALL: Final = 2


class CollectorPause:
    """A scope without collections of cyclic garbage, in all threads, since Python has one collector for all.

    The thread that opens a scope first has the pause, and it ends with that scope. Scopes of other threads meanwhile
    change nothing: if they prolonged it, a service whose threads always load something would never collect. A
    collector that the program itself has stopped stays so.
    """

    def __init__(self) -> None:
        # The handler of a signal may open a scope while its own thread holds the lock.
        self._lock = RLock()
        self._owner: int | None = None
        self._depth = 0
        self._was_running = False
        self._pauses = 0
        self._objects_before = 0
        self._new_objects = 0
        self._old_blocks = 0
        self._collections = 0
        self._program_freezes = False

    def __enter__(self) -> None:
        """Stop the collector, unless another thread has."""
        me = get_ident()
        # Only its owner ends a pause, so it may look without the lock. A small dense request opens two or three scopes.
        if self._owner == me:
            self._depth += 1
            return
        with self._lock:
            if self._owner is None:
                self._owner, self._depth = me, 1
                self._was_running = gc.isenabled()
                gc.disable()
                self._objects_before = gc.get_count()[0]

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Start the collector with the end of the scope that stopped it."""
        if self._owner != get_ident():
            return
        if self._depth > 1:
            self._depth -= 1
            return
        was_running = self._was_running
        try:
            # Still in the scope and without the lock, since a collection runs the finalisers of a program and the
            # handlers of signals, which may open scopes.
            if was_running:
                # Another error does neither: bad documents fail by the thousand, and each would walk a large heap.
                if kind is None:
                    self._collect()
                elif isinstance(error, Incomplete):
                    self._age()
        finally:
            with self._lock:
                self._owner, self._depth = None, 0
                if was_running:
                    gc.enable()

    def _age(self) -> None:
        """Count all objects as old, so that work that a limit has stopped returns at once.

        The collector would first walk everything that was made meanwhile, and is freed a moment later: 0.1 to 1 s of
        a load of two million objects. Freezing and thawing moves whole lists of objects, in no time.
        """
        self._pauses += 1
        # A program that has frozen objects itself wants them to stay so. It is asked no more once it has: the answer is
        # a walk of them, and beside two million, every cancelled call would take a tenth of a second longer.
        if not self._program_freezes:
            self._program_freezes = gc.get_freeze_count() > 0
        if not self._program_freezes:
            gc.freeze()
            gc.unfreeze()

    def make_up(self) -> None:
        """Make up for the collections that a long scope has kept from running, if this thread opened it.

        Work without a known end calls this now and then: the garbage of other threads would grow as long as it takes.
        """
        if self._owner == get_ident() and self._was_running:
            self._collect()

    def _collect(self) -> None:
        """Make up for the collections that pauses have kept from running: a program that always loads has no others."""
        self._pauses += 1
        objects = gc.get_count()[0]
        new_objects = max(0, objects - self._objects_before)
        self._objects_before = objects
        self._new_objects += new_objects
        if new_objects > _MANY_OBJECTS and self._has_been_collected():
            return
        if self._pauses < _PAUSES:
            return
        blocks_needed = max(_FEWEST_BLOCKS, self._old_blocks // _PART_OF_OLD)
        # Nothing ends a collection. Where somebody may cancel, only what is new is walked, which also counts towards
        # Python's own full collections: 0.07 s, not 0.6 s, in a search beside 100,000 bundles.
        is_young = current().limited
        if is_young:
            blocks_needed = min(blocks_needed, _MOST_BLOCKS_TO_CANCEL)
        if self._new_objects < blocks_needed // _OBJECTS_TO_COUNT:
            return
        if self._has_been_collected():
            return
        self._new_objects = 0
        if sys.getallocatedblocks() - self._old_blocks > blocks_needed:
            gc.collect(_YOUNG if is_young else _ALL)
            self._pauses, self._old_blocks = 0, sys.getallocatedblocks()
            self._collections = _full_collections()

    def _has_been_collected(self) -> bool:
        """Return True after a full collection, by Python or the program, that no pause has noticed; count from now on.

        There is nothing to make up for until now. Otherwise a search of 0.2 s may end with 0.9 s for a walk of what a
        program collects after each load.
        """
        collections = _full_collections()
        if collections == self._collections:
            return False
        self._collections, self._pauses, self._new_objects = collections, 1, 0
        self._old_blocks = sys.getallocatedblocks()
        return True

    def start_anew(self) -> None:
        """Forget all scopes: a fork of the process has none of the threads that opened them."""
        self._lock = RLock()
        if self._owner is not None and self._was_running:
            gc.enable()
        self._owner, self._depth = None, 0


def _full_collections() -> int:
    """Return the number of full collections so far: of the oldest generation, which walk everything."""
    collections: int = gc.get_stats()[-1]["collections"]
    return collections


COLLECTOR_PAUSE: Final = CollectorPause()
"""The one pause of this process: ``with COLLECTOR_PAUSE: ...``."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=COLLECTOR_PAUSE.start_anew)
