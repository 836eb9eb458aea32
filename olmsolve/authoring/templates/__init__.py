"""Catalog templates: short documents that list bundle images, rendered to the blobs of a catalog.

``olm.template.basic`` is a catalog whose bundles are references; ``olm.semver`` lists bundles by stability, and
its channels and update edges follow from their versions. What a reference stands for is said by a renderer:
a function from an image to the blobs of its bundles.
"""

from olmsolve.authoring.templates.basic_template import basic
from olmsolve.authoring.templates.rendered import Rendered, Renderer
from olmsolve.authoring.templates.renderers import by_image, by_path, in_folder
from olmsolve.authoring.templates.rendering import render_template
from olmsolve.authoring.templates.semver_template import semver

__all__ = ["Rendered", "Renderer", "basic", "by_image", "by_path", "in_folder", "render_template", "semver"]
