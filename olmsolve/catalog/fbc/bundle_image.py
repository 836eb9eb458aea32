"""A bundle wherever it is: in its folder, or in its image, whose files are read in a private folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import olmsolve._attrs as attrs
from olmsolve._whole_files import write_whole_folder
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


def read_whole_bundle(path: str | os.PathLike[str], *, image: str, with_objects: bool) -> WholeBundle:
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


def unpack_bundle(path: str | os.PathLike[str], folder: str | os.PathLike[str]) -> list[str]:
    """Write the files of the bundle's image at *path* into *folder*, new or empty; return their paths from there.

    They are the files below the folders that the labels of the image name, ``manifests/`` and ``metadata/``, as
    ``opm alpha bundle unpack`` writes them.

    Raises:
        CatalogError: there is no bundle's image at *path*, or *folder* cannot be written or holds something.
    """
    given = os.fspath(path)
    from olmsolve.catalog.images import ContentKind, image_content

    content = image_content(given) if may_be_image(given) else None
    if content is None:
        what = "a bundle's folder, not an image" if is_bundle_folder(given) else "no image"
        raise CatalogError(f"cannot be unpacked: {what}", origin=shown(Path(given)))
    if content.kind is not ContentKind.BUNDLE:
        raise CatalogError(f"no bundle: {content.kind.value}", origin=content.origin)
    target = Path(folder)
    try:
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            raise CatalogError("must be a new or empty folder", origin=shown(target))
        write_whole_folder(target, lambda root: _lay_out(content, root))
    except OSError as error:
        raise CatalogError(f"cannot be written: {reason_of(error)}", origin=shown(target)) from None
    return sorted("/".join(parts) for parts in content.files)


def _lay_out(content: ImageContent, root: Path) -> None:
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


def _read_content(content: ImageContent, image: str, *, with_objects: bool) -> WholeBundle:
    import tempfile  # slow to load, and few catalogs have bundles in images

    with tempfile.TemporaryDirectory(prefix="olmsolve-") as name:
        root = Path(name)
        _lay_out(content, root)
        try:
            return read_bundle_folder(root, image=image, with_objects=with_objects)
        except CatalogError as error:
            # The private folder is gone when somebody reads the message.
            origin = error.origin.replace(shown(root), content.origin)
            raise attrs.evolve(error, origin=origin) from None
