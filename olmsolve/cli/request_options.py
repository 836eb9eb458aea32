"""The arguments that say what is asked and how it is resolved; several commands share them."""

from __future__ import annotations

import argparse
import math

from olmsolve.cli.cluster_options import add_cluster

__all__ = ["add_request", "add_resolving", "seconds"]


def add_request(command: argparse.ArgumentParser) -> None:
    """Add the request: a document, or the options instead of one, or a cluster's objects."""
    command.add_argument("document", metavar="REQUEST", nargs="?", help='the request document, "-" for stdin')

    wishes = command.add_argument_group("instead of a document")
    wishes.add_argument(
        "--catalog",
        dest="catalogs",
        action="append",
        default=[],
        metavar="NAME=PATH[:PRIORITY]",
        help="a catalog: a folder or a file; the highest priority comes first, the default is 0"
        " (example: community=catalogs/community:10)",
    )
    wishes.add_argument(
        "--subscribe",
        dest="subscriptions",
        action="append",
        default=[],
        metavar="PACKAGE[@CHANNEL][=STARTING]",
        help="a wanted package, from any channel or one, beginning with the bundle STARTING"
        " (example: storefront@stable=storefront.v1.4.0)",
    )
    wishes.add_argument(
        "--installed",
        action="append",
        default=[],
        metavar="BUNDLE",
        help="a bundle of a catalog that is installed: a subscription for its package owns it, else it must"
        " stay (example: keyring.v1.0.2)",
    )
    add_cluster(command)


def add_resolving(command: argparse.ArgumentParser) -> None:
    """Add how to resolve: semantics, backend, time."""
    command.add_argument(
        "--semantics",
        choices=("documented", "controller"),
        default="documented",
        help="what all, any and not in constraints are about: the set of selected bundles, as documented, or"
        " each bundle alone, as the shipped controller decides (default: documented)",
    )
    command.add_argument("--backend", metavar="NAME", help="the SAT solver to use (example: cadical153)")
    command.add_argument(
        "--timeout",
        type=seconds,
        metavar="SECONDS",
        help="the most time that the search may take (example: 2.5)",
    )


def seconds(text: str) -> float:
    """A number of seconds above 0, for argparse."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"not a number of seconds above 0: {text!r}")
    return value
