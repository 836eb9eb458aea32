"""The registry API: every call that ``opm serve`` answers, and the messages of bundles that it sends.

Rules and messages of errors are as recorded of ``opm`` (operator-registry 1.73.0). Where ``opm`` takes the first match
of a map, and so another one each time, the first in the order of the catalog is taken.

A bundle whose manifests are in the catalog (``olm.bundle.object``) is sent with them. For one with ``olm.csv.metadata``
a ClusterServiceVersion is made that has what the property says: OLM's package server shows it, nobody installs it.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, Final

from olmsolve._named_tuples import NamedTuple
from olmsolve.catalog import Bundle, Catalog, Channel, ChannelEntry, Package
from olmsolve.catalog.fbc import BUNDLE_OBJECT, object_content, read_documents, through_go
from olmsolve.catalog.update_graph import channel_order
from olmsolve.errors import CatalogError
from olmsolve.predicates import HTML_ESCAPES, LINE_ENDS
from olmsolve.semver import quote
from olmsolve.serving.wire import message

_METADATA: Final = "olm.csv.metadata"
_CSV: Final = "ClusterServiceVersion"
_UNSENT: Final = frozenset({BUNDLE_OBJECT, _METADATA})
"""Properties that are sent as manifests, and not once more: OLM writes all others into annotations."""
# The fields of olm.csv.metadata, and where the ClusterServiceVersion has them.
_SAME_IN_SPEC: Final = (
    *("description", "displayName", "installModes", "keywords", "links", "maintainers", "maturity", "minKubeVersion"),
    *("nativeAPIs", "provider"),
)
_IN_SPEC: Final = {
    "apiServiceDefinitions": "apiservicedefinitions",
    "crdDescriptions": "customresourcedefinitions",
    **{name: name for name in _SAME_IN_SPEC},
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
        if len(self._values(_METADATA)) > 1:
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

    def replaced(self) -> Iterator[str]:
        """Yield what the entry replaces, "" if nothing, and then what it skips besides."""
        yield self.entry.replaces
        yield from (name for name in self.entry.skips if name != self.entry.replaces)

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
            yield 11, message([(1, wanted), (2, _json_text(value))])
        for stated in self.bundle.properties:
            if stated.type not in _UNSENT:
                yield 12, message([(1, stated.type), (2, _json_text(stated.value))])

    def _version(self) -> str:
        return next((str(value["version"]) for value in self._values("olm.package")), "")

    def _values(self, kind: str) -> list[Any]:
        """Return the values of the properties of this type."""
        return [property_.value for property_ in self.bundle.properties if property_.type == kind]

    def _apis(self, kind: str) -> list[list[str]]:
        return [[value.get(field) or "" for field in ("group", "version", "kind")] for value in self._values(kind)]

    def _dependencies(self) -> Iterator[tuple[str, Any]]:
        for property_ in self.bundle.properties:
            if property_.type == "olm.gvk.required":
                yield "olm.gvk", property_.value
            elif property_.type == "olm.package.required":
                value = property_.value
                yield "olm.package", {"packageName": value["packageName"], "version": value["versionRange"]}

    def _manifests(self) -> tuple[str, list[str]]:
        """Return the ClusterServiceVersion and all manifests, each as JSON."""
        objects = [*map(_object_text, self._values(BUNDLE_OBJECT))]
        csv = next((text for text in objects if _kind_of(text) == _CSV), "")
        described = self._values(_METADATA)
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


def _json_text(value: Any) -> str:
    """Return *value* as JSON text, as ``opm`` sends the values of properties."""
    return _compact(value).translate(LINE_ENDS)


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


class NotServedError(Exception):
    """The error of a call for something that the catalog does not have; its text is the message that clients get."""


class RegistryCall(NamedTuple):
    """A call of the API: a function from its texts to messages, and whether its answer is a stream of any number."""

    answer: Callable[..., Iterator[bytes]]
    is_stream: bool
    texts: int


class Registry:
    """The answers of a *catalog*, which must be valid, to the registry API.

    Raises :class:`~olmsolve.errors.CatalogError` for a bundle that ``opm`` does not serve.
    """

    def __init__(self, catalog: Catalog) -> None:
        self._bundles: Mapping[tuple[str, str, str], ApiBundle] = {
            (package.name, channel.name, entry.name): ApiBundle(package, channel, entry, package.bundles[entry.name])
            for package in catalog
            for channel in package.channels.values()
            for entry in channel.entries
            if entry.name in package.bundles
        }
        # A package without an entry whose bundle is there has no head to send.
        packages_with_entries = {name for name, _, _ in self._bundles}
        self._packages: Mapping[str, Package] = {
            package.name: package for package in catalog if package.name in packages_with_entries
        }

    @property
    def size(self) -> tuple[int, int]:
        """The numbers of packages and of entries: a bundle of several channels is an entry of each."""
        return len(self._packages), len(self._bundles)

    def call(self, name: str, texts: Mapping[int, str]) -> Iterator[bytes]:
        """Return the messages that answer the call *name*, whose request has these *texts* by field number.

        Raises :class:`NotServedError` at once or while the messages are taken.
        """
        answer = CALLS[name]
        return answer.answer(self, *(texts.get(number, "") for number in range(1, answer.texts + 1)))

    def list_packages(self) -> Iterator[bytes]:
        """Yield the name of each package."""
        for name in self._packages:
            yield message([(1, name)])

    @cached_property
    def _listed(self) -> tuple[bytes, ...]:
        # OLM asks for all bundles before each resolution: 940 ms for 10,526 entries of channels, 2 once they are made.
        return tuple(bundle.listed() for bundle in self._bundles.values())

    def list_bundles(self) -> Iterator[bytes]:
        """Yield all bundles, one of several channels once for each."""
        yield from self._listed

    def get_package(self, name: str) -> Iterator[bytes]:
        """Yield the package *name* with its channels, by name, and their heads."""
        package = self._packages.get(name)
        if package is None:
            raise NotServedError(f"package {quote(name)} not found")
        advice = {
            (deprecation.schema, deprecation.name): message([(1, deprecation.message)])
            for deprecation in package.deprecations
        }
        # The blob names no package: the whole one is meant.
        advice_text = next((text for (schema, _), text in advice.items() if schema == "olm.package"), b"")
        channels = (
            (2, message([(1, channel.name), (2, _head(channel)), (3, advice.get(("olm.channel", channel.name), b""))]))
            for channel in sorted(package.channels.values(), key=lambda channel: channel.name)
        )
        yield message([(1, package.name), *channels, (3, package.default_channel), (4, advice_text)])

    def get_bundle(self, package: str, channel: str, name: str) -> Iterator[bytes]:
        """Yield the bundle *name* in this channel."""
        self._channel(package, channel)
        bundle = self._bundles.get((package, channel, name))
        if bundle is None:
            where = f"package {quote(package)}, channel {quote(channel)}"
            raise NotServedError(f"{where}, bundle {quote(name)} not found")
        yield bundle.alone()

    def get_bundle_for_channel(self, package: str, channel: str) -> Iterator[bytes]:
        """Yield the head of the channel."""
        yield self._bundles[package, channel, _head(self._channel(package, channel))].alone()

    def get_bundle_that_replaces(self, name: str, package: str, channel: str) -> Iterator[bytes]:
        """Yield a bundle of the channel that replaces or skips the bundle *name*."""
        if package not in self._packages:
            raise NotServedError(f"package {package} not found")
        for entry in self._channel(package, channel).entries:
            if name == entry.replaces or name in entry.skips:
                yield self._bundles[package, channel, entry.name].alone()
                return
        raise NotServedError(f"no entry found for package {quote(package)}, channel {quote(channel)}")

    def _channel(self, package: str, channel: str) -> Channel:
        if package not in self._packages:
            raise NotServedError(f"package {quote(package)} not found")
        known_channel = self._packages[package].channels.get(channel)
        if known_channel is None:
            raise NotServedError(f"package {quote(package)}, channel {quote(channel)} not found")
        return known_channel

    def entries_that_replace(self, name: str) -> Iterator[bytes]:
        """Yield each entry that replaces or skips the bundle *name*."""
        replacing = [bundle for bundle in self._bundles.values() for replaced in bundle.replaced() if replaced == name]
        if not replacing:
            raise NotServedError(f"no channel entries found that replace {name}")
        for bundle in replacing:
            yield _entry(bundle, bundle.entry.replaces)

    def entries_that_provide(self, group: str, version: str, kind: str) -> Iterator[bytes]:
        """Yield each entry that provides the API, once more for each bundle that it skips."""
        for bundle in self._providing(self._bundles.values(), group, version, kind):
            for name in bundle.replaced():
                yield _entry(bundle, name)

    def _providing(self, bundles: Iterable[ApiBundle], group: str, version: str, kind: str) -> list[ApiBundle]:
        """Return the *bundles* that provide the API. Raises NotServedError where there is none."""
        providing = [bundle for bundle in bundles if bundle.provides(group, version, kind)]
        if not providing:
            raise NotServedError(f"no channel entries found that provide {_api(group, version, kind)}")
        return providing

    def _heads_that_provide(self, group: str, version: str, kind: str) -> list[ApiBundle]:
        heads = (
            self._bundles[package.name, channel.name, _head(channel)]
            for package in self._packages.values()
            for channel in package.channels.values()
        )
        return self._providing(heads, group, version, kind)

    def latest_entries_that_provide(self, group: str, version: str, kind: str) -> Iterator[bytes]:
        """Yield each head that provides the API, once more for each bundle of its channel that it skips."""
        for head in self._heads_that_provide(group, version, kind):
            for name in head.replaced():
                if name == head.entry.replaces or (head.package.name, head.channel.name, name) in self._bundles:
                    yield _entry(head, name)

    def default_bundle_that_provides(self, group: str, version: str, kind: str) -> Iterator[bytes]:
        """Yield the head of a default channel that provides the API, of the first package by name."""
        for entry in sorted(self._heads_that_provide(group, version, kind), key=lambda head: head.package.name):
            if entry.channel.name == entry.package.default_channel:
                yield entry.alone()
                return
        raise NotServedError(f"no entry found that provides {_api(group, version, kind)}")


CALLS: Final[Mapping[str, RegistryCall]] = {
    "ListPackages": RegistryCall(Registry.list_packages, is_stream=True, texts=0),
    "ListBundles": RegistryCall(Registry.list_bundles, is_stream=True, texts=0),
    "GetPackage": RegistryCall(Registry.get_package, is_stream=False, texts=1),
    "GetBundle": RegistryCall(Registry.get_bundle, is_stream=False, texts=3),
    "GetBundleForChannel": RegistryCall(Registry.get_bundle_for_channel, is_stream=False, texts=2),
    "GetBundleThatReplaces": RegistryCall(Registry.get_bundle_that_replaces, is_stream=False, texts=3),
    "GetChannelEntriesThatReplace": RegistryCall(Registry.entries_that_replace, is_stream=True, texts=1),
    "GetChannelEntriesThatProvide": RegistryCall(Registry.entries_that_provide, is_stream=True, texts=3),
    "GetLatestChannelEntriesThatProvide": RegistryCall(Registry.latest_entries_that_provide, is_stream=True, texts=3),
    "GetDefaultBundleThatProvides": RegistryCall(Registry.default_bundle_that_provides, is_stream=False, texts=3),
}
"""The calls of the service ``api.Registry`` by name."""


def _head(channel: Channel) -> str:
    return channel_order(channel.entries).heads[0]


def _entry(bundle: ApiBundle, replaces: str) -> bytes:
    return message([(1, bundle.package.name), (2, bundle.channel.name), (3, bundle.bundle.name), (4, replaces)])


def _api(group: str, version: str, kind: str) -> str:
    return f"group:{quote(group)} version:{quote(version)} kind:{quote(kind)}"
