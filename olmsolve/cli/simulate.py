"""``olmsolve simulate``."""

from __future__ import annotations

import argparse

from olmsolve.classic import HealthPolicy
from olmsolve.cli.clusters import catalog_contents, cluster_of
from olmsolve.cli.exits import Exit
from olmsolve.cli.streams import complain, style, write, write_data
from olmsolve.lifecycle.simulation import Rules, simulate
from olmsolve.render import simulation_text

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Simulate the cluster that *options* give, print its steps, and return the exit code."""
    state = cluster_of(options)
    policy = HealthPolicy(options.unreadable)
    rules = Rules(
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
    found = simulate(
        state,
        catalog_contents(options.catalogs, policy),
        rules,
        namespaces=[options.namespace] if options.namespace else None,
        most_steps=options.steps,
    )
    if options.output == "text":
        layout = style()
        write(simulation_text(found, width=layout.width, colour=layout.colour))
    else:
        write_data(found.to_dict(), options.output)
    refuted = [done for done in found.passes if done.verdict is not None and not done.verdict.valid]
    for done in refuted:
        assert done.verdict is not None
        complain(f"an answer for namespace {done.namespace} is not confirmed: {done.verdict.reason}")
    if refuted:
        return Exit.FAULT
    return Exit.PLAN if found.is_settled else Exit.UNSATISFIABLE
