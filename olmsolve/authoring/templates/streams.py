"""GeneratedChannels from versions: what ``olm.semver`` makes of the bundles of each stability.

For every major version a channel, for every minor version one, or both. Inside a major version the newest
bundle of each minor version replaces the newest of the minor version before it, and skips everything else that
came before in this major version; older ones have no edges. A channel of a minor version shows the same entries,
so what its newest replaces is not in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from olmsolve.semver import Version

__all__ = ["STABILITIES", "GeneratedChannels", "Kind", "make_channels"]

Kind: TypeAlias = Literal["major", "minor"]

STABILITIES: Final = ("candidate", "fast", "stable")
"""From the least stable up."""

_KINDS: Final[tuple[Kind, ...]] = ("major", "minor")


class GeneratedChannels(NamedTuple):
    """The blobs of channels, by name, and the name of the default one ("" where upstream finds none)."""

    blobs: tuple[dict[str, Any], ...]
    default: str


def make_channels(
    package: str, bundles: Mapping[str, Mapping[str, Version]], kinds: frozenset[Kind], preferred: Kind
) -> GeneratedChannels:
    """GeneratedChannels of *kinds* for *bundles*: by stability, the versions of bundles by their names.

    Versions of one stability must differ. The default channel is of the highest stability; of its channels it
    is the one whose *lowest* version is highest, and of two such the *preferred* kind.
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
                    # Upstream compares channels as it makes them, by their first bundle, and begins with
                    # version 0.0.0 of candidate: what is not above that is never the default.
                    height = (rank, versions[name].key, 2 if kind == preferred else 1)
                    if height > best:
                        best, default = height, channel
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
    """``replaces`` and ``skips`` of the newest bundle of each minor version; *ordered* from the lowest up."""
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
