"""The arguments of ``olmsolve simulate``, and their help."""

from __future__ import annotations

import argparse
from typing import Final

from olmsolve.cli.cluster_options import add_eligibility, add_global_namespace, add_objects, add_unreadable
from olmsolve.cli.root import add_command, add_output

__all__ = ["add_simulate"]

_SIMULATE: Final = """\
Show what a cluster will look like: plans are carried out on its objects, and the namespaces are resolved again,
until nothing changes (docs/simulation.md). Nothing is sent anywhere."""

_EXAMPLES: Final = """\
examples:
  olmsolve simulate --cluster dump.yaml --catalog olm/community=catalogs/community
  olmsolve simulate --cluster dump.yaml --catalog olm/community=catalogs/community --namespace shop --approve

exit codes:
  0  the cluster comes to rest, and nothing is left to be wished for
  1  something is left: a plan waits, an operator does not work, a namespace cannot be resolved, or there is no rest
  2  bad input: a file, an object, a catalog or an argument"""


def add_simulate(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to *commands*."""
    command = add_command(
        commands, "simulate", "what a cluster will look like, step by step, until it is at rest", _SIMULATE, _EXAMPLES
    )
    command.set_defaults(command="simulate")
    add_objects(command)
    which = command.add_mutually_exclusive_group()
    which.add_argument("--namespace", default="", metavar="NAME", help="the only namespace that is resolved")
    which.add_argument(
        "--all-namespaces", action="store_true", help="resolve all namespaces with subscriptions (the default)"
    )
    _add_rules(command)
    command.add_argument(
        "--steps", type=_count, default=1000, metavar="N", help="the most steps to take (default: 1000)"
    )
    command.add_argument("--verify", action="store_true", help="have each answer confirmed by the independent checker")
    add_output(command, "-o", "--output")


def _add_rules(command: argparse.ArgumentParser) -> None:
    command.add_argument("--approve", action="store_true", help="approve install plans that wait for it")
    command.add_argument(
        "--failing",
        action="append",
        default=[],
        metavar="NAMESPACE/NAME",
        help="an operator whose installation fails (example: shop/ledger.v2.0.1)",
    )
    add_global_namespace(command)
    command.add_argument(
        "--semantics",
        choices=("documented", "controller"),
        default="controller",
        help="what all, any and not in constraints are about (default: controller, as the cluster decides)",
    )
    add_unreadable(command)
    add_eligibility(command)


def _count(text: str) -> int:
    """A number of steps, at least 1, for argparse."""
    if not (text.isascii() and text.isdigit()) or not 0 < len(text) <= 9 or int(text) < 1:
        raise argparse.ArgumentTypeError(f"not a number of steps above 0: {text!r}")
    return int(text)
