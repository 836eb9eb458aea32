"""The installed extensions of OLM v1 that block the update of their cluster."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from olmsolve import v1
from olmsolve.cluster.openshift import Blocking, blocks_cluster_update, minor_text, next_minor
from olmsolve.semver import Version

_UNKNOWN: Final = "unknown, since no catalog of the request has the bundle"


def extensions_block_cluster_update(
    requests: Iterable[v1.ExtensionRequest], cluster_version: str | Version
) -> tuple[Blocking, ...]:
    """Return the installed bundles of *requests* that block the cluster's update to its next minor version.

    The properties of a bundle are looked up in all catalogs of its request. A bundle that is in none of them any more
    blocks as well, as unknown: its property might forbid the update. See :func:`blocks_cluster_update`.

    Raises:
        VersionError: *cluster_version* is not a version.
        SelectorError: Kubernetes refuses the selector of a request.
    """
    if isinstance(cluster_version, str):
        cluster_version = Version.parse_tolerant(cluster_version)
    following = next_minor(cluster_version)
    result: list[Blocking] = []
    for request in requests:
        bundle = v1.installed_bundle(request)
        if bundle is not None:
            result.extend(blocks_cluster_update([bundle], cluster_version))
        elif request.installed is not None:
            result.append(Blocking(request.installed.name, minor_text(following), reason=_UNKNOWN))
    return tuple(result)
