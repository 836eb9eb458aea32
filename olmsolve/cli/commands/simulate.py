"""``olmsolve simulate``: what a cluster will look like, step by step."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Final

import olmsolve
from olmsolve import lifecycle, render
from olmsolve.cli.exits import Exit
from olmsolve.cli.options import (
    add_eligibility,
    add_global_namespace,
    add_objects,
    add_output,
    add_semantics,
    add_unreadable,
    whole_number,
)
from olmsolve.cli.streams import complain, show

DESCRIPTION: Final = """\
Show what a cluster will look like: plans are carried out on its objects, and the namespaces are resolved again,
until nothing changes (docs/simulation.md). Nothing is sent anywhere."""

EXAMPLES: Final = """\
examples:
  olmsolve simulate --cluster dump.yaml --catalog olm/community=catalogs/community
  olmsolve simulate --cluster dump.yaml --catalog olm/community=catalogs/community --namespace shop --approve

exit codes:
  0  the cluster comes to rest, and nothing is left to be wished for
  1  something is left: a plan waits, an operator does not work, a namespace cannot be resolved, or there is no rest
  2  bad input: a file, an object, a catalog or an argument"""

_MOST_STEPS: Final = 999_999_999


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the cluster, what is assumed about it, and when to stop."""
    add_objects(parser)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--namespace", default="", metavar="NAME", help="the only namespace that is resolved")
    which.add_argument(
        "--all-namespaces", action="store_true", help="resolve all namespaces with subscriptions (the default)"
    )
    parser.add_argument("--approve", action="store_true", help="approve install plans that wait for it")
    parser.add_argument(
        "--failing",
        action="append",
        default=[],
        metavar="NAMESPACE/NAME",
        help="an operator whose installation fails (example: shop/ledger.v2.0.1)",
    )
    add_global_namespace(parser)
    # The question is what the cluster will do, so its controller decides.
    add_semantics(parser, default="controller")
    add_unreadable(parser)
    add_eligibility(parser)
    parser.add_argument(
        "--steps",
        type=whole_number(1, _MOST_STEPS, "number of steps above 0"),
        default=1000,
        metavar="N",
        help="the most steps to take (default: 1000)",
    )
    parser.add_argument("--verify", action="store_true", help="have each answer confirmed by the independent checker")
    add_output(parser)


def run(options: argparse.Namespace) -> int:
    """Simulate the cluster of *options*, print its steps, and return the exit code."""
    from olmsolve.cli.cluster import catalog_contents, cluster_state

    state = cluster_state(options)
    policy = olmsolve.classic.HealthPolicy(options.unreadable)
    rules = lifecycle.simulation.Rules(
        approve=options.approve,
        failing=options.failing,
        global_namespace=options.global_namespace,
        semantics=options.semantics,
        health_policy=policy,
        operator_groups=options.operator_groups,
        kubernetes=options.kubernetes,
        openshift=options.openshift,
        verify=options.verify,
    )
    simulation = olmsolve.simulate(
        state,
        catalog_contents(options.catalogs, policy),
        rules,
        namespaces=[options.namespace] if options.namespace else None,
        most_steps=options.steps,
    )
    show(options.output, text=partial(render.simulation_text, simulation), data=simulation.to_dict)
    refuted = [each for each in simulation.passes if each.verdict is not None and not each.verdict.valid]
    for each in refuted:
        assert each.verdict is not None
        complain(f"an answer for namespace {each.namespace} is not confirmed: {each.verdict.reason}")
    if refuted:
        return Exit.FAULT
    return Exit.PLAN if simulation.is_settled else Exit.UNSATISFIABLE
