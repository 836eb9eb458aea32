"""An explanation as an outline: the lines, with their depths, that text, Markdown and rich's tree all show.

Each node has one line, with the nodes that it leads to below. Bundles that other lines mention have a number in
brackets, and a reason that several lines share is written once::

    subscription red wants package red from any channel; it can be served only by:      depth 0, a root
      [2] red.v1.0.0 conflicts with [5] blue.v1.0.0: at most one bundle that ...      depth 1
    subscription blue wants package blue from any channel; it can be served only by:
      [5] blue.v1.0.0 conflicts with [2] red.v1.0.0

Long chains lose their middle and long conflicts their end, and a line says so; ``Explanation.to_dict()`` is complete.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import olmsolve._attrs as attrs
from olmsolve._arguments import first_of
from olmsolve.answers.explain import Conflict, Fix, KeptApartFact, Node, NodeKind
from olmsolve.resolution import EXISTING

if TYPE_CHECKING:
    from olmsolve.answers.extensions import ExtensionFix

Role: TypeAlias = Literal["fact", "note", "cut"]

_CHAIN: Final = 8
"""A longer chain of bundles, each the only choice of the one before, loses its middle."""
_BEFORE: Final = 4
_AFTER: Final = 3
# Some two screens; the JSON form has all of a longer tree.
_LINES: Final = 80
_NAMED: Final = 4  # names of one statement
_INSTALLS: Final = 6  # bundles that a fix installs, in one line


@attrs.frozen
class OutlineLine:
    """A line of the outline, at *depth* from 0. A *note* adds to the line before; a *cut* stands for omitted lines."""

    depth: int
    text: str
    role: Role = "fact"


def outline(conflict: Conflict, most: int = _LINES) -> list[OutlineLine]:
    """Return the lines of *conflict*, its roots at depth 0; after *most* lines, one line says how many are left."""
    lines: list[OutlineLine] = []
    outliner = _Outliner(conflict)
    for line in outliner.lines():
        if len(lines) >= most and line.role != "note":
            unshown = len(conflict.nodes) - outliner.node_count
            lines.append(
                OutlineLine(
                    0, f"... and {unshown} more fact{'s' if unshown > 1 else ''}; the JSON form has all of them", "cut"
                )
            )
            break
        lines.append(line)
    return lines


def effect(fix: Fix | ExtensionFix) -> str:
    """Return what is installed after *fix*, in short."""
    if not isinstance(fix, Fix):
        return fix.effect
    names = [install.name for install in fix.resolution.installs]
    if not names:
        return "then there is nothing to install"
    return f"this installs {first_of(names, _INSTALLS)}"


class _Outliner:
    """One walk over the nodes of a conflict, which writes each of them once."""

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
        # A node that excludes others is a requirement. Lines refer to the bundles that have it, which need numbers.
        against.update(*(self._parents[number] for number in tuple(against)))
        self._referred = {
            node.number
            for node in conflict.nodes
            if node.kind is NodeKind.BUNDLES and (len(self._parents[node.number]) > 1 or node.number in against)
        }

    @property
    def node_count(self) -> int:
        """The number of nodes in the lines so far."""
        return len(self._seen)

    def lines(self) -> Iterator[OutlineLine]:
        # A stack of nodes, depths and, for a fact of bundles, the bundles. No recursion: a chain of a thousand bundles
        # would exceed Python's limit.
        stack: list[_Task] = [(self._nodes[number], 0, None) for number in reversed(self._roots)]
        while stack:
            node, depth, subject = stack.pop()
            if node.number in self._cuts:
                end, count = self._cuts.pop(node.number)
                yield OutlineLine(depth, f"... {count} more bundles, each required by the one before ...", "cut")
                self._seen.update(range(node.number, end))
                node = self._nodes[end]
            below: list[_Task] = []
            if node.kind is NodeKind.BUNDLES:
                yield from self._bundle_lines(node, depth, below)
            elif subject is not None:
                if node.kind is not NodeKind.ONLY_ONE or self._adds(node, subject):
                    yield OutlineLine(depth, self._fact_text(node, subject))
                    yield from self._notes_and_rest(node, depth, below)
            else:
                yield OutlineLine(depth, _root_text(node))
                yield from self._notes_and_rest(node, depth, below)
            stack.extend(reversed(below))

    def _bundle_lines(self, node: Node, depth: int, below: list[_Task]) -> Iterator[OutlineLine]:
        if node.number in self._seen:
            yield OutlineLine(depth, f"see {self._names([node.number])}")
            return
        self._seen.add(node.number)
        self._plan_cut(node)
        label = f"[{node.number}] " if node.number in self._referred else ""
        facts = [self._nodes[number] for number in node.leads_to]
        shown = [fact for fact in facts if self._matters(fact, node)] or facts
        if len(shown) == 1:
            yield OutlineLine(depth, f"{label}{node.statement} {self._fact_text(shown[0], node)}")
            yield from self._notes_and_rest(shown[0], depth, below)
        else:
            yield OutlineLine(depth, f"{label}{node.statement}")
            below.extend((fact, depth + 1, node) for fact in shown)

    def _notes_and_rest(self, node: Node, depth: int, below: list[_Task]) -> Iterator[OutlineLine]:
        """Yield the notes of the line just written, and put the nodes that it leads to *below*."""
        yield from _notes(node, depth)
        if node.number not in self._seen:
            self._seen.add(node.number)
            below.extend((self._nodes[number], depth + 1, None) for number in node.leads_to)

    def _matters(self, fact: Node, subject: Node) -> bool:
        """Return whether *fact* says more about the bundles of *subject* than their other facts do."""
        if fact.kind is NodeKind.EXCLUDED:
            # If their own requirement rules them out, the line of the requirement says so.
            return set(fact.against).isdisjoint(subject.leads_to)
        return fact.kind is not NodeKind.ONLY_ONE or bool(self._rivals(fact, subject))

    def _adds(self, fact: Node, subject: Node) -> bool:
        """Return whether the competition *fact* of *subject* is new to the reader: it, or a rival, has no line yet."""
        return fact.number not in self._seen or any(rival not in self._seen for rival in self._rivals(fact, subject))

    def _rivals(self, fact: Node, subject: Node) -> list[int]:
        """Return the bundles that compete with the bundles of *subject* and serve another requirement."""
        mine = self._parents[subject.number]
        return [number for number in fact.against if number != subject.number and not self._parents[number] <= mine]

    def _fact_text(self, fact: Node, subject: Node) -> str:
        """Return what *fact* says of *subject*, as the end of a sentence that begins with the names of its bundles."""
        if fact.kind is NodeKind.ONLY_ONE:
            rivals = self._rivals(fact, subject)
            reason = "" if fact.number in self._seen else f": {fact.statement}"
            return f"conflicts with {self._names(rivals)}{reason}" if rivals else fact.statement
        text = fact.statement
        if fact.kind is NodeKind.REPLACES and subject.candidates[0].catalog == EXISTING:
            return f"cannot stay: {self._names(fact.against)} replaces it"
        if isinstance(fact.fact, KeptApartFact) and fact.against:
            # The line of the other side has said why.
            reason = "" if self._seen.issuperset(fact.against) else f": {fact.fact.because}"
            return f"conflicts with {self._names(fact.against)}{reason}"
        if fact.kind is NodeKind.EXCLUDED:
            requiring = sorted(number for contrary in fact.against for number in self._parents[contrary])
            return f"is ruled out by what {self._names(requiring)} requires"
        if fact.kind is NodeKind.REQUIREMENT:
            comma = "" if fact.against else ","
            if fact.against:
                ruled_out = self._names(fact.against, subject)
                # After "and no bundle provides x", "which rules out y" would be read of x, not of the requirement.
                rest = "and the rest" if fact.missing else "which"
                text += f", {rest} rules out {ruled_out}" + ("; the rest is" if fact.leads_to else "")
            if fact.leads_to and fact.number in self._seen:
                text += f"{comma} provided only by {self._names(fact.leads_to)}, as above"
            elif fact.leads_to:
                text += f"{comma} provided only by:"
        return text

    def _names(self, numbers: Sequence[int], subject: Node | None = None) -> str:
        """Return the nodes *numbers* as one text: "[7] keyring.v1.0.2" where a line has this number, else statements.

        The node *subject*, which the line is about, is called "itself".
        """
        names = [
            "itself"
            if subject is not None and number == subject.number
            # The line with the number says in which channels and catalogs the bundles are.
            else f"[{number}] {self._nodes[number].brief or self._nodes[number].statement}"
            if number in self._referred
            else self._nodes[number].statement
            for number in numbers
        ]
        if len(names) > _NAMED:
            names = [*names[: _NAMED - 1], f"{len(names) - _NAMED + 1} more"]
        return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)

    def _plan_cut(self, start: Node) -> None:
        """Plan to omit the middle of the chain of bundles that begins with *start*, if it is long."""
        if self._cuts:
            return
        chain = [start.number]
        following = self._only_successor(start)
        while following is not None and following.number > chain[-1]:
            chain.append(following.number)
            following = self._only_successor(following)
        if len(chain) > _CHAIN:
            end = chain[-_AFTER]
            self._cuts[chain[_BEFORE]] = end, len(chain) - _BEFORE - _AFTER

    def _only_successor(self, node: Node) -> Node | None:
        """Return the bundles that *node* leads to, if it leads nowhere else and no other line refers to them."""
        if len(node.leads_to) != 1:
            return None
        fact = self._nodes[node.leads_to[0]]
        if len(fact.leads_to) != 1 or fact.notes or fact.message:
            return None
        successor = self._nodes[fact.leads_to[0]]
        return None if successor.number in self._referred or successor.number in self._seen else successor


_Task: TypeAlias = tuple[Node, int, Node | None]


def _root_text(node: Node) -> str:
    if node.kind in (NodeKind.SUBSCRIPTION, NodeKind.DEMAND) and node.leads_to:
        return f"{node.statement}; it can be served only by:"
    return f"{node.statement}:" if node.leads_to else node.statement


def _notes(node: Node, depth: int) -> Iterator[OutlineLine]:
    if node.message:
        yield OutlineLine(depth, f"its author says: {node.message}", "note")
    for note in node.notes:
        if node.kind is NodeKind.UNKNOWN and note.kind.value == "similar-name":
            continue  # the statement asks already whether one of them was meant
        yield OutlineLine(depth, f"note: {note.text}", "note")
