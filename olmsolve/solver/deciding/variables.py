"""Where candidates are: the place of each, and its bit there."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from olmsolve.solver.constraints import Branch, GroupName, Identifier
from olmsolve.solver.deciding.domains import Condition, Domains
from olmsolve.solver.problem import FamilyView

__all__ = ["VariableTable"]


class VariableTable:
    """The place and bit of each candidate, given when it is first met.

    The members of a family, which *families* knows, get their bits together and in their order.
    """

    def __init__(self, domains: Domains, families: FamilyView | None) -> None:
        self._domains = domains
        self._families = families
        self._of: dict[Identifier, Condition] = {}
        self._places: dict[GroupName, int] = {}
        # By identity of a tuple of candidates, which is kept alive beside it: its masks by place.
        self._masks: dict[int, tuple[Sequence[Identifier], tuple[Condition, ...]]] = {}

    def of(self, identifier: Identifier, group: GroupName | None = None) -> Condition:
        """The place and bit of *identifier*, a member of *group* if that is given."""
        spot = self._of.get(identifier)
        if spot is None:
            home = None
            if self._families is not None and not isinstance(identifier, Branch):
                home = self._families.family_of(identifier)
            if home is not None:
                spot = self.place(home[0]), 2 << home[1]
            else:
                place = self._domains.new(None) if group is None else self.place(group)
                members = self._domains.members[place]
                spot = place, 1 << len(members)
                members.append(identifier)
            self._of[identifier] = spot
        return spot

    def place(self, group: GroupName) -> int:
        """The place of *group*, with its members if it is a family."""
        place = self._places.get(group)
        if place is None:
            place = self._places[group] = self._domains.new(group)
            family = None if self._families is None else self._families.family(group)
            if family is not None:
                self._domains.members[place] += family
        return place

    def place_of(self, group: GroupName) -> int | None:
        """The place of *group*, None if no candidate is there."""
        return self._places.get(group)

    def place_beside(self, group: GroupName) -> int | None:
        """The place of what a member of *group* that may be elsewhere excludes, None if nothing can be there yet.

        Members of a family that are met later do not say that they are of it: their place must know already.
        """
        place = self._places.get(group)
        if place is None and self._families is not None and self._families.family(group) is not None:
            return self.place(group)
        return place

    def group_of(self, place: int) -> GroupName | None:
        """The group of *place*, None if it holds a single candidate."""
        return self._domains.groups[place]

    def take_over(self, other: VariableTable, gone: AbstractSet[int]) -> None:
        """Know what *other* knows, but of the places *gone*, which hold nothing any more; nothing may be known yet."""
        domains, theirs = self._domains, other._domains
        for place, group in enumerate(theirs.groups):
            domains.new(None if place in gone else group)
            if place not in gone:
                domains.members[place] = list(theirs.members[place])
        self._of = {identifier: spot for identifier, spot in other._of.items() if spot[0] not in gone}
        self._places = {group: place for group, place in other._places.items() if place not in gone}

    def masks(self, candidates: Sequence[Identifier], group: GroupName | None) -> tuple[Condition, ...]:
        """*candidates* as masks, by place."""
        known = self._masks.get(id(candidates))
        if known is None:
            masks: dict[int, int] = {}
            where, mask, of = -1, 0, self._of
            for candidate in candidates:
                place, bit = of.get(candidate) or self.of(candidate, group)
                if place != where:
                    # Most lists have one place.
                    if mask:
                        masks[where] = mask
                    where, mask = place, masks.get(place, 0)
                mask |= bit
            if mask:
                masks[where] = mask
            known = self._masks[id(candidates)] = candidates, tuple(masks.items())
        return known[1]
