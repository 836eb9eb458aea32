"""Self-contained HTML pages: no network, dark and light, usable by keyboard and without a mouse."""

from olmsolve.render.html.explanation_page import explanation
from olmsolve.render.html.graph_page import graph
from olmsolve.render.html.plan_page import plan

__all__ = ["explanation", "graph", "plan"]
