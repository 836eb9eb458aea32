"""The objects of a cluster as journeys see them: operators and whose they are, install plans, and what is installed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from olmsolve._limits import checked
from olmsolve.catalog import Catalog, Package
from olmsolve.cluster import ClusterState, Hindrance, operators_blocking_update
from olmsolve.cluster.objects import CatalogSource, ClusterServiceVersion, InstallPlan, SubscriptionObject
from olmsolve.lifecycle.journey.bounds import LIMITLESS
from olmsolve.lifecycle.journey.extensions import ExtensionNow
from olmsolve.lifecycle.journey.model import JourneyOperator
from olmsolve.lifecycle.journey.stages import VersionStage
from olmsolve.requests import Contents
from olmsolve.semver import Version, VersionScheme, read_version


def waiting_plans(state: ClusterState) -> Iterator[InstallPlan]:
    """Yield the install plans of *state* that wait for approval, and that no newer plan of the namespace replaces."""
    for plan in newest_plans(state):
        if plan.phase == "RequiresApproval" and not plan.approved:
            yield plan


def newest_plans(state: ClusterState) -> Iterable[InstallPlan]:
    """Return the newest install plan of each namespace of *state*."""
    newest: dict[str, InstallPlan] = {}
    for plan in state.all(InstallPlan):
        other = newest.get(plan.namespace)
        if other is None or (plan.spec_generation, plan.name) > (other.spec_generation, other.name):
            newest[plan.namespace] = plan
    return newest.values()


def original_csvs(state: ClusterState) -> tuple[ClusterServiceVersion, ...]:
    """Return the operators of *state*, without the copies that OLM makes in other namespaces."""
    return tuple(csv for csv in state.all(ClusterServiceVersion) if not csv.is_copied)


def subject_of(csv: ClusterServiceVersion, state: ClusterState) -> str:
    """Return the subscription of *csv*, or of an operator that replaces it, however far; else the name of *csv*."""
    names = {csv.name}
    csvs = state.all(ClusterServiceVersion, csv.namespace)
    grown = True
    while grown:
        newer = {csv.name for csv in csvs if csv.replaces in names}
        grown = not newer <= names
        names |= newer
    for wish in state.all(SubscriptionObject, csv.namespace):
        if wish.installed_csv in names or wish.current_csv in names:
            return wish.key
    return csv.key


def names_operator(hindrance: Hindrance, subjects: Iterable[str], state: ClusterState) -> bool:
    """Return whether *hindrance* is about an operator of *state* that belongs to one of the *subjects*."""
    operator = getattr(hindrance, "operator", "")
    csv = state.get(ClusterServiceVersion, hindrance.namespace, operator) if operator else None
    return csv is not None and subject_of(csv, state) in set(subjects)


def version_of(csv: ClusterServiceVersion, scheme: VersionScheme | None) -> Version | None:
    """Return the version of *csv* by a *scheme*, None where it has none that can be read."""
    return read_version(csv.version, scheme) if csv.version else None


def cluster_part(state: ClusterState, spaces: Iterable[str]) -> ClusterState:
    """Return the objects of *state* that the namespaces *spaces* depend on: their own, and what all namespaces share.

    Copies of operators are left out: nothing is resolved by them.
    """
    chosen = frozenset(spaces)
    kept = []
    for object_ in state:
        if isinstance(object_, ClusterServiceVersion) and object_.is_copied:
            continue
        if not object_.NAMESPACED or object_.namespace in chosen or isinstance(object_, CatalogSource):
            kept.append(object_)
    return ClusterState.of(kept)


def subjects_of(state: ClusterState) -> Mapping[str, str]:
    """Map each operator of *state* (``namespace/name``) to its subject."""
    return {csv.key: subject_of(csv, state) for csv in checked(original_csvs(state))}


def maximum_of(csv: ClusterServiceVersion) -> str:
    """Return the last minor version of OpenShift that *csv* says to work with; "" without one that can be read."""
    blocking = next(iter(operators_blocking_update([csv], LIMITLESS)), None)
    return blocking.maximum if blocking is not None else ""


def operators_of(state: ClusterState, stage: VersionStage) -> Iterator[JourneyOperator]:
    """Yield the operators of *state* at *stage*, copies left out."""
    owners = {
        (subscription.namespace, name): subscription
        for subscription in state.all(SubscriptionObject)
        for name in (subscription.installed_csv, subscription.current_csv)
        if name
    }
    for csv in checked(original_csvs(state), every=16):
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
    content = _package(stage.contents, now.catalog, package)
    notes = tuple(_deprecations(content, now.channels[0] if len(now.channels) == 1 else "", now.installed.name))
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
