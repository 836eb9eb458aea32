"""The arguments of ``olmsolve plan``, and their help."""

from __future__ import annotations

import argparse
from typing import Final

from olmsolve.cli.cluster_options import add_eligibility, add_global_namespace, add_objects
from olmsolve.cli.root import add_command

__all__ = ["add_plan"]

_PLAN: Final = """\
Print what Operator Lifecycle Manager classic would write for the subscriptions of a cluster: the InstallPlan with its
steps, and the Subscriptions that change, with their status (docs/install-plans.md). Nothing is sent anywhere."""

_EXAMPLES: Final = """\
examples:
  olmsolve plan --cluster dump.yaml --catalog olm/community=catalogs/community
  olmsolve plan --cluster dump.yaml --catalog olm/community=catalogs/community --namespace shop --output yaml

exit codes:
  0  a plan, or nothing to do
  1  a namespace cannot be resolved
  2  bad input: a file, an object, a catalog or an argument"""


def add_plan(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to *commands*."""
    command = add_command(
        commands, "plan", "the install plan and the status that OLM classic would write for a cluster", _PLAN, _EXAMPLES
    )
    command.set_defaults(command="plan")
    add_objects(command)
    command.add_argument(
        "--namespace", default="", metavar="NAME", help="whose subscriptions to plan for (default: those of all)"
    )
    add_global_namespace(command)
    add_eligibility(command)
    command.add_argument(
        "-o",
        "--output",
        choices=("text", "yaml", "json"),
        default="text",
        help="the form of the answer: what changes in words, or the objects (default: text)",
    )
