"""Image templates: catalogs whose image follows the Kubernetes version of the cluster.

A CatalogSource may have, in an annotation, an image reference with templates, such as
``quay.io/example/catalog:v{kube_major_version}``. Where every template has a value and the result is an image
reference, it becomes the catalog's image; otherwise the image stays. Conditions say which. Only the exact text of a
template is replaced: other braces stay, and make the result an invalid reference.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import olmsolve._attrs as attrs
from olmsolve._patterns import pattern
from olmsolve._records import evolve
from olmsolve.catalog import image_fault
from olmsolve.cluster.objects import CatalogSource, Condition, with_condition, without_conditions

IMAGE_TEMPLATE_ANNOTATION: Final = "olm.catalogImageTemplate"
"""The annotation of a CatalogSource that holds its template."""

NO_VALUES: Final[Mapping[str, str]] = MappingProxyType(
    dict.fromkeys(("{kube_major_version}", "{kube_minor_version}", "{kube_patch_version}"), "missing")
)
"""The values of all templates while the version of the cluster is not known."""

_MISSING: Final = "missing"
# One pattern for all three: a value that looks like a template is not replaced again.
_TEMPLATE: Final = pattern("|".join(map(re.escape, NO_VALUES)))
# Twenty digits are as many as 2**64 - 1 has. Without the bound, int() below would raise a ValueError at 4,301 digits.
_NUMBER: Final = "(0|[1-9][0-9]{0,19})"
# A number in a pre-release has no leading zeros; a number in build metadata may have them.
_PART: Final = "(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
_BUILD_PART: Final = "[0-9A-Za-z-]+"
_SERVER_VERSION: Final = pattern(
    rf"\s*v?{_NUMBER}\.{_NUMBER}\.{_NUMBER}"
    rf"(?:-{_PART}(?:\.{_PART})*)?(?:\+{_BUILD_PART}(?:\.{_BUILD_PART})*)?\s*",
    re.ASCII,
)
# OLM holds each number of a version in 64 bits, and takes a larger one for no version.
_LARGEST: Final = 2**64 - 1
_TEMPLATES: Final = "TemplatesHaveResolved"
_IMAGE: Final = "ResolvedImage"


@attrs.frozen
class ResolvedImage:
    """An *image* with its templates replaced; *unresolved* lists each occurrence of a template without a value."""

    image: str
    unresolved: tuple[str, ...] = ()


@attrs.frozen
class SyncedImage:
    """A *catalog* after its template was applied, and the part of it that OLM writes.

    *writes* is ``"spec"`` where the image changed (and the conditions with it), ``"status"`` where only the
    conditions changed, and "" where nothing changed.
    """

    catalog: CatalogSource
    writes: str


def template_values(server_version: str, before: Mapping[str, str] = NO_VALUES) -> Mapping[str, str]:
    """Return the values of all templates on a cluster of *server_version* (``v1.27.3``, as its API server reports it).

    All three numbers must be there. Where the text is not a version, the values of *before* stay.

    >>> template_values("v1.27.3")["{kube_minor_version}"]
    '27'
    """
    match = _SERVER_VERSION.fullmatch(server_version)
    if match is None or any(int(number) > _LARGEST for number in match.groups()):
        return before
    # NO_VALUES lists major, minor and patch, in the order of the groups.
    return dict(zip(NO_VALUES, match.groups(), strict=True))


def resolved_image(template: str, values: Mapping[str, str]) -> ResolvedImage:
    """Return *template* with its templates replaced by *values*; a template without a value becomes ``missing``.

    >>> import olmsolve
    >>> values = olmsolve.template_values("v1.30.2")
    >>> olmsolve.resolved_image("quay.example.com/catalog:v{kube_major_version}.{kube_minor_version}", values).image
    'quay.example.com/catalog:v1.30'
    """
    unresolved: list[str] = []

    def replace(match: re.Match[str]) -> str:
        value = values.get(match[0], _MISSING)
        if value == _MISSING:
            unresolved.append(match[0])
        return value

    return ResolvedImage(_TEMPLATE.sub(replace, template), tuple(unresolved))


def synced_image(catalog: CatalogSource, values: Mapping[str, str]) -> SyncedImage:
    """Return *catalog* with the image that its template gives under *values*, and the conditions about it.

    Without a template, the conditions about templates are removed.
    """
    template = catalog.metadata.annotations.get(IMAGE_TEMPLATE_ANNOTATION, "")
    if not template:
        # As recorded (catalog_template_sync): with the annotation go the conditions about it, and the image stays.
        conditions = without_conditions(catalog.conditions, (_TEMPLATES, _IMAGE))
        return _synced(catalog, evolve(catalog, conditions=conditions))
    reference = resolved_image(template, values)
    faults = []
    if reference.unresolved:
        names = ", ".join(f'"{name}"' for name in reference.unresolved)
        faults.append(f"variable(s) {names} could not be resolved")
    if image_fault(reference.image):
        faults.append("one or more template(s) has improper syntax")
    fault = f"cannot construct catalog image reference, because {' and '.join(faults)}" if faults else ""
    status, reason = ("False", "UnableToResolve") if fault else ("True", "AllTemplatesResolved")
    message = fault or "catalog image reference was successfully resolved"
    conditions = with_condition(catalog.conditions, Condition(_TEMPLATES, status, reason, message))
    conditions = with_condition(conditions, Condition(_IMAGE, status, reason, reference.image))
    image = catalog.image if fault else reference.image
    return _synced(catalog, evolve(catalog, image=image, conditions=conditions))


def _synced(before: CatalogSource, after: CatalogSource) -> SyncedImage:
    if before.image != after.image:
        return SyncedImage(after, "spec")
    return SyncedImage(after, "status" if before.conditions != after.conditions else "")
