"""A package's folder in the format before file-based catalogs: one package manifest, and a folder for each version.

::

    etcd/etcd.package.yaml      packageName, channels (name, currentCSV), defaultChannel
    etcd/0.9.0/, etcd/0.9.2/    the manifests of a bundle each: a ClusterServiceVersion and its CRDs

The update graph is in the ClusterServiceVersions: ``spec.replaces``, ``spec.skips`` and the annotation
``olm.skipRange``. A channel holds what its ``currentCSV`` reaches by replacing and skipping.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from olmsolve.catalog.archives import shown
from olmsolve.catalog.fbc.bundle_properties import Manifest, bundle_properties, related_images
from olmsolve.catalog.fbc.bundle_reading import only_document, plain_documents
from olmsolve.catalog.fbc.document import Document
from olmsolve.catalog.fbc.folder import catalog_files
from olmsolve.errors import CatalogError
from olmsolve.predicates import described

_SUFFIXES: Final = (".package.yaml", ".package.yml", ".package.json")
_MANIFESTS: Final = (".yaml", ".yml", ".json")
_CSV: Final = "ClusterServiceVersion"
_SKIP_RANGE: Final = "olm.skipRange"


def is_package_folder(path: str | os.PathLike[str]) -> bool:
    """Return whether *path* is a folder with a package manifest (``NAME.package.yaml``)."""
    return bool(_package_files(Path(path)))


def read_package(path: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """Return the blobs of the package in the folder *path*: the package, its channels, its bundles.

    The bundles have no image, so their manifests are kept whole as ``olm.bundle.object``; all other properties are made
    as by :func:`read_bundle`. A bundle that no channel reaches is an error: nothing could ever select it.

    Raises:
        CatalogError: a file cannot be read, or a part of it makes no sense; it names the file.
    """
    root = Path(path)
    files = _package_files(root)
    if len(files) != 1:
        raise CatalogError(f"{len(files) or 'no'} package manifests, where one is needed", origin=shown(root))
    manifest = only_document(files[0], root)
    package = _text(manifest, manifest.value, "packageName")
    bundles = dict(_bundles(root, files[0], package))
    channels = dict(_channels(manifest, bundles))
    # A manifest with a single channel need not name its default.
    default = manifest.value.get("defaultChannel") or (next(iter(channels)) if len(channels) == 1 else "")
    if not isinstance(default, str) or default not in channels:
        manifest.refuse(f"defaultChannel must be one of its channels, {', '.join(channels)}")
    reached = {entry["name"] for entries in channels.values() for entry in entries}
    for name, (csv, _) in bundles.items():
        if name not in reached:
            csv.refuse(f"{name} is in no channel: no currentCSV leads to it by replaces or skips")
    return [
        {"schema": "olm.package", "name": package, "defaultChannel": default},
        *(
            {"schema": "olm.channel", "package": package, "name": name, "entries": entries}
            for name, entries in channels.items()
        ),
        *(_bundle(name, package, csv, manifests) for name, (csv, manifests) in bundles.items()),
    ]


def _package_files(root: Path) -> list[Path]:
    if not root.is_dir():
        return []
    return sorted(file for file in root.iterdir() if file.name.endswith(_SUFFIXES) and file.is_file())


def _bundles(root: Path, package_file: Path, package: str) -> Iterator[tuple[str, tuple[Manifest, list[Manifest]]]]:
    """Yield each bundle's name with its ClusterServiceVersion and all its manifests, by folder."""
    folders: dict[Path, list[Manifest]] = {}
    for file in catalog_files(root):
        if file.path != package_file and file.path.suffix.lower() in _MANIFESTS:
            made = [Manifest(value, origin) for value, origin in plain_documents(file.path, root)]
            folders.setdefault(file.path.parent, []).extend(made)
    names: dict[str, Manifest] = {}
    for folder, manifests in folders.items():
        csvs = [manifest for manifest in manifests if manifest.value.get("kind") == _CSV]
        if len(csvs) != 1:
            reason = f"holds {len(csvs) or 'no'} objects of kind {_CSV}, where the folder of a version has one"
            raise CatalogError(reason, origin=shown(folder), package=package)
        name = csvs[0].name()
        if name in names:
            csvs[0].refuse(f"{name} occurs twice: first at {names[name].origin}")
        names[name] = csvs[0]
        yield name, (csvs[0], manifests)


def _channels(
    manifest: Document, bundles: Mapping[str, tuple[Manifest, list[Manifest]]]
) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    listed = manifest.value.get("channels")
    if not isinstance(listed, list) or not listed:
        manifest.refuse(f"channels must be a list that is not empty, not {described(listed)}")
    seen: set[str] = set()
    for position, channel in enumerate(listed):
        if not isinstance(channel, dict):
            manifest.refuse(f"channels[{position}] must be an object, not {described(channel)}")
        name = _text(manifest, channel, "name", f"channels[{position}].")
        current = _text(manifest, channel, "currentCSV", f"channels[{position}].")
        if name in seen:
            manifest.refuse(f"channels[{position}].name: channel {name} occurs twice")
        if current not in bundles:
            manifest.refuse(f"channels[{position}].currentCSV: no folder has the ClusterServiceVersion {current}")
        seen.add(name)
        yield name, list(_entries(current, bundles))


def _entries(current: str, bundles: Mapping[str, tuple[Manifest, list[Manifest]]]) -> Iterator[dict[str, Any]]:
    """Yield the entries that *current* reaches, the head first."""
    waiting, seen = [current], {current}
    for name in waiting:
        csv = bundles[name][0]
        spec = csv.at("spec")
        replaces = csv.text(spec, "replaces", "spec")
        skips = spec.get("skips") or []
        if not isinstance(skips, list) or not all(isinstance(skip, str) for skip in skips):
            csv.refuse("spec.skips must be a list of strings")
        skip_range = csv.text(csv.at("metadata", "annotations"), _SKIP_RANGE, "metadata.annotations")
        edges = {"replaces": replaces, "skips": skips, "skipRange": skip_range}
        yield {"name": name, **{field: value for field, value in edges.items() if value}}
        following = [name for name in (replaces, *skips) if name in bundles and name not in seen]
        waiting += dict.fromkeys(following)
        seen.update(following)


def _bundle(name: str, package: str, csv: Manifest, manifests: list[Manifest]) -> dict[str, Any]:
    properties = bundle_properties(package, csv, manifests, (), (), with_objects=True)
    images = [image for image in related_images(csv, "") if image["image"]]
    blob = {"schema": "olm.bundle", "name": name, "package": package, "properties": properties}
    return blob | ({"relatedImages": images} if images else {})


def _text(manifest: Document, value: Mapping[str, Any], field: str, where: str = "") -> str:
    text = value.get(field)
    if not isinstance(text, str) or not text:
        manifest.refuse(f"{where}{field} must be a string that is not empty, not {described(text)}")
    return text
