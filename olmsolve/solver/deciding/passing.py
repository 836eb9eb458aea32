"""The candidates that a run passed over: those before the selected one of each choice, each with what rules it out."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from olmsolve.solver.constraints import GroupName, Identifier
from olmsolve.solver.deciding.compiling import Need, Shared
from olmsolve.solver.deciding.domains import Domains
from olmsolve.solver.deciding.nogoods import Nogood
from olmsolve.solver.selection import SharedGroup


def members_before(domains: Domains, variable: int, mask: int, bit: int) -> Iterator[tuple[Identifier, int]]:
    """Yield the candidates of *variable* in *mask* that are more wanted than the one of *bit*, with their bits.

    For the mask 0b1110 and the bit 0b1000 these are the candidates of 0b0010 and 0b0100.
    """
    left = mask & (bit - 1)
    while left:
        lowest = left & -left
        left ^= lowest
        yield domains.members[variable][lowest.bit_length() - 1], lowest


def cause(
    domains: Domains, identifier: Identifier, variable: int, bit: int, source_of: Callable[[Need], object]
) -> object:
    """Return what ruled out *identifier*, *bit* of *variable*: a constraint, a group; None if a search did.

    *source_of* gives the constraint behind a need.
    """
    event = next(each for each in domains.events[variable] if not domains.keeps[each] & bit)
    reason = domains.reasons[event]
    if reason is None:
        return _beside_selected(domains, identifier, variable, event)
    source = reason[1]
    while isinstance(source, Nogood):
        source = source.source
    if isinstance(source, Need):
        source = source_of(source)
    if isinstance(source, Shared):
        source = source.constraint
    # The steps of an analysis are a list; they name many constraints, none of which rules it out alone.
    return None if isinstance(source, list) else source


def _beside_selected(domains: Domains, identifier: Identifier, variable: int, event: int) -> SharedGroup:
    """Return the group of *variable*, which the decision of *event* gave to another candidate."""
    group: GroupName | None = domains.groups[variable]
    assert group is not None, "a variable of several candidates is a group"
    return SharedGroup(group, identifier, domains.members[variable][domains.keeps[event].bit_length() - 1])
