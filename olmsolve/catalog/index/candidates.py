"""The requirements of bundles, parsed once for each distinct property, and the candidates that meet them.

Versions of an operator mostly require the same: real catalogs have one distinct requirement for forty bundles or more.
A list of candidates is a list of slots, ascending, which is their order of preference. It is looked up where the
columns list them, else found by testing few bundles.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from contextvars import Context
from functools import cached_property
from itertools import starmap
from typing import TYPE_CHECKING, Any, Final

import olmsolve._attrs as attrs
from olmsolve._limits import checked
from olmsolve.catalog.index.facts import FactTable
from olmsolve.catalog.index.packed import Packed
from olmsolve.catalog.index.schema import NONE
from olmsolve.errors import ConstraintError, RangeError
from olmsolve.predicates import (
    GVK,
    PACKAGE_FIELDS,
    PACKAGE_REQUIRED,
    REQUIREMENT_TYPES,
    Fact,
    InPackage,
    Predicate,
    Property,
    Requirement,
    in_package,
    required,
    requirements,
)
from olmsolve.semver import BlangRange, reading_by

if TYPE_CHECKING:
    from olmsolve.semver import VersionScheme


class UnparsedRequirements:
    """The requirements of a bundle for packages, parsed when they are first asked for.

    This object holds the texts and no index, so keeping it does not keep the catalog in memory.
    """

    __slots__ = ("_predicates", "_texts")

    def __init__(self, texts: Sequence[tuple[str, str]]) -> None:
        self._texts = texts
        self._predicates: tuple[InPackage, ...] | None = None

    @property
    def predicates(self) -> tuple[InPackage, ...]:
        """The predicates in order; none at all if one does not parse."""
        predicates = self._predicates
        if predicates is None:
            # In a context of its own, without the limits of the caller, who only reads a value, and without a scheme.
            predicates = self._predicates = Context().run(_in_packages, self._texts)
        return predicates


def _in_packages(texts: Iterable[tuple[str, str]]) -> tuple[InPackage, ...]:
    try:
        return tuple(starmap(in_package, texts))
    except RangeError:
        return ()


class RequirementTable:
    """The requirements that the columns of an index hold, each parsed when it is first asked for."""

    def __init__(self, columns: Packed, scheme: VersionScheme | None = None) -> None:
        self._columns = columns
        self._scheme = scheme
        self._predicates: dict[int, Predicate] = {}
        self._lists: dict[int, tuple[Requirement, ...]] = {}
        self._held: dict[int, tuple[Requirement, ...]] = {}
        self._unparsed: dict[int, UnparsedRequirements] = {}
        # The numbers of the strings PACKAGE_REQUIRED and PACKAGE_FIELDS, once a requirement has them.
        self._plain_labels: tuple[int, ...] = ()

    def parsed(self, number: int) -> tuple[Requirement, ...]:
        """Return the requirements of a list.

        Raises :class:`~olmsolve.errors.ConstraintError` for the first that does not parse, each time.
        """
        if not number:
            return ()  # list 0 is empty
        parsed = self._lists.get(number)
        if parsed is None:
            columns = self._columns
            start, end = columns.requires_starts[number], columns.requires_starts[number + 1]
            pairs = zip(columns.requires_requirement[start:end], columns.requires_property[start:end], strict=True)
            with reading_by(self._scheme):
                parsed = self._lists[number] = tuple(
                    [self._requirement(json_text, property_) for json_text, property_ in pairs]
                )
        return parsed

    def unparsed(self, slots: Iterable[int]) -> dict[int, UnparsedRequirements]:
        """Return the requirements of *slots* whose needs are known as bits, to be parsed when somebody asks.

        Slots are left out whose requirements are parsed already, or are not all plain ones of packages, and all slots
        if a scheme reads the ranges, which may be a function of the program.
        """
        unparsed: dict[int, UnparsedRequirements] = {}
        if self._scheme is not None:
            return unparsed
        # One loop for all bundles of a plan: a loop over each column, in C or not, takes up to 1.5 times as long.
        columns, parsed, known, plain = self._columns, self._lists, self._unparsed, self._plain_labels
        bundles, lists, string = columns.slot_bundle, columns.bundle_requires, columns.string
        requires, starts = columns.requires_requirement, columns.requires_starts
        kinds, jsons, fields = columns.requirement_type, columns.requirement_json, columns.requirement_fields
        texts, rows = columns.texts_string, columns.texts_starts
        for slot in slots:
            # A bundle whose needs are bits has its properties in the columns.
            number = lists[bundles[slot]]
            kept = known.get(number)
            if kept is not None:
                unparsed[slot] = kept
                continue
            if number in parsed:
                continue
            pairs: list[tuple[str, str]] = []
            for requirement in requires[starts[number] : starts[number + 1]]:
                listed = fields[requirement]
                row = rows[listed]
                if jsons[requirement] or rows[listed + 1] - row != 4:
                    break
                # Equal strings have one number, so the type and the names of the fields are compared as texts once.
                labels = kinds[requirement], texts[row], texts[row + 2]
                if labels != plain:
                    if plain or tuple(map(string, labels)) != (PACKAGE_REQUIRED, *PACKAGE_FIELDS):
                        break
                    plain = self._plain_labels = labels
                pairs.append((string(texts[row + 1]), string(texts[row + 3])))
            else:
                unparsed[slot] = known[number] = UnparsedRequirements(pairs)
        return unparsed

    def of_odd_bundle(self, bundle: int, properties: Iterable[Property]) -> tuple[Requirement, ...]:
        """Return the requirements of a bundle whose *properties* the columns cannot hold."""
        parsed = self._held.get(bundle)
        if parsed is None:
            with reading_by(self._scheme):
                parsed = self._held[bundle] = requirements(properties)
        return parsed

    def _requirement(self, number: int, property_: int) -> Requirement:
        type_ = self._columns.string(self._columns.requirement_type[number])
        predicate = self._predicates.get(number)
        if predicate is None:
            try:
                predicate = self._in_package(type_, number) or _predicate(type_, self.value(number))
            except ConstraintError as error:
                # The same property is at another position in each bundle.
                path = error.path.replace("properties[0]", f"properties[{property_}]", 1)
                raise attrs.evolve(error, path=path) from None
            self._predicates[number] = predicate
        return Requirement(predicate, type_, property_)

    def _in_package(self, type_: str, number: int) -> InPackage | None:
        """Return what :func:`required` gives for a plain package requirement, without a dict and its checks.

        None for all others, wrong ones among them: :func:`required` takes them, or says what is wrong.
        """
        # 1.0 instead of 2.1 µs, for 35 of the 62 requirements of community-prod and for nearly all of dense catalogs.
        if type_ != PACKAGE_REQUIRED or self._columns.requirement_json[number]:
            return None
        columns = self._columns
        listed = columns.requirement_fields[number]
        start, string = columns.texts_starts[listed], columns.string
        if columns.texts_starts[listed + 1] - start != 4:
            return None
        name_field, name, range_field, versions = columns.texts_string[start : start + 4]
        if (string(name_field), string(range_field)) != PACKAGE_FIELDS:
            return None
        try:
            return in_package(string(name), string(versions))
        except RangeError:
            return None

    def value(self, number: int) -> Any:
        """Return the value of the property that states a requirement.

        Raises :class:`~olmsolve.errors.ConstraintError` where a file was made to hold something else.
        """
        columns = self._columns
        text = columns.requirement_json[number]
        if text:
            try:
                return json.loads(columns.string(text))
            except (ValueError, RecursionError):
                raise ConstraintError(_NO_REQUIREMENT, "properties[0]") from None
        fields = iter(columns.texts(columns.requirement_fields[number]))
        return dict(zip(fields, fields, strict=False))


_NO_REQUIREMENT: Final = "the index holds no requirement here"


def _predicate(type_: str, value: Any) -> Predicate:
    if type_ not in REQUIREMENT_TYPES:
        raise ConstraintError(_NO_REQUIREMENT, "properties[0]")
    return required(type_, value)


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
        # A bundle in several channels is tested once: of community-prod, 6,890 bundles have 10,526 slots.
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
            # To bisect the versions of one package (11 in the middle of community-prod) takes 2 µs, to find the range's
            # spans among all 2,042 versions of the catalog 6, which pays only where they are known already: another
            # package was asked for with this range.
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
        if predicate.all_of:
            return min((self._superset(part) for part in predicate.all_of), key=len)
        if predicate.any_of:
            parts = [self._superset(part) for part in predicate.any_of]
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
