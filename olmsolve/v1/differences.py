"""Where OLM v1 updates otherwise than OLM classic: for people who migrate.

Classic takes the update nearest to the head of a channel's chain and steps over what is skipped; v1 knows no
chain and takes the highest version that is not deprecated, staying where that is what is installed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import attrs

from olmsolve.catalog import Catalog, Package
from olmsolve.catalog.update_graph import ClassicChannel, bundle_version
from olmsolve.errors import RequestError
from olmsolve.v1.offers import Offer, PackageOffers

__all__ = ["Difference", "differences"]


@attrs.frozen
class Difference:
    """An installed bundle with its next update under each; "" where it stays as it is. *reason* is a sentence."""

    channel: str
    installed: str
    classic: str
    v1: str
    reason: str

    def to_dict(self) -> dict[str, Any]:
        return {
            "channel": self.channel,
            "installed": self.installed,
            "classic": self.classic or None,
            "v1": self.v1 or None,
            "reason": self.reason,
        }


def differences(
    source: Catalog | Package,
    package: str = "",
    *,
    channel: str = "",
    v1_channels: Iterable[str] | None = None,
    release_support: bool = False,
) -> tuple[Difference, ...]:
    """The bundles of a package from which classic and v1 update to different bundles, each by version.

    *source* is the package, or a catalog that has the one named *package*. Classic follows *channel*; without
    one, each channel is looked at in turn. For v1, *v1_channels* are those of the extension: by default the
    same channel, and none at all (an empty list) means that it may take any. Every bundle of the package is
    taken as installed once for every channel, since it may have come from another one.

    Raises:
        RequestError: there is no such package or channel.
    """
    found = source if isinstance(source, Package) else source.packages.get(package)
    if found is None:
        raise RequestError(f"the catalog has no package {package!r}", field="package")
    if channel and channel not in found.channels:
        raise RequestError(f"package {found.name} has no channel {channel!r}", field="channel")
    offers = PackageOffers(found, release_support=release_support)
    versions = {name: bundle_version(found, name) for name in found.bundles}
    result: list[Difference] = []
    for name in [channel] if channel else sorted(found.channels):
        classic = ClassicChannel(found, found.channels[name])
        allowed = frozenset([name] if v1_channels is None else v1_channels) or None
        names = None if allowed is None else offers.named_in(allowed)
        with_range = offers.graph.ranged(allowed)
        ranged = [offer.name for offer in offers.offers if offer.name in with_range]
        chain = frozenset(classic.order.chain)
        for offer in reversed(offers.offers):
            before = "" if classic.order.fault else classic.update(offer.name, versions[offer.name]) or ""
            after = offers.update(offer, allowed, names, ranged)
            if before != (after.name if after else ""):
                reason = _reason(offer, before, after, classic.order.fault, chain, offers)
                result.append(Difference(name, offer.name, before, after.name if after else "", reason))
    return tuple(result)


def _reason(
    installed: Offer, before: str, after: Offer | None, fault: str, chain: frozenset[str], offers: PackageOffers
) -> str:
    if fault:
        return f"classic has no order of this channel: {fault}"
    if after is None:
        if installed.version is None:
            return "v1 cannot read the installed version, so that it finds no edges"
        target = offers.offers[offers.ranks[before]]
        if target.deprecated and not installed.deprecated:
            return f"v1 prefers what is installed, because {before} is deprecated"
        return f"v1 prefers what is installed, because {before} has no higher version"
    if after.name not in chain:
        return f"classic does not consider {after.name}, which is not on the chain of replacements or is skipped"
    if not before:
        return f"classic does not consider {after.name} an update in this channel"
    target = offers.offers[offers.ranks[before]]
    if target.deprecated and not after.deprecated:
        return f"v1 avoids {before}, which is deprecated"
    return f"classic takes {before}, which is nearer to the head; v1 takes the highest version"
