"""The bundles of a catalog as OLM v1 sees them: which it would install, which it refuses, and what has to change."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from olmsolve import v1
from olmsolve._limits import checked
from olmsolve._records import Record, field, record
from olmsolve.catalog import Bundle, Catalog, Package
from olmsolve.catalog.update_graph import bundle_version
from olmsolve.cluster.extensions import CrdUpgradesAreSafe
from olmsolve.errors import CatalogError

Verdict: TypeAlias = Literal["installable", "refused", "unknown"]

_DEPENDENCY: Final = "dependency"
_DEPENDENCY_NOTE: Final = "a bundle has to declare no dependency; what it needs are extensions of their own"
_CHANNEL_NOTE: Final = "no extension can name such a channel; its entries have to stand in one with another name, too"


@record
class InstallableBundle(Record):
    """A bundle, and whether OLM v1 installs it: refused by a *rule* for a *reason*, or as far as the catalog tells."""

    package: str = field("Its package.")
    bundle: str = field("Its name.")
    version: str = field("Its version, empty if it has none.")
    verdict: Verdict = field("Whether OLM v1 would install it; unknown where the catalog does not tell enough.")
    rule: str = field("The rule that refuses it.", default="", empty="null")
    reason: str = field("Why, in the words of OLM v1.", default="", empty="null")
    note: str = field("What has to change, in other words.", default="", empty="null")
    unknown: tuple[str, ...] = field("What the catalog does not tell of it.", default=())


@record
class UnsafeUpdate(Record):
    """An update that the check of definitions refuses where the bundle before is installed."""

    package: str = field("The package.")
    before: str = field("The bundle that is installed.")
    bundle: str = field("The bundle that replaces it.")
    reason: str = field("Why, in the words of OLM v1.")
    note: str = field("What has to change.")


@record
class UnwritableChannel(Record):
    """A channel that no ClusterExtension can name."""

    package: str = field("The package.")
    channel: str = field("The channel.")
    reason: str = field("Why, in the words of Kubernetes.")
    note: str = field("What has to change.")


@record(
    definition="olmsolve.catalog.v1",
    title="The bundles of a catalog that OLM v1 installs",
    about="docs/v1.md gives the meaning of the fields.",
)
class InstallableList(Record):
    """The bundles of a catalog under OLM v1, with the channels and the updates that it does not take."""

    bundles: tuple[InstallableBundle, ...] = field("The bundles, by package and version, the newest first.")
    channels: tuple[UnwritableChannel, ...] = field("The channels that no extension can name.")
    updates: tuple[UnsafeUpdate, ...] = field("The updates that change definitions in an unsafe way.")

    @property
    def is_clean(self) -> bool:
        """Whether OLM v1 takes every bundle, channel and update, as far as the catalog tells."""
        return not (self.refused or self.channels or self.updates)

    @property
    def refused(self) -> tuple[InstallableBundle, ...]:
        """The bundles that OLM v1 does not install."""
        return tuple(each for each in self.bundles if each.verdict == "refused")


def installable(
    catalog: Catalog, package: str = "", *, feature_gates: v1.FeatureGates | None = None
) -> InstallableList:
    """Return what OLM v1 makes of the bundles of *catalog*, or of one *package*.

    *feature_gates* are the ones of the controller, by default upstream's.

    Raises:
        CatalogError: there is no such package.
    """
    if package and package not in catalog.packages:
        raise CatalogError("the catalog has no such package", origin=catalog.origin, package=package)
    gates = v1.FeatureGates() if feature_gates is None else feature_gates
    bundles: list[InstallableBundle] = []
    channels: list[UnwritableChannel] = []
    updates: list[UnsafeUpdate] = []
    for name, each in sorted(catalog.packages.items()):
        if package in ("", name):
            offers = v1.PackageOffers(each, release_support=gates.is_on("BundleReleaseSupport")).offers
            bundles += [_judged(each, each.bundles[offer.name], gates) for offer in checked(offers)]
            channels += [
                UnwritableChannel(name, channel, "; ".join(faults), _CHANNEL_NOTE)
                for channel in sorted(each.channels)
                if (faults := v1.subdomain_faults(channel))
            ]
            updates += _unsafe_updates(catalog, each)
    return InstallableList(tuple(bundles), tuple(channels), tuple(updates))


def _judged(package: Package, bundle: Bundle, gates: v1.FeatureGates) -> InstallableBundle:
    version = str(bundle_version(package, bundle.name) or "")
    about = (package.name, bundle.name, version)
    if reason := v1.no_dependencies(bundle):
        return InstallableBundle(*about, "refused", _DEPENDENCY, reason, _DEPENDENCY_NOTE)
    content = v1.bundle_content(bundle)
    refusal = v1.bundle_refusal(content, v1.InstallSettings(), gates)
    if refusal is not None:
        return InstallableBundle(*about, "refused", refusal.rule.value, refusal.message, refusal.note)
    unknown = v1.unknown_facts(content)
    # Without install modes nothing is known; what olm.csv.metadata leaves out is rarely at fault.
    verdict: Verdict = "unknown" if "install modes" in unknown else "installable"
    return InstallableBundle(*about, verdict, unknown=unknown)


def _unsafe_updates(catalog: Catalog, package: Package) -> list[UnsafeUpdate]:
    found: list[UnsafeUpdate] = []
    is_safe = CrdUpgradesAreSafe({})
    edges = {
        (entry.replaces, entry.name)
        for channel in package.channels.values()
        for entry in channel.entries
        if entry.replaces in package.bundles and entry.name in package.bundles
    }
    for before, after in checked(sorted(edges)):
        request = v1.ExtensionRequest(
            v1.Extension(package.name),
            [v1.ClusterCatalog("catalog", catalog)],
            v1.InstalledBundle(before, str(bundle_version(package, before) or "")),
        )
        refusal = is_safe(package.bundles[after], request)
        if refusal is not None:
            found.append(UnsafeUpdate(package.name, before, after, refusal.message, refusal.note))
    return found
