"""A report of a benchmark as a page: the phases as bars, the requests as curves, and the tables as text."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

from olmsolve.render.html import Markup, element, page
from olmsolve.testing.timing.report import BenchReport, PhaseChange, bench_text

_WIDTH: Final = 520
_HEIGHT: Final = 260
_LEFT: Final = 70
_BOTTOM: Final = 34
_ROW: Final = 22
_LABEL: Final = 180
# Curves differ in their dashes too, for readers who cannot distinguish the colours.
_DASHES: Final = ("", "6 3", "2 3", "8 3 2 3")
_LINE: Final = "#888888"
_TEXT_WIDTH: Final = 110


def bench_html(report: BenchReport, changes: Sequence[PhaseChange] = (), *, about: Sequence[str] = ()) -> str:
    """Return *report* as a page, with what *changes* say of the phases.

    *about* says what the page was made of (catalogs, requests).
    """
    body = [
        element("h2", "Phases"),
        element("p", "Milliseconds of CPU for all calls of a phase, on a logarithmic scale.", class_="soft"),
        _scrolled("div", _bars(report, changes), "The phases"),
        element("h2", "Requests"),
        element("p", "Each request's milliseconds when it is answered again, shortest first.", class_="soft"),
        _scrolled("div", _curves(report), "The requests"),
        element("h2", "Figures"),
        _scrolled("pre", bench_lines(report, changes), "The figures"),
    ]
    return page("Benchmark", [element("main", *body)], about=about, styles=["bench"])


def _scrolled(name: str, content: Markup, label: str) -> Markup:
    """Return *content* in an element that keys reach, because it is wider than a phone."""
    return element(name, content, class_="scroll", tabindex=0, role="region", aria_label=label)


def bench_lines(report: BenchReport, changes: Sequence[PhaseChange]) -> Markup:
    """Return the tables as the content of a ``pre`` element, whose line ends count."""
    lines = bench_text(report, changes, width=_TEXT_WIDTH).split("\n")
    return Markup("\n".join(element("span", line) for line in lines))


def _bars(report: BenchReport, changes: Sequence[PhaseChange]) -> Markup:
    """Return a bar for each phase, with its time and the verdict on its change."""
    verdicts = {(listed_change.phase, listed_change.backend): listed_change for listed_change in changes}
    least = min(phase.typical for phase in report.phases) / 2
    scale = (_WIDTH - 10) / math.log(max(phase.typical for phase in report.phases) / least)
    bottom = len(report.phases) * _ROW
    rows = list(_scale(least, scale, bottom))
    for number, listed_phase in enumerate(report.phases):
        top = number * _ROW
        change = verdicts.get((listed_phase.phase, listed_phase.backend))
        slower = change is not None and change.is_slower
        compared = "" if change is None else f", {change.ratio:.2f} times: {change.verdict}"
        said = f"{listed_phase.typical * 1e3:,.2f} ms{compared}"
        length = math.log(listed_phase.typical / least) * scale
        rows += [
            element(
                "text", f"{listed_phase.phase} {listed_phase.backend}".strip(), x=0, y=top + 15, fill="currentColor"
            ),
            element(
                "rect",
                x=_LABEL,
                y=top + 4,
                width=round(length),
                height=_ROW - 8,
                rx=3,
                class_="phase slower" if slower else "phase",
            ),
            element("text", said, x=_LABEL + round(length) + 6, y=top + 15, fill="currentColor"),
        ]
    return _svg(_LABEL + _WIDTH + 240, bottom + _ROW, rows, "The phases and their milliseconds")


def _scale(least: float, scale: float, bottom: int) -> Iterator[Markup]:
    """Yield the axis below the bars: lines and labels at 1, 2 and 5 of each power of ten, from *least* (seconds) on."""
    yield element("line", x1=_LABEL, x2=_LABEL + _WIDTH, y1=bottom, y2=bottom, stroke=_LINE)
    powers = range(math.floor(math.log10(least)), math.floor(math.log10(least) + _WIDTH / scale / math.log(10)) + 1)
    for value in (step * 10.0**power for power in powers for step in (1, 2, 5)):
        x = _LABEL + round(math.log(value / least) * scale)
        if _LABEL <= x <= _LABEL + _WIDTH:
            yield element("line", x1=x, x2=x, y1=0, y2=bottom + 4, stroke=_LINE, stroke_opacity="0.4")
            label = f"{value * 1e3:g} ms"
            yield element("text", label, x=x, y=bottom + 17, text_anchor="middle", fill="currentColor")


def _curves(report: BenchReport) -> Markup:
    """Return a curve for each backend: the requests in order of their seconds, on a logarithmic scale."""
    series = {
        listed_backend: sorted(request.seconds[listed_backend] for request in report.requests)
        for listed_backend in report.backends
    }
    least, most = (
        min(measurement[0] for measurement in series.values()),
        max(measurement[-1] for measurement in series.values()),
    )
    steps = list(_steps(least, most))
    low, high = math.log10(steps[0]), math.log10(steps[-1])
    parts = list(_axes(steps))
    for number, (backend, seconds) in enumerate(series.items()):
        points = [
            f"{_across(position, len(seconds)):.1f},{_up(value, low, high):.1f}"
            for position, value in enumerate(seconds)
        ]
        curve = f"series-{number % len(_DASHES)}"
        parts.append(
            element(
                "polyline",
                points=" ".join(points if len(points) > 1 else points * 2),
                class_=curve,
                stroke_dasharray=_DASHES[number % len(_DASHES)] or None,
            )
        )
        parts.append(element("text", backend, x=_LEFT + _WIDTH + 8, y=20 + 18 * number, class_=curve))
    return _svg(_LEFT + _WIDTH + 140, _HEIGHT + _BOTTOM, parts, "The requests by their milliseconds")


def _steps(least: float, most: float) -> Iterator[float]:
    """Yield 1, 2 and 5 of each power of ten (seconds) around *least* and *most*, at least two."""
    powers = range(math.floor(math.log10(least)), math.floor(math.log10(most)) + 2)
    steps = [step * 10.0**power for power in powers for step in (1, 2, 5)]
    first = max(position for position, step in enumerate(steps) if step <= least or not position)
    last = min(position for position, step in enumerate(steps) if step >= most and position > first)
    yield from steps[first : last + 1]


def _axes(steps: Sequence[float]) -> Iterator[Markup]:
    """Yield a line and a label for each of *steps*, and the ends of the other axis."""
    low, high = math.log10(steps[0]), math.log10(steps[-1])
    for step in steps:
        y = round(_up(step, low, high))
        is_lowest = step == steps[0]
        faint = None if is_lowest else "0.4"
        yield element("line", x1=_LEFT, x2=_LEFT + _WIDTH, y1=y, y2=y, stroke=_LINE, stroke_opacity=faint)
        yield element("text", f"{step * 1e3:g} ms", x=_LEFT - 8, y=y + 4, text_anchor="end", fill="currentColor")
    ends = ((_LEFT, "the shortest request", "start"), (_LEFT + _WIDTH, "the longest", "end"))
    for x, label, anchor in ends:
        yield element("text", label, x=x, y=_HEIGHT + _BOTTOM - 8, text_anchor=anchor, fill="currentColor")


def _across(position: int, count: int) -> float:
    return _LEFT + _WIDTH * (position / (count - 1) if count > 1 else 0.5)


def _up(seconds: float, low: float, high: float) -> float:
    return 10 + (_HEIGHT - 20) * (high - math.log10(seconds)) / (high - low)


def _svg(width: int, height: int, parts: Sequence[Markup], title: str) -> Markup:
    return element(
        "svg",
        element("title", title),
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width} {height}",
        width=width,
        height=height,
        role="img",
        font_size=12,
    )
