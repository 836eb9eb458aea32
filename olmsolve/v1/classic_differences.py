"""The updates that OLM v1 and OLM classic choose differently, for people who migrate.

Classic takes the update nearest to the head of a channel's chain and passes over skipped entries. v1 knows no
chain: it takes the highest version that is not deprecated, and stays where that is installed.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import Final

from olmsolve._limits import checked
from olmsolve._near_names import did_you_mean, near_names, similar_names
from olmsolve._records import Record, documented, evolve, field, record
from olmsolve.catalog import Catalog, Package
from olmsolve.catalog.update_graph import ClassicChannel, bundle_version
from olmsolve.errors import RequestError
from olmsolve.v1.offers import Offer, PackageOffers


class DifferenceKind(enum.Enum):
    """A reason why classic and v1 update an installed bundle differently; the values appear in documents."""

    NO_ORDER = "no-order"
    UNREADABLE_VERSION = "unreadable-version"
    DEPRECATED_TARGET = "deprecated-target"
    NO_HIGHER_VERSION = "no-higher-version"
    NOT_ON_THE_CHAIN = "not-on-the-chain"
    NO_CLASSIC_UPDATE = "no-classic-update"
    AVOIDS_DEPRECATED = "avoids-deprecated"
    NEARER_TO_THE_HEAD = "nearer-to-the-head"


_CLAUSES: Final = {
    DifferenceKind.NO_ORDER: "classic has no order of this channel: {fault}",
    DifferenceKind.UNREADABLE_VERSION: "v1 cannot read the installed version, so that it finds no edges",
    DifferenceKind.DEPRECATED_TARGET: "v1 prefers the installed bundle, because {bundle} is deprecated",
    DifferenceKind.NO_HIGHER_VERSION: "v1 prefers the installed bundle, because {bundle} has no higher version",
    DifferenceKind.NOT_ON_THE_CHAIN: ("classic ignores {bundle}, which is skipped or not on the chain of replacements"),
    DifferenceKind.NO_CLASSIC_UPDATE: "for classic, {bundle} is not an update in this channel",
    DifferenceKind.AVOIDS_DEPRECATED: "v1 avoids {bundle}, which is deprecated",
    DifferenceKind.NEARER_TO_THE_HEAD: (
        "classic takes {bundle}, which is nearer to the head; v1 takes the highest version"
    ),
}


@record
class DifferenceReason(Record):
    """The *kind* of a difference, with the *bundle* that only one of the two takes, or the *fault* of the channel.

    *prerelease* is the bundle that v1 takes, where that is a pre-release; "" otherwise.
    """

    kind: DifferenceKind = field("In one word, why.", path="because")
    bundle: str = ""
    fault: str = ""
    prerelease: str = ""

    @property
    @documented("The reason in words.", path="reason")
    def text(self) -> str:
        return str(self)

    def __str__(self) -> str:
        taken = f"; {self.prerelease} is a pre-release, which a range excludes unless it names one"
        clause = _CLAUSES[self.kind].format(bundle=self.bundle, fault=self.fault)
        return f"{clause}{taken if self.prerelease else ''}"


@record
class Difference(Record):
    """An *installed* bundle with its next update by *classic* and by *v1* ("": it stays), and the *reason*."""

    channel: str = field("The channel.")
    installed: str = field("The installed bundle.")
    classic: str = field("What classic OLM updates it to.", empty="null")
    v1: str = field("What OLM v1 updates it to.", empty="null")
    reason: DifferenceReason = field(path="*")


@record(
    definition="olmsolve.v1.differences",
    title="Where the updates of OLM v1 differ from those of classic OLM",
    about="docs/v1.md gives the meaning of the fields.",
)
class Differences(Record):
    """The bundles of a package that OLM v1 updates otherwise than OLM classic."""

    differences: tuple[Difference, ...] = field(
        "The installed bundles that OLM v1 updates differently from OLM classic."
    )


def differences(
    source: Catalog | Package,
    package: str = "",
    *,
    channel: str = "",
    v1_channels: Iterable[str] | None = None,
    release_support: bool = False,
) -> tuple[Difference, ...]:
    """Return the bundles of a package that classic and v1 update to different bundles, by channel and version.

    *source* is the package, or a catalog that has one named *package*. Classic follows *channel*; without it, each
    channel in turn. *v1_channels* are the channels that the extension allows: by default the same one; an empty list
    allows all. Every bundle of the package counts as installed in every channel, since it may have come from another.

    Raises:
        RequestError: there is no such package or channel.
    """
    if not isinstance(source, Package) and package not in source.packages:
        hint = did_you_mean(similar_names(package, sorted(source.packages)))
        raise RequestError(f"the catalog has no package {package!r}", field="package", hint=hint)
    package_there = source if isinstance(source, Package) else source.packages[package]
    if channel and channel not in package_there.channels:
        hint = did_you_mean(near_names(channel, sorted(package_there.channels)))
        raise RequestError(f"package {package_there.name} has no channel {channel!r}", field="channel", hint=hint)
    offers = PackageOffers(package_there, release_support=release_support)
    versions = {name: bundle_version(package_there, name) for name in package_there.bundles}
    result: list[Difference] = []
    for name in [channel] if channel else sorted(package_there.channels):
        classic = ClassicChannel(package_there.channels[name], package_there.bundles)
        allowed = frozenset([name] if v1_channels is None else v1_channels) or None
        names = None if allowed is None else offers.named_in(allowed)
        with_range = offers.graph.ranged(allowed)
        ranged = [offer.name for offer in offers.offers if offer.name in with_range]
        chain = frozenset(classic.order.chain)
        # Offers have the highest version first.
        for offer in checked(reversed(offers.offers), every=4):
            before = "" if classic.order.fault else classic.update(offer.name, versions[offer.name]) or ""
            after = offers.update(offer, allowed, names, ranged)
            if before != (after.name if after else ""):
                reason = _reason(offer, before, after, classic.order.fault, chain, offers)
                if after is not None and after.version is not None and after.version.version.pre:
                    reason = evolve(reason, prerelease=after.name)
                result.append(Difference(name, offer.name, before, after.name if after else "", reason))
    return tuple(result)


def _reason(
    installed: Offer, before: str, after: Offer | None, fault: str, chain: frozenset[str], offers: PackageOffers
) -> DifferenceReason:
    if fault:
        return DifferenceReason(DifferenceKind.NO_ORDER, fault=fault)
    if after is None:
        if installed.version is None:
            return DifferenceReason(DifferenceKind.UNREADABLE_VERSION)
        is_worse = offers.offer(before).deprecated and not installed.deprecated
        kind = DifferenceKind.DEPRECATED_TARGET if is_worse else DifferenceKind.NO_HIGHER_VERSION
        return DifferenceReason(kind, before)
    if after.name not in chain:
        return DifferenceReason(DifferenceKind.NOT_ON_THE_CHAIN, after.name)
    if not before:
        return DifferenceReason(DifferenceKind.NO_CLASSIC_UPDATE, after.name)
    is_worse = offers.offer(before).deprecated and not after.deprecated
    return DifferenceReason(DifferenceKind.AVOIDS_DEPRECATED if is_worse else DifferenceKind.NEARER_TO_THE_HEAD, before)
