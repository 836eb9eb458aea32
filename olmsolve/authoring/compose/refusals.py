"""Refusals that name the object and where it stands, and the promise that an edit breaks nothing."""

from __future__ import annotations

from typing import NoReturn

from olmsolve.authoring.checks import Finding, Severity, validate
from olmsolve.catalog import Catalog, Channel, Origin, Package
from olmsolve.errors import CatalogError

__all__ = ["channel_of", "faults", "package_of", "refuse", "refuse_new_faults"]


def refuse(
    reason: str, *, package: str = "", channel: str = "", bundle: str = "", origin: Origin | None = None
) -> NoReturn:
    """Raise the :class:`~olmsolve.errors.CatalogError` for an object."""
    where = str(origin) if origin is not None else ""
    raise CatalogError(reason, origin=where, package=package, channel=channel, bundle=bundle)


def package_of(catalog: Catalog, name: str) -> Package:
    """The package *name*. Raises :class:`~olmsolve.errors.CatalogError` where there is none."""
    found = catalog.packages.get(name)
    if found is None:
        refuse("the catalog has no such package", package=name)
    return found


def channel_of(package: Package, name: str) -> Channel:
    """The channel *name*. Raises :class:`~olmsolve.errors.CatalogError` where there is none."""
    found = package.channels.get(name)
    if found is None:
        known = ", ".join(sorted(package.channels)) or "none"
        refuse(f"the package has no such channel (its channels are {known})", package=package.name, channel=name)
    return found


def faults(package: Package) -> list[Finding]:
    """What makes a catalog of *package* alone invalid."""
    found = validate(Catalog({package.name: package}), advice=False)
    return [finding for finding in found if finding.severity is Severity.ERROR]


def refuse_new_faults(after: Package, *before: Package) -> None:
    """Raise :class:`~olmsolve.errors.CatalogError` for a fault of *after* that none of *before* has.

    What was broken before may stay so: whoever repairs a catalog step by step must not be stopped.
    """
    old = {_identity(finding) for package in before for finding in faults(package)}
    new = [finding for finding in faults(after) if _identity(finding) not in old]
    if new:
        first = new[0]
        more = f" (and {len(new) - 1} more faults)" if len(new) > 1 else ""
        refuse(
            f"this would make the catalog invalid: {first.message}{more}",
            package=first.package or after.name,
            channel=first.channel,
            bundle=first.bundle,
            origin=first.origin,
        )


def _identity(finding: Finding) -> tuple[str, ...]:
    return finding.code, finding.channel, finding.bundle, finding.message
