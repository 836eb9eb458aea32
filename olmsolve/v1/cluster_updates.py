"""Extensions that block the update of their cluster."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from olmsolve import cluster
from olmsolve.catalog import Bundle
from olmsolve.semver import Version
from olmsolve.v1.errors import SelectorError
from olmsolve.v1.request import Request
from olmsolve.v1.resolving import asked_catalogs

__all__ = ["blocks_cluster_update", "installed_bundle"]

_UNKNOWN: Final = "unknown, since no catalog of the request has the bundle"


def installed_bundle(request: Request) -> Bundle | None:
    """The bundle that is installed, from the first catalog of *request* that has it; None if none has.

    Catalogs that the request would not ask come last: what is installed stays what it is when its catalog
    becomes unavailable, or when the selector changes.

    Raises:
        SelectorError: Kubernetes refuses the selector.
    """
    selector = request.extension.selector
    if selector is not None and (fault := selector.fault()):
        raise SelectorError(fault)
    if request.installed is None:
        return None
    asked = asked_catalogs(request)
    others = [each for each in request.catalogs if not any(each is other for other in asked)]
    for known in (*asked, *others):
        package = known.catalog.packages.get(request.extension.package) if known.catalog is not None else None
        if package is not None and request.installed.name in package.bundles:
            return package.bundles[request.installed.name]
    return None


def blocks_cluster_update(requests: Iterable[Request], cluster_version: str | Version) -> tuple[cluster.Blocking, ...]:
    """The installed bundles of *requests* that block the cluster's update to its next minor version.

    What they say is looked up in all catalogs of each request. A bundle that none has any more is among them,
    with the reason that it is unknown: nobody can say that it allows the update. See
    :func:`olmsolve.cluster.blocks_cluster_update`.

    Raises:
        VersionError: *cluster_version* is none.
        SelectorError: Kubernetes refuses the selector of a request.
    """
    if isinstance(cluster_version, str):
        cluster_version = Version.parse_tolerant(cluster_version)
    following = cluster.next_minor(cluster_version)
    result: list[cluster.Blocking] = []
    for request in requests:
        bundle = installed_bundle(request)
        if bundle is not None:
            result.extend(cluster.blocks_cluster_update([bundle], cluster_version))
        elif request.installed is not None:
            update = f"{following.major}.{following.minor}"
            result.append(cluster.Blocking(request.installed.name, update, reason=_UNKNOWN))
    return tuple(result)
