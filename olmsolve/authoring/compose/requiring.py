"""Dependencies: the bundles that a selection needs besides itself, found by following requirements."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable

from olmsolve._limits import checked
from olmsolve.catalog import Catalog
from olmsolve.catalog.index import Slot, index_of
from olmsolve.errors import ConstraintError
from olmsolve.predicates import (
    Conjunction,
    Disjunction,
    InPackage,
    Negative,
    NormalForm,
    Positive,
    Predicate,
    ProvidesGVK,
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
        self._publishing: defaultdict[object, list[Published]] = defaultdict(list)
        self._waiting: deque[NormalForm] = deque()
        self._seen: set[NormalForm] = set()
        self._met: set[Positive] = set()

    def select(self, bundles: Iterable[tuple[str, str]]) -> None:
        """Select *bundles* (package and name); ignore names without a bundle."""
        for package, name in checked(bundles, every=16):
            bundle = self._catalog.packages[package].bundles.get(name)
            if bundle is None or (package, name) in self._selected:
                continue
            facts = self._selected[package, name] = published(package, bundle.properties)
            for fact in {package, *(named for named, _ in facts.packages), *facts.gvks}:
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
            found = self._missing(self._waiting[0])
            if found is not None:
                return found
            self._waiting.popleft()
        return None

    def _missing(self, form: NormalForm) -> Slot | None:
        """Return the first bundle that *form* still needs; None if *form* is met, or cannot be met."""
        if isinstance(form, Positive):
            return None if self._is_met(form) else self._preferred(form)
        if isinstance(form, Negative):
            return None
        if isinstance(form, Conjunction):
            return next((found for part in form.parts if (found := self._missing(part)) is not None), None)
        assert isinstance(form, Disjunction)
        if any(self._holds(part) for part in form.parts):
            return None
        return next((found for part in form.parts if self._can_hold(part) and (found := self._missing(part))), None)

    def _holds(self, form: NormalForm) -> bool:
        if isinstance(form, Positive):
            return self._is_met(form)
        if isinstance(form, Negative):
            # A `not` never counts as met: nobody knows here which bundles will be installed together.
            return False
        if isinstance(form, Conjunction):
            return all(self._holds(part) for part in form.parts)
        return any(self._holds(part) for part in form.parts)

    def _can_hold(self, form: NormalForm) -> bool:
        if isinstance(form, Positive):
            return self._is_met(form) or self._preferred(form) is not None
        if isinstance(form, Negative):
            return True
        if isinstance(form, Conjunction):
            return all(self._can_hold(part) for part in form.parts)
        return any(self._can_hold(part) for part in form.parts)

    def _is_met(self, form: Positive) -> bool:
        if form not in self._met:
            if not any(map(form.predicate.test, self._testable(form.predicate))):
                return False
            self._met.add(form)
        return True

    def _testable(self, predicate: Predicate) -> Iterable[Published]:
        """Return the facts of the selected bundles that can meet *predicate*, at most of all."""
        if isinstance(predicate, InPackage):
            return self._publishing.get(predicate.package, ())
        if isinstance(predicate, ProvidesGVK):
            return self._publishing.get(predicate.gvk, ())
        return self._selected.values()

    def _preferred(self, form: Positive) -> Slot | None:
        """Return the candidate that OLM classic prefers; channels without an order have no candidates."""
        for number in self._index.candidates(form.predicate):
            if self._index.fault(number) is None and not self._index.published(number).deprecated:
                return self._index.slots[number]
        return None
