"""Packages as the families of a classic problem: what their bundles require of each other, as sets of bits.

The index of a catalog knows for most bundles which bundles of other packages they require (see
:class:`olmsolve.catalog.index.Family`). That holds for the whole request where all bundles of a package are in one
catalog and no installed operator is one of them: then everybody wants them in the same order. Dense problems are
searched through these sets, without making a constraint for each bundle that is looked at.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Container, Iterable, Sequence
from typing import TYPE_CHECKING, Final, cast

from olmsolve._named_tuples import NamedTuple
from olmsolve.catalog.index import CatalogIndex, Fault, Group, InstalledIndex, Need, UnparsedRequirements, Visible
from olmsolve.solver import GroupName, Identifier, MaskedNeeds, Root, Run

if TYPE_CHECKING:
    from olmsolve.classic.ruled import RuledCandidates


class _RequestFamily(NamedTuple):
    """An :class:`olmsolve.catalog.index.Family` whose members are counted over all visible catalogs.

    *block* is the package whose channels hold all members, None if several packages do.
    """

    group: Group
    block: str | None
    members: Sequence[int]
    prefixes: Sequence[int]


class PackageFamilies:
    """The :class:`olmsolve.solver.FamilyView` of the packages of *visible* catalogs, beside *installed* operators.

    *plain* says that a bundle has no constraints but its own requirements and groups; only the *updates* of installed
    operators and the candidates that house rules restrict (*ruled*) have more. A package whose order a house rule
    changes is no family. Each catalog numbers the names of packages: a *name* here is such a number.
    """

    def __init__(
        self,
        visible: Visible,
        installed: InstalledIndex,
        *,
        plain: bool,
        updates: Container[int],
        ruled: RuledCandidates | None = None,
        numbered: bool = False,
    ) -> None:
        self._visible = visible
        self._plain = plain
        self._numbered = numbered
        self._updates = updates
        self._ruled = ruled
        # A preference gives the members of a family another order than their numbers have, which all sets of bits use.
        self._reordering = ruled is not None and bool(ruled.preferred)
        # An installed operator is a candidate as well, and comes first: its package is in no catalog's order alone.
        self._installed = {package for facts in installed.published for package, _ in facts.packages}
        # With one catalog and nothing installed, the index knows all providers of an API.
        self._index_knows_all = len(visible.indexes) == 1 and not installed.published and not self._reordering
        # For each catalog, by the number of a name in it.
        self._by_name: list[dict[int, _RequestFamily | None]] = [{} for _ in visible.indexes]
        self._by_group: dict[Group, _RequestFamily | None] = {}
        # By the offset of a catalog and a need in it: one tuple for all bundles with the same need.
        self._shifted: dict[tuple[int, int, int, int], tuple[int, ...]] = {}
        self._masked: dict[Identifier, MaskedNeeds | None] = {}

    def family(self, group: GroupName) -> Sequence[Identifier] | None:
        """Return the members of the family with this at-most-one group, ascending; None if it is no family."""
        family = self._of_group(group)
        return None if family is None else family.members

    def block_of(self, group: GroupName) -> str | None:
        """Return the package whose channels hold all members of a family; None if several do, or it is no family."""
        family = self._of_group(group)
        return None if family is None else family.block

    def family_of(self, identifier: Identifier) -> tuple[Group, int] | None:
        """Return the family of a slot and its position in it; None for installed operators and slots in no family."""
        assert isinstance(identifier, int)
        if identifier >= self._visible.size:
            return None
        position, index, slot = self._visible.locate(identifier)
        name = index.family_of(slot)
        if name < 0:
            return None
        # The dictionary first: this runs for every candidate that gets a variable.
        family = self._by_name[position].get(name) or self._of_name(position, name)
        # Members are ascending, so a binary search finds the position, without a table of all numbers.
        return None if family is None else (family.group, bisect_left(family.members, identifier))

    def masked_needs(self, identifier: Identifier) -> MaskedNeeds | None:
        """Return all that a slot requires, as bits; None if its constraints say more than families can."""
        masked = self._masked.get(identifier)
        if masked is None and identifier not in self._masked:
            assert isinstance(identifier, int)
            masked = self._masked[identifier] = self._masked_needs(identifier)
        return masked

    def _masked_needs(self, number: int) -> MaskedNeeds | None:
        """Return all constraints of the candidate *number* as sets of bits; None if one is not about families.

        A requirement is an interval of versions, whose bits are the difference of two prefixes of its family:
        ``prefixes[2] ^ prefixes[5]`` are the bits of the members at the positions 2, 3 and 4 by version.
        """
        if number >= self._visible.size or not self._plain or number in self._updates:
            return None
        if self._ruled is not None and self._ruled.restricts(number):
            return None
        if self._index_knows_all:
            # The one catalog's own numbers.
            bits = self._visible.indexes[0].needs_in_bits(number)
            return None if bits is None else MaskedNeeds(*bits)
        position, index, slot = self._visible.locate(number)
        needs, name = index.needs(slot), index.family_of(slot)
        own_family = self._of_name(position, name) if name >= 0 else None
        if needs is None or own_family is None:
            return None
        families = self._of_needs(position, needs)
        # A bundle that requires another version of its own package is a member of the family that it needs. Masks
        # cannot state both, so it gets constraints.
        if families is None or own_family in families:
            return None
        masks = [
            (family.group, family.prefixes[end] ^ family.prefixes[first])
            for family, (_, first, end) in zip(families, needs, strict=True)
        ]
        return MaskedNeeds(tuple(masks), tuple([group for group in index.groups(slot) if group != own_family.group]))

    def contradict(self, roots: Iterable[Root], check: Callable[[], object]) -> bool:
        """Return True if the needs of all versions show that *roots* contradict each other; False proves nothing.

        *check* is called between the steps, and may raise.
        """
        if not self._index_knows_all:
            return False
        # Identifiers are the slots of the one catalog; a limit has no candidates.
        choices = [cast("Sequence[int]", root.candidates) for root in roots]
        return self._visible.indexes[0].contradict(choices, check)

    def needs_in_runs(self, group: GroupName) -> Sequence[Sequence[Run] | None] | None:
        """Return what the slots of a family require as runs; None unless the index of the one catalog says all."""
        name = self._known_name(group)
        return None if name is None else self._visible.indexes[0].needs_in_runs(name)

    def newly_needed(
        self, group: GroupName, mask: int, reached: dict[GroupName, int]
    ) -> tuple[list[tuple[GroupName, int]], int | None] | None:
        """Return what the slots in *mask* of a family need beyond *reached*, and add it there.

        This is :meth:`.CatalogIndex.newly_needed`; None unless the index of the one catalog says all.
        """
        name = self._known_name(group)
        if name is None:
            return None
        return self._visible.indexes[0].newly_needed(name, mask, reached)  # type: ignore[arg-type, return-value]

    def needs_by_target(
        self, group: GroupName, mask: int
    ) -> Sequence[tuple[GroupName, Sequence[tuple[int, int, int]]]] | None:
        """Return what slots of a family require, by target; None unless the index of the one catalog says all."""
        name = self._known_name(group)
        return None if name is None else self._visible.indexes[0].needs_by_target(name, mask)

    def _known_name(self, group: GroupName) -> int | None:
        """Return the number of a family's name in the one catalog; None unless the index alone says all about it."""
        if not (self._index_knows_all and self._plain) or self._ruled is not None or self._of_group(group) is None:
            return None
        assert isinstance(group, Group)
        return self._visible.indexes[0].name_number(group.name)

    def choices(self, position: int, index: CatalogIndex, slot: int) -> Sequence[tuple[tuple[int, ...], Group]] | None:
        """Return the candidates and the group of each requirement of a slot; None unless all are about families.

        *slot* is counted in the *index* of the catalog at *position*, as :meth:`.Visible.locate` returns it.
        """
        offset = self._visible.offsets[position]
        needs = index.needs(slot)
        families = None if needs is None else self._of_needs(position, needs)
        if needs is None or families is None:
            return None
        choices: list[tuple[tuple[int, ...], Group]] = []
        for family, need in zip(families, needs, strict=True):
            candidates = index.slots_meeting(*need)
            if offset:
                shifted = tuple([offset + candidate for candidate in candidates])
                candidates = self._shifted.setdefault((offset, *need), shifted)
            choices.append((candidates, family.group))
        return choices

    def groups_of(self, identifier: Identifier) -> tuple[Group, ...]:
        """Return all at-most-one groups of a slot that has masked needs, which leave out most of them."""
        assert isinstance(identifier, int)
        _, index, slot = self._visible.locate(identifier)
        return index.groups(slot)

    def origins(self, identifier: Identifier) -> Sequence[object]:
        """Return the requirements of a slot that has masked needs, or their numbers: see :class:`.ClassicProblem`."""
        if self._numbered:
            return _NUMBERS
        assert isinstance(identifier, int)
        _, index, slot = self._visible.locate(identifier)
        requires = index.requires(slot)
        if isinstance(requires, Fault):
            # An index file may hold bits for requirements that do not parse.
            return [requires] * len(index.needs(slot) or ())
        return requires

    def unparsed(self, identifiers: Iterable[Identifier]) -> dict[Identifier, UnparsedRequirements]:
        """Return the requirements of slots that have masked needs, as :meth:`.RequirementTable.unparsed` does."""
        visible = self._visible
        if visible.offsets == [0]:
            # One catalog: its own numbers.
            return visible.indexes[0].unparsed(cast("Iterable[int]", identifiers))  # type: ignore[return-value]
        slots: dict[int, list[int]] = {}
        for identifier in identifiers:
            assert isinstance(identifier, int)
            position, _, slot = visible.locate(identifier)
            slots.setdefault(position, []).append(slot)
        return {
            visible.offsets[position] + slot: requirements
            for position, listed in slots.items()
            for slot, requirements in visible.indexes[position].unparsed(listed).items()
        }

    # -- families by group, by name and by need

    def _of_group(self, group: GroupName) -> _RequestFamily | None:
        assert isinstance(group, Group)
        if group in self._by_group:
            return self._by_group[group]
        family: _RequestFamily | None = None
        if group.kind == "package":
            for position, index in enumerate(self._visible.indexes):
                name = index.name_number(group.name)
                family = self._of_name(position, name) if name >= 0 else None
                if family is not None:
                    break
        self._by_group[group] = family
        return family

    def _of_name(self, position: int, name: int) -> _RequestFamily | None:
        by_name = self._by_name[position]
        if name not in by_name:
            by_name[name] = family = self._family(position, name)
            if family is not None:
                self._by_group[family.group] = family
        return by_name[name]

    def _of_needs(self, position: int, needs: Sequence[Need]) -> list[_RequestFamily] | None:
        """Return the family of each need of the catalog at *position*; None if one is about no family."""
        by_name = self._by_name[position]
        families: list[_RequestFamily] = []
        for name, _, _ in needs:
            # The dictionary first: this runs for every bundle that is looked at, and nearly always finds it there.
            family = by_name.get(name) or self._of_name(position, name)
            if family is None:
                return None
            families.append(family)
        return families

    def _family(self, position: int, name: int) -> _RequestFamily | None:
        """Return the family of a name of one catalog; None if bundles of its package are elsewhere, or installed."""
        visible = self._visible
        family = visible.indexes[position].family(name)
        if family is None:
            return None
        package = family.group.name
        if self._index_knows_all:
            return _RequestFamily(family.group, package if family.own_channels else None, family.slots, family.prefixes)
        if package in self._installed or visible.package_group(package) is None:
            return None
        if any(index.offers(package) for other, index in enumerate(visible.indexes) if other != position):
            return None
        offset = visible.offsets[position]
        members = [offset + slot for slot in family.slots] if offset else family.slots
        if self._reordering and self._ruled is not None and self._ruled.reorders(members):
            return None
        return _RequestFamily(family.group, package if family.own_channels else None, members, family.prefixes)


_NUMBERS: Final = range(1 << 32)
"""The numbers of as many requirements as the columns of an index can hold; ``_NUMBERS[3] == 3``."""
