"""One bundle at a time: its properties, its version, its image."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import attrs

from olmsolve.authoring.checks.finding import Finding, Severity, shortened
from olmsolve.authoring.checks.validation.blobs import CheckedBlob
from olmsolve.authoring.checks.validation.field_types import PROPERTIES, faults, field, has
from olmsolve.catalog import Origin, image_fault
from olmsolve.errors import VersionError
from olmsolve.semver import Version, VersionRelease

__all__ = ["CheckedBundle", "checked_bundle"]

_PACKAGE: Final = "olm.package"
_OBJECT: Final = "olm.bundle.object"


@attrs.frozen
class CheckedBundle:
    """A bundle, and what is wrong with it alone; *version* is "" where it is not known, and holds the release."""

    name: str
    origin: Origin
    version: str
    findings: tuple[Finding, ...]


def checked_bundle(blob: CheckedBlob) -> CheckedBundle:
    """Check the bundle that *blob* is. Never raises for what it holds."""
    value = blob.value
    name = field(value, "name") or ""
    found: list[Finding] = []
    packages: list[dict[str, Any]] = []
    has_objects = False
    for index, item in enumerate(field(value, "properties") or ()):
        item = item or {}
        kind = field(item, "type") or ""
        has_objects = has_objects or kind == _OBJECT
        wrong = list(_property(kind, item))
        place = f"properties[{index}] ({shortened(kind)})"
        found.extend(_error("property-value", reason, where=place) for reason in wrong)
        if kind == _PACKAGE and not wrong:
            packages.append(field(item, "value") or {})
    version = ""
    if len(packages) == 1:
        version = _version(packages[0], blob.package, name, found)
    elif not any(finding.property.endswith(f"({_PACKAGE})") for finding in found):
        reason = f"the bundle has {len(packages) or 'no'} properties of type {_PACKAGE}, where it must have exactly one"
        hint = f'add {{"type": "{_PACKAGE}", "value": {{"packageName": "{blob.package}", "version": ...}}}}'
        found.append(_error("package-property-count", reason, hint if not packages else "remove the others"))
    found.extend(_images(value, has_objects))
    placed = tuple(attrs.evolve(finding, package=blob.package, bundle=name, origin=blob.origin) for finding in found)
    return CheckedBundle(name, blob.origin, version, placed)


def _property(kind: str, item: dict[str, Any]) -> Iterator[str]:
    if kind == _OBJECT:
        # Judged with the document, as opm does it.
        return
    if not has(item, "value"):
        yield "the property has no value"
    elif kind in PROPERTIES:
        for fault in faults(PROPERTIES[kind], field(item, "value")):
            yield f"{fault.path or 'the value'} {fault.reason}"


def _version(facts: dict[str, Any], package: str, name: str, found: list[Finding]) -> str:
    """The version and release that the property ``olm.package`` holds, in one text."""
    told = field(facts, "packageName") or ""
    if told != package:
        found.append(
            _error(
                "package-property-mismatch",
                f"the bundle belongs to {package!r}, but its property {_PACKAGE} says {shortened(told)!r}",
                f"write packageName: {package}",
            )
        )
    text = field(facts, "version") or ""
    try:
        version = str(Version.parse(text))
    except VersionError as error:
        hint = "a version has three numbers and no v before them: 1.2.0"
        found.append(_error("version-invalid", f"the version {shortened(text)!r} is none: {error.reason}", hint))
        return ""
    release = field(facts, "release") or ""
    if not release:
        return version
    try:
        VersionRelease.parse("0.0.0", release, release_support=True)
    except VersionError as error:
        hint = "a release has identifiers between dots: 1, or alpha.1"
        found.append(_error("release-invalid", f"the release {shortened(release)!r} is none: {error.reason}", hint))
        return ""
    version = f"{version}-{release}"
    if name != f"{package}-v{version}":
        reason = "a bundle with a release must be named after its package, version and release"
        found.append(_error("release-name", reason, f"name it {package}-v{version}"))
    if "+" in version:
        reason = "the version has both build metadata and a release"
        found.append(_error("release-build-metadata", reason, "leave out what follows the +"))
    return version


def _images(value: dict[str, Any], has_objects: bool) -> Iterator[Finding]:
    image = field(value, "image") or ""
    if not image and not has_objects:
        yield _error("image-missing", "the bundle has no image", "image says where the bundle can be pulled from")
    images = [("image", image)]
    for index, related in enumerate(field(value, "relatedImages") or ()):
        images.append((f"relatedImages[{index}].image", field(related or {}, "image") or ""))
    for place, reference in images:
        if reference and (fault := image_fault(reference)):
            reason = f"{shortened(reference)!r} is no reference to an image: {fault}"
            yield _error("image-invalid", reason, where=place)


def _error(code: str, message: str, hint: str = "", where: str = "") -> Finding:
    return Finding(Severity.ERROR, code, message, hint, property=where)
