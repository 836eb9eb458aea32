"""``olmsolve journey``: the way of a cluster from one version of OpenShift to another, or why there is none."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Final

import olmsolve
from olmsolve import render
from olmsolve.cli.catalogs import catalogs_by_version, load
from olmsolve.cli.options import (
    ANSWER_FORMS,
    add_backend,
    add_catalogs,
    add_feature_gates,
    add_global_namespace,
    add_house_rules,
    add_output,
    add_semantics,
    whole_number,
)
from olmsolve.cli.output import Exit, show, write
from olmsolve.cli.pages import about_page
from olmsolve.cli.situation import backend_of, situation_from

DESCRIPTION: Final = """\
Plan the way of a cluster and its operators to a later version of OpenShift, through each minor version: which
channels to change when, what to approve, what OLM updates by itself; or say which operators stop it, and what would
help (docs/journey.md). Each step is simulated on the cluster's objects. Nothing is sent anywhere."""

EXAMPLES: Final = """\
examples:
  olmsolve journey --cluster cluster.yaml --openshift 4.18 --to 4.20 \\
                   --catalog olm/orchard=catalogs/orchard \\
                   --catalog olm/commons=catalogs/commons
  olmsolve journey --cluster cluster.yaml --openshift 4.18 --to 4.20 --eus \\
                   --catalog olm/orchard=catalogs/orchard \\
                   --catalog olm/commons=catalogs/commons \\
                   --catalog 4.20:olm/commons=catalogs/commons \\
                   --output markdown

exit codes:
  0  the cluster gets to the wanted version
  1  it does not, or the search gave up
  2  bad input: a file, an object, a catalog, a version or an argument"""

_MOST: Final = 1_000_000


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the cluster, its catalogs at each version, where to go, and the form of the answer."""
    parser.set_defaults(namespace="", extension="", document=None)
    parser.add_argument(
        "--cluster",
        action="extend",
        nargs="+",
        required=True,
        metavar="FILE",
        help='the objects of the cluster, as kubectl get -o yaml or json prints them: files, folders, or "-" for stdin',
    )
    parser.add_argument("--to", required=True, metavar="VERSION", help="the version to get to (example: 4.22)")
    add_catalogs(
        parser,
        "[VERSION:]NAMESPACE/NAME=PATH",
        "the content of a catalog today, or from VERSION on; for a ClusterCatalog, its name only; can be repeated"
        " (example: 4.20:olm/community=catalogs/v4.20)",
    )
    parser.add_argument(
        "--openshift",
        metavar="VERSION",
        help="today's version (example: 4.18; default: what the ClusterVersion among the objects says)",
    )
    parser.add_argument(
        "--eus", action="store_true", help="do not stop at odd versions on the way, as between two EUS versions"
    )
    parser.add_argument(
        "--most",
        type=whole_number(1, _MOST, "number of states above 0"),
        default=3000,
        metavar="N",
        help="how many states to simulate for each part of the cluster before giving up (default: 3000)",
    )
    add_semantics(parser)
    add_global_namespace(parser)
    add_feature_gates(parser)
    add_house_rules(parser)
    add_backend(parser)
    shown = "the form of the answer; markdown is a runbook, html a page, patches the changed fields as manifests"
    add_output(parser, *ANSWER_FORMS, "html", "patches", shown=shown)


def run(options: argparse.Namespace) -> int:
    """Plan the journey that *options* describe, print it, and return the exit code."""
    today, later = catalogs_by_version(options.catalogs)
    situation = situation_from(options, options.cluster, today)
    journey = olmsolve.journey(
        situation,
        to=options.to,
        catalogs=later,
        openshift=options.openshift or "",
        eus=options.eus,
        most=options.most,
        load=load,
        backend=backend_of(options),
    )
    if options.output == "html":
        write(render.journey_html(journey, about=about_page(options, situation)).rstrip("\n"))
    elif options.output == "markdown":
        write(render.journey_markdown(journey).rstrip("\n"))
    elif options.output == "patches":
        write(_patches(journey))
    else:
        show(options.output, text=partial(render.journey_text, journey), data=journey.to_dict)
    return Exit.PLAN if journey.is_reached else Exit.UNSATISFIABLE


def _patches(journey: olmsolve.Journey) -> str:
    import yaml

    documents = []
    for about, manifest in render.journey_patches(journey):
        text = yaml.safe_dump(manifest, sort_keys=False, default_flow_style=False).rstrip("\n")
        documents.append(f"# {render.plain(about)}\n{text}")
    return "\n---\n".join(documents) or "# no channel is to be changed"
