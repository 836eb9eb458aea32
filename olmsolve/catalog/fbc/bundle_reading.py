"""A bundle becomes a blob of a catalog: from its folder, as authors keep it (``manifests/`` and ``metadata/``), or from
its image, whose files are read in a private folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import olmsolve._attrs as attrs
from olmsolve._whole_files import write_whole_folder
from olmsolve.catalog import Origin
from olmsolve.catalog.archives import open_plain, reason_of, shown
from olmsolve.catalog.fbc.bundle_properties import Manifest, bundle_properties, related_images
from olmsolve.catalog.fbc.document import Document
from olmsolve.catalog.fbc.folder import catalog_files
from olmsolve.catalog.fbc.opm_json import RawProperty, raw_values
from olmsolve.catalog.fbc.packed import may_be_image
from olmsolve.catalog.fbc.text import read_documents
from olmsolve.errors import CatalogError
from olmsolve.predicates import described

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


_ANNOTATION: Final = "operators.operatorframework.io.bundle"
_CSV: Final = "ClusterServiceVersion"
_PEEKED: Final = 2048  # bytes in which a file of JSON shows its brace
_SUFFIXES: Final = (".yaml", ".yml", ".json")


@attrs.frozen
class WholeBundle:
    """The *blob* that a catalog has of a bundle, and the *csv* that it was made from: a ClusterServiceVersion.

    The *csv* has what a blob has no field for, such as the icon, which a catalog shows for the package.
    """

    blob: dict[str, Any]
    csv: Mapping[str, Any]


def is_bundle_folder(path: str | os.PathLike[str]) -> bool:
    """Return whether *path* is a folder as bundles have it: ``metadata/annotations.yaml`` (or ``.yml``) is there.

    Beside a folder ``manifests``, a file of the metadata with any name may have the annotations, as for ``opm``.
    """
    root = Path(path)
    if _yaml_file(root / "metadata", "annotations") is not None:
        return True
    return (root / "manifests").is_dir() and (root / "metadata").is_dir() and _annotated(root) is not None


def read_bundle_folder(path: str | os.PathLike[str], *, image: str, with_objects: bool) -> WholeBundle:
    """Return the bundle in the folder *path*; :func:`.read_bundle` says what its blob is made of.

    Raises :class:`~olmsolve.errors.CatalogError` that names the file, and the field in it.
    """
    root = Path(path)
    annotations_file = _yaml_file(root / "metadata", "annotations")
    document = only_document(annotations_file, root) if annotations_file is not None else _annotated(root)
    if document is None:
        raise CatalogError("not a bundle: it has no metadata/annotations.yaml", origin=shown(root))
    annotations = _mapping(document, document.value.get("annotations"), "annotations")
    package = annotations.get(f"{_ANNOTATION}.package.v1")
    if not isinstance(package, str) or not package:
        document.refuse(f"the annotation {_ANNOTATION}.package.v1 must name the package")
    where = annotations.get(f"{_ANNOTATION}.manifests.v1") or "manifests/"
    if not isinstance(where, str):
        document.refuse(f"the annotation {_ANNOTATION}.manifests.v1 must be a path, not {described(where)}")
    if "\0" in where:
        document.refuse(f"the annotation {_ANNOTATION}.manifests.v1 must be a path, and a path has no null character")
    # The folder of a bundle is the root of its image, so that "/manifests/" is inside as well.
    folder = root / where.lstrip("/")
    if not folder.resolve().is_relative_to(root.resolve()):
        document.refuse(f"the annotation {_ANNOTATION}.manifests.v1 leaves the bundle's folder")
    manifests = list(_manifests(folder))
    csvs = [manifest for manifest in manifests if manifest.value.get("kind") == _CSV]
    if len(csvs) != 1:
        reason = f"the manifests hold {len(csvs) or 'no'} objects of kind {_CSV}, where a bundle has one"
        raise CatalogError(reason, origin=shown(folder), package=package)
    properties = bundle_properties(
        package,
        csvs[0],
        manifests,
        _listed_elements(root, "properties"),
        _listed_elements(root, "dependencies"),
        with_objects=with_objects,
    )
    name = csvs[0].name()
    blob: dict[str, Any] = {"schema": "olm.bundle", "name": name, "package": package}
    if image:
        blob["image"] = image
    blob["properties"] = properties
    images = related_images(csvs[0], image)
    return WholeBundle(blob | ({"relatedImages": images} if images else {}), csvs[0].value)


def _yaml_file(folder: Path, stem: str) -> Path | None:
    """Return the YAML file of this name in *folder*, if there is one."""
    return next(
        (folder / f"{stem}{suffix}" for suffix in (".yaml", ".yml") if (folder / f"{stem}{suffix}").is_file()), None
    )


def _annotated(root: Path) -> Document | None:
    """Return the document of the first file of the metadata that has the annotations of a bundle; None without one."""
    try:
        files = catalog_files(root / "metadata")
    except CatalogError:
        return None
    for file in files:
        try:
            documents = list(plain_documents(file.path, root))
        except CatalogError:
            continue
        annotations = documents[0].value.get("annotations") if len(documents) == 1 else None
        if isinstance(annotations, dict) and any(str(key).startswith(_ANNOTATION) for key in annotations):
            return documents[0]
    return None


def plain_documents(path: Path, root: Path) -> Iterator[Document]:
    """Yield the documents of the plain file *path*. Raises CatalogError, also for a link that leaves *root*."""
    if not path.resolve().is_relative_to(root.resolve()):
        raise CatalogError("a symbolic link that leaves the bundle's folder", origin=shown(path))
    name = shown(path)
    with open_plain(path) as file:
        yield from read_documents(file, name, skip_empty=True)


def only_document(path: Path, root: Path) -> Document:
    """Return the document of a file that has exactly one. Raises CatalogError for any other file."""
    documents = list(plain_documents(path, root))
    if len(documents) != 1:
        raise CatalogError(f"{len(documents) or 'no'} documents, where one is needed", origin=shown(path))
    return documents[0]


def _manifests(folder: Path) -> Iterator[Manifest]:
    try:
        files = catalog_files(folder)
    except CatalogError:
        if folder.is_dir():
            raise
        raise CatalogError("not a bundle: it has no folder of manifests", origin=shown(folder)) from None
    for file in files:
        if len(file.path.relative_to(folder).parts) > 1 or file.path.name.startswith("."):
            # As recorded: opm and OLM take no manifest from a folder inside, and no hidden file.
            continue
        manifest = _manifest(file.path, folder)
        if manifest is not None:
            yield manifest


def _manifest(path: Path, folder: Path) -> Manifest | None:
    """Return the manifest in the file *path*; None for a file without one, whose name claims none.

    ``opm`` and OLM silently skip what they cannot read, and all documents after the first one. Whoever wrote such a
    file meant something with it, so that it is refused here.
    """
    claims = path.suffix.lower() in _SUFFIXES
    try:
        documents = list(plain_documents(path, folder))
    except CatalogError:
        if claims:
            raise
        return None
    if not documents:
        return None
    value, origin = documents[0]
    if not isinstance(value.get("kind"), str) or not value["kind"]:
        if not claims:
            return None
        raise CatalogError("not a manifest, because it has no kind; opm and OLM leave it out", origin=str(origin))
    if len(documents) > 1:
        reason = "a second document in one file, which opm and OLM leave out: give each manifest a file of its own"
        raise CatalogError(reason, origin=str(documents[1].origin))
    return Manifest(value, origin)


def _listed_elements(root: Path, stem: str) -> list[tuple[dict[str, Any], Origin]]:
    """Return the elements of a file of the metadata, which is one list under its own name; each with its origin."""
    path = _yaml_file(root / "metadata", stem)
    if path is None:
        return []
    document = only_document(path, root)
    elements = document.value.get(stem)
    if elements is None:
        return []
    if not isinstance(elements, list):
        document.refuse(f"{stem} must be a list, not {described(elements)}")
    for index, element in enumerate(elements):
        kind = _mapping(document, element, f"{stem}[{index}]").get("type")
        if not isinstance(kind, str) or not kind:
            document.refuse(f"{stem}[{index}].type must be a string that is not empty, not {described(kind)}")
        if "value" not in element:
            document.refuse(f"{stem}[{index}].value is missing")
    raw = _raw_values(path, stem)
    if raw is None or len(raw) != len(elements):
        return [(element, document.origin) for element in elements]
    return [
        (RawProperty(element["type"], element["value"], text), document.origin)
        for element, text in zip(elements, raw, strict=True)
    ]


def _raw_values(path: Path, stem: str) -> list[str] | None:
    """Return the texts of the values in the file *path*, if it is JSON, which ``opm`` keeps as they are written."""
    with open_plain(path) as file:
        if not file.peek(_PEEKED)[:_PEEKED].lstrip(b" \t\r\n").startswith(b"{"):
            return None
        return raw_values(file.read().decode("utf-8", "replace"), stem)


def _mapping(document: Document, value: Any, field: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        document.refuse(f"{field} must be an object, not {described(value)}")
    return value
