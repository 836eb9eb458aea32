"""Catalog templates: short documents that list bundle images, rendered to the blobs of a catalog.

``olm.template.basic`` is a catalog whose bundles are references to images. ``olm.semver`` lists images by stability;
channels and update edges follow from the versions of their bundles. ``olm.template.substitutes`` is a catalog in which
bundles take the place of others. A *renderer*, a function from an image to the blobs of its bundles, resolves the
references; one of them pulls images, and only when it is asked for.

``rendering`` chooses by schema. ``reading`` reads a template's document, ``renderers`` has the renderers at hand and
the result. ``semver_template`` makes channels from versions.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.authoring.templates.renderers import Rendered as Rendered
    from olmsolve.authoring.templates.renderers import Renderer as Renderer
    from olmsolve.authoring.templates.renderers import bundles_by_image as bundles_by_image
    from olmsolve.authoring.templates.renderers import bundles_by_path as bundles_by_path
    from olmsolve.authoring.templates.renderers import bundles_from_registries as bundles_from_registries
    from olmsolve.authoring.templates.renderers import bundles_in_folder as bundles_in_folder
    from olmsolve.authoring.templates.rendering import basic_template_of as basic_template_of
    from olmsolve.authoring.templates.rendering import render_basic as render_basic
    from olmsolve.authoring.templates.rendering import render_substitutes as render_substitutes
    from olmsolve.authoring.templates.rendering import render_template as render_template
    from olmsolve.authoring.templates.rendering import substitutes_template_of as substitutes_template_of
    from olmsolve.authoring.templates.semver_template import render_semver as render_semver
else:
    __getattr__, __dir__ = lazily(__name__)
