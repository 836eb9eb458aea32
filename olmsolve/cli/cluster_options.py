"""The arguments about a cluster's objects and versions, and their help; several commands share them."""

from __future__ import annotations

import argparse
from typing import Final

__all__ = ["add_cluster", "add_eligibility", "add_global_namespace", "add_objects", "add_unreadable"]

_OBJECTS: Final = 'what kubectl get -o yaml (or json) printed, in any number of files, "-" for stdin'


def add_cluster(command: argparse.ArgumentParser) -> None:
    """Add those that make a request of objects to *command*, which has ``--catalog`` already."""
    cluster = command.add_argument_group("from a cluster's objects")
    cluster.add_argument(
        "--cluster",
        action="extend",
        nargs="+",
        default=[],
        metavar="FILE",
        help=f"{_OBJECTS}; --catalog"
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
    add_unreadable(cluster)
    add_eligibility(cluster)


def add_objects(command: argparse.ArgumentParser) -> None:
    """Add the objects, which have to be given, and the contents of their catalogs."""
    command.add_argument(
        "--cluster",
        action="extend",
        nargs="+",
        required=True,
        metavar="FILE",
        help=_OBJECTS,
    )
    command.add_argument(
        "--catalog",
        dest="catalogs",
        action="append",
        default=[],
        metavar="NAMESPACE/NAME=PATH",
        help="the content of a CatalogSource: a folder or a file",
    )


def add_global_namespace(command: argparse.ArgumentParser) -> None:
    """Add which namespace's catalogs are there for all."""
    command.add_argument(
        "--global-namespace",
        default="olm",
        metavar="NAME",
        help="the namespace whose catalogs all others see (default: olm)",
    )


def add_unreadable(command: argparse._ActionsContainer) -> None:
    """Add what catalogs without content mean."""
    command.add_argument(
        "--unreadable",
        choices=("strict", "referenced", "ignore"),
        default="strict",
        help="what to resolve where a catalog has no content: nothing, as OLM does, what cannot depend on it, or"
        " everything, without it (default: strict)",
    )


def add_eligibility(command: argparse._ActionsContainer) -> None:
    """Add what the cluster refuses besides: by its operator groups and its versions."""
    command.add_argument(
        "--operator-groups",
        action="store_true",
        help="install nothing that the namespace's operator group does not let act",
    )
    command.add_argument(
        "--kubernetes", metavar="VERSION", help="install nothing that needs a newer Kubernetes (example: 1.31.2)"
    )
    command.add_argument(
        "--openshift", metavar="VERSION", help="install nothing that does not work on this OpenShift (example: 4.18.0)"
    )
