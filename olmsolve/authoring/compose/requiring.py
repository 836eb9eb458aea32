"""Which bundles are needed besides some others: requirements followed through a catalog."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from olmsolve.catalog import Catalog
from olmsolve.catalog.index import Slot, index_of
from olmsolve.errors import ConstraintError
from olmsolve.predicates import (
    Conjunction,
    Disjunction,
    Negative,
    NormalForm,
    Positive,
    Published,
    normalise,
    published,
    requirements,
)

__all__ = ["OpenRequirements"]


class OpenRequirements:
    """Bundles that are selected, and what they require that none of them meets."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._index = index_of(catalog)
        self._selected: dict[tuple[str, str], Published] = {}
        self._waiting: deque[NormalForm] = deque()
        self._seen: set[NormalForm] = set()
        self._met: set[Positive] = set()

    def select(self, bundles: Iterable[tuple[str, str]]) -> None:
        """Take note that *bundles* (package and name) are selected; names without a bundle are passed over."""
        for package, name in bundles:
            bundle = self._catalog.packages[package].bundles.get(name)
            if bundle is None or (package, name) in self._selected:
                continue
            self._selected[package, name] = published(package, bundle.properties)
            try:
                required = requirements(bundle.properties)
            except ConstraintError:
                # It can never be installed, so that it needs nothing.
                continue
            for requirement in required:
                form = normalise(requirement.predicate)
                if form not in self._seen:
                    self._seen.add(form)
                    self._waiting.append(form)

    def next_missing(self) -> Slot | None:
        """A bundle, seen through a channel, that meets what none of the selected does; None where nothing is missing.

        The caller has to select it.
        """
        while self._waiting:
            found = self._missing(self._waiting[0])
            if found is not None:
                return found
            self._waiting.popleft()
        return None

    def _missing(self, form: NormalForm) -> Slot | None:
        """What is missing first for *form*; None if it is met, or cannot be."""
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
            # Not taken for granted: which bundles are installed together is not known here.
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
            if not any(form.predicate.test(facts) for facts in self._selected.values()):
                return False
            self._met.add(form)
        return True

    def _preferred(self, form: Positive) -> Slot | None:
        """The candidate that OLM classic prefers, passing over channels without an order."""
        for number in self._index.candidates(form.predicate):
            if self._index.fault(number) is None and not self._index.published(number).deprecated:
                return self._index.slots[number]
        return None
