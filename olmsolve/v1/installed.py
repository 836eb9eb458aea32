"""The bundle that an extension has installed, looked up in the catalogs of its request."""

from __future__ import annotations

from olmsolve.catalog import Bundle
from olmsolve.v1.errors import SelectorError
from olmsolve.v1.request import ExtensionRequest
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
    others = [each for each in request.catalogs if not any(each is other for other in selected)]
    for catalog in (*selected, *others):
        content = catalog.catalog
        package = content.packages.get(request.extension.package) if content is not None else None
        if package is not None and request.installed.name in package.bundles:
            return package.bundles[request.installed.name]
    return None
