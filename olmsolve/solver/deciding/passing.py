"""What a run passed over: the candidates before the selected one of each choice, each with what rules it out."""

from __future__ import annotations

from collections.abc import Iterator

from olmsolve.solver.constraints import GroupName, Identifier
from olmsolve.solver.deciding.compiling import Shared
from olmsolve.solver.deciding.domains import Domains
from olmsolve.solver.deciding.nogoods import Nogood
from olmsolve.solver.selection import SharedGroup


def members_before(domains: Domains, variable: int, mask: int, bit: int) -> Iterator[tuple[Identifier, int]]:
    """Yield the candidates of *variable* in *mask* that are more wanted than the one of *bit*, with their bits.

    For the mask 0b1110 and the bit 0b1000 these are the candidates of 0b0010 and 0b0100.
    """
    left = mask & (bit - 1) & ~1
    while left:
        lowest = left & -left
        left ^= lowest
        yield domains.members[variable][lowest.bit_length() - 1], lowest


def cause(domains: Domains, identifier: Identifier, variable: int, bit: int) -> object:
    """Return what ruled out *identifier*, *bit* of *variable*: a constraint, a need, a group; None if a search did."""
    for event in domains.events[variable]:
        if domains.before[event] & bit and not domains.keeps[event] & bit:
            reason = domains.reasons[event]
            if reason is None:
                return _beside_selected(domains, identifier, variable, event)
            source = reason[1]
            while isinstance(source, Nogood):
                source = source.source
            if isinstance(source, Shared):
                source = source.constraint
            # The steps of an analysis are a list; they name many constraints, none of which rules it out alone.
            return None if isinstance(source, list) else source
    return None


def _beside_selected(domains: Domains, identifier: Identifier, variable: int, event: int) -> object:
    """Return the group of *variable*, which the decision of *event* gave to another candidate."""
    group: GroupName | None = domains.groups[variable]
    holder = domains.members[variable][domains.keeps[event].bit_length() - 1]
    return None if group is None else SharedGroup(group, identifier, holder)
