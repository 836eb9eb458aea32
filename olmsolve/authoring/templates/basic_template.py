"""``olm.template.basic``: the blobs of a catalog, with bundles named by their images alone."""

from __future__ import annotations

from typing import Any, Final

from olmsolve.authoring.templates.reading import TemplateDocument, TemplateSource, field, read
from olmsolve.authoring.templates.rendered import Blob, Rendered, Renderer, bundles_of_all
from olmsolve.catalog import Catalog
from olmsolve.catalog.fbc import blobs as blobs_of
from olmsolve.catalog.fbc import schema_of
from olmsolve.errors import CatalogError, raise_all
from olmsolve.predicates import described
from olmsolve.semver import quote

_SCHEMA: Final = "olm.template.basic"


def render_basic(source: TemplateSource, renderer: Renderer) -> Rendered:
    """Render the ``olm.template.basic`` in *source*: *renderer* replaces each bundle by the bundles of its image.

    A bundle of the template holds its schema and image alone. Other blobs stay as they are, except that a package
    without a default channel gets an empty one.

    Raises:
        CatalogError: *source* cannot be read or has a fault. ``opm`` words the messages, except where it prints
            messages of Go's libraries. The errors of *renderer* pass through.
    """
    try:
        document = read(source)
    except CatalogError as error:
        raise CatalogError(f"decoding template schema: {error.reason}", origin=error.origin) from None
    if document is None:
        raise CatalogError("decoding template schema: EOF")
    return render_basic_document(document, renderer)


def render_basic_document(document: TemplateDocument, renderer: Renderer) -> Rendered:
    """Render *document* as :func:`render_basic` renders a source."""
    origin = str(document.origin)
    entries, schema = field(document.value, "entries"), field(document.value, "schema")
    for name, value, kind, wanted in (("entries", entries, list, "a list"), ("schema", schema, str, "a string")):
        if value is not None and not isinstance(value, kind):
            reason = f"unmarshalling template: {name} must be {wanted}, not {described(value)}"
            raise CatalogError(reason, origin=origin)
    if schema != _SCHEMA:
        reason = f"template has unknown schema ({quote(schema or '')}), should be {quote(_SCHEMA)}"
        raise CatalogError(reason, origin=origin)
    blobs: dict[str, list[Blob]] = {}
    for number, entry in enumerate(entries or ()):
        blobs.setdefault(_group(entry, f"entries[{number}]", origin), []).append(entry)
    images = [_image(reference, origin) for reference in blobs.get("bundles", ())]
    bundles_of_image = bundles_of_all(images, renderer)
    bundles = [bundle.blob for image in images for bundle in bundles_of_image[image]]
    return Rendered(
        tuple({**blob, "defaultChannel": blob.get("defaultChannel") or ""} for blob in blobs.get("packages", ())),
        tuple(blobs.get("channels", ())),
        tuple(bundles),
        tuple(blobs.get("deprecations", ())),
        tuple(blobs.get("others", ())),
    )


def basic_template_of(catalog: Catalog) -> dict[str, Any]:
    """Return the ``olm.template.basic`` that *catalog* can be rendered from: its blobs, of each bundle the image alone.

    Raises:
        CatalogError: bundles have no image, so that nothing would know them; all of them at once.
    """
    entries: list[dict[str, Any]] = []
    errors: list[CatalogError] = []
    for blob in blobs_of(catalog):
        if schema_of(blob) != "olm.bundle":
            entries.append(blob)
        elif blob.get("image"):
            entries.append({"schema": "olm.bundle", "image": blob["image"]})
        else:
            reason = "the bundle has no image, by which a template could name it"
            errors.append(CatalogError(reason, package=blob.get("package") or "", bundle=blob.get("name") or ""))
    raise_all(errors)
    return {"schema": _SCHEMA, "entries": entries}


_GROUPS: Final = {
    "olm.package": "packages",
    "olm.channel": "channels",
    "olm.bundle": "bundles",
    "olm.deprecations": "deprecations",
}


def _group(entry: Any, path: str, origin: str) -> str:
    """Return the field of :class:`Rendered` that the blob *entry* belongs to."""
    if not isinstance(entry, dict):
        raise CatalogError(f"{path} must be an object, not {described(entry)}", origin=origin)
    schema = schema_of(entry)
    if not isinstance(schema, str) or not schema:
        problem = f"not {described(schema)}" if "schema" in entry else "and it is missing"
        raise CatalogError(f"{path}.schema must be a string that is not empty, {problem}", origin=origin)
    return _GROUPS.get(schema, "others")


def _image(reference: Blob, origin: str) -> str:
    image = reference.get("image")
    if not isinstance(image, str) or not image or any(map(reference.get, ("package", "properties", "relatedImages"))):
        raise CatalogError("unexpected fields present in basic template bundle", origin=origin)
    return image
