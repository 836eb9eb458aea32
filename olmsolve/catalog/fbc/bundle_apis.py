"""A manifest of a bundle, whose fields are read by path; and the APIs that a bundle provides and requires."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NoReturn

import olmsolve._attrs as attrs
from olmsolve.catalog import Origin
from olmsolve.catalog.fbc.field_types import FieldType, field_faults
from olmsolve.errors import CatalogError
from olmsolve.predicates import GVK, described

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
        """Raise the error of the first field that has not the type *expected*."""
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
        # The plural name of a definition tells it from another one of the same kind.
        self._defined = {definition for manifest in manifests for definition in _defined(manifest)}
        services = "apiservicedefinitions"
        self.provided = {api for api, _ in self._defined} | {GVK(*api) for api in self._services(services, "owned")}
        self.required = {GVK(*api) for api in self._services(services, "required")}
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
