"""``olmsolve metrics``: the metrics that OLM would export for a cluster, now or once it is at rest."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Final

import olmsolve
from olmsolve import render
from olmsolve.cli.options import ANSWER_FORMS, add_output, add_situation
from olmsolve.cli.output import Exit, show, write
from olmsolve.cli.situation import EXTENSIONS_ONLY, RESOLVING, cluster_of, refuse_idle, situation_of

DESCRIPTION: Final = """\
Print the metrics that classic OLM exports, computed from a cluster's objects; with --simulated, as they will be
once the cluster is at rest (docs/metrics.md)."""

EXAMPLES: Final = """\
examples:
  olmsolve metrics --cluster cluster.yaml
  olmsolve metrics --cluster cluster.yaml \\
                   --catalog olm/orchard=catalogs/orchard \\
                   --catalog olm/commons=catalogs/commons --simulated \\
                   --output json

exit codes:
  0  the metrics
  2  bad input: a file, an object, a catalog or an argument"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the situation, its future, and the form of the answer."""
    add_situation(parser, objects_needed=True, idle=EXTENSIONS_ONLY)
    parser.add_argument(
        "--simulated", action="store_true", help="compute the metrics of the cluster at rest, as simulate finds it"
    )
    add_output(parser, *ANSWER_FORMS, "prometheus")


def run(options: argparse.Namespace) -> int:
    """Print the metrics of the cluster of *options*, and return the exit code."""
    from olmsolve.lifecycle.metrics import cluster_metrics, simulation_metrics

    situation = situation_of(options)
    state = cluster_of(situation, "metrics").state
    refuse_idle(options, EXTENSIONS_ONLY, "OLM v1 exports no metrics of its own for extensions")
    if not options.simulated:
        refuse_idle(options, ["namespace"], "metrics are for the whole cluster, unless --simulated")
        idle = ("catalogs", *RESOLVING, "house_rules")
        refuse_idle(options, idle, "the metrics of the present depend only on the objects")
    families = list(cluster_metrics(state))
    if options.simulated:
        classic = [
            question for question in situation.questions if isinstance(question, olmsolve.requests.ClassicQuestion)
        ]
        simulation = olmsolve.simulate(situation.asking(classic))
        families = list(simulation_metrics(simulation))
    _show(families, options.output)
    return Exit.PLAN


def _show(families: list[olmsolve.lifecycle.metrics.MetricFamily], form: str) -> None:
    if form == "prometheus":
        write(_exposition(families).rstrip("\n"))
    else:
        data = olmsolve.lifecycle.metrics.Metrics(tuple(families)).to_dict
        show(form, text=partial(render.metrics_text, families), data=data)


def _exposition(families: list[olmsolve.lifecycle.metrics.MetricFamily]) -> str:
    try:
        from olmsolve.lifecycle.metrics.exposition import exposition
    except ImportError:
        raise olmsolve.RequestError(
            "needs prometheus-client", field="--output prometheus", hint="pip install 'olmsolve[metrics]'"
        ) from None
    return exposition(map(_with_plain_labels, families))


def _with_plain_labels(family: olmsolve.lifecycle.metrics.MetricFamily) -> olmsolve.lifecycle.metrics.MetricFamily:
    """Return *family* with labels of printable characters: the format has escapes for line ends only."""

    samples = (
        olmsolve.evolve(sample, labels={name: render.plain(text) for name, text in sample.labels.items()})
        for sample in family.samples
    )
    return olmsolve.evolve(family, samples=tuple(samples))
