"""The properties and images of a bundle, from its manifests and metadata, and the APIs that it provides and requires.

A manifest is an object whose fields are read by path, and named by it in errors.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NoReturn, TypeAlias

import olmsolve._attrs as attrs
from olmsolve.catalog import Origin
from olmsolve.catalog.fbc.bundle_objects import BUNDLE_OBJECT, object_data, object_manifest
from olmsolve.catalog.fbc.document import DEPTH, DOCUMENT, plain
from olmsolve.catalog.fbc.field_types import (
    CSV_METADATA,
    MIGRATED_CSV,
    PROPERTY_TYPES,
    RENDERED_CSV,
    FieldType,
    as_go_writes,
    field_faults,
)
from olmsolve.catalog.fbc.opm_json import OwnBlob, RawProperty, from_yaml, go_text, raw_values
from olmsolve.errors import CatalogError
from olmsolve.predicates import GVK, described, named

_DEFINITION: Final = "CustomResourceDefinition"
_VERSIONS: Final = ("apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1")


@attrs.frozen
class Manifest:
    """An object of the folder of manifests."""

    value: dict[str, Any]
    origin: Origin

    def at(self, *path: str) -> Mapping[str, Any]:
        """Return the object at *path*, an empty one where nothing is."""
        value: Any = self.value
        for step, field in enumerate(path):
            value = value.get(field)
            if value is None:
                return {}
            if not isinstance(value, dict):
                self.refuse(f"{'.'.join(path[: step + 1])} must be an object, not {described(value)}")
        mapping: Mapping[str, Any] = value
        return mapping

    def objects(self, *path: str) -> list[Mapping[str, Any]]:
        """Return the list of objects at *path*, an empty one where nothing is."""
        objects = self.at(*path[:-1]).get(path[-1])
        where = ".".join(path)
        if objects is None:
            return []
        if not isinstance(objects, list):
            self.refuse(f"{where} must be a list, not {described(objects)}")
        for index, element in enumerate(objects):
            if not isinstance(element, dict):
                self.refuse(f"{where}[{index}] must be an object, not {described(element)}")
        return objects

    def text(self, value: Mapping[str, Any], field: str, path: str) -> str:
        """Return the *field* of *value*, which is at *path* in the manifest; "" if it is absent."""
        text = value.get(field)
        if text is not None and not isinstance(text, str):
            self.refuse(f"{path}.{field} must be a string, not {described(text)}")
        return text or ""

    def name(self) -> str:
        """Return ``metadata.name``, which must be there."""
        name = self.text(self.at("metadata"), "name", "metadata")
        return name or self.refuse("metadata.name is missing")

    def check(self, expected: FieldType) -> None:
        """Raise the error of the first field that does not have the type *expected*."""
        for fault in field_faults(expected, self.value):
            self.refuse(f"{fault.path} {fault.reason}")

    def refuse(self, reason: str) -> NoReturn:
        """Raise the :class:`~olmsolve.errors.CatalogError` of this manifest."""
        raise CatalogError(f"{reason} ({self.value['kind']})", origin=str(self.origin))


class BundleApis:
    """The APIs that a bundle *provides* and *requires* by its ClusterServiceVersion and its other manifests.

    An owned definition is provided in each of its versions, as the definition itself states them: as recorded, the
    ClusterServiceVersion is only compared with it.
    """

    def __init__(self, csv: Manifest, manifests: Iterable[Manifest]) -> None:
        self._csv = csv
        # The plural name distinguishes a definition from others of the same kind.
        self._defined = {definition for manifest in manifests for definition in _defined(manifest)}
        services = "apiservicedefinitions"
        self.provided: set[GVK] = {api for api, _ in self._defined} | {
            GVK(*api) for api in self._services(services, "owned")
        }
        self.required: set[GVK] = {GVK(*api) for api in self._services(services, "required")}
        self.required |= {api for api, _ in self._described("required")}

    def check(self) -> None:
        """Raise the error of an owned definition that no manifest defines: ``opm`` refuses such a bundle."""
        for api, plural in self._described("owned"):
            if (api, plural) not in self._defined:
                where = f"{plural}.{api.group} in version {api.version!r} with kind {api.kind!r}"
                self._csv.refuse(f"spec.customresourcedefinitions.owned names {where}, which no manifest defines")

    def _described(self, role: str) -> Iterator[tuple[GVK, str]]:
        path = f"spec.customresourcedefinitions.{role}"
        for description in self._csv.objects("spec", "customresourcedefinitions", role):
            name, version, kind = (self._csv.text(description, field, path) for field in ("name", "version", "kind"))
            plural, dot, group = name.partition(".")
            if not dot:
                self._csv.refuse(f"{path}: the name of a definition must be PLURAL.GROUP, not {name!r}")
            yield GVK(group, version, kind), plural

    def _services(self, section: str, role: str) -> Iterator[tuple[str, str, str]]:
        path = f"spec.{section}.{role}"
        for service in self._csv.objects("spec", section, role):
            group, version, kind = (self._csv.text(service, field, path) for field in ("group", "version", "kind"))
            yield group, version, kind


def _defined(manifest: Manifest) -> Iterator[tuple[GVK, str]]:
    """Yield the APIs of a CustomResourceDefinition, with its plural name."""
    kind_of_api = manifest.value.get("apiVersion")
    if manifest.value.get("kind") != _DEFINITION or kind_of_api not in _VERSIONS:
        return
    spec, names = manifest.at("spec"), manifest.at("spec", "names")
    group = manifest.text(spec, "group", "spec")
    kind, plural = (manifest.text(names, field, "spec.names") for field in ("kind", "plural"))
    versions = [manifest.text(version, "name", "spec.versions") for version in manifest.objects("spec", "versions")]
    if kind_of_api == _VERSIONS[1]:
        # The older form may have one version, in a field of its own.
        versions += filter(None, [manifest.text(spec, "version", "spec")])
    for version in versions:
        yield GVK(group, version, kind), plural


Stated: TypeAlias = Iterable[tuple[dict[str, Any], Origin]]
"""Objects with a type and a value, each with its origin."""

_PROPERTIES: Final = "olm.properties"  # the annotation of a ClusterServiceVersion
_LONGEST: Final = min(DOCUMENT, 1 << 20)  # characters of it; Kubernetes allows an object 256 KiB of annotations


_TYPE: Final = PROPERTY_TYPES[CSV_METADATA]
_DEFINITIONS: Final = {
    "apiServiceDefinitions": "apiservicedefinitions",
    "crdDescriptions": "customresourcedefinitions",
}
"""The fields of the property that the spec of a ClusterServiceVersion has under another name."""
_ABOUT: Final = frozenset(("annotations", "labels"))
_SPEC: Final = frozenset((*(_TYPE.names - _ABOUT - _DEFINITIONS.keys()), *_DEFINITIONS.values()))


def bundle_properties(
    package: str,
    csv: Manifest,
    manifests: Iterable[Manifest],
    properties: Stated,
    dependencies: Stated,
    *,
    with_objects: bool,
) -> list[dict[str, Any]]:
    """Return the properties by type and then by the JSON of their values; manifests and ``olm.csv.metadata`` come last.

    This is the order of ``opm render``. *properties* and *dependencies* are the elements of the files of the metadata:
    a property that occurs there twice counts once, a dependency twice, as recorded. An ``olm.csv.metadata`` among
    *properties* stays alone, and the manifests beside it stay whole, as recorded of ``opm render --migrate``.

    Raises:
        CatalogError: a field that ``opm`` decodes has the wrong type, or an owned definition is not among *manifests*.
    """
    manifests = list(manifests)
    csv.check(RENDERED_CSV)
    apis = BundleApis(csv, manifests)
    apis.check()
    made: list[dict[str, Any]] = []
    for stated, origin in _without_repeats(_stated_properties(csv, properties)):
        if stated["type"] == "olm.gvk":
            apis.provided.add(_api_of(stated["value"], origin))
        elif stated["type"] != "olm.package":
            # As recorded, the ClusterServiceVersion and the annotations alone say which package and version this is.
            made.append(stated)
    required = apis.required
    for element, origin in dependencies:
        if element["type"] == "olm.gvk":
            required.add(_api_of(element["value"], origin))
        else:
            made.append(_required_property(element, origin))
    made += [_property("olm.gvk", _api_value(api)) for api in apis.provided]
    made += [_property("olm.gvk.required", _api_value(api)) for api in required]
    version = csv.text(csv.at("spec"), "version", "spec") or csv.refuse("spec.version is missing")
    made.append(_property("olm.package", {"packageName": package, "version": version}))
    whole = with_objects or any(property_["type"] == CSV_METADATA for property_ in made)
    if not with_objects:
        # As recorded, opm decodes the ClusterServiceVersion for olm.csv.metadata even if the bundle already has that
        # property.
        csv.check(MIGRATED_CSV)
    if whole:
        made += [_property(BUNDLE_OBJECT, {"data": object_data(manifest.value)}) for manifest in manifests]
    ordered = sorted(made, key=_sort_key)
    others = [property_ for property_ in ordered if property_["type"] not in (BUNDLE_OBJECT, CSV_METADATA)]
    if not whole:
        return [*others, csv_metadata_property(csv)]
    return [*others, *(property_ for property_ in ordered if property_["type"] in (BUNDLE_OBJECT, CSV_METADATA))]


def _sort_key(stated: Mapping[str, Any]) -> tuple[str, str]:
    return stated["type"], stated.raw if isinstance(stated, RawProperty) else go_text(stated["value"])


def _without_repeats(properties: Iterable[tuple[dict[str, Any], Origin]]) -> Iterator[tuple[dict[str, Any], Origin]]:
    """Yield each property once."""
    seen: set[tuple[str, str]] = set()
    for stated, origin in properties:
        key = _sort_key(stated)
        if key not in seen:
            seen.add(key)
            yield stated, origin


def csv_metadata_property(csv: Manifest) -> dict[str, Any]:
    """Return the property ``olm.csv.metadata`` that catalogs keep of *csv*, a ClusterServiceVersion.

    Raises:
        CatalogError: a field of the ClusterServiceVersion has the wrong type, even a field that is not kept.
    """
    csv.check(MIGRATED_CSV)
    return _property(CSV_METADATA, _csv_metadata(csv))


def related_images(csv: Manifest, image: str) -> list[dict[str, str]]:
    """Return the images that the ClusterServiceVersion and its deployments name, and *image* itself, by reference."""
    images = [
        {
            "name": csv.text(related, "name", "spec.relatedImages"),
            "image": csv.text(related, "image", "spec.relatedImages"),
        }
        for related in csv.objects("spec", "relatedImages")
    ]
    named_images = {listed_image["image"] for listed_image in images}
    # A container without an image counts: its image is "".
    others = dict.fromkeys([*_deployed_images(csv), image])
    images.extend({"name": "", "image": other} for other in others if other not in named_images)
    return sorted(images, key=lambda image: image["image"])


def _property(kind: str, value: Any) -> dict[str, Any]:
    return {"type": kind, "value": value}


def _stated_properties(csv: Manifest, properties: Stated) -> Iterator[tuple[dict[str, Any], Origin]]:
    for element, origin in properties:
        is_raw = isinstance(element, RawProperty)
        yield element if is_raw else _property(element["type"], from_yaml(element["value"])), origin
    annotation = csv.at("metadata", "annotations").get(_PROPERTIES)
    if annotation is None:
        return
    where = f"the annotation {_PROPERTIES}"
    try:
        if not isinstance(annotation, str) or len(annotation) > _LONGEST or annotation.count("[") > DEPTH * 10:
            raise ValueError
        stated = json.loads(annotation) or []
        if not isinstance(stated, list):
            raise ValueError
    except (ValueError, RecursionError):
        csv.refuse(f"{where} must be a list of properties in JSON")
    raw = raw_values(annotation, "") or []
    for index, element in enumerate(stated):
        if not isinstance(element, dict) or not isinstance(element.get("type"), str) or "value" not in element:
            csv.refuse(f"{where}[{index}] must be an object with a type and a value")
        copied = plain(element, csv.origin)
        if len(raw) == len(stated):
            yield RawProperty(copied["type"], copied["value"], raw[index]), csv.origin
        else:
            yield _property(copied["type"], copied["value"]), csv.origin


def _required_property(element: dict[str, Any], origin: Origin) -> dict[str, Any]:
    kind, value = element["type"], element["value"]
    if kind != "olm.package":
        return element if isinstance(element, RawProperty) else _property(kind, from_yaml(value))
    if not isinstance(value, dict):
        raise CatalogError(
            f"the value of a dependency on a package must be an object, not {described(value)}", origin=str(origin)
        )
    name, wanted = value.get("packageName"), value.get("version")
    if not isinstance(name, str) or not isinstance(wanted, str):
        reason = "the value of a dependency on a package must have the texts packageName and version"
        raise CatalogError(reason, origin=str(origin))
    return _property("olm.package.required", {"packageName": name, "versionRange": wanted})


def _api_of(value: Any, origin: Origin) -> GVK:
    if not isinstance(value, dict):
        raise CatalogError(f"the value of an API must be an object, not {described(value)}", origin=str(origin))
    for field in ("group", "version", "kind"):
        if not isinstance(value.get(field) or "", str):
            raise CatalogError(f"{field} of an API must be a string, not {described(value[field])}", origin=str(origin))
    return GVK(*(value.get(field) or "" for field in ("group", "version", "kind")))


def _csv_metadata(csv: Manifest) -> dict[str, Any]:
    """Return the part of a ClusterServiceVersion that catalogs keep, for people and checks, as olm.csv.metadata."""
    spec, about = named(csv.at("spec"), _SPEC), named(csv.at("metadata"), _ABOUT)
    fields = {**spec, **{name: about.get(name) for name in _ABOUT}}
    fields |= {name: spec.get(definitions) for name, definitions in _DEFINITIONS.items()}
    made = as_go_writes(_TYPE, fields, from_yaml)
    return {field: made[field] for field in sorted(made)}


def _api_value(api: GVK) -> dict[str, str]:
    """Return the value of the property that states *api*, in the order of ``opm``."""
    return {"group": api.group, "kind": api.kind, "version": api.version}


def _deployed_images(csv: Manifest) -> Iterator[str]:
    """Yield the images of the containers of the deployments, in their order."""
    for deployment in csv.objects("spec", "install", "spec", "deployments"):
        pod = Manifest({**deployment, "kind": csv.value.get("kind")}, csv.origin)
        for kind in ("initContainers", "containers"):
            for container in pod.objects("spec", "template", "spec", kind):
                yield pod.text(container, "image", kind)


def migrated(blob: Mapping[str, Any]) -> dict[str, Any]:
    """Return *blob*, if it is a bundle with one ``olm.csv.metadata`` in the place of its ``olm.bundle.object``.

    As ``opm render --migrate`` does: a bundle without an image keeps its manifests, which nothing else has; so does one
    that has an ``olm.csv.metadata`` already, and one without a ClusterServiceVersion.

    Raises:
        CatalogError: a field of the ClusterServiceVersion has the wrong type.
    """
    properties = blob.get("properties") or ()
    types = {property_.get("type") for property_ in properties}
    if blob.get("schema") != "olm.bundle" or not blob.get("image") or CSV_METADATA in types:
        return OwnBlob(blob) if isinstance(blob, OwnBlob) else dict(blob)
    manifests = [
        object_manifest(property_.get("value")) for property_ in properties if property_.get("type") == BUNDLE_OBJECT
    ]
    csvs = [
        manifest for manifest in manifests if manifest is not None and manifest.get("kind") == "ClusterServiceVersion"
    ]
    if not csvs:
        return OwnBlob(blob) if isinstance(blob, OwnBlob) else dict(blob)
    csv = Manifest(dict(csvs[0]), Origin(f"bundle {blob.get('name')}"))
    kept = [property_ for property_ in properties if property_.get("type") != BUNDLE_OBJECT]
    return OwnBlob({**blob, "properties": [*kept, csv_metadata_property(csv)]})
