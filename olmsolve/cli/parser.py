"""The arguments of every command, and their help."""

from __future__ import annotations

import argparse

from olmsolve.cli.audit_options import add_audit
from olmsolve.cli.catalog_options import add_catalog, add_template
from olmsolve.cli.certificate_options import add_certify, add_verify
from olmsolve.cli.crd_check_options import add_crd_check
from olmsolve.cli.explain_options import add_explain
from olmsolve.cli.graph_options import add_graph
from olmsolve.cli.index_options import add_index
from olmsolve.cli.lint_options import add_lint
from olmsolve.cli.path_options import add_path
from olmsolve.cli.plan_options import add_plan
from olmsolve.cli.question_options import add_questions
from olmsolve.cli.render_options import add_render
from olmsolve.cli.request_options import seconds
from olmsolve.cli.resolve_options import add_resolve
from olmsolve.cli.root import root_parser
from olmsolve.cli.simulate_options import add_simulate
from olmsolve.cli.validate_options import add_validate

__all__ = ["parser"]


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line; in its result, ``command`` names the module to run."""
    root, commands = root_parser()
    add_resolve(commands)
    add_explain(commands)
    add_questions(commands)
    add_lint(commands)
    add_validate(commands)
    add_path(commands)
    add_graph(commands)
    add_render(commands)
    add_catalog(commands)
    add_template(commands)
    add_index(commands)
    add_audit(commands, seconds)
    add_plan(commands)
    add_simulate(commands)
    add_crd_check(commands)
    add_certify(commands)
    add_verify(commands)
    return root
