"""The extensions that can be planned at all, and the ones that the controller leaves with what they have."""

from __future__ import annotations

from collections.abc import Iterable

import olmsolve._attrs as attrs
from olmsolve._limits import checked
from olmsolve.errors import CatalogError, OlmsolveError, RequestError
from olmsolve.v1.errors import ResolutionError
from olmsolve.v1.plans import FailedExtension, Planned
from olmsolve.v1.request import ExtensionRequest
from olmsolve.v1.resolving import resolve
from olmsolve.v1.validations import no_dependencies


def resolvable(
    requests: Iterable[ExtensionRequest],
) -> tuple[tuple[ExtensionRequest, ...], tuple[FailedExtension, ...]]:
    """Return the *requests* that can get a bundle by themselves, dependencies aside, and the others with their errors.

    Of several for one package the first counts.
    """
    wanted: list[ExtensionRequest] = []
    failed: list[FailedExtension] = []
    taken: set[str] = set()
    for request in checked(requests):
        package = request.extension.package
        error: OlmsolveError | None = None
        try:
            if package in taken:
                error = RequestError(f"another extension has package {package!r} already", field="extension")
            else:
                # Dependencies are planned, so they are no reason to fail; everything else is, and says which.
                resolve(without_dependency_check(request))
        except (ResolutionError, CatalogError, RequestError) as failure:
            error = failure
        if error is None:
            taken.add(package)
            wanted.append(request)
        else:
            failed.append(FailedExtension(request.name, package, error))
    return tuple(wanted), tuple(failed)


def without_dependency_check(request: ExtensionRequest) -> ExtensionRequest:
    """Return *request* with all of its validations but the one that refuses bundles with dependencies."""
    kept = tuple(validation for validation in request.validations if validation is not no_dependencies)
    return attrs.evolve(request, validations=kept)


def kept_plan(request: ExtensionRequest) -> Planned | None:
    """Return what *request*'s extension has where the controller resolves nothing for it; None where it resolves."""
    try:
        resolution = resolve(request)
    except (ResolutionError, CatalogError, RequestError):
        return None
    if not resolution.kept:
        return None
    return Planned(
        resolution.package,
        resolution.bundle,
        resolution.full_version,
        "",
        False,
        (),
        extension=request.name,
        installed=resolution.installed,
    )
