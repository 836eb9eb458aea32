"""The request that a command line asks: a document, or the options that stand for one."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from olmsolve.catalog import Catalog, index_files
from olmsolve.classic import Request
from olmsolve.cli.progress import Progress
from olmsolve.cli.streams import complain
from olmsolve.cli.wishes import Wishes
from olmsolve.requests import read_request

__all__ = ["asked"]


def asked(options: argparse.Namespace) -> Request | Any:
    """The request of *options*, classic or for OLM v1."""
    if options.cluster:
        # Who has a document should not wait for the objects of clusters to load.
        from olmsolve.cli.cluster import cluster_request

        return cluster_request(options)
    if options.all_namespaces or options.namespace:
        options.refuse("--namespace and --all-namespaces are for --cluster")
    wishes = Wishes(tuple(options.catalogs), tuple(options.subscriptions), tuple(options.installed))
    if options.document is not None and wishes:
        options.refuse("a request document and --catalog, --subscribe or --installed exclude each other")
    if options.document is None and not (wishes.catalogs and wishes.subscriptions):
        options.refuse("a request document is needed, or --catalog and --subscribe, or --cluster")
    with Progress(sys.stderr) as progress:

        def load(path: Path) -> Catalog:
            return index_files.load(path, progress=progress.reporter(str(path)), note=complain)

        if options.document is None:
            return wishes.request(load)
        source = sys.stdin.buffer if options.document == "-" else options.document
        return read_request(source, load=load)
