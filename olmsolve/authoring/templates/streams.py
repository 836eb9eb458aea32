"""Channels from versions: the channels that ``olm.semver`` makes for the bundles of each stability.

Each major version gets a channel, or each minor version, or both. Inside a major version, the newest bundle of each
minor version replaces the newest bundle of the minor version before, and skips all other older bundles of the major
version. The other bundles have no edges. For 1.0.0, 1.0.1, 1.1.0 and 2.0.0::

    v1      1.1.0 replaces 1.0.1, skips 1.0.0      and 1.0.1 skips 1.0.0
    v1.1    1.1.0 replaces 1.0.1, skips 1.0.0      the same entry, although 1.0.1 is not in this channel
    v2      2.0.0                                  nothing leads from one major version to the next
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from olmsolve.semver import Version

Kind: TypeAlias = Literal["major", "minor"]

STABILITIES: Final = ("candidate", "fast", "stable")
"""The stabilities, the least stable first."""

_KINDS: Final[tuple[Kind, ...]] = ("major", "minor")


class GeneratedChannels(NamedTuple):
    """The blobs of channels, sorted by name, and the name of the default channel ("" where upstream finds none)."""

    blobs: tuple[dict[str, Any], ...]
    default: str


def make_channels(
    package: str, bundles: Mapping[str, Mapping[str, Version]], kinds: frozenset[Kind], preferred: Kind
) -> GeneratedChannels:
    """Make channels of *kinds* for *bundles*, which maps each stability to the versions of its bundles by name.

    Versions of one stability must differ. The default channel belongs to the highest stability; of its channels it is
    the one with the highest *lowest* version, and of a major and a minor one with the same, the *preferred* kind.
    """
    entries: dict[str, list[dict[str, Any]]] = {}
    best: tuple[Any, ...] = (0, Version(0, 0, 0).key, 0)
    default = ""
    for rank, stability in enumerate(STABILITIES):
        versions = bundles.get(stability, {})
        ordered = sorted(versions, key=lambda name: versions[name].key)
        edges = _edges(ordered, versions)
        for name in ordered:
            for kind in _KINDS:
                if kind not in kinds:
                    continue
                channel = _channel_name(stability, kind, versions[name])
                if channel not in entries:
                    entries[channel] = []
                    # Upstream compares channels by their first bundle, as it makes them, and starts from version
                    # 0.0.0 of candidate: a channel that is not above that is never the default.
                    priority = (rank, versions[name].key, 2 if kind == preferred else 1)
                    if priority > best:
                        best, default = priority, channel
                entries[channel].append({"name": name, **edges.get(name, {})})
    blobs = (
        {"schema": "olm.channel", "name": name, "package": package, "entries": entries[name]}
        for name in sorted(entries)
    )
    return GeneratedChannels(tuple(blobs), default)


def _channel_name(stability: str, kind: Kind, version: Version) -> str:
    number = f"{version.major}" if kind == "major" else f"{version.major}.{version.minor}"
    return f"{stability}-v{number}"


def _edges(ordered: list[str], versions: Mapping[str, Version]) -> dict[str, dict[str, Any]]:
    """Return ``replaces`` and ``skips`` of the newest bundle of each minor version; *ordered* is from the lowest up."""
    edges: dict[str, dict[str, Any]] = {}
    for _, of_major in groupby(ordered, lambda name: versions[name].major):
        behind: list[str] = []
        replaced = ""
        for _, of_minor in groupby(of_major, lambda name: versions[name].minor):
            *older, newest = of_minor
            behind += older
            skips = sorted(name for name in behind if name != replaced)
            edges[newest] = {**({"replaces": replaced} if replaced else {}), **({"skips": skips} if skips else {})}
            behind.append(newest)
            replaced = newest
    return edges
