"""Self-contained HTML pages: no network, dark and light, usable by keyboard and without a mouse.

``page`` is the frame of all pages and has what several of them show; the other modules each write one answer:
``plan_page``, ``explanation_page``, ``situation_page``, ``simulation_page``, ``journey_page``, ``graph_page``,
``fleet_page``, and ``answer_pages`` the small ones.
"""

from olmsolve.render.html.answer_pages import audit_html, plan_diff_html, why_html
from olmsolve.render.html.explanation_page import explanation_html
from olmsolve.render.html.fleet_page import impact_html
from olmsolve.render.html.graph_page import update_graph_html
from olmsolve.render.html.journey_page import journey_html
from olmsolve.render.html.page import Markup, element, page
from olmsolve.render.html.plan_page import plan_html
from olmsolve.render.html.simulation_page import simulation_html
from olmsolve.render.html.situation_page import situation_plan_html

__all__ = [
    "Markup",
    "audit_html",
    "element",
    "explanation_html",
    "impact_html",
    "journey_html",
    "page",
    "plan_diff_html",
    "plan_html",
    "simulation_html",
    "situation_plan_html",
    "update_graph_html",
    "why_html",
]
