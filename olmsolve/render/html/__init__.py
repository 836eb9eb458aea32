"""Self-contained HTML pages: no network, dark and light, usable by keyboard and without a mouse."""

from olmsolve.render.html.graph import graph

__all__ = ["graph"]
