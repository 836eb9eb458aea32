"""Container images: references, and the files of images in layouts, archives and registries. Nothing in one is run.

Read in this order:

* ``reference``: names of images, and which paths are names;
* ``blobs``: blobs by their digests, in an OCI layout's folder or archive;
* ``image``: what an image says of itself, one image of several, and one platform of an image;
* ``contents``: the files that the layers of an image leave, and that make it a catalog, a database or a bundle;
* ``registry``: images from registries, with the user's credentials, kept by their digests;
* ``opening``: the image at a path, wherever that is, also in Docker's older format, which knows no digests.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.catalog.images.contents import ContentKind as ContentKind
    from olmsolve.catalog.images.contents import ImageContent as ImageContent
    from olmsolve.catalog.images.opening import archived_content as archived_content
    from olmsolve.catalog.images.opening import image_content as image_content
    from olmsolve.catalog.images.opening import image_kind as image_kind
    from olmsolve.catalog.images.reference import ImageReference as ImageReference
    from olmsolve.catalog.images.reference import image_fault as image_fault
    from olmsolve.catalog.images.reference import image_reference as image_reference
    from olmsolve.catalog.images.registry import blob_folder as blob_folder
    from olmsolve.catalog.images.registry import keep as keep
else:
    __getattr__, __dir__ = lazily(__name__)
