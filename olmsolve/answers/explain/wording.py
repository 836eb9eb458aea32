"""Many bundles in one phrase: by versions, with ranges, and where they are."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from olmsolve.errors import VersionError
from olmsolve.resolution import EXISTING, Candidate
from olmsolve.semver import Key, Version

__all__ = ["enumerated", "in_order", "phrase", "versions"]

_RUNS: Final = 4
_PLACES: Final = 3


def enumerated(words: Sequence[str], last: str = "and") -> str:
    """ "a", "a and b", "a, b and c"."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def in_order(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """By package and version, then by catalog, channel and name."""
    return tuple(sorted(candidates, key=lambda c: (c.package, _key(c.version), c.catalog, c.channel, c.name)))


def phrase(candidates: Sequence[Candidate], known: Collection[str]) -> str:
    """*candidates* of one package, in order, as a noun: "etcd 3.0.0 to 3.4.2 (14 bundles; alpha, main/olm)".

    *known* are the versions of the package that the conflict names: "a to b" stands for all of these from a to b,
    so a version between them that is not among *candidates* ends a range. Versions are those of the candidates at
    the places in parentheses; elsewhere the same version may fare otherwise.
    """
    first = candidates[0]
    bundles = {(candidate.catalog, candidate.name) for candidate in candidates}
    where = _places(candidates)
    if len({name for _, name in bundles}) == 1:
        package = "" if _says(first.name, first.package) else f" of package {first.package}"
        return f"{first.name}{package} ({where})"
    if all(candidate.version for candidate in candidates):
        named = f"{first.package} {versions((c.version for c in candidates), known)}"
    else:
        named = enumerated(_bounded(list(dict.fromkeys(candidate.name for candidate in candidates)), "bundles"))
    return f"{named} ({len(bundles)} bundles; {where})"


def versions(wanted: Iterable[str], known: Collection[str]) -> str:
    """Versions as text with ranges: "1.0.0, 1.1.0 and 2.0.0 to 2.4.1"; see :func:`phrase` for *known*."""
    chosen = set(wanted)
    runs: list[list[str]] = []
    follows = False
    for version in sorted(chosen.union(known), key=lambda text: (_key(text), text)):
        if version not in chosen:
            follows = False
        elif follows:
            runs[-1].append(version)
        else:
            runs.append([version])
            follows = True
    written: list[str] = []
    for run in runs:
        written.extend([f"{run[0]} to {run[-1]}"] if len(run) > 2 else run)
    return enumerated(_bounded(written, "ranges"))


def _bounded(words: list[str], noun: str) -> list[str]:
    return words if len(words) <= _RUNS + 1 else [*words[:_RUNS], f"{len(words) - _RUNS} more {noun}"]


def _places(candidates: Sequence[Candidate]) -> str:
    channels: dict[str, dict[str, None]] = {}
    for candidate in candidates:
        channels.setdefault(candidate.catalog, {})[candidate.channel] = None
    if list(channels) == [EXISTING]:
        return "installed"
    if len(channels) == 1:
        ((catalog, names),) = channels.items()
        return f"{_few(sorted(names), 'channels')}, {catalog}"
    count = len({(catalog, channel) for catalog, names in channels.items() for channel in names})
    few = _few(["installed" if name == EXISTING else name for name in sorted(channels)], "catalogs")
    return few if count == len(channels) else f"{count} channels of {few}"


def _few(names: Sequence[str], noun: str) -> str:
    return enumerated(names) if len(names) <= _PLACES else f"{len(names)} {noun}"


def _says(bundle: str, package: str) -> bool:
    """Whether the name of a bundle tells its package."""
    return not package or bundle == package or bundle.startswith((f"{package}.", f"{package}-"))


def _key(version: str) -> Key:
    try:
        return Version.parse_tolerant(version).key if version else (-1,)
    except VersionError:
        return (-1,)
