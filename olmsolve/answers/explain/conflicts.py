"""The independent conflicts of a request: minimal cores, no two of which share a root, and the tree of each.

The first core is the one that the failure names. Its roots (subscriptions, operators that must stay) are set aside
and the rest is solved; its core is the next one, and so on until the rest has a solution. Each core is the preferred
one of its rest, so the conflicts and their order depend on the request alone.

Many roots are first split into parts that share nothing, so that each search is as small as its conflict. The parts'
cores are put into the order in which searches of the whole rest would find them.

A conflict that shares a root with an earlier one is not listed: a change that resolves the earlier one may resolve
both. No fix overlooks it, since a fix is resolved with the whole request.

A tree turns the facts of a core into numbered nodes.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, assert_never

from olmsolve.answers.explain.facts import (
    BundlesKey,
    CoreFacts,
    ExcludedKey,
    FactKey,
    GroupFactKey,
    NodeKey,
    RequirementKey,
    RootKey,
    SharedRequirement,
)
from olmsolve.answers.explain.model import Conflict, Node, NodeKind, NodeLocation
from olmsolve.answers.explain.statements import (
    BundlesFact,
    ConflictSummary,
    DemandFact,
    ExcludedFact,
    KeptApartFact,
    LimitedFact,
    Misnamed,
    NodeFact,
    OnlyOneFact,
    QuestionRoot,
    ReplacedFact,
    ReplacesFact,
    RequirementFact,
    Unselectable,
    Unserved,
    WholeChannel,
    WishFact,
)
from olmsolve.answers.wording import bundles_phrase, sorted_candidates
from olmsolve.classic import ClassicProblem, MustStay, Subscription, Wish
from olmsolve.resolution import EXISTING
from olmsolve.semver import reading_by
from olmsolve.solver import (
    Constraint,
    Core,
    Mandatory,
    RestrictedProblem,
    Solution,
    attempt,
    solve,
)

if TYPE_CHECKING:
    from olmsolve.answers.explain.near_misses import NearMisses
    from olmsolve.classic import AtLeastOne
    from olmsolve.solver import NumberedRoot
    from olmsolve.solver.backends import BackendLike

# Up to so many roots the whole rest is searched again, which costs less than splitting it.
_FEW: Final = 12


def conflicting(
    problem: ClassicProblem,
    first: tuple[Constraint, ...],
    *,
    backend: BackendLike,
    aside: Collection[tuple[str, str]] = (),
) -> list[Core]:
    """Return the cores of *problem*; none if it has a solution. *first* is the first of them, () to search for it too.

    The roots with the keys *aside* (see :func:`root_key`) are left out.

    Raises Incomplete when a limit is met.
    """
    cores: list[Core] = []
    roots = enumerate(problem.roots)
    remaining_roots: Sequence[NumberedRoot] = [
        root for root in roots if not aside or root_key(problem, root[1]) not in aside
    ]
    outcome: Solution | Core | None = Core(first) if first else None
    while remaining_roots:
        restricted = _restricted(problem, remaining_roots)
        if outcome is None and cores and len(remaining_roots) > _FEW:
            # A core can cost much more than the knowledge that there is one, and in a part of the problem costs less.
            if attempt(restricted, backend=backend) is not None:
                break
            return [*cores, *_in_parts(problem, remaining_roots, backend)]
        outcome = outcome or solve(restricted, backend=backend)
        if not isinstance(outcome, Core):
            break
        cores.append(outcome)
        remaining_roots = _not_involved(problem, remaining_roots, outcome)
        outcome = None
    return cores


def _in_parts(problem: ClassicProblem, roots: Sequence[NumberedRoot], backend: BackendLike) -> Iterator[Core]:
    """Yield the cores of *roots*, part by part, in the order in which the whole problem would name them."""
    # Few failures have a second conflict and more roots than `_FEW`.
    import heapq

    from olmsolve.solver import independent_parts, rank_among_parts

    queue: list[tuple[tuple[Any, ...], int, Core, list[NumberedRoot]]] = []
    counter = itertools.count()

    def push(part: list[NumberedRoot]) -> None:
        outcome = solve(_restricted(problem, part), backend=backend) if part else None
        if isinstance(outcome, Core):
            rank = rank_among_parts(problem, part, outcome)
            # Cores have no order: the counter keeps the heap from comparing two of one rank.
            heapq.heappush(queue, (rank, next(counter), outcome, part))

    for part in independent_parts(problem, roots):
        push(part)
    while queue:
        _, _, core, part = heapq.heappop(queue)
        yield core
        push(_not_involved(problem, part, core))


def _restricted(problem: ClassicProblem, roots: Iterable[NumberedRoot]) -> RestrictedProblem:
    return RestrictedProblem(problem, [root for _, root in roots])


def _not_involved(problem: ClassicProblem, roots: Iterable[NumberedRoot], core: Core) -> list[NumberedRoot]:
    """Return the *roots* that *core* does not need."""
    # By key: two subscriptions with the same candidates are equal as constraints, and only one may be involved.
    involved = {root_key(problem, constraint) for constraint in core.constraints}
    return [root for root in roots if root_key(problem, root[1]) not in involved]


def root_key(problem: ClassicProblem, root: Constraint) -> tuple[str, str] | None:
    """Return the kind and name of a root, which identify it in changed requests too; None for other constraints.

    The kind is ``"subscription"``, ``"operator"`` or ``"rule"``.
    """
    if isinstance(root, Mandatory):
        return "operator", problem.candidate(root.subject).name
    if isinstance(root.origin, Wish):
        return "subscription", root.origin.subscription.name
    if problem.request.house_rules:
        from olmsolve.classic import AtLeastOne, TotalAtMost  # whoever made the rules has loaded them

        return ("rule", root.origin.name) if isinstance(root.origin, AtLeastOne | TotalAtMost) else None
    return None


def without(problem: ClassicProblem, keys: Collection[tuple[str, str]]) -> RestrictedProblem:
    """Return *problem* without the roots of these *keys*."""
    return RestrictedProblem(problem, [root for root in problem.roots if root_key(problem, root) not in keys])


def conflict_tree(problem: ClassicProblem, core: Core, first: int, near_misses: Callable[[], NearMisses]) -> Conflict:
    """Return the tree of *core*, its nodes numbered from *first* on. Its notes are made by *near_misses*."""
    return _TreeBuilder(problem, core, near_misses).build(first)


class _TreeBuilder:
    """The builder of one conflict. Nodes are identified by keys: of roots, groups of bundles, and facts."""

    def __init__(self, problem: ClassicProblem, core: Core, near_misses: Callable[[], NearMisses]) -> None:
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
        return Conflict(self._summary(), roots, nodes)

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
                return self._facts.groups_of(root.candidates)  # type: ignore[arg-type]
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
        return fact if isinstance(fact, RequirementKey | OnlyOneFact) else GroupFactKey(fact, group)

    def _against(self, key: NodeKey) -> tuple[NodeKey, ...]:
        """Return the nodes that a fact sets against its bundles: rivals, replaced operators, ruled-out bundles."""
        facts = self._facts
        match key:
            case RequirementKey():
                return facts.groups_of(facts.requirements[key].excluded)
            case OnlyOneFact():
                return facts.groups_of(facts.exclusive[key.group])
            case GroupFactKey(ReplacesFact(operator)):
                return facts.groups_of((operator,))
            case GroupFactKey(ReplacedFact(operator)):
                return facts.groups_of(facts.replacing[operator])
            case GroupFactKey(KeptApartFact(rule, named), group):
                others = facts.apart[KeptApartFact(rule, not named)]
                # A bundle may be on both sides of a rule, and is not kept apart from itself.
                return tuple(other for other in facts.groups_of(tuple(others)) if other != group)
            case GroupFactKey(LimitedFact(rule, _), group):
                return tuple(other for other in facts.groups_of(tuple(facts.limited[rule])) if other != group)
            case GroupFactKey(ExcludedKey(requirement)):
                return (requirement,)
            case _:
                return ()

    # -- nodes

    def _node(self, key: NodeKey, numbers: dict[NodeKey, int]) -> Node:
        """Return the node of *key*; *numbers* are of all nodes."""
        number = numbers[key]
        leads_to = tuple(numbers[below] for below in self._leads_to(key))
        against = tuple(numbers[contrary] for contrary in self._against(key) if contrary in numbers)
        match key:
            case RootKey():
                return self._root(number, self._facts.roots[key], leads_to)
            case BundlesKey():
                locations = self._locations(self._facts.groups[key])
                return Node(number, NodeKind.BUNDLES, self._phrases[key], leads_to, locations=locations)
            case RequirementKey():
                return self._requirement(number, self._facts.requirements[key], leads_to, against)
            case OnlyOneFact(group):
                locations = self._locations(self._facts.exclusive[group])
                return Node(number, NodeKind.ONLY_ONE, key, (), against, locations=locations)
            case GroupFactKey(fact, bundles):
                kind, stated = self._group_fact(fact)
                locations = self._fact_locations(kind, self._facts.groups[bundles])
                return Node(number, kind, stated, leads_to, against, locations=locations)
            case _:
                assert_never(key)

    def _group_fact(self, fact: FactKey) -> tuple[NodeKind, NodeFact]:
        """Return the kind of a fact about one group, and the fact as a node states it."""
        if isinstance(fact, ExcludedKey):
            requirement = self._facts.requirements[fact.requirement]
            groups = self._facts.groups_of([number for number, _ in requirement.subjects])
            by = tuple(self._phrases[group] for group in groups)
            return NodeKind.EXCLUDED, ExcludedFact(by, requirement.predicate)
        assert not isinstance(fact, RequirementKey | OnlyOneFact), "these have nodes of their own"
        return NodeKind(fact.node_kind), fact

    def _requirement(
        self, number: int, required: SharedRequirement, leads_to: tuple[int, ...], against: tuple[int, ...]
    ) -> Node:
        """Return the node of a requirement, with notes on the parts that nothing meets."""
        provided, rules_out = bool(required.candidates), bool(required.excluded)
        fact = RequirementFact(required.predicate, required.missing, provided, required.failing, rules_out)
        notes = tuple(dict.fromkeys(note for part in required.missing for note in self._near_misses().notes_on(part)))
        locations = tuple(
            dict.fromkeys(
                self._location(subject, f"properties[{requirement.property_index}] ({requirement.property_type})")
                for subject, requirement in required.subjects
            )
        )
        return Node(number, NodeKind.REQUIREMENT, fact, leads_to, against, notes, locations)

    def _root(self, number: int, root: Constraint, leads_to: tuple[int, ...]) -> Node:
        """Return the node of a root."""
        problem = self._problem
        if root.subject is not None:
            operator = problem.candidate(root.subject)
            locations = (_installed_location(problem.request, operator.name),)
            return Node(number, NodeKind.MUST_STAY, MustStay(operator), leads_to, locations=locations)
        if isinstance(root.origin, QuestionRoot):
            return Node(number, NodeKind.QUESTION, root.origin, leads_to)
        if not isinstance(root.origin, Wish):
            return self._demand(number, root.origin, len(root.candidates), leads_to)
        wish: Wish = root.origin
        # By identity: comparing the fields of a thousand subscriptions with each other took a tenth of an explanation.
        position = next(
            i for i, subscription in enumerate(problem.request.subscriptions) if subscription is wish.subscription
        )
        locations = (_wish_location(wish.subscription, position),)
        if wish.unknown is not None:
            reason = wish.unknown()
            notes = self._near_misses().notes_on_unknown(reason)
            return Node(number, NodeKind.UNKNOWN, reason, leads_to, notes=notes, locations=locations)
        owned = next(
            (problem.candidate(candidate).name for candidate in root.candidates if problem.is_installed(candidate)), ""
        )
        fact = WishFact(wish.subscription, owned, len(root.candidates))
        return Node(number, NodeKind.SUBSCRIPTION, fact, leads_to, locations=locations)

    def _demand(self, number: int, rule: AtLeastOne, candidates: int, leads_to: tuple[int, ...]) -> Node:
        """Return the node of a house rule that demands a bundle, with notes where there are no *candidates*."""
        predicates = () if candidates else rule.bundles.as_predicates()
        notes = tuple(
            dict.fromkeys(note for predicate in predicates for note in self._near_misses().notes_on(predicate))
        )
        position = self._problem.request.house_rules.index(rule)
        locations = (NodeLocation(field=f"houseRules[{position}]"),)
        return Node(number, NodeKind.DEMAND, DemandFact(rule, candidates), leads_to, notes=notes, locations=locations)

    def _summary(self) -> ConflictSummary:
        """Return what the conflict comes to."""
        names: dict[str, list[str]] = {"subscription": [], "operator": [], "rule": []}
        for root in self._facts.roots.values():
            if isinstance(root.origin, QuestionRoot):
                return Unselectable(root.origin.phrase, beside=len(self._facts.roots) > 1)
            if isinstance(root.origin, Wish) and root.origin.unknown is not None:
                # Without candidates, nothing else is needed for the conflict: this is its only root.
                return Misnamed(root.origin.unknown())
            key = root_key(self._problem, root)
            if key is not None:
                names[key[0]].append(key[1])
        return Unserved(*(tuple(names[kind]) for kind in ("subscription", "operator", "rule")))

    def _phrase(self, members: list[int]) -> BundlesFact:
        """Return the noun for a group; a channel without an order is a group of its own, and is named as one."""
        with reading_by(self._problem.visible.scheme):
            candidates = sorted_candidates(map(self._problem.candidate, members))
            if self._problem.facts(members[0]) is None:
                return WholeChannel(candidates[0])
            return bundles_phrase(candidates, self._versions[candidates[0].package])

    # -- locations

    def _location(self, number: int, field: str) -> NodeLocation:
        """Return the location of a candidate, and of *field* in it."""
        candidate = self._problem.candidate(number)
        if candidate.catalog == EXISTING:
            operator = _installed_location(self._problem.request, candidate.name)
            where = ".".join(filter(None, ("" if operator.origin else operator.field, field)))
            return NodeLocation(EXISTING, candidate.name, operator.origin, where)
        _, index, slot = self._problem.visible.locate(number)
        name = candidate.name if index.has_bundle(slot) else ""
        return NodeLocation(candidate.catalog, name, index.origin(slot), field)

    def _locations(self, members: Iterable[int], field: str = "") -> tuple[NodeLocation, ...]:
        return tuple(dict.fromkeys(self._location(number, field) for number in members))

    def _fact_locations(self, kind: NodeKind, members: list[int]) -> tuple[NodeLocation, ...]:
        if kind is NodeKind.BROKEN:
            return tuple(
                dict.fromkeys(self._location(member, self._facts.faults[member].property) for member in members)
            )
        return self._locations(members, "olm.deprecated" if kind is NodeKind.DEPRECATED else "")


def _installed_location(request: Any, name: str) -> NodeLocation:
    """Return the object of an installed operator; without one, the position in the request."""
    position, operator = next((i, installed) for i, installed in enumerate(request.installed) if installed.name == name)
    if operator.origin:
        return NodeLocation(origin=operator.origin, field=f"ClusterServiceVersion {operator.name}")
    return NodeLocation(field=f"installed[{position}]")


def _wish_location(wish: Subscription, position: int) -> NodeLocation:
    """Return the object of a subscription; without one, its *position* in the request."""
    if wish.origin:
        return NodeLocation(origin=wish.origin, field=f"Subscription {wish.name}")
    return NodeLocation(field=f"subscriptions[{position}]")
