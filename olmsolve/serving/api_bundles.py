"""Bundles as messages of the registry API: what ``opm serve`` sends of a bundle in one of its channels.

A bundle whose manifests are in the catalog (``olm.bundle.object``) is sent with them. For one with ``olm.csv.metadata``
a ClusterServiceVersion is made that has what the property says: OLM's package server shows it, nobody installs it.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from olmsolve._html_escapes import HTML_ESCAPES
from olmsolve.catalog import Bundle, Channel, ChannelEntry, Package
from olmsolve.catalog.fbc import BUNDLE_OBJECT, object_content, read_documents, through_go
from olmsolve.errors import CatalogError
from olmsolve.serving.wire import message

_METADATA: Final = "olm.csv.metadata"
_CSV: Final = "ClusterServiceVersion"
_UNSENT: Final = frozenset({BUNDLE_OBJECT, _METADATA})
"""Properties that are sent as manifests, and not once more: OLM writes all others into annotations."""
_LINE_ENDS: Final = {code: HTML_ESCAPES[code] for code in (0x2028, 0x2029)}
"""What Go escapes in every JSON text."""
# The fields of olm.csv.metadata, and where the ClusterServiceVersion has them.
_IN_SPEC: Final = {
    "apiServiceDefinitions": "apiservicedefinitions",
    "crdDescriptions": "customresourcedefinitions",
    "description": "description",
    "displayName": "displayName",
    "installModes": "installModes",
    "keywords": "keywords",
    "links": "links",
    "maintainers": "maintainers",
    "maturity": "maturity",
    "minKubeVersion": "minKubeVersion",
    "nativeAPIs": "nativeAPIs",
    "provider": "provider",
}
_WRITTEN_EMPTY: Final = {
    "apiservicedefinitions": {},
    "customresourcedefinitions": {},
    "displayName": "",
    "provider": {},
}
"""Fields that a ClusterServiceVersion of Go's always has."""


class ApiBundle:
    """A bundle in one of its channels, as the registry API sends it.

    Raises :class:`~olmsolve.errors.CatalogError` for a bundle that ``opm`` does not serve, as recorded.
    """

    def __init__(self, package: Package, channel: Channel, entry: ChannelEntry, bundle: Bundle) -> None:
        self.package = package
        self.channel = channel
        self.entry = entry
        self.bundle = bundle
        if sum(property_.type == _METADATA for property_ in bundle.properties) > 1:
            reason = "opm serves no bundle with two properties olm.csv.metadata"
            origin = str(bundle.origin or "")
            raise CatalogError(reason, origin=origin, package=bundle.package, bundle=bundle.name)

    def provides(self, group: str, version: str, kind: str) -> bool:
        """Return whether the bundle provides this API."""
        return [group, version, kind] in self._apis("olm.gvk")

    def listed(self) -> bytes:
        """Return the message in a list of all bundles: with edges; without manifests if there is an image to pull."""
        return message([*self._fields(has_manifests=not self.bundle.image), *self._edges(), *self._advice()])

    def alone(self) -> bytes:
        """Return the message of the bundle alone: with its manifests, without edges."""
        return message([*self._fields(has_manifests=True), *self._advice()])

    def _edges(self) -> Iterator[tuple[int, str]]:
        yield 13, self.entry.replaces
        for name in self.entry.skips:
            yield 14, name

    def _advice(self) -> Iterator[tuple[int, bytes]]:
        for deprecation in self.package.deprecations:
            if (deprecation.schema, deprecation.name) == ("olm.bundle", self.bundle.name):
                yield 15, message([(1, deprecation.message)])

    def _fields(self, *, has_manifests: bool) -> Iterator[tuple[int, str | bytes]]:
        yield 1, self.bundle.name
        yield 2, self.package.name
        yield 3, self.channel.name
        if has_manifests:
            csv, objects = self._manifests()
            yield 4, csv
            for text in objects:
                yield 5, text
        yield 6, self.bundle.image
        for number, kind in ((7, "olm.gvk"), (8, "olm.gvk.required")):
            for api in self._apis(kind):
                yield number, message(enumerate(api, 1))
        yield 9, self._version()
        yield 10, self.entry.skip_range
        for wanted, value in self._dependencies():
            yield 11, message([(1, wanted), (2, _text(value))])
        for stated in self.bundle.properties:
            if stated.type not in _UNSENT:
                yield 12, message([(1, stated.type), (2, _text(stated.value))])

    def _version(self) -> str:
        return next(
            (
                str(property_.value["version"])
                for property_ in self.bundle.properties
                if property_.type == "olm.package"
            ),
            "",
        )

    def _apis(self, kind: str) -> list[list[str]]:
        values = (property_.value for property_ in self.bundle.properties if property_.type == kind)
        return [[value.get(field) or "" for field in ("group", "version", "kind")] for value in values]

    def _dependencies(self) -> Iterator[tuple[str, Any]]:
        for property_ in self.bundle.properties:
            if property_.type == "olm.gvk.required":
                yield "olm.gvk", property_.value
            elif property_.type == "olm.package.required":
                value = property_.value
                yield "olm.package", {"packageName": value["packageName"], "version": value["versionRange"]}

    def _manifests(self) -> tuple[str, list[str]]:
        """Return the ClusterServiceVersion and all manifests, each as JSON."""
        objects = [
            _object_text(property_.value) for property_ in self.bundle.properties if property_.type == BUNDLE_OBJECT
        ]
        csv = next((text for text in objects if _kind_of(text) == _CSV), "")
        described = [property_.value for property_ in self.bundle.properties if property_.type == _METADATA]
        if csv or not described:
            return csv, objects
        csv = self._described_csv(described[0])
        return csv, objects or [csv]

    def _described_csv(self, metadata: Mapping[str, Any]) -> str:
        about = {name: metadata[name] for name in ("annotations", "labels") if metadata.get(name)}
        spec: dict[str, Any] = {
            **_WRITTEN_EMPTY,
            "install": {"strategy": "deployment", "spec": {"deployments": None}},
            "version": self._version(),
            "cleanup": {"enabled": False},
        }
        spec |= {field: metadata[name] for name, field in _IN_SPEC.items() if metadata.get(name)}
        if not spec.get("description") and self.package.description:
            spec["description"] = self.package.description
        if icon := self.package.extra.get("icon"):
            spec["icon"] = [{"base64data": icon.get("base64data") or "", "mediatype": icon.get("mediatype") or ""}]
        if images := self.bundle.extra.get("relatedImages"):
            spec["relatedImages"] = [
                {"name": image.get("name") or "", "image": image.get("image") or ""} for image in images
            ]
        return _escaped(
            {
                "kind": _CSV,
                "apiVersion": "operators.coreos.com/v1alpha1",
                "metadata": {"name": self.bundle.name, **about},
                "spec": spec,
                "status": {"cleanup": {}},
            }
        )


def _text(value: Any) -> str:
    """Return *value* as JSON text, as ``opm`` sends the values of properties."""
    return _compact(value).translate(_LINE_ENDS)


def _escaped(value: Any) -> str:
    return _compact(value).translate(HTML_ESCAPES)


def _compact(value: Any) -> str:
    return json.dumps(through_go(value), separators=(",", ":"), ensure_ascii=False)


def _object_text(value: object) -> str:
    """Return the manifest in *value* as JSON text: as it is written, if it is JSON."""
    content = object_content(value)
    if content.lstrip().startswith(b"{"):
        return content.decode("utf-8", "replace")
    document = next(iter(read_documents(io.BytesIO(content), "a manifest")), None)
    return _escaped(document.value) if document is not None else "null"


def _kind_of(text: str) -> str:
    try:
        content = json.loads(text)
    except ValueError:
        return ""
    return str(content.get("kind") or "") if isinstance(content, dict) else ""
