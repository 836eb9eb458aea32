"""Image templates: catalogs whose image follows the Kubernetes version of the cluster.

A CatalogSource may have, in an annotation, an image reference with templates, such as
``quay.io/example/catalog:v{kube_major_version}``. Where all are known and the result is an image reference, it becomes
the catalog's image; otherwise the image stays. Conditions say which. Templates are told by their exact text; other
braces stay, and as the result is no image reference then, they are refused in the end.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import attrs

from olmsolve.catalog import image_fault
from olmsolve.cluster.catalogs.conditions import with_condition, without_conditions
from olmsolve.cluster.objects import CatalogSource, Condition

__all__ = [
    "IMAGE_TEMPLATE_ANNOTATION",
    "NO_VALUES",
    "ResolvedImage",
    "SyncedImage",
    "resolved_image",
    "synced_image",
    "template_values",
]

IMAGE_TEMPLATE_ANNOTATION: Final = "olm.catalogImageTemplate"
"""The annotation of a CatalogSource that holds its template."""

NO_VALUES: Final[Mapping[str, str]] = MappingProxyType(
    dict.fromkeys(("{kube_major_version}", "{kube_minor_version}", "{kube_patch_version}"), "missing")
)
"""The values of all templates while nothing is known of the cluster."""

_MISSING: Final = "missing"
_TEMPLATE: Final = re.compile("|".join(map(re.escape, NO_VALUES)))
_NUMBER: Final = "(0|[1-9][0-9]{0,19})"
# Parts of a pre-release that are numbers have no leading zeros; those of build metadata may.
_PART: Final = "(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
_BUILD_PART: Final = "[0-9A-Za-z-]+"
_SERVER_VERSION: Final = re.compile(
    rf"\s*v?{_NUMBER}\.{_NUMBER}\.{_NUMBER}"
    rf"(?:-{_PART}(?:\.{_PART})*)?(?:\+{_BUILD_PART}(?:\.{_BUILD_PART})*)?\s*",
    re.ASCII,
)
_LARGEST: Final = 2**64 - 1
_TEMPLATES: Final = "TemplatesHaveResolved"
_IMAGE: Final = "ResolvedImage"


@attrs.frozen
class ResolvedImage:
    """An *image* with its templates replaced; *unresolved* are those that had no value, as often as they occur."""

    image: str
    unresolved: tuple[str, ...] = ()


@attrs.frozen
class SyncedImage:
    """A *catalog* after its template was looked at, and what of it has to be written.

    *writes* is ``"spec"`` where its image changed (and the conditions with it), ``"status"`` where only the
    conditions did, and "" where nothing did.
    """

    catalog: CatalogSource
    writes: str


def template_values(server_version: str, before: Mapping[str, str] = NO_VALUES) -> Mapping[str, str]:
    """The values of all templates on a cluster of *server_version* (``v1.27.3``, as the API server says it).

    All three numbers must be there. What is no version changes nothing: the values of *before* stay.
    """
    match = _SERVER_VERSION.fullmatch(server_version)
    if match is None or any(int(number) > _LARGEST for number in match.groups()):
        return before
    return dict(zip(NO_VALUES, match.groups(), strict=True))


def resolved_image(template: str, values: Mapping[str, str]) -> ResolvedImage:
    """*template* with *values* in the place of its templates; a value that is missing is written as such."""
    unresolved: list[str] = []

    def replace(match: re.Match[str]) -> str:
        value = values.get(match[0], _MISSING)
        if value == _MISSING:
            unresolved.append(match[0])
        return value

    return ResolvedImage(_TEMPLATE.sub(replace, template), tuple(unresolved))


def synced_image(catalog: CatalogSource, values: Mapping[str, str]) -> SyncedImage:
    """*catalog* with the image that its template has under *values*, and with conditions that say so.

    Without a template, conditions about one are removed.
    """
    template = catalog.metadata.annotations.get(IMAGE_TEMPLATE_ANNOTATION, "")
    if not template:
        conditions = without_conditions(catalog.conditions, (_TEMPLATES, _IMAGE))
        return _synced(catalog, attrs.evolve(catalog, conditions=conditions))
    found = resolved_image(template, values)
    faults = []
    if found.unresolved:
        names = ", ".join(f'"{name}"' for name in found.unresolved)
        faults.append(f"variable(s) {names} could not be resolved")
    if image_fault(found.image):
        faults.append("one or more template(s) has improper syntax")
    fault = f"cannot construct catalog image reference, because {' and '.join(faults)}" if faults else ""
    status, reason = ("False", "UnableToResolve") if fault else ("True", "AllTemplatesResolved")
    message = fault or "catalog image reference was successfully resolved"
    conditions = with_condition(catalog.conditions, Condition(_TEMPLATES, status, reason, message))
    conditions = with_condition(conditions, Condition(_IMAGE, status, reason, found.image))
    image = catalog.image if fault else found.image
    return _synced(catalog, attrs.evolve(catalog, image=image, conditions=conditions))


def _synced(before: CatalogSource, after: CatalogSource) -> SyncedImage:
    if before.image != after.image:
        return SyncedImage(after, "spec")
    return SyncedImage(after, "status" if before.conditions != after.conditions else "")
