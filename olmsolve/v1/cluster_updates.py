"""Extensions that block the update of their cluster."""

from __future__ import annotations

from collections.abc import Iterable

from olmsolve import cluster
from olmsolve.catalog import Bundle
from olmsolve.semver import Version
from olmsolve.v1.request import Request
from olmsolve.v1.resolving import asked_catalogs

__all__ = ["blocks_cluster_update", "installed_bundle"]


def installed_bundle(request: Request) -> Bundle | None:
    """The bundle that is installed, from the first catalog of *request* that has it; None if none has."""
    if request.installed is None:
        return None
    for asked in asked_catalogs(request):
        package = asked.catalog.packages.get(request.extension.package) if asked.catalog is not None else None
        if package is not None and request.installed.name in package.bundles:
            return package.bundles[request.installed.name]
    return None


def blocks_cluster_update(requests: Iterable[Request], cluster_version: str | Version) -> tuple[cluster.Blocking, ...]:
    """The installed bundles of *requests* that block the cluster's update to its next minor version.

    What they say is looked up in the catalogs; a bundle that no catalog has any more blocks nothing here. See
    :func:`olmsolve.cluster.blocks_cluster_update`.

    Raises:
        VersionError: *cluster_version* is none.
    """
    bundles = (bundle for request in requests if (bundle := installed_bundle(request)) is not None)
    return cluster.blocks_cluster_update(bundles, cluster_version)
