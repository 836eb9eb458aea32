"""What candidates ask for, in terms of places: worked out once, when a candidate is first looked at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from olmsolve.solver.constraints import (
    Choice,
    Conflict,
    Constraint,
    Dependency,
    Every,
    Exclusion,
    Exclusive,
    Formula,
    Identifier,
    Prohibited,
    Tree,
)
from olmsolve.solver.deciding.domains import Condition, Domains, Reason

__all__ = ["Need", "Rules", "Shared", "Spots", "rules_of"]


class Shared(NamedTuple):
    """The source of a reason: a choice of which some candidates share their subject's group, which excludes them."""

    constraint: Constraint
    group: str


class Need(NamedTuple):
    """A choice among *candidates*, which are the *mask* of one *place*; *chosen*: that its subject is selected.

    Reasons are made when they are asked for, because most never are.
    """

    place: int
    mask: int
    chosen: tuple[Condition, ...]
    source: Constraint | Shared
    candidates: Sequence[Identifier]

    @property
    def met(self) -> Reason:
        """Why the place is narrowed to the mask when the subject is selected."""
        return self.chosen, self.source

    @property
    def unmet(self) -> Reason:
        """Why the subject is ruled out when nothing of the mask is left."""
        return ((self.place, ~self.mask),), self.source


class Rules:
    """The constraints of one candidate, which is *bit* of *place*; *chosen* is the condition that it is selected."""

    __slots__ = ("bit", "chosen", "conflicts", "exclusions", "groups", "impossible", "needs", "place", "spread")

    def __init__(self, place: int, bit: int) -> None:
        self.place = place
        self.bit = bit
        self.chosen: tuple[Condition, ...] = ((place, bit),)
        self.impossible: Reason | None = None
        self.groups: tuple[str, ...] = ()
        self.conflicts: tuple[Conflict, ...] = ()
        self.needs: tuple[Need, ...] = ()
        # Choices whose candidates are in several places: the conditions that cannot all hold.
        self.spread: tuple[tuple[tuple[Condition, ...], Constraint | Shared], ...] = ()
        self.exclusions: tuple[tuple[Exclusion, Constraint], ...] = ()


class Spots:
    """The place and bit of each candidate, given when it is first met."""

    def __init__(self, domains: Domains) -> None:
        self._domains = domains
        self._of: dict[Identifier, Condition] = {}
        self._places: dict[str, int] = {}
        # By identity of a tuple of candidates, which is kept alive beside it: its masks by place.
        self._masks: dict[int, tuple[Sequence[Identifier], tuple[Condition, ...]]] = {}

    def of(self, identifier: Identifier, group: str | None = None) -> Condition:
        """The place and bit of *identifier*, a member of *group* if that is given."""
        spot = self._of.get(identifier)
        if spot is None:
            if group is None:
                place = self._domains.new(None)
            else:
                known = self._places.get(group)
                if known is None:
                    known = self._places[group] = self._domains.new(group)
                place = known
            members = self._domains.members[place]
            spot = self._of[identifier] = place, 1 << len(members)
            members.append(identifier)
        return spot

    def place_of(self, group: str) -> int | None:
        """The place of *group*, None if no candidate is there."""
        return self._places.get(group)

    def group_of(self, place: int) -> str | None:
        """The group of *place*, None if it holds a single candidate."""
        return self._domains.groups[place]

    def masks(self, candidates: Sequence[Identifier], group: str | None) -> tuple[Condition, ...]:
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


def rules_of(identifier: Identifier, constraints: Sequence[Constraint], spots: Spots) -> Rules:
    """The rules of a candidate with these *constraints*."""
    group = next((c.groups[0] for c in constraints if isinstance(c, Exclusive) and c.groups), None)
    rules = Rules(*spots.of(identifier, group))
    for constraint in constraints:
        if isinstance(constraint, Dependency):
            _choose(rules, constraint.candidates, constraint.group, constraint, spots)
        elif isinstance(constraint, Exclusive):
            rules.groups += constraint.groups
        elif isinstance(constraint, Prohibited):
            rules.impossible = (), constraint
        elif isinstance(constraint, Conflict):
            if constraint.other == identifier:
                rules.impossible = (), constraint
            else:
                rules.conflicts += (constraint,)
        elif isinstance(constraint, Formula):
            _assert_tree(rules, constraint.tree, constraint, spots)
    return rules


def _assert_tree(rules: Rules, tree: Tree, origin: Constraint, spots: Spots) -> None:
    if isinstance(tree, Choice):
        _choose(rules, tree.candidates, None, origin, spots)
    elif isinstance(tree, Every):
        for part in tree.parts:
            _assert_tree(rules, part, origin, spots)
    elif isinstance(tree, Exclusion):
        rules.exclusions += ((tree, origin),)
    else:
        _choose(rules, tree.branches, None, origin, spots)


def _choose(
    rules: Rules, candidates: Sequence[Identifier], group: str | None, origin: Constraint, spots: Spots
) -> None:
    masks = spots.masks(candidates, group)
    if len(masks) == 1 and masks[0][0] != rules.place:
        # By far the most common.
        rules.needs += (Need(*masks[0], rules.chosen, origin, candidates),)
        return
    if any(place == rules.place and mask & rules.bit for place, mask in masks):
        return  # The subject itself meets it.
    # What shares the subject's place excludes it.
    others = [(place, mask) for place, mask in masks if place != rules.place]
    source: Constraint | Shared = origin
    group = spots.group_of(rules.place)
    if group is not None and len(others) < len(masks):
        source = Shared(origin, group)
    if not others:
        rules.impossible = (), source
    elif len(others) == 1:
        place, mask = others[0]
        rules.needs += (Need(place, mask, rules.chosen, source, candidates),)
    else:
        rules.spread += (((*rules.chosen, *((place, ~mask) for place, mask in others)), source),)
