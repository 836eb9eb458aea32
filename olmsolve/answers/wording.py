"""Phrases that several answers share: enumerations, many bundles in one phrase, facts with a template."""

from __future__ import annotations

import enum
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, Final, Generic, Self, TypeVar

import olmsolve._attrs as attrs
from olmsolve._patterns import pattern
from olmsolve.resolution import EXISTING, Candidate
from olmsolve.semver import Key, read_version, scheme_in_use

if TYPE_CHECKING:
    from olmsolve.semver import VersionScheme

_K = TypeVar("_K", bound=enum.Enum)

# Twenty digits at a time: int() refuses texts of more than 4,300 digits, and the square of the length is its cost.
_NUMBERS: Final = pattern(r"[0-9]{1,20}")
_OTHER: Final = pattern(r"[^0-9]*([0-9]{1,20}(?:\.[0-9]{1,20})*)[-_.]?([A-Za-z]*)")
_BEFORE: Final = {"dev": 0, "a": 1, "alpha": 1, "b": 2, "beta": 2, "c": 3, "rc": 3, "pre": 3, "preview": 3}
"""Words after the numbers of a version that put it before its release, in order; a scheme has its own rules."""
_RUNS: Final = 4
_CHANNELS: Final = 3


def enumerated(texts: Sequence[str], last: str = "and") -> str:
    """Return *texts* as one enumeration: "a", "a and b", "a, b and c"; *last* joins the last two."""
    if len(texts) < 2:
        return "".join(texts)
    return f"{', '.join(texts[:-1])} {last} {texts[-1]}"


def some_of(texts: Sequence[str], most: int, last: str = "and") -> str:
    """Return the first *most* of *texts* as an enumeration, and the number of the others if these are several."""
    others = len(texts) - most
    return enumerated(texts if others < 2 else (*texts[:most], f"{others} more"), last)


@attrs.frozen
class TemplatedFact(Generic[_K]):
    """A fact of one *kind*, whose value is the template of a clause, *about* names and numbers.

    For example ``TemplatedFact.stating(Order.HEAD, first="stable")`` with ``HEAD = "nearer to the head of {first}"``.
    No record for each kind: the 33 kinds have no documents, so each would say in six lines what one line says here, and
    each class takes 0.02 ms to load.
    """

    kind: _K
    about: tuple[tuple[str, str | int], ...] = ()

    @classmethod
    def stating(cls, kind: _K, **about: str | int) -> Self:
        """Return the fact of this *kind*, with *about* as the names and numbers that its template has."""
        return cls(kind, tuple(about.items()))

    def __str__(self) -> str:
        return str(self.kind.value).format(**dict(self.about))


def sorted_candidates(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Return *candidates* by package and version, then by catalog, channel and name."""
    return tuple(sorted(candidates, key=lambda c: (c.package, _version_key(c.version), c.catalog, c.channel, c.name)))


@attrs.frozen
class Phrase:
    """A noun for one or many bundles of a package, like "etcd 3.0.0 to 3.4.2 (14 bundles; alpha, olm/main)".

    *runs* are the versions of *candidates*, see :func:`version_runs`; none where a bundle has no version. The phrase
    speaks only of the channels in parentheses: in another channel the same version may fare otherwise.
    """

    candidates: tuple[Candidate, ...]
    runs: tuple[tuple[str, ...], ...]

    @property
    def name(self) -> str:
        """The noun without the parentheses, enough to recognise the bundles: "etcd 3.0.0 to 3.4.2"."""
        first = self.candidates[0]
        names = list(dict.fromkeys(candidate.name for candidate in self.candidates))
        if len(names) == 1:
            package = "" if _tells_package(first.name, first.package) else f" of package {first.package}"
            return f"{first.name}{package}"
        if self.runs:
            return f"{first.package} {_ranges(self.runs)}"
        return enumerated(_bounded(names, "bundles"))

    def __str__(self) -> str:
        bundles = {(candidate.catalog, candidate.name) for candidate in self.candidates}
        several = len({name for _, name in bundles}) > 1
        return f"{self.name} ({f'{len(bundles)} bundles; ' if several else ''}{_location(self.candidates)})"


def bundles_phrase(candidates: tuple[Candidate, ...], mentioned: Collection[str]) -> Phrase:
    """Return a phrase for *candidates* of one package, which :func:`sorted_candidates` has sorted.

    *mentioned* are the versions of the package that the whole answer is about.
    """
    versions = [candidate.version for candidate in candidates]
    return Phrase(candidates, version_runs(versions, mentioned) if all(versions) else ())


def version_runs(versions: Iterable[str], mentioned: Collection[str]) -> tuple[tuple[str, ...], ...]:
    """Return *versions* in order, in runs: one of *mentioned* that is missing from *versions* ends a run.

    >>> version_runs(["1.0.0", "1.1.0", "1.2.0", "2.0.0"], ["1.0.0", "1.1.0", "1.2.0", "1.3.0", "2.0.0"])
    (('1.0.0', '1.1.0', '1.2.0'), ('2.0.0',))
    """
    chosen = set(versions)
    everything = sorted(chosen.union(mentioned), key=lambda text: (_version_key(text), text))
    return tuple(tuple(run) for is_chosen, run in groupby(everything, chosen.__contains__) if is_chosen)


def version_ranges(versions: Sequence[str]) -> str:
    """Return *versions*, all that there are and in order, as text: "1.0.0 to 1.2.0"."""
    return _ranges([versions])


def ranges_among(versions: Iterable[str], mentioned: Collection[str]) -> str:
    """Return *versions* as text with ranges, which end where one of *mentioned* is not among them.

    >>> ranges_among(["1.0.0", "1.1.0", "1.2.0", "2.0.0"], ["1.0.0", "1.1.0", "1.2.0", "1.3.0", "2.0.0"])
    '1.0.0 to 1.2.0 and 2.0.0'
    """
    return _ranges(version_runs(versions, mentioned))


def _ranges(runs: Iterable[Sequence[str]]) -> str:
    """Return *runs* as text, "1.0.0 to 1.2.0 and 2.0.0": "a to b" stands for all mentioned versions from a to b."""
    ranges: list[str] = []
    for run in runs:
        ranges.extend([f"{run[0]} to {run[-1]}"] if len(run) > 2 else run)
    return enumerated(_bounded(ranges, "ranges"))


def _bounded(texts: list[str], noun: str) -> list[str]:
    """Return the first few *texts* and a count of the rest."""
    return texts if len(texts) <= _RUNS + 1 else [*texts[:_RUNS], f"{len(texts) - _RUNS} more {noun}"]


def _location(candidates: Sequence[Candidate]) -> str:
    """Return the channels and catalogs of *candidates* in short: "alpha and beta, olm/main"."""
    channels: dict[str, dict[str, None]] = {}
    for candidate in candidates:
        channels.setdefault(candidate.catalog, {})[candidate.channel] = None
    if list(channels) == [EXISTING]:
        return "installed"
    if len(channels) == 1:
        ((catalog, names),) = channels.items()
        return f"{_enumerated_or_counted(sorted(names), 'channels')}, {catalog}"
    count = len({(catalog, channel) for catalog, names in channels.items() for channel in names})
    few = _enumerated_or_counted(["installed" if name == EXISTING else name for name in sorted(channels)], "catalogs")
    return few if count == len(channels) else f"{count} channels of {few}"


def _enumerated_or_counted(names: Sequence[str], noun: str) -> str:
    return enumerated(names) if len(names) <= _CHANNELS else f"{len(names)} {noun}"


def _tells_package(bundle: str, package: str) -> bool:
    """Return whether the name of a bundle begins with its package, so that the phrase need not name it."""
    return not package or bundle == package or bundle.startswith((f"{package}.", f"{package}-"))


def _version_key(version: str) -> Key:
    """Return the sort key of *version*, read as the block reads versions; a text without numbers comes first."""
    return _key_by(version, scheme_in_use())


# An explanation sorts the same versions for each of its facts: 0.46 µs to read one, 0.07 to look it up.
@lru_cache(maxsize=4096)
def _key_by(version: str, scheme: VersionScheme | None) -> Key:
    """Return the sort key of *version*, of a *scheme* or a semantic one.

    Another text (``2025.2rc1``) goes by its numbers, and comes before its release where letters say so. Each node of an
    answer sorts the versions of its package, so the same ones come hundreds of times: a look-up takes 0.04 µs in place
    of 1.3.
    """
    read = read_version(version, scheme) if version else None
    if read is not None:
        return read.key
    match = _OTHER.match(version)
    if match is None:
        return (-1,)
    numbers = [*map(int, match[1].split(".")), 0, 0]
    more = [int(digits) for digits in _NUMBERS.findall(version[match.end(1) :])]
    rank = _BEFORE.get(match[2].lower())
    if rank is not None:
        # Pairs, as the key of a pre-release has them: 0 and a number.
        return (*numbers[:3], 0, *(part for number in (rank, *more) for part in (0, number)))
    return (*numbers[:3], 1, *numbers[3:-2], *more)
