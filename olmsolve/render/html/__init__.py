"""Self-contained HTML pages: no network, dark and light, usable by keyboard and without a mouse."""

from olmsolve.render.html.explanation import explanation
from olmsolve.render.html.graph import graph
from olmsolve.render.html.plan import plan

__all__ = ["explanation", "graph", "plan"]
