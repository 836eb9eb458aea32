"""``olm.template.basic``: the blobs of a catalog, with bundles named by their images alone."""

from __future__ import annotations

from typing import Any, Final

from olmsolve.authoring.checks import Severity
from olmsolve.authoring.checks.validation import checked_blob
from olmsolve.authoring.templates.reading import TemplateDocument, TemplateSource, field, read
from olmsolve.authoring.templates.rendered import Blob, Rendered, Renderer, bundles_of_all
from olmsolve.catalog import Catalog, Origin
from olmsolve.catalog.fbc import Document, laid_out, schema_of, through_go
from olmsolve.catalog.fbc import blobs as blobs_of
from olmsolve.errors import CatalogError, raise_all
from olmsolve.predicates import described
from olmsolve.semver import quote

_SCHEMA: Final = "olm.template.basic"


def render_basic(source: TemplateSource, renderer: Renderer) -> Rendered:
    """Render the ``olm.template.basic`` in *source*: *renderer* replaces each bundle by the bundles of its image.

    A bundle of the template holds its schema and image alone. Of the other blobs ``opm`` keeps the fields that it
    knows, in its order.

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
    entries, schema = field(document.value, "entries", list), field(document.value, "schema", str)
    for name, value, kind, wanted in (("entries", entries, list, "a list"), ("schema", schema, str, "a string")):
        if value is not None and not isinstance(value, kind):
            reason = f"unmarshalling template: {name} must be {wanted}, not {described(value)}"
            raise CatalogError(reason, origin=origin)
    if schema != _SCHEMA:
        reason = f"template has unknown schema ({quote(schema or '')}), should be {quote(_SCHEMA)}"
        raise CatalogError(reason, origin=origin)
    blobs: dict[str, list[Blob]] = {}
    for number, entry in enumerate(entries or ()):
        group, blob = entry_of(entry, f"entries[{number}]", document.origin)
        blobs.setdefault(group, []).append(blob)
    images = [_image(reference, origin) for reference in blobs.get("bundles", ())]
    bundles_of_image = bundles_of_all(images, renderer)
    bundles = [bundle.blob for image in images for bundle in bundles_of_image[image]]
    return Rendered(
        tuple(map(laid_out, blobs.get("packages", ()))),
        tuple(map(laid_out, blobs.get("channels", ()))),
        tuple(laid_out(blob, with_own_values=True) for blob in bundles),
        tuple(map(laid_out, blobs.get("deprecations", ()))),
        tuple(map(laid_out, blobs.get("others", ()))),
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
            entries.append(through_go(blob))
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


def entry_of(entry: Any, path: str, origin: Origin) -> tuple[str, Blob]:
    """Return the field of :class:`Rendered` that the blob *entry* belongs to, and the blob with documented names.

    Raises:
        CatalogError: ``opm`` cannot decode *entry*, which is at *path*: two keys of one name, or a wrong type.
    """
    if not isinstance(entry, dict):
        raise CatalogError(f"{path} must be an object, not {described(entry)}", origin=str(origin))
    schema = schema_of(entry)
    if not isinstance(schema, str) or not schema:
        problem = f"not {described(schema)}" if "schema" in entry else "and it is missing"
        raise CatalogError(f"{path}.schema must be a string that is not empty, {problem}", origin=str(origin))
    blob = checked_blob(Document(entry, origin))
    for finding in blob.findings:
        if finding.severity is Severity.ERROR and finding.code != "bundle-object":
            where = f"{path}.{finding.property}" if finding.property else path
            raise CatalogError(f"unmarshalling template: {where}: {finding.message}", origin=str(origin))
    return _GROUPS.get(schema, "others"), blob.value


def _image(reference: Blob, origin: str) -> str:
    image = reference.get("image")
    if not isinstance(image, str) or not image or any(map(reference.get, ("package", "properties", "relatedImages"))):
        raise CatalogError("unexpected fields present in basic template bundle", origin=origin)
    return image
