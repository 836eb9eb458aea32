"""A progress bar for work that takes long, such as loading or auditing catalogs; for some of it, lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import Final, Protocol, Self, TextIO

# Seconds of silence before a bar is worth its flicker, and seconds between two of its pictures.
_PATIENCE: Final = 0.5
_INTERVAL: Final = 0.1
# Seconds between two lines where a log is written, such as that of a pipeline.
_LINES: Final = 10.0
# Widths in characters: no label pushes the bar out of a terminal of 80 columns.
_CELLS: Final = 30
_LABEL: Final = 30


class _Bar(Protocol):
    """A bar on a terminal, drawn anew by each ``show`` and erased by ``close``."""

    def show(self, label: str, done: int, total: int) -> None: ...

    def close(self) -> None: ...


class Progress:
    """A context in which a bar on *stream* shows how far the work called *verb* is; the bar is gone at its end.

    It appears only half a second after *since* (a time of *clock*, default: now): with rich where it is installed, as
    plain characters otherwise::

        with Progress(sys.stderr) as progress:
            catalog = olmsolve.load(path, progress=progress.reporter(path))

    With *lines*, a *stream* that is no terminal gets a line every ten seconds: whoever reads the log of a pipeline sees
    that work of minutes goes on.
    """

    def __init__(
        self,
        stream: TextIO,
        *,
        verb: str = "loading",
        since: float | None = None,
        clock: Callable[[], float] = time.monotonic,
        lines: bool = False,
    ) -> None:
        self._stream = stream
        self._verb = verb
        self._clock = clock
        self._lines = lines and not stream.isatty()
        self._next = (clock() if since is None else since) + (_LINES if self._lines else _PATIENCE)
        self._bar: _Bar | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.close()

    def reporter(self, label: str) -> Callable[[int, int], None] | None:
        """Return a function for a loader to call with the amounts done and in all, shown beside *label*.

        None where nothing is to be shown: a loader that need not report is faster.
        """
        if not self._lines and not self._stream.isatty():
            return None

        def report(done: int, total: int) -> None:
            now = self._clock()
            if now < self._next:
                return
            if self._lines:
                self._next = now + _LINES
                self._stream.write(f"{self._verb}: {done:,} of {total:,} {label}\n")
                self._stream.flush()
                return
            self._next = now + _INTERVAL
            if self._bar is None:
                self._bar = _bar(self._stream, self._verb)
            self._bar.show(label, done, total)

        return report


class _PlainBar:
    def __init__(self, stream: TextIO, verb: str) -> None:
        self._stream = stream
        self._verb = verb

    def show(self, label: str, done: int, total: int) -> None:
        share = min(done / total, 1.0) if total > 0 else 0.0
        filled = "#" * round(share * _CELLS)
        # Returning to the margin and erasing the line needs no knowledge of the terminal's width.
        self._stream.write(f"\r\x1b[K{self._verb} {label[-_LABEL:]} [{filled:<{_CELLS}}] {share:4.0%}")
        self._stream.flush()

    def close(self) -> None:
        self._stream.write("\r\x1b[K")
        self._stream.flush()


def _bar(stream: TextIO, verb: str) -> _Bar:
    try:
        return _rich_bar(stream, verb)
    except ImportError:
        return _PlainBar(stream, verb)


def _rich_bar(stream: TextIO, verb: str) -> _Bar:
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, TaskID, TaskProgressColumn, TextColumn
    from rich.progress import Progress as Rich

    class RichBar:
        def __init__(self) -> None:
            columns = TextColumn(f"{verb} {{task.description}}"), BarColumn(), TaskProgressColumn()
            self._rich = Rich(*columns, console=Console(file=stream), transient=True)
            self._tasks: dict[str, TaskID] = {}
            self._rich.start()

        def show(self, label: str, done: int, total: int) -> None:
            if label not in self._tasks:
                self._tasks[label] = self._rich.add_task(escape(label))
            self._rich.update(self._tasks[label], completed=done, total=total)

        def close(self) -> None:
            self._rich.stop()

    return RichBar()
