"""The tree of a conflict: from the facts of a core to numbered nodes and their statements."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import attrs

from olmsolve.answers.explain.conflicts import root_key
from olmsolve.answers.explain.facts import CoreFacts, SharedRequirement
from olmsolve.answers.explain.keys import (
    BrokenKey,
    BundlesKey,
    DeprecatedKey,
    ExcludedKey,
    FactKey,
    GroupFactKey,
    NodeKey,
    OnlyOneKey,
    RefusedKey,
    ReplacedKey,
    ReplacesKey,
    RequirementKey,
    RootKey,
)
from olmsolve.answers.explain.model import Conflict, Node, NodeKind, NodeLocation, Note
from olmsolve.answers.explain.near_misses import NearMisses
from olmsolve.answers.wording import Phrase, bundles_phrase, enumerated, sorted_candidates
from olmsolve.classic import ClassicProblem, Wish
from olmsolve.predicates import AllOf, NoneOf, failure_messages
from olmsolve.resolution import EXISTING
from olmsolve.solver import Constraint, Core, Dependency


@attrs.frozen
class QuestionRoot:
    """The origin of a root that a question adds to a request: a wish for one of the bundles that *phrase* names."""

    phrase: Phrase
    several: bool

    def __str__(self) -> str:
        return f"{'one of ' if self.several else ''}{self.phrase} is to be selected"


def conflict_tree(problem: ClassicProblem, core: Core, first: int, near_misses: NearMisses) -> Conflict:
    """Return the tree of *core*; its nodes have numbers from *first* on."""
    return _TreeBuilder(problem, core, near_misses).build(first)


class _TreeBuilder:
    """The builder of one conflict. Nodes are identified by keys: of roots, groups of bundles, and facts."""

    def __init__(self, problem: ClassicProblem, core: Core, near_misses: NearMisses) -> None:
        self._problem = problem
        self._facts = CoreFacts(problem, core.constraints)
        self._near_misses = near_misses
        # The versions that the conflict mentions, by package: they decide where ranges of versions end.
        self._versions: dict[str, set[str]] = {}
        for members in self._facts.groups.values():
            for number in members:
                candidate = problem.candidate(number)
                self._versions.setdefault(candidate.package, set()).add(candidate.version)
        self._phrases = {group: self._phrase(members) for group, members in self._facts.groups.items()}

    def build(self, first: int) -> Conflict:
        """Return the conflict with numbers from *first* on."""
        order = list(dict.fromkeys(self._preorder()))
        numbers = {key: number for number, key in enumerate(order, start=first)}
        nodes = tuple(self._node(key, numbers) for key in order)
        roots = tuple(numbers[key] for key in self._facts.roots)
        return Conflict(self._statement(), roots, nodes)

    def _preorder(self) -> Iterator[NodeKey]:
        """Yield the nodes in the order of reading: each before the ones that it leads to, depth first."""
        seen: set[NodeKey] = set()
        # An explicit stack: a chain of requirements may be longer than Python can recurse.
        stack: list[NodeKey] = list(reversed(self._facts.roots))
        while stack:
            key = stack.pop()
            if key not in seen:
                seen.add(key)
                yield key
                stack.extend(reversed(self._leads_to(key)))

    # -- edges

    def _leads_to(self, key: NodeKey) -> tuple[NodeKey, ...]:
        """Return the nodes below a node: candidates of a root or requirement, facts about bundles."""
        match key:
            case RootKey():
                root = self._facts.roots[key]
                members = root.candidates if isinstance(root, Dependency) else (root.subject,)  # type: ignore[union-attr]
                return self._facts.groups_of(members)  # type: ignore[arg-type]
            case BundlesKey():
                return tuple(self._fact_node(fact, key) for fact in self._facts.facts_of(key))
            case RequirementKey():
                return self._facts.groups_of(self._facts.requirements[key].candidates)
            case _:
                return ()

    def _fact_node(self, fact: FactKey, group: BundlesKey) -> NodeKey:
        """Return the node of a fact about *group*.

        Groups share the node of a requirement or of an at-most-one fact; every other fact has a node for each group.
        """
        return fact if isinstance(fact, RequirementKey | OnlyOneKey) else GroupFactKey(fact, group)

    def _against(self, key: NodeKey) -> tuple[NodeKey, ...]:
        """Return the nodes that a fact sets against its bundles: rivals, replaced operators, ruled-out bundles."""
        facts = self._facts
        match key:
            case RequirementKey():
                return facts.groups_of(facts.requirements[key].excluded)
            case OnlyOneKey():
                return facts.groups_of(facts.exclusive[key.group])
            case GroupFactKey(ReplacesKey(operator)):
                return facts.groups_of((operator,))
            case GroupFactKey(ReplacedKey(operator)):
                return facts.groups_of(facts.replacing[operator])
            case GroupFactKey(ExcludedKey(requirement)):
                return (requirement,)
            case _:
                return ()

    # -- nodes

    def _node(self, key: NodeKey, numbers: dict[NodeKey, int]) -> Node:
        """Return the node of *key*; *numbers* are of all nodes."""
        number = numbers[key]
        leads_to = tuple(numbers[each] for each in self._leads_to(key))
        against = tuple(numbers[each] for each in self._against(key) if each in numbers)
        match key:
            case RootKey():
                kind, statement, notes, locations = self._root(self._facts.roots[key])
                return Node(number, kind, statement, leads_to, notes=notes, locations=locations)
            case BundlesKey():
                return self._bundles(number, key, leads_to)
            case RequirementKey():
                return self._requirement(number, self._facts.requirements[key], leads_to, against)
            case OnlyOneKey(group):
                noun = f"bundle of {group}" if group.kind == "package" else f"bundle that provides {group}"
                locations = self._locations(self._facts.exclusive[group])
                statement = f"at most one {noun} can be selected"
                return Node(number, NodeKind.ONLY_ONE, statement, (), against, locations=locations)
            case GroupFactKey(fact, bundles):
                kind, statement = self._group_fact(fact)
                locations = self._fact_locations(kind, self._facts.groups[bundles])
                return Node(number, kind, statement, leads_to, against, locations=locations)

    def _bundles(self, number: int, key: BundlesKey, leads_to: tuple[int, ...]) -> Node:
        """Return the node of a group."""
        members, phrase = self._facts.groups[key], self._phrases[key]
        candidates = sorted_candidates(map(self._problem.candidate, members))
        locations = self._locations(members)
        return Node(
            number,
            NodeKind.BUNDLES,
            str(phrase),
            leads_to,
            candidates=candidates,
            locations=locations,
            brief=phrase.name,
        )

    def _group_fact(self, fact: FactKey) -> tuple[NodeKind, str]:
        """Return kind and statement of a fact about one group."""
        match fact:
            case DeprecatedKey():
                statement = "is deprecated (it has the property olm.deprecated), so it is never selected"
                return NodeKind.DEPRECATED, statement
            case BrokenKey(fault):
                # The first line is the reason; the lines after it only point into the text of a range.
                return NodeKind.BROKEN, f"is broken in its catalog: {fault.partition(chr(10))[0]}"
            case RefusedKey(refusal):
                return NodeKind.REFUSED, f"may not be selected here: {refusal}"
            case ReplacesKey(operator):
                name = self._problem.candidate(operator).name
                return NodeKind.REPLACES, f"replaces the installed {name}, which then cannot stay"
            case ReplacedKey():
                return NodeKind.REPLACES, "cannot stay once an update of it is selected"
            case _:
                assert isinstance(fact, ExcludedKey)
                requirement = self._facts.requirements[fact.requirement]
                groups = self._facts.groups_of([number for number, _ in requirement.subjects])
                nouns = tuple(str(self._phrases[group]) for group in groups)
                return NodeKind.EXCLUDED, f"is ruled out by {enumerated(nouns)}, which requires {requirement.predicate}"

    def _requirement(
        self, number: int, required: SharedRequirement, leads_to: tuple[int, ...], against: tuple[int, ...]
    ) -> Node:
        """Return the node of a requirement, with notes on the parts that nothing meets."""
        statement = f"requires {required.predicate}"
        if required.missing and (required.candidates or required.missing != (required.predicate,)):
            statement += f", of which nothing gives {enumerated(tuple(map(str, required.missing)), 'or')}"
        elif required.missing:
            # Only the shipped controller makes one choice of a compound: it asks a single bundle to meet all parts.
            alone = isinstance(required.predicate, AllOf | NoneOf)
            statement += ", which no single bundle meets" if alone else ", which nothing gives"
        notes = tuple(dict.fromkeys(note for part in required.missing for note in self._near_misses.about(part)))
        locations = tuple(
            dict.fromkeys(
                self._location(subject, f"properties[{requirement.property_index}] ({requirement.property_type})")
                for subject, requirement in required.subjects
            )
        )
        message = "; ".join(failure_messages(required.predicate))
        return Node(number, NodeKind.REQUIREMENT, statement, leads_to, against, (), message, notes, locations)

    def _root(self, root: Constraint) -> tuple[NodeKind, str, tuple[Note, ...], tuple[NodeLocation, ...]]:
        """Return kind, statement, notes and locations of a root."""
        request = self._problem.request
        if not isinstance(root, Dependency):
            operator = self._problem.candidate(root.subject)  # type: ignore[union-attr]
            statement = f"{operator.name} is installed, belongs to no subscription and must stay"
            return NodeKind.MUST_STAY, statement, (), (_installed_location(request, operator.name),)
        if isinstance(root.origin, QuestionRoot):
            return NodeKind.QUESTION, str(root.origin), (), ()
        wish: Wish = root.origin
        position = request.subscriptions.index(wish.subscription)
        locations = (NodeLocation(field=f"subscriptions[{position}]"),)
        if wish.unknown is not None:
            reason = wish.unknown()
            return NodeKind.UNKNOWN, str(reason), self._near_misses.about_unknown(reason), locations
        return NodeKind.SUBSCRIPTION, self._wish(root), (), locations

    def _wish(self, root: Dependency) -> str:
        """Return the statement about a subscription: "subscription a wants package a from any channel of ..."."""
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

    # -- sentences

    def _statement(self) -> str:
        """Return the sentence that sums up the conflict."""
        wishes: list[str] = []
        operators: list[str] = []
        for root in self._facts.roots.values():
            if isinstance(root, Dependency) and isinstance(root.origin, QuestionRoot):
                beside = " beside what else is asked for" if len(self._facts.roots) > 1 else ""
                return f"{root.origin.phrase} cannot be selected{beside}"
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

    def _phrase(self, members: list[int]) -> Phrase:
        """Return the noun for a group; a channel without an order is a group of its own, and is named as one."""
        candidates = sorted_candidates(map(self._problem.candidate, members))
        if self._problem.facts(members[0]) is None:
            channel = candidates[0]
            return Phrase(f"channel {channel.channel} of package {channel.package}", channel.catalog)
        return bundles_phrase(candidates, self._versions[candidates[0].package])

    # -- locations

    def _location(self, number: int, field: str = "") -> NodeLocation:
        """Return the location of a candidate, and of *field* in it."""
        candidate = self._problem.candidate(number)
        if candidate.catalog == EXISTING:
            operator = _installed_location(self._problem.request, candidate.name)
            return NodeLocation(EXISTING, candidate.name, "", ".".join(filter(None, (operator.field, field))))
        _, index, slot = self._problem.visible.locate(number)
        name = candidate.name if index.has_bundle(slot) else ""
        return NodeLocation(candidate.catalog, name, index.origin(slot), field)

    def _locations(self, members: Iterable[int], field: str = "") -> tuple[NodeLocation, ...]:
        return tuple(dict.fromkeys(self._location(number, field) for number in members))

    def _fact_locations(self, kind: NodeKind, members: list[int]) -> tuple[NodeLocation, ...]:
        if kind is NodeKind.BROKEN:
            return tuple(dict.fromkeys(self._location(each, self._facts.faults[each].property) for each in members))
        return self._locations(members, "olm.deprecated" if kind is NodeKind.DEPRECATED else "")


def _installed_location(request: Any, name: str) -> NodeLocation:
    position = next(i for i, operator in enumerate(request.installed) if operator.name == name)
    return NodeLocation(field=f"installed[{position}]")
