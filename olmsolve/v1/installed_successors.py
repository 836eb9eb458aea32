"""The successors of an installed bundle, found entry by entry: the definition that the faster resolver follows."""

from __future__ import annotations

from collections.abc import Iterable

from olmsolve.catalog import Bundle, Channel
from olmsolve.catalog.update_graph import UpdateGraph
from olmsolve.errors import VersionError
from olmsolve.v1.offers import installed_version, version_of
from olmsolve.v1.request import InstalledBundle


def successors(
    installed: InstalledBundle,
    channels: Iterable[Channel],
    bundles: Iterable[Bundle],
    *,
    release_support: bool = False,
) -> list[Bundle]:
    """Return the *bundles*, in the order given, that *installed* may be updated to.

    They are the entries of *channels* that replace it, skip it or have its version in their ``skipRange``,
    and all bundles of its very version and release.

    Raises:
        VersionError: the version or release of *installed* cannot be read.
    """
    version = installed_version(installed)
    edges = UpdateGraph(channels).edges_from(installed.name, version.version)
    names = {edge.entry.name for edge in edges}

    def is_successor(bundle: Bundle) -> bool:
        if bundle.name in names:
            return True
        try:
            found = version_of(bundle.name, bundle.properties, release_support=release_support)
        except VersionError:
            return False
        return found == version

    return [bundle for bundle in bundles if is_successor(bundle)]
