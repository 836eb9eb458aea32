"""The progress bar: only on terminals, only when it takes long, and gone at the end."""

from __future__ import annotations

import io
import sys

import pytest

from olmsolve.cli.output import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    """Time that passes when told."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_nobody_sees_it_in_a_pipe() -> None:
    """In a pipe loading makes no reports, which would only slow it down."""
    with Progress(io.StringIO()) as progress:
        assert progress.reporter("catalog") is None


def test_short_loads_show_nothing() -> None:
    """A bar that flickers tells nobody anything."""
    stream, clock = Terminal(), Clock()
    with Progress(stream, clock=clock) as progress:
        report = progress.reporter("catalog")
        assert report is not None
        clock.now = 0.4
        report(10, 100)
    assert stream.getvalue() == ""


def test_short_loads_after_others_show_a_bar() -> None:
    """Many short loads take long together."""
    stream, clock = Terminal(), Clock()
    clock.now = 10.0
    with Progress(stream, since=9.0, clock=clock) as progress:
        report = progress.reporter("catalog")
        assert report is not None
        report(10, 100)
        assert "catalog" in stream.getvalue()


def show(monkeypatch: pytest.MonkeyPatch, *, rich: bool, total: int = 100) -> str:
    """What a terminal gets when half of a catalog is loaded after a second."""
    if not rich:
        monkeypatch.setitem(sys.modules, "rich.console", None)
    stream, clock = Terminal(), Clock()
    with Progress(stream, clock=clock) as progress:
        report = progress.reporter("catalogs/[main]")
        assert report is not None
        clock.now = 1.0
        report(50, total)
        clock.now = 1.01
        report(51, total)
    return stream.getvalue()


def test_long_loads_show_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    """How far it is, once in a while, on one line that disappears."""
    half = "#" * 15 + " " * 15
    assert show(monkeypatch, rich=False) == f"\r\x1b[Kloading catalogs/[main] [{half}]  50%\r\x1b[K"


def test_a_total_that_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard input has no size."""
    assert " 0%" in show(monkeypatch, rich=False, total=0)


def test_with_rich(monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra "cli" brings a nicer one, in which brackets of a path are no markup."""
    pytest.importorskip("rich", reason="the extra cli is not installed")
    shown = show(monkeypatch, rich=True)
    assert "catalogs/[main]" in shown


def test_a_log_gets_a_line_now_and_then() -> None:
    """Whoever reads the log of a pipeline sees that work of minutes goes on; a short one leaves no line."""
    stream, clock = io.StringIO(), Clock()
    with Progress(stream, verb="fuzzing", clock=clock, lines=True) as progress:
        report = progress.reporter("steps")
        assert report is not None
        for seconds in (4, 9, 11, 14, 20, 22):
            clock.now = float(seconds)
            report(seconds * 100, 3000)
    assert stream.getvalue() == "fuzzing: 1,100 of 3,000 steps\nfuzzing: 2,200 of 3,000 steps\n"
