"""The bundle that an extension has installed, looked up in the catalogs of its request."""

from __future__ import annotations

from olmsolve.catalog import Bundle
from olmsolve.v1.errors import SelectorError
from olmsolve.v1.request import ExtensionRequest
from olmsolve.v1.resolving import asked_catalogs

__all__ = ["installed_bundle"]


def installed_bundle(request: ExtensionRequest) -> Bundle | None:
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
