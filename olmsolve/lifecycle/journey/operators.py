"""The operators and extensions of a stage, as the answer lists them: with their channels, limits and deprecations."""

from __future__ import annotations

from collections.abc import Iterator

from olmsolve.catalog import Catalog, Package
from olmsolve.cluster import ClusterState, operators_blocking_update
from olmsolve.cluster.objects import ClusterServiceVersion, SubscriptionObject
from olmsolve.lifecycle.journey.extensions import ExtensionNow
from olmsolve.lifecycle.journey.model import JourneyOperator
from olmsolve.lifecycle.journey.stages import VersionStage
from olmsolve.requests import Contents
from olmsolve.semver import Version

# No OpenShift is below it, so that each limit blocks the update to it, and tells itself.
_LIMITLESS = Version(99, 1, 0)


def maximum_of(csv: ClusterServiceVersion) -> str:
    """Return the last minor version of OpenShift that *csv* says to work with; "" without one that can be read."""
    blocking = next(iter(operators_blocking_update([csv], _LIMITLESS)), None)
    return blocking.maximum if blocking is not None else ""


def operators_of(state: ClusterState, stage: VersionStage) -> Iterator[JourneyOperator]:
    """Yield the operators of *state* at *stage*, copies left out."""
    owners = {
        (subscription.namespace, name): subscription
        for subscription in state.all(SubscriptionObject)
        for name in (subscription.installed_csv, subscription.current_csv)
        if name
    }
    for csv in state.all(ClusterServiceVersion):
        if csv.is_copied:
            continue
        owner = owners.get((csv.namespace, csv.name))
        if owner is None:
            yield JourneyOperator(csv.namespace, "", "", csv.name, "", "", maximum_of(csv), csv.phase)
            continue
        catalog = f"{owner.source_namespace}/{owner.source}"
        package = _package(stage.contents, catalog, owner.package)
        notes = tuple(_deprecations(package, owner.channel, csv.name))
        yield JourneyOperator(
            csv.namespace,
            owner.name,
            owner.package,
            csv.name,
            owner.channel,
            catalog,
            maximum_of(csv),
            csv.phase,
            notes,
        )


def extension_operator(name: str, package: str, now: ExtensionNow, stage: VersionStage) -> Iterator[JourneyOperator]:
    """Yield the extension *name* as it is at *stage*, nothing where it has no bundle."""
    if now.installed is None:
        return
    package_there = _package(stage.contents, now.catalog, package)
    notes = tuple(_deprecations(package_there, now.channels[0] if len(now.channels) == 1 else "", now.installed.name))
    yield JourneyOperator("", name, package, now.installed.name, ", ".join(now.channels), now.catalog, notes=notes)


def _package(contents: Contents, catalog: str, name: str) -> Package | None:
    content = contents.get(catalog)
    return content.packages.get(name) if isinstance(content, Catalog) else None


def _deprecations(package: Package | None, channel: str, bundle: str) -> Iterator[str]:
    """Yield what *package* says of itself, of *channel* and of *bundle* in ``olm.deprecations``."""
    for deprecation in package.deprecations if package is not None else ():
        assert package is not None
        if deprecation.schema == "olm.package":
            yield f"package {package.name} is deprecated: {deprecation.message}"
        elif deprecation.schema == "olm.channel" and deprecation.name == channel:
            yield f"channel {channel} is deprecated: {deprecation.message}"
        elif deprecation.schema == "olm.bundle" and deprecation.name == bundle:
            yield f"{bundle} is deprecated: {deprecation.message}"
