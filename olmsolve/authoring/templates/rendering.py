"""Rendering of templates of either schema."""

from __future__ import annotations

from olmsolve.authoring.templates.basic_template import render_basic_document
from olmsolve.authoring.templates.reading import TemplateSource, field, read
from olmsolve.authoring.templates.rendered import Rendered, Renderer
from olmsolve.authoring.templates.semver_template import render_semver_document
from olmsolve.authoring.templates.substitutes_template import render_substitutes_document
from olmsolve.errors import CatalogError


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
    if schema == "olm.template.basic":
        return render_basic_document(document, renderer)
    if schema == "olm.template.substitutes":
        return render_substitutes_document(document, renderer)
    reason = "the schema of a template must be olm.semver, olm.template.basic or olm.template.substitutes"
    raise CatalogError(reason, origin=str(document.origin))
