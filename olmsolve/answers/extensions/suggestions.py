"""Single changes that may help an extension, read off the obstacles before the bundles that it could have."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

import olmsolve._attrs as attrs
from olmsolve._limits import checked
from olmsolve._near_names import nearest_names, similar_names
from olmsolve.answers.extensions.changes import (
    AcceptDefinitions,
    AllowChannel,
    CorrectPackage,
    ExtensionChange,
    ForceUpdate,
    MakeAvailable,
    PinInTurn,
    RaisePriority,
    SelectCatalog,
    SetVersion,
)
from olmsolve.catalog import Bundle, Catalog
from olmsolve.errors import CatalogError, RequestError
from olmsolve.v1 import (
    AmbiguousCatalogsError,
    CatalogLeftOut,
    CatalogUnavailable,
    ClusterCatalog,
    ComesLater,
    ExtensionRequest,
    HeldBackBy,
    InOtherChannels,
    InstalledBundle,
    InstalledVersionError,
    InstallRule,
    LessWanted,
    LowerPriority,
    NoBundlesError,
    NoEdge,
    Obstacle,
    ObstacleView,
    Offer,
    OutOfRange,
    RefusedBundle,
    ResolutionError,
    ResolutionStopped,
    Tied,
    installed_after,
    path,
    resolve,
    walk,
)

_CHANNELS: Final = 3
_TARGETS: Final = 6

Target = tuple[ClusterCatalog, Offer]
"""A bundle that the extension could have, and its catalog."""


def toward(targets: Iterable[Target], view: ObstacleView) -> Iterator[ExtensionChange]:
    """Yield the changes that take away one obstacle before one of *targets*."""
    changes: dict[ExtensionChange, None] = {}
    for catalog, offer in checked(targets):
        for obstacle in view.obstacles(catalog, offer):
            changes.update(dict.fromkeys(_against(obstacle, catalog, offer, view)))
    yield from changes


def toward_bundles(view: ObstacleView, wanted: Callable[[Bundle], bool]) -> Iterator[ExtensionChange]:
    """Yield the changes that take away one obstacle before the best of the *wanted* bundles."""
    offered = [
        (catalog, offer)
        for catalog, offers in view.offered()
        for offer in offers.offers
        if offer.version and wanted(offer.bundle) and not view.is_selected(catalog, offer)
    ]
    yield from toward(_nearest(offered, view), view)


def toward_any(view: ObstacleView) -> Iterator[ExtensionChange]:
    """Yield the changes that may give the failing request of *view* some bundle; none where it has one."""
    failure = view.outcome
    if not isinstance(failure, ResolutionError):
        return
    if isinstance(failure, AmbiguousCatalogsError):
        for name in failure.tied:
            yield from _prefer(name, view.request)
        return
    offered = [(catalog, offer) for catalog, offers in view.offered() for offer in offers.offers if offer.version]
    if isinstance(failure, InstalledVersionError):
        yield ForceUpdate()
        # Without a pin, force would let it jump anywhere.
        yield from (SetVersion(_version(offer)) for _, offer in sorted(offered, key=_preference)[-1:])
        return
    if not offered and isinstance(failure, NoBundlesError):
        names = sorted(set(package_names(view.request)))
        yield from map(CorrectPackage, nearest_names(view.request.extension.package, names))
        return
    yield from toward(_nearest(offered, view), view)


def _nearest(offered: list[Target], view: ObstacleView) -> Iterator[Target]:
    """Yield the best bundle for each kind of obstacles, bundles with few obstacles first."""
    best: dict[frozenset[HeldBackBy], Target] = {}
    for target in checked(sorted(offered, key=_preference, reverse=True)):
        obstacles = view.obstacles(*target)
        kinds = frozenset(obstacle.kind for obstacle in obstacles)
        # No change helps a bundle that is refused itself, but for its definitions.
        if HeldBackBy.REFUSED not in kinds or any(map(_is_about_definitions, obstacles)):
            best.setdefault(kinds, target)
    yield from [best[kinds] for kinds in sorted(best, key=len)][:_TARGETS]


def _is_about_definitions(obstacle: Obstacle) -> bool:
    return isinstance(obstacle, RefusedBundle) and obstacle.rule is InstallRule.CRD_UPGRADE


def _preference(target: Target) -> tuple[object, ...]:
    _, offer = target
    assert offer.version is not None
    return (not offer.deprecated, offer.version.key)


def package_names(request: ExtensionRequest) -> Iterator[str]:
    """Yield the packages of all catalogs of *request* whose content can be read."""
    for content in readable_catalogs(request):
        yield from content.packages


def readable_catalogs(request: ExtensionRequest) -> Iterator[Catalog]:
    """Yield the contents of the catalogs of *request* that can be read."""
    for catalog in request.catalogs:
        try:
            if catalog.catalog is not None:
                yield catalog.catalog
        except (CatalogError, RequestError):
            # The content of a catalog that the extension does not use cannot be read.
            continue


def _against(
    obstacle: Obstacle, catalog: ClusterCatalog, offer: Offer, view: ObstacleView
) -> Iterator[ExtensionChange]:
    """Yield the changes that take *obstacle* away from the *offer* of *catalog*."""
    version = _version(offer)
    match obstacle:
        case CatalogLeftOut():
            yield SelectCatalog(catalog.name)
        case CatalogUnavailable():
            yield MakeAvailable(catalog.name)
        case InOtherChannels(holding=holding, allowed=allowed):
            meant = [near for name in allowed for near in similar_names(name, holding)]
            yield from map(AllowChannel, list(dict.fromkeys((*meant, *holding)))[:_CHANNELS] or ("",))
        case OutOfRange():
            yield SetVersion(version)
            yield SetVersion("")
        case NoEdge():
            # The updates in between may lead there one after the other, where the range lets them pass.
            yield SetVersion(f"<={version}")
            yield from _pins(catalog, offer, view)
            # Force goes with a pin: else it would let the extension jump anywhere.
            yield SetVersion(version)
            yield ForceUpdate()
        case LessWanted() | ComesLater():
            yield SetVersion(version)
            yield from _prefer(catalog.name, view.request)
        case LowerPriority() | Tied():
            yield from _prefer(catalog.name, view.request)
        case ResolutionStopped():
            if isinstance(view.outcome, InstalledVersionError):
                yield SetVersion(version)
                yield ForceUpdate()
            else:
                yield SelectCatalog(catalog.name)
        case RefusedBundle(rule=InstallRule.CRD_UPGRADE):
            yield AcceptDefinitions()
        case _:
            return


def _version(offer: Offer) -> str:
    return str(offer.version.legacy_version) if offer.version is not None else ""


def _prefer(name: str, request: ExtensionRequest) -> Iterator[ExtensionChange]:
    """Yield the changes after which the catalog *name* wins against the others of *request*."""
    if len(request.catalogs) > 1:
        yield SelectCatalog(name)
        yield RaisePriority(name, max(catalog.priority for catalog in request.catalogs) + 1)


def _pins(catalog: ClusterCatalog, offer: Offer, view: ObstacleView) -> Iterator[PinInTurn]:
    """Yield the pins that lead to the *offer* of *catalog* along its edges, each resolved."""
    wide = attrs.evolve(view.request, extension=attrs.evolve(view.request.extension, version=""))
    if (catalog.name, offer.name) in walk(wide).steps:
        return  # without a range, the extension gets there by itself
    # Another catalog may have a bundle of the same name, and a shorter way to it: a pin cannot choose the catalog.
    for catalogs in (wide.catalogs, (catalog,)):
        pins = _pinned(catalog, offer, wide, catalogs)
        if pins is not None:
            yield pins
            return


def _pinned(
    catalog: ClusterCatalog, offer: Offer, wide: ExtensionRequest, catalogs: Iterable[ClusterCatalog]
) -> PinInTurn | None:
    """Return the pins of a shortest way over *catalogs* to the *offer* of *catalog*; None if a pin gets another bundle.

    *wide* is the request without a range, over all of its catalogs: each pin is resolved there.
    """
    steps: list[InstalledBundle] = []
    try:
        way = path(attrs.evolve(wide, catalogs=catalogs), to=offer.name, mode="shortest")
        if not way.reached or len(way.steps) < 2 or way.steps[-1].catalog != catalog.name:
            return None
        for step in way.steps:
            pinned = attrs.evolve(wide.extension, version=step.version)
            installed = steps[-1] if steps else wide.installed
            answer = resolve(attrs.evolve(wide, extension=pinned, installed=installed))
            if (answer.bundle, answer.catalog) != (step.bundle, step.catalog):
                return None
            steps.append(installed_after(wide, answer))
    except (ResolutionError, CatalogError, RequestError):
        return None
    return PinInTurn(tuple(steps), tuple(step.version for step in way.steps))
