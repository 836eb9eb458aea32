"""The time and the bytes of one visit to a host: an answer that never begins or never ends is ended here."""

from __future__ import annotations

import math
import time
from typing import Final

from olmsolve._limits import check

TOTAL_SECONDS: Final = 3600.0
"""Seconds for everything that a path asks of hosts: an image with all of its layers, or a URL."""

ANSWER_SECONDS: Final = 60.0
"""Seconds until the content of an answer begins, with look-ups, connections, redirects, challenges and tokens."""

SILENT_SECONDS: Final = 30.0
"""Seconds to wait for the next byte."""

HEAD_BYTES: Final = 1 << 20
"""Bytes that come over a wire before the content of an answer, and that may come between its pieces."""

REDIRECTS: Final = 10
"""Redirects of one answer, as Go's client follows them."""

_TICK: Final = 0.05
"""Seconds between two looks at the limits of the caller, who may cancel from another thread."""


class HostTime:
    """The clock of one visit: a total, the start of each answer, and silence."""

    def __init__(self) -> None:
        self._end = time.monotonic() + TOTAL_SECONDS
        self.begin_answer()

    def begin_answer(self) -> None:
        """Start the time that the next answer may take until its content begins."""
        self._content_begins = time.monotonic() + ANSWER_SECONDS
        self.heard()

    def begin_content(self) -> None:
        """End the time for the head of an answer: its content has begun."""
        self._content_begins = math.inf

    def heard(self) -> None:
        """Note that something came, or went."""
        self._silent_until = time.monotonic() + SILENT_SECONDS

    def tick(self) -> float:
        """Return the seconds to wait before the next call of this method.

        Raises:
            Incomplete: a limit of the caller is met.
            TimeoutError: the host has taken too long.
        """
        check()
        now = time.monotonic()
        if now >= self._silent_until:
            raise TimeoutError(f"nothing came for {SILENT_SECONDS:.0f} seconds")
        if now >= self._content_begins:
            raise TimeoutError(f"no answer within {ANSWER_SECONDS:.0f} seconds")
        if now >= self._end:
            raise TimeoutError(f"not everything came within {TOTAL_SECONDS:,.0f} seconds")
        return min(_TICK, self._silent_until - now, self._content_begins - now, self._end - now)
