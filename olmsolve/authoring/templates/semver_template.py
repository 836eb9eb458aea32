"""``olm.semver``: images listed by stability; channels, update edges and the default channel follow from versions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, NoReturn

from olmsolve.authoring.templates.appearance import appearance, csv_among
from olmsolve.authoring.templates.reading import TemplateDocument, TemplateSource, read
from olmsolve.authoring.templates.rendered import Blob, Rendered, RenderedBundle, Renderer, bundles_of_all
from olmsolve.authoring.templates.semver_fields import read_fields
from olmsolve.authoring.templates.streams import STABILITIES, make_channels
from olmsolve.catalog.fbc import laid_out
from olmsolve.errors import CatalogError, VersionError
from olmsolve.predicates import PACKAGE_NAMES, described, named
from olmsolve.semver import Version, quote


def render_semver(source: TemplateSource, renderer: Renderer) -> Rendered:
    """Render the ``olm.semver`` in *source*; :mod:`olmsolve.authoring.templates.streams` has the rules for channels.

    Each image is rendered once, and bundles come in the order in which the template names their images (upstream's
    order is random). The package takes description and icon from the ClusterServiceVersion of the newest bundle of the
    default channel: the manifest that *renderer* made the bundle from, or an ``olm.bundle.object`` of its blob. An
    ``olm.csv.metadata`` alone gives neither, as in ``opm``.

    Raises:
        CatalogError: *source* cannot be read or has a fault. ``opm`` words the messages, except where it prints
            messages of Go's libraries. The errors of *renderer* pass through.
    """
    try:
        document = read(source)
    except CatalogError as error:
        raise CatalogError(f"render: unable to read file: {error.reason}", origin=error.origin) from None
    return render_semver_document(document, renderer)


def render_semver_document(document: TemplateDocument | None, renderer: Renderer) -> Rendered:
    """Render *document* as :func:`render_semver` renders a source; None stands for an empty source."""
    fields = read_fields(document)
    images = [image for stability in STABILITIES for image in fields.images[stability]]
    found = {image: _one_bundle(image, bundles) for image, bundles in bundles_of_all(images, renderer).items()}
    rendered = {image: each.blob for image, each in found.items()}
    if not rendered:
        raise CatalogError("render: no bundles specified or no bundles could be rendered")
    reader = _VersionReader()
    versions = {
        stability: reader.versions([rendered[image] for image in fields.images[stability]]) for stability in STABILITIES
    }
    channels = make_channels(reader.package or "", versions, fields.kinds, fields.preferred)
    # Two references can stand for one bundle, which a catalog must not hold twice.
    bundles: list[Blob] = []
    by_name: dict[Any, Blob] = {}
    for bundle in rendered.values():
        if by_name.get(bundle.get("name")) != bundle:
            bundles.append(bundle)
        by_name[bundle.get("name")] = bundle
    package: Blob = {"schema": "olm.package", "name": reader.package or "", "defaultChannel": channels.default}
    head = next((blob["entries"][-1]["name"] for blob in channels.blobs if blob["name"] == channels.default), None)
    for each in found.values():
        if each.blob.get("name") == head:
            package |= appearance(each.csv or csv_among(each.blob.get("properties")) or {})
    return Rendered(
        (laid_out(package),), channels.blobs, tuple(laid_out(bundle, with_own_values=True) for bundle in bundles)
    )


def _one_bundle(image: str, bundles: list[RenderedBundle]) -> RenderedBundle:
    if len(bundles) != 1:
        raise CatalogError(f"bundle reference {quote(image)} resulted in {len(bundles)} bundles, expected 1")
    return bundles[0]


class _PackageVersion(NamedTuple):
    package: str
    version: Version


class _VersionReader:
    """Reads the versions of bundles, all of which must belong to the package of the first one."""

    def __init__(self) -> None:
        self.package: str | None = None

    def versions(self, bundles: Iterable[Blob]) -> dict[str, Version]:
        """Return the versions of *bundles*, which have one stability, by name."""
        versions: dict[str, Version] = {}
        for bundle in bundles:
            name = bundle.get("name") or ""
            own = _package_version(bundle, name)
            if self.package is None:
                self.package = own.package
            if own.package != self.package:
                _refuse(f"bundle {quote(own.package)} does not belong to this package: {quote(self.package)}", name)
            if name in versions:
                _refuse(f"duplicate bundle name {quote(name)}", name)
            versions[name] = own.version
        _check_order(versions)
        return versions


def _package_version(bundle: Blob, name: str) -> _PackageVersion:
    """Return package and version from the property ``olm.package`` of *bundle*."""
    properties = bundle.get("properties") or []
    if not isinstance(properties, list):
        _refuse(f"parse properties for bundle {quote(name)}: not a list, but {described(properties)}", name)
    found: list[Any] = []
    for property_ in properties:
        if not isinstance(property_, Mapping):
            _refuse(f"parse properties for bundle {quote(name)}: not an object, but {described(property_)}", name)
        if property_.get("type") == "olm.package":
            value = property_.get("value")
            found.append(named(value, PACKAGE_NAMES) if isinstance(value, Mapping) else value)
    for value in found:
        if not isinstance(value, Mapping) or not all(
            isinstance(value.get(key, ""), str) for key in ("packageName", "version")
        ):
            _refuse(f"parse properties for bundle {quote(name)}: an olm.package without name and version", name)
    if len(found) != 1:
        # Upstream's message for zero properties says "multiple" too.
        _refuse(f'bundle {quote(name)} has multiple "olm.package" properties, expected exactly 1', name)
    text = found[0].get("version", "")
    try:
        return _PackageVersion(found[0].get("packageName", ""), Version.parse(text))
    except VersionError as error:
        _refuse(f"bundle {quote(name)} has invalid version {quote(text)}: {error.reason}", name)


def _check_order(versions: Mapping[str, Version]) -> None:
    """Refuse versions that differ only in build metadata, which have no order."""
    seen: set[str] = set()
    problems: dict[str, None] = {}
    for version in versions.values():
        ordered = str(version).partition("+")[0]
        if ordered in seen:
            problems[f"bundle version {quote(str(version))} cannot be compared to {quote(ordered)}"] = None
        seen.add(ordered)
    if problems:
        listed = next(iter(problems)) if len(problems) == 1 else f"[{', '.join(problems)}]"
        reason = "encountered bundle versions which differ only by build metadata, which cannot be ordered"
        _refuse(f"{reason}: {listed}")


def _refuse(reason: str, bundle: str = "") -> NoReturn:
    raise CatalogError(f"render: unable to post-process bundle info: {reason}", bundle=bundle)
