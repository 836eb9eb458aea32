"""The arguments of every command, and their help."""

from __future__ import annotations

import argparse
from typing import Final

from olmsolve._version import __version__
from olmsolve.cli.audit_options import add_audit
from olmsolve.cli.catalog_options import add_catalog, add_template
from olmsolve.cli.certificate_options import add_certify, add_verify
from olmsolve.cli.crd_check_options import add_crd_check
from olmsolve.cli.explain_options import add_explain
from olmsolve.cli.graph_options import add_graph
from olmsolve.cli.lint_options import add_lint
from olmsolve.cli.path_options import add_path
from olmsolve.cli.plan_options import add_plan
from olmsolve.cli.question_options import add_questions
from olmsolve.cli.render_options import add_render
from olmsolve.cli.request_options import add_request, add_resolving, seconds
from olmsolve.cli.simulate_options import add_simulate
from olmsolve.cli.validate_options import add_validate

__all__ = ["parser"]

_DESCRIPTION: Final = "What would Operator Lifecycle Manager install, and if nothing, why not?"

_RESOLVE: Final = """\
Resolve a request: print what is to be installed, or why nothing can be.

The request is a document (JSON or YAML, described in docs/documents.md; docs/v1.md for the
extensions and objects of OLM v1), or it is made of
--catalog, --subscribe and --installed, or of a cluster's own objects (docs/cluster.md)."""

_RESOLVE_EXAMPLES: Final = """\
examples:
  olmsolve resolve request.yaml
  olmsolve resolve --output json - < request.json
  olmsolve resolve --catalog community=catalogs/community:10 --catalog mine=index.yaml \\
                   --subscribe storefront@stable --installed keyring.v1.0.2
  olmsolve resolve --cluster cluster.yaml --namespace shop --catalog olm/community=catalogs/community

exit codes:
  0  a plan
  1  the request cannot be satisfied
  2  bad input: a catalog, a request or an argument
  3  no answer within --timeout"""


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line; in its result, ``command`` names the module to run."""
    root = argparse.ArgumentParser(
        prog="olmsolve",
        description=_DESCRIPTION,
        epilog="example:\n  olmsolve resolve request.yaml",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    root.add_argument("--version", action="version", version=f"olmsolve {__version__}")
    commands = root.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_resolve(commands)
    add_explain(commands)
    add_questions(commands)
    add_lint(commands)
    add_validate(commands)
    add_path(commands)
    add_graph(commands)
    add_render(commands)
    add_catalog(commands)
    add_template(commands)
    add_audit(commands, seconds)
    add_plan(commands)
    add_simulate(commands)
    add_crd_check(commands)
    add_certify(commands)
    add_verify(commands)
    return root


def _add_resolve(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "resolve",
        help="what is to be installed for a request, or why nothing can be",
        description=_RESOLVE,
        epilog=_RESOLVE_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.set_defaults(command="resolve", refuse=command.error)
    add_request(command)
    add_resolving(command)
    command.add_argument(
        "--output",
        choices=("text", "json", "yaml"),
        default="text",
        help="the form of the answer (default: text)",
    )
    command.add_argument(
        "--explain",
        action="append",
        default=[],
        metavar="FORM=FILE",
        help="write why the request fails, if it does, to FILE as well: text, markdown, json, mermaid or html; html"
        " shows a plan, too (example: html=answer.html)",
    )
