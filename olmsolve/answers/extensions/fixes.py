"""The smallest sets of changes after which an extension gets what is wanted, each resolved until it is at rest.

Single changes that may help are read off the obstacles before the bundles that the extension could have. Sets are tried
best first: fewer changes before more, then smaller kinds. Each set grows by the changes that its own answer suggests,
so that a second obstacle, which shows only once the first is gone, gets its change as well.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeAlias

import olmsolve._attrs as attrs
from olmsolve._limits import check, checked
from olmsolve._near_names import nearest_names, similar_names
from olmsolve._records import Record, field, record
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
from olmsolve.errors import CatalogError, Incomplete, RequestError
from olmsolve.semver import Version
from olmsolve.v1 import (
    AmbiguousCatalogsError,
    CatalogLeftOut,
    CatalogUnavailable,
    ClusterCatalog,
    ComesLater,
    ExtensionRequest,
    ExtensionResolution,
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
    Walk,
    installed_after,
    path,
    resolve,
    walk,
    wish_of,
)

_CHANNELS: Final = 3  # channels offered for one wish: each takes a try
# Each of them makes suggestions, and each set of changes is a walk of the controller.
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
            # The highest version comes first, so that it stands for all targets with the same kinds of obstacles.
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


_LARGEST: Final = 4
"""The most changes in one set."""

_ABOVE_ALL: Final = Version.parse("999999999.0.0")
"""A version that only a range without a top contains."""

Suggest: TypeAlias = Callable[[ExtensionRequest], Iterable[ExtensionChange]]
"""Yields the changes that may help a request."""

Reached: TypeAlias = Callable[[ExtensionRequest, Walk], bool]
"""Returns True if a changed request, with the updates that OLM v1 then makes, gets what is wanted."""


@record(definition="extensionFix", layout=("text", ...))
class ExtensionFix(Record):
    """A smallest set of *changes* after which an extension gets what is wanted.

    *request* is the changed request and *resolution* its answer; *bundles* are what OLM v1 then updates to, one
    after the other, until the extension is at rest: none where it stays.
    """

    changes: tuple[ExtensionChange, ...] = field("The changes.", schema={"minItems": 1})
    resolution: ExtensionResolution = field("What it gets then.", repr=False)
    bundles: tuple[str, ...] = field("The bundles that it is updated to until it is at rest.")
    request: ExtensionRequest = attrs.field(repr=False, eq=False)

    def __str__(self) -> str:
        return "; and ".join(map(str, self.changes))

    @property
    def effect(self) -> str:
        """The answer of OLM v1 after the changes, as a clause."""
        if not self.bundles:
            return f"then {self.resolution.bundle} stays"
        wakes = any(change.wakes for change in self.changes)
        when = "" if wakes else " once the extension is reconciled again, for example after an annotation"
        return f"this installs {', and then '.join(self.bundles)}{when}"


def find_fixes(
    request: ExtensionRequest, suggest: Suggest, reached: Reached, *, most: int, tries: int
) -> tuple[tuple[ExtensionFix, ...], bool]:
    """Return up to *most* fixes of *request*, the smallest first, and whether *tries* ended the search before that.

    A request that meets *reached* already needs no fix: the caller asks only where it does not. A limit that is met
    ends the search as *tries* do.
    """
    fixes: list[ExtensionFix] = []
    try:
        exhausted = _search(request, suggest, reached, most, tries, fixes)
    except Incomplete:
        exhausted = True
    return tuple(fixes), exhausted


def _search(
    request: ExtensionRequest, suggest: Suggest, reached: Reached, most: int, tries: int, fixes: list[ExtensionFix]
) -> bool:
    """Append the fixes to *fixes*, and return whether *tries* ended the search before there were *most*."""
    counter = itertools.count()
    queue: list[tuple[int, tuple[int, ...], int, tuple[ExtensionChange, ...], ExtensionRequest]] = []
    # The counter keeps the heap from comparing changes, which have no order.
    queue.append((0, (), next(counter), (), request))
    seen: set[frozenset[ExtensionChange]] = {frozenset()}
    while queue and len(fixes) < most:
        check()
        _, _, _, changes, changed = heapq.heappop(queue)
        # More than a fix is no smaller fix.
        if any(set(smaller.changes) <= set(changes) for smaller in fixes):
            continue
        if changes:
            if not tries:
                return True
            tries -= 1
            fix = _fix(changes, changed, reached)
            if fix is not None:
                fix = _reduced(fix, request, reached)
                if all(set(smaller.changes) - set(fix.changes) for smaller in fixes):
                    fixes.append(fix)
                continue
        if len(changes) == _LARGEST:
            continue
        kinds = {type(change) for change in changes}
        for change in suggest(changed):
            grown = (*changes, change)
            # A second change of one kind would undo or repeat the first.
            if type(change) in kinds or frozenset(grown) in seen:
                continue
            seen.add(frozenset(grown))
            ranks = tuple(sorted(change.rank for change in grown))
            heapq.heappush(queue, (len(grown), ranks, next(counter), grown, change.apply(changed)))
    return False


def _fix(changes: tuple[ExtensionChange, ...], changed: ExtensionRequest, reached: Reached) -> ExtensionFix | None:
    """Return *changes* as a fix; None if the *changed* request fails the test *reached*, or never settles."""
    if _forces_openly(changes, changed):
        return None
    try:
        following = walk(changed)
    except (CatalogError, RequestError):
        # A catalog that the extension did not use before is read only now, and cannot be.
        return None
    # A change that leaves the extension stranded, or going round, is no way out.
    if following.stays is None or not reached(changed, following):
        return None
    first = following.updates[0] if following.updates else following.stays
    before = tuple(step.name for change in changes if isinstance(change, PinInTurn) for step in change.steps[:-1])
    return ExtensionFix(changes, first, (*before, *following.bundles), changed)


def _forces_openly(changes: tuple[ExtensionChange, ...], changed: ExtensionRequest) -> bool:
    """Return whether *changes* let the extension update, past the edges of its author, to versions that nobody chose.

    Without edges, and without an upper bound of its range, it takes each new version from then on, major versions
    included. A range that the changes themselves set has to be a single version.
    """
    ranges = [change.version for change in changes if isinstance(change, SetVersion)]
    if changed.extension.enforces_edges or not (ranges or any(isinstance(change, ForceUpdate) for change in changes)):
        return False
    versions = wish_of(changed).versions
    return (
        any(not range_[:1].isdigit() for range_ in ranges) or versions is None or versions.contains_key(_ABOVE_ALL.key)
    )


def _reduced(fix: ExtensionFix, request: ExtensionRequest, reached: Reached) -> ExtensionFix:
    """Return the fix of *request* with the fewest of the changes of *fix*: a later change can make others needless.

    All subsets are tried, the smallest first, since leaving out one change at a time misses some: of a range, force
    and a wider channel, the channel alone can be a fix, while force and the channel without the range are none.
    """
    for size in range(1, len(fix.changes)):
        for part in itertools.combinations(fix.changes, size):
            changed = request
            for change in part:
                changed = change.apply(changed)
            smaller = _fix(part, changed, reached)
            if smaller is not None:
                return smaller
    return fix
