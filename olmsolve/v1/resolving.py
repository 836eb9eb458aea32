"""Resolve one extension: filter what each catalog offers, then let deprecation and priority decide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import attrs

from olmsolve.errors import RangeError, VersionError
from olmsolve.semver import MastermindsRange, VersionRelease
from olmsolve.v1.errors import (
    AmbiguousCatalogsError,
    BundleRefusedError,
    BundleVersionError,
    CatalogReadError,
    InstalledVersionError,
    ListingError,
    NoBundlesError,
    SelectorError,
    VersionRangeError,
)
from olmsolve.v1.explanation import ExtensionExplanation, Funnel, Outcome
from olmsolve.v1.nearest import nearest
from olmsolve.v1.offers import Offer, PackageOffers, installed_version, offers_of
from olmsolve.v1.request import ClusterCatalog, ExtensionRequest
from olmsolve.v1.resolution import ExtensionResolution
from olmsolve.v1.stages import ExtensionWish, Stages

__all__ = ["asked_catalogs", "explain", "offered", "resolve", "resolve_step", "wish_of"]

_NOTHING: Final = Stages()


@attrs.frozen
class _CatalogOutcome:
    """A catalog and what the filters left of it; *stages* is None where the catalog was not asked."""

    catalog: ClusterCatalog
    outcome: Outcome
    offers: PackageOffers | None = None
    stages: Stages = _NOTHING

    @property
    def best(self) -> Offer:
        return self.stages.edges[0]


def resolve(request: ExtensionRequest) -> ExtensionResolution:
    """The bundle that OLM v1 selects for *request*.

    Raises:
        ResolutionError: there is none; its class says why in kind, ``str()`` in the words of OLM v1.
    """
    return resolve_step(request, {})


def resolve_step(request: ExtensionRequest, shared: dict[str, Stages]) -> ExtensionResolution:
    """The same for requests that differ only in what is installed: *shared*, empty at first, serves them all."""
    wish = wish_of(request)
    if request.listing_error:
        raise ListingError(request.listing_error)
    asked = [_ask(catalog, request, wish, shared) for catalog in request.catalogs]
    found, ranked = _ranked(asked)
    if len(ranked) == 1:
        return _selected(request, wish, ranked[0], asked, found)
    explanation = _explanation(request, wish, asked, found, ranked, failed=True)
    if not ranked:
        raise NoBundlesError(request.extension, request.installed, explanation=explanation)
    names = tuple(sorted(each.catalog.name for each in ranked))
    raise AmbiguousCatalogsError(request.extension, request.installed, names, explanation=explanation)


def explain(request: ExtensionRequest) -> ExtensionExplanation:
    """What the filters leave of each catalog, without a decision.

    Raises:
        ResolutionError: the request, a catalog or what is installed cannot be read.
    """
    wish = wish_of(request)
    asked = [_ask(catalog, request, wish, {}) for catalog in request.catalogs]
    return _explanation(request, wish, asked, *_ranked(asked), failed=True)


def wish_of(request: ExtensionRequest) -> ExtensionWish:
    """What *request* wants, parsed.

    Raises:
        SelectorError, VersionRangeError: what can be seen to be wrong without any catalog.
    """
    extension = request.extension
    if extension.selector is not None and (fault := extension.selector.fault()):
        raise SelectorError(fault)
    versions = None
    if extension.version:
        try:
            versions = MastermindsRange.parse(extension.version)
        except RangeError as error:
            raise VersionRangeError(extension.version, error.reason, error.position) from None
    installed: VersionRelease | VersionError | None = None
    if request.installed is not None and extension.enforces_edges:
        try:
            installed = installed_version(request.installed)
        except VersionError as error:
            installed = error
    return ExtensionWish(extension, versions, request.installed, installed)


def offered(request: ExtensionRequest, wish: ExtensionWish) -> list[tuple[ClusterCatalog, PackageOffers | None]]:
    """The catalogs that are asked, each with what it offers of the package (None: it has no such package).

    Raises:
        ListingError, CatalogReadError, InstalledVersionError: as :func:`resolve` does.
    """
    if request.listing_error:
        raise ListingError(request.listing_error)
    return [(catalog, _offers(catalog, request, wish)) for catalog in asked_catalogs(request)]


def asked_catalogs(request: ExtensionRequest) -> list[ClusterCatalog]:
    """The catalogs that are available and that the extension's selector chooses; it must be without fault."""
    return [catalog for catalog in request.catalogs if _passed_over(catalog, request) is None]


def _passed_over(catalog: ClusterCatalog, request: ExtensionRequest) -> Outcome | None:
    selector = request.extension.selector
    if selector is not None and not selector.matches(catalog.labels):
        return Outcome.NOT_SELECTED
    return None if catalog.available else Outcome.UNAVAILABLE


def _ask(
    catalog: ClusterCatalog, request: ExtensionRequest, wish: ExtensionWish, shared: dict[str, Stages]
) -> _CatalogOutcome:
    passed_over = _passed_over(catalog, request)
    if passed_over is not None:
        return _CatalogOutcome(catalog, passed_over)
    offers = _offers(catalog, request, wish)
    if offers is None:
        return _CatalogOutcome(catalog, Outcome.EMPTIED)
    stages = shared.get(catalog.name)
    if stages is None:
        stages = shared[catalog.name] = wish.unfollowed(offers)
    return _CatalogOutcome(catalog, Outcome.EMPTIED, offers, wish.followed(offers, stages))


def _offers(catalog: ClusterCatalog, request: ExtensionRequest, wish: ExtensionWish) -> PackageOffers | None:
    package = request.extension.package
    if catalog.error:
        raise CatalogReadError(package, catalog.name, catalog.error)
    if catalog.catalog is None:
        return None
    offers = offers_of(catalog.catalog, package, release_support=request.release_support)
    if offers is not None and isinstance(wish.version, VersionError):
        assert request.installed is not None
        raise InstalledVersionError(request.installed, wish.version.reason)
    return offers


def _ranked(asked: Sequence[_CatalogOutcome]) -> tuple[list[_CatalogOutcome], list[_CatalogOutcome]]:
    """Those with the preferred state of deprecation, and what priority leaves of these: one, or all in a tie."""
    found = [each for each in asked if each.stages.edges]
    if not all(each.best.deprecated for each in found):
        found = [each for each in found if not each.best.deprecated]
    # Sorting is stable, so that the catalogs of one priority stay in the order given.
    ranked = sorted(found, key=lambda each: -each.catalog.priority)
    if len(ranked) > 1 and ranked[0].catalog.priority != ranked[1].catalog.priority:
        del ranked[1:]
    return found, ranked


def _selected(
    request: ExtensionRequest,
    wish: ExtensionWish,
    winner: _CatalogOutcome,
    asked: Sequence[_CatalogOutcome],
    found: Sequence[_CatalogOutcome],
) -> ExtensionResolution:
    offer, catalog = winner.best, winner.catalog.name
    explanation = _explanation(request, wish, asked, found, [winner], failed=False)
    if offer.version is None:
        raise BundleVersionError(offer.name, catalog, offer.fault, explanation=explanation)
    for validation in request.validations:
        if reason := validation(offer.bundle):
            raise BundleRefusedError(offer.name, catalog, reason, explanation=explanation)
    assert winner.offers is not None
    wanted = request.extension.channels
    return ExtensionResolution(
        package=request.extension.package,
        bundle=offer.name,
        version=str(offer.version.version),
        release=offer.version.release_text,
        catalog=catalog,
        channels=tuple(
            name
            for name, names in winner.offers.names_in.items()
            if offer.name in names and (not wanted or name in wanted)
        ),
        deprecations=winner.offers.package.deprecations,
        installed=request.installed.name if request.installed is not None else "",
        explanation=explanation,
    )


def _explanation(
    request: ExtensionRequest,
    wish: ExtensionWish,
    asked: Sequence[_CatalogOutcome],
    found: Sequence[_CatalogOutcome],
    ranked: Sequence[_CatalogOutcome],
    *,
    failed: bool,
) -> ExtensionExplanation:
    funnels = []
    first = [each for each in ranked if each.catalog.priority == ranked[0].catalog.priority]
    for each in asked:
        outcome = each.outcome
        # OLM v1 names all that are left beside a tie, but those of lower priority have no part in it.
        if any(each is other for other in first):
            outcome = Outcome.TIED if len(first) > 1 else Outcome.SELECTED
        elif any(each is other for other in found):
            outcome = Outcome.OUTRANKED
        elif each.stages.edges:
            outcome = Outcome.DEPRECATED
        stages = each.stages
        preferred = 0
        if outcome is not Outcome.DEPRECATED and stages.edges:
            good = sum(not offer.deprecated for offer in stages.edges)
            preferred = good or len(stages.edges)
        funnel = Funnel(
            catalog=each.catalog.name,
            priority=each.catalog.priority,
            outcome=outcome,
            package=len(stages.package),
            channel=len(stages.channel),
            version=len(stages.version),
            edges=len(stages.edges),
            deprecation=preferred,
            best=stages.edges[0].name if stages.edges else "",
        )
        if failed and outcome is Outcome.EMPTIED:
            funnel = attrs.evolve(funnel, nearest=nearest(wish, stages, each.offers, each.catalog.catalog))
        funnels.append(funnel)
    return ExtensionExplanation(tuple(funnels))
