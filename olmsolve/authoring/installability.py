"""The bundles of a catalog as OLM v1 sees them: which it would install, which it refuses, and what has to change."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final, Literal, TypeAlias

from olmsolve._limits import checked
from olmsolve._named_tuples import NamedTuple
from olmsolve._records import Record, field, record
from olmsolve.catalog import Bundle, Catalog, Package, PerList, list_of
from olmsolve.catalog.fbc import BUNDLE_OBJECT
from olmsolve.catalog.update_graph import bundle_version
from olmsolve.errors import CatalogError
from olmsolve.v1 import (
    BundleContent,
    FeatureGates,
    InstallationRefusal,
    InstallSettings,
    PackageOffers,
    bundle_content,
    bundle_refusal,
    no_dependencies,
    subdomain_faults,
    unknown_facts,
)

Verdict: TypeAlias = Literal["installable", "refused", "unknown"]

_DEPENDENCY: Final = "dependency"
_DEPENDENCY_NOTE: Final = "publish a bundle without dependencies, and install its dependencies as separate extensions"
_WATCH_NOTE: Final = "an extension has to name the namespace to watch (spec.config.inline.watchNamespace)"
_CHANNEL_NOTE: Final = "no extension can name this channel: also offer its entries in a channel with another name"


@record
class InstallableBundle(Record):
    """A bundle, and whether OLM v1 installs it: refused by a *rule* for a *reason*, or as far as the catalog tells."""

    package: str = field("Its package.")
    bundle: str = field("Its name.")
    version: str = field("Its version, empty if it has none.")
    verdict: Verdict = field("Whether OLM v1 would install it; unknown where the catalog does not say enough.")
    rule: str = field("The rule that refuses it.", default="", empty="null")
    reason: str = field("Why, in the words of OLM v1.", default="", empty="null")
    note: str = field("What has to change, in other words.", default="", empty="null")
    unknown: tuple[str, ...] = field("The facts that the catalog does not have.", default=())


@record
class UnsafeUpdate(Record):
    """An update that the check of definitions refuses where the bundle before is installed."""

    package: str = field("The package.")
    before: str = field("The bundle that is installed.")
    bundle: str = field("The bundle that follows it, which replaces it, skips it or has it in its skipRange.")
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
        """Whether OLM v1 takes every bundle, channel and update, as far as the catalog says."""
        return not (self.refused or self.channels or self.updates)

    @property
    def refused(self) -> tuple[InstallableBundle, ...]:
        """The bundles that OLM v1 does not install."""
        return tuple(bundle for bundle in self.bundles if bundle.verdict == "refused")


def installable(catalog: Catalog, package: str = "", *, feature_gates: FeatureGates | None = None) -> InstallableList:
    """Return what OLM v1 makes of the bundles of *catalog*, or of one *package*.

    *feature_gates* are the controller's; upstream's are the default.

    Raises:
        CatalogError: there is no such package.
    """
    if package and package not in catalog.packages:
        from olmsolve._near_names import did_you_mean, similar_names

        near = did_you_mean(similar_names(package, sorted(catalog.packages)))
        reason = f"the catalog has no such package{f' ({near})' if near else ''}"
        raise CatalogError(reason, origin=catalog.origin, package=package)
    verdicts = [
        installable_package(content, feature_gates)
        for name, content in sorted(catalog.packages.items())
        if package in ("", name)
    ]
    return InstallableList(
        tuple(bundle for verdict in verdicts for bundle in verdict.bundles),
        tuple(channel for verdict in verdicts for channel in verdict.channels),
        tuple(update for verdict in verdicts for update in verdict.updates),
    )


def installable_package(package: Package, feature_gates: FeatureGates | None = None) -> InstallableList:
    """Return what OLM v1 makes of the bundles of one *package*; *feature_gates* as in :func:`installable`."""
    gates = FeatureGates() if feature_gates is None else feature_gates
    offers = PackageOffers(package, release_support=gates.is_on("BundleReleaseSupport"))
    bundles = tuple(_judged_bundles(package, offers, gates))
    return InstallableList(bundles, unwritable_channels(package), unsafe_updates(package, offers))


def unwritable_channels(package: Package) -> tuple[UnwritableChannel, ...]:
    """Return the channels of *package* that no extension can name."""
    return tuple(
        UnwritableChannel(package.name, channel, "; ".join(faults), _CHANNEL_NOTE)
        for channel in sorted(package.channels)
        if (faults := subdomain_faults(channel))
    )


def refused_bundles(package: Package, offers: PackageOffers) -> Iterator[InstallableBundle]:
    """Yield the bundles of *package* that upstream's controller refuses for what they bring, the newest first.

    A dependency is no reason here.
    """
    yield from _judged_bundles(package, offers, FeatureGates(), is_refused=True)


class _Judgement(NamedTuple):
    """The fields of an :class:`InstallableBundle` that all bundles with one list of properties share."""

    verdict: Verdict
    rule: str = ""
    reason: str = ""
    note: str = ""
    unknown: tuple[str, ...] = ()


def _judged_bundles(
    package: Package, offers: PackageOffers, gates: FeatureGates, *, is_refused: bool = False
) -> Iterator[InstallableBundle]:
    """Yield what OLM v1 says to each bundle of *package*; if *is_refused*, only refusals that name no dependency."""
    judgement_of = PerList(partial(_judgement, gates=gates))
    for offer in checked(offers.offers):
        bundle = offer.bundle
        judgement = judgement_of(bundle)
        if is_refused and (judgement is None or judgement.verdict != "refused"):
            continue
        if judgement is None:
            judgement = _Judgement("refused", _DEPENDENCY, no_dependencies(bundle), _DEPENDENCY_NOTE)
        version = str(bundle_version(package, bundle.name) or "")
        yield InstallableBundle(package.name, bundle.name, version, *judgement)


def _judgement(bundle: Bundle, gates: FeatureGates) -> _Judgement | None:
    """Return what OLM v1 makes of the properties of *bundle*; None for a dependency, whose reason names the bundle."""
    if no_dependencies(bundle):
        return None
    content = bundle_content(bundle)
    settings = _fitting_settings(content, gates)
    refusal = bundle_refusal(content, settings, gates)
    if refusal is not None:
        return _Judgement("refused", refusal.rule.value, refusal.message, refusal.note)
    unknown = unknown_facts(content)
    # Without install modes nothing is known; what olm.csv.metadata leaves out is rarely at fault.
    verdict: Verdict = "unknown" if "install modes" in unknown else "installable"
    return _Judgement(verdict, note=_WATCH_NOTE if settings.config else "", unknown=unknown)


def _fitting_settings(content: BundleContent, gates: FeatureGates) -> InstallSettings:
    """Return what an extension has to set for a bundle with this *content*: the namespace to watch, or nothing."""
    modes = content.install_modes
    if not gates.is_on("SingleOwnNamespaceInstallSupport") or "AllNamespaces" in modes:
        return InstallSettings()
    watched = "own" if "OwnNamespace" in modes else "other"
    return InstallSettings("own", {"watchNamespace": watched})


def unsafe_updates(package: Package, offers: PackageOffers) -> tuple[UnsafeUpdate, ...]:
    """Return the updates of *package* that the check refuses: along replaces, skips and skipRange alike.

    A bundle with several updates may get any of them, by its range. Packages repeat their definitions from version to
    version, so that each pair of sets of definitions is compared once.
    """
    has_objects = PerList(_has_objects)
    if not any(has_objects(bundle) for bundle in package.bundles.values()):
        return ()
    # Imported on first use: comparing definitions takes the most of all checks to load, and few catalogs hold any.
    from olmsolve.cluster.extensions import bundle_definitions, unsafe_definitions

    unsafe: list[UnsafeUpdate] = []
    definitions = {name: bundle_definitions(bundle) for name, bundle in checked(sorted(package.bundles.items()))}
    sets: dict[str, int] = {}
    number = {
        # Versions mostly bring the same definitions: each pair of different sets is compared once, in place of each
        # update.
        name: sets.setdefault(repr([definition.raw for definition in defs]), len(sets))
        for name, defs in definitions.items()
    }
    verdicts: dict[tuple[int, int], InstallationRefusal | None] = {}
    for before in (offer for offer in offers.offers if definitions[offer.name] and offer.version is not None):
        assert before.version is not None
        there = {crd.name: crd for crd in definitions[before.name]}
        for after in checked(offers.successors(before.name, before.version, None, offers.offers)):
            pair = number[before.name], number[after.name]
            if pair not in verdicts:
                verdicts[pair] = unsafe_definitions(there, definitions[after.name]) if pair[0] != pair[1] else None
            refusal = verdicts[pair]
            if refusal is not None:
                unsafe.append(UnsafeUpdate(package.name, before.name, after.name, refusal.message, refusal.note))
    return tuple(sorted(unsafe, key=lambda update: (offers.ranks[update.bundle], offers.ranks[update.before])))


def _has_objects(bundle: Bundle) -> bool:
    return any(property_.type == BUNDLE_OBJECT for property_ in list_of(bundle))
