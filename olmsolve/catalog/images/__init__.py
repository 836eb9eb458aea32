"""Container images: references, and the files of images in layouts, archives and registries. Nothing in one is run.

Read in this order:

* ``reference``: names of images, and which paths are names;
* ``descriptor``, ``blob_stores``: blobs by their digests, in an OCI layout's folder or archive; ``choosing``: one image
  of several, and one platform of an image;
* ``image``, ``layers``: what an image says of itself, and the files that its layers leave, one above the other;
* ``contents``: the files that make an image a catalog, a database or a bundle, by its labels;
* ``registry``, ``credentials``, ``blob_cache``: images from registries, kept by their digests;
* ``opening``: the image at a path, wherever that is, also in Docker's older format, which knows no digests.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.catalog.images.blob_cache import blob_folder as blob_folder
    from olmsolve.catalog.images.blob_cache import keep as keep
    from olmsolve.catalog.images.contents import ContentKind as ContentKind
    from olmsolve.catalog.images.contents import ImageContent as ImageContent
    from olmsolve.catalog.images.opening import archived_content as archived_content
    from olmsolve.catalog.images.opening import image_content as image_content
    from olmsolve.catalog.images.opening import image_kind as image_kind
    from olmsolve.catalog.images.reference import ImageReference as ImageReference
    from olmsolve.catalog.images.reference import image_fault as image_fault
    from olmsolve.catalog.images.reference import image_reference as image_reference
else:
    __getattr__, __dir__ = lazily(__name__)
