"""Documents that ask OLM v1 for something: one extension over cluster catalogs, or the cluster's own objects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Final

import olmsolve._attrs as attrs
from olmsolve import v1
from olmsolve.catalog import Catalog, Package, fbc
from olmsolve.errors import RangeError, RequestError
from olmsolve.fields import DocumentLocation, Fields, Raw, read_record
from olmsolve.requests.documents import FILE_ANNOTATION
from olmsolve.semver import MastermindsRange, quote

_GROUP: Final = "olm.operatorframework.io/"
FBC: Final = {
    "packages": "olm.package",
    "channels": "olm.channel",
    "bundles": "olm.bundle",
    "deprecations": "olm.deprecations",
}
_SAFETY: Final = ("", "Strict", "None")
_RELEASES: Final = "BundleReleaseSupport"
_SERVING: Final = "Serving"
_VALIDATIONS: Final[Mapping[str, v1.Validation]] = {"no_dependency": v1.no_dependencies}
_ADMISSION: Final = "admission"
_LONGEST_TITLE: Final = 100  # characters of a stranger's kind and name in an error
_AVAILABILITY: Final = ("", "Available", "Unavailable")


def v1_request(fields: Fields, folder: Path, load: Callable[[Path], Catalog]) -> v1.ExtensionRequest:
    """Return the request of a document with an ``extension``, of a ClusterExtension alone, or of a List of objects."""
    if "extension" in fields.values:
        return extension_request(fields, folder, load)
    if fields.text("kind").endswith("List"):
        return manifests_request(_objects(fields), folder, load, fields.source)
    return manifests_request([fields], folder, load, fields.source)


def extension_request(fields: Fields, folder: Path, load: Callable[[Path], Catalog]) -> v1.ExtensionRequest:
    """Return the request that *fields* describe; a catalog's ``file`` is relative to *folder* and read by *load*."""
    if fields.has("houseRules"):
        raise fields.error(
            "are about several bundles, and OLM v1 resolves each extension by itself",
            "houseRules",
            "state them in a request for classic OLM",
        )
    # The objects of a cluster are read without the records of documents.
    from olmsolve.requests.extension_documents import ExtensionRequestDocument

    fields.refuse_undeclared(ExtensionRequestDocument)
    extension = _extension(fields.require("extension").part("extension"))
    installed = _installed(fields.part("installed")) if fields.has("installed") else None
    gates = _gates(fields)
    validations = tuple(_validations(fields))
    if not fields.has("validations") or _ADMISSION in fields.texts("validations"):
        _refuse_unwritable_wish(fields, extension)
    load_once = cache(load)
    # Catalogs come last: a mistake elsewhere should not have to wait for megabytes to load.
    catalogs = fields.each("catalogs", lambda part: _catalog(part, folder, extension, load_once))
    settings = _document_settings(fields.part("install"))
    request = _request(fields, extension, catalogs, installed, gates, validations, fields.text("name"))
    return attrs.evolve(request, settings=settings)


def manifests_request(
    manifests: Iterable[Fields],
    folder: Path,
    load: Callable[[Path], Catalog],
    source: str = "",
    *,
    gates: v1.FeatureGates | None = None,
    rolling_out: v1.InstalledBundle | None = None,
) -> v1.ExtensionRequest:
    """Return the request that a cluster's own objects make: one ClusterExtension, and the ClusterCatalogs.

    The extension's status says what is installed. The content of a catalog, which its object only
    refers to by image, is at the path in its annotation ``olmsolve/file``. Other kinds are passed over. Only the
    available catalogs that the extension's selector chooses must have content; that of others is read when a question
    touches it. A catalog whose status says that it does not serve its content needs none: it fails the resolution.
    *gates* are the controller's (None: the defaults), *rolling_out* is the bundle of a revision that rolls out.
    """
    gates = gates or v1.FeatureGates()
    extensions: list[Fields] = []
    catalog_manifests: list[Fields] = []
    for manifest in manifests:
        kind = manifest.text("kind")
        if not manifest.text("apiVersion").startswith(_GROUP):
            continue
        if kind == "ClusterExtension":
            extensions.append(manifest)
        elif kind == "ClusterCatalog":
            catalog_manifests.append(manifest)
    if len(extensions) != 1:
        hint = "a request asks for one extension"
        raise RequestError(f"holds {len(extensions)} ClusterExtensions", source=source, hint=hint)
    manifest = extensions[0]
    spec = manifest.require("spec").part("spec")
    source_fields = spec.require("source").part("source")
    if source_fields.required_text("sourceType") != "Catalog":
        raise source_fields.error("only extensions from catalogs can be resolved", "sourceType", "Catalog")
    extension = _extension(source_fields.require("catalog").part("catalog"))
    install = manifest.part("status").part("install")
    installed = _installed(install.part("bundle")) if install.has("bundle") else None
    # An API server refuses an extension without a namespace to install into.
    spec.required_text("namespace")
    load_once = cache(load)
    catalogs = [_catalog_object(catalog, folder, extension, load_once) for catalog in catalog_manifests]
    metadata = manifest.require("metadata").part("metadata")
    request = _request(manifest, extension, catalogs, installed, gates, (v1.no_dependencies,), metadata.text("name"))
    for source_manifest in (manifest, *catalog_manifests):
        _refuse_unwritable(source_manifest)
    return attrs.evolve(
        request,
        settings=_settings(spec),
        is_deleted=metadata.has("deletionTimestamp"),
        rolling_out=rolling_out,
        conditions=[
            read_record(v1.ExtensionCondition, condition) for condition in manifest.part("status").parts("conditions")
        ],
    )


def _document_settings(fields: Fields) -> v1.InstallSettings:
    """Return the part ``install`` of a document."""
    fields.refuse_undeclared(v1.InstallSettings)
    safety = fields.text("crdUpgradeSafety")
    if safety not in _SAFETY:
        raise fields.error(f"there is no enforcement {safety!r}", "crdUpgradeSafety", "Strict or None")
    return v1.InstallSettings(
        namespace=fields.text("namespace"),
        config=fields.raw("config") if fields.has("config") else None,
        crd_upgrade_safety=safety != "None",
    )


def _settings(spec: Fields) -> v1.InstallSettings:
    """Return what the specification *spec* says of installing."""
    config = spec.part("config")
    safety = spec.part("install").part("preflight").part("crdUpgradeSafety")
    return v1.InstallSettings(
        namespace=spec.text("namespace"),
        config=config.raw("inline") if config.has("inline") else None,
        crd_upgrade_safety=safety.text("enforcement") != "None",
    )


def _refuse_unwritable_wish(fields: Fields, extension: v1.Extension) -> None:
    """Raise a RequestError where no ClusterExtension with the wish *extension* can be written.

    A range that nobody can read is left to the resolver, which says where its fault is.
    """
    from olmsolve.cluster.extensions import wish_faults

    faults = wish_faults(extension)
    if not faults:
        return
    if extension.version:
        try:
            MastermindsRange.parse(extension.version)
        except RangeError:
            return
    hint = f"without {_ADMISSION} among its validations, the document asks only the resolver"
    raise fields.error(f"no API server accepts this extension: {'; '.join(faults)}", "extension", hint)


def _refuse_unwritable(manifest: Fields) -> None:
    """Raise a RequestError for an object that no API server takes, in the words of one."""
    from olmsolve.cluster.extensions import written_fault

    if fault := written_fault(manifest.values):
        raise manifest.error(f"no API server accepts it: {fault}")


def _objects(fields: Fields) -> Iterable[Fields]:
    """Yield the items of a List, each located by its number, kind and name; the documents of one file are a List."""
    for number, item in enumerate(fields.require("items").parts("items"), 1):
        metadata = item.values.get("metadata")
        name = metadata.get("name") if isinstance(metadata, Mapping) else None
        titles = [text for text in (item.values.get("kind"), name) if isinstance(text, str)]
        object_ = f"object {number}" + (f" ({' '.join(titles)[:_LONGEST_TITLE]})" if titles else "")
        yield Fields(item.values, location=DocumentLocation(", ".join(filter(None, [fields.source, object_]))))


def _request(
    fields: Fields,
    extension: v1.Extension,
    catalogs: list[v1.ClusterCatalog],
    installed: v1.InstalledBundle | None,
    gates: v1.FeatureGates,
    validations: tuple[v1.Validation, ...],
    name: str,
) -> v1.ExtensionRequest:
    release_support, others = gates.is_on(_RELEASES), gates.besides(_RELEASES)
    try:
        return v1.ExtensionRequest(extension, catalogs, installed, release_support, validations, name, gates=others)
    except RequestError as error:
        raise attrs.evolve(error, source=fields.source) from None


def _is_used(labels: Mapping[str, str], available: bool, wish: v1.Extension) -> bool:
    """Return True if resolving *wish* asks a catalog with these *labels* for its content."""
    selector = wish.selector
    return available and (selector is None or (not selector.fault() and selector.matches(labels)))


class _DeferredPackages(Mapping[str, Package]):
    """The packages of a catalog that is read when the first of them is asked for; an error is raised each time."""

    def __init__(self, content: Callable[[], Catalog]) -> None:
        # A cache keeps no error, so that each lookup tries, and raises, again.
        self._packages = cache(lambda: content().packages)

    def __getitem__(self, name: str) -> Package:
        return self._packages()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._packages())

    def __len__(self) -> int:
        return len(self._packages())


def _extension(fields: Fields) -> v1.Extension:
    fields.refuse_undeclared(v1.Extension)
    wish = v1.Extension(
        package=fields.required_text("packageName"),
        version=fields.text("version"),
        channels=fields.texts("channels"),
        selector=_selector(fields.part("selector")) if fields.has("selector") else None,
    )
    try:
        return attrs.evolve(wish, upgrade_constraint_policy=fields.text("upgradeConstraintPolicy"))
    except RequestError as error:
        raise fields.error(error.reason, "upgradeConstraintPolicy", error.hint) from None


def _selector(fields: Fields) -> v1.LabelSelector:
    fields.refuse_undeclared(v1.LabelSelector)
    expressions = fields.each("matchExpressions", _expression)
    return v1.LabelSelector(_text_values(fields.part("matchLabels")), expressions)


def _expression(fields: Fields) -> v1.LabelRequirement:
    fields.refuse_undeclared(v1.LabelRequirement)
    return read_record(v1.LabelRequirement, fields)


def _installed(fields: Fields) -> v1.InstalledBundle:
    fields.refuse_undeclared(v1.InstalledBundle)
    release = fields.text("release") if fields.has("release") else None
    # An empty version is one that cannot be read, which is for resolution to say.
    return v1.InstalledBundle(fields.required_text("name"), fields.require("version").text("version"), release)


def _gates(fields: Fields) -> v1.FeatureGates:
    """Return the feature gates; documents name the field in either of two ways."""
    if fields.has("featureGates") and fields.has("feature_gates"):
        raise fields.error("is given together with feature_gates", "featureGates", "they are one field: leave one out")
    name = "featureGates" if fields.has("featureGates") else "feature_gates"
    gates = fields.part(name)
    for gate, on in gates.values.items():
        if not isinstance(on, bool):
            raise gates.error("must be true or false", gate)
    try:
        return v1.FeatureGates(gates.values)
    except RequestError as error:
        raise gates.error(error.reason, error.field.rpartition(".")[2], error.hint) from None


def _validations(fields: Fields) -> Iterable[v1.Validation]:
    if "validations" not in fields.values:
        return _VALIDATIONS.values()
    names = fields.texts("validations")
    for position, name in enumerate(names):
        if name not in (*_VALIDATIONS, _ADMISSION):
            choices = ", ".join((*_VALIDATIONS, _ADMISSION))
            raise fields.error(f"there is no validation {name!r}", f"validations[{position}]", f"known: {choices}")
    return (_VALIDATIONS[name] for name in names if name != _ADMISSION)


def _catalog(fields: Fields, folder: Path, wish: v1.Extension, load: Callable[[Path], Catalog]) -> v1.ClusterCatalog:
    from olmsolve.requests.extension_documents import ClusterCatalogDocument

    fields.refuse_undeclared(ClusterCatalogDocument)
    given = [name for name in ("fbc", "blobs", "file") if fields.has(name)]
    if len(given) > 1:
        raise fields.error(f"holds {' and '.join(given)}", hint="one of them says what the catalog contains")
    available = _available(fields)
    name = fields.require("name").text("name")
    labels = _labels(fields, name)
    content = None
    origin = f"{fields.source or 'request'}, {fields.path}"
    if given == ["file"]:
        read = partial(load, fbc.path_from(folder, fields.required_text("file")))
        content = read() if _is_used(labels, available, wish) else Catalog(_DeferredPackages(read))
    elif given == ["blobs"]:
        blobs = fields.raws("blobs")
        content = fbc.from_blobs(blobs, origin=f"{origin}.blobs")
    elif given == ["fbc"]:
        content = fbc.from_blobs(_sorted_blobs(fields.part("fbc")), origin=f"{origin}.fbc")
    return v1.ClusterCatalog(
        name=name,
        catalog=content,
        labels=labels,
        priority=fields.integer("priority", bits=32),
        available=available,
        error=fields.text("error"),
    )


def _text_values(fields: Fields) -> dict[str, str]:
    """Return the texts of a mapping of labels or annotations; null is an error there, because "" would mean another."""
    return {key: fields.require(key).text(key) for key in fields.values}


def _labels(fields: Fields, name: str) -> dict[str, str]:
    """Return the labels of the catalog *name*, with the label that a cluster gives to each."""
    return {v1.METADATA_NAME: name, **_text_values(fields.part("labels"))}


def _sorted_blobs(fields: Fields) -> list[Raw]:
    """Return blobs that came sorted by schema, as a cluster's catalog cache returns them.

    The cache was checked when it was built, and OLM v1 does not check it again: it takes the first of two blobs for the
    same thing.
    """
    fields.refuse_unknown(FBC)
    blobs: dict[tuple[str, ...], Raw] = {}
    for name, schema in FBC.items():
        for blob in fields.raws(name):
            names = blob.get("package"), None if schema == "olm.deprecations" else blob.get("name")
            # As text, because a wrong name may be a list, which has no hash.
            identity = (schema, *map(repr, names))
            blobs.setdefault(identity, {**blob, "schema": schema})
    return list(blobs.values())


def _available(fields: Fields) -> bool:
    mode = fields.text("availabilityMode")
    if mode not in _AVAILABILITY:
        raise fields.error(f"there is no mode {mode!r}", "availabilityMode", "Available or Unavailable")
    return mode != "Unavailable"


def _catalog_object(
    manifest: Fields, folder: Path, wish: v1.Extension, load: Callable[[Path], Catalog]
) -> v1.ClusterCatalog:
    metadata = manifest.require("metadata").part("metadata")
    name = metadata.required_text("name")
    spec = manifest.part("spec")
    available = _available(spec)
    labels = _labels(metadata, name)
    path = _text_values(metadata.part("annotations")).get(FILE_ANNOTATION)
    is_used = _is_used(labels, available, wish)
    content = None
    fault = _serving_fault(manifest.part("status"), name)
    if not fault and path is not None:
        read = partial(load, fbc.path_from(folder, path))
        content = read() if is_used else Catalog(_DeferredPackages(read))
    elif not fault and is_used:
        where = f"annotations[{FILE_ANNOTATION}]"
        raise metadata.error("is missing", where, hint="it says where the content of the catalog is")
    return v1.ClusterCatalog(
        name=name,
        catalog=content,
        labels=labels,
        priority=spec.integer("priority", bits=32),
        available=available,
        error=fault,
    )


def _serving_fault(status: Fields, name: str) -> str:
    """Return the words of the controller for a catalog whose *status* does not say that it serves; "" if it does.

    A manifest that somebody wrote has no status, and counts as serving.
    """
    if not status.has("conditions"):
        return ""
    serving = (
        condition.text("status") for condition in status.parts("conditions") if condition.text("type") == _SERVING
    )
    return "" if next(serving, "") == "True" else f"catalog {quote(name)} is not being served"
