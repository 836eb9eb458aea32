"""Documents that ask OLM v1 for something: one extension over cluster catalogs, or the cluster's own objects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import attrs

from olmsolve import v1
from olmsolve.catalog import Catalog, fbc
from olmsolve.errors import RequestError
from olmsolve.requests.fields import Fields

__all__ = ["FILE_ANNOTATION", "METADATA_NAME", "extension_request", "manifests_request", "v1_request"]

FILE_ANNOTATION: Final = "olmsolve/file"
"""The annotation of a ClusterCatalog that says where its content is: a path, relative to the manifest's folder."""

METADATA_NAME: Final = "olm.operatorframework.io/metadata.name"
"""The label that every ClusterCatalog has on a cluster: its own name."""

_GROUP: Final = "olm.operatorframework.io/"
_REQUEST: Final = (
    "name",
    "catalogs",
    "extension",
    "installed",
    "feature_gates",
    "featureGates",
    "validations",
)
_CATALOG: Final = ("name", "labels", "priority", "availabilityMode", "fbc", "blobs", "file", "error")
_FBC: Final = {
    "packages": "olm.package",
    "channels": "olm.channel",
    "bundles": "olm.bundle",
    "deprecations": "olm.deprecations",
}
_EXTENSION: Final = ("packageName", "version", "channels", "selector", "upgradeConstraintPolicy")
_SELECTOR: Final = ("matchLabels", "matchExpressions")
_EXPRESSION: Final = ("key", "operator", "values")
_INSTALLED: Final = ("name", "version", "release")
_GATES: Final = ("BundleReleaseSupport",)
_VALIDATIONS: Final[Mapping[str, v1.Validation]] = {"no_dependency": v1.no_dependencies}
_LONGEST_DESCRIBED: Final = 100
_AVAILABILITY: Final = ("", "Available", "Unavailable")


def v1_request(fields: Fields, folder: Path, load: Callable[[Path], Catalog]) -> v1.ExtensionRequest:
    """The request of a document that has an ``extension``, of a ClusterExtension alone, or of a List of objects."""
    if "extension" in fields.values:
        return extension_request(fields, folder, load)
    if fields.text("kind", "").endswith("List"):
        return manifests_request(_objects(fields), folder, load, fields.source)
    return manifests_request([fields], folder, load, fields.source)


def extension_request(fields: Fields, folder: Path, load: Callable[[Path], Catalog]) -> v1.ExtensionRequest:
    """The request that *fields* describe; a catalog's ``file`` is relative to *folder* and read by *load*."""
    fields.refuse_unknown(_REQUEST)
    extension = _extension(_mapping(fields, "extension"))
    installed = _installed(_mapping(fields, "installed")) if _has(fields, "installed") else None
    gates = _gates(fields)
    validations = tuple(_validations(fields))
    load_once = _once(load)
    # Catalogs come last: a mistake elsewhere should not have to wait for megabytes to load.
    catalogs = fields.each("catalogs", lambda item: _catalog(item, folder, load_once), default=())
    return _request(
        fields, extension, catalogs, installed, "BundleReleaseSupport" in gates, validations, fields.text("name", "")
    )


def manifests_request(
    manifests: Iterable[Fields], folder: Path, load: Callable[[Path], Catalog], source: str = ""
) -> v1.ExtensionRequest:
    """The request that a cluster's own objects make: one ClusterExtension, and the ClusterCatalogs.

    What is installed is what the extension's status says. The content of a catalog, which its object only
    refers to by image, is at the path in its annotation ``olmsolve/file``. Other kinds are passed over.
    """
    extensions: list[Fields] = []
    found: list[Fields] = []
    for manifest in manifests:
        kind = manifest.text("kind", "")
        if not manifest.text("apiVersion", "").startswith(_GROUP):
            continue
        if kind == "ClusterExtension":
            extensions.append(manifest)
        elif kind == "ClusterCatalog":
            found.append(manifest)
    if len(extensions) != 1:
        hint = "a request asks for one extension"
        raise RequestError(f"holds {len(extensions)} ClusterExtensions", source=source, hint=hint)
    manifest = extensions[0]
    spec = _mapping(_mapping(manifest, "spec"), "source")
    if spec.text("sourceType", "Catalog") != "Catalog":
        raise spec.error("only extensions from catalogs can be resolved", "sourceType", "Catalog")
    extension = _extension(_mapping(spec, "catalog"))
    installed = None
    status: Fields | None = manifest
    for step in ("status", "install", "bundle"):
        status = _mapping(status, step) if status is not None and _has(status, step) else None
    if status is not None:
        installed = _installed(status)
    if not found:
        hint = "add the ClusterCatalogs of the cluster, each with the annotation " + FILE_ANNOTATION
        raise RequestError(
            "holds no ClusterCatalog, so that there is nothing to resolve from", source=source, hint=hint
        )
    load_once = _once(load)
    catalogs = [_catalog_object(each, folder, load_once) for each in found]
    name = _mapping(manifest, "metadata").text("name", "")
    return _request(manifest, extension, catalogs, installed, False, (v1.no_dependencies,), name)


def _objects(fields: Fields) -> Iterable[Fields]:
    """The items of a List, each under what it is: the documents of one file come as a List that nobody wrote."""
    for place, item in enumerate(fields.each("items", lambda item: item)):
        metadata = item.values.get("metadata")
        name = metadata.get("name") if isinstance(metadata, Mapping) else None
        known = [text for text in (item.values.get("kind"), name) if isinstance(text, str)]
        described = f"object {place + 1}" + (f" ({' '.join(known)[:_LONGEST_DESCRIBED]})" if known else "")
        yield Fields(item.values, source=", ".join(filter(None, [fields.source, described])))


def _request(
    fields: Fields,
    extension: v1.Extension,
    catalogs: list[v1.ClusterCatalog],
    installed: v1.InstalledBundle | None,
    release_support: bool,
    validations: tuple[v1.Validation, ...],
    name: str,
) -> v1.ExtensionRequest:
    try:
        return v1.ExtensionRequest(extension, catalogs, installed, release_support, validations, name)
    except RequestError as error:
        raise attrs.evolve(error, source=fields.source) from None


def _has(fields: Fields, name: str) -> bool:
    return fields.values.get(name) is not None


def _mapping(fields: Fields, name: str) -> Fields:
    if name not in fields.values:
        raise fields.error("is missing", name)
    path = f"{fields.path}.{name}" if fields.path else name
    return Fields.of(fields.values[name], path=path, source=fields.source)


def _once(load: Callable[[Path], Catalog]) -> Callable[[Path], Catalog]:
    loaded: dict[Path, Catalog] = {}

    def load_once(path: Path) -> Catalog:
        if path not in loaded:
            loaded[path] = load(path)
        return loaded[path]

    return load_once


def _texts(fields: Fields, name: str) -> list[str]:
    return fields.texts(name) if _has(fields, name) else []


def _text_mapping(fields: Fields, name: str) -> dict[str, str]:
    if not _has(fields, name):
        return {}
    values = _mapping(fields, name)
    for key in values.values:
        if not isinstance(key, str):
            raise values.error("names must be text", str(key))
    return {key: values.text(key) for key in values.values}


def _extension(fields: Fields) -> v1.Extension:
    fields.refuse_unknown(_EXTENSION)
    return v1.Extension(
        package=fields.required_text("packageName"),
        version=fields.text("version", ""),
        channels=_texts(fields, "channels"),
        selector=_selector(_mapping(fields, "selector")) if _has(fields, "selector") else None,
        upgrade_constraint_policy=fields.text("upgradeConstraintPolicy", ""),
    )


def _selector(fields: Fields) -> v1.LabelSelector:
    fields.refuse_unknown(_SELECTOR)
    expressions = fields.each("matchExpressions", _expression, default=())
    return v1.LabelSelector(_text_mapping(fields, "matchLabels"), expressions)


def _expression(fields: Fields) -> v1.LabelRequirement:
    fields.refuse_unknown(_EXPRESSION)
    return v1.LabelRequirement(fields.text("key", ""), fields.text("operator", ""), _texts(fields, "values"))


def _installed(fields: Fields) -> v1.InstalledBundle:
    fields.refuse_unknown(_INSTALLED)
    release = fields.text("release") if _has(fields, "release") else None
    # An empty version is one that cannot be read, which is for resolution to say.
    return v1.InstalledBundle(fields.required_text("name"), fields.text("version"), release)


def _gates(fields: Fields) -> set[str]:
    """The feature gates that are on; the field is written in either of two ways."""
    if _has(fields, "featureGates") and _has(fields, "feature_gates"):
        raise fields.error("is given beside feature_gates", "featureGates", "they are one field: leave one out")
    name = "featureGates" if _has(fields, "featureGates") else "feature_gates"
    if not _has(fields, name):
        return set()
    gates = _mapping(fields, name)
    gates.refuse_unknown(_GATES)
    for gate, on in gates.values.items():
        if not isinstance(on, bool):
            raise gates.error("must be true or false", gate)
    return {gate for gate, on in gates.values.items() if on}


def _validations(fields: Fields) -> Iterable[v1.Validation]:
    if "validations" not in fields.values:
        return _VALIDATIONS.values()
    names = _texts(fields, "validations")
    for place, name in enumerate(names):
        if name not in _VALIDATIONS:
            known = ", ".join(_VALIDATIONS)
            raise fields.error(f"there is no validation {name!r}", f"validations[{place}]", f"known: {known}")
    return (_VALIDATIONS[name] for name in names)


def _catalog(fields: Fields, folder: Path, load: Callable[[Path], Catalog]) -> v1.ClusterCatalog:
    fields.refuse_unknown(_CATALOG)
    given = [name for name in ("fbc", "blobs", "file") if _has(fields, name)]
    if len(given) > 1:
        raise fields.error(f"holds {' and '.join(given)}", hint="one of them says what the catalog contains")
    mode = fields.text("availabilityMode", "")
    if mode not in _AVAILABILITY:
        raise fields.error(f"there is no mode {mode!r}", "availabilityMode", "Available or Unavailable")
    content = None
    origin = f"{fields.source or 'request'}, {fields.path}"
    if given == ["file"]:
        content = load(folder / fields.required_text("file"))
    elif given == ["blobs"]:
        blobs = fields.each("blobs", lambda blob: blob.values)
        content = fbc.from_blobs(blobs, origin=f"{origin}.blobs")
    elif given == ["fbc"]:
        content = fbc.from_blobs(_sorted_blobs(_mapping(fields, "fbc")), origin=f"{origin}.fbc")
    name = fields.text("name")
    return v1.ClusterCatalog(
        name=name,
        catalog=content,
        labels=_labels(fields, name),
        priority=fields.integer("priority", 0),
        available=mode != "Unavailable",
        error=fields.text("error", ""),
    )


def _labels(fields: Fields, name: str) -> dict[str, str]:
    """The labels of a catalog, with the one that a cluster gives to each."""
    return {METADATA_NAME: name, **_text_mapping(fields, "labels")}


def _sorted_blobs(fields: Fields) -> list[dict[Any, Any]]:
    """Blobs that came sorted by schema, as a cluster's catalog cache returns them.

    That cache was checked when it was built and is not checked again: of blobs that say the same thing twice
    OLM v1 takes the first.
    """
    fields.refuse_unknown(_FBC)
    blobs: dict[tuple[str, ...], dict[Any, Any]] = {}
    for name, schema in _FBC.items():
        for blob in fields.each(name, lambda blob: blob.values, default=()):
            names = blob.get("package"), None if schema == "olm.deprecations" else blob.get("name")
            identity = (schema, *map(repr, names))
            blobs.setdefault(identity, {**blob, "schema": schema})
    return list(blobs.values())


def _catalog_object(manifest: Fields, folder: Path, load: Callable[[Path], Catalog]) -> v1.ClusterCatalog:
    metadata = _mapping(manifest, "metadata")
    name = metadata.required_text("name")
    spec = _mapping(manifest, "spec") if _has(manifest, "spec") else Fields({}, source=manifest.source)
    available = spec.text("availabilityMode", "Available") != "Unavailable"
    path = _text_mapping(metadata, "annotations").get(FILE_ANNOTATION)
    if path is None and available:
        where = f"annotations[{FILE_ANNOTATION}]"
        raise metadata.error("is missing", where, hint="it says where the content of the catalog is")
    return v1.ClusterCatalog(
        name=name,
        catalog=load(folder / path) if path is not None and available else None,
        labels=_labels(metadata, name),
        priority=spec.integer("priority", 0),
        available=available,
    )
