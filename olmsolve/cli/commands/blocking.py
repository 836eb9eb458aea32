"""``olmsolve blocking``: what keeps a cluster from its next minor version, and which updates free it."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Final

import olmsolve
from olmsolve import render
from olmsolve.cli.options import add_backend, add_output, add_situation
from olmsolve.cli.output import Exit, show
from olmsolve.cli.situation import backend_of, situation_of

DESCRIPTION: Final = """\
Name the installed operators and extensions that keep OpenShift from its next minor version, because they declare that
they do not work there. Name also the updates that would free it, each simulated to rest (docs/operator-groups.md)."""

EXAMPLES: Final = """\
example:
  olmsolve blocking --cluster cluster.yaml \\
                    --catalog olm/orchard=catalogs/orchard \\
                    --catalog olm/commons=catalogs/commons \\
                    --openshift 4.18.3

exit codes:
  0  nothing blocks the update
  1  something blocks the update
  2  bad input: a file, an object, a catalog or an argument"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the situation and the form of the answer."""
    add_situation(parser, openshift_needed=True)
    add_backend(parser)
    add_output(parser)


def run(options: argparse.Namespace) -> int:
    """Print what in the situation of *options* blocks the update of the cluster, and return the exit code."""
    situation = situation_of(options)
    update = olmsolve.lifecycle.situation_update(situation, options.openshift, backend=backend_of(options))
    show(options.output, text=partial(render.cluster_update_text, update), data=update.to_dict)
    return Exit.UNSATISFIABLE if update.is_blocked else Exit.PLAN
