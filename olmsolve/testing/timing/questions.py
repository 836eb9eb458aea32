"""The requests that catalogs suggest: one for each package, for each channel, or for each update."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias

from olmsolve._limits import checked
from olmsolve.catalog import Package, Source
from olmsolve.catalog.update_graph import bundle_version
from olmsolve.classic import Installed, Request, Subscription
from olmsolve.v1 import ExtensionRequest

TimedRequest: TypeAlias = Request | ExtensionRequest

_TARGET: Final = "target"


class RequestSubject(enum.Enum):
    """The subject of each request: a *package* from its default channel, a *channel*, or an *update*.

    A request for an update has one installed operator, a bundle below the head of its channel, with its subscription.
    """

    PACKAGE = "package"
    CHANNEL = "channel"
    UPDATE = "update"


def requests_over(
    sources: Sequence[Source], every: RequestSubject | str = RequestSubject.PACKAGE
) -> dict[str, Request]:
    """Return a classic request for *every* package, channel or update of the catalogs *sources*, by its name.

    All catalogs are visible to each request, which names the one that it is about.
    """
    every = RequestSubject(every)
    namespaces = (_TARGET, *dict.fromkeys(source.namespace for source in sources))
    requests: dict[str, Request] = {}
    for source in sources:
        for package in checked(source.catalog, every=16):
            for name, subscription, installed in _wishes(source, package, every):
                key = name if name not in requests else f"{name} ({source.key})"
                requests[key] = Request(namespaces, sources, [subscription], installed, name=key)
    return requests


def _wishes(
    source: Source, package: Package, every: RequestSubject
) -> Iterator[tuple[str, Subscription, Iterable[Installed]]]:
    def subscription(channel: str) -> Subscription:
        return Subscription("wish", _TARGET, package.name, channel, source.name, source.namespace)

    if every is RequestSubject.PACKAGE:
        yield package.name, subscription(package.default_channel), ()
        return
    for channel in package.channels.values():
        if every is RequestSubject.CHANNEL:
            yield f"{package.name}/{channel.name}", subscription(channel.name), ()
            continue
        replaced = {entry.replaces for entry in channel.entries} | {
            skipped for entry in channel.entries for skipped in entry.skips
        }
        for entry in channel.entries:
            bundle = package.bundles.get(entry.name)
            if bundle is None or entry.name not in replaced:
                continue
            version = str(bundle_version(package, bundle.name, source.catalog.scheme) or "")
            operator = Installed(bundle.name, version, bundle.properties, "wish")
            yield f"{package.name}/{channel.name} from {bundle.name}", subscription(channel.name), (operator,)
