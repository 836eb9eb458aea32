"""The updates that OLM v1 makes by itself while nobody changes the extension: one bundle after the other."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final, TypeAlias

import olmsolve._attrs as attrs
from olmsolve._limits import check
from olmsolve.semver import VersionRelease
from olmsolve.v1.errors import InvalidWishError, ResolutionError, RollingOutError
from olmsolve.v1.offers import offers_of, readable_version, recorded_bundle, update_remark
from olmsolve.v1.request import ExtensionRequest, ExtensionResolution, InstalledBundle
from olmsolve.v1.resolving import resolve_step
from olmsolve.v1.stages import Stages

_ROLLS_OUT: Final = "BoxcutterRuntime"

_Identity: TypeAlias = tuple[str, VersionRelease | None]
"""What makes two installed bundles the same: a bundle that keeps its name but has another version is an update."""


@attrs.frozen
class Walk:
    """The *updates* of an extension in order, and its *installed* bundle after the last of them.

    *stays* is the resolution that changes nothing, None where the walk ends otherwise: *stopped* is then the failure
    that ended it, None where it arrived where it was to end. *remarks* say of each update whether it is a new major
    version or a downgrade, "" for neither.
    """

    updates: tuple[ExtensionResolution, ...]
    installed: InstalledBundle | None
    stays: ExtensionResolution | None = None
    stopped: ResolutionError | None = None
    remarks: tuple[str, ...] = ()

    @property
    def bundles(self) -> tuple[str, ...]:
        """The names of the bundles that the extension is updated to."""
        return tuple(update.bundle for update in self.updates)

    @property
    def steps(self) -> tuple[tuple[str, str], ...]:
        """The updates as catalog and bundle: two catalogs may have different bundles of one name."""
        return tuple((update.catalog, update.bundle) for update in self.updates)


def walk(
    request: ExtensionRequest,
    arrived: Callable[[ExtensionResolution], bool] = lambda _: False,
    *,
    failing: Collection[str] = (),
) -> Walk:
    """Return the updates of *request*'s extension until it stays, fails, or has *arrived*.

    The bundles named in *failing* never start to work.

    Updates never go round, so that every walk ends. After the first one, the installed bundle is itself a candidate of
    the catalog that it came from. Another one is selected only where it comes first: because it is not deprecated, then
    because its catalog has a higher priority (the same one would be a tie), then because its version is higher.

    Raises:
        InvalidWishError: the selector or the version range cannot be read.
    """
    updates: list[ExtensionResolution] = []
    remarks: list[str] = []
    shared: dict[str, Stages] = {}
    current = request.installed
    while True:
        check()
        try:
            resolution = resolve_step(request, shared)
        except InvalidWishError:
            raise
        except ResolutionError as failure:
            return Walk(tuple(updates), current, stopped=failure, remarks=tuple(remarks))
        following = installed_after(request, resolution)
        if current is not None and is_same(current, following) and request.rolling_out is None:
            return Walk(tuple(updates), current, stays=resolution, remarks=tuple(remarks))
        if following.name in failing and request.gates.is_on(_ROLLS_OUT):
            # Helm, without this gate, does not wait for what it has applied.
            stopped = RollingOutError(following.name, following.version, request=request, stays=_name_of(current))
            return Walk(tuple(updates), current, stopped=stopped, remarks=tuple(remarks))
        updates.append(resolution)
        remarks.append(update_remark(current, following))
        current = following
        request = attrs.evolve(request, installed=current, rolling_out=None)
        if arrived(resolution):
            return Walk(tuple(updates), current, remarks=tuple(remarks))


def installed_after(request: ExtensionRequest, resolution: ExtensionResolution) -> InstalledBundle:
    """Return the bundle of *resolution*, an answer to *request*, as the controller records it once it is installed."""
    if resolution.kept:
        bundle = request.rolling_out or request.installed
        assert bundle is not None
        return bundle
    catalog = next(
        listed_catalog.catalog for listed_catalog in request.catalogs if listed_catalog.name == resolution.catalog
    )
    assert catalog is not None
    offers = offers_of(catalog, resolution.package, release_support=request.release_support)
    assert offers is not None
    version = offers.offer(resolution.bundle).version
    assert version is not None
    return recorded_bundle(resolution.bundle, version, release_support=request.release_support)


def _name_of(installed: InstalledBundle | None) -> str:
    return "" if installed is None else installed.name


def is_same(before: InstalledBundle, after: InstalledBundle) -> bool:
    """Return True if *after* is no update of *before*; where the version before cannot be read, the name decides."""
    here, there = _identity(before), _identity(after)
    return there == here or here == (after.name, None)


def _identity(installed: InstalledBundle) -> _Identity:
    return installed.name, readable_version(installed)
