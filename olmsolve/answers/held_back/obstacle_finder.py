"""The obstacles between a subscription and a newer bundle.

Every obstacle is a test of its own, so a bundle can have several. With the ones about the subscription lifted, the
bundle is put beside everything else that the request asks for, and solved: what then contradicts it is named as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from olmsolve._limits import check
from olmsolve.answers.held_back.fitting import PlanTables
from olmsolve.answers.held_back.newer import newer_numbers, parsed_version
from olmsolve.answers.held_back.obstacles import (
    AfterUpdates,
    HeldBackBundle,
    HeldBackOperator,
    ImpossibleBeside,
    InAnotherCatalog,
    InAnotherChannel,
    NeverSelected,
    NothingResolved,
    NoUpdatePath,
    OnlyUnderSemantics,
    OutrankedBy,
    PinnedToStart,
    PlanObstacle,
    SkippedEntry,
)
from olmsolve.answers.rerunning import Preference, Rerun, RestrictedProblem, order_rule, preference_of
from olmsolve.catalog import Channel, namespace_and_name
from olmsolve.catalog.index import CatalogIndex
from olmsolve.catalog.update_graph import ClassicChannel
from olmsolve.classic import (
    Broken,
    ClassicProblem,
    Reason,
    Requires,
    Semantics,
    Subscription,
    Wish,
    automatic_updates,
    opposed,
    reason_for,
)
from olmsolve.predicates import semantics_differ
from olmsolve.resolution import EXISTING, Candidate, WantedBy
from olmsolve.semver import Version
from olmsolve.solver import Core, Dependency, Mandatory, Prohibited, Root, Solution, solve


class ObstacleFinder:
    """The obstacles before candidates of *problem*; *rerun* is its plan, None if it has none.

    Its methods raise Incomplete when a limit is met.
    """

    def __init__(self, problem: ClassicProblem, rerun: Rerun | None) -> None:
        self._problem = problem
        self._rerun = rerun
        self._owned = {owner.name: name for name, owner in problem.request.owners().items()}
        self._roots: dict[str, Dependency] = {
            root.origin.subscription.name: root
            for root in problem.roots
            if isinstance(root, Dependency) and isinstance(root.origin, Wish)
        }

    def operator(self, wish: Subscription, current: Candidate) -> HeldBackOperator:
        """Return what is held back from *wish*, which has *current*."""
        check()
        numbers = newer_numbers(self._problem, wish, current)
        following = self._following(wish, current)
        if following is not None and self._name(following) not in map(self._name, numbers):
            numbers.append(following)
        newer = (
            HeldBackBundle(self._problem.candidate(number), obstacles)
            for number in numbers
            if (obstacles := tuple(self._obstacles(wish, current, number)))
        )
        return HeldBackOperator(wish.name, current, tuple(newer))

    def _name(self, number: int) -> str:
        return self._problem.candidate(number).name

    def _following(self, wish: Subscription, current: Candidate) -> int | None:
        """Return the update that *wish* prefers, if the plan leaves it aside."""
        first = next(iter(self._roots[wish.name].candidates), None)
        if not isinstance(first, int) or self._problem.is_installed(first):
            return None
        version, mine = parsed_version(self._problem.candidate(first)), parsed_version(current)
        newer = version is not None and mine is not None and version > mine
        return first if newer else None

    def _obstacles(self, wish: Subscription, current: Candidate, number: int) -> Iterator[PlanObstacle]:
        """Yield the obstacles between *wish* and the candidate *number*, in the order of their kinds."""
        problem = self._problem
        candidate = problem.candidate(number)
        found: list[PlanObstacle] = list(self._outside(wish, candidate))
        if number not in self._roots[wish.name].candidates:
            found.extend(self._unreached(wish, current, candidate))
        prohibited = [c for c in problem.constraints(number) if isinstance(c, Prohibited)]
        found.extend(NeverSelected(candidate, reason_for(problem, constraint)) for constraint in prohibited)
        if self._rerun is None:
            found.append(NothingResolved(problem.request.namespaces[0]))
        elif not prohibited:
            found.extend(self._beside_others(self._rerun, wish, current, number, alone=not found))
        yield from found

    # -- the subscription and the update graph

    def _outside(self, wish: Subscription, candidate: Candidate) -> Iterator[PlanObstacle]:
        """Yield the names in *wish* that leave *candidate* out."""
        if wish.source and wish.catalog != candidate.catalog:
            yield InAnotherCatalog(wish.catalog)
        if wish.channel and wish.channel not in (holding := self._holding(candidate)):
            yield InAnotherChannel(holding, wish.channel)

    def _position(self, candidate: Candidate) -> int:
        """Return the position of the catalog of *candidate* among the visible ones."""
        namespace, name = namespace_and_name(candidate.catalog)
        position = self._problem.visible.find(name, namespace)
        assert position is not None, "candidates come from visible catalogs"
        return position

    def _holding(self, candidate: Candidate) -> tuple[str, ...]:
        """Return the channels of its catalog that have the bundle, the default one first."""
        index = self._problem.visible.indexes[self._position(candidate)]
        names, offered = index.channel_names(candidate.package), index.offered(candidate.package) or ()
        return tuple(
            channel for channel, slots in zip(names, offered, strict=True) if index.named(slots.all, candidate.name)
        )

    def _unreached(self, wish: Subscription, current: Candidate, candidate: Candidate) -> Iterator[PlanObstacle]:
        """Yield what keeps *candidate* from being the next step inside its own channel."""
        position = self._position(candidate)
        index = self._problem.visible.indexes[position]
        slots = index.channel(candidate.package, candidate.channel)
        fault = index.fault(slots.fault) if slots.fault >= 0 else None
        if fault is not None:
            yield NeverSelected(candidate, Broken(fault, candidate))
        elif wish.name not in self._owned and wish.starting_csv not in ("", candidate.name):
            yield PinnedToStart(wish.starting_csv)
        elif not index.named(slots.ordered, candidate.name):
            yield SkippedEntry(candidate.channel)
        elif wish.name in self._owned and not self._follows_installed(wish, index, slots.ordered, candidate):
            yield from self._steps(index, slots.all, current, candidate)

    def _follows_installed(self, wish: Subscription, index: CatalogIndex, slots: range, candidate: Candidate) -> bool:
        """Return whether *candidate* is a direct update, inside its channel *slots*, of the operator of *wish*."""
        installed = self._problem.installed
        position = installed.names.index(self._owned[wish.name])
        updates = index.updates(slots, installed.names[position], installed.published[position].version)
        return any(index.bundle(slot) == candidate.name for slot in updates)

    def _steps(
        self, index: CatalogIndex, slots: range, current: Candidate, candidate: Candidate
    ) -> Iterator[PlanObstacle]:
        """Yield that *candidate*, in the channel of *slots*, takes several updates, or that none lead there."""
        slot_of = {index.bundle(slot): slot for slot in slots}
        entries = tuple(map(index.slots.entry, slots))
        channel = ClassicChannel(Channel(candidate.package, candidate.channel, entries), slot_of)

        def version_of(bundle: str) -> Version | None:
            if bundle == current.name:
                return parsed_version(current) or index.bundle_version(candidate.package, bundle)
            return index.version(slot_of[bundle])

        steps = automatic_updates(channel, current.name, version_of, to=candidate.name)
        end = steps[-1] if steps else ""
        before = () if current.catalog == EXISTING else (current.name,)
        if candidate.name not in (end, current.name):
            yield NoUpdatePath(current.name, candidate.channel, end)
        elif before or len(steps) > 1:
            yield AfterUpdates((*before, *steps[:-1]))

    # -- everything else that is asked for

    def _beside_others(
        self, rerun: Rerun, wish: Subscription, current: Candidate, number: int, *, alone: bool
    ) -> Iterator[PlanObstacle]:
        """Yield what contradicts the candidate, or, if it has no obstacle but the order (*alone*), what comes first."""
        selected = self._plan.by_candidate[current]
        if self._plan.fits(self._roots[wish.name], selected, number):
            if alone:
                rule = order_rule(self._problem, selected, number, None)
                one, other = self._problem.candidate(selected), self._problem.candidate(number)
                yield OutrankedBy(Preference(WantedBy(subscription=wish.name), one, other, rule))
            return
        outcome = self._forced(self._problem, wish, number)
        if isinstance(outcome, Core):
            forced = Mandatory(number)
            against = opposed(outcome.constraints)
            reasons = tuple(reason_for(self._problem, each, against) for each in outcome.constraints if each != forced)
            yield ImpossibleBeside(self._problem.candidate(number), reasons)
            yield from self._under_other_semantics(wish, number, reasons)
        elif alone:
            preference = preference_of(rerun, outcome)
            assert preference is not None, "a candidate of a wish is selected, unless another one comes first"
            yield OutrankedBy(preference)

    def _forced(self, problem: ClassicProblem, wish: Subscription, number: int) -> Solution | Core:
        """Solve *problem* with the candidate *number* in place of *wish*."""
        assert self._rerun is not None
        roots: list[Root] = [Mandatory(number)]
        outcome = solve(RestrictedProblem(problem, roots), backend=self._rerun.backend)
        if isinstance(outcome, Core):
            return outcome
        roots += [root for root in problem.roots if not _is_wish(root, wish)]
        return solve(RestrictedProblem(problem, roots), backend=self._rerun.backend)

    def _under_other_semantics(
        self, wish: Subscription, number: int, reasons: tuple[Reason, ...]
    ) -> Iterator[PlanObstacle]:
        """Yield that the other semantics allow the candidate, if they read one of *reasons* differently and do."""
        differ = any(isinstance(reason, Requires) and semantics_differ(reason.predicate) for reason in reasons)
        if differ and isinstance(self._forced(self._other, wish, number), Solution):
            yield OnlyUnderSemantics(self._other.semantics.value)

    @cached_property
    def _plan(self) -> PlanTables:
        assert self._rerun is not None, "a failure has no plan"
        return PlanTables(self._rerun)

    @cached_property
    def _other(self) -> ClassicProblem:
        """The same problem under the other semantics; its candidates have the same numbers."""
        mine = self._problem.semantics
        other = Semantics.CONTROLLER if mine is Semantics.DOCUMENTED else Semantics.DOCUMENTED
        return ClassicProblem(self._problem.request, self._problem.visible, other)


def _is_wish(root: Root, wish: Subscription) -> bool:
    """Return whether *root* is the choice of the subscription *wish*."""
    return isinstance(root.origin, Wish) and root.origin.subscription.name == wish.name
