"""What commands about a cluster share: reading its objects and catalogs, and what its versions forbid."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from olmsolve.catalog import Catalog, fbc
from olmsolve.classic import HealthPolicy
from olmsolve.cli.progress import Progress
from olmsolve.cluster import ClusterState, WorksOnKubernetes, WorksOnOpenShift
from olmsolve.eligibility import Eligibility
from olmsolve.errors import CatalogError, RequestError
from olmsolve.requests import read_cluster

__all__ = ["catalog_contents", "cluster_of", "readable_contents", "version_constraints"]


def cluster_of(options: argparse.Namespace) -> ClusterState:
    """The objects of ``--cluster``, "-" being standard input."""
    return read_cluster(*(sys.stdin.buffer if file == "-" else file for file in options.cluster))


def readable_contents(given: Iterable[str]) -> dict[str, Catalog]:
    """The catalogs of ``--catalog NAMESPACE/NAME=PATH``, by the first part."""
    with Progress(sys.stderr) as progress:
        return {key: fbc.load(path, progress=progress.reporter(str(path))) for key, path in map(_named_path, given)}


def catalog_contents(given: Iterable[str], policy: HealthPolicy) -> dict[str, Catalog | CatalogError]:
    """The same, where *policy* says whether one that cannot be read is an error or stands with its error."""
    if policy is HealthPolicy.STRICT:
        return {**readable_contents(given)}
    contents: dict[str, Catalog | CatalogError] = {}
    with Progress(sys.stderr) as progress:
        for key, path in map(_named_path, given):
            try:
                contents[key] = fbc.load(path, progress=progress.reporter(str(path)))
            except CatalogError as error:
                contents[key] = error
    return contents


def version_constraints(options: argparse.Namespace) -> tuple[Eligibility, ...]:
    """What ``--kubernetes`` and ``--openshift`` forbid."""
    constraints: list[Eligibility] = []
    if options.kubernetes is not None:
        constraints.append(WorksOnKubernetes(options.kubernetes))
    if options.openshift is not None:
        constraints.append(WorksOnOpenShift(options.openshift))
    return tuple(constraints)


def _named_path(given: str) -> tuple[str, Path]:
    name, _, path = given.partition("=")
    if not name or not path:
        raise RequestError(
            "not of the form NAMESPACE/NAME=PATH",
            field=f"--catalog {given}",
            hint="for example olm/community=catalogs/community; priorities come from the cluster",
        )
    return name, Path(path)
