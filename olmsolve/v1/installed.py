"""The bundle that an extension has installed: looked up in the catalogs of its request, and its successors."""

from __future__ import annotations

from collections.abc import Iterable

from olmsolve.catalog import Bundle, Channel
from olmsolve.catalog.update_graph import UpdateGraph
from olmsolve.errors import VersionError
from olmsolve.v1.errors import SelectorError
from olmsolve.v1.offers import installed_version, version_of
from olmsolve.v1.request import ExtensionRequest, InstalledBundle
from olmsolve.v1.resolving import selected_catalogs


def installed_bundle(request: ExtensionRequest) -> Bundle | None:
    """Return the installed bundle from the first catalog of *request* that has it; None if no catalog has.

    Catalogs that are unavailable, or that the selector leaves out, come last: an installed bundle stays the same
    when its catalog becomes unavailable or the selector changes.

    Raises:
        SelectorError: Kubernetes refuses the selector.
    """
    selector = request.extension.selector
    if selector is not None and (fault := selector.fault()):
        raise SelectorError(fault)
    if request.installed is None:
        return None
    selected = selected_catalogs(request)
    others = [
        listed_catalog for listed_catalog in request.catalogs if not any(listed_catalog is other for other in selected)
    ]
    for catalog in (*selected, *others):
        content = catalog.catalog
        package = content.packages.get(request.extension.package) if content is not None else None
        if package is not None and request.installed.name in package.bundles:
            return package.bundles[request.installed.name]
    return None


def successors(
    installed: InstalledBundle,
    channels: Iterable[Channel],
    bundles: Iterable[Bundle],
    *,
    release_support: bool = False,
) -> list[Bundle]:
    """Return the *bundles*, in the order given, that *installed* may be updated to.

    This is the definition that the faster resolver follows, entry by entry: the entries of *channels* that replace it,
    skip it or have its version in their ``skipRange``, and all bundles of its very version and release.

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
