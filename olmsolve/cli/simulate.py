"""``olmsolve simulate``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from olmsolve import fbc
from olmsolve.catalog import Catalog
from olmsolve.classic import HealthPolicy
from olmsolve.cli.exits import Exit
from olmsolve.cli.progress import Progress
from olmsolve.cli.streams import complain, style, write, write_data
from olmsolve.errors import CatalogError, RequestError
from olmsolve.render.simulation import simulation
from olmsolve.requests import read_cluster
from olmsolve.simulation import Rules, simulate

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Simulate the cluster that *options* give, print its steps, and return the exit code."""
    state = read_cluster(*(sys.stdin.buffer if file == "-" else file for file in options.cluster))
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
        _contents(options.catalogs, policy),
        rules,
        namespaces=[options.namespace] if options.namespace else None,
        most_steps=options.steps,
    )
    if options.output == "text":
        layout = style()
        write(simulation(found, width=layout.width, colour=layout.colour))
    else:
        write_data(found.to_dict(), options.output)
    refuted = [done for done in found.passes if done.verdict is not None and not done.verdict.valid]
    for done in refuted:
        assert done.verdict is not None
        complain(f"an answer for namespace {done.namespace} is not confirmed: {done.verdict.reason}")
    if refuted:
        return Exit.FAULT
    return Exit.PLAN if found.is_settled else Exit.UNSATISFIABLE


def _contents(given: list[str], policy: HealthPolicy) -> dict[str, Catalog | CatalogError]:
    contents: dict[str, Catalog | CatalogError] = {}
    with Progress(sys.stderr) as progress:
        for each in given:
            name, _, path = each.partition("=")
            if not name or not path:
                raise RequestError(
                    "not of the form NAMESPACE/NAME=PATH",
                    field=f"--catalog {each}",
                    hint="for example olm/community=catalogs/community; priorities come from the cluster",
                )
            try:
                contents[name] = fbc.load(Path(path), progress=progress.reporter(path))
            except CatalogError as error:
                if policy is HealthPolicy.STRICT:
                    raise
                contents[name] = error
    return contents
