"""A bundle wherever it is: in its folder, or in its image, whose files are read in a private folder."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from olmsolve.catalog.archives import reason_of, shown
from olmsolve.catalog.fbc.bundle_folder import WholeBundle, is_bundle_folder, read_bundle_folder
from olmsolve.catalog.fbc.packed import may_be_image
from olmsolve.errors import CatalogError

if TYPE_CHECKING:
    from olmsolve.catalog.images import ImageContent


def is_bundle(path: str | os.PathLike[str]) -> bool:
    """Return whether *path* is a bundle: its folder, or its image as :func:`olmsolve.load` takes images.

    Raises :class:`~olmsolve.errors.CatalogError` for an image that cannot be read.
    """
    given = os.fspath(path)
    if is_bundle_folder(given):
        return True
    if given == "-" or not may_be_image(given):
        return False
    from olmsolve.catalog.images import ContentKind, image_kind

    return image_kind(given) is ContentKind.BUNDLE


def read_bundle(path: str | os.PathLike[str], *, image: str = "", with_objects: bool = False) -> dict[str, Any]:
    """Return the ``olm.bundle`` blob of the bundle at *path*, as ``opm render`` makes it from a bundle's image.

    *path* is the bundle's folder (``manifests/`` and ``metadata/``), or its image: in a registry, in an OCI layout or
    in an archive. *image* is the reference under which the bundle will be pulled, which only an image in a registry
    knows. The manifests become one ``olm.csv.metadata``, unless ``metadata/properties.yaml`` has one already;
    *with_objects* keeps each whole instead, as ``olm.bundle.object``.

    The properties come from

    * ``metadata/properties.yaml`` and the annotation ``olm.properties``;
    * the APIs: ``olm.gvk`` for every version of a CustomResourceDefinition in the folder and every APIService that the
      ClusterServiceVersion owns, ``olm.gvk.required`` for the APIs that it requires;
    * the version of the ClusterServiceVersion: ``olm.package``;
    * ``metadata/dependencies.yaml``: ``olm.package`` becomes ``olm.package.required``, ``olm.gvk`` becomes
      ``olm.gvk.required``, and other types stay as they are.

    Raises :class:`~olmsolve.errors.CatalogError` that names the file, and the field in it.
    """
    return read_whole_bundle(path, image=image, with_objects=with_objects).blob


def read_whole_bundle(path: str | os.PathLike[str], *, image: str = "", with_objects: bool = False) -> WholeBundle:
    """Return the blob that :func:`read_bundle` returns, together with the ClusterServiceVersion of the bundle.

    Raises :class:`~olmsolve.errors.CatalogError`, as :func:`read_bundle` does.
    """
    given = os.fspath(path)
    if is_bundle_folder(given) or not may_be_image(given):
        return read_bundle_folder(given, image=image, with_objects=with_objects)
    from olmsolve.catalog.images import ContentKind, image_content

    content = image_content(given)
    if content is None:
        return read_bundle_folder(given, image=image, with_objects=with_objects)
    if content.kind is not ContentKind.BUNDLE:
        raise CatalogError(f"no bundle: {content.kind.value}", origin=content.origin)
    return _read_content(content, image or content.reference, with_objects=with_objects)


def _read_content(content: ImageContent, image: str, *, with_objects: bool) -> WholeBundle:
    with tempfile.TemporaryDirectory(prefix="olmsolve-") as name:
        root = Path(name)
        try:
            for parts, data in content.files.items():
                path = root.joinpath(*parts)
                if not path.is_relative_to(root) or path.parts[len(root.parts) :] != parts:
                    # Some systems have more signs than the slash between the parts of a path.
                    raise ValueError(f"{'/'.join(parts)!r} cannot name a file here")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
        except (OSError, ValueError) as error:
            raise CatalogError(f"cannot be laid out: {reason_of(error)}", origin=content.origin) from None
        try:
            return read_bundle_folder(root, image=image, with_objects=with_objects)
        except CatalogError as error:
            # The private folder is gone when somebody reads the message.
            origin = error.origin.replace(shown(root), content.origin)
            raise attrs.evolve(error, origin=origin) from None
