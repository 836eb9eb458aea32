"""The house rules of a request as constraints of its problem.

- ``Never`` prohibits each of its bundles. With ``beside``, each of its bundles has a formula of one exclusion: the
  clauses ``¬x ∨ ¬y`` for every other bundle ``y`` of ``beside``.
- ``AtLeastOne`` is one more root, after the subscriptions: ``x₁ ∨ ... ∨ xₙ``.
- ``Prefer`` is no constraint: it sorts candidates wherever there is a choice.
- ``TotalAtMost`` is one more root, a limit with weights over all candidates that the other roots reach.

Bundles are tested one by one, when a search gets to them, and remembered.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from olmsolve._limits import checked
from olmsolve._named_tuples import NamedTuple
from olmsolve.catalog.index import InstalledIndex, Visible
from olmsolve.classic.house_rules import AtLeastOne, Bundles, Never, Prefer, TotalAtMost
from olmsolve.classic.measures import number_of, whole_number_of
from olmsolve.classic.request import Request
from olmsolve.eligibility import CandidateFacts
from olmsolve.predicates import AllOf
from olmsolve.resolution import EXISTING
from olmsolve.solver import AtMost, Constraint, Dependency, Exclusion, Formula, Prohibited


class KeptApart(NamedTuple):
    """The origin of an Exclusion: by *rule*, the candidate *subject* is not selected beside others."""

    rule: Never
    subject: int


class RuledCandidates:
    """The candidates in *visible* catalogs, and *installed* operators, that the house rules of *request* speak of.

    They are numbered as in the problem of a request: first the slots of the catalogs, then the operators.
    """

    def __init__(self, visible: Visible, installed: InstalledIndex, request: Request) -> None:
        self._visible = visible
        self._installed = installed
        self._came_from = {name: owner.catalog for name, owner in request.owners().items()}
        rules = request.house_rules
        self._banned = [rule for rule in rules if isinstance(rule, Never) and rule.beside is None]
        self._apart = [rule for rule in rules if isinstance(rule, Never) and rule.beside is not None]
        self._demanded = [rule for rule in rules if isinstance(rule, AtLeastOne)]
        self.limiting: list[TotalAtMost] = [rule for rule in rules if isinstance(rule, TotalAtMost)]
        """The rules that limit sums over the selection."""
        self.preferred: list[Prefer] = [rule for rule in rules if isinstance(rule, Prefer)]
        """The rules that change the order of candidates, the strongest first."""
        # By the identity of the bundles: the rules outlive this object, and a hash of a constraint would cost more.
        self._verdicts: dict[tuple[int, int], bool] = {}
        self._keys: dict[tuple[int, int], tuple[bool, float]] = {}

    @staticmethod
    def demand(origin: object) -> AtLeastOne | None:
        """Return the rule whose demand the *origin* of a choice is; None if it is another one."""
        return origin if isinstance(origin, AtLeastOne) else None

    def include(self, bundles: Bundles, number: int) -> bool:
        """Return whether the candidate *number* is of *bundles*, which belong to one of the rules."""
        key = id(bundles), number
        verdict = self._verdicts.get(key)
        if verdict is None:
            verdict = self._verdicts[key] = self._included(bundles, number)
        return verdict

    def _included(self, bundles: Bundles, number: int) -> bool:
        visible, operator = self._visible, number - self._visible.size
        if operator >= 0:
            name = self._installed.names[operator]
            return bundles.include(name, (EXISTING, self._came_from.get(name, "")), self._installed.published[operator])
        position, index, slot = visible.locate(number)
        if not index.has_bundle(slot):
            return False
        return bundles.include(index.bundle(slot), (visible.sources[position].key,), index.published(slot))

    def facts(self, number: int) -> CandidateFacts | None:
        """Return what a function sees of the candidate *number*; None for a channel without an order."""
        visible, operator = self._visible, number - self._visible.size
        if operator >= 0:
            name, facts = self._installed.names[operator], self._installed.published[operator]
            version = self._installed.versions[operator] or str(facts.version or "")
            package = facts.packages[0][0] if facts.packages else ""
            return CandidateFacts(name, package, version, EXISTING, facts.properties)
        position, index, slot = visible.locate(number)
        if not index.has_bundle(slot):
            return None
        source, properties = visible.sources[position], index.published(slot).properties
        return CandidateFacts(index.bundle(slot), index.package(slot), index.version_text(slot), source.key, properties)

    # -- constraints

    def ban(self, number: int) -> Never | None:
        """Return the rule by which the candidate is never selected; None if there is none."""
        return next((rule for rule in self._banned if self.include(rule.bundles, number)), None)

    def restricts(self, number: int) -> bool:
        """Return whether the candidate has :meth:`constraints`."""
        return self.ban(number) is not None or any(self.include(rule.bundles, number) for rule in self._apart)

    def constraints(self, number: int) -> Iterator[Constraint]:
        """Yield what the rules add to the constraints of the candidate."""
        ban = self.ban(number)
        if ban is not None:
            yield Prohibited(number, ban)
        for rule in self._apart:
            if self.include(rule.bundles, number):
                yield Formula(number, Exclusion(_BesideSubject(self, rule, number), KeptApart(rule, number)), rule)

    def roots(self) -> Iterator[Dependency]:
        """Yield a choice for each demand, in the order of the rules."""
        for rule in self._demanded:
            yield Dependency(None, self.ordered(self._candidates(rule.bundles)), rule)

    def limits(self, reached: Iterable[int]) -> Iterator[AtMost]:
        """Yield the limits on sums over *reached* candidates. Raises RequestError for an amount that is no number."""
        numbers = tuple(reached) if self.limiting else ()
        for rule in self.limiting:
            weights = {number: self._amount(rule, number) for number in checked(numbers, every=8)}
            # Candidates that weigh nothing never exceed a limit, and a sum over fewer makes fewer clauses.
            heavy = {number: weight for number, weight in sorted(weights.items()) if weight}
            if heavy:
                yield AtMost(rule.limit, tuple(heavy), rule, tuple(heavy.values()))

    def _amount(self, rule: TotalAtMost, number: int) -> int:
        facts = self.facts(number)
        return 0 if facts is None or not self.include(rule.bundles, number) else whole_number_of(rule.of, facts)

    def _candidates(self, bundles: Bundles) -> list[int]:
        """Return the candidates of *bundles* in the order of a requirement of an installed operator."""
        operators = range(self._visible.size, self._visible.size + len(self._installed.names))
        predicates = bundles.as_predicates()
        # The index narrows to the bundles that a fact of the rule allows, such as the bundles of one package.
        numbers = (*operators, *self._visible.narrowed(AllOf(predicates) if predicates else None))
        # A rule in CEL takes from microseconds to milliseconds.
        return [number for number in checked(numbers, every=8) if self.include(bundles, number)]

    # -- the order

    def ordered(self, candidates: Sequence[int]) -> tuple[int, ...]:
        """Return *candidates* with the preferred ones first; otherwise their order stays.

        With ``Prefer(A)`` before ``Prefer(B)``: candidates of both, of A alone, of B alone, of neither. Raises
        RequestError for a number that is none.
        """
        if not self.preferred or len(candidates) < 2:
            return tuple(candidates)
        return tuple(sorted(candidates, key=self._preference))

    def _preference(self, number: int) -> tuple[tuple[bool, float], ...]:
        return tuple(self._key(rule, number) for rule in self.preferred)

    def _key(self, rule: Prefer, number: int) -> tuple[bool, float]:
        """Return the sort key of the candidate *number* for *rule*; candidates with equal keys keep their order."""
        if rule.measure is None:
            return not self.include(rule.bundles, number), 0
        cached = id(rule), number
        key = self._keys.get(cached)
        if key is None:
            facts = self.facts(number) if self.include(rule.bundles, number) else None
            key = self._keys[cached] = rule.key(None if facts is None else number_of(rule.measure, facts))
        return key

    def prefers(self, first: int, second: int) -> Prefer | None:
        """Return the rule that puts candidate *first* before *second*; None if another order does."""
        for rule in self.preferred:
            if self._key(rule, first) != self._key(rule, second):
                return rule
        return None

    def reorders(self, members: Sequence[int]) -> bool:
        """Return whether a preference may change the order of *members*: it names some of them, and not all."""
        return any(len({self._key(rule, number) for number in members}) > 1 for rule in self.preferred)


class _BesideSubject:
    """The candidates of ``rule.beside`` but for *subject*: what may not be selected beside it."""

    __slots__ = ("_rule", "_ruled", "_subject")

    def __init__(self, ruled: RuledCandidates, rule: Never, subject: int) -> None:
        self._ruled = ruled
        self._rule = rule
        self._subject = subject

    def __contains__(self, identifier: object) -> bool:
        assert isinstance(identifier, int)
        assert self._rule.beside is not None
        return identifier != self._subject and self._ruled.include(self._rule.beside, identifier)

    def __bool__(self) -> bool:
        # Never idle: to find out would need a look at all candidates, and would save nothing outside of a disjunction.
        return True
