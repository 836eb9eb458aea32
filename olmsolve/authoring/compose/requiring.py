"""Dependencies: the bundles that a selection needs besides itself, found by following requirements."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable
from typing import assert_never

from olmsolve._limits import checked
from olmsolve.catalog import Catalog
from olmsolve.catalog.index import Slot, index_of
from olmsolve.errors import ConstraintError
from olmsolve.predicates import (
    Conjunction,
    Disjunction,
    Fact,
    Negative,
    NormalForm,
    Positive,
    Predicate,
    Published,
    normalise,
    published,
    requirements,
)


class OpenRequirements:
    """The requirements of selected bundles that none of the selected bundles meets.

    :meth:`select` adds bundles; :meth:`next_missing` proposes one more, until nothing is missing::

        select app            it requires the API cache/v1/Cache
        next_missing()        -> the preferred bundle that provides it; the caller selects that
        next_missing()        -> None: every requirement that can be met is met
    """

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._index = index_of(catalog)
        self._selected: dict[tuple[str, str], Published] = {}
        # The same by what they publish, so that a requirement is not tested on all: 2,400 packages took six seconds.
        self._publishing: defaultdict[Fact, list[Published]] = defaultdict(list)
        self._waiting: deque[NormalForm] = deque()
        self._seen: set[NormalForm] = set()
        self._met: set[Predicate] = set()

    def select(self, bundles: Iterable[tuple[str, str]]) -> None:
        """Select *bundles* (package and name); ignore names without a bundle."""
        for package, name in checked(bundles, every=16):
            bundle = self._catalog.packages[package].bundles.get(name)
            if bundle is None or (package, name) in self._selected:
                continue
            facts = self._selected[package, name] = published(package, bundle.properties)
            for fact in dict.fromkeys(facts.facts()):
                self._publishing[fact].append(facts)
            try:
                required = requirements(bundle.properties)
            except ConstraintError:
                # A bundle with a broken requirement can never be installed, so it needs nothing.
                continue
            for requirement in required:
                form = normalise(requirement.predicate)
                if form not in self._seen:
                    self._seen.add(form)
                    self._waiting.append(form)

    def next_missing(self) -> Slot | None:
        """Return a bundle, seen through a channel, that meets an open requirement; None if nothing is missing.

        The caller has to select the bundle before the next call.
        """
        while self._waiting:
            missing = self._missing(self._waiting[0])
            if missing is not None:
                return missing
            self._waiting.popleft()
        return None

    def _missing(self, form: NormalForm) -> Slot | None:
        """Return the first bundle that *form* still needs; None if *form* is met, or cannot be met."""
        match form:
            case Positive():
                return None if self._is_met(form.predicate) else self._preferred(form.predicate)
            case Negative():
                return None
            case Conjunction():
                return next((gap for part in form.parts if (gap := self._missing(part)) is not None), None)
            case Disjunction():
                # A `not` never counts as met: nobody knows here which bundles will be installed together.
                if any(part.holds(self._is_met, negative=False) for part in form.parts):
                    return None
                possible = (part for part in form.parts if part.holds(self._can_be_met, negative=True))
                return next((gap for part in possible if (gap := self._missing(part))), None)
            case _:
                assert_never(form)

    def _can_be_met(self, predicate: Predicate) -> bool:
        return self._is_met(predicate) or self._preferred(predicate) is not None

    def _is_met(self, predicate: Predicate) -> bool:
        if predicate not in self._met:
            among = self._selected.values() if predicate.fact is None else self._publishing.get(predicate.fact, ())
            if not any(map(predicate.test, among)):
                return False
            self._met.add(predicate)
        return True

    def _preferred(self, predicate: Predicate) -> Slot | None:
        """Return the candidate that OLM classic prefers; channels without an order have no candidates."""
        for number in self._index.candidates(predicate):
            if self._index.fault(number) is None and not self._index.published(number).deprecated:
                return self._index.slots[number]
        return None
