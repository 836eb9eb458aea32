"""Catalogs on their way to other processes: a key that identifies their content, and sources packed for the trip."""

from __future__ import annotations

import hashlib
import json
import pickle
import zlib
from collections.abc import Iterable
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve._version import __version__
from olmsolve.catalog import Bundle, Catalog, Channel, Package, Source

# The zlib level: a higher one takes longer to compress than a local pipe takes to carry the difference.
_QUICK: Final = 1


def content_key(sources: Iterable[Source], *options: str) -> str:
    """Return a digest (hexadecimal) of everything that an answer depends on: two runs with one key give one answer.

    It covers what resolution reads, the origins that messages name and this version of olmsolve. Descriptions, icons
    and images do not count.
    """
    digest = hashlib.sha256()

    def add(value: Any) -> None:
        # A catalog made in a program may hold other values than JSON; their repr() may only keep a key from matching.
        digest.update(json.dumps(value, sort_keys=True, default=repr).encode("utf-8", "surrogatepass"))
        digest.update(b"\n")

    add([__version__, *options])
    for source in sorted(sources, key=lambda source: source.key):
        add([source.name, source.namespace, source.priority])
        for package in sorted(source.catalog, key=lambda package: package.name):
            add([package.name, package.default_channel])
            for channel in sorted(package.channels.values(), key=lambda channel: channel.name):
                entries = [[e.name, e.replaces, e.skips, e.skip_range] for e in channel.entries]
                add([channel.name, str(channel.origin or ""), entries])
            for bundle in sorted(package.bundles.values(), key=lambda bundle: bundle.name):
                properties = [[item.type, item.value] for item in bundle.properties]
                add([bundle.name, str(bundle.origin or ""), properties])
    return digest.hexdigest()


def packed(sources: Iterable[Source]) -> bytes:
    """Pack everything that resolution needs of *sources* into bytes, for :func:`unpacked` in another process."""
    carried = tuple(attrs.evolve(source, catalog=light(source.catalog)) for source in sources)
    return zlib.compress(pickle.dumps(carried, pickle.HIGHEST_PROTOCOL), _QUICK)


def unpacked(payload: bytes) -> tuple[Source, ...]:
    """Return the sources that :func:`packed` made *payload* of. Never pass a stranger's bytes: pickles can run code."""
    sources: tuple[Source, ...] = pickle.loads(zlib.decompress(payload))  # noqa: S301 - see above
    return sources


def light(catalog: Catalog) -> Catalog:
    """Return *catalog* without descriptions, icons, images, and whatever else resolution does not read."""
    packages = {package.name: _light_package(package) for package in catalog}
    return Catalog(packages, origin=catalog.origin, scheme=catalog.scheme)


def _light_package(package: Package) -> Package:
    channels = {c.name: Channel(c.package, c.name, c.entries, origin=c.origin) for c in package.channels.values()}
    bundles = {b.name: Bundle(b.package, b.name, b.properties, origin=b.origin) for b in package.bundles.values()}
    return Package(package.name, package.default_channel, channels, bundles)
