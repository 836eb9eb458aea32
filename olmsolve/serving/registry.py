"""The registry API: every call that ``opm serve`` answers, as a function from texts to messages.

Rules and messages of errors are as recorded of ``opm`` (operator-registry 1.73.0). Where ``opm`` takes the first match
of a map, and so another one each time, the first in the order of the catalog is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Final

from olmsolve._named_tuples import NamedTuple
from olmsolve.catalog import Catalog, Channel, Package
from olmsolve.catalog.update_graph import channel_order
from olmsolve.semver import quote
from olmsolve.serving.api_bundles import ApiBundle
from olmsolve.serving.wire import message


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
        named = {name for name, _, _ in self._bundles}
        self._packages: Mapping[str, Package] = {package.name: package for package in catalog if package.name in named}

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
        # OLM asks for all bundles again and again.
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
        has_any = False
        for bundle in self._bundles.values():
            if bundle.entry.replaces == name:
                has_any = True
                yield _entry(bundle, bundle.entry.replaces)
            for skipped in bundle.entry.skips:
                if skipped == name != bundle.entry.replaces:
                    has_any = True
                    yield _entry(bundle, bundle.entry.replaces)
        if not has_any:
            raise NotServedError(f"no channel entries found that replace {name}")

    def entries_that_provide(self, group: str, version: str, kind: str) -> Iterator[bytes]:
        """Yield each entry that provides the API, once more for each bundle that it skips."""
        has_any = False
        for bundle in self._bundles.values():
            if bundle.provides(group, version, kind):
                has_any = True
                yield _entry(bundle, bundle.entry.replaces)
                for name in bundle.entry.skips:
                    if name != bundle.entry.replaces:
                        yield _entry(bundle, name)
        if not has_any:
            raise NotServedError(f"no channel entries found that provide {_api(group, version, kind)}")

    def _heads_that_provide(self, group: str, version: str, kind: str) -> list[ApiBundle]:
        heads = (
            self._bundles[package.name, channel.name, _head(channel)]
            for package in self._packages.values()
            for channel in package.channels.values()
        )
        providing = [head for head in heads if head.provides(group, version, kind)]
        if not providing:
            raise NotServedError(f"no channel entries found that provide {_api(group, version, kind)}")
        return providing

    def latest_entries_that_provide(self, group: str, version: str, kind: str) -> Iterator[bytes]:
        """Yield each head that provides the API, once more for each bundle of its channel that it skips."""
        for entry in self._heads_that_provide(group, version, kind):
            yield _entry(entry, entry.entry.replaces)
            for name in entry.entry.skips:
                inside = (entry.package.name, entry.channel.name, name) in self._bundles
                if name != entry.entry.replaces and inside:
                    yield _entry(entry, name)

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
