"""What one run has worked out, for the next over nearly the same problem."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from olmsolve.solver.constraints import Formula, GroupName
from olmsolve.solver.deciding.compiling import Need, Shared
from olmsolve.solver.deciding.nogoods import Nogood
from olmsolve.solver.deciding.propagation import Propagation

__all__ = ["inherit"]


def inherit(before: Propagation, after: Propagation, lost: AbstractSet[GroupName]) -> None:
    """Let *after*, which has met nothing yet, know what *before* does that holds without the groups *lost*.

    Their problems differ in nothing else. So places stay as they are, but those of lost groups; what candidates ask
    for stays, unless it is about such places; and so do nogoods that do not follow from those groups.
    """
    variables = before.variables
    gone = {place for group in lost if (place := variables.place_of(group)) is not None}
    after.variables.take_over(variables, gone)
    for identifier, rules in before.known.items():
        about = [rules.place, *(need.place for need in rules.needs)]
        if rules.sketched and lost.isdisjoint(rules.groups) and gone.isdisjoint(about):
            after.learn(identifier, rules)
    for nogood in _learned(before, gone, lost):
        after.nogoods.add(Nogood(list(nogood.conditions), nogood.source))


def _learned(before: Propagation, gone: AbstractSet[int], lost: AbstractSet[GroupName]) -> Iterator[Nogood]:
    """The nogoods that were learned and hold without the groups *lost*, in the order of their places."""
    verdicts: dict[int, bool] = {}
    seen: set[int] = set()
    for place in sorted(before.nogoods.watched):
        for nogood in before.nogoods.watched[place]:
            if id(nogood) not in seen and isinstance(nogood.source, list):
                seen.add(id(nogood))
                if gone.isdisjoint([where for where, _ in nogood.conditions]) and _holds(nogood, gone, lost, verdicts):
                    yield nogood


def _holds(nogood: Nogood, gone: AbstractSet[int], lost: AbstractSet[GroupName], verdicts: dict[int, bool]) -> bool:
    """Whether *nogood* follows without the groups *lost*, whose places are *gone*."""
    waiting = [nogood]
    while waiting:
        current = waiting[-1]
        if id(current) in verdicts:
            waiting.pop()
            continue
        source = current.source
        steps = source if isinstance(source, list) else [(-1, source)]
        verdict = True
        deeper: list[Nogood] = []
        for place, origin in steps:
            if isinstance(origin, Need):
                origin = origin.source
            if isinstance(origin, Nogood):
                known = verdicts.get(id(origin))
                if known is None:
                    deeper.append(origin)
                    continue
                verdict = verdict and known
            group = origin.group if isinstance(origin, Shared) else origin
            if place in gone or isinstance(group, Formula) or (isinstance(group, (str, tuple)) and group in lost):
                verdict = False
        if deeper and verdict:
            waiting.extend(deeper)
            continue
        verdicts[id(current)] = verdict
        waiting.pop()
    return verdicts[id(nogood)]
