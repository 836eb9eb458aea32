"""Packages whose requirements, candidates and groups are numbers and sets of bits, because versions say everything.

The slots of such a package are its *family*: at most one of them can be selected, and a requirement for the package is
an interval of them in the order of their versions. So a solver looks at all candidates of a requirement with one
operation on an integer. For example::

    slots 10, 11, 12 with the versions 3, 1, 2 have the bits 2, 4, 8 (bit 0 is left free for the solver)
    ordered by version: slots 11, 12, 10, so prefixes == (0, 4, 4|8, 4|8|2)
    "version 2 or later" is the interval (1, 3): prefixes[3] ^ prefixes[1] == 8|2, slots 12 and 10
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from operator import or_
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from olmsolve._named_tuples import NamedTuple
from olmsolve.catalog.index.candidates import MOST_REMEMBERED
from olmsolve.catalog.index.facts import Group
from olmsolve.catalog.index.packed import Packed
from olmsolve.catalog.index.schema import DEPRECATED, HELD, NONE

if TYPE_CHECKING:
    from olmsolve.catalog.index.common_needs import CommonNeeds

MOST_MEMBERS: Final = 2048
"""How many slots a family can have. It has as many prefixes as slots, of as many bits each: 512 KiB at this size."""

# The entry for needs that have not been read; None means needs that bits cannot say. With a look for the key and a
# second one for the value, a thread would take needs that another thread enters in between for None.
_UNREAD: Final[Any] = object()

Need: TypeAlias = tuple[int, int, int]
"""A requirement for a package: the number of its name, and the interval (first, one after the last) of positions in its
order of versions."""


Run: TypeAlias = tuple["Group", int, int]
"""A requirement as a run of a family's slots, which are neighbours: its group, and the interval (first, one after the
last) of positions in :attr:`Family.slots`."""

SubjectNeed: TypeAlias = tuple[int, int, int]
"""A need of a family's slot on another family: the bits that meet it, the bit of the slot, and its number among the
slot's needs."""

NeedsInBits: TypeAlias = tuple[tuple[tuple["Group", int], ...], tuple["Group", ...]]
"""The needs of a slot, each as the group of a family and the bits of its slots that meet it; and the slot's other
groups."""


NeedsByTarget: TypeAlias = Callable[[int, int], list[tuple["Group", list[SubjectNeed]]] | None]
"""The type of :meth:`FamilyTable.needs_by_target`."""

NewlyNeeded: TypeAlias = Callable[[int, int, dict["Group", int]], tuple[list[tuple["Group", int]], int | None]]
"""The type of :meth:`FamilyTable.newly_needed`."""


class Family(NamedTuple):
    """The slots of a package, of which at most one can be selected, and their order by version.

    *group* is their at-most-one group, *slots* are their numbers, ascending. ``prefixes[i]`` is the set of the first
    *i* of them by version: an integer in which ``slots[j]`` is bit ``1 << (j + 1)``; bit 0 is left free. So the slots
    at the positions from *first* to before *end* are ``prefixes[end] ^ prefixes[first]``. *own_channels* says that all
    slots are in channels of the package itself, *descending* that their versions fall.
    """

    group: Group
    slots: tuple[int, ...]
    prefixes: tuple[int, ...]
    own_channels: bool
    descending: bool


class FamilyTable:
    """The families and needs of :class:`~olmsolve.catalog.index.CatalogIndex`, each worked out when it is asked for.

    A file may hold any numbers, so those that are used as positions here are checked here.
    """

    def __init__(
        self, columns: Packed, group: Callable[[int], Group], groups: Callable[[int], tuple[Group, ...]]
    ) -> None:
        self._columns = columns
        self._slot_bundle = columns.slot_bundle
        self._group = group
        self._groups = groups
        # By the number of a list of requirements: bundles that require the same have one list.
        self._needs: dict[int, tuple[Need, ...] | None] = {}
        # By the number of a package's name.
        self._families: dict[int, Family | None] = {}
        # By size: the prefixes of a family whose versions fall from its first slot on.
        self._descending_prefixes: dict[int, tuple[int, ...]] = {}
        # By slot: the name whose family it is in. A family is entered whole, so most slots are answered by this dict.
        self._family_of: dict[int, int] = {}
        # By the number of a list of groups: what `other_groups` says.
        self._other_groups: dict[int, tuple[Group, ...]] = {}
        self._slots_meeting: dict[Need, tuple[int, ...]] = {}
        # By slot. The first request looks at most slots once; the next one over the catalog finds them here: the easy
        # problem of 20,000 bundles takes 23 ms, then 15, and 18 without this dict.
        self._needs_in_bits: dict[int, NeedsInBits | None] = {}
        # By requirement: many bundles share one. The runs of all families of 20,000 bundles take 27 ms, and 31 without
        # this dict.
        self._runs: dict[int, Run] = {}
        self._requirement_columns = columns.requirement_name, columns.requirement_first, columns.requirement_end
        self._names: int = len(columns.name_string)
        self._common_needs: CommonNeeds | None = None

    def needs(self, slot: int) -> tuple[Need, ...] | None:
        """Return the requirements of the slot's bundle as numbers, in the order of :meth:`requires`; nothing is parsed.

        Each is the number of a package's name and an interval (first, one after the last) of positions in the package's
        order of versions; :meth:`slots_meeting` gives its candidates. None if some requirement is of another kind, for
        a bundle that is deprecated, and for a slot without a bundle.
        """
        columns = self._columns
        bundle = columns.slot_bundle[slot]
        if bundle == NONE or columns.bundle_flags[bundle] & (DEPRECATED | HELD):
            return None
        listed = columns.bundle_requires[bundle]
        needs: tuple[Need, ...] | None = self._needs.get(listed, _UNREAD)
        if needs is _UNREAD:
            start, stop = columns.requires_starts[listed], columns.requires_starts[listed + 1]
            needs = self._needs[listed] = self._read_needs(columns.requires_requirement[start:stop])
        return needs

    def _read_needs(self, requirements: Iterable[int]) -> tuple[Need, ...] | None:
        """Return the needs of requirements; None where one is no interval, or leaves its package's part."""
        columns = self._columns
        starts, ranked, names = columns.name_starts, columns.name_ranked, len(columns.name_string)
        name_of, first_of, end_of = columns.requirement_name, columns.requirement_first, columns.requirement_end
        needs = []
        for requirement in requirements:
            name, first, end = name_of[requirement], first_of[requirement], end_of[requirement]
            # A requirement without an interval has NONE here, which is more than all names.
            if name >= names or not ranked[name] or not first <= end <= starts[name + 1] - starts[name]:
                return None
            needs.append((name, first, end))
        return tuple(needs)

    def needs_in_runs(self, name: int) -> list[list[Run] | None]:
        """Return the needs of all slots in the :meth:`family` of a name, which must have one, in their order.

        None stands for a slot whose :meth:`needs_in_bits` have to be asked for: if they are no runs of slots, or there
        are other groups, or no needs at all.
        """
        # The 600 families of a dense catalog of 20,000 bundles take 35 ms so, and 65 slot by slot.
        columns, runs, family = self._columns, self._runs, self.family(name)
        assert family is not None, "the name has a family"
        starts, requirements, flags = columns.requires_starts, columns.requires_requirement, columns.bundle_flags
        rows: list[list[Run] | None] = []
        for slot in family.slots:
            bundle = columns.slot_bundle[slot]
            needs: list[Run] | None = None
            if not flags[bundle] & (DEPRECATED | HELD) and not self.other_groups(slot):
                needs = []
                listed = columns.bundle_requires[bundle]
                for requirement in requirements[starts[listed] : starts[listed + 1]]:
                    run = runs.get(requirement) or self._run(requirement)
                    if run is None or run[0] is family.group:
                        needs = None
                        break
                    needs.append(run)
            rows.append(needs)
        return rows

    def newly_needed(
        self, name: int, mask: int, reached: dict[Group, int]
    ) -> tuple[list[tuple[Group, int]], int | None]:
        """Return what the slots in *mask* of the family of a name need beyond *reached*, in order, and add it there.

        Each is the group of a family and the bits of its slots. The second value is the position of the first slot
        that has no :meth:`needs_in_bits`, and ends the walk; None if all slots have them.
        """
        # This runs for every requirement that the order of a core's blocks depends on: 7,000 on the hard problem of
        # 20,000 bundles. That order takes 6.4 ms, and 9.5 with the needs of each slot as a list of runs.
        columns, family, families = self._columns, self.family(name), self._families
        assert family is not None, "the name has a family"
        starts, requirements, flags = columns.requires_starts, columns.requires_requirement, columns.bundle_flags
        name_of, first_of, end_of = self._requirement_columns
        slots, bundles, lists, names = family.slots, self._slot_bundle, columns.bundle_requires, self._names
        added: list[tuple[Group, int]] = []
        while mask:
            bit = mask & -mask
            mask ^= bit
            position = bit.bit_length() - 2
            bundle = bundles[slots[position]]
            if flags[bundle] & (DEPRECATED | HELD):
                return added, position
            listed = lists[bundle]
            # The slot's own additions, which are entered once all its requirements are known to be bits.
            fresh: list[tuple[Group, int]] = []
            for requirement in requirements[starts[listed] : starts[listed + 1]]:
                number, first, end = name_of[requirement], first_of[requirement], end_of[requirement]
                target = families.get(number) or (self.family(number) if number < names else None)
                if target is None or number == name:
                    return added, position
                group, prefixes = target[0], target[2]
                if not first <= end < len(prefixes):
                    return added, position
                needed = prefixes[end] ^ prefixes[first]
                if needed & ~reached.get(group, 0):
                    fresh.append((group, needed))
            for group, needed in fresh:
                before = reached.get(group, 0)
                if needed & ~before:
                    reached[group] = before | needed
                    added.append((group, needed & ~before))
        return added, None

    def _run(self, requirement: int) -> Run | None:
        """Return the run of a requirement; None if it is about no family, or about one in another order."""
        # As `_read_needs` does for one requirement, without a list of one, which would cost as much as the rest.
        name, first, end = self._requirement_columns
        number, start, stop = name[requirement], first[requirement], end[requirement]
        if number >= self._names:
            return None
        family = self._families.get(number) or self.family(number)
        if family is None or not family[4]:
            return None
        size = len(family[1])
        if not start <= stop <= size:
            return None
        run = self._runs[requirement] = family[0], size - stop, size - start
        return run

    def needs_in_bits(self, slot: int) -> NeedsInBits | None:
        """Return :meth:`needs` as bits of the families that they are about, and :meth:`other_groups`.

        None if there are no needs, if one is about no family or about the slot's own, and for a slot in no family.
        """
        needs: NeedsInBits | None = self._needs_in_bits.get(slot, _UNREAD)
        if needs is _UNREAD:
            if len(self._needs_in_bits) >= MOST_REMEMBERED:
                self._needs_in_bits.clear()
            needs = self._needs_in_bits[slot] = self._make_needs_in_bits(slot)
        return needs

    def _make_needs_in_bits(self, slot: int) -> NeedsInBits | None:
        """Return the bits of each interval: the difference of two prefixes.

        ``prefixes[2] ^ prefixes[5]`` are the bits of the slots at the positions 2, 3 and 4 by version.
        """
        # This runs for every bundle that a search looks at. So dictionaries are asked before methods, and requirements
        # become bits at once, without the list of numbers that `needs` makes of them: 2.5 instead of 3.5 µs for a
        # bundle.
        columns, own_family = self._columns, self._family_of.get(slot)
        if own_family is None:
            own_family = self.family_of(slot)
        if own_family < 0:
            return None
        bundle = self._slot_bundle[slot]
        if columns.bundle_flags[bundle] & (DEPRECATED | HELD):
            return None
        listed, starts, families = columns.bundle_requires[bundle], columns.requires_starts, self._families
        name_of, first_of, end_of = self._requirement_columns
        bits: list[tuple[Group, int]] = []
        for requirement in columns.requires_requirement[starts[listed] : starts[listed + 1]]:
            name, first, end = name_of[requirement], first_of[requirement], end_of[requirement]
            # A requirement without an interval has NONE here, which is more than all names.
            family = families.get(name) or (self.family(name) if name < self._names else None)
            if family is None or name == own_family:
                return None
            group, prefixes = family[0], family[2]
            if not first <= end < len(prefixes):
                return None
            bits.append((group, prefixes[end] ^ prefixes[first]))
        # As `other_groups` does for all slots but the first of a family.
        others = self._other_groups.get(columns.bundle_groups[bundle])
        return tuple(bits), self.other_groups(slot) if others is None else others

    def needs_by_target(self, name: int, mask: int) -> list[tuple[Group, list[SubjectNeed]]] | None:
        """Return the needs of the slots in *mask* of the :meth:`family` of a name, by the families that they are about.

        A family that only one of several slots needs is left out, unread. None if one of the slots has no
        :meth:`needs_in_bits` for another reason.
        """
        # Needs that a union reads are seldom compiled later, and are not remembered here.
        columns, family, families = self._columns, self.family(name), self._families
        assert family is not None, "the name has a family"
        flags, listed, starts = columns.bundle_flags, columns.bundle_requires, columns.requires_starts
        requirements, (name_of, first_of, end_of) = columns.requires_requirement, self._requirement_columns
        slots, bundles, several = family.slots, self._slot_bundle, mask & (mask - 1)
        by_name: dict[int, list[SubjectNeed]] = {}
        while mask:
            bit = mask & -mask  # the lowest one: 0b0100 of 0b1100
            mask ^= bit
            bundle = bundles[slots[bit.bit_length() - 2]]
            if flags[bundle] & (DEPRECATED | HELD):
                return None
            row = listed[bundle]
            for number, requirement in enumerate(requirements[starts[row] : starts[row + 1]]):
                target = name_of[requirement]
                # The interval becomes bits once it is clear who is needed by several.
                need = requirement, bit, number
                if target in by_name:
                    by_name[target].append(need)
                else:
                    by_name[target] = [need]
        by_group: list[tuple[Group, list[SubjectNeed]]] = []
        for target, needs in by_name.items():
            # A requirement without an interval has NONE here, which is more than all names.
            if target >= self._names or target == name:
                return None
            if len(needs) == 1 and several:
                # Other families of a tenth of a dense catalog's bundles are needed by them alone; to make these
                # families as well would take as long as reading.
                continue
            other = families.get(target) or self.family(target)
            if other is None:
                return None
            prefixes = other[2]
            size = len(prefixes)
            bits: list[SubjectNeed] = []
            for requirement, subject, number in needs:
                first, end = first_of[requirement], end_of[requirement]
                if not first <= end < size:
                    return None
                bits.append((prefixes[end] ^ prefixes[first], subject, number))
            by_group.append((other[0], bits))
        return by_group

    def slots_meeting(self, name: int, first: int, end: int) -> tuple[int, ...]:
        """Return the slots of an interval of :meth:`needs`, ascending; the same tuple while it is remembered."""
        need = name, first, end
        slots = self._slots_meeting.get(need)
        if slots is None:
            if len(self._slots_meeting) >= MOST_REMEMBERED:
                self._slots_meeting.clear()
            columns = self._columns
            start = columns.name_starts[name]
            slots = self._slots_meeting[need] = tuple(sorted(columns.name_ranked_slots[start + first : start + end]))
        return slots

    def contradict(self, choices: Iterable[Sequence[int]], check: Callable[[], object]) -> bool:
        """Return True if one slot of each of *choices* cannot be selected; see :meth:`.CommonNeeds.contradict`."""
        if self._common_needs is None:
            from olmsolve.catalog.index.common_needs import CommonNeeds  # only verdicts over dense catalogs need it

            self._common_needs = CommonNeeds(self._columns, self.family)
        return self._common_needs.contradict(choices, check)

    def family(self, name: int) -> Family | None:
        """Return the slots that can be candidates of a numbered name, as sets of bits.

        None where versions do not say everything: some candidate has no rank or no order, some bundle of the package
        does not declare itself, or there are more slots than a family may have.
        """
        try:
            return self._families[name]
        except KeyError:
            family = self._families[name] = self._make_family(name)
            return family

    def _make_family(self, name: int) -> Family | None:
        columns = self._columns
        if not columns.name_ranked[name] or (name < columns.packages and columns.package_undeclared[name]):
            return None
        start, stop = columns.name_starts[name], columns.name_starts[name + 1]
        if stop - start > MOST_MEMBERS:
            return None
        slots = columns.name_slots[start:stop]
        by_version = columns.name_ranked_slots[start:stop]
        size = len(slots)
        members = tuple(slots)
        if len(set(members)) < size or sorted(members) != list(members):
            return None
        # Nearly all slots are neighbours, so slices serve in place of look-ups: 76,000 instructions for a family of 20
        # slots, in place of 101,000, and a search makes hundreds.
        if size and members[-1] - members[0] == size - 1:
            channels = set(columns.slot_channel[members[0] : members[-1] + 1])
            bundles: Sequence[int] = columns.slot_bundle[members[0] : members[-1] + 1]
        else:
            channels = set(map(columns.slot_channel.__getitem__, members))
            bundles = list(map(columns.slot_bundle.__getitem__, members))
        # In an index that was built, ranked slots have bundles of this package alone, and ascend. A file made to lie
        # may hold others, and the solver's bits would then mean several slots at once.
        if NONE in bundles or any(
            self._only_package(listed) != name for listed in set(map(columns.bundle_groups.__getitem__, bundles))
        ):
            return None
        descending = by_version == slots[::-1]
        if descending:
            # One channel, from its head down the versions fall: nearly all families. Three slots have the prefixes
            # 0b0000, 0b1000, 0b1100, 0b1110, which need no set of bits for each slot: 23 instead of 27 ms for the
            # answer of the easy dense problem of 20,000 bundles. All families of one size share them.
            prefixes = self._descending_prefixes.get(size)
            if prefixes is None:
                prefixes = tuple([((1 << count) - 1) << (size - count + 1) for count in range(size + 1)])
                self._descending_prefixes[size] = prefixes
        elif sorted(set(by_version)) == list(members):
            bits = {slot: 2 << position for position, slot in enumerate(members)}
            prefixes = (0, *accumulate((bits[slot] for slot in by_version), or_))
        else:
            return None
        own_channels = all(columns.channel_package[channel] == name for channel in channels)
        return Family(self._group(name), members, prefixes, own_channels, descending)

    def _only_package(self, listed: int) -> int:
        """Return the one package in a list of groups, -1 if there is none or are several."""
        packages = [group for group in self._columns.groups(listed) if group < len(self._columns.name_string)]
        return packages[0] if len(packages) == 1 else -1

    def family_of(self, slot: int) -> int:
        """Return the number of the name whose :meth:`family` the slot is in, -1 if it is in none."""
        number = self._family_of.get(slot)
        if number is None:
            bundle = self._columns.slot_bundle[slot]
            name = -1 if bundle == NONE else self._only_package(self._columns.bundle_groups[bundle])
            family = self.family(name) if name >= 0 else None
            if family is not None:
                self._family_of.update(dict.fromkeys(family.slots, name))
            number = self._family_of.setdefault(slot, -1)
        return number

    def other_groups(self, slot: int) -> tuple[Group, ...]:
        """Return the :meth:`groups` that exclude more than the group of the slot's family does.

        The API of a bundle is left out if only bundles of this package provide it, in this catalog: at most one of them
        is selected already. A slot in no family has all its groups, one without a bundle has none.
        """
        bundle = self._columns.slot_bundle[slot]
        if bundle == NONE:
            return ()
        listed = self._columns.bundle_groups[bundle]
        name = self.family_of(slot)
        if name < 0:
            return self._groups(slot)
        others = self._other_groups.get(listed)
        if others is None:
            # The list names one package, so all bundles that have it are in the same family.
            names, packages = len(self._columns.name_string), self._columns.gvk_package
            others = self._other_groups[listed] = tuple(
                self._group(group)
                for group in self._columns.groups(listed)
                if group != name and (group < names or packages[group - names] != name)
            )
        return others
