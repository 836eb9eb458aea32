"""The properties and images of a bundle, from its manifests and metadata."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple, NoReturn, TypeAlias

import attrs

from olmsolve.catalog import Origin
from olmsolve.catalog.fbc.bundle_objects import BUNDLE_OBJECT, object_data, object_manifest
from olmsolve.catalog.fbc.document import DEPTH, DOCUMENT
from olmsolve.catalog.fbc.plain_values import plain
from olmsolve.errors import CatalogError
from olmsolve.predicates import described, named

Stated: TypeAlias = Iterable[tuple[dict[str, Any], Origin]]
"""Objects with a type and a value, each with its origin."""

_METADATA: Final = "olm.csv.metadata"
_PROPERTIES: Final = "olm.properties"  # the annotation of a ClusterServiceVersion
_LONGEST: Final = min(DOCUMENT, 1 << 20)  # characters of it; Kubernetes allows an object 256 KiB of annotations


class _StructFields(NamedTuple):
    """The fields of an object in olm.csv.metadata: texts and *flags* that are *always* written, others where not empty.

    *inner* has the fields of the objects inside a field; other values are kept whole. Unknown fields are dropped, and
    names are read in any letter case, as Go reads them.
    """

    always: tuple[str, ...]
    optional: tuple[str, ...]
    inner: Mapping[str, _StructFields] = {}
    flags: tuple[str, ...] = ()

    def named(self, value: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return *value* with the names of these fields as they are documented."""
        return named(value, frozenset((*self.always, *self.optional, *self.flags)))


_DESCRIPTOR: Final = _StructFields(("path",), ("displayName", "description", "x-descriptors", "value"))
_INSIDE_APIS: Final = {
    "resources": _StructFields(("name", "kind", "version"), ()),
    **dict.fromkeys(("statusDescriptors", "specDescriptors", "actionDescriptors"), _DESCRIPTOR),
}
_ABOUT_APIS: Final = ("displayName", "description", *_INSIDE_APIS)
_CRD: Final = _StructFields(("name", "version", "kind"), _ABOUT_APIS, _INSIDE_APIS)
_API_SERVICE: Final = _StructFields(
    ("name", "group", "version", "kind"), ("deploymentName", "containerPort", *_ABOUT_APIS), _INSIDE_APIS
)
# The fields of the spec that olm.csv.metadata keeps, where they are not empty; None for fields that are kept whole.
_KEPT: Final[Mapping[str, _StructFields | None]] = {
    **dict.fromkeys(("description", "displayName", "keywords", "maturity", "minKubeVersion")),
    "installModes": _StructFields(("type",), (), flags=("supported",)),
    "links": _StructFields((), ("name", "url")),
    "maintainers": _StructFields((), ("name", "email")),
    "nativeAPIs": _StructFields(("group", "version", "kind"), ()),
}
_PROVIDER: Final = _StructFields((), ("name", "url"))
_DEFINITIONS: Final = ("apiservicedefinitions", "customresourcedefinitions")
_SPEC: Final = frozenset((*_KEPT, *_DEFINITIONS, "provider"))
_ABOUT: Final = frozenset(("annotations", "labels"))
_ROLES: Final = frozenset(("owned", "required"))


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

    def refuse(self, reason: str) -> NoReturn:
        """Raise the :class:`~olmsolve.errors.CatalogError` of this manifest."""
        raise CatalogError(f"{reason} ({self.value['kind']})", origin=str(self.origin))


def bundle_properties(
    package: str,
    csv: Manifest,
    manifests: Iterable[Manifest],
    properties: Stated,
    dependencies: Stated,
    *,
    with_objects: bool,
) -> list[dict[str, Any]]:
    """Return the properties by type and then by value, each once; manifests and ``olm.csv.metadata`` come last.

    This is the order of ``opm render``. *properties* and *dependencies* are the elements of the files of the metadata.
    An ``olm.csv.metadata`` among *properties* stays alone, and the manifests beside it stay whole, as recorded of
    ``opm render --migrate``.
    """
    manifests = list(manifests)
    made = [*_stated_properties(csv, properties), *_required_properties(dependencies), *_api_properties(csv, manifests)]
    if not any(each["type"] == "olm.package" for each in made):
        version = csv.text(csv.at("spec"), "version", "spec")
        if not version:
            csv.refuse("spec.version is missing")
        made.append(_property("olm.package", {"packageName": package, "version": version}))
    whole = with_objects or any(each["type"] == _METADATA for each in made)
    if whole:
        made += [_property(BUNDLE_OBJECT, {"data": object_data(manifest.value)}) for manifest in manifests]
    distinct = {(each["type"], json.dumps(each["value"], separators=(",", ":"))): each for each in made}
    ordered = [distinct[key] for key in sorted(distinct)]
    others = [each for each in ordered if each["type"] not in (BUNDLE_OBJECT, _METADATA)]
    if not whole:
        return [*others, csv_metadata_property(csv)]
    return [*others, *(each for each in ordered if each["type"] in (BUNDLE_OBJECT, _METADATA))]


def csv_metadata_property(csv: Manifest) -> dict[str, Any]:
    """Return the property ``olm.csv.metadata`` that catalogs keep of *csv*, a ClusterServiceVersion."""
    return _property(_METADATA, _csv_metadata(csv))


def related_images(csv: Manifest, image: str) -> list[dict[str, str]]:
    """Return the images that the ClusterServiceVersion and its deployments name, and *image* itself, by reference."""
    images = [
        {"name": csv.text(each, "name", "spec.relatedImages"), "image": csv.text(each, "image", "spec.relatedImages")}
        for each in csv.objects("spec", "relatedImages")
    ]
    named = {each["image"] for each in images}
    others = dict.fromkeys([*_deployed_images(csv), image])
    images.extend({"name": "", "image": other} for other in others if other and other not in named)
    return sorted(images, key=lambda each: (each["image"], each["name"]))


def _property(kind: str, value: Any) -> dict[str, Any]:
    return {"type": kind, "value": value}


def _stated_properties(csv: Manifest, properties: Stated) -> Iterator[dict[str, Any]]:
    for element, _ in properties:
        yield _property(element["type"], element["value"])
    annotation = csv.at("metadata", "annotations").get(_PROPERTIES)
    if annotation is None:
        return
    where = f"the annotation {_PROPERTIES}"
    try:
        if not isinstance(annotation, str) or len(annotation) > _LONGEST or annotation.count("[") > DEPTH * 10:
            raise ValueError
        stated = json.loads(annotation)
        if not isinstance(stated, list):
            raise ValueError
    except (ValueError, RecursionError):
        csv.refuse(f"{where} must be a list of properties in JSON")
    for index, element in enumerate(stated):
        if not isinstance(element, dict) or not isinstance(element.get("type"), str) or "value" not in element:
            csv.refuse(f"{where}[{index}] must be an object with a type and a value")
        copied = plain(element, csv.origin)
        yield _property(copied["type"], copied["value"])


def _required_properties(dependencies: Stated) -> Iterator[dict[str, Any]]:
    for number, (element, origin) in enumerate(dependencies):
        kind, value = element["type"], element["value"]
        if kind in ("olm.package", "olm.gvk") and not isinstance(value, dict):
            reason = f"dependencies[{number}].value must be an object, not {described(value)}"
            raise CatalogError(reason, origin=str(origin))
        if kind == "olm.package":
            name, wanted = value.get("packageName"), value.get("version")
            if not isinstance(name, str) or not isinstance(wanted, str):
                reason = f"dependencies[{number}].value must have the texts packageName and version"
                raise CatalogError(reason, origin=str(origin))
            yield _property("olm.package.required", {"packageName": name, "versionRange": wanted})
        elif kind == "olm.gvk":
            yield _property("olm.gvk.required", {field: value.get(field, "") for field in ("group", "kind", "version")})
        else:
            yield _property(kind, value)


def _api_properties(csv: Manifest, manifests: Iterable[Manifest]) -> Iterator[dict[str, Any]]:
    for manifest in manifests:
        if manifest.value.get("kind") == "CustomResourceDefinition":
            spec = manifest.at("spec")
            group = manifest.text(spec, "group", "spec")
            kind = manifest.text(manifest.at("spec", "names"), "kind", "spec.names")
            versions = [manifest.text(each, "name", "spec.versions") for each in manifest.objects("spec", "versions")]
            # apiextensions.k8s.io/v1beta1 may have one version, in a field of its own.
            for version in dict.fromkeys(filter(None, [manifest.text(spec, "version", "spec"), *versions])):
                yield _property("olm.gvk", {"group": group, "kind": kind, "version": version})
    for section in ("customresourcedefinitions", "apiservicedefinitions"):
        for role, made in (("owned", "olm.gvk"), ("required", "olm.gvk.required")):
            if section == "customresourcedefinitions" and role == "owned":
                # The definitions themselves, which the bundle holds, tell all their versions.
                continue
            path = f"spec.{section}.{role}"
            for each in csv.objects("spec", section, role):
                name, version, kind = (csv.text(each, field, path) for field in ("name", "version", "kind"))
                group = name.partition(".")[2] if section[0] == "c" else csv.text(each, "group", path)
                yield _property(made, {"group": group, "kind": kind, "version": version})


def _csv_metadata(csv: Manifest) -> dict[str, Any]:
    """Return the part of a ClusterServiceVersion that catalogs keep, for people and checks, as olm.csv.metadata."""
    spec, about = named(csv.at("spec"), _SPEC), named(csv.at("metadata"), _ABOUT)
    whole = Manifest({"kind": csv.value.get("kind"), "spec": spec}, csv.origin)
    services, resources = (named(whole.at("spec", definitions), _ROLES) for definitions in _DEFINITIONS)
    made: dict[str, Any] = {
        "apiServiceDefinitions": _owned(services, _API_SERVICE),
        "crdDescriptions": _owned(resources, _CRD),
        "provider": _picked(spec.get("provider") or {}, _PROVIDER),
    }
    made |= {field: about[field] for field in ("annotations", "labels") if about.get(field)}
    for field, fields in _KEPT.items():
        if spec.get(field):
            made[field] = spec[field] if fields is None else _picked(spec[field], fields)
    return {field: made[field] for field in sorted(made)}


def _owned(definitions: Mapping[str, Any], fields: _StructFields) -> dict[str, Any]:
    return {role: _picked(definitions[role], fields) for role in ("owned", "required") if definitions.get(role)}


def _picked(value: Any, fields: _StructFields) -> Any:
    """Return *value*, an object or a list of objects, with the known *fields* alone."""
    if isinstance(value, list):
        return [_picked(element, fields) for element in value]
    if not isinstance(value, dict):
        return value
    value = fields.named(value)
    picked: dict[str, Any] = {field: value.get(field) or "" for field in fields.always}
    picked |= {field: value.get(field) or False for field in fields.flags}
    for field in fields.optional:
        if found := value.get(field):
            picked[field] = _picked(found, fields.inner[field]) if field in fields.inner else found
    return picked


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
        CatalogError: a field of the ClusterServiceVersion has not its type.
    """
    properties = blob.get("properties") or ()
    types = {each.get("type") for each in properties}
    if blob.get("schema") != "olm.bundle" or not blob.get("image") or "olm.csv.metadata" in types:
        return dict(blob)
    manifests = [object_manifest(each.get("value")) for each in properties if each.get("type") == BUNDLE_OBJECT]
    csvs = [
        manifest for manifest in manifests if manifest is not None and manifest.get("kind") == "ClusterServiceVersion"
    ]
    if not csvs:
        return dict(blob)
    csv = Manifest(dict(csvs[0]), Origin(f"bundle {blob.get('name')}"))
    kept = [each for each in properties if each.get("type") != BUNDLE_OBJECT]
    return {**blob, "properties": [*kept, csv_metadata_property(csv)]}
