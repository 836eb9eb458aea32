"""Answers for people to read: pure functions from an answer to text, named after the answer and the form.

============================ ==========================================================================
answer                       functions
============================ ==========================================================================
plan, failure                :func:`plan_text`, :func:`plan_markdown`, :func:`plan_html`, :func:`failure_text`
explanation                  :func:`explanation_text`, ``_markdown``, ``_mermaid``, ``_html``, ``_rich``
why, why not                 :func:`why_text`, :func:`why_not_text`
what differs                 :func:`plan_diff_text`, :func:`plan_diff_markdown`
what is held back            :func:`held_back_text`, :func:`hindrances_text`, and both ``_markdown``
fixes, changes               :func:`fix_commands`, :func:`change_commands`, :func:`subscription_patch`
OLM v1                       :func:`extension_text`, :func:`extension_failure_text`, :func:`extension_why_text`,
                             :func:`extension_why_not_text`, :func:`extension_diff_text`,
                             :func:`extension_plan_text`, :func:`extension_simulation_text`
update paths                 :func:`path_text`, :func:`subscription_paths_text`
audit                        :func:`audit_text`, :func:`audit_html`, :func:`audit_json`, :func:`audit_junit`
a fleet                      :func:`impact_text`, :func:`impact_markdown`, :func:`impact_html`
what OLM would do            :func:`namespace_plan_text`, :func:`situation_plan_html`, :func:`simulation_text`,
                             :func:`simulation_html`
a whole cluster              :func:`operator_groups_text`, :func:`cluster_update_text`, :func:`metrics_text`
classic against v1           :func:`migrations_text`, :func:`differences_text`
catalogs compared            :func:`catalog_diff_text`
content of a catalog         :func:`catalog_list_text`
SAT solvers                  :func:`backends_text`
checks, for CI systems       :func:`junit_report`
update graphs                :func:`update_graph_mermaid`, :func:`update_graph_dot`, :func:`update_graph_html`
============================ ==========================================================================

:func:`json_schema` describes the documents of ``to_dict()``, which commands write as JSON.

A module writes one answer in one form (or in a few close ones). Read ``layout`` first, the lines and tables of plain
text, then ``plans``. An explanation is put in order once, by ``explanation_outline``, for all forms that are lists of
lines. ``html`` has the pages, and ``html/page`` is the one place where their text is escaped. ``update_picture`` says
where everything is in a drawing, ``html/graph_page`` draws it; ``plan_picture`` says it for the dependencies of a plan.
``situation_items`` and ``simulations`` put in order what pages show of situations and of simulations.

Text keeps to a *width* in characters, and has ANSI colours only with *colour*. Text from catalogs is printed as one
line without control characters (:func:`plain`), because strangers write catalogs.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.render import html as html
    from olmsolve.render.audit import AUDIT_RULES as AUDIT_RULES
    from olmsolve.render.audit import audit_json as audit_json
    from olmsolve.render.audit import audit_junit as audit_junit
    from olmsolve.render.audit import audit_text as audit_text
    from olmsolve.render.catalog_lists import backends_text as backends_text
    from olmsolve.render.catalog_lists import catalog_list_text as catalog_list_text
    from olmsolve.render.catalog_lists import columns_of as columns_of
    from olmsolve.render.catalog_lists import installable_markdown as installable_markdown
    from olmsolve.render.catalog_lists import installable_text as installable_text
    from olmsolve.render.cluster_commands import cluster_change_commands as cluster_change_commands
    from olmsolve.render.cluster_commands import cluster_ways_out_text as cluster_ways_out_text
    from olmsolve.render.cluster_reports import cluster_update_text as cluster_update_text
    from olmsolve.render.cluster_reports import metrics_text as metrics_text
    from olmsolve.render.cluster_reports import namespace_plan_text as namespace_plan_text
    from olmsolve.render.cluster_reports import operator_groups_text as operator_groups_text
    from olmsolve.render.commands import change_commands as change_commands
    from olmsolve.render.commands import fix_commands as fix_commands
    from olmsolve.render.commands import subscription_patch as subscription_patch
    from olmsolve.render.differences import catalog_diff_markdown as catalog_diff_markdown
    from olmsolve.render.differences import catalog_diff_text as catalog_diff_text
    from olmsolve.render.differences import differences_text as differences_text
    from olmsolve.render.differences import migrations_text as migrations_text
    from olmsolve.render.differences import stranded_sentences as stranded_sentences
    from olmsolve.render.explanation import explanation_markdown as explanation_markdown
    from olmsolve.render.explanation import explanation_mermaid as explanation_mermaid
    from olmsolve.render.explanation import explanation_text as explanation_text
    from olmsolve.render.explanation import nothing_found as nothing_found
    from olmsolve.render.explanation import provider_hint as provider_hint
    from olmsolve.render.explanation_tree import explanation_rich as explanation_rich
    from olmsolve.render.extension import extension_diff_text as extension_diff_text
    from olmsolve.render.extension import extension_failure_text as extension_failure_text
    from olmsolve.render.extension import extension_plan_text as extension_plan_text
    from olmsolve.render.extension import extension_simulation_text as extension_simulation_text
    from olmsolve.render.extension import extension_text as extension_text
    from olmsolve.render.extension import extension_why_not_text as extension_why_not_text
    from olmsolve.render.extension import extension_why_text as extension_why_text
    from olmsolve.render.extension import path_text as path_text
    from olmsolve.render.extension import subscription_paths_text as subscription_paths_text
    from olmsolve.render.held_back import held_back_lines as held_back_lines
    from olmsolve.render.held_back import held_back_markdown as held_back_markdown
    from olmsolve.render.held_back import held_back_text as held_back_text
    from olmsolve.render.held_back import hindrances_markdown as hindrances_markdown
    from olmsolve.render.held_back import hindrances_text as hindrances_text
    from olmsolve.render.held_back import unreported_text as unreported_text
    from olmsolve.render.html import audit_html as audit_html
    from olmsolve.render.html import explanation_html as explanation_html
    from olmsolve.render.html import impact_html as impact_html
    from olmsolve.render.html import journey_html as journey_html
    from olmsolve.render.html import plan_html as plan_html
    from olmsolve.render.html import simulation_html as simulation_html
    from olmsolve.render.html import situation_plan_html as situation_plan_html
    from olmsolve.render.html import update_graph_html as update_graph_html
    from olmsolve.render.impact import impact_markdown as impact_markdown
    from olmsolve.render.impact import impact_text as impact_text
    from olmsolve.render.journey_runbook import journey_markdown as journey_markdown
    from olmsolve.render.journeys import fleet_journeys_text as fleet_journeys_text
    from olmsolve.render.journeys import journey_patches as journey_patches
    from olmsolve.render.journeys import journey_text as journey_text
    from olmsolve.render.json_schemas import json_schema as json_schema
    from olmsolve.render.json_schemas import json_schema_names as json_schema_names
    from olmsolve.render.json_schemas import json_schema_title as json_schema_title
    from olmsolve.render.junit import JUnitCase as JUnitCase
    from olmsolve.render.junit import junit_report as junit_report
    from olmsolve.render.layout import Style as Style
    from olmsolve.render.layout import counted as counted
    from olmsolve.render.layout import in_markdown as in_markdown
    from olmsolve.render.layout import listed as listed
    from olmsolve.render.layout import paragraph as paragraph
    from olmsolve.render.layout import plain as plain
    from olmsolve.render.plans import failure_text as failure_text
    from olmsolve.render.plans import plan_markdown as plan_markdown
    from olmsolve.render.plans import plan_text as plan_text
    from olmsolve.render.questions import plan_diff_markdown as plan_diff_markdown
    from olmsolve.render.questions import plan_diff_text as plan_diff_text
    from olmsolve.render.questions import why_not_text as why_not_text
    from olmsolve.render.questions import why_text as why_text
    from olmsolve.render.simulations import simulation_text as simulation_text
    from olmsolve.render.update_texts import update_graph_dot as update_graph_dot
    from olmsolve.render.update_texts import update_graph_mermaid as update_graph_mermaid
else:
    __getattr__, __dir__ = lazily(__name__)
