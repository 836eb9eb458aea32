"""Values in notebooks and on rich consoles: the page of a value in a frame, or its text for people.

A page has styles and scripts of its own, so it is shown in a frame (``srcdoc``), which keeps it and the notebook apart:
the frame has a sandbox, because its scripts could otherwise do what the notebook's may, such as running code.
"""

from __future__ import annotations

import importlib
from html import escape
from typing import Any, Final

_HEIGHT: Final = 480
"""The height of a frame in pixels: a plan of ten bundles; longer pages scroll."""


# Pixels of what is above the text on such a page, and of each of its lines: the frame is as high as its page.
_HEADING: Final = 170
_LINE: Final = 22
_LISTS: Final = frozenset({"Why", "AuditReport"})


# The functions that make the page and the text, "" without one, by the name of the class: a program that shows a plan
# loads no explanations.
_SHOWN: Final = {
    "Resolution": ("plan_html", "plan_text"),
    "Unsatisfiable": ("", "failure_text"),
    "Explanation": ("explanation_html", "explanation_text"),
    "PlanDiff": ("plan_diff_html", "plan_diff_text"),
    "Why": ("why_html", "why_text"),
    "WhyNot": ("", "why_not_text"),
    "SituationPlan": ("situation_plan_html", ""),
    "Simulation": ("simulation_html", "simulation_text"),
    "ImpactReport": ("impact_html", "impact_text"),
    "Journey": ("journey_html", "journey_text"),
    "AuditReport": ("audit_html", "audit_text"),
    "Package": ("update_graph_html", ""),
    "CatalogDiff": ("", "catalog_diff_text"),
    "Migrations": ("", "migrations_text"),
    "BenchReport": ("bench_html", "bench_text"),
}


def html_of(value: object) -> str | None:
    """Return *value* as HTML for a notebook; None for a value without a page or a text for people."""
    page = _page_of(value)
    if page is not None:
        frame = "width: 100%; box-sizing: border-box; border: 1px solid #ddd; border-radius: 4px; background: white"
        size = f'height="{_height(value)}" style="{frame}"'
        return f'<iframe sandbox="allow-scripts" srcdoc="{escape(page)}" {size}></iframe>'
    text = _text_of(value)
    return None if text is None else f'<pre style="white-space: pre-wrap">{escape(text)}</pre>'


def rich_of(value: object) -> Any:
    """Return what ``rich`` prints of *value*: its text for people where it has one, else its fields."""
    text = _text_of(value)
    if text is None:
        from rich.pretty import Pretty

        return Pretty(value)
    from rich.text import Text

    return Text(text.rstrip("\n"))


def _height(value: object) -> int:
    """Return the height of the frame of *value*: pages that only list lines are as high as these."""
    text = _text_of(value) if type(value).__name__ in _LISTS else None
    return _HEIGHT if text is None else min(_HEIGHT, _HEADING + _LINE * (text.count("\n") + 1))


def _page_of(value: Any) -> str | None:
    name, _ = _SHOWN.get(type(value).__name__, ("", ""))
    if name == "update_graph_html":
        from olmsolve.catalog import Catalog

        value = Catalog({value.name: value})
    return _made("olmsolve.render.html", name, value)


def _text_of(value: object) -> str | None:
    _, name = _SHOWN.get(type(value).__name__, ("", ""))
    return _made("olmsolve.render", name, value)


def _made(room: str, name: str, value: object) -> str | None:
    """Return what the function *name* of *room*, which is imported now, makes of *value*; None without a name."""
    if type(value).__name__ == "BenchReport":
        # The room of measurements, which may import this one, has both functions.
        room = type(value).__module__.rpartition(".")[0]
    made: str | None = getattr(importlib.import_module(room), name)(value) if name else None
    return made
