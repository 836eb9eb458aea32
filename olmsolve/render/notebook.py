"""Values in notebooks and on rich consoles: the page of a value in a frame, or its text for people.

A page has styles and scripts of its own, so it stands in a frame (``srcdoc``), which keeps it and the notebook apart:
the frame has a sandbox, because its scripts could otherwise do what the notebook's may, such as running code.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from html import escape
from typing import Any, Final

_HEIGHT: Final = 480
"""The height of a frame in pixels: a plan of ten bundles; longer pages scroll."""


# Pixels of what is above the text on such a page, and of each of its lines: the frame is as high as its page.
_HEADING: Final = 170
_LINE: Final = 22
_LISTS: Final = frozenset({"Why", "AuditReport"})


def html_of(value: object) -> str | None:
    """Return *value* as HTML for a notebook; None for a value without a page or a text for people."""
    page = _PAGES.get(type(value).__name__)
    if page is not None:
        frame = "width: 100%; box-sizing: border-box; border: 1px solid #ddd; border-radius: 4px; background: white"
        size = f'height="{_height(value)}" style="{frame}"'
        return f'<iframe sandbox="allow-scripts" srcdoc="{escape(page(value))}" {size}></iframe>'
    text = _TEXTS.get(type(value).__name__)
    return None if text is None else f'<pre style="white-space: pre-wrap">{escape(text(value))}</pre>'


def _height(value: object) -> int:
    """Return the height of the frame of *value*: pages that only list lines are as high as these."""
    name = type(value).__name__
    if name not in _LISTS:
        return _HEIGHT
    return min(_HEIGHT, _HEADING + _LINE * (_TEXTS[name](value).count("\n") + 1))


def rich_of(value: object) -> Any:
    """Return what ``rich`` prints of *value*: its text for people where it has one, else its fields."""
    text = _TEXTS.get(type(value).__name__)
    if text is None:
        from rich.pretty import Pretty

        return Pretty(value)
    from rich.text import Text

    return Text(text(value).rstrip("\n"))


def _page(name: str) -> Callable[[Any], str]:
    """Return the page *name* of ``olmsolve.render.html``, which loads when the first value is shown."""

    def page(value: Any) -> str:
        from olmsolve.render import html

        made: str = getattr(html, name)(value)
        return made

    return page


def _text(name: str) -> Callable[[Any], str]:
    """Return the text *name* of ``olmsolve.render``."""

    def text(value: Any) -> str:
        from olmsolve import render

        made: str = getattr(render, name)(value)
        return made

    return text


def _graph(value: Any) -> str:
    from olmsolve.catalog import Catalog
    from olmsolve.render.html import update_graph_html

    return update_graph_html(Catalog({value.name: value}))


def _bench(name: str) -> Callable[[Any], str]:
    """Return the function *name* of the room of measurements, which stands above this one."""

    def made_of(value: Any) -> str:
        made: str = getattr(importlib.import_module(type(value).__module__.rpartition(".")[0]), name)(value)
        return made

    return made_of


# By the name of the class: a program that shows a plan loads no explanations.
_PAGES: Final[dict[str, Callable[[Any], str]]] = {
    "Resolution": _page("plan_html"),
    "Explanation": _page("explanation_html"),
    "SituationPlan": _page("situation_plan_html"),
    "Simulation": _page("simulation_html"),
    "ImpactReport": _page("impact_html"),
    "Journey": _page("journey_html"),
    "AuditReport": _page("audit_html"),
    "Package": _graph,
    "PlanDiff": _page("plan_diff_html"),
    "Why": _page("why_html"),
    "BenchReport": _bench("bench_html"),
}
_TEXTS: Final[dict[str, Callable[[Any], str]]] = {
    "Resolution": _text("plan_text"),
    "Unsatisfiable": _text("failure_text"),
    "Explanation": _text("explanation_text"),
    "PlanDiff": _text("plan_diff_text"),
    "Why": _text("why_text"),
    "WhyNot": _text("why_not_text"),
    "AuditReport": _text("audit_text"),
    "Simulation": _text("simulation_text"),
    "ImpactReport": _text("impact_text"),
    "Journey": _text("journey_text"),
    "CatalogDiff": _text("catalog_diff_text"),
    "BenchReport": _bench("bench_text"),
    "Migrations": _text("migrations_text"),
}
