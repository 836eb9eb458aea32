"""Resolving one extension: filters empty or narrow each catalog, then deprecation and priority decide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import olmsolve._attrs as attrs
from olmsolve._arguments import must_be
from olmsolve._limits import checked
from olmsolve._records import evolve
from olmsolve.errors import RangeError, VersionError
from olmsolve.semver import MastermindsRange, VersionRelease
from olmsolve.v1.errors import (
    AmbiguousCatalogsError,
    BeingDeletedError,
    BundleRefusedError,
    BundleVersionError,
    CatalogReadError,
    InstallationError,
    InstalledVersionError,
    ListingError,
    MissingAccountError,
    NoBundlesError,
    ResolutionError,
    SelectorError,
    VersionRangeError,
)
from olmsolve.v1.explanation import ExtensionExplanation, Funnel, Outcome
from olmsolve.v1.installing import BundleContent, InstallationRefusal, bundle_content, bundle_refusal, unknown_facts
from olmsolve.v1.nearest import nearest
from olmsolve.v1.offers import (
    ExtensionWish,
    Offer,
    PackageOffers,
    Stages,
    installed_version,
    offers_in,
    readable_version,
)
from olmsolve.v1.request import ClusterCatalog, ExtensionRequest, ExtensionResolution, InstalledBundle
from olmsolve.v1.validations import Validation, eligible

_NOTHING: Final = Stages()


# Each is one of a list, and `in` looks for the object itself.
@attrs.frozen(eq=False)
class _FilteredCatalog:
    """A catalog, its *outcome*, and the offers that each filter left: none if it is unavailable or not selected."""

    catalog: ClusterCatalog
    outcome: Outcome
    offers: PackageOffers | None = None
    stages: Stages = _NOTHING

    @property
    def best(self) -> Offer:
        """The offer that wins in this catalog; only where one is left."""
        return self.stages.edges[0]


def resolve(request: ExtensionRequest) -> ExtensionResolution:
    """Return the bundle that OLM v1 selects for *request*.

    Raises:
        ResolutionError: no bundle can be selected; the class says why, and ``str()`` in the words of OLM v1.

    >>> from olmsolve import load, v1
    >>> commons = v1.ClusterCatalog("commons", load("olmsolve/examples/catalogs/commons"))
    >>> v1.resolve(v1.ExtensionRequest(v1.Extension("keyring"), [commons])).bundle
    'keyring.v1.0.2'
    """
    must_be(request, "ExtensionRequest", "request")
    return resolve_step(request, {})


def resolve_step(request: ExtensionRequest, kept_stages: dict[str, Stages]) -> ExtensionResolution:
    """Return the same as :func:`resolve`, for one of several requests that differ only in what is installed.

    Only the filter by edges depends on that, so *kept_stages*, empty at first, keeps what the other filters leave.
    """
    try:
        if request.is_deleted:
            return _resolution_of_deleted(request)
        # With revisions, what becomes of a missing account was not recorded.
        if request.missing_account and not request.gates.is_on("BoxcutterRuntime"):
            raise MissingAccountError(request.missing_account, request.settings.namespace)
        if request.rolling_out is not None:
            because = "its revision is rolling out, and until it has, nothing is resolved"
            return _kept(request, request.rolling_out, because)
        return _resolved(request, kept_stages)
    except ResolutionError as failure:
        installed = request.installed
        if installed is not None and _may_keep(request, installed, failure):
            because = "there is no ClusterCatalog that the extension could choose"
            return _kept(request, installed, because, str(failure))
        stays = installed.name if installed is not None else ""
        raise evolve(failure, request=request, stays=stays) from None


def _resolution_of_deleted(request: ExtensionRequest) -> ExtensionResolution:
    if request.installed is None:
        raise BeingDeletedError(request.extension.package)
    return _kept(request, request.installed, "the extension is being deleted, and nothing is resolved for it")


def _may_keep(request: ExtensionRequest, installed: InstalledBundle, failure: ResolutionError) -> bool:
    """Return whether the controller is content with the *installed* bundle although resolving failed.

    As recorded: no version is wished for, or the installed one by the same text, and no catalog has labels that the
    selector chooses. An unavailable catalog is there all the same.
    """
    extension = request.extension
    if isinstance(failure, (SelectorError, BeingDeletedError, MissingAccountError)) or extension.version not in (
        "",
        installed.version,
    ):
        return False
    selector = extension.selector
    return not any(selector is None or selector.matches(catalog.labels) for catalog in request.catalogs)


def _kept(
    request: ExtensionRequest, bundle: InstalledBundle, because: str, unresolved: str = ""
) -> ExtensionResolution:
    """Return the answer of an extension that keeps its installed *bundle* without a resolution; *because* says why."""
    return ExtensionResolution(
        package=request.extension.package,
        bundle=bundle.name,
        version=bundle.version,
        release=bundle.release or "",
        catalog="",
        channels=(),
        deprecations=(),
        installed=request.installed.name if request.installed is not None else "",
        explanation=ExtensionExplanation(()),
        kept=because,
        unresolved=unresolved,
        request=request,
    )


def _resolved(request: ExtensionRequest, kept_stages: dict[str, Stages]) -> ExtensionResolution:
    wish = wish_of(request)
    if request.listing_error:
        raise ListingError(request.listing_error)
    filtered = [_filter(catalog, request, wish, kept_stages) for catalog in checked(request.catalogs)]
    preferred, ranked = _ranked(filtered)
    if len(ranked) == 1:
        return _selected(request, wish, ranked[0], filtered, preferred)
    explanation = _explanation(wish, filtered, preferred, ranked, failed=True)
    if not ranked:
        raise NoBundlesError(request.extension, request.installed, explanation=explanation)
    names = tuple(sorted(offer.catalog.name for offer in ranked))
    raise AmbiguousCatalogsError(request.extension, request.installed, names, explanation=explanation)


def explain(request: ExtensionRequest) -> ExtensionExplanation:
    """Return how much the filters leave of each catalog, without raising where no bundle wins.

    Raises:
        ResolutionError: the request, a catalog or what is installed cannot be read.
    """
    wish = wish_of(request)
    filtered = [_filter(catalog, request, wish, {}) for catalog in checked(request.catalogs)]
    return _explanation(wish, filtered, *_ranked(filtered), failed=True)


def wish_of(request: ExtensionRequest) -> ExtensionWish:
    """Return what *request* wants, parsed.

    Raises:
        SelectorError: Kubernetes refuses the label selector.
        VersionRangeError: the wanted version is no valid range.
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
    """Return the selected catalogs, each with its offers of the package (None: it has no such package).

    Raises:
        ListingError, CatalogReadError, InstalledVersionError: as :func:`resolve` does.
    """
    if request.listing_error:
        raise ListingError(request.listing_error)
    return [(catalog, _offers(catalog, request, wish)) for catalog in selected_catalogs(request)]


def selected_catalogs(request: ExtensionRequest) -> list[ClusterCatalog]:
    """Return the available catalogs that the extension's selector chooses; the selector must be valid."""
    return [catalog for catalog in request.catalogs if _left_out(catalog, request) is None]


def _left_out(catalog: ClusterCatalog, request: ExtensionRequest) -> Outcome | None:
    selector = request.extension.selector
    if selector is not None and not selector.matches(catalog.labels):
        return Outcome.NOT_SELECTED
    return None if catalog.available else Outcome.UNAVAILABLE


def _filter(
    catalog: ClusterCatalog, request: ExtensionRequest, wish: ExtensionWish, kept_stages: dict[str, Stages]
) -> _FilteredCatalog:
    exclusion = _left_out(catalog, request)
    if exclusion is not None:
        return _FilteredCatalog(catalog, exclusion)
    offers = _offers(catalog, request, wish)
    if offers is None:
        return _FilteredCatalog(catalog, Outcome.EMPTIED)
    stages = kept_stages.get(catalog.name)
    if stages is None:
        stages = kept_stages[catalog.name] = wish.before_edges(offers)
    return _FilteredCatalog(catalog, Outcome.EMPTIED, offers, wish.by_edges(offers, stages))


def _offers(catalog: ClusterCatalog, request: ExtensionRequest, wish: ExtensionWish) -> PackageOffers | None:
    package = request.extension.package
    if catalog.error:
        raise CatalogReadError(package, catalog.name, catalog.error)
    if catalog.catalog is None:
        return None
    offers = offers_in(catalog.catalog, request)
    if offers is not None and isinstance(wish.version, VersionError):
        assert request.installed is not None
        raise InstalledVersionError(request.installed, wish.version.reason)
    return offers


def _ranked(filtered: Sequence[_FilteredCatalog]) -> tuple[list[_FilteredCatalog], list[_FilteredCatalog]]:
    """Return the catalogs whose best bundle is preferred by deprecation, and the winner among them, or all in a tie."""
    preferred = [catalog for catalog in filtered if catalog.stages.edges]
    # As recorded, deprecation of bundles is compared across catalogs before their priorities are.
    if not all(catalog.best.deprecated for catalog in preferred):
        preferred = [catalog for catalog in preferred if not catalog.best.deprecated]
    # Sorting is stable, so that the catalogs of one priority stay in the order given.
    ranked = sorted(preferred, key=lambda offer: -offer.catalog.priority)
    # As recorded (v1_resolve): the two highest priorities alone decide on a tie, and its message lists all that are
    # left.
    if len(ranked) > 1 and ranked[0].catalog.priority != ranked[1].catalog.priority:
        del ranked[1:]
    return preferred, ranked


def _selected(
    request: ExtensionRequest,
    wish: ExtensionWish,
    winner: _FilteredCatalog,
    filtered: Sequence[_FilteredCatalog],
    preferred: Sequence[_FilteredCatalog],
) -> ExtensionResolution:
    offer, catalog = winner.best, winner.catalog.name
    explanation = _explanation(wish, filtered, preferred, [winner], failed=False)
    # Such a bundle comes last, and is selected only where no bundle of the package has a version.
    if offer.version is None:
        raise BundleVersionError(offer.name, catalog, offer.fault, explanation=explanation)
    if reason := refusal_of(offer, request):
        raise BundleRefusedError(offer.name, catalog, reason, explanation=explanation)
    content = bundle_content(offer.bundle)
    if refusal := _installation_refusal(offer, content, request):
        version = offer.version.metadata_for(offer.name, release_support=request.release_support)["version"]
        raise InstallationError(offer.name, version, catalog, refusal, explanation=explanation)
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
        # The winner's deprecations, on purpose: upstream returns the deprecations of the last catalog that it walked.
        deprecations=winner.offers.package.deprecations,
        installed=request.installed.name if request.installed is not None else "",
        explanation=explanation,
        unknown=unknown_facts(content),
        wanted_channels=wanted,
        risk=downgrade_risk(offer, request),
        request=request,
    )


def downgrade_risk(offer: Offer, request: ExtensionRequest) -> str:
    """Return the risk, in words, of an *offer* below the installed version; "" for another one."""
    before = None if request.installed is None else readable_version(request.installed)
    if before is None or offer.version is None or offer.version.key >= before.key:
        return ""
    risk = "the older operator may not understand what the newer one has written"
    if request.settings.crd_upgrade_safety:
        return f"{risk}; OLM v1 only checks that definitions lose no field and no stored version"
    return f"{risk}, and crdUpgradeSafety is None: definitions may lose fields and stored versions"


def _installation_refusal(
    offer: Offer, content: BundleContent, request: ExtensionRequest
) -> InstallationRefusal | None:
    """Return why the controller does not install *offer* of this *content*; None where nothing known says so.

    The controller applies the installed bundle again and again, so that its manifests are judged as well.
    """
    refusal = bundle_refusal(content, request.settings, request.gates)
    if refusal is not None:
        return refusal
    return next(filter(None, (check(offer.bundle, request) for check in request.checks)), None)


def is_refused(offer: Offer, request: ExtensionRequest, *, ignoring: Validation | None) -> bool:
    """Return whether *offer* would not come onto the cluster if it were the best, validation *ignoring* aside."""
    if refusal_of(offer, request, ignoring=ignoring):
        return True
    return _installation_refusal(offer, bundle_content(offer.bundle), request) is not None


def refusal_of(offer: Offer, request: ExtensionRequest, *, ignoring: Validation | None = None) -> str:
    """Return why a validation (but the one *ignoring*) or a system constraint of *request* refuses *offer*, "" if none.

    System constraints are about what comes onto the cluster: they do not refuse the installed bundle.
    """
    validations = [validation for validation in request.validations if validation is not ignoring]
    if request.eligibility and not _is_installed(offer, request):
        validations.append(eligible(*request.eligibility))
    return next(filter(None, (validation(offer.bundle) for validation in validations)), "")


def _is_installed(offer: Offer, request: ExtensionRequest) -> bool:
    installed = request.installed
    if installed is None or installed.name != offer.name:
        return False
    # Where its recorded version cannot be read, the name alone says that the bundle is the installed one.
    return readable_version(installed) in (None, offer.version)


def _explanation(
    wish: ExtensionWish,
    filtered: Sequence[_FilteredCatalog],
    preferred: Sequence[_FilteredCatalog],
    ranked: Sequence[_FilteredCatalog],
    *,
    failed: bool,
) -> ExtensionExplanation:
    funnels = []
    first = [catalog for catalog in ranked if catalog.catalog.priority == ranked[0].catalog.priority]
    for catalog in filtered:
        outcome = catalog.outcome
        # In a tie OLM v1 names all catalogs that are left, but lower priorities have no part in the tie.
        if catalog in first:
            outcome = Outcome.TIED if len(first) > 1 else Outcome.SELECTED
        elif catalog in preferred:
            outcome = Outcome.OUTRANKED
        elif catalog.stages.edges:
            outcome = Outcome.DEPRECATED
        stages = catalog.stages
        count = 0
        if outcome is not Outcome.DEPRECATED and stages.edges:
            count = sum(not offer.deprecated for offer in stages.edges) or len(stages.edges)
        funnel = Funnel(
            catalog=catalog.catalog.name,
            priority=catalog.catalog.priority,
            outcome=outcome,
            package=len(stages.package),
            channel=len(stages.channel),
            version=len(stages.version),
            edges=len(stages.edges),
            deprecation=count,
            best=stages.edges[0].name if stages.edges else "",
        )
        # Near misses take a search through the names and edges of the catalog, and an answer needs none.
        if failed and outcome is Outcome.EMPTIED:
            funnel = evolve(funnel, nearest=nearest(wish, stages, catalog.offers, catalog.catalog.catalog))
        funnels.append(funnel)
    return ExtensionExplanation(tuple(funnels))
