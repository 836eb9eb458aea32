"""Candidates for a requirement: by look-up where the columns have it, else by testing as few bundles as will do."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Final

from olmsolve.catalog.index.facts import FactTable
from olmsolve.catalog.index.packed import NONE, Packed
from olmsolve.predicates import AllOf, AnyOf, HasLabel, InPackage, Predicate, ProvidesGVK
from olmsolve.semver import BlangRange

__all__ = ["MOST_REMEMBERED", "CandidateTable"]

MOST_REMEMBERED: Final = 200_000
"""How many predicates have their candidates remembered; requests bring their own, and a catalog may live long."""


class CandidateTable:
    """The slots that meet a predicate as candidates for a dependency, most wanted first."""

    def __init__(self, columns: Packed, facts: FactTable) -> None:
        self._columns = columns
        self._facts = facts
        self._known: dict[Predicate, tuple[int, ...]] = {}
        self._spans: dict[BlangRange, tuple[tuple[int, int], ...]] = {}
        self._every: list[int] = []

    def of(self, predicate: Predicate) -> tuple[int, ...]:
        """See :meth:`CatalogIndex.candidates`."""
        known = self._known.get(predicate)
        if known is None:
            if len(self._known) >= MOST_REMEMBERED:
                self._known.clear()
            known = self._known[predicate] = tuple(self._find(predicate))
        return known

    def spans(self, versions: BlangRange) -> tuple[tuple[int, int], ...]:
        """See :meth:`CatalogIndex.spans`."""
        known = self._spans.get(versions)
        if known is None:
            if len(self._spans) >= MOST_REMEMBERED:
                self._spans.clear()
            ranks, key = range(len(self._columns.rank_string)), self._facts.rank_key
            places = [bisect_left(ranks, cut, key=key) for cut in versions.cuts]
            pairs = zip(places[::2], places[1::2], strict=True)
            known = self._spans[versions] = tuple((start, end) for start, end in pairs if start < end)
        return known

    def _find(self, predicate: Predicate) -> Iterable[int]:
        if isinstance(predicate, ProvidesGVK | HasLabel):
            return self._narrowed(predicate)
        if isinstance(predicate, InPackage):
            name = self._columns.name(predicate.package)
            if name < 0:
                return ()
            if self._columns.name_ranked[name]:
                return self._within(name, predicate.versions)
        verdicts: dict[int, bool] = {}
        channels = self._columns.slot_channel

        def meets(bundle: int, slot: int) -> bool:
            verdict = verdicts.get(bundle)
            if verdict is None:
                verdict = verdicts[bundle] = predicate.test(self._facts.published(bundle, channels[slot]))
            return verdict

        slots = self._narrowed(predicate)
        return [slot for slot in slots if any(meets(bundle, slot) for bundle in self._bundles(slot))]

    def _within(self, name: int, versions: BlangRange) -> list[int]:
        columns = self._columns
        ranks, slots = columns.name_ranks, columns.name_ranked_slots
        start, stop = columns.name_starts[name], columns.name_starts[name + 1]
        found: list[int] = []
        if stop - start < len(columns.rank_string) and versions not in self._spans:
            # So few versions are faster looked at themselves than the range is in all versions of the catalog.
            key = self._facts.rank_key
            for cut, end in zip(versions.cuts[::2], versions.cuts[1::2], strict=True):
                start = bisect_left(ranks, cut, start, stop, key=key)
                until = bisect_left(ranks, end, start, stop, key=key)
                found += slots[start:until]
        else:
            for low, high in self.spans(versions):
                start = bisect_left(ranks, low, start, stop)
                until = bisect_left(ranks, high, start, stop)
                found += slots[start:until]
        found.sort()
        return found

    def _narrowed(self, predicate: Predicate) -> Sequence[int]:
        """Slots among which all that meet *predicate* are, ascending; the fewer, the better."""
        columns = self._columns
        if isinstance(predicate, ProvidesGVK):
            place, starts, slots = columns.gvk(*predicate.gvk), columns.gvk_starts, columns.gvk_slots
        elif isinstance(predicate, InPackage):
            place, starts, slots = columns.name(predicate.package), columns.name_starts, columns.name_slots
        elif isinstance(predicate, HasLabel):
            place, starts, slots = columns.label(predicate.label), columns.label_starts, columns.label_slots
        elif isinstance(predicate, AllOf) and predicate.parts:
            return min((self._narrowed(part) for part in predicate.parts), key=len)
        elif isinstance(predicate, AnyOf):
            parts = [self._narrowed(part) for part in predicate.parts]
            if any(part is self._eligible() for part in parts):
                return self._eligible()
            return sorted({slot for part in parts for slot in part})
        else:
            return self._eligible()
        return () if place < 0 else slots[starts[place] : starts[place + 1]]

    def _eligible(self) -> list[int]:
        """Slots that can be candidates for a dependency (those of channels without an order among them), ascending."""
        if not self._every:
            columns = self._columns
            every: list[int] = []
            for start, first, end in zip(
                columns.channel_start, columns.channel_first, columns.channel_end, strict=True
            ):
                every.extend(range(start, first) if start < first else range(first, end))
            self._every = every
        return self._every

    def _bundles(self, slot: int) -> Sequence[int]:
        """The bundles that a slot stands for: its own, or all of a channel without an order."""
        columns = self._columns
        bundle = columns.slot_bundle[slot]
        if bundle != NONE:
            return (bundle,)
        channel = columns.slot_channel[slot]
        bundles = columns.slot_bundle[columns.channel_first[channel] : columns.channel_stop[channel]]
        return [bundle for bundle in bundles if bundle != NONE]
