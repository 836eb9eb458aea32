"""The newer bundles of a package that are worth a word: one look-up where there are none, a few where there are some.

A subscription to channel stable of one catalog may miss three newest bundles: of its channel, of all channels of its
catalog, and of all visible catalogs. The update that comes next, if it is not taken, is a fourth.
"""

from __future__ import annotations

from collections.abc import Iterator

from olmsolve._named_tuples import NamedTuple
from olmsolve.catalog.index import CatalogIndex, Visible
from olmsolve.classic import ClassicProblem, Subscription
from olmsolve.resolution import Candidate
from olmsolve.semver import Version, read_version


class NewestBundle(NamedTuple):
    """The bundle of the highest version of a package in one catalog; *text* is the version as written."""

    name: str
    text: str
    version: Version


class _PublishedOffer(NamedTuple):
    """A bundle of a package, as the candidate *number* of a problem."""

    version: Version
    number: int
    in_catalog: bool
    in_channel: bool


def has_newer(visible: Visible, package: str, current: Candidate) -> bool:
    """Return whether a visible catalog has a higher version of *package* than *current*."""
    for index in visible.indexes:
        newest = _newest(index, package)
        # Mostly the newest bundle is there, and its version is written alike: nothing is parsed then.
        if newest is None or newest.text == current.version or newest.name == current.name:
            continue
        version = read_version(current.version, index.catalog.scheme)
        if version is None or newest.version > version:
            return True
    return False


def newer_numbers(problem: ClassicProblem, wish: Subscription, current: Candidate) -> list[int]:
    """Return the newest candidates that *wish* misses: of its channel, its catalog and all catalogs, highest first."""
    offers = list(_offers(problem, wish, current))
    newest: list[_PublishedOffer] = []
    for scope in (
        [offer for offer in offers if offer.in_catalog and offer.in_channel],
        [offer for offer in offers if offer.in_catalog],
        offers,
    ):
        best = max(scope, key=lambda offer: offer.version, default=None)
        if best is not None and (not newest or best.version > newest[-1].version):
            newest.append(best)
    return [offer.number for offer in reversed(newest)]


def _newest(index: CatalogIndex, package: str) -> NewestBundle | None:
    """Return the newest bundle of *package*, computed once and kept with the catalog."""
    known: dict[str, NewestBundle | None] = index.catalog.derived((__name__, "newest"), dict)
    if package not in known:
        bundles = (
            NewestBundle(index.bundle(slot), index.version_text(slot), version)
            for slots in index.offered(package) or ()
            for slot in slots.all
            if (version := index.version(slot)) is not None
        )
        known[package] = max(bundles, key=lambda version: version.version, default=None)
    return known[package]


def _offers(problem: ClassicProblem, wish: Subscription, current: Candidate) -> Iterator[_PublishedOffer]:
    """Yield the bundles that are newer than *current*; of equal versions the one that the wish names comes first."""
    later: list[_PublishedOffer] = []
    visible = problem.visible
    for source, index, offset in zip(visible.sources, visible.indexes, visible.offsets, strict=True):
        in_catalog = not wish.source or (source.name, source.namespace) == (wish.source, wish.source_namespace)
        baseline = read_version(current.version, index.catalog.scheme)
        names = index.channel_names(wish.package)
        for channel, slots in zip(names, index.offered(wish.package) or (), strict=True):
            in_channel = wish.channel in ("", channel)
            for slot in slots.all:
                version = index.version(slot)
                if version is None or (baseline is not None and not version > baseline):
                    continue
                offer = _PublishedOffer(version, offset + slot, in_catalog, in_channel)
                if in_catalog and in_channel:
                    yield offer
                else:
                    later.append(offer)
    yield from sorted(later, key=lambda offer: (not offer.in_catalog, not offer.in_channel))
