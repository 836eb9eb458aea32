"""Candidates for a requirement: looked up where the columns list them, else found by testing few bundles.

A list of candidates is a list of slots, ascending, which is their order of preference.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Final

from olmsolve._limits import checked
from olmsolve.catalog.index.facts import FactTable
from olmsolve.catalog.index.packed import Packed
from olmsolve.catalog.index.schema import NONE
from olmsolve.predicates import GVK, AllOf, AnyOf, Fact, InPackage, Predicate
from olmsolve.semver import BlangRange

MOST_REMEMBERED: Final = 200_000
"""How many predicates have their candidates remembered: requests bring their own, and a catalog may live for months."""


class CandidateTable:
    """The slots that meet a predicate as candidates for a dependency, remembered by predicate."""

    def __init__(self, columns: Packed, facts: FactTable) -> None:
        self._columns = columns
        self._facts = facts
        self._candidates: dict[Predicate, tuple[int, ...]] = {}
        self._spans: dict[BlangRange, tuple[tuple[int, int], ...]] = {}

    def slots_for(self, predicate: Predicate) -> tuple[int, ...]:
        """Return the slots that meet *predicate* as candidates for a dependency, most wanted first.

        An entry that another one skips is no candidate. The slot of a channel without an order is, if some bundle of
        the channel meets *predicate*.
        """
        slots = self._candidates.get(predicate)
        if slots is None:
            if len(self._candidates) >= MOST_REMEMBERED:
                self._candidates.clear()
            slots = self._candidates[predicate] = tuple(self._find(predicate))
        return slots

    def spans(self, versions: BlangRange) -> tuple[tuple[int, int], ...]:
        """Return the ranks in *versions* as spans (first, one after the last), ascending and not empty.

        If every candidate of a package has a rank, the candidates of ``InPackage(package, versions)`` are exactly the
        candidates of the package with a rank in a span.
        """
        spans = self._spans.get(versions)
        if spans is None:
            if len(self._spans) >= MOST_REMEMBERED:
                self._spans.clear()
            ranks, key = range(len(self._columns.rank_string)), self._facts.rank_key
            bounds = [bisect_left(ranks, cut, key=key) for cut in versions.cuts]
            pairs = zip(bounds[::2], bounds[1::2], strict=True)
            spans = self._spans[versions] = tuple((start, end) for start, end in pairs if start < end)
        return spans

    def _find(self, predicate: Predicate) -> Iterable[int]:
        if predicate.is_fact:
            return self._superset(predicate)
        if isinstance(predicate, InPackage):
            name = self._columns.name(predicate.package)
            if name < 0:
                return ()
            if self._columns.name_ranked[name]:
                return self._within(name, predicate.versions)
        # A bundle in several channels is tested once.
        verdicts: dict[int, bool] = {}
        channels = self._columns.slot_channel

        def meets(bundle: int, slot: int) -> bool:
            verdict = verdicts.get(bundle)
            if verdict is None:
                verdict = verdicts[bundle] = predicate.test(self._facts.published(bundle, channels[slot]))
            return verdict

        slots = self._superset(predicate)
        # A rule that is evaluated takes from microseconds to milliseconds.
        return [slot for slot in checked(slots, every=8) if any(meets(bundle, slot) for bundle in self._bundles(slot))]

    def _within(self, name: int, versions: BlangRange) -> list[int]:
        """Return the slots of a ranked name whose versions are in *versions*, ascending."""
        columns = self._columns
        ranks, slots = columns.name_ranks, columns.name_ranked_slots
        start, stop = columns.name_starts[name], columns.name_starts[name + 1]
        numbers: list[int] = []
        if stop - start < len(columns.rank_string) and versions not in self._spans:
            # To bisect the few versions of one package is faster than to find the range's spans among all versions of
            # the catalog, which pays only where they are known already: another package was asked for with this range.
            key = self._facts.rank_key
            for cut, end in zip(versions.cuts[::2], versions.cuts[1::2], strict=True):
                start = bisect_left(ranks, cut, start, stop, key=key)
                until = bisect_left(ranks, end, start, stop, key=key)
                numbers += slots[start:until]
        else:
            for low, high in self.spans(versions):
                start = bisect_left(ranks, low, start, stop)
                until = bisect_left(ranks, high, start, stop)
                numbers += slots[start:until]
        numbers.sort()
        return numbers

    def narrowed(self, predicate: Predicate | None) -> Sequence[int]:
        """Return slots, ascending, among which all candidates that meet *predicate* are; None is met by all."""
        return self._all_eligible if predicate is None else self._superset(predicate)

    def _superset(self, predicate: Predicate) -> Sequence[int]:
        """Return slots, ascending, among which all that meet *predicate* are; the fewer, the fewer are tested."""
        if predicate.fact is not None:
            return self.stating(predicate.fact)
        if isinstance(predicate, AllOf):
            return min((self._superset(part) for part in predicate.parts), key=len)
        if isinstance(predicate, AnyOf):
            parts = [self._superset(part) for part in predicate.parts]
            if any(part is self._all_eligible for part in parts):
                return self._all_eligible
            return sorted({slot for part in parts for slot in part})
        return self._all_eligible

    def stating(self, fact: Fact) -> Sequence[int]:
        """Return the slots whose bundles state *fact*, ascending."""
        columns, value = self._columns, fact.value
        if isinstance(value, GVK):
            row, starts, slots = columns.gvk(*value), columns.gvk_starts, columns.gvk_slots
        elif fact.kind == "package":
            row, starts, slots = columns.name(value), columns.name_starts, columns.name_slots
        else:
            row, starts, slots = columns.label(value), columns.label_starts, columns.label_slots
        return () if row < 0 else slots[starts[row] : starts[row + 1]]

    @cached_property
    def _all_eligible(self) -> list[int]:
        """All slots that can be candidates for a dependency, ascending; a channel without an order has one."""
        columns = self._columns
        slots: list[int] = []
        for start, first, end in zip(columns.channel_start, columns.channel_first, columns.channel_end, strict=True):
            slots.extend(range(start, first) if start < first else range(first, end))
        return slots

    def _bundles(self, slot: int) -> Sequence[int]:
        """Return the bundles that a slot stands for: its own, or all bundles of a channel without an order."""
        columns = self._columns
        bundle = columns.slot_bundle[slot]
        if bundle != NONE:
            return (bundle,)
        channel = columns.slot_channel[slot]
        bundles = columns.slot_bundle[columns.channel_first[channel] : columns.channel_stop[channel]]
        return [bundle for bundle in bundles if bundle != NONE]
