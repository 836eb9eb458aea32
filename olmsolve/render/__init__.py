"""Answers as people like to read them: pure functions from data to text."""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.render import dot as dot
    from olmsolve.render import explanation as explanation
    from olmsolve.render import explanation_tree as explanation_tree
    from olmsolve.render import extension as extension
    from olmsolve.render import mermaid as mermaid
    from olmsolve.render import questions as questions
    from olmsolve.render import text as text
    from olmsolve.render.audit import as_json as as_json
    from olmsolve.render.audit import as_junit as as_junit
    from olmsolve.render.audit import as_text as as_text
    from olmsolve.render.catalog_diffs import catalog_diff as catalog_diff
    from olmsolve.render.explanation_mermaid import flowchart as flowchart
    from olmsolve.render.layout import Style as Style
    from olmsolve.render.layout import paragraph as paragraph
    from olmsolve.render.layout import plain as plain
    from olmsolve.render.simulations import simulation as simulation
else:
    __getattr__, __dir__ = lazily(__name__)
