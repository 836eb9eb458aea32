"""One bundle at a time: its properties, its version, its image."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve._records import evolve
from olmsolve.authoring.checks.findings import Edit, FieldFix, Finding, error_finding, property_steps, shortened
from olmsolve.authoring.checks.validation.blobs import QUOTE_IT, CheckedBlob, are_usual_images, is_usual_property
from olmsolve.authoring.checks.validation.spelling import nearest
from olmsolve.catalog import HeldImage, Listed, Origin, OwnPackage, Repository, image_fault, whole_image
from olmsolve.catalog.fbc import BUNDLE_OBJECT, PROPERTY_TYPES, Document, field_faults, fits
from olmsolve.errors import VersionError
from olmsolve.predicates import PACKAGE_NAMES, Property, named
from olmsolve.semver import Version, VersionRelease

_PACKAGE: Final = "olm.package"


@attrs.frozen
class CheckedBundle:
    """A bundle, and the findings on it alone. *version* includes the release (``1.0.0-1``); "" if it is invalid.

    *stated_package* is the package that its property ``olm.package`` names; "" if there is not exactly one.
    """

    name: str
    origin: Origin
    version: str
    stated_package: str
    findings: tuple[Finding, ...]


def checked_bundle(blob: CheckedBlob) -> CheckedBundle:
    """Check the bundle in *blob*. No content makes this raise."""
    value = blob.value
    name = value.get("name") or ""
    findings: list[Finding] = []
    packages: list[tuple[str, Mapping[str, Any]]] = []
    has_objects = has_package_fault = False
    for index, property_ in enumerate(value.get("properties") or ()):
        property_ = property_ or {}
        type_ = property_.get("type") or ""
        has_objects = has_objects or type_ == BUNDLE_OBJECT
        wrong = () if _is_sound(type_, property_) else tuple(_property_faults(type_, property_))
        if not wrong and type_ != _PACKAGE:
            continue
        path = f"properties[{index}] ({shortened(type_)})"
        for inside, reason, is_unquoted in wrong:
            hint, edit = (QUOTE_IT, FieldFix(Edit.QUOTE, ())) if is_unquoted else ("", None)
            where = f"{path}: {inside}" if inside else path
            findings.append(
                error_finding("property-value", reason, hint, property=where, fixes=(edit,) if edit else ())
            )
        if type_ == _PACKAGE and wrong:
            has_package_fault = True
        elif type_ == _PACKAGE:
            packages.append((path, named(property_.get("value") or {}, PACKAGE_NAMES)))
    version = stated = ""
    if len(packages) == 1:
        path, facts = packages[0]
        stated = facts.get("packageName") or ""
        found_here: list[Finding] = []
        version = _version(facts, blob.package, name, found_here)
        findings.extend(
            evolve(finding, property=finding.property and f"{path}: {finding.property}") for finding in found_here
        )
    # The fault of an olm.package is reported already; that the property does not count only follows from it.
    elif not has_package_fault:
        reason = f"the bundle has {len(packages) or 'no'} properties of type {_PACKAGE}, where it must have exactly one"
        hint = f'add {{"type": "{_PACKAGE}", "value": {{"packageName": "{blob.package}", "version": ...}}}}'
        findings.append(error_finding("package-property-count", reason, hint if not packages else "remove the others"))
    findings.extend(_images(value, has_objects))
    located = tuple(
        evolve(finding, package=blob.package, bundle=name, origin=blob.origin, fixes=_placed(finding, blob.origin))
        for finding in findings
    )
    return CheckedBundle(name, blob.origin, version, stated, located)


class UsualBundles:
    """The bundles of one catalog that its reader found usual, as nearly all are: each part they share is judged once.

    Versions of a package mostly have the same list of properties, but for the version in ``olm.package``, and the same
    repository of images (:mod:`olmsolve.catalog.shared_parts`).
    """

    def __init__(self) -> None:
        # By the identity of a list: the list, kept so that no other object gets its id, and the package that it states
        # ("" if a bundle with this list needs all checks).
        self._stated: dict[int, tuple[Listed, str]] = {}
        self._sound: dict[int, bool] = {}
        self._versions: dict[str, bool] = {}
        self._repositories: dict[str, bool] = {}

    def checked(self, document: Document) -> CheckedBundle | None:
        """Return the bundle of *document* if it has no findings; None where all checks have to look at it."""
        value, origin = document
        listed, version = value["properties"]
        # Lists of properties that were read before come as the same objects: each is judged once, by its identity,
        # which takes 116 ms for community-prod in place of 243.
        if version is None or "image" not in value:
            return None
        held = self._stated.get(id(listed))
        if held is None:
            held = self._stated[id(listed)] = listed, self._stated_package(listed)
        package = held[1]
        if package != value["package"] or not self._is_sound_version(version):
            return None
        if not self._is_sound_image(value["image"]):
            return None
        if "relatedImages" in value:
            images = value["relatedImages"]
            if not are_usual_images(images) or any(image_fault(image["image"]) for image in images):
                return None
        return CheckedBundle(value["name"], origin, version, package, ())

    def _stated_package(self, listed: Listed) -> str:
        """Return the package that a list of properties states, "" if it states several or anything in it is unusual."""
        stated = ""
        for property_ in listed:
            if isinstance(property_, OwnPackage):
                stated = property_.package
                continue
            is_sound = self._sound.get(id(property_))
            if is_sound is None:
                # The property stays, since its list does.
                is_sound = self._sound[id(property_)] = _is_usual(property_)
            if not is_sound:
                return ""
        return stated

    def _is_sound_version(self, text: str) -> bool:
        is_sound = self._versions.get(text)
        if is_sound is None:
            try:
                Version.parse(text)
            except VersionError:
                is_sound = False
            else:
                is_sound = True
            self._versions[text] = is_sound
        return is_sound

    def _is_sound_image(self, held: HeldImage) -> bool:
        repository, digest = held
        if digest is None:
            return not image_fault(whole_image(held))
        # Whatever the digest, it has the form of one.
        assert isinstance(repository, Repository)
        is_sound = self._repositories.get(repository.name)
        if is_sound is None:
            is_sound = self._repositories[repository.name] = not image_fault(whole_image(held))
        return is_sound


def _is_usual(property_: Property) -> bool:
    written = {"type": property_.type, "value": property_.value}
    return property_.type != _PACKAGE and is_usual_property(written) and _is_sound(property_.type, written)


def _placed(finding: Finding, origin: Origin) -> tuple[FieldFix, ...]:
    """Return the fixes of *finding*, each placed at the finding's field in the document at *origin*."""
    return tuple(attrs.evolve(fix, path=property_steps(finding.property), origin=origin) for fix in finding.fixes)


def _is_sound(type_: str, property_: dict[str, Any]) -> bool:
    """Return whether :func:`_property_faults` would find nothing, in a tenth of its time."""
    property_type = PROPERTY_TYPES.get(type_)
    return "value" in property_ and (property_type is None or fits(property_type, property_["value"]))


def _property_faults(type_: str, property_: dict[str, Any]) -> Iterator[tuple[str, str, bool]]:
    """Yield the path inside the value, the reason of each fault, and whether quotes would mend it."""
    if type_ == BUNDLE_OBJECT:
        # As in opm, manifests are judged when the document is decoded: see `blobs`.
        return
    if "value" not in property_:
        yield "", "the property has no value", False
    elif type_ in PROPERTY_TYPES:
        for fault in field_faults(PROPERTY_TYPES[type_], property_.get("value")):
            yield fault.path, fault.reason if fault.path else f"the value {fault.reason}", fault.is_unquoted


def _version(facts: Mapping[str, Any], package: str, name: str, findings: list[Finding]) -> str:
    """Return version and release of an ``olm.package`` property as one text, "" if invalid; faults go to *findings*."""
    stated = facts.get("packageName") or ""
    if stated != package:
        reason = f"the bundle belongs to {package!r}, but its property {_PACKAGE} says {shortened(stated)!r}"
        # Only a slip of the pen is clear: else the bundle may be in the wrong package.
        fixes = (FieldFix(Edit.SET, (), package),) if nearest(stated, (package,)) else ()
        location: dict[str, Any] = {"property": "packageName", "fixes": fixes}
        findings.append(error_finding("package-property-mismatch", reason, f"write packageName: {package}", **location))
    text = facts.get("version") or ""
    try:
        version = str(Version.parse(text))
    except VersionError as error:
        hint = "a version has three numbers and no v before them: 1.2.0"
        reason = f"the version {shortened(text)!r} is not valid: {error.reason}"
        findings.append(error_finding("version-invalid", reason, hint, property="version"))
        return ""
    release = facts.get("release") or ""
    if not release:
        return version
    try:
        VersionRelease.parse("0.0.0", release, release_support=True)
    except VersionError as error:
        hint = "a release has identifiers between dots: 1, or alpha.1"
        reason = f"the release {shortened(release)!r} is not valid: {error.reason}"
        findings.append(error_finding("release-invalid", reason, hint, property="release"))
        return ""
    version = f"{version}-{release}"
    if name != f"{package}-v{version}":
        reason = "a bundle with a release must be named after its package, version and release"
        findings.append(error_finding("release-name", reason, f"name it {package}-v{version}"))
    if "+" in version:
        reason = "the version has both build metadata and a release"
        findings.append(
            error_finding("release-build-metadata", reason, "remove the + and the text after it", property="version")
        )
    return version


def _images(value: dict[str, Any], has_objects: bool) -> Iterator[Finding]:
    image = value.get("image") or ""
    if not image and not has_objects:
        yield error_finding(
            "image-missing", "the bundle has no image", "image says where the bundle can be pulled from"
        )
    images = [("image", image)]
    for index, related in enumerate(value.get("relatedImages") or ()):
        images.append((f"relatedImages[{index}].image", (related or {}).get("image") or ""))
    for path, reference in images:
        if reference and (fault := image_fault(reference)):
            reason = f"{shortened(reference)!r} is not a reference to an image: {fault}"
            yield error_finding("image-invalid", reason, property=path)
