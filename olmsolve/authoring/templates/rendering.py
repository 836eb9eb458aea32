"""Rendering of templates by their schema; ``olm.semver`` has a module of its own.

``olm.template.basic`` has the blobs of a catalog, with bundles named by their images alone.

``olm.template.substitutes`` is a catalog with bundles that take the place of others in its channels. A substitute takes
over the edges of its base and skips it; whoever replaced the base replaces the substitute, and skips the base as well,
since clusters may have it installed::

    v2 replaces v1        with v1-r1 for v1:  v2 replaces v1-r1, skips v1; v1-r1 skips v1; v1 has no edges
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NoReturn

import olmsolve._attrs as attrs
from olmsolve.authoring.checks import Severity, validate
from olmsolve.authoring.checks.validation import checked_blob
from olmsolve.authoring.templates.reading import TemplateDocument, TemplateSource, field, read
from olmsolve.authoring.templates.renderers import Blob, Rendered, Renderer, bundles_of_all
from olmsolve.authoring.templates.semver_template import render_semver_document
from olmsolve.catalog import Catalog, Origin
from olmsolve.catalog.fbc import Document, from_blobs, laid_out, schema_of, through_go
from olmsolve.catalog.fbc import blobs as blobs_of
from olmsolve.errors import CatalogError, VersionError, raise_all
from olmsolve.predicates import described, named
from olmsolve.semver import Version, VersionRelease, quote

_BASIC: Final = "olm.template.basic"
_SUBSTITUTES: Final = "olm.template.substitutes"


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
    if schema != _BASIC:
        reason = f"template has unknown schema ({quote(schema or '')}), should be {quote(_BASIC)}"
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
    return {"schema": _BASIC, "entries": entries}


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


_PACKAGE: Final = frozenset(("packageName", "version", "release"))


@attrs.frozen
class _Substitute:
    """The *image* of a bundle, and the name of the bundle whose place it takes."""

    image: str
    base: str


def render_substitutes(source: TemplateSource, renderer: Renderer) -> Rendered:
    """Render the ``olm.template.substitutes`` in *source*; *renderer* finds the substitutes, one after the other.

    Raises:
        CatalogError: *source* cannot be read or has a fault, its entries are no valid catalog, or a substitution would
            make them invalid. The errors of *renderer* pass through.
    """
    document = read(source)
    if document is None:
        raise CatalogError("render: unable to parse template: decoding template schema: EOF")
    return render_substitutes_document(document, renderer)


def render_substitutes_document(document: TemplateDocument, renderer: Renderer) -> Rendered:
    """Render *document* as :func:`render_substitutes` renders a source."""
    origin = str(document.origin)
    schema = field(document.value, "schema", str)
    if schema != _SUBSTITUTES:
        _refuse(f"template has unknown schema ({quote(schema or '')}), should be {quote(_SUBSTITUTES)}", origin)
    entries = [
        laid_out(entry_of(entry, f"entries[{number}]", document.origin)[1])
        for number, entry in _listed(document, "entries", origin)
    ]
    substitutions = [
        _substitution(substitution, number, origin)
        for number, substitution in _listed(document, "substitutions", origin)
    ]
    _check(entries, "entries are not valid", origin)
    _refuse_repeated(substitutions, origin)
    bundles = bundles_of_all([substitution.image for substitution in substitutions], renderer)
    for substitution in substitutions:
        where = f"substitution of {substitution.base} by {substitution.image}"
        if not bundles[substitution.image]:
            _refuse(f"{where}: the image has no bundle", origin)
        substitute = laid_out(bundles[substitution.image][0].blob, with_own_values=True)
        _check_order(entries, substitution.base, substitute, where, origin)
        entries = [_substituted(entry, substitution.base, substitute.get("name") or "") for entry in entries]
        entries.append(substitute)
        _check(entries, where, origin)
    return _rendered(entries)


def substitutes_template_of(catalog: Catalog) -> dict[str, Any]:
    """Return the ``olm.template.substitutes`` of *catalog*: all its blobs, and no substitution yet."""
    return {"schema": _SUBSTITUTES, "entries": [through_go(blob) for blob in blobs_of(catalog)], "substitutions": []}


def _refuse_repeated(substitutions: list[_Substitute], origin: str) -> None:
    """Refuse two substitutes of one *base*: after the first, the base is no longer among the entries."""
    bases: set[str] = set()
    for substitution in substitutions:
        if substitution.base in bases:
            _refuse(f"cannot reuse the same substitution base {quote(substitution.base)}", origin)
        bases.add(substitution.base)


def _check_order(entries: list[Blob], base: str, substitute: Blob, where: str, origin: str) -> None:
    """Refuse a *substitute* that is not later than its *base*: no cluster would update to it."""
    bases = [blob for blob in entries if blob["schema"] == "olm.bundle" and blob.get("name") == base]
    if not bases:
        _refuse(f"{where}: the base is not a bundle of the entries", origin)
    if not _version(bases[0], where, origin) < _version(substitute, where, origin):
        _refuse(f"{where}: the version of the base is not below the version of the substitute", origin)


def _version(bundle: Blob, where: str, origin: str) -> VersionRelease:
    """Return version and release of *bundle*, whose build metadata does not count."""
    for property_ in bundle.get("properties", ()):
        if property_["type"] == "olm.package" and isinstance(property_["value"], dict):
            facts = named(property_["value"], _PACKAGE)
            try:
                core = str(Version.parse(facts.get("version") or "")).partition("+")[0]
                return VersionRelease.parse(core, facts.get("release") or None, release_support=True)
            except (TypeError, VersionError) as error:
                _refuse(f"{where}: {bundle.get('name')}: {error}", origin)
    return _refuse(f"{where}: {bundle.get('name')} has no property olm.package", origin)


def _listed(document: TemplateDocument, name: str, origin: str) -> list[tuple[int, Any]]:
    content = field(document.value, name, list)
    if content is not None and not isinstance(content, list):
        _refuse(f"{name} must be a list, not {described(content)}", origin)
    return list(enumerate(content or ()))


def _object(value: Any, path: str, origin: str) -> Blob:
    if not isinstance(value, dict):
        _refuse(f"{path} must be an object, not {described(value)}", origin)
    return value


def _substitution(value: Any, number: int, origin: str) -> _Substitute:
    path = f"substitutions[{number}]"
    part = _object(value, path, origin)
    image, base = field(part, "name", str), field(part, "base", str)
    for name, text in (("name", image), ("base", base)):
        if not isinstance(text, str) or not text:
            _refuse(f"{path}.{name} must be a string that is not empty, not {described(text)}", origin)
    if image == base:
        _refuse(f"{path}: name and base are the same", origin)
    return _Substitute(image, base)


def _substituted(blob: Blob, base: str, name: str) -> Blob:
    """Return the channel *blob* with the bundle *name* in the place of *base*; other blobs stay as they are."""
    entries = blob.get("entries")
    if blob.get("schema") != "olm.channel" or not isinstance(entries, list):
        return blob
    made: list[Any] = []
    newcomers: list[Any] = []
    for entry in entries:
        if entry.get("name") == base:
            skips = [*(entry.get("skips") or ()), base]
            newcomers.append({**entry, "name": name, "skips": skips})
            made.append({key: value for key, value in entry.items() if key not in ("replaces", "skips", "skipRange")})
        else:
            made.append(_following(entry, base, name))
    return {**blob, "entries": [*made, *newcomers]}


def _following(entry: Mapping[str, Any], base: str, name: str) -> dict[str, Any]:
    """Return *entry* with *name* for *base* where it replaces or skips it."""
    skips = list(entry.get("skips") or ())
    if entry.get("replaces") == base:
        return {**entry, "replaces": name, "skips": [*skips, base]}
    if base in skips and name not in skips:
        return {**entry, "skips": [*(skip for skip in skips if skip != base), name]}
    return dict(entry)


def _check(entries: list[Blob], where: str, origin: str) -> None:
    """Refuse *entries* that are not valid, as ``opm`` does at the beginning and after each substitution."""
    findings = validate(from_blobs(entries, origin=origin), advice=False)
    first = next((finding for finding in findings if finding.severity is Severity.ERROR), None)
    if first is not None:
        location = f"{first.location()}: " if first.location() else ""
        _refuse(f"{where}: {location}{first.message}", origin)


def _rendered(entries: list[Blob]) -> Rendered:
    groups: dict[str, list[Blob]] = {}
    for entry in entries:
        groups.setdefault(schema_of(entry), []).append(entry)
    own_schemas = ("olm.package", "olm.channel", "olm.bundle", "olm.deprecations")
    others = [entry for entry in entries if schema_of(entry) not in own_schemas]
    packages, channels, bundles, deprecations = (tuple(groups.get(schema, ())) for schema in own_schemas)
    # Substitution puts fields after others.
    channels = tuple(map(laid_out, channels))
    return Rendered(packages, channels, bundles, deprecations, tuple(others))


def _refuse(reason: str, origin: str) -> NoReturn:
    raise CatalogError(f"render: {reason}", origin=origin)


def render_template(source: TemplateSource, renderer: Renderer) -> Rendered:
    """Render the template *source* by its schema, as :func:`render_basic`, :func:`render_semver` or
    :func:`render_substitutes` do.

    Raises:
        CatalogError: *source* cannot be read, has another schema or a fault, or *renderer* does not know an image.

    >>> import olmsolve
    >>> template = {
    ...     "schema": "olm.semver",
    ...     "generateMajorChannels": True,
    ...     "stable": {"bundles": [{"image": "quay.example.com/shop:v1"}]},
    ... }
    >>> package = {"type": "olm.package", "value": {"packageName": "shop", "version": "1.0.0"}}
    >>> bundle = {"schema": "olm.bundle", "package": "shop", "name": "shop.v1.0.0", "image": "quay.example.com/shop:v1"}
    >>> images = olmsolve.bundles_by_image([{**bundle, "properties": [package]}])
    >>> [blob["name"] for blob in olmsolve.render_template(template, images)]
    ['shop', 'stable-v1', 'shop.v1.0.0']
    """
    document = read(source)
    if document is None:
        raise CatalogError("there is no template here: no document")
    schema = field(document.value, "schema", str)
    if schema == "olm.semver":
        return render_semver_document(document, renderer)
    if schema == _BASIC:
        return render_basic_document(document, renderer)
    if schema == _SUBSTITUTES:
        return render_substitutes_document(document, renderer)
    reason = "the schema of a template must be olm.semver, olm.template.basic or olm.template.substitutes"
    raise CatalogError(reason, origin=str(document.origin))
