"""Candidates by the APIs, labels and packages that they publish, so that a predicate is tested on few of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from olmsolve.answers.plain_reading import ApiTest, BundleTest, LabelTest, PackageTest, PartsTest, PlainFacts


class _Publishing(Protocol):
    @property
    def published(self) -> PlainFacts: ...


def facts_of(published: PlainFacts) -> Iterator[object]:
    """Yield what a bundle publishes that a predicate alone may ask for: APIs, labels, names of packages."""
    yield from published.gvks
    yield from published.labels
    yield from {published.package, *(name for name, _ in published.packages)}


def fact_of(predicate: BundleTest) -> object | None:
    """Return a fact that each bundle which meets *predicate* publishes; None where no single fact is sure."""
    match predicate:
        case ApiTest():
            return predicate.gvk
        case LabelTest():
            return predicate.label
        case PackageTest():
            return predicate.package
        case _:
            return None


class NumbersByFact:
    """The numbers of *candidates*, in their order, by each fact that they publish."""

    def __init__(self, candidates: Iterable[_Publishing]) -> None:
        self._numbers: dict[object, list[int]] = {}
        self._count = 0
        for number, candidate in enumerate(candidates):
            self._count = number + 1
            for fact in facts_of(candidate.published):
                self._numbers.setdefault(fact, []).append(number)

    def numbers(self, predicates: Iterable[BundleTest]) -> Iterable[int]:
        """Return the numbers of candidates that may meet one of *predicates*, ascending; no other candidate does."""
        facts: list[object] = []
        pending = list(predicates)
        while pending:
            predicate = pending.pop()
            if isinstance(predicate, PartsTest) and predicate.kind == "any":
                pending.extend(predicate.parts)
                continue
            fact = fact_of(predicate)
            if fact is None:
                return range(self._count)
            facts.append(fact)
        if len(facts) == 1:
            return self._numbers.get(facts[0], ())
        return sorted({number for fact in facts for number in self._numbers.get(fact, ())})
