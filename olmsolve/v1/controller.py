"""OLM v1's controller at work: the updates that it makes by itself, and the conditions that it then writes.

While nobody changes the extension, it updates one bundle after the other, until nothing changes any more.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Final, TypeAlias

import olmsolve._attrs as attrs
from olmsolve._limits import check
from olmsolve.catalog import Bundle, Channel, Deprecation
from olmsolve.catalog.update_graph import UpdateGraph
from olmsolve.errors import VersionError
from olmsolve.semver import VersionRelease
from olmsolve.v1.errors import (
    InstallationError,
    InvalidWishError,
    MissingAccountError,
    ResolutionError,
    RollingOutError,
    SelectorError,
)
from olmsolve.v1.explanation import concerned
from olmsolve.v1.offers import (
    Stages,
    installed_version,
    offers_in_catalog,
    readable_version,
    recorded_bundle,
    update_remark,
    version_of,
)
from olmsolve.v1.request import ExtensionCondition, ExtensionRequest, ExtensionResolution, InstalledBundle
from olmsolve.v1.resolving import resolve_step, selected_catalogs

_ROLLS_OUT: Final = "BoxcutterRuntime"

_Identity: TypeAlias = tuple[str, VersionRelease | None]
"""The identity of an installed bundle: a bundle that keeps its name but has another version is an update."""


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
    # An update changes only what is installed, so each catalog is filtered by channel and version once for the walk.
    kept_stages: dict[str, Stages] = {}
    current = request.installed
    while True:
        check()
        try:
            resolution = resolve_step(request, kept_stages)
        # Bad input has no walk, not even an empty one. Every other failure is where the walk ends.
        except InvalidWishError:
            raise
        except ResolutionError as failure:
            return Walk(tuple(updates), current, stopped=failure, remarks=tuple(remarks))
        following = installed_after(request, resolution)
        # A revision that is rolling out is not there yet: its bundle counts as an update even if it is the recorded
        # one.
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
    version = offers_in_catalog(request, resolution.catalog).offer(resolution.bundle).version
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


def installed_bundle(request: ExtensionRequest) -> Bundle | None:
    """Return the installed bundle from the first catalog of *request* that has it; None if no catalog has.

    Catalogs that are unavailable, or that the selector leaves out, come last: an installed bundle stays the same
    when its catalog becomes unavailable or the selector changes.

    Raises:
        SelectorError: Kubernetes refuses the selector.
    """
    selector = request.extension.selector
    if selector is not None and (fault := selector.fault()):
        raise SelectorError(fault)
    if request.installed is None:
        return None
    selected = selected_catalogs(request)
    # By identity: comparing two catalogs compares all their packages.
    others = [catalog for catalog in request.catalogs if not any(catalog is other for other in selected)]
    for catalog in (*selected, *others):
        content = catalog.catalog
        package = content.packages.get(request.extension.package) if content is not None else None
        if package is not None and request.installed.name in package.bundles:
            return package.bundles[request.installed.name]
    return None


def successors(
    installed: InstalledBundle, channels: Iterable[Channel], bundles: Iterable[Bundle], *, release_support: bool = False
) -> list[Bundle]:
    """Return the *bundles*, in the order given, that *installed* may be updated to.

    This is the definition that the faster resolver follows, entry by entry: the entries of *channels* that replace it,
    skip it or have its version in their ``skipRange``, and all bundles of its very version and release.

    Raises:
        VersionError: the version or release of *installed* cannot be read.
    """
    version = installed_version(installed)
    edges = UpdateGraph(channels).edges_from(installed.name, version.version)
    names = {edge.entry.name for edge in edges}

    def is_successor(bundle: Bundle) -> bool:
        if bundle.name in names:
            return True
        try:
            own_version = version_of(bundle.name, bundle.properties, release_support=release_support)
        except VersionError:
            return False
        return own_version == version

    return [bundle for bundle in bundles if is_successor(bundle)]


_UNKNOWN: Final = "DeprecationStatusUnknown"
_NO_DATA: Final = "deprecation status unknown: catalog data unavailable"
_PARTS: Final = {"PackageDeprecated": "package", "ChannelDeprecated": "channel", "BundleDeprecated": "bundle"}


def extension_conditions(
    request: ExtensionRequest, outcome: ExtensionResolution | ResolutionError
) -> tuple[ExtensionCondition, ...]:
    """Return the conditions of *request*'s extension after *outcome*; the request holds what is installed by then.

    As recorded. Deprecation is known only where a bundle was resolved, and the deprecation of a bundle is about the
    installed one. The message of Installed names the bundle's image, by a catalog of the request or by the status from
    before.
    An extension that is being deleted keeps its conditions, and one without its account keeps the conditions about
    deprecation.
    """
    if request.is_deleted:
        return request.conditions
    if isinstance(outcome, MissingAccountError):
        kept = (condition for condition in request.conditions if condition.type not in ("Installed", "Progressing"))
        installed = ExtensionCondition("Installed", "Unknown", "Failed", str(outcome))
        return (*kept, installed, _progressing(request, outcome))
    return (*_deprecation(request, outcome), _installed(request, outcome), _progressing(request, outcome))


def status_after_next(request: ExtensionRequest) -> tuple[InstalledBundle | None, tuple[ExtensionCondition, ...]]:
    """Return the bundle that *request*'s extension has after its next update, and its conditions then."""
    try:
        walked = walk(request, lambda _: True)
    except InvalidWishError as error:
        return request.installed, extension_conditions(request, error)
    settled = attrs.evolve(request, installed=walked.installed)
    outcome = walked.stopped or walked.stays or walked.updates[-1]
    return walked.installed, extension_conditions(settled, outcome)


def _deprecation(
    request: ExtensionRequest, outcome: ExtensionResolution | ResolutionError
) -> Iterator[ExtensionCondition]:
    entries = _known_deprecations(request, outcome)
    installed = request.installed
    nothing = ExtensionCondition("BundleDeprecated", "Unknown", "Absent", "no bundle installed yet")
    if entries is None:
        for type_ in ("Deprecated", *_PARTS):
            is_absent = type_ == nothing.type and installed is None
            yield nothing if is_absent else ExtensionCondition(type_, "Unknown", _UNKNOWN, _NO_DATA)
        return
    bundle = "" if installed is None else installed.name
    concerning = concerned(entries, request.extension.channels, bundle)
    yield _deprecated("Deprecated", "", [entry.message for entry in concerning])
    for type_, part in _PARTS.items():
        if type_ == nothing.type and installed is None:
            yield nothing
        else:
            yield _deprecated(
                type_, part, [deprecation.message for deprecation in concerning if deprecation.schema == f"olm.{part}"]
            )


def _deprecated(type_: str, part: str, messages: list[str]) -> ExtensionCondition:
    if messages:
        return ExtensionCondition(type_, "True", "Deprecated", "\n".join(messages))
    return ExtensionCondition(type_, "False", "NotDeprecated", f"{part} not deprecated".lstrip())


def _known_deprecations(
    request: ExtensionRequest, outcome: ExtensionResolution | ResolutionError
) -> Iterable[Deprecation] | None:
    """Return the deprecations of the package if a bundle was resolved, None if the controller does not look them up."""
    if isinstance(outcome, ExtensionResolution):
        # As recorded, the controller looks up deprecations together with a bundle that it resolves, and not if it keeps
        # the installed one.
        return None if outcome.kept else outcome.deprecations
    if not isinstance(outcome, InstallationError) or outcome.refusal.in_rollout:
        return None
    catalog = next((other.catalog for other in request.catalogs if other.name == outcome.catalog), None)
    package = None if catalog is None else catalog.packages.get(request.extension.package)
    return () if package is None else package.deprecations


def _installed(request: ExtensionRequest, outcome: ExtensionResolution | ResolutionError) -> ExtensionCondition:
    if request.installed is None:
        reason = "Absent" if isinstance(outcome, RollingOutError) else "Failed"
        return ExtensionCondition("Installed", "False", reason, "No bundle installed")
    bundle = installed_bundle(request)
    if bundle is None and (
        before := next((condition for condition in request.conditions if condition.type == "Installed"), None)
    ):
        return before
    image = bundle.image if bundle is not None else ""
    return ExtensionCondition("Installed", "True", "Succeeded", f"Installed bundle {image} successfully")


def _progressing(request: ExtensionRequest, outcome: ExtensionResolution | ResolutionError) -> ExtensionCondition:
    if isinstance(outcome, ResolutionError):
        reason = outcome.reason_of_progressing
        return ExtensionCondition(
            "Progressing", "False" if reason == "InvalidConfiguration" else "True", reason, str(outcome)
        )
    message = "Desired state reached"
    if request.gates.is_on("BoxcutterRuntime") and request.installed is not None:
        message = f"Revision {request.installed.version} has rolled out."
    return ExtensionCondition("Progressing", "True", "Succeeded", message)
