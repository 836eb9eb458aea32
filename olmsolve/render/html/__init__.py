"""Self-contained HTML pages: no network, dark and light, usable by keyboard and without a mouse.

``page`` is the frame of all pages; the other modules each write one answer: ``plan_page``, ``explanation_page`` and
``graph_page``.
"""

from olmsolve.render.html.explanation_page import explanation_html
from olmsolve.render.html.graph_page import update_graph_html
from olmsolve.render.html.plan_page import plan_html

__all__ = ["explanation_html", "plan_html", "update_graph_html"]
