"""The properties and images of a bundle, from its manifests and metadata."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NoReturn, TypeAlias

import attrs

from olmsolve.catalog import Origin
from olmsolve.catalog.fbc.bundle_objects import BUNDLE_OBJECT, object_data
from olmsolve.catalog.fbc.limits import DEPTH, DOCUMENT
from olmsolve.catalog.fbc.plain_values import plain
from olmsolve.errors import CatalogError
from olmsolve.predicates import described

Stated: TypeAlias = Iterable[tuple[dict[str, Any], Origin]]
"""Objects with a type and a value, each with its origin."""

_PROPERTIES: Final = "olm.properties"  # the annotation of a ClusterServiceVersion
_LONGEST: Final = min(DOCUMENT, 1 << 20)  # characters of it; Kubernetes allows an object 256 KiB of annotations
# The fields of owned and required APIs that olm.csv.metadata keeps; None for fields that are kept whole.
_DESCRIPTOR: Final = dict.fromkeys(("path", "displayName", "description", "x-descriptors", "value"))
_API: Final[dict[str, Any]] = {
    **dict.fromkeys(("name", "group", "version", "kind", "deploymentName", "containerPort", "displayName")),
    "description": None,
    "resources": dict.fromkeys(("name", "kind", "version")),
    **dict.fromkeys(("statusDescriptors", "specDescriptors", "actionDescriptors"), _DESCRIPTOR),
}
_OWNED: Final = {"owned": _API, "required": _API}
# The fields of the spec that olm.csv.metadata keeps whole, where they are not empty.
_KEPT: Final = (
    *("description", "displayName", "installModes", "keywords", "links", "maintainers", "maturity"),
    *("minKubeVersion", "nativeAPIs"),
)


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
        found: Mapping[str, Any] = value
        return found

    def objects(self, *path: str) -> list[Mapping[str, Any]]:
        """Return the list of objects at *path*, an empty one where nothing is."""
        found = self.at(*path[:-1]).get(path[-1])
        where = ".".join(path)
        if found is None:
            return []
        if not isinstance(found, list):
            self.refuse(f"{where} must be a list, not {described(found)}")
        for index, element in enumerate(found):
            if not isinstance(element, dict):
                self.refuse(f"{where}[{index}] must be an object, not {described(element)}")
        return found

    def text(self, value: Mapping[str, Any], field: str, path: str) -> str:
        """Return the *field* of *value*, which is at *path* in the manifest; "" if it is absent."""
        found = value.get(field)
        if found is not None and not isinstance(found, str):
            self.refuse(f"{path}.{field} must be a string, not {described(found)}")
        return found or ""

    def name(self) -> str:
        """Return ``metadata.name``, which must be there."""
        found = self.text(self.at("metadata"), "name", "metadata")
        return found or self.refuse("metadata.name is missing")

    def refuse(self, reason: str) -> NoReturn:
        """Raise the :class:`~olmsolve.errors.CatalogError` of this manifest."""
        kind = self.value.get("kind")
        named = kind if isinstance(kind, str) and kind else "an object without a kind"
        raise CatalogError(f"{reason} ({named})", origin=str(self.origin))


def bundle_properties(
    package: str,
    csv: Manifest,
    manifests: Iterable[Manifest],
    properties: Stated,
    dependencies: Stated,
    *,
    with_objects: bool,
) -> list[dict[str, Any]]:
    """Return the properties by type and then by value, each once; ``olm.csv.metadata`` comes last.

    This is the order of recorded catalogs. *properties* and *dependencies* are the elements of the files of the
    metadata.
    """
    manifests = list(manifests)
    made = [*_stated_properties(csv, properties), *_required_properties(dependencies), *_api_properties(csv, manifests)]
    if not any(each["type"] == "olm.package" for each in made):
        version = csv.text(csv.at("spec"), "version", "spec")
        if not version:
            csv.refuse("spec.version is missing")
        made.append(_property("olm.package", {"packageName": package, "version": version}))
    if with_objects:
        made.extend(_property(BUNDLE_OBJECT, {"data": object_data(each.value)}) for each in manifests)
    distinct = {(each["type"], json.dumps(each["value"])): each for each in made}
    ordered = [distinct[key] for key in sorted(distinct)]
    return ordered if with_objects else [*ordered, _property("olm.csv.metadata", _csv_metadata(csv))]


def related_images(csv: Manifest, image: str) -> list[dict[str, str]]:
    """Return the images that the ClusterServiceVersion and its deployments name, and *image* itself, by reference."""
    found = [
        {"name": csv.text(each, "name", "spec.relatedImages"), "image": csv.text(each, "image", "spec.relatedImages")}
        for each in csv.objects("spec", "relatedImages")
    ]
    named = {each["image"] for each in found}
    others = dict.fromkeys([*_deployed_images(csv), image])
    found.extend({"name": "", "image": other} for other in others if other and other not in named)
    return sorted(found, key=lambda each: (each["image"], each["name"]))


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
        found = json.loads(annotation)
        if not isinstance(found, list):
            raise ValueError
    except (ValueError, RecursionError):
        csv.refuse(f"{where} must be a list of properties in JSON")
    for index, element in enumerate(found):
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
    spec, about = csv.at("spec"), csv.at("metadata")
    always = {
        "apiServiceDefinitions": _picked(csv.at("spec", "apiservicedefinitions"), _OWNED),
        "crdDescriptions": _picked(csv.at("spec", "customresourcedefinitions"), _OWNED),
        "provider": spec.get("provider") or {},
    }
    kept = [("annotations", about), ("labels", about), *((field, spec) for field in _KEPT)]
    found = {field: holder[field] for field, holder in kept if holder.get(field)} | always
    return {field: found[field] for field in sorted(found)}


def _picked(value: Any, fields: Mapping[str, Any]) -> Any:
    """Return *value* with only the known *fields*, in lists as well."""
    if isinstance(value, list):
        return [_picked(element, fields) for element in value]
    if not isinstance(value, dict):
        return value
    return {
        field: inner if fields[field] is None else _picked(inner, fields[field])
        for field, inner in value.items()
        if field in fields
    }


def _deployed_images(csv: Manifest) -> Iterator[str]:
    """Yield the images of the containers of the deployments, in their order."""
    for deployment in csv.objects("spec", "install", "spec", "deployments"):
        pod = Manifest(dict(deployment), csv.origin)
        for kind in ("initContainers", "containers"):
            for container in pod.objects("spec", "template", "spec", kind):
                yield pod.text(container, "image", kind)
