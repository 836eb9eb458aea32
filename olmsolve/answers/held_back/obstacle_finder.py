"""The obstacles between a subscription and a newer bundle.

Every obstacle is a test of its own, so a bundle can have several. With the ones about the subscription lifted, the
bundle is put beside everything else that the request asks for, and solved: what then contradicts it is named as well.

Also here: a check whether a plan holds with one candidate exchanged, by a look at constraints instead of a search.

Most newer bundles need what the plan has already. To solve the request for each of them would take quadratic time where
every subscription is held back.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cached_property, partial

from olmsolve._limits import check, checked
from olmsolve._named_tuples import NamedTuple
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
from olmsolve.answers.rerunning import Preference, Rerun, order_rule, preference_of
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
from olmsolve.semver import Version, read_version
from olmsolve.solver import (
    Choice,
    Chosen,
    Constraint,
    Core,
    Exclusion,
    Formula,
    GroupName,
    Identifier,
    Incompatible,
    Mandatory,
    Prohibited,
    RestrictedProblem,
    Root,
    Solution,
    candidates_of,
    solve,
)


class PlanTables:
    """Tables of the plan of *rerun*, which decide without a search whether one candidate can replace another.

    They list the selected candidates by number and by value, the candidate in each at-most-one group, the choices that
    each candidate serves, and the candidates in compound requirements of selected ones.
    """

    def __init__(self, rerun: Rerun) -> None:
        self._rerun = rerun
        self._numbers = frozenset(rerun.selected)
        self.by_candidate: dict[Candidate, int] = {rerun.problem.candidate(number): number for number in rerun.selected}
        # If the channel entry of an installed operator is selected, the operator is found by either candidate.
        for number in rerun.selected:
            for operator in () if rerun.problem.is_installed(number) else rerun.problem.updated_by(number):
                self.by_candidate.setdefault(rerun.problem.candidate(operator), number)
        self._holders: dict[GroupName, int] = {}
        self._choices: set[Identifier] = set()
        self._exclusions: dict[object, Exclusion] = {}
        self._ruled_out: dict[object, frozenset[int]] = {}
        for number in rerun.selected:
            for constraint in rerun.problem.constraints(number):
                self._holders.update(dict.fromkeys(constraint.groups, number))
                # Bundles share requirements, so exclusions with one predicate (their origin) are listed once.
                self._exclusions.update((exclusion.origin, exclusion) for exclusion in constraint.exclusions())
                if isinstance(constraint, Formula):
                    self._choices.update(candidates_of(constraint.tree))
        self._served: dict[Identifier, list[Chosen]] = {}
        for chosen in rerun.solution.choices:
            self._served.setdefault(chosen.identifier, []).append(chosen)

    def fits(self, root: Root, selected: int, number: int) -> bool:
        """Return True if the plan holds with *number* in place of *selected* for *root*; False needs a search."""
        # Either candidate may decide which branch of a compound requirement holds, and so what else is needed.
        if self._is_in_formulas(selected) or self._is_in_formulas(number):
            return False
        others = _Others(self._numbers, selected)
        if not all(self._holds(constraint, others, number) for constraint in self._rerun.problem.constraints(number)):
            return False
        served = (
            served_root for served_root in self._served.get(selected, ()) if served_root.origin is not root.origin
        )
        return all(number in self._rerun.candidates(served_root) for served_root in served)

    def _is_in_formulas(self, number: int) -> bool:
        return number in self._choices or any(number in exclusion.excluded for exclusion in self._exclusions.values())

    def _holds(self, constraint: Constraint, others: _Others, number: int) -> bool:
        """Return whether *constraint* of the candidate *number* is known to hold beside *others*."""
        if constraint.candidates:
            return others.have_one_of(constraint.candidates)
        if isinstance(constraint, Incompatible):
            # An update excludes the operator that it replaces, which is the one to give way here.
            return constraint.other not in others
        if constraint.groups:
            departing = others.without
            return all(self._holders.get(group, departing) == departing for group in constraint.groups)
        is_met = partial(self._is_met, others=others, number=number)
        return isinstance(constraint, Formula) and constraint.tree.judged(is_met)

    def _is_met(self, leaf: Choice | Exclusion, others: _Others, number: int) -> bool:
        """Return whether *leaf* of a formula, required by the candidate *number*, is met by *others*."""
        if isinstance(leaf, Choice):
            return others.have_one_of(leaf.candidates)
        return number not in leaf.excluded and self._excluded(leaf) <= {others.without}

    def _excluded(self, exclusion: Exclusion) -> frozenset[int]:
        """Return the selected candidates that *exclusion* rules out."""
        excluded = self._ruled_out.get(exclusion.origin)
        if excluded is None:
            excluded = frozenset(number for number in self._numbers if number in exclusion.excluded)
            self._ruled_out[exclusion.origin] = excluded
        return excluded


class _Others:
    """The *selected* candidates of a plan, except the candidate *without*."""

    def __init__(self, selected: frozenset[int], without: int) -> None:
        self._selected = selected
        self.without = without

    def __contains__(self, number: object) -> bool:
        return number in self._selected and number != self.without

    def have_one_of(self, candidates: Collection[Identifier]) -> bool:
        """Return whether any of *candidates* is selected."""
        return any(candidate in self for candidate in candidates)


class ObstacleFinder:
    """The obstacles before candidates of *problem*; *rerun* is its plan, None if it has none.

    Its methods raise Incomplete when a limit is met.
    """

    def __init__(self, problem: ClassicProblem, rerun: Rerun | None) -> None:
        self._problem = problem
        self._rerun = rerun
        self._owned = {owner.name: name for name, owner in problem.request.owners().items()}
        self._roots: dict[str, Root] = {
            root.origin.subscription.name: root for root in problem.roots if isinstance(root.origin, Wish)
        }

    def operator(self, wish: Subscription, current: Candidate) -> HeldBackOperator:
        """Return what is held back from *wish*, which has *current*."""
        check()
        numbers = _newer_numbers(self._problem, wish, current)
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
        _, index, slot = self._problem.visible.locate(first)
        version, mine = index.version(slot), read_version(current.version, index.catalog.scheme)
        newer = version is not None and mine is not None and version > mine
        return first if newer else None

    def _obstacles(self, wish: Subscription, current: Candidate, number: int) -> Iterator[PlanObstacle]:
        """Yield the obstacles between *wish* and the candidate *number*, in the order of their kinds."""
        problem = self._problem
        candidate = problem.candidate(number)
        obstacles: list[PlanObstacle] = list(self._outside(wish, candidate))
        if number not in self._roots[wish.name].candidates:
            obstacles.extend(self._unreached(wish, current, candidate))
        prohibited = [c for c in problem.constraints(number) if isinstance(c, Prohibited)]
        obstacles.extend(NeverSelected(candidate, reason_for(problem, constraint)) for constraint in prohibited)
        if self._rerun is None:
            obstacles.append(NothingResolved(problem.request.namespaces[0]))
        elif not prohibited:
            obstacles.extend(self._beside_others(self._rerun, wish, current, number, alone=not obstacles))
        yield from obstacles

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
            channel
            for channel, slots in checked(zip(names, offered, strict=True))
            if index.named(slots.all, candidate.name)
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
                mine = read_version(current.version, index.catalog.scheme)
                return mine or index.bundle_version(candidate.package, bundle)
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
            reasons = tuple(
                reason_for(self._problem, constraint, against)
                for constraint in outcome.constraints
                if constraint != forced
            )
            yield ImpossibleBeside(self._problem.candidate(number), reasons)
            yield from self._under_other_semantics(wish, number, reasons)
        elif alone:
            preference = preference_of(rerun, outcome)
            assert preference is not None, "a candidate of a wish is selected, unless another one comes first"
            yield OutrankedBy(preference)

    def _forced(self, problem: ClassicProblem, wish: Subscription, number: int) -> Solution | Core:
        """Solve *problem* with the candidate *number* in place of *wish*."""
        assert self._rerun is not None
        # Alone first: the core of a candidate that can never be installed then names no wish of somebody else.
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
        if differ and isinstance(self._forced(self._other_semantics, wish, number), Solution):
            yield OnlyUnderSemantics(self._other_semantics.semantics.value)

    @cached_property
    def _plan(self) -> PlanTables:
        assert self._rerun is not None, "a failure has no plan"
        return PlanTables(self._rerun)

    @cached_property
    def _other_semantics(self) -> ClassicProblem:
        """The same problem under the other semantics; its candidates have the same numbers."""
        mine = self._problem.semantics
        other = Semantics.CONTROLLER if mine is Semantics.DOCUMENTED else Semantics.DOCUMENTED
        return ClassicProblem(self._problem.request, self._problem.visible, other)


def _is_wish(root: Root, wish: Subscription) -> bool:
    """Return whether *root* is the choice of the subscription *wish*."""
    return isinstance(root.origin, Wish) and root.origin.subscription.name == wish.name


class _PublishedOffer(NamedTuple):
    """A bundle of a package, as the candidate *number* of a problem."""

    version: Version
    number: int
    in_catalog: bool
    in_channel: bool


def _newer_numbers(problem: ClassicProblem, wish: Subscription, current: Candidate) -> list[int]:
    """Return the newest candidates that *wish* misses, highest first.

    A subscription to channel stable of one catalog may miss three: of its channel, of all channels of its catalog, and
    of all visible catalogs.
    """
    offers = list(_offers(problem, wish, current))
    newest: list[_PublishedOffer] = []
    for scope in (
        [offer for offer in checked(offers, every=256) if offer.in_catalog and offer.in_channel],
        [offer for offer in checked(offers, every=256) if offer.in_catalog],
        offers,
    ):
        best = max(checked(scope, every=256), key=lambda offer: offer.version, default=None)
        if best is not None and (not newest or best.version > newest[-1].version):
            newest.append(best)
    return [offer.number for offer in reversed(newest)]


def _offers(problem: ClassicProblem, wish: Subscription, current: Candidate) -> Iterator[_PublishedOffer]:
    """Yield the bundles that are newer than *current*; of equal versions the one that the wish names comes first."""
    later: list[_PublishedOffer] = []
    visible = problem.visible
    for source, index, offset in zip(visible.sources, visible.indexes, visible.offsets, strict=True):
        in_catalog = not wish.source or (source.name, source.namespace) == (wish.source, wish.source_namespace)
        baseline = read_version(current.version, index.catalog.scheme)
        names = index.channel_names(wish.package)
        for channel, slots in checked(zip(names, index.offered(wish.package) or (), strict=True)):
            in_channel = wish.channel in ("", channel)
            for slot in slots.all:
                version = index.version(slot)
                if version is None or (baseline is not None and not version > baseline):
                    continue
                offer = _PublishedOffer(version, offset + slot, in_catalog, in_channel)
                if in_catalog and in_channel:
                    yield offer
                else:
                    later.append(offer)
    yield from sorted(later, key=lambda offer: (not offer.in_catalog, not offer.in_channel))
