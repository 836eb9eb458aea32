"""The newer bundles of an extension's package that OLM v1 does not select, each with the obstacles before it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from olmsolve._limits import checked
from olmsolve.errors import CatalogError, RequestError, VersionError
from olmsolve.semver import Version, VersionRelease, contains
from olmsolve.v1.controller import walk
from olmsolve.v1.errors import (
    AmbiguousCatalogsError,
    BundleRefusedError,
    BundleVersionError,
    InstallationError,
    ResolutionError,
)
from olmsolve.v1.explanation import Outcome
from olmsolve.v1.obstacles import (
    AfterOthers,
    CatalogLeftOut,
    CatalogUnavailable,
    ComesLater,
    HeldBack,
    InOtherChannels,
    LessWanted,
    LowerPriority,
    NoEdge,
    Obstacle,
    OutOfRange,
    RefusedBundle,
    ResolutionStopped,
    Tied,
)
from olmsolve.v1.offers import (
    ExtensionWish,
    Offer,
    PackageOffers,
    catalog_named,
    offers_in,
    offers_in_catalog,
    readable_version,
)
from olmsolve.v1.request import ClusterCatalog, ExtensionRequest, ExtensionResolution
from olmsolve.v1.resolving import resolve, wish_of


def held_back(request: ExtensionRequest) -> tuple[HeldBack, ...]:
    """Return the bundles that are newer than the bundle that *request* gets, each with its obstacles.

    Newer are bundles of a higher version (or release) than the selected one; where none is selected, than the installed
    one; where none is installed either, all of the package. They come from all catalogs of the request whose content is
    there, also from unavailable ones and those that the selector leaves out: the highest version first, then as the
    request lists its catalogs.

    Raises:
        InvalidWishError: the selector or the version range cannot be read.
    """
    view = ObstacleView(request)
    newer = [
        (catalog, offer)
        for catalog, offers in view.offered()
        for offer in offers.offers
        if offer.version is not None and view.is_newer(offer.version)
    ]
    # Sorting is stable, also when it is reversed.
    newer.sort(key=lambda pair: _key(pair[1]), reverse=True)
    return tuple(view.held_back(catalog, offer) for catalog, offer in checked(newer))


class ObstacleView:
    """The bundles of a request's package, and the obstacles before each of them.

    *outcome* is the answer to the request: a resolution or a failure.

    Raises:
        InvalidWishError: the selector or the version range cannot be read.
    """

    def __init__(self, request: ExtensionRequest) -> None:
        self.request = request
        self.wish: ExtensionWish = wish_of(request)
        self.outcome: ExtensionResolution | ResolutionError
        try:
            self.outcome = resolve(request)
        except ResolutionError as failure:
            self.outcome = failure
        # By catalog: the filters by channel and edges run once for all bundles that are looked at.
        self._passing_of: dict[str, tuple[frozenset[str], frozenset[str]]] = {}

    def offered(self) -> Iterator[tuple[ClusterCatalog, PackageOffers]]:
        """Yield the catalogs that have the package, selected or not; unreadable content is passed over."""
        for catalog in checked(self.request.catalogs):
            try:
                content = catalog.catalog
                offers = content and offers_in(content, self.request)
            except (CatalogError, RequestError):
                # The content of a catalog that the extension does not use is only read now.
                continue
            if offers and not catalog.error:
                yield catalog, offers

    def is_newer(self, version: VersionRelease) -> bool:
        """Return True if *version* is above the selected one, or above the installed one where none is selected."""
        return self._baseline is None or version.key > self._baseline.key

    def held_back(self, catalog: ClusterCatalog, offer: Offer) -> HeldBack:
        """Return the *offer* of *catalog*, which is not selected, with the obstacles before it."""
        version = "" if offer.version is None else str(offer.version.legacy_version)
        return HeldBack(offer.name, version, catalog.name, self.obstacles(catalog, offer))

    def is_selected(self, catalog: ClusterCatalog, offer: Offer) -> bool:
        """Return True if the *offer* of *catalog* is the answer to the request."""
        outcome = self.outcome
        if not isinstance(outcome, ExtensionResolution):
            return False
        return (outcome.catalog, outcome.bundle) == (catalog.name, offer.name)

    def obstacles(self, catalog: ClusterCatalog, offer: Offer) -> tuple[Obstacle, ...]:
        """Return what keeps the *offer* of *catalog* from being selected, in OLM v1's order; empty if it is."""
        if self.is_selected(catalog, offer):
            return ()
        obstacles = [*self._left_out(catalog), *self._filtered(catalog, offer)]
        if not obstacles:
            obstacles.append(self._compared(catalog, offer))
        # Only a missing edge can be made up for by other updates: each of them follows edges, and keeps channels and
        # range.
        elif [type(obstacle) for obstacle in obstacles] == [NoEdge]:
            step = (catalog.name, offer.name)
            # The first step is selected now, so that it comes after no other.
            if step in self._steps[1:]:
                before = self._steps[: self._steps.index(step)]
                obstacles = [AfterOthers(tuple(bundle for _, bundle in before))]
        return tuple(obstacles)

    @cached_property
    def _baseline(self) -> VersionRelease | None:
        if isinstance(self.outcome, ExtensionResolution) and not self.outcome.kept:
            return offers_in_catalog(self.request, self.outcome.catalog).offer(self.outcome.bundle).version
        return None if self.request.installed is None else readable_version(self.request.installed)

    @cached_property
    def _steps(self) -> tuple[tuple[str, str], ...]:
        """The updates that OLM v1 makes to the extension by itself, in order: each a catalog and its bundle."""
        return walk(self.request).steps

    def _offers(self, catalog: ClusterCatalog) -> PackageOffers:
        return offers_in_catalog(self.request, catalog.name)

    def _left_out(self, catalog: ClusterCatalog) -> Iterator[Obstacle]:
        selector = self.request.extension.selector
        if selector is not None and not selector.matches(catalog.labels):
            yield CatalogLeftOut(catalog.name)
        if not catalog.available:
            yield CatalogUnavailable(catalog.name)

    def _filtered(self, catalog: ClusterCatalog, offer: Offer) -> Iterator[Obstacle]:
        """Yield the filters by channel, version and edges that leave *offer* out."""
        wish, extension, offers = self.wish, self.request.extension, self._offers(catalog)
        in_channels, following = self._passing(catalog)
        if offer.name not in in_channels:
            holding = tuple(name for name, names in offers.names_in.items() if offer.name in names)
            yield InOtherChannels(holding, extension.channels)
        if not wish.in_range([offer]):
            between = (
                offer.version is not None
                and bool(offer.version.version.pre)
                and wish.versions is not None
                and contains(wish.versions.releases, offer.version.version.key)
            )
            yield OutOfRange(extension.version, _is_version(extension.version), between)
        if offer.name not in following:
            assert self.request.installed is not None
            yield NoEdge(self.request.installed.name, extension.channels)

    def _passing(self, catalog: ClusterCatalog) -> tuple[frozenset[str], frozenset[str]]:
        """Return the names of bundles of *catalog* in the wanted channels, and of successors of the installed one."""
        # Each offer that is held back asks for the same two sets of its catalog.
        passing = self._passing_of.get(catalog.name)
        if passing is None:
            offers = self._offers(catalog)
            in_channels = self.wish.in_channels(offers)
            following = self.wish.following(offers, offers.offers)
            passing = frozenset(other.name for other in in_channels), frozenset(other.name for other in following)
            self._passing_of[catalog.name] = passing
        return passing

    def _compared(self, catalog: ClusterCatalog, offer: Offer) -> Obstacle:
        """Return what the comparison of the best bundles, or their validation, has against *offer*."""
        outcome = self.outcome
        if isinstance(outcome, ExtensionResolution) and outcome.kept:
            return ResolutionStopped(outcome.kept)
        if isinstance(outcome, AmbiguousCatalogsError):
            return self._in_a_tie(outcome, catalog, offer)
        if isinstance(outcome, (ExtensionResolution, BundleRefusedError, BundleVersionError, InstallationError)):
            winner = catalog_named(self.request, outcome.catalog)
            best = self._offers(winner).offer(outcome.bundle)
            if offer is best and not isinstance(outcome, ExtensionResolution):
                rule = outcome.refusal.rule if isinstance(outcome, InstallationError) else None
                return RefusedBundle(outcome.reason, rule)
            # OLM v1 compares deprecation first, then priorities, then versions: the first one that decides is the
            # obstacle.
            if offer.deprecated and not best.deprecated:
                return LessWanted(best.name)
            if catalog is not winner:
                return LowerPriority(catalog.name, catalog.priority, winner.name, winner.priority)
            return ComesLater(best.name, is_refused=not isinstance(outcome, ExtensionResolution))
        return ResolutionStopped(str(outcome))

    def _in_a_tie(self, tie: AmbiguousCatalogsError, catalog: ClusterCatalog, offer: Offer) -> Obstacle:
        funnels = {funnel.catalog: funnel for funnel in tie.explanation.funnels}
        funnel, preferred = funnels[catalog.name], funnels[tie.tied[0]].best
        first = catalog_named(self.request, tie.tied[0])
        if offer.deprecated and not self._offers(first).offer(preferred).deprecated:
            return LessWanted(funnel.best if funnel.outcome is Outcome.TIED else preferred)
        if funnel.outcome is Outcome.OUTRANKED:
            return LowerPriority(catalog.name, catalog.priority, first.name, first.priority)
        return Tied(tie.tied) if offer.name == funnel.best else ComesLater(funnel.best)


def _is_version(text: str) -> bool:
    """Return True if *text* is one version, so that a range of this text is a pin."""
    try:
        Version.parse(text)
    except VersionError:
        return False
    return True


def _key(offer: Offer) -> tuple[object, ...]:
    assert offer.version is not None
    return (offer.version.key,)
