"""An explanation as an outline: the lines that text and Markdown both show, with their depths.

What a node leads to stands below it, once. Where branches meet, a number in brackets refers to the line that has
it. Long chains lose their middle and long conflicts their end, in so many words; ``Explanation.to_dict()`` is whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal, TypeAlias

import attrs

from olmsolve.answers.explain import Conflict, Fix, Node, NodeKind
from olmsolve.resolution import EXISTING

__all__ = ["OutlineLine", "Role", "effect", "outline"]

Role: TypeAlias = Literal["fact", "note", "cut"]

_CHAIN: Final = 8
"""A chain of more bundles, each the only one that the one before can have, is cut in its middle."""
_BEFORE: Final = 4
_AFTER: Final = 3
_LINES: Final = 80
_NAMED: Final = 4
_INSTALLS: Final = 6


@attrs.frozen
class OutlineLine:
    """*depth* counts from 0; a *note* adds to the line before it, a *cut* stands for what is not shown."""

    depth: int
    text: str
    role: Role = "fact"


def outline(conflict: Conflict, most: int = _LINES) -> list[OutlineLine]:
    """The lines of *conflict*: its roots at depth 0, and no more than about *most* of them."""
    lines: list[OutlineLine] = []
    outliner = _Outliner(conflict)
    for line in outliner.lines():
        if len(lines) >= most and line.role != "note":
            left = len(conflict.nodes) - outliner.told
            lines.append(OutlineLine(0, f"... and {left} more facts; the JSON form has all of them", "cut"))
            break
        lines.append(line)
    return lines


def effect(fix: Fix) -> str:
    """What the plan after *fix* installs, in short."""
    names = [install.name for install in fix.resolution.installs]
    if not names:
        return "then there is nothing to install"
    shown = ", ".join(names[:_INSTALLS])
    more = len(names) - _INSTALLS
    return f"then installs {shown}{f' and {more} more' if more > 0 else ''}"


class _Outliner:
    def __init__(self, conflict: Conflict) -> None:
        self._roots = conflict.roots
        self._nodes = conflict.by_number()
        self._seen: set[int] = set()
        self._cuts: dict[int, tuple[int, int]] = {}
        self._parents: dict[int, set[int]] = {node.number: set() for node in conflict.nodes}
        for node in conflict.nodes:
            for number in node.leads_to:
                self._parents[number].add(node.number)
        against = {number for node in conflict.nodes for number in node.against}
        # What excludes others is a requirement; the lines of the bundles that have it are referred to.
        against.update(*(self._parents[number] for number in tuple(against)))
        self._referred = {
            node.number
            for node in conflict.nodes
            if node.kind is NodeKind.BUNDLES and (len(self._parents[node.number]) > 1 or node.number in against)
        }

    @property
    def told(self) -> int:
        """How many nodes stand in the lines so far."""
        return len(self._seen)

    def lines(self) -> Iterator[OutlineLine]:
        # An explicit stack of nodes, depths and, for facts of bundles, these bundles: chains may be longer than
        # Python can recurse.
        stack: list[_Task] = [(self._nodes[number], 0, None) for number in reversed(self._roots)]
        while stack:
            node, depth, of = stack.pop()
            if node.number in self._cuts:
                end, count = self._cuts.pop(node.number)
                yield OutlineLine(depth, f"... {count} more bundles, each required by the one before ...", "cut")
                self._seen.update(range(node.number, end))
                node = self._nodes[end]
            below: list[_Task] = []
            if node.kind is NodeKind.BUNDLES:
                yield from self._bundles(node, depth, below)
            elif of is not None:
                if node.kind is not NodeKind.ONLY_ONE or self._adds(node, of):
                    yield OutlineLine(depth, self._fact(node, of))
                    yield from self._after(node, depth, below)
            else:
                yield OutlineLine(depth, _root(node))
                yield from self._after(node, depth, below)
            stack.extend(reversed(below))

    def _bundles(self, node: Node, depth: int, below: list[_Task]) -> Iterator[OutlineLine]:
        if node.number in self._seen:
            yield OutlineLine(depth, f"see {self._names([node.number])}")
            return
        self._seen.add(node.number)
        self._cut(node)
        label = f"[{node.number}] " if node.number in self._referred else ""
        facts = [self._nodes[number] for number in node.leads_to]
        told = [fact for fact in facts if self._matters(fact, node)] or facts
        if len(told) == 1:
            yield OutlineLine(depth, f"{label}{node.statement} {self._fact(told[0], node)}")
            yield from self._after(told[0], depth, below)
        else:
            yield OutlineLine(depth, f"{label}{node.statement}")
            below.extend((fact, depth + 1, node) for fact in told)

    def _after(self, node: Node, depth: int, below: list[_Task]) -> Iterator[OutlineLine]:
        """The notes of what has just been told; what it leads to goes *below*."""
        yield from _notes(node, depth)
        if node.number not in self._seen:
            self._seen.add(node.number)
            below.extend((self._nodes[number], depth + 1, None) for number in node.leads_to)

    def _matters(self, fact: Node, of: Node) -> bool:
        """Whether a fact says more of bundles than their other facts do."""
        if fact.kind is NodeKind.EXCLUDED:
            # That they rule out themselves stands at their own requirement.
            return set(fact.against).isdisjoint(of.leads_to)
        return fact.kind is not NodeKind.ONLY_ONE or bool(self._rivals(fact, of))

    def _adds(self, fact: Node, of: Node) -> bool:
        """Whether competition is still to be told of bundles that have another fact: not if their rivals have."""
        return fact.number not in self._seen or any(rival not in self._seen for rival in self._rivals(fact, of))

    def _rivals(self, fact: Node, of: Node) -> list[int]:
        """Those that *of* competes with and that serve something that *of* does not."""
        mine = self._parents[of.number]
        return [number for number in fact.against if number != of.number and not self._parents[number] <= mine]

    def _fact(self, fact: Node, of: Node) -> str:
        if fact.kind is NodeKind.ONLY_ONE:
            rivals = self._rivals(fact, of)
            reason = "" if fact.number in self._seen else f": {fact.statement}"
            return f"cannot be beside {self._names(rivals)}{reason}" if rivals else fact.statement
        text = fact.statement
        if fact.kind is NodeKind.REPLACES and of.candidates[0].catalog == EXISTING:
            return f"cannot stay beside {self._names(fact.against)}, which replaces it"
        if fact.kind is NodeKind.EXCLUDED:
            requiring = sorted(number for each in fact.against for number in self._parents[each])
            return f"is ruled out by what {self._names(requiring)} requires"
        if fact.kind is NodeKind.REQUIREMENT:
            comma = "" if fact.against else ","
            if fact.against:
                ruled_out = self._names(fact.against, of)
                text += f", which rules out {ruled_out}" + ("; the rest is" if fact.leads_to else "")
            if fact.leads_to and fact.number in self._seen:
                text += f"{comma} given only by {self._names(fact.leads_to)}, as above"
            elif fact.leads_to:
                text += f"{comma} given only by:"
        return text

    def _names(self, numbers: Sequence[int], of: Node | None = None) -> str:
        """What *numbers* are, in short where a line has their number; *of* is called "itself"."""
        names = [
            "itself"
            if of is not None and number == of.number
            # The line with the number says where they are.
            else f"[{number}] {self._nodes[number].brief or self._nodes[number].statement}"
            if number in self._referred
            else self._nodes[number].statement
            for number in numbers
        ]
        if len(names) > _NAMED:
            names = [*names[: _NAMED - 1], f"{len(names) - _NAMED + 1} more"]
        return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)

    def _cut(self, start: Node) -> None:
        """Plan to leave out the middle of the chain of bundles that begins with *start*, if it is long."""
        if self._cuts:
            return
        chain = [start.number]
        following = self._only(start)
        while following is not None and following.number > chain[-1]:
            chain.append(following.number)
            following = self._only(following)
        if len(chain) > _CHAIN:
            end = chain[-_AFTER]
            self._cuts[chain[_BEFORE]] = end, len(chain) - _BEFORE - _AFTER

    def _only(self, node: Node) -> Node | None:
        """The bundles that *node* leads to, if it has no other way on and nothing else refers to them."""
        if len(node.leads_to) != 1:
            return None
        fact = self._nodes[node.leads_to[0]]
        if len(fact.leads_to) != 1 or fact.notes or fact.message:
            return None
        found = self._nodes[fact.leads_to[0]]
        return None if found.number in self._referred or found.number in self._seen else found


_Task: TypeAlias = tuple[Node, int, Node | None]


def _root(node: Node) -> str:
    if node.kind is NodeKind.SUBSCRIPTION and node.leads_to:
        return f"{node.statement}; it can be served only by:"
    return f"{node.statement}:" if node.leads_to else node.statement


def _notes(node: Node, depth: int) -> Iterator[OutlineLine]:
    if node.message:
        yield OutlineLine(depth, f"its author says: {node.message}", "note")
    for note in node.notes:
        yield OutlineLine(depth, f"note: {note.text}", "note")
