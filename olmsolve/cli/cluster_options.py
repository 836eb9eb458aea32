"""The arguments that make a request from a cluster's objects, and their help; several commands share them."""

from __future__ import annotations

import argparse

__all__ = ["add_cluster"]


def add_cluster(command: argparse.ArgumentParser) -> None:
    """Add the arguments to *command*, which has ``--catalog`` already."""
    cluster = command.add_argument_group("from a cluster's objects")
    cluster.add_argument(
        "--cluster",
        action="extend",
        nargs="+",
        default=[],
        metavar="FILE",
        help='what kubectl get -o yaml (or json) printed, in any number of files, "-" for stdin; --catalog'
        " NAMESPACE/NAME=PATH says where the content of each CatalogSource is, --catalog NAME=PATH that of a"
        " ClusterCatalog (example: dump.yaml --catalog olm/community=catalogs/community)",
    )
    cluster.add_argument(
        "--namespace",
        default="",
        metavar="NAME",
        help="whose subscriptions to resolve, by default the only ones (example: shop)",
    )
    cluster.add_argument(
        "--all-namespaces",
        action="store_true",
        help="resolve the subscriptions of every namespace and every extension, each by itself",
    )
    cluster.add_argument(
        "--global-namespace",
        default="olm",
        metavar="NAME",
        help="the namespace whose catalogs all others see, by default olm (example: openshift-marketplace)",
    )
    cluster.add_argument(
        "--unreadable",
        choices=("strict", "referenced", "ignore"),
        default="strict",
        help="what to resolve where a catalog has no content: nothing, as OLM does, what cannot depend on it, or"
        " everything, without it (default: strict)",
    )
    cluster.add_argument(
        "--operator-groups",
        action="store_true",
        help="install nothing that the namespace's operator group does not let act",
    )
    cluster.add_argument(
        "--kubernetes", metavar="VERSION", help="install nothing that needs a newer Kubernetes (example: 1.31.2)"
    )
    cluster.add_argument(
        "--openshift", metavar="VERSION", help="install nothing that does not work on this OpenShift (example: 4.18.0)"
    )
