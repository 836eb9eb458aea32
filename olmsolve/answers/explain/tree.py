"""From a core to the numbered nodes of a conflict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from olmsolve.answers.explain.conflicts import root_key
from olmsolve.answers.explain.facts import CoreFacts, Key, SharedRequirement
from olmsolve.answers.explain.model import Conflict, Node, NodeKind, NodeLocation, Note
from olmsolve.answers.explain.near_misses import NearMisses
from olmsolve.answers.explain.wording import enumerated, in_order, phrase
from olmsolve.catalog.index import Group
from olmsolve.classic import ClassicProblem, Wish, failure_messages
from olmsolve.predicates import AllOf, NoneOf
from olmsolve.resolution import EXISTING
from olmsolve.solver import Constraint, Core, Dependency

__all__ = ["conflict"]


def conflict(problem: ClassicProblem, core: Core, first: int, near_misses: NearMisses) -> Conflict:
    """The tree of *core*, with numbers from *first* on."""
    return _TreeBuilder(problem, core, near_misses).written(first)


class _TreeBuilder:
    def __init__(self, problem: ClassicProblem, core: Core, near_misses: NearMisses) -> None:
        self._problem = problem
        self._facts = CoreFacts(problem, core.constraints)
        self._near_misses = near_misses
        self._versions: dict[str, set[str]] = {}
        for members in self._facts.groups.values():
            for number in members:
                candidate = problem.candidate(number)
                self._versions.setdefault(candidate.package, set()).add(candidate.version)
        self._nouns = {group: self._noun(group, members) for group, members in self._facts.groups.items()}

    def written(self, first: int) -> Conflict:
        order = list(dict.fromkeys(self._preorder()))
        numbers = {key: number for number, key in enumerate(order, start=first)}
        nodes = tuple(self._node(key, numbers) for key in order)
        roots = tuple(numbers[key] for key in self._facts.roots)
        return Conflict(self._statement(), roots, nodes)

    def _preorder(self) -> Iterator[Key]:
        """The nodes in the order of reading: each before what it leads to, the first of these first."""
        seen: set[Key] = set()
        stack = list(reversed(self._facts.roots))
        while stack:
            key = stack.pop()
            if key not in seen:
                seen.add(key)
                yield key
                stack.extend(reversed(self._leads_to(key)))

    # -- edges

    def _leads_to(self, key: Key) -> tuple[Key, ...]:
        facts = self._facts
        if key[0] == "root":
            root = facts.roots[key]
            members = root.candidates if isinstance(root, Dependency) else (root.subject,)  # type: ignore[union-attr]
            return self._bundles(members)
        if key[0] == "bundles":
            return tuple(self._fact(said, key[1]) for said in facts.said(key[1]))
        return self._bundles(facts.needs[key].candidates) if key[0] == "needs" else ()

    def _bundles(self, numbers: Iterable[Any]) -> tuple[Key, ...]:
        return tuple(("bundles", group) for group in self._facts.groups_of(tuple(numbers)))

    def _fact(self, said: Key, group: Key) -> Key:
        """What is said of a group, as a node: those that others may share are the same for all."""
        return said if said[0] in {"needs", "only"} else (*said, group)

    def _against(self, key: Key) -> tuple[Key, ...]:
        facts = self._facts
        if key[0] == "needs":
            return self._bundles(facts.needs[key].excluded)
        if key[0] == "only":
            return self._bundles(facts.exclusive[key[1]])
        if key[0] == "replaces":
            return self._bundles((key[1],))
        if key[0] == "replaced":
            return self._bundles(facts.replacing[key[1]])
        return (key[1],) if key[0] == "excluded" else ()

    # -- nodes

    def _node(self, key: Key, numbers: dict[Key, int]) -> Node:
        leads_to = tuple(numbers[each] for each in self._leads_to(key))
        against = tuple(numbers[each] for each in self._against(key) if each in numbers)
        kind = key[0]
        if kind == "root":
            root = self._facts.roots[key]
            made, statement, notes, places = self._root(root)
            return Node(numbers[key], made, statement, leads_to, notes=notes, places=places)
        if kind == "bundles":
            members = self._facts.groups[key[1]]
            candidates = in_order(map(self._problem.candidate, members))
            places = tuple(dict.fromkeys(self._place(number) for number in members))
            return Node(numbers[key], NodeKind.BUNDLES, self._nouns[key[1]], leads_to, (), candidates, places=places)
        if kind == "needs":
            return self._requirement(numbers[key], self._facts.needs[key], leads_to, against)
        if kind == "only":
            group: Group = key[1]
            noun = f"bundle of {group}" if group.kind == "package" else f"bundle that provides {group}"
            members = list(self._facts.exclusive[group])
            places = tuple(dict.fromkeys(self._place(number) for number in members))
            return Node(
                numbers[key], NodeKind.ONLY_ONE, f"at most one {noun} can be selected", (), against, places=places
            )
        made, statement = self._plain(key)
        members = self._facts.groups[key[-1]]
        return Node(numbers[key], made, statement, leads_to, against, places=tuple(self._fact_places(made, members)))

    def _plain(self, key: Key) -> tuple[NodeKind, str]:
        """Kind and statement of a fact about one group."""
        match key[0]:
            case "deprecated":
                return (
                    NodeKind.DEPRECATED,
                    "is deprecated (it has the property olm.deprecated), so it is never selected",
                )
            case "broken":
                # What follows the first line points into the text of a range.
                return NodeKind.BROKEN, f"is broken in its catalog: {key[1].partition(chr(10))[0]}"
            case "refused":
                return NodeKind.REFUSED, f"may not be selected here: {key[1]}"
            case "replaces":
                operator = self._problem.candidate(key[1]).name
                return NodeKind.REPLACES, f"replaces the installed {operator}, which then cannot stay"
            case "replaced":
                return NodeKind.REPLACES, "cannot stay once an update of it is selected"
            case _:
                subjects = self._facts.needs[key[1]].subjects
                nouns = (self._nouns[group] for group in self._facts.groups_of([number for number, _ in subjects]))
                predicate = self._facts.needs[key[1]].predicate
                return NodeKind.EXCLUDED, f"is ruled out by {enumerated(tuple(nouns))}, which requires {predicate}"

    def _requirement(
        self, number: int, needs: SharedRequirement, leads_to: tuple[int, ...], against: tuple[int, ...]
    ) -> Node:
        statement = f"requires {needs.predicate}"
        if needs.missing and (needs.candidates or needs.missing != (needs.predicate,)):
            statement += f", of which nothing gives {enumerated(tuple(map(str, needs.missing)), 'or')}"
        elif needs.missing:
            # A compound requirement that is one choice is one for a single bundle: so the shipped controller has it.
            alone = isinstance(needs.predicate, AllOf | NoneOf)
            statement += ", which no single bundle meets" if alone else ", which nothing gives"
        notes = tuple(dict.fromkeys(note for part in needs.missing for note in self._near_misses.of(part)))
        places = tuple(
            dict.fromkeys(
                self._place(subject, f"properties[{requirement.property_index}] ({requirement.property_type})")
                for subject, requirement in needs.subjects
            )
        )
        message = "; ".join(failure_messages(needs.predicate))
        return Node(number, NodeKind.REQUIREMENT, statement, leads_to, against, (), message, notes, places)

    def _root(self, root: Constraint) -> tuple[NodeKind, str, tuple[Note, ...], tuple[NodeLocation, ...]]:
        request = self._problem.request
        if not isinstance(root, Dependency):
            operator = self._problem.candidate(root.subject)  # type: ignore[union-attr]
            statement = f"{operator.name} is installed, belongs to no subscription and must stay"
            return NodeKind.MUST_STAY, statement, (), (_installed_place(request, operator.name),)
        wish: Wish = root.origin
        position = request.subscriptions.index(wish.subscription)
        places = (NodeLocation(field=f"subscriptions[{position}]"),)
        if wish.unknown is not None:
            reason = wish.unknown()
            return NodeKind.UNKNOWN, str(reason), self._near_misses.of_unknown(reason), places
        return NodeKind.SUBSCRIPTION, self._wish(root), (), places

    def _wish(self, root: Dependency) -> str:
        wish = root.origin.subscription
        channel = f"channel {wish.channel}" if wish.channel else "any channel"
        catalog = f"catalog {wish.source}/{wish.source_namespace}" if wish.source else "any visible catalog"
        wants = f"wants package {wish.package} from {channel} of {catalog}"
        staying = [number for number in root.candidates if self._problem.is_installed(number)]
        if staying:
            name = self._problem.candidate(staying[0]).name
            text = f"subscription {wish.name} owns the installed {name} and {wants}"
            return text if len(root.candidates) > 1 else f"{text}, where nothing updates {name}"
        text = f"subscription {wish.name} {wants}"
        if wish.starting_csv:
            return f"{text}, beginning with {wish.starting_csv}"
        return text if root.candidates else f"{text}, where there is no bundle"

    # -- words

    def _statement(self) -> str:
        wishes: list[str] = []
        operators: list[str] = []
        for root in self._facts.roots.values():
            name = root_key(self._problem, root)
            if name is not None:
                (operators if name[0] == "operator" else wishes).append(name[1])
        installed = f"the installed {enumerated(operators)}"
        if not wishes:
            return f"{installed} cannot stay{' together' if len(operators) > 1 else ''}"
        noun = "subscription" if len(wishes) == 1 else "subscriptions"
        text = f"{noun} {enumerated(wishes)} cannot be served"
        if operators:
            return f"{text} beside {installed}"
        return f"{text} together" if len(wishes) > 1 else text

    def _noun(self, group: Key, members: list[int]) -> str:
        candidates = in_order(map(self._problem.candidate, members))
        if self._problem.facts(members[0]) is None:
            channel = candidates[0]
            return f"channel {channel.channel} of package {channel.package} ({channel.catalog})"
        return phrase(candidates, self._versions[candidates[0].package])

    # -- places

    def _place(self, number: int, field: str = "") -> NodeLocation:
        candidate = self._problem.candidate(number)
        if candidate.catalog == EXISTING:
            place = _installed_place(self._problem.request, candidate.name)
            return NodeLocation(EXISTING, candidate.name, "", ".".join(filter(None, (place.field, field))))
        _, index, slot = self._problem.visible.locate(number)
        name = candidate.name if index.has_bundle(slot) else ""
        return NodeLocation(candidate.catalog, name, index.origin(slot), field)

    def _fact_places(self, kind: NodeKind, members: list[int]) -> Iterable[NodeLocation]:
        if kind is NodeKind.BROKEN:
            return dict.fromkeys(self._place(number, self._facts.faults[number].property) for number in members)
        field = "olm.deprecated" if kind is NodeKind.DEPRECATED else ""
        return dict.fromkeys(self._place(number, field) for number in members)


def _installed_place(request: Any, name: str) -> NodeLocation:
    position = next(i for i, operator in enumerate(request.installed) if operator.name == name)
    return NodeLocation(field=f"installed[{position}]")
